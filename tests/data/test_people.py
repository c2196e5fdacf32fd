"""Ended games, statistics and people: what is found again, and what remains of a person who is forgotten."""

import asyncio
import json
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from data import people_rows
from data.database import Database
from data.errors import ConflictError, UnavailableError
from data.game_models import Feat, Losses, Played, Result, StoredMove
from data.guild_models import HouseRule, Preferences
from data.models import Change, Match, MatchLine, Player, Table
from data.packed import Packed, packed_text, unpack
from data.schema import UtcTime, games, metadata
from data.store import Store
from data.tea_models import TeaDebt
from game.rules import Rules
from testkit.debts import new_debt
from testkit.found import instance_of
from testkit.stored import connected, execute, open_debts, put_preferences, stored_rows, stored_table

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GUILD, CHANNEL = 1 << 60, 22
ANN, BOB, CY = 31234567890123456, 41234567890123456, 51234567890123456
SECRET = "ab" * 32


async def begun(store: Store, id_=1, *, guild=GUILD, channel=CHANNEL, at=NOW, hints=True):
    """A game of Ann, Bob and a computer that was just dealt."""
    seated = ((ANN, "Ann"), (BOB, "Bob"), (None, "Clara"))
    players = tuple(Player(user_id=user, name=name, joined_by=id_ + n) for n, (user, name) in enumerate(seated))
    key = {"id": id_, "guild_id": guild, "channel_id": channel, "host_id": ANN}
    table = Table(**key, players=players, rules=Rules(), seats=6, created_at=at, hints=hints)
    await store.tables.open(table, SECRET, id_)
    deal = {"rules": Rules().model_dump(mode="json"), "seats": 3, "dealer": 1, "pack": "2c 3c"}
    after = table.but(revision=1, status="playing", started_at=at)
    await store.tables.save(Change(before=table, after=after, at=at, interaction_id=id_ + 10, deal=deal))
    return after


async def finished(store: Store, id_=1, *, lost=ANN, **options):
    """Such a game, played to its end in one move; the loser owes the other person."""
    table = await begun(store, id_, **options)
    won = BOB if lost == ANN else ANN
    at = options.get("at", NOW) + timedelta(minutes=5)
    after = table.but(revision=2, status="over", ended_at=at, secret=SECRET)
    await store.tables.save(
        Change(
            before=table,
            after=after,
            at=at,
            interaction_id=id_ + 11,
            new_secret="cd" * 32,
            move=StoredMove(1, 0, "play 2c", 2, at),
            result=Result((won, None, lost), shithead=3, winner=None, moves=1, levels=(None,) * 3, variant="classic"),
            debt=new_debt(table, lost, (won,), at=at),
        )
    )
    return after


async def everything(database: Database):
    """All rows of all tables, as one text."""
    found = (await stored_rows(database)).values()
    return json.dumps([tuple(row.values()) for rows in found for row in rows], default=str)


async def test_a_running_game_is_no_past_game(store: Store):
    await begun(store)
    assert await store.games.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN) == []
    assert await store.games.past(GUILD, 1, 1) is None


async def test_an_ended_game_is_found_with_all_its_data(store: Store):
    table = await finished(store)
    found = await store.games.past(GUILD, 1, 1)
    assert (found.number, found.game.secret, found.game.joiners) == (1, SECRET, (1, 2, 3))
    assert [(each.move, each.revision) for each in found.game.moves] == [("play 2c", 2)]
    assert found.game.places == (BOB, None, ANN)
    assert found.table.id == table.id
    assert await store.games.past(GUILD + 1, 1, 1) is None
    assert await store.games.past(GUILD, 1, 2) is None


async def test_games_of_the_channel_and_own_games_elsewhere_are_listed_newest_first(store: Store):
    for n in range(3):
        await finished(store, 100 * (n + 1), channel=CHANNEL + n, at=NOW + timedelta(hours=n))
    await finished(store, 900, guild=GUILD + 1)
    assert [line.table_id for line in await store.games.latest(GUILD, 9, channel_id=CHANNEL, user_id=ANN)] == [
        300,
        200,
        100,
    ]
    assert [line.table_id for line in await store.games.latest(GUILD, 9, channel_id=CHANNEL, user_id=CY)] == [100]
    assert [line.table_id for line in await store.games.latest(GUILD, 1, channel_id=CHANNEL, user_id=ANN)] == [300]
    assert (await store.games.latest(GUILD, 9, channel_id=CHANNEL, user_id=CY))[0].moves == 1


