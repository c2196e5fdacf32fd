"""Debts and settings: the contract of the store, on both kinds of database."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from data import tea_rows
from data.database import Database
from data.errors import ConflictError, DoubledError
from data.guild_models import GuildSettings, Preferences
from data.models import Change, Player, Table
from data.store import Store
from data.tea_models import DebtPage, Owing, Tally, TeaDebt
from game.rules import Rules
from testkit.debts import new_debt
from testkit.stored import execute, open_debts, put_preferences, stored_rows, stored_table

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GUILD, ANN, BOB, CY = 11, 33, 44, 55


async def debt(store: Store, debtor, creditors, *, channel=1, guild=GUILD, at=NOW, interaction=None, forfeit=""):
    players = (Player(user_id=debtor, name="x", joined_by=1),)
    interaction = interaction or channel + debtor * 100 + guild * 10000
    table = Table(
        id=interaction,
        guild_id=guild,
        channel_id=channel,
        host_id=debtor,
        players=players,
        rules=Rules(),
        seats=6,
        created_at=at,
        forfeit=forfeit,
    )
    await store.tables.open(table, "", interaction)
    after = table.but(revision=1, status="over")
    owed = new_debt(table, debtor, creditors, forfeit)
    await store.tables.save(Change(before=table, after=after, at=at, debt=owed))
    return await store.tea.of_game(table, 1)


async def test_debts_are_numbered_and_found_by_creditor(store: Store):
    first = await debt(store, ANN, (BOB, CY))
    second = await debt(store, BOB, (CY,), channel=2)
    await debt(store, BOB, (ANN,), guild=12)  # another server's first debt, owed to somebody else
    assert (first.id, second.id) == (1, 2)
    assert await open_debts(store, GUILD) == [first, second]
    assert await store.tea.owed_to(GUILD, BOB, page=0, most=9) == DebtPage([first])
    assert await store.tea.owed_to(GUILD, CY, page=0, most=9) == DebtPage([first, second])
    assert await store.tea.owed_to(GUILD, ANN, page=0, most=9) == DebtPage([])
    assert await store.tea.owed_to(GUILD, BOB, page=1, most=1) == DebtPage([first], 0, 1), (
        "the page of one that there is"
    )
    assert await store.tea.get(GUILD, 2) == second
    assert await store.tea.get(GUILD, 3) is None


def done(debt: TeaDebt, deed, state, by=None, at=None, forgiven_by=None):
    """The debt after a change by somebody."""
    changes = {"deed": deed, "state": state, "changes": debt.changes + 1, "settled_by": by, "settled_at": at}
    changes["forgiven_by"] = debt.forgiven_by if forgiven_by is None else forgiven_by
    return debt.model_copy(update=changes)


async def test_whoever_forgives_one_debt_forgives_no_other(store: Store):
    made, other = await debt(store, ANN, (BOB, CY)), await debt(store, ANN, (BOB,), channel=2)
    await store.tea.save(made, done(made, "forgiven", "owed", forgiven_by=(BOB,)), BOB, NOW, interaction_id=900)
    assert [each.forgiven_by for each in await open_debts(store, GUILD)] == [(BOB,), ()]
    assert await store.tea.get(GUILD, other.id) == other


async def test_a_change_of_a_debt_is_stored_once(store: Store):
    made = await debt(store, ANN, (BOB, CY))
    later = NOW + timedelta(hours=1)
    served = done(made, "served", "served", BOB, later)
    await store.tea.save(made, served, BOB, later, interaction_id=900)
    assert await store.tea.get(GUILD, made.id) == served
    assert (await open_debts(store, GUILD), await store.tea.owing(GUILD)) == ([], [])
    with pytest.raises(ConflictError):
        await store.tea.remind(made, later, interaction_id=901)
    with pytest.raises(ConflictError):
        await store.tea.save(made, done(made, "served", "served", CY, later), CY, later, interaction_id=901)
    with pytest.raises(DoubledError):
        await store.tea.save(served, done(served, "undone", "owed"), BOB, later, interaction_id=900)
    assert not await store.clicks.was_applied(GUILD, 901)
    assert await store.tea.get(GUILD, made.id) == served


async def test_a_debt_that_is_gone_cannot_be_changed(store: Store):
    made = await debt(store, ANN, (BOB,))
    await store.guilds.set_left(GUILD, NOW)
    assert await store.guilds.forget(GUILD, NOW + timedelta(seconds=1))
    with pytest.raises(ConflictError):
        await store.tea.save(made, done(made, "served", "served", BOB, NOW), BOB, NOW, interaction_id=1)


async def test_of_two_concurrent_changes_of_a_debt_one_is_stored(store: Store):
    made = await debt(store, ANN, (BOB, CY))
    tries = [
        store.tea.save(made, done(made, "served", "served", who, NOW), who, NOW, interaction_id=who)
        for who in (BOB, CY)
    ]
    found = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["ConflictError", "bool"]


async def test_forgiving_is_stored_for_each_creditor(store: Store):
    made = await debt(store, ANN, (BOB, CY))
    given = done(made, "forgiven", "owed", forgiven_by=(CY,))
    await store.tea.save(made, given, CY, NOW, interaction_id=1)
    assert await store.tea.get(GUILD, made.id) == given
    assert given.awaited == (BOB,)
    back = done(given, "withdrawn", "owed", forgiven_by=())
    await store.tea.save(given, back, CY, NOW, interaction_id=2)
    assert await store.tea.get(GUILD, made.id) == back


async def test_every_change_of_a_debt_is_in_its_history_newest_first(store: Store):
    made = await debt(store, ANN, (BOB,))
    served = done(made, "served", "served", BOB, NOW)
    back = done(served, "undone", "owed")
    await store.tea.save(made, served, BOB, NOW, interaction_id=1)
    await store.tea.save(served, back, CY, NOW, interaction_id=2)
    lines = await store.tea.history(GUILD, 9)
    assert [(each.number, each.deed, each.state, each.user_id) for each in lines] == [
        (3, "undone", "owed", CY),
        (2, "served", "served", BOB),
        (1, "made", "owed", None),
    ]
    assert {(each.debt_id, each.debtor_id, each.creditor_ids) for each in lines} == {(made.id, ANN, (BOB,))}


async def test_the_history_is_read_in_pages_by_person_or_by_debt(store: Store):
    first = await debt(store, ANN, (BOB,))
    second = await debt(store, BOB, (CY,), channel=2, at=NOW + timedelta(minutes=1))
    served = done(first, "served", "served", BOB, NOW)
    await store.tea.save(first, served, BOB, NOW + timedelta(minutes=2), interaction_id=1)
    await debt(store, BOB, (CY,), guild=12)
    told = [(each.debt_id, each.number) for each in await store.tea.history(GUILD, 9)]
    assert told == [(first.id, 2), (second.id, 1), (first.id, 1)]
    assert [(each.debt_id, each.number) for each in await store.tea.history(GUILD, 1, skip=1)] == [(second.id, 1)]
    assert [each.debt_id for each in await store.tea.history(GUILD, 9, user_id=CY)] == [second.id]
    assert [each.debt_id for each in await store.tea.history(GUILD, 9, user_id=ANN)] == [first.id, first.id]
    assert [each.number for each in await store.tea.history(GUILD, 9, debt_id=first.id)] == [2, 1]


async def test_all_debts_are_read_newest_first_in_pages(store: Store):
    made = [await debt(store, ANN, (BOB,), channel=n) for n in range(1, 4)]
    assert await store.tea.newest(GUILD, 9) == made[::-1]
    assert await store.tea.newest(GUILD, 1, skip=1) == [made[1]]


async def test_all_debts_are_read_in_parts(store: Store, monkeypatch):
    """With PostgreSQL, thousands at once would hold up the clicks of everybody."""
    monkeypatch.setattr(tea_rows, "_AT_ONCE", 2)
    made = [await debt(store, ANN, (BOB,), channel=n) for n in range(1, 6)]
    assert await store.tea.all(GUILD) == made


async def test_the_debts_to_a_person_are_read_by_pages(store: Store):
    made = [await debt(store, ANN, (BOB,), channel=n) for n in range(1, 4)]
    assert await store.tea.owed_to(GUILD, BOB, page=1, most=2) == DebtPage(made[2:], 1, 2)
    assert await store.tea.owed_to(GUILD, BOB, page=10**9, most=2) == DebtPage(made[2:], 1, 2), "the last page"
    await debt(store, CY, (BOB,), channel=4, forfeit="cake")
    assert (await store.tea.owed_to(GUILD, BOB, page=0, most=2)).forfeit == "cake", "on another page"


async def test_open_debts_are_summed_for_each_debtor(store: Store):
    older, newer = NOW - timedelta(1), NOW + timedelta(1)
    for channel, forfeit in enumerate(("", "cake", ""), start=1):
        await debt(store, BOB, (ANN, CY) if forfeit else (CY,), channel=channel, forfeit=forfeit, at=newer)
    await debt(store, ANN, (BOB,), channel=4)
    await debt(store, CY, (BOB,), channel=5, at=older)
    settled = await debt(store, CY, (BOB,), channel=6)
    await store.tea.save(settled, done(settled, "served", "served", BOB, NOW), BOB, NOW, interaction_id=1)
    await debt(store, BOB, (CY,), guild=12)
    assert await store.tea.owing(GUILD) == [
        Owing(BOB, Counter({"": 2, "cake": 1}), Counter({CY: 3, ANN: 1}), newer),
        Owing(CY, Counter({"": 1}), Counter({BOB: 1}), older),
        Owing(ANN, Counter({"": 1}), Counter({BOB: 1}), NOW),
    ]


async def test_a_balance_sums_what_a_person_owes_and_is_owed(store: Store):
    for channel, forfeit in enumerate(("", "", "cake")):
        await debt(store, ANN, (BOB, CY), channel=channel, forfeit=forfeit)
    await debt(store, BOB, (ANN, CY), channel=8)
    await debt(store, BOB, (CY,), channel=9)
    owed = Counter({"": 2, "cake": 1})
    assert await store.tea.between(GUILD, ANN) == ({BOB: Counter({"": 1})}, {BOB: owed, CY: owed})


async def test_the_last_debt_settled_by_creditors_is_found_but_no_correction(store: Store):
    made = [await debt(store, ANN, (BOB,), channel=n) for n in range(1, 4)]
    assert await store.tea.settled_last(GUILD, BOB) is None
    for nth, (each, deed) in enumerate(zip(made, ("served", "served", "corrected"), strict=True)):
        at = NOW + timedelta(minutes=nth)
        await store.tea.save(each, done(each, deed, "served", BOB, at), BOB, at, interaction_id=nth + 1)
    assert (await store.tea.settled_last(GUILD, BOB)).id == made[1].id
    assert await store.tea.settled_last(GUILD, CY) is None


async def test_tallies_count_the_debts_of_everybody_who_has_not_opted_out(store: Store):
    made = [await debt(store, ANN, (BOB, CY), channel=n) for n in range(1, 5)]
    for nth, (each, state) in enumerate(zip(made, ("served", "forgiven", "cancelled"), strict=False)):
        await store.tea.save(each, done(each, "corrected", state, BOB, NOW), BOB, NOW, interaction_id=nth + 1)
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=CY, uncounted=True))
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=BOB, quiet=True))
    found = {each.user_id: each for each in await store.tea.tallies(GUILD)}
    assert found == {ANN: Tally(ANN, owed=1, served=1, forgiven=1), BOB: Tally(BOB, received=1)}
    assert found[ANN].lost == 3


async def test_a_debt_in_a_state_of_a_newer_version_is_in_nobodys_tally(store: Store, database: Database):
    made = [await debt(store, ANN, (BOB, CY), channel=n) for n in (1, 2)]
    await execute(database, f"UPDATE tea_debts SET state = 'doubled' WHERE id = {made[0].id}")
    assert await store.tea.tallies(GUILD) == [Tally(ANN, owed=1)]


async def test_a_reminder_is_recorded_once_until_it_is_due_again(store: Store):
    made = await debt(store, ANN, (BOB, CY))
    day = timedelta(days=1)
    tries = [store.tea.remind(made, NOW, interaction_id=who) for who in (BOB, CY)]
    found = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(type(one).__name__ for one in found) == ["ConflictError", "NoneType"]
    reminded = await store.tea.get(GUILD, made.id)
    assert reminded.reminded_at == NOW
    await store.tea.remind(reminded, NOW + day, interaction_id=9)
    with pytest.raises(DoubledError):
        await store.tea.remind(await store.tea.get(GUILD, made.id), NOW + 3 * day, interaction_id=9)


async def test_the_message_of_a_changed_debt_is_redrawn_after_a_restart(store: Store):
    made = await debt(store, ANN, (BOB,))
    table = await stored_table(store, made.table_id, GUILD)
    await store.tables.mark_drawn([table])
    await store.tables.place(table, message_id=5)
    assert await store.tables.undrawn_ids() == ()
    await store.tea.save(made, done(made, "served", "served", BOB, NOW), BOB, NOW, interaction_id=1)
    assert await store.tables.undrawn_ids() == ((GUILD, table.id),)


async def test_the_message_of_a_later_game_is_not_redrawn_after_a_restart_for_a_debt_that_it_does_not_show(
    store: Store,
):
    made = await debt(store, ANN, (BOB,))
    first = await stored_table(store, made.table_id, GUILD)
    later = first.but(revision=2, game=2)
    await store.tables.save(Change(before=first, after=later, at=NOW))
    await store.tables.place(later, message_id=5)
    await store.tables.mark_drawn([later])
    await store.tea.save(made, done(made, "served", "served", BOB, NOW), BOB, NOW, interaction_id=1)
    assert await store.tables.undrawn_ids() == ()


async def test_a_deleted_message_is_not_redrawn_because_of_a_debt(store: Store):
    made = await debt(store, ANN, (BOB,))
    await store.tables.mark_drawn([await stored_table(store, made.table_id, GUILD)])
    await store.tea.save(made, done(made, "served", "served", BOB, NOW), BOB, NOW, interaction_id=1)
    assert await store.tables.undrawn_ids() == ()


async def test_words_that_are_deleted_do_not_come_back_with_a_change_of_the_table_decided_before(store: Store):
    owed = await debt(store, ANN, (BOB,), forfeit="cake")
    table = await stored_table(store, owed.table_id)
    cancelled = done(owed, "corrected", "cancelled", CY, NOW).but(forfeit="…")
    await store.tea.save(owed, cancelled, CY, NOW, interaction_id=9)
    await store.tables.save(Change(before=table, after=table.but(revision=2, status="lobby"), at=NOW))
    assert (await stored_table(store, table.id)).forfeit == "…"
    assert await store.tea.get(GUILD, owed.id) == cancelled


async def test_the_lobby_of_another_game_is_redrawn_after_a_restart_without_words_that_are_deleted(store: Store):
    owed = await debt(store, ANN, (BOB,), forfeit="cake")
    over = await stored_table(store, owed.table_id)
    lobby = over.but(revision=2, status="lobby")
    await store.tables.save(Change(before=over, after=lobby, at=NOW))
    await store.tables.place(lobby, message_id=5)
    await store.tables.mark_drawn([lobby])
    assert await store.tables.undrawn_ids() == ()
    cancelled = done(owed, "corrected", "cancelled", CY, NOW).but(forfeit="…")
    await store.tea.save(owed, cancelled, CY, NOW, interaction_id=9)
    assert await store.tables.undrawn_ids() == ((GUILD, lobby.id),)


async def test_settings_have_defaults_until_they_are_chosen(store: Store):
    assert await store.guilds.get(GUILD) == GuildSettings(guild_id=GUILD)
    chosen = GuildSettings(guild_id=GUILD, locale="de", polite=True, variant="karma", nudge_seconds=0)
    await store.guilds.put(GuildSettings(guild_id=GUILD), chosen)
    await store.guilds.put(chosen, chosen.but(polite=False))
    assert await store.guilds.get(GUILD) == chosen.but(polite=False)


async def test_settings_are_those_of_one_server_alone(store: Store):
    other = GuildSettings(guild_id=12)
    await store.guilds.put(other, other.but(locale="de"))
    usual = GuildSettings(guild_id=GUILD)
    await store.guilds.put(usual, usual.but(locale="fr"))
    await store.guilds.set_left(GUILD, NOW)
    assert await store.guilds.get(12) == other.but(locale="de")
    await store.guilds.set_left(12, NOW)
    await store.guilds.set_left(GUILD, None)
    assert await store.guilds.known() == {12: NOW, GUILD: None}


async def test_only_changed_settings_are_written(store: Store):
    shown = GuildSettings(guild_id=GUILD)
    await store.guilds.put(shown, shown.but(locale="de"))
    await store.guilds.put(shown, shown.but(polite=True))
    await store.guilds.set_left(GUILD, NOW)
    await store.guilds.put(shown, shown.but(nudge_seconds=0))
    wanted = GuildSettings(guild_id=GUILD, locale="de", polite=True, nudge_seconds=0)
    assert await store.guilds.get(GUILD) == wanted
    assert await store.guilds.known() == {GUILD: NOW}


async def test_a_server_that_is_back_or_was_left_too_recently_is_not_forgotten(store: Store):
    made = await debt(store, ANN, (BOB,))
    await store.guilds.set_left(GUILD, NOW)
    assert not await store.guilds.forget(GUILD, NOW)
    await store.guilds.set_left(GUILD, None)
    assert not await store.guilds.forget(GUILD, NOW + timedelta(days=1))
    assert await open_debts(store, GUILD) == [made]


async def test_forgetting_a_server_deletes_all_its_rows_and_no_others(store: Store):
    await debt(store, ANN, (BOB,))
    kept = await debt(store, ANN, (BOB,), guild=12)
    await store.guilds.set_left(GUILD, NOW)
    assert await store.guilds.known() == {12: None, GUILD: NOW}
    assert not await store.guilds.forget(12, NOW + timedelta(seconds=1))
    await store.guilds.set_left(12, NOW)
    assert await store.guilds.forget(GUILD, NOW + timedelta(seconds=1))
    assert await store.guilds.known() == {12: NOW}
    for name, rows in (await stored_rows(store.database)).items():
        assert GUILD not in {row["guild_id"] for row in rows}, name
    assert await open_debts(store, 12) == [kept]


async def test_ids_of_clicks_are_forgotten_after_a_while(store: Store):
    await debt(store, ANN, (BOB,), interaction=7)
    await store.clicks.forget(NOW)
    assert await store.clicks.was_applied(GUILD, 7)
    await store.clicks.forget(NOW + timedelta(seconds=1))
    assert not await store.clicks.was_applied(GUILD, 7)
