"""The record restores a game after a crash, and of two concurrent changes only one is made."""

import asyncio
import contextlib
import random
import threading

import pytest
import sqlalchemy as sa

from data.packed import unpack
from data.schema import games
from data.schema import tables as table_rows
from data.store import Store
from game.cards import make_pack
from game.moves import IllegalMove, Ready
from game.variants import variants
from tables.gameplay import record_of
from tables.services import Tables
from tables.snapshots import Decline, Declined
from testkit.found import not_none
from testkit.offline import CHANNEL, GUILD, Offline, People, Refused
from testkit.stored import execute, stored_game, stored_rows, stored_table
from testkit.waiting import HANG

VARIANTS = [name if name == "classic" else pytest.param(name, marks=pytest.mark.long) for name in variants()]
"""A whole game of one of them in `make test`, of each in `make long`."""


async def random_move(house: Offline, table, tables: Tables, rng):
    """Make a random legal move for somebody who may move; False at the end of the game."""
    snapshot = await tables.snapshot(table)
    if snapshot.table.status != "playing":
        return False
    users = [player.user_id for player in snapshot.table.players if player.user_id and not player.left]
    rng.shuffle(users)
    for user in users:
        hand = await tables.play.hand(house.by(user, table))
        if hand.view.may_choose:
            await house.choose(table, user, tables)
            return True
        if hand.view.moves:
            await house.act(table, user, rng.choice(hand.view.moves), tables)
            return True
    return await house.step(table, tables)


async def recorded(house: Offline, table):
    row = (await house.tables.snapshot(table)).table
    return record_of(await stored_game(house.store, row, row.game))


@pytest.mark.parametrize("variant", VARIANTS)
async def test_f30_a_game_is_the_same_after_the_process_was_killed(house: Offline, people: People, variant):
    seats = min(4, variants()[variant].rules.most_seats())
    table = await house.game(*people[:seats], variant=variant)
    rng = random.Random(variant)
    for _ in range(60):
        if not await random_move(house, table, house.tables, rng):
            break
        if rng.random() < 0.15:
            killed = house.loaded(table)
            await house.tables._doorway.drop(table)
            again = await house.tables._doorway.get(table)
            assert again is not killed
            assert again.state == killed.state
            assert again.snapshot() == killed.snapshot()
            assert again.hands_revision == killed.hands_revision
            assert again.seat_revisions == killed.seat_revisions
            assert again.secret == killed.secret
    live = await house.tables._doorway.get(table)
    assert (await recorded(house, table)).end() == live.state


async def test_a_finished_game_is_the_same_after_a_restart_except_for_names(house: Offline, people: People):
    table = await house.game(*people[:3])
    before = await house.finish(table)
    after = await house.another().snapshot(table)
    assert after.view == before.view
    assert (after.debt, after.recent, after.moves) == (before.debt, before.recent, before.moves)
    assert {player.name for player in after.table.players} == {""}
    again = await house.again(table, 1, house.another())
    assert again.table.status == "playing"


@pytest.mark.parametrize("seed", range(4))
async def test_f9_f52_two_processes_play_one_game_and_no_move_is_lost_or_doubled(
    house: Offline, people: People, cards, seed
):
    other = await Store.open(house.url)
    doors = [house.tables, Tables(other, randomness=house.chance, now=house.time)]
    table = await house.game(*people[:3])
    rng, accepted, declines = random.Random(seed), 0, set()

    async def try_one(tables: Tables):
        users = [1, 2, 3]
        rng.shuffle(users)
        for user in users:
            hand = await tables.play.hand(house.by(user, table))
            if hand.view.moves:
                seen = hand.snapshot.table.revision
                move = rng.choice(hand.view.moves)
                try:
                    await tables.play.act(house.by(user, table, seen=seen), move)
                except Declined as declined:
                    declines.add(declined.why)
                except IllegalMove:
                    pass
                else:
                    return 1
                return 0
        return 0

    for _ in range(40):
        accepted += sum(await asyncio.gather(*map(try_one, doors)))
    assert declines <= {Decline.STALE, Decline.NOT_PLAYING}
    found = await stored_table(house.store, table)
    made = await stored_game(house.store, found, 1)
    assert len(made.moves) == len({each.revision for each in made.moves}) == accepted > 0
    fresh = house.another()
    assert (await fresh.snapshot(table)).moves == accepted
    assert cards(house.loaded(table, fresh)) == dict.fromkeys(make_pack(), 1)
    await other.close()