async def test_standings_leave_out_people_who_opted_out(store: Store):
    await finished(store, 100, lost=ANN)
    await finished(store, 200, lost=BOB, at=NOW + timedelta(hours=1))
    assert set(await store.scores.losses(GUILD)) == {Losses(ANN, 2, 1), Losses(BOB, 2, 1)}
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=BOB, uncounted=True))
    await put_preferences(store, Preferences(guild_id=GUILD + 1, user_id=ANN, uncounted=True))
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=CY, uncounted=True))
    assert await store.scores.losses(GUILD) == [Losses(ANN, 2, 1)]


async def test_games_count_in_their_own_server_alone(store: Store):
    await finished(store, 100, lost=ANN, hints=False)
    await finished(store, 900, lost=ANN, hints=False, guild=GUILD + 1, at=NOW + timedelta(hours=1))
    assert (await store.scores.rated(GUILD))[0] == 1
    assert [each.table_id for each in await store.scores.finishes(GUILD, 1)] == [100] * 3
    assert set(await store.scores.losses(GUILD)) == {Losses(ANN, 1, 1), Losses(BOB, 1, 0)}
    assert len(await store.scores.played(GUILD, ANN)) == 1
    assert await store.scores.without_feats(GUILD, ANN, 9) == [(100, 1, 3)]


async def test_feats_are_counted_once(store: Store):
    await finished(store, 100, lost=ANN)
    assert await store.scores.without_feats(GUILD, ANN, 9) == [(100, 1, 3)]
    feats = [Feat(1, 5, 20), Feat(2, 6, 21), Feat(3, 30, 40)]
    for _ in range(2):
        await store.scores.put_feats(GUILD, 100, 1, feats)
    assert await store.scores.without_feats(GUILD, ANN, 9) == []
    assert await store.scores.played(GUILD, ANN) == [Played(lost=True, most_held=30, turns=40)]
    assert await store.scores.played(GUILD, BOB) == [Played(lost=False, most_held=5, turns=20)]


async def test_counting_the_same_game_several_times_at_once_does_not_fail(store: Store):
    await finished(store, 100, lost=ANN)
    feats = [Feat(place, 5, 20) for place in (1, 2, 3)]
    await asyncio.gather(*(store.scores.put_feats(GUILD, 100, 1, feats) for _ in range(6)))
    assert await store.scores.played(GUILD, ANN) == [Played(lost=True, most_held=5, turns=20)]


async def test_a_row_that_the_database_rejects_is_a_store_error(store: Store):
    nowhere = 987_654_321_012  # longer than what the number in the name of the test's database may hold by chance
    with pytest.raises(UnavailableError, match="failed") as refused:
        await store.scores.put_feats(GUILD, nowhere, 1, [Feat(1, 5, 20)])
    assert str(nowhere) not in str(refused.value)


async def test_preferences_are_stored_by_server(store: Store):
    assert await store.people.get(GUILD, ANN) == Preferences(guild_id=GUILD, user_id=ANN)
    chosen = Preferences(guild_id=GUILD, user_id=ANN, text_mode=True, quiet=True)
    await put_preferences(store, chosen)
    assert await store.people.get(GUILD, ANN) == chosen
    assert not (await store.people.get(GUILD + 1, ANN)).text_mode


async def test_an_export_has_everything_about_a_person_and_nothing_else(store: Store):
    await finished(store, 100, lost=ANN)
    await finished(store, 200, guild=GUILD + 1, lost=BOB)
    chosen = Preferences(guild_id=GUILD, user_id=ANN, quiet=True)
    await put_preferences(store, chosen)
    found = await store.people.stored(ANN)
    assert set(found) == {GUILD, GUILD + 1}
    here = found[GUILD]
    assert here["chosen"] == [{**chosen.model_dump(exclude={"guild_id", "user_id"}), "digest_at": None}]
    assert [(row["seat"], row["host"], row["joined_by"]) for row in here["tables"]] == [(0, True, 100)]
    made_at = NOW + timedelta(minutes=5)
    assert [(row["status"], row["started_at"], row["ended_at"]) for row in here["tables"]] == [("over", NOW, made_at)]
    move = {"table_id": 100, "game": 1, "n": 1, "seat": 0, "move": "play 2c", "made_at": made_at}
    assert here["moves"] == [{**move, "own": True}]
    assert [(row["place"], row["shithead"]) for row in here["results"]] == [(3, 3)]
    assert [row["state"] for row in here["owes"]] == ["owed"]
    assert [(row["state"], row["forgives"]) for row in found[GUILD + 1]["is_owed"]] == [("owed", False)]
    assert str(BOB) not in json.dumps(found, default=str)
    assert SECRET not in json.dumps(found, default=str)


