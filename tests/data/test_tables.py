"""Tables, games and moves: the contract of the store, on both kinds of database."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import StatementError

from data.errors import ChannelTakenError, ConflictError, DoubledError, UnavailableError
from data.game_models import Result, StoredGame, StoredMove
from data.models import Change, Match, MatchLine, PastGame, Player, Table
from data.schema import tables
from data.store import Store
from game.rules import Rules
from game.variants import variants
from testkit.debts import new_debt
from testkit.stored import connected, execute, file_of, held, stored_game, stored_result, stored_table
from testkit.waiting import BUSY

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GUILD, CHANNEL, ANN, BOB = 1 << 60, 22, 33, 44
SECRET = "ab" * 32


def new_table(**changes):
    players = (Player(user_id=ANN, name="Ann", joined_by=1), Player(user_id=None, name="Computer", joined_by=2))
    values = {"id": 1, "guild_id": GUILD, "channel_id": CHANNEL, "host_id": ANN, "players": players, "rules": Rules()}
    times = {"created_at": NOW, "deadline": NOW + timedelta(minutes=15)}
    return Table(seats=6, **{**values, **times, **changes})


def following(table: Table, **changes):
    return table.but(revision=table.revision + 1, **changes)


async def opened(store: Store, interaction_id=1, **changes):
    table = new_table(id=interaction_id, **changes)
    await store.tables.open(table, SECRET, interaction_id)
    return table


def dealt(**changes):
    """The stored deal of a game of two, with some columns changed."""
    nobody = {"last_winner": None, "last_shithead": None}
    return {"rules": Rules().model_dump(mode="json"), "seats": 2, "dealer": 1, "pack": "2c 3c", **nobody, **changes}


async def playing(store: Store):
    table = await opened(store)
    deal = dealt(last_winner=0)
    after = following(table, status="playing", dealer=1, started_at=NOW)
    await store.tables.save(Change(before=table, after=after, at=NOW, interaction_id=2, deal=deal))
    return after


async def test_a_table_comes_back_as_it_was_stored(store: Store):
    table = await opened(store, forfeit="a biscuit", pace="slow", stretch=4, polite=True)
    assert await stored_table(store, table.id) == table
    assert await stored_table(store, table.id, GUILD) == table
    assert await stored_table(store, table.id, GUILD + 1) is None
    assert await stored_table(store, table.id + 1) is None


async def test_a_match_comes_back_without_the_names_of_leavers_after_the_game(store: Store):
    match = Match(kind="first-to", target=10, scoring="losses", variants=("reverse-first", "reverse-second"))
    lines = (
        MatchLine(user_id=ANN, places=(1, 2), lost=(2,)),
        MatchLine(user_id=BOB, name="Bob", left=True, places=(2, 0)),
    )
    table = await opened(store, match=match, standings=lines)
    assert await stored_table(store, table.id) == table
    over = following(table, status="over")
    await store.tables.save(Change(before=table, after=over, at=NOW))
    found = await stored_table(store, table.id)
    assert found.match == match
    assert found.standings == (lines[0], MatchLine(user_id=BOB, left=True, places=(2, 0)))
    again = following(over, status="playing", match=None, standings=())
    await store.tables.save(Change(before=over, after=again, at=NOW))
    assert (await stored_table(store, table.id)).match is None


async def test_of_two_matches_in_a_server_each_comes_back_with_its_own_standings(store: Store):
    lines = (MatchLine(user_id=ANN, places=(1,)), MatchLine(user_id=None, places=(2,)))
    for number, standings in enumerate((lines, lines[::-1]), 1):
        table = await opened(store, number, channel_id=number, match=Match(target=3), standings=standings)
        assert await stored_table(store, table.id) == table


async def test_the_rules_of_every_variant_come_back_equal(store: Store):
    for number, (name, each) in enumerate(variants().items(), start=1):
        table = await opened(store, number, channel_id=number, rules=each.rules)
        assert (await stored_table(store, table.id)).rules == each.rules, name


@pytest.mark.parametrize("id_", [0, -1, -(10**40), 10**60, 1 << 63])
async def test_an_impossible_id_finds_nothing(store: Store, id_):
    assert await stored_table(store, id_) is None


async def test_times_of_any_zone_come_back_in_utc(store: Store):
    east = NOW.astimezone(timezone(timedelta(hours=9)))
    table = await opened(store, started_at=east)
    found = (await stored_table(store, table.id)).started_at
    assert (found, found.utcoffset()) == (NOW, timedelta(0))


async def test_a_naive_time_is_refused(store: Store):
    with pytest.raises((ValueError, StatementError)):
        await opened(store, started_at=NOW.replace(tzinfo=None))


async def test_one_channel_has_one_open_table(store: Store):
    table = await opened(store)
    with pytest.raises(ChannelTakenError):
        await opened(store, interaction_id=2)
    await store.tables.save(Change(before=table, after=following(table, status="expired"), at=NOW))
    second = await opened(store, interaction_id=2)
    assert await store.tables.in_channel(GUILD, CHANNEL) == second.id
    with pytest.raises(ChannelTakenError):
        await store.tables.save(
            Change(before=following(table, status="expired"), after=following(following(table), status="lobby"), at=NOW)
        )


async def test_the_last_table_of_a_channel_is_found_when_none_is_open(store: Store):
    assert await store.tables.in_channel(GUILD, CHANNEL) is None
    ids = []
    for interaction in (1, 2):
        table = await opened(store, interaction_id=interaction)
        await store.tables.save(Change(before=table, after=following(table, status="stopped"), at=NOW))
        ids.append(table.id)
    assert await store.tables.in_channel(GUILD, CHANNEL) == ids[-1]


@pytest.mark.parametrize("ended", [{"started_at": NOW}, {"game": 2}], ids=["dealt", "its rematch was not"])
async def test_the_last_table_of_a_channel_is_also_found_among_those_that_were_ever_dealt(store: Store, ended):
    for interaction, changes in ((1, {"started_at": NOW}), (2, ended), (3, {})):
        table = await opened(store, interaction_id=interaction)
        closed = following(table, status="expired", **changes)
        await store.tables.save(Change(before=table, after=closed, at=NOW))
    assert await store.tables.in_channel(GUILD, CHANNEL, dealt=True) == 2
    assert await store.tables.in_channel(GUILD, CHANNEL) == 3


async def test_a_change_is_stored_only_at_the_revision_it_was_made_from(store: Store):
    table = await opened(store)
    after = following(table, forfeit="cake")
    await store.tables.save(Change(before=table, after=after, at=NOW))
    with pytest.raises(ConflictError):
        await store.tables.save(Change(before=table, after=following(table, forfeit="pie"), at=NOW))
    assert await stored_table(store, table.id) == after


async def test_f9_of_many_changes_of_one_revision_exactly_one_is_stored(store: Store):
    table = await opened(store)

    async def try_once(n):
        try:
            await store.tables.save(Change(before=table, after=following(table, forfeit=str(n)), at=NOW))
        except ConflictError:
            return 0
        return 1

    assert sum(await asyncio.gather(*map(try_once, range(8)))) == 1
    assert (await stored_table(store, table.id)).revision == 1


async def test_f11_an_interaction_is_applied_once(store: Store):
    table = await opened(store, interaction_id=5)
    with pytest.raises(DoubledError):
        await opened(store, interaction_id=5, channel_id=9)
    with pytest.raises(DoubledError):
        await store.tables.save(Change(before=table, after=following(table), at=NOW, interaction_id=5))
    assert await stored_table(store, table.id) == table
    assert await store.clicks.was_applied(GUILD, 5)
    assert not await store.clicks.was_applied(GUILD, 6)
    assert not await store.clicks.was_applied(GUILD + 1, 5)


async def test_a_deal_and_its_moves_come_back_in_order(store: Store):
    table = await playing(store)
    for number, text in enumerate(("play 2c", "timeout", "pickup"), start=1):
        made = StoredMove(number, None if text == "timeout" else 1, text, table.revision + 1, NOW)
        change = Change(before=table, after=following(table), at=NOW, move=made, interaction_id=number + 10)
        await store.tables.save(change)
        table = change.after
    game = await stored_game(store, table, 1)
    assert (game.secret, game.joiners, game.deal, game.places) == (SECRET, (1, 2), dealt(last_winner=0), ())
    assert [(each.number, each.seat, each.move, each.revision) for each in game.moves] == [
        (1, 1, "play 2c", 2),
        (2, None, "timeout", 3),
        (3, 1, "pickup", 4),
    ]
    assert await store.clicks.was_applied(GUILD, 13)


async def test_f11_a_move_delivered_twice_is_stored_once(store: Store):
    table = await playing(store)
    made = StoredMove(1, 0, "pickup", 1 + 1, NOW)
    after = following(table)
    await store.tables.save(Change(before=table, after=after, at=NOW, move=made, interaction_id=50))
    twice = StoredMove(2, 0, "pickup", 2 + 1, NOW)
    with pytest.raises(DoubledError):
        await store.tables.save(Change(before=after, after=following(after), at=NOW, move=twice, interaction_id=50))
    assert [each.move for each in (await stored_game(store, table, 1)).moves] == ["pickup"]
    assert (await stored_table(store, table.id)).revision == 2


@pytest.mark.parametrize("is_packed", [False, True])
async def test_a_move_that_the_computer_made_is_no_click_of_the_player_though_the_click_for_it_is_known(
    store: Store, is_packed
):
    table = await playing(store)
    for number, (own, click) in enumerate(((True, 51), (False, 52), (False, None), (True, 53)), start=1):
        made, after = StoredMove(number, 0, "pickup", number + 1, NOW, own), following(table)
        await store.tables.save(Change(before=table, after=after, at=NOW, move=made, interaction_id=click))
        table = after
    if is_packed:
        after = following(table, status="stopped")
        await store.tables.save(Change(before=table, after=after, at=NOW))
    assert [each.own for each in (await stored_game(store, table, 1)).moves] == [True, False, False, True]
    assert all([await store.clicks.was_applied(GUILD, click) for click in (51, 52, 53)])


async def test_f11_a_click_for_which_the_computer_moved_makes_one_move(store: Store):
    table = await playing(store)
    after = following(table)
    made = StoredMove(1, 0, "pickup", 2, NOW, own=False)
    await store.tables.save(Change(before=table, after=after, at=NOW, move=made, interaction_id=50))
    again = replace(made, number=2, revision=3)
    with pytest.raises(DoubledError):
        await store.tables.save(Change(before=after, after=following(after), at=NOW, move=again, interaction_id=50))
    assert len((await stored_game(store, table, 1)).moves) == 1


async def test_secrets_are_kept_for_each_game(store: Store):
    table = await playing(store)
    assert (await store.games.with_table(table.id, GUILD)).secret == SECRET
    after = following(table, status="stopped", secret=SECRET)
    await store.tables.save(Change(before=table, after=after, at=NOW, new_secret="cd" * 32))
    assert (await store.games.with_table(table.id, None)).secret == "cd" * 32
    assert await stored_game(store, after, 2) is None


async def test_a_game_that_ends_leaves_result_and_debt_and_no_names(store: Store):
    table = await playing(store)
    result = Result((BOB, None, ANN), shithead=3, winner=1, moves=9, levels=(None, "fair", None), variant="classic")
    debt = new_debt(table, ANN, (BOB,), "cake", NOW)
    after = following(table, status="over", ended_at=NOW)
    made = await store.tables.save(Change(before=table, after=after, at=NOW, result=result, debt=debt))
    assert await stored_result(store, table, 1) == result
    assert (await stored_game(store, table, 1)).places == result.places
    assert await stored_game(store, table, 2) is None
    owed = await store.tea.of_game(table, 1)
    assert owed == made
    assert (owed.debtor_id, owed.creditor_ids, owed.forfeit, owed.table_id) == (ANN, (BOB,), "cake", table.id)
    found = await stored_table(store, table.id)
    assert [player.name for player in found.players] == ["", "Computer"]


async def test_nothing_of_a_change_is_stored_when_a_part_of_it_fails(store: Store):
    table = await playing(store)
    result = Result((ANN,), shithead=None, winner=None, moves=0, levels=(None,), variant="classic")
    bad = new_debt(table, ANN, (BOB, BOB))
    change = Change(before=table, after=following(table, status="over"), at=NOW, result=result, debt=bad)
    with pytest.raises(UnavailableError):
        await store.tables.save(change)
    assert await stored_table(store, table.id) == table
    assert await stored_result(store, table, 1) is None


async def test_a_table_that_nobody_has_seen_is_removed_alone(store: Store):
    unseen, other = await opened(store), await opened(store, interaction_id=2, channel_id=8)
    await store.tables.remove(unseen)
    assert await stored_table(store, unseen.id) is None
    assert await stored_table(store, other.id) == other


async def test_a_table_that_cannot_be_read_is_closed_alone(store: Store):
    unread, other = await opened(store), await opened(store, interaction_id=2, channel_id=8)
    ended = await opened(store, interaction_id=3, channel_id=9, status="stopped")
    for table in (unread, ended):
        await store.tables.close_unread(GUILD, table.id)
    found = await stored_table(store, unread.id)
    assert (found.status, [player.name for player in found.players]) == ("aborted", ["", "Computer"])
    assert (await stored_table(store, ended.id)).status == "stopped"
    assert await stored_table(store, other.id) == other


async def test_tables_of_a_host_that_ended_without_a_result_are_counted(store: Store):
    began = await playing(store)
    result = Result((ANN, None), shithead=1, winner=None, moves=0, levels=(None, None), variant="classic")
    await store.tables.save(Change(before=began, after=following(began, status="over"), at=NOW, result=result))
    hour = timedelta(hours=1)
    other_times = ({"created_at": NOW - hour}, {"created_at": NOW + hour})
    for number, changes in enumerate(({}, {"host_id": BOB}, {"guild_id": 5}, *other_times), 10):
        await opened(store, interaction_id=number, status="stopped", **changes)
    newest = await opened(store, interaction_id=20)
    assert await store.tables.count_unfinished(newest, hour) == 1


async def test_messages_of_tables_that_were_closed_without_a_game_are_found_in_their_channel(store: Store):
    unposted = ({"message_id": None}, {"message_id": 0})  # for 0, the painter looks first whether it was posted
    elsewhere = ({"channel_id": 8}, {"guild_id": 5}, *unposted, {"started_at": NOW})
    for number, changes in enumerate(({}, *elsewhere), 10):
        await opened(store, interaction_id=number, **{"status": "stopped", "message_id": 100 + number, **changes})
    closed = await opened(store, interaction_id=20, status="stopped", message_id=120)
    await opened(store, interaction_id=21, message_id=121)
    assert await store.tables.undealt_messages(closed) == {10: 110}


async def test_a_table_rests_until_its_deadline_in_the_lobby_or_where_only_people_play(store: Store):
    ann, bob = (Player(user_id=user, name="x", joined_by=1) for user in (ANN, BOB))
    others = (bob, bob.but(left=True), bob.but(away=True), new_table().players[1])
    for number, other in enumerate(others, 10):
        await opened(store, interaction_id=number, channel_id=number, status="playing", players=(ann, other))
    await opened(store, interaction_id=20)
    await opened(store, interaction_id=21, channel_id=21, deadline=NOW)
    await opened(store, interaction_id=22, status="stopped", players=(ann, bob))
    assert {table.id for table, _ in await store.tables.resting(NOW + timedelta(minutes=1))} == {10, 20}


async def test_open_tables_are_counted_and_listed(store: Store):
    table = await opened(store)
    other = await opened(store, interaction_id=2, channel_id=8, host_id=BOB)
    away = await opened(store, interaction_id=3, guild_id=5)
    assert await store.tables.open_in(GUILD) == (table.id, other.id)
    assert await store.tables.open_in(GUILD, host_id=BOB) == (other.id,)
    assert set(await store.tables.open_ids()) == {(GUILD, table.id), (GUILD, other.id), (5, away.id)}
    await store.tables.save(Change(before=table, after=following(table, status="aborted"), at=NOW))
    assert set(await store.tables.open_ids()) == {(GUILD, other.id), (5, away.id)}


async def test_the_tables_in_use_at_which_somebody_sits_are_listed_for_their_server(store: Store):
    ann, bob = (Player(user_id=user, name="x", joined_by=1) for user in (ANN, BOB))
    for number, guild_id, players in ((11, GUILD, (bob.but(left=True),)), (10, GUILD, (ann, bob)), (12, 5, (bob,))):
        await opened(store, interaction_id=number, channel_id=number, guild_id=guild_id, players=players)
    await opened(store, interaction_id=13, channel_id=13, status="stopped", players=(bob,))
    assert await store.tables.at_which_sits(GUILD, BOB) == ((GUILD, 10), (GUILD, 11))
    assert await store.tables.at_which_sits(GUILD, ANN) == ((GUILD, 10),)


async def test_f31_a_table_is_undrawn_until_its_current_revision_was_shown(store: Store):
    table = await opened(store)
    assert await store.tables.undrawn_ids() == ((GUILD, table.id),)
    await store.tables.mark_drawn([table])
    assert await store.tables.undrawn_ids() == ()
    after = following(table)
    await store.tables.save(Change(before=table, after=after, at=NOW))
    await store.tables.mark_drawn([table])
    assert await store.tables.undrawn_ids() == ((GUILD, table.id),)
    await store.tables.mark_drawn([after])
    assert await store.tables.undrawn_ids() == ()
    # A reminder keeps the revision, as it makes no button stale; but the message looks different.
    await store.tables.save(Change(before=after, after=after.but(nudged=True), at=NOW))
    assert await store.tables.undrawn_ids() == ((GUILD, table.id),)


async def test_on_postgresql_two_who_draw_the_same_tables_in_another_order_both_record_it(patient_url):
    store = await Store.open(patient_url)
    first, held, last = [await opened(store, interaction_id=n, channel_id=n) for n in (1, 2, 3)]
    blocked = sa.text("SELECT 1 FROM pg_locks WHERE NOT granted")
    async with connected(store.database) as other, other.begin():
        await other.execute(sa.text("SELECT 1 FROM tables WHERE id = 2 FOR UPDATE"))
        drawing = [store.tables.mark_drawn(those) for those in ([first, held, last], [last, held, first])]
        waiting = [asyncio.create_task(each) for each in drawing]
        while len((await other.execute(blocked)).all()) < len(waiting):
            assert not any(each.done() for each in waiting)
    await asyncio.gather(*waiting)
    assert await store.tables.undrawn_ids() == ()
    await store.close()


async def test_placing_a_message_does_not_change_the_revision(store: Store):
    table = await opened(store)
    await store.tables.place(table, message_id=77, placed_at=NOW)
    assert await stored_table(store, table.id) == table.but(message_id=77, placed_at=NOW)


async def test_a_stored_table_is_there_after_reopening(database_url):
    store = await Store.open(database_url)
    table = await opened(store)
    await store.close()
    store = await Store.open(database_url)
    assert await stored_table(store, table.id) == table
    await store.close()


async def test_no_repr_shows_cards_or_secrets():
    made = StoredMove(1, 0, "play Ks", 3, NOW)
    change = Change(
        before=new_table(), after=new_table(), at=NOW, new_secret=SECRET, deal=dealt(pack="Ks Qd"), move=made
    )
    game = StoredGame(SECRET, dealt(pack="Ks Qd"), (1, 2), (made,))
    for text in map(repr, (made, change, game, PastGame(new_table(), 1, game))):
        assert "Ks" not in text
        assert SECRET not in text


async def test_f34_a_locked_database_is_unavailable_and_nothing_is_stored(tmp_path):
    url = f"sqlite:///{tmp_path}/x.sqlite3"
    holder, store = await Store.open(url), await Store.open(url, busy_seconds=0.01)
    table = await opened(holder)
    with held(file_of(holder.database)):
        with pytest.raises(UnavailableError, match="locked"):
            await store.tables.save(Change(before=table, after=following(table), at=NOW))
        assert await stored_table(store, table.id) == table
    await store.tables.save(Change(before=table, after=following(table), at=NOW))
    await holder.close()
    await store.close()


async def test_sqlite_is_durable_and_checks_foreign_keys(tmp_path, real_budgets):
    store = await Store.open(f"sqlite:///{tmp_path}/x.sqlite3", busy_seconds=real_budgets[BUSY])
    pragmas = ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")

    def asked(connection):
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in pragmas]

    for way in (store.database.read, store.database.write):
        assert await way(asked) == ["wal", 2, 5000, 1]
    await store.close()


async def test_an_id_that_fits_no_column_finds_no_table(store: Store):
    table = await opened(store, 2**63 - 1)
    found = await store.games.with_table(table.id, None)
    assert found.table.id == 9_223_372_036_854_775_807
    for forged in (0, -1, 2**63, 2**63 + 1, 2**64):
        assert await store.games.with_table(forged, None) is None


async def test_while_a_large_server_is_forgotten_others_can_change_something(store: Store):
    await opened(store)
    (row,) = await execute(store.database, sa.select(tables))
    closed = [{**row._mapping, "id": number, "status": "expired"} for number in range(2, 1_002)]
    await store.database.write(lambda connection: connection.execute(sa.insert(tables), closed).close())
    await store.guilds.set_left(GUILD, NOW)
    forgetting = asyncio.create_task(store.guilds.forget(GUILD, NOW + timedelta(1)))
    await asyncio.sleep(0)  # it begins
    await store.notes.put("others", "play on")
    assert not forgetting.done()
    assert await forgetting
    assert not await execute(store.database, sa.select(tables))


async def test_a_large_server_is_forgotten_in_small_parts(store: Store, monkeypatch):
    """Every move waits for each: with all their games a hundred tables took half a second."""
    await opened(store)
    (row,) = await execute(store.database, sa.select(tables))
    closed = [{**row._mapping, "id": number, "status": "expired"} for number in range(2, 102)]
    await store.database.write(lambda connection: connection.execute(sa.insert(tables), closed).close())
    await store.guilds.set_left(GUILD, NOW)
    deleted, real = [], store.guilds._execute

    async def counted(*statements):
        deleted.append(await real(*statements))
        return deleted[-1]

    monkeypatch.setattr(store.guilds, "_execute", counted)
    assert await store.guilds.forget(GUILD, NOW + timedelta(1))
    assert sum(deleted) == 101
    assert max(deleted) <= 25


async def test_of_a_server_that_the_bot_left_later_nothing_is_deleted(store: Store):
    table = await opened(store)
    await store.guilds.set_left(GUILD, NOW)
    assert not await store.guilds.forget(GUILD, NOW - timedelta(1))
    assert await stored_table(store, table.id) == table