async def test_f38_a_deadline_and_a_move_at_the_same_moment_make_one_move(house: Offline, people: People):
    table = await house.in_play(*people[:2])
    snapshot = await house.tables.snapshot(table)
    user = snapshot.table.players[not_none(snapshot.view.turn)].user_id
    hand = await house.tables.play.hand(house.by(user, table))
    for minutes in (3, 1):
        house.time.pass_by(minutes=minutes)
        if minutes == 3:
            await house.tables.timekeeping.time_up(table)
    click = house.tables.play.act(house.by(user, table, seen=hand.snapshot.table.revision), hand.view.moves[0])
    await asyncio.gather(click, house.tables.timekeeping.time_up(table))
    after = await house.tables.snapshot(table)
    assert after.moves == snapshot.moves + 1
    assert not any(player.away for player in after.table.players)


async def test_f36_a_damaged_record_affects_only_its_own_game(house: Offline, people: People, refused: type[Refused]):
    table, sound = await house.game(*people[:2]), await house.game(people[2], channel=5, computers=1)
    await execute(house.store.database, f"UPDATE games SET pack = '2c 2c 2c' WHERE table_id = {table}")
    tables = house.another()
    with refused(Decline.NOT_PLAYING):
        await tables.play.hand(house.by(1, table))
    assert (await tables.snapshot(table)).view is None
    assert len((await tables.play.hand(house.by(3, sound))).view.hand) == 3
    stopped = await tables.play.stop(house.by(1, table))
    assert (stopped.table.status, stopped.debt) == ("stopped", None)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE games SET rules = '{' WHERE table_id = {table}",
        "UPDATE games SET joiners = '[' WHERE table_id = {table}",
        "UPDATE games SET joiners = '5' WHERE table_id = {table}",
        "UPDATE games SET dealt_at = 5 WHERE table_id = {table}",
        "UPDATE moves SET made_at = 'once' WHERE table_id = {table}",
        "DELETE FROM games WHERE table_id = {table}",
    ],
)
@pytest.mark.parametrize("stops", [True, False])
async def test_f36_a_table_with_an_unreadable_game_can_still_be_ended(house: Offline, people: People, damage, stops):
    table = await house.game(*people[:2])
    await house.ready(table)
    await execute(house.store.database, damage.replace("{table}", str(table)))
    tables = house.another()
    if stops:
        await tables.play.stop(house.by(1, table))
    else:
        await tables.servers.channel_gone(GUILD, CHANNEL)
    assert (await tables.snapshot(table)).table.status == ("stopped" if stops else "aborted")
    assert (await tables.lobby.open(house.by(people[0]))).table.status == "lobby"