async def test_a_forgotten_person_is_in_no_row_and_others_lose_nothing(store: Store, database: Database):
    await finished(store, 100, lost=ANN)
    await finished(store, 200, guild=GUILD + 1, lost=BOB)
    owed = (await open_debts(store, GUILD))[0]
    served = owed.but(state="served", deed="served", changes=2)
    await store.tea.save(owed, served, BOB, NOW, interaction_id=7)
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=ANN, quiet=True))
    assert sorted(await store.people.forget(ANN)) == [(GUILD, 100), (GUILD + 1, 200)]
    assert str(ANN) not in await everything(database)
    assert await store.people.stored(ANN) == {}
    debt = (await store.tea.newest(GUILD, 9))[0]
    assert (debt.debtor_id, debt.creditor_ids, debt.state) == (-1, (BOB,), "served")
    assert (await open_debts(store, GUILD + 1))[0].creditor_ids == (-1,)
    table = await stored_table(store, 100, GUILD)
    assert (table.host_id, table.players[0].user_id, table.players[0].left) == (-1, -1, True)
    assert (await store.games.past(GUILD, 100, 1)).game.places == (BOB, None, -1)
    assert await store.scores.losses(GUILD) == [Losses(BOB, 1, 0)]


async def test_a_forgotten_person_is_in_no_byte_of_the_files(tmp_path):
    store = await Store.open(f"sqlite:///{tmp_path}/test.sqlite3")
    await finished(store)

    def traces():
        return [file.name for file in tmp_path.iterdir() if ANN.to_bytes(8) in file.read_bytes()]

    assert traces() == ["test.sqlite3-wal"]
    await store.people.forget(ANN)
    assert traces() == []
    await store.close()


async def test_a_person_who_left_a_match_can_export_it_and_is_forgotten_in_it(store: Store, database: Database):
    table = await finished(store, 100, lost=BOB)
    lines = (
        MatchLine(user_id=BOB, places=(3, 2), lost=(1,)),
        MatchLine(user_id=CY, left=True, places=(1, 0)),
        MatchLine(user_id=None, places=(2, 1)),
    )
    after = table.but(revision=3, match=Match(target=3), standings=lines)
    await store.tables.save(Change(before=table, after=after, at=NOW))
    (told,) = (await store.people.stored(CY))[GUILD]["tables"]
    assert (told["seat"], told["match"]["target"], told["match_places"], told["match_lost"]) == (None, 3, [1, 0], [])
    before = await stored_table(store, 100)
    assert await store.people.forget(CY) == [(GUILD, 100)]
    assert str(CY) not in await everything(database)
    forgotten = await stored_table(store, 100)
    assert forgotten.revision == before.revision + 1  # otherwise a stale copy with the name could be stored
    found = forgotten.standings
    assert [(line.user_id, line.places) for line in found] == [(BOB, (3, 2)), (-1, (1, 0)), (None, (2, 1))]


async def test_an_export_has_the_name_of_somebody_who_left_a_match_while_its_table_is_open(store: Store):
    table = await begun(store)
    left = MatchLine(user_id=CY, name="Cy", left=True, places=(1,))
    after = table.but(revision=2, match=Match(target=3), standings=(left,))
    await store.tables.save(Change(before=table, after=after, at=NOW))
    (told,) = (await store.people.stored(CY))[GUILD]["tables"]
    assert (told["name"], told["match_name"], told["match_left"]) == (None, "Cy", True)


async def test_the_statement_in_the_guide_has_a_server_that_the_bot_left_deleted_at_once(
    store: Store, database: Database
):
    page = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text(encoding="utf-8")
    (statement,) = re.findall(r"```sql\n(UPDATE guilds .*)\n```", page)
    await finished(store)
    statement = statement.replace("= ID", f"= {GUILD}")
    long_ago = NOW - timedelta(days=30)
    await execute(database, statement)
    assert not await store.guilds.forget(GUILD, long_ago), "the bot is still in it"
    await store.guilds.set_left(GUILD, NOW)
    await execute(database, statement)
    assert list(await store.guilds.known(left_before=long_ago)) == [GUILD]
    assert await store.guilds.forget(GUILD, long_ago)


async def test_forgetting_a_person_changes_nothing_of_others(store: Store, database: Database):
    def of_bob(found):
        rows = [row for name in ("preferences", "players", "standings") for row in found[name] if row["user_id"] == BOB]
        return [*rows, *(row for row in found["tables"] if row["host_id"] == BOB)]

    await finished(store, 100)
    bob, line = Player(user_id=BOB, name="Bob", joined_by=1), MatchLine(user_id=BOB, name="Bob")
    key = {"id": 500, "guild_id": GUILD, "channel_id": CHANNEL + 1, "host_id": BOB}
    match = {"match": Match(target=3), "standings": (line,)}
    table = Table(**key, **match, players=(bob,), rules=Rules(), seats=6, created_at=NOW)
    await store.tables.open(table, SECRET, 500)
    for user in (ANN, BOB):
        await put_preferences(store, Preferences(guild_id=GUILD, user_id=user, text_mode=True))
    before = of_bob(await stored_rows(database))
    assert len(before) == 5
    assert await store.people.forget(ANN)
    assert of_bob(await stored_rows(database)) == before


def forgetting(store: Store, _owed):
    return store.people.forget(BOB)


def serving(store: Store, owed: TeaDebt):
    return store.tea.save(owed, owed.but(state="served", deed="served", changes=2), BOB, NOW, interaction_id=7)


@pytest.mark.parametrize(("doing", "after"), [(forgetting, "players"), (serving, "tea_debts")])
async def test_on_postgresql_what_concerns_a_table_waits_for_it_before_it_locks_anything_else(
    patient_url, doing, after
):
    store = await Store.open(patient_url)
    await store.tables.place(await finished(store, 100), message_id=1)
    ((owed,), blocked) = await open_debts(store, GUILD), sa.text("SELECT 1 FROM pg_locks WHERE NOT granted")
    async with connected(store.database) as other, other.begin():
        await other.execute(sa.text("UPDATE tables SET revision = revision"))  # as a rematch begins
        waiting = asyncio.create_task(doing(store, owed))
        while not (await other.execute(blocked)).all():
            assert not waiting.done()
        await other.execute(sa.text(f"UPDATE {after} SET guild_id = guild_id"))  # otherwise each waits for the other
    await waiting
    await store.close()


async def test_on_postgresql_nobody_is_forgotten_at_a_table_whose_rematch_begins_meanwhile(postgres_url):
    store, blocked = await Store.open(postgres_url), sa.text("SELECT 1 FROM pg_locks WHERE NOT granted")
    table = await finished(store, 100)
    async with connected(store.database) as other, other.begin():
        await other.execute(sa.text("UPDATE tables SET status = 'lobby', revision = revision + 1"))
        forgetting = asyncio.create_task(store.people.forget(ANN))
        while not (await other.execute(blocked)).all():
            assert not forgetting.done()
    assert instance_of(Table, await forgetting).id == table.id
    assert [player.user_id for player in (await stored_table(store, table.id)).players] == [ANN, BOB, None]
    await store.close()


def forgiving(store: Store, owed: TeaDebt):
    after = owed.but(forgiven_by=(BOB,), deed="forgiven", changes=2)  # others have yet to agree
    return store.tea.save(owed, after, BOB, NOW, interaction_id=7)


@pytest.mark.parametrize("change", [serving, forgiving])
async def test_on_postgresql_a_debt_waits_for_somebody_in_it_to_be_forgotten(postgres_url, change):
    store = await Store.open(postgres_url)
    await finished(store, 100)
    ((owed,), blocked) = await open_debts(store, GUILD), sa.text("SELECT 1 FROM pg_locks WHERE NOT granted")
    async with connected(store.database) as other, other.begin():
        await other.execute(sa.text("SELECT 1 FROM players FOR UPDATE"))  # forgetting needs them, after the debts
        forgetting = asyncio.create_task(store.people.forget(BOB))
        while not (await other.execute(blocked)).all():
            assert not forgetting.done()
        changing = asyncio.create_task(change(store, owed))
        while not changing.done() and len((await other.execute(blocked)).all()) == 1:
            pass
    with pytest.raises(ConflictError):
        await changing
    await forgetting
    assert await store.people.stored(BOB) == {}
    await store.close()


async def test_two_forgotten_people_of_one_debt_get_different_ids(store: Store):
    await finished(store, 100, lost=ANN)
    await store.people.forget(BOB)
    await store.people.forget(ANN)
    debt = (await open_debts(store, GUILD))[0]
    assert (debt.debtor_id, debt.creditor_ids) == (-2, (-1,))