async def test_f36_an_unreadable_row_counts_as_no_table(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(people[0])
    await execute(house.store.database, f"UPDATE tables SET pace = 'never' WHERE id = {table}")
    with refused(Decline.UNKNOWN_TABLE):
        await house.another().snapshot(table)


@pytest.mark.parametrize("damage", ["pace = 'never'", "rules = '{'", "deadline = 'soon'", "created_at = 5"])
async def test_f36_a_table_that_cannot_be_read_gives_way_to_a_new_one(
    house: Offline, people: People, refused: type[Refused], damage
):
    table = await house.game(*people[:2])
    await execute(house.store.database, f"UPDATE tables SET {damage} WHERE id = {table}")
    tables = house.another()
    with refused(Decline.UNKNOWN_TABLE):
        await tables.play.hand(house.by(1, table))
    opened = await tables.lobby.open(house.by(people[2]))
    assert opened.table.status == "lobby"
    assert await execute(house.store.database, f"SELECT DISTINCT name FROM players WHERE table_id = {table}") == [("",)]
    assert await tables.timekeeping.open_tables() == (opened.table.id,)


async def test_f37_a_game_that_loses_a_card_is_aborted_without_tea(house: Offline, people: People):
    table = await house.game(*people[:2])
    live = await house.tables._doorway.get(table)
    live.state.seats[0].hand = 0
    with contextlib.suppress(Declined):
        await house.act(table, 2, Ready())
    ended = await house.tables.snapshot(table)
    assert (ended.table.status, ended.debt) == ("aborted", None)


async def test_f40_f50_locks_and_tables_in_memory_are_bounded(house: Offline, people: People):
    tables = Tables(house.store, randomness=house.chance, now=house.time, cached=5)
    ids = [await house.lobby(people[0], channel=channel) for channel in range(3)]
    ids += [await house.lobby(people[1], channel=channel) for channel in range(3, 6)]
    ids += [await house.lobby(people[2], channel=channel) for channel in range(6, 9)]
    joins = [tables.lobby.join(house.by(people[3], each)) for each in ids for _ in range(2)]
    done = await asyncio.gather(*joins, return_exceptions=True)
    assert sum(isinstance(each, Declined) for each in done) == len(ids)
    assert tables.cached == 5
    assert not tables._doorway._locks
    for each in ids:
        assert len((await tables.snapshot(each)).table.players) == 2


async def test_an_option_that_is_not_used_is_not_stored_so_that_a_version_before_it_reads_the_game(
    house: Offline, people: People
):
    table = await house.in_play(*people[:2], variant="classic")
    rows = await stored_rows(house.store.database)
    assert [row["rules"] for name in ("tables", "games") for row in rows[name]] == [{}, {}]
    await house.finish(table)
    packed = next(row["packed"] for row in (await stored_rows(house.store.database))["games"] if row["packed"])
    assert unpack(packed).rules == {}


async def test_a_game_with_an_option_of_a_newer_version_waits_until_that_version_is_back(
    house: Offline, people: People
):
    table = await house.in_play(*people[:2])
    revision = (await house.tables.snapshot(table)).table.revision
    for rows in (table_rows, games):
        await execute(house.store.database, sa.update(rows).values(rules={"deal": {"newer": True}}))
    older = Tables(house.store, now=house.time)
    house.time.pass_by(days=30)
    with pytest.raises(Declined) as declined:
        await house.hand(table, people[0], older)
    assert declined.value.why is Decline.UNKNOWN_TABLE
    for look in (older.timekeeping.time_up, older.timekeeping.computer_turn, older.snapshot):
        with contextlib.suppress(Declined):
            await look(table)
    for rows in (table_rows, games):
        await execute(house.store.database, sa.update(rows).values(rules={}))
    newer = await Tables(house.store, now=house.time).snapshot(table)
    assert (newer.table.status, newer.table.revision) == ("playing", revision)
    assert newer.view is not None


async def test_others_can_play_while_a_long_game_is_read_again(house: Offline, people: People, monkeypatch):
    """One of six thousand moves takes half a second, after each restart."""
    table, doorway, is_over = await house.game(*people[:2]), house.tables._doorway, threading.Event()
    await doorway.drop(table)
    replay = doorway._replay

    def long_replay(loaded, game):
        assert is_over.wait(HANG)
        return replay(loaded, game)

    monkeypatch.setattr(doorway, "_replay", long_replay)
    reading = asyncio.create_task(doorway.get(table))
    await house.lobby(people[2], channel=CHANNEL + 1)
    assert not reading.done()
    is_over.set()
    assert (await reading).state is not None