async def test_forgetting_keeps_track_of_which_messages_are_up_to_date(store: Store):
    drawn, undrawn = await finished(store, 100), await finished(store, 200, channel=2)
    await store.tables.mark_drawn([drawn])
    await store.people.forget(ANN)
    assert [(await stored_table(store, each.id)).revision - each.revision for each in (drawn, undrawn)] == [1, 1]
    assert await store.tables.undrawn_ids() == ((GUILD, undrawn.id),)


async def test_nobody_is_forgotten_in_the_middle_of_a_game(store: Store):
    table = await begun(store)
    await store.tables.place(table, message_id=77)
    at = instance_of(Table, await store.people.forget(BOB))
    assert (at.guild_id, at.id, at.channel_id, at.message_id) == (GUILD, table.id, CHANNEL, 77)
    assert await store.people.forget(CY) == []


async def test_an_unreadable_game_is_listed_and_hides_no_other(store: Store, database: Database):
    for id_ in (100, 200):
        await finished(store, id_)
    await execute(database, sa.update(games).filter_by(table_id=100, game=1).values(packed="nonsense"))
    told = (await store.people.stored(ANN))[GUILD]["moves"]
    assert [(each["table_id"], each["n"], each["move"]) for each in told] == [
        (100, None, "unreadable"),
        (200, 1, "play 2c"),
    ]


@pytest.mark.parametrize("ends", [True, False])
async def test_times_that_cannot_be_read_are_exported_as_they_are_stored_and_hide_nothing(tmp_path, ends):
    """Only SQLite, where a time is a text, stores such a one."""
    store = await Store.open(f"sqlite:///{tmp_path}/test.sqlite3")
    if ends:
        await finished(store)
    else:
        table, move = await begun(store), StoredMove(1, 0, "play 2c", 2, NOW)
        await store.tables.save(Change(before=table, after=table.but(revision=2), at=NOW, interaction_id=9, move=move))
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=ANN, quiet=True))
    rules = HouseRule(guild_id=GUILD, name="Ours", variant="classic", rules=Rules(), saved_by=ANN, saved_at=NOW)
    await store.house_rules.save(rules)
    before = (await store.people.stored(ANN))[GUILD]
    times = [each for table in metadata.sorted_tables for each in table.c if isinstance(each.type, UtcTime)]
    await execute(store.database, *(f"UPDATE {each.table.name} SET {each.name} = 'noon'" for each in times))
    after = (await store.people.stored(ANN))[GUILD]
    await store.close()
    read = {kind: [_without_times(row) for row in rows] for kind, rows in before.items()}
    assert {kind: [_without_times(row) for row in rows] for kind, rows in after.items()} == read
    assert [(row["created_at"], row["started_at"]) for row in after["tables"]] == [("noon", "noon")]
    assert [row["n"] for row in after["moves"]] == [1]


def _without_times(row):
    return {name: value for name, value in row.items() if name[-3:] != "_at"}


@pytest.mark.parametrize("joiners", [[1, 2], 5, None])
async def test_a_move_that_nobody_can_have_made_is_left_out_and_hides_no_other(
    store: Store, database: Database, joiners
):
    for id_ in (100, 200):
        await finished(store, id_)
    damaged = packed_text(Packed({}, "", (StoredMove(1, 7, "play 2c", 1, NOW),)))
    await execute(database, sa.update(games).filter_by(table_id=100, game=1).values(packed=damaged, joiners=joiners))
    assert [each["table_id"] for each in (await store.people.stored(ANN))[GUILD]["moves"]] == [200]


async def test_moves_are_unpacked_in_a_thread_of_their_own(store: Store, monkeypatch):
    """With PostgreSQL a read runs in the event loop, which thousands of games would hold for seconds."""
    await finished(store, 100)
    threads = []

    def noting(text):
        threads.append(threading.current_thread())
        return unpack(text)

    monkeypatch.setattr(people_rows, "unpack", noting)
    await store.people.stored(ANN)
    assert threads
    assert threading.main_thread() not in threads


async def test_a_forgotten_server_leaves_no_row(store: Store, database: Database):
    await finished(store, 100)
    await store.scores.put_feats(GUILD, 100, 1, [Feat(1, 5, 20)])
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=ANN))
    await store.guilds.set_left(GUILD, NOW)
    assert await store.guilds.forget(GUILD, NOW + timedelta(1))
    assert str(GUILD) not in await everything(database)


async def test_a_server_with_only_preferences_or_only_house_rules_is_known(store: Store):
    await put_preferences(store, Preferences(guild_id=7, user_id=1))
    rule = HouseRule(guild_id=8, name="ours", variant="classic", rules=Rules(), saved_by=1, saved_at=NOW)
    await store.house_rules.save(rule)
    assert await store.guilds.known() == {7: None, 8: None}


async def test_a_digest_is_claimed_once_and_comes_back_a_day_later_in_all_servers(store: Store):
    day = timedelta(days=1)
    wants = [Preferences(guild_id=guild, user_id=ANN, digest=True, locale="de") for guild in (GUILD, GUILD + 1)]
    for nth, each in enumerate(wants):
        await put_preferences(store, each, NOW + nth * timedelta(hours=5))
    await put_preferences(store, Preferences(guild_id=GUILD, user_id=BOB), NOW)
    assert await store.people.digests_due(NOW - day) == {}
    assert await store.people.digests_due(NOW) == {ANN: NOW}
    claimed = await asyncio.gather(*(store.people.claim_digest(ANN, NOW, NOW + day) for _ in range(4)))
    assert sorted(map(len, claimed)) == [0, 0, 0, 2]
    assert await store.people.digests_due(NOW + timedelta(hours=23)) == {}
    assert await store.people.digests_due(NOW + day) == {ANN: NOW + day}
    await put_preferences(store, wants[0].but(quiet=True), NOW)
    assert await store.people.digests_due(NOW + timedelta(hours=23)) == {}


async def test_the_digest_of_one_person_leaves_those_of_others_alone(store: Store):
    for user in (ANN, BOB):
        await put_preferences(store, Preferences(guild_id=GUILD, user_id=user, digest=True, locale="de"), NOW)
    assert [each.user_id for each in await store.people.claim_digest(ANN, NOW, NOW + timedelta(days=1))] == [ANN]
    assert await store.people.digests_due(NOW) == {BOB: NOW}
    await store.people.digest_refused(ANN, NOW)
    assert (await store.people.get(GUILD, BOB)).refused_at is None
    later = NOW + timedelta(hours=1)
    assert await store.people.claim_digest(ANN, later, later) == []
    assert await store.people.digests_due(NOW) == {BOB: NOW}


async def test_a_refused_digest_is_recorded_until_one_arrives_or_it_is_turned_off(store: Store):
    wants = Preferences(guild_id=GUILD, user_id=ANN, digest=True)
    await put_preferences(store, wants, NOW)
    await store.people.digest_refused(ANN, NOW)
    assert (await store.people.get(GUILD, ANN)).refused_at == NOW
    await store.people.digest_refused(ANN, None)
    assert (await store.people.get(GUILD, ANN)).refused_at is None
    await store.people.digest_refused(ANN, NOW)
    await store.people.put(wants, wants.but(digest=False), first_digest=NOW)
    await put_preferences(store, wants, NOW)
    assert (await store.people.get(GUILD, ANN)).refused_at is None


async def test_two_choices_from_one_page_are_both_kept(store: Store):
    seen = await store.people.get(GUILD, ANN)
    await store.people.put(seen, seen.but(digest=True), first_digest=NOW)
    await store.people.put(seen, seen.but(four_colours=True), first_digest=NOW)
    assert await store.people.get(GUILD, ANN) == seen.but(digest=True, four_colours=True)
    assert await store.people.digests_due(NOW) == {ANN: NOW}


async def test_slow_games_of_a_person_are_found(store: Store):
    slow = await begun(store)
    after = slow.but(revision=2, pace="slow")
    await store.tables.save(Change(before=slow, after=after, at=NOW, interaction_id=77))
    await begun(store, 500, channel=CHANNEL + 1)
    assert await store.people.slow_tables(ANN) == [(GUILD, 1)]
    assert await store.people.slow_tables(CY) == []
    for unheard in (after.with_player(0, away=True), after.but(paused=True), after.but(status="lobby")):
        await store.tables.save(Change(before=after, after=(hidden := unheard.but(revision=3)), at=NOW))
        assert await store.people.slow_tables(ANN) == []
        await store.tables.save(Change(before=hidden, after=after, at=NOW))
    await store.tables.save(Change(before=after, after=after.but(revision=3).with_player(0, left=True), at=NOW))
    assert await store.people.slow_tables(ANN) == []
