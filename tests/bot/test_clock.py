"""Time at the tables: what is due is done once, at its time, and by whoever is to do it."""

import asyncio
from collections.abc import Sequence
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from itertools import pairwise, permutations, product
from typing import NamedTuple, get_args

import pytest
from structlog.testing import capture_logs

from bot.clock import Clock
from bot.schedule import Schedule
from data.errors import UnavailableError
from data.models import Pace, Person
from data.store import Store
from game.moves import Ready, Swap
from game.players import quick_player
from game.rules import Rules
from tables import timing
from tables.loaded import HARD
from tables.snapshots import Decline, Declined
from testkit.faults import lose_answer
from testkit.found import not_none
from testkit.made import made_table
from testkit.offline import GUILD, Offline, People
from testkit.stored import execute, file_of, held


@pytest.fixture
def clock(house: Offline):
    clock = Clock(house.tables, now=house.time, thinking=1.2)
    house.tables.listeners.append(clock.changed)
    return clock


async def forward(house: Offline, clock: Clock, **duration):
    house.time.pass_by(**duration)
    await clock.tick()


async def play_out_of_preparing(house: Offline, clock: Clock, table):
    await house.ready(table)
    for _ in range(200):
        if (await house.tables.snapshot(table)).view.phase == "play":
            return
        await forward(house, clock, seconds=1)


async def until_turn_of(house: Offline, clock: Clock, table, user):
    for _ in range(100):
        snapshot = await house.tables.snapshot(table)
        if snapshot.table.players[not_none(snapshot.view.turn)].user_id == user:
            return snapshot
        await forward(house, clock, seconds=1.2)
    raise AssertionError(f"user {user} never had a turn")


async def test_a_computer_moves_after_its_pause_and_not_before(house: Offline, people: People, clock: Clock):
    table = await house.game(people[0], computers=1)
    await play_out_of_preparing(house, clock, table)
    await until_turn_of(house, clock, table, 1)
    while (await house.tables.snapshot(table)).view.turn == 0:
        await house.choose(table, 1)
    moves = (await house.tables.snapshot(table)).moves
    await forward(house, clock, seconds=1.1)
    assert (await house.tables.snapshot(table)).moves == moves
    await forward(house, clock, seconds=0.1)
    assert (await house.tables.snapshot(table)).moves == moves + 1


@pytest.mark.parametrize("thinking", [20, 30])
async def test_a_computer_that_thinks_for_long_moves_before_its_time_is_up(house: Offline, people: People, thinking):
    clock = Clock(house.tables, now=house.time, thinking=thinking)
    house.tables.listeners.append(clock.changed)
    table = await house.lobby(people[0], computers=1, pace="quick")
    await house.tables.lobby.change(house.by(1, table), rules=Rules().changed_with({"deal": {"hand": 6}}))
    await house.tables.play.start(house.by(1, table))
    await play_out_of_preparing(house, clock, table)
    for _ in range(500):
        before = await house.tables.snapshot(table)
        if before.view.turn == 0:
            await house.choose(table, 1)
        elif before.view.seats[1].hand >= HARD:
            break
        else:
            await forward(house, clock, seconds=1)
    else:
        pytest.fail("the computer never had a hard choice")
    await forward(house, clock, seconds=30)  # whoever is on turn is reminded
    await forward(house, clock, seconds=9)
    assert (await house.tables.snapshot(table)).moves == before.moves
    await forward(house, clock, seconds=1)
    after = await house.tables.snapshot(table)
    assert (after.moves, after.table.overdue) == (before.moves + 1, False)


async def test_a_whole_game_against_computers_needs_only_the_person_and_the_clock(house: Offline, people: People):
    clock = Clock(house.tables, now=house.time, thinking=0)
    house.tables.listeners.append(clock.changed)
    table = await house.game(people[0], computers=3)
    for _ in range(500):
        await clock.tick()
        if (await house.tables.snapshot(table)).table.status == "over":
            break
        hand = await house.tables.play.hand(house.by(1, table))
        if hand.view.moves:
            await house.choose(table, 1)
        else:
            await forward(house, clock, seconds=50)
    assert (await house.tables.snapshot(table)).table.status == "over"
    await clock.tick()


@pytest.mark.parametrize(
    ("pace", "stretch", "turn", "grace"), [("quick", 1, 45, 15), ("normal", 2, 360, 120), ("slow", 4, 345_600, 86_400)]
)
async def test_a_turn_is_reminded_opened_to_others_and_played(
    house: Offline, people: People, clock: Clock, pace, stretch, turn, grace
):
    table = await house.lobby(*people[:2], pace=pace)
    await house.tables.lobby.change(house.by(1, table), stretch=stretch)
    await house.tables.play.start(house.by(1, table))
    await play_out_of_preparing(house, clock, table)
    before = await house.tables.snapshot(table)
    assert not_none(before.table.deadline) - not_none(before.table.turn_since) == timedelta(seconds=turn)
    nudge = min(60, turn * 2 // 3)
    steps = [(nudge - 1, False, False, 0), (1, True, False, 0), (turn - nudge, True, True, 0)]
    snapshot = before
    for seconds, nudged, overdue, moves in [*steps, (grace - 1, True, True, 0), (1, False, False, 1)]:
        await forward(house, clock, seconds=seconds)
        snapshot = await house.tables.snapshot(table)
        assert (snapshot.table.nudged, snapshot.table.overdue, snapshot.moves - before.moves) == (
            nudged,
            overdue,
            moves,
        )
    assert sum(player.away for player in snapshot.table.players) == 1


async def test_nobody_is_played_for_where_nobody_waits_for_them(house: Offline, people: People, clock: Clock):
    table = await house.game(people[0], computers=1)
    await play_out_of_preparing(house, clock, table)
    while not (await house.tables.play.hand(house.by(1, table))).view.moves:
        await forward(house, clock, seconds=10)
    before = await house.tables.snapshot(table)
    await forward(house, clock, minutes=4)
    late = await house.tables.snapshot(table)
    assert (late.moves, late.table.status, late.table.players[0].away) == (before.moves, "playing", True)
    await forward(house, clock, minutes=14)
    await house.tables.play.hand(house.by(1, table))
    back = (await house.tables.snapshot(table)).table
    assert (back.deadline - house.time(), back.overdue) == (timedelta(minutes=3), False)
    move = quick_player.choose((await house.hand(table, 1)).view, house.chance)
    await forward(house, clock, minutes=4)
    await house.act(table, 1, move)
    assert (await house.tables.snapshot(table)).moves == before.moves + 1, "the hand that is open still plays"
    await until_turn_of(house, clock, table, 1)
    await forward(house, clock, minutes=4)
    await forward(house, clock, minutes=15)
    assert (await house.tables.snapshot(table)).table.status == "aborted"


@pytest.mark.parametrize("how", ["left", "unpaused"])
async def test_a_game_that_only_somebody_away_still_plays_waits_for_them_and_closes(
    house: Offline, people: People, clock: Clock, how
):
    table = await house.game(*people[:2])
    await play_out_of_preparing(house, clock, table)
    late = not_none(await on_turn(house, table))
    other = 3 - late
    await forward(house, clock, minutes=3)
    await forward(house, clock, minutes=1)
    assert (await house.tables.snapshot(table)).table.players[late - 1].away
    if how == "left":
        await house.tables.lobby.leave(house.by(other, table))
    else:
        while (await house.tables.snapshot(table)).table.turn_since:
            await forward(house, clock, minutes=4)
        await house.tables.timekeeping.pause(table, paused=True)
        await forward(house, clock, minutes=60)
        await house.tables.timekeeping.pause(table, paused=False)
    alone = (await house.tables.snapshot(table)).table
    assert (alone.turn_since, alone.overdue, alone.deadline - house.time()) == (None, True, timedelta(minutes=15))
    await forward(house, clock, minutes=14)
    assert (await house.tables.snapshot(table)).table.status == "playing"
    await forward(house, clock, minutes=1)
    assert (await house.tables.snapshot(table)).table.status == "aborted"


async def on_turn(house: Offline, table):
    """Who is on turn."""
    snapshot = await house.tables.snapshot(table)
    return snapshot.table.players[not_none(snapshot.view.turn)].user_id


async def test_a_swap_in_the_hand_that_is_open_gives_its_time_back_to_who_was_away(
    house: Offline, people: People, clock: Clock
):
    table = await house.game(people[0], computers=1)
    view = (await house.hand(table, 1)).view
    await forward(house, clock, minutes=6)
    alone = (await house.tables.snapshot(table)).table
    assert (alone.players[0].away, alone.turn_since) == (True, None)
    await house.act(table, 1, Swap(view.hand[0], view.up[0][0]))
    back = (await house.tables.snapshot(table)).table
    assert (back.players[0].away, back.overdue, back.nudged) == (False, False, False)
    assert (back.turn_since, back.deadline - house.time()) == (house.time(), timedelta(minutes=5))


async def test_who_was_left_alone_and_plays_through_another_process_is_back(
    house: Offline, people: People, clock: Clock
):
    table = await house.game(people[0], computers=1)
    while not (await house.tables.snapshot(table)).view.seats[1].ready:
        await forward(house, clock, seconds=10)
    view, other = (await house.hand(table, 1)).view, house.another()
    before = (await other.snapshot(table)).table
    await forward(house, clock, minutes=6)
    alone = (await house.tables.snapshot(table)).table
    assert alone.revision > before.revision, "else a message that could not be drawn in time stays as it was"
    await house.act(table, 1, Swap(view.hand[0], view.up[0][0]), other)
    assert not (await house.another().snapshot(table)).table.players[0].away


async def test_a_server_may_have_other_reminders_or_none(house: Offline, people: People, clock: Clock):
    for seconds, channel in ((30, 1), (0, 2)):
        before = await house.tables.servers.settings(900)
        await house.tables.servers.choose(before, before.but(nudge_seconds=seconds))
        table = await house.game(*people[:2], channel=channel)
        await play_out_of_preparing(house, clock, table)
        await forward(house, clock, seconds=31)
        assert (await house.tables.snapshot(table)).table.nudged == (seconds == 30)


async def test_where_reminders_are_off_none_comes_when_time_is_up_but_one_of_a_player_stays(
    house: Offline, people: People, clock: Clock
):
    before = await house.tables.servers.settings(900)
    await house.tables.servers.choose(before, before.but(nudge_seconds=0))
    left_alone, reminded = [await house.game(*people[:2], channel=channel) for channel in (1, 2)]
    await house.act(reminded, 1, Ready())
    await house.tables.play.remind(house.by(people[0], reminded))
    await forward(house, clock, minutes=5)
    tables = [(await house.tables.snapshot(each)).table for each in (left_alone, reminded)]
    assert [(each.overdue, each.nudged) for each in tables] == [(True, False), (True, True)]


async def test_lobbies_close_by_themselves(house: Offline, people: People, clock: Clock):
    table = await house.lobby(people[0])
    await forward(house, clock, minutes=14, seconds=59)
    assert (await house.tables.snapshot(table)).table.status == "lobby"
    await forward(house, clock, seconds=1)
    assert (await house.tables.snapshot(table)).table.status == "expired"


async def test_f30_after_a_restart_nobodys_time_is_up_within_a_minute(house: Offline, people: People):
    table, lobby = await house.game(*people[:2]), await house.lobby(people[2], channel=9)
    house.time.pass_by(hours=5)
    tables = house.another()
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    await clock.start()
    await clock.tick()
    for each, status in ((table, "playing"), (lobby, "lobby")):
        snapshot = await tables.snapshot(each)
        assert snapshot.table.status == status
        assert snapshot.table.deadline == house.time() + timedelta(seconds=60)
        assert not snapshot.table.overdue
    await forward(house, clock, seconds=60)
    assert (await tables.snapshot(lobby)).table.status == "expired"
    assert (await tables.snapshot(table)).table.overdue


async def test_f30_a_paused_table_that_waited_for_a_month_is_not_ended_within_a_minute_of_a_restart(
    house: Offline, people: People
):
    table = await house.game(*people[:2])
    await house.tables.timekeeping.pause(table, paused=True)
    house.time.pass_by(hours=30 * 24)
    tables = house.another()
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    await clock.start()
    await clock.tick()
    assert (await tables.snapshot(table)).table.paused
    await forward(house, clock, seconds=60)
    assert (await tables.snapshot(table)).table.status == "aborted"


async def test_f30_a_deadline_that_comes_soon_after_a_restart_moves_away(house: Offline, people: People):
    lobby = await house.lobby(people[0])
    house.time.pass_by(minutes=14, seconds=30)
    tables = house.another()
    await Clock(tables, now=house.time).start()
    assert (await tables.snapshot(lobby)).table.deadline == house.time() + timedelta(seconds=60)


async def test_f30_a_deadline_that_is_far_away_stays(house: Offline, people: People):
    table = await house.game(*people[:2], pace="slow")
    deadline = (await house.tables.snapshot(table)).table.deadline
    tables = house.another()
    await Clock(tables, now=house.time).start()
    assert (await tables.snapshot(table)).table.deadline == deadline


async def test_a_start_loads_only_tables_where_something_is_to_be_done(house: Offline, people: People):
    resting = [await house.game(*people[:2], pace="slow"), await house.lobby(people[2], channel=8)]
    computer = await house.game(people[0], computers=1, channel=9)
    house.time.pass_by(minutes=1)
    tables = house.another()
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    await clock.start()
    assert [tables._doorway.peek(each) is None for each in (*resting, computer)] == [True, True, False]
    assert clock.waiting == 3
    await clock.tick()
    # What was not loaded is looked at in time all the same.
    await forward(house, clock, minutes=14, seconds=-1)
    assert (await tables.snapshot(resting[1])).table.status == "lobby"
    await forward(house, clock, seconds=1)
    assert (await tables.snapshot(resting[1])).table.status == "expired"
    await forward(house, clock, hours=24)
    assert (await tables.snapshot(resting[0])).table.overdue


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE tables SET deadline = 'soon' WHERE id = {}",
        "UPDATE guilds SET nudge_seconds = 'x' WHERE guild_id = 901",
        "UPDATE tables SET pace = 'never', overdue = TRUE WHERE id = {}",
    ],
)
async def test_f36_a_table_whose_clock_cannot_be_read_stops_no_other_clock(house: Offline, people: People, damage):
    bad = (await house.tables.lobby.open(house.by(people[0], guild=901))).table.id
    await house.tables.lobby.join(house.by(people[2], bad))
    await house.tables.play.start(house.by(people[0], bad))
    good = await house.lobby(people[1])
    await execute(house.store.database, damage.format(bad))
    tables = house.another()
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    await clock.start()
    await forward(house, clock, minutes=15)
    assert (await tables.snapshot(good)).table.status == "expired"


async def test_f34_tables_that_could_not_be_taken_up_at_a_start_are_taken_up_later(
    house: Offline, people: People, monkeypatch
):
    async def away(_table_id, *, least):
        raise Declined(Decline.SAVING_FAILED)

    computer, lobby = await house.game(people[0], computers=1), await house.lobby(people[1], channel=9)
    house.time.pass_by(hours=1)
    tables = house.another()
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    with monkeypatch.context() as store:
        store.setattr(tables.timekeeping, "wake", away)
        await clock.start()
        await clock.tick()
    await forward(house, clock, seconds=4)
    assert ((await tables.snapshot(computer)).moves, clock.table_count) == (0, 2)
    await forward(house, clock, seconds=1)
    assert clock.table_count == 2
    assert (await tables.snapshot(lobby)).table.deadline == house.time() + timedelta(seconds=60)
    await forward(house, clock, seconds=2)
    assert (await tables.snapshot(computer)).moves > 0
    await forward(house, clock, seconds=58)
    assert (await tables.snapshot(lobby)).table.status == "expired"


async def test_tables_in_use_are_counted_also_after_a_start_while_paused_and_until_they_are_gone(
    house: Offline, people: People
):
    resting = await house.lobby(people[0])
    paused, forgotten = await house.game(people[0], computers=1, channel=8), await house.lobby(people[1], channel=9)
    await house.tables.timekeeping.pause(paused, paused=True)
    tables = house.another()
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    await clock.start()
    assert clock.table_count == 3
    gone = (await house.tables.snapshot(forgotten)).table
    await house.tables.timekeeping.remove_unopened(gone)  # nobody tells this clock
    await forward(house, clock, minutes=15)
    assert (await tables.snapshot(resting)).table.status == "expired"
    assert clock.table_count == 1


async def test_a_table_without_a_thread_is_neither_counted_nor_looked_at_once_it_was_given_up(
    house: Offline, people: People, clock: Clock
):
    table = await house.lobby(people[0], thread=True)
    assert (clock.table_count, clock.waiting) == (1, 1)
    await house.tables.timekeeping.remove_unopened((await house.tables.snapshot(table)).table)
    assert (clock.table_count, clock.waiting) == (0, 0)
    with capture_logs() as logs:
        await forward(house, clock, minutes=16)
    assert not logs


async def test_a_table_that_cannot_be_loaded_does_not_stop_the_clock_of_the_others(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    def broken_at_one(whole):
        async def load(table_id):
            if table_id == bad:
                raise KeyError
            return await whole(table_id)

        return load

    bad, good = await house.lobby(people[0]), await house.lobby(people[1], channel=5)
    with monkeypatch.context() as broken:
        broken.setattr(house.tables, "snapshot", broken_at_one(house.tables.snapshot))
        broken.setattr(house.tables.timekeeping, "time_up", broken_at_one(house.tables.timekeeping.time_up))
        await forward(house, clock, minutes=15)
    assert (await house.tables.snapshot(good)).table.status == "expired"
    await forward(house, clock, seconds=5)
    assert (await house.tables.snapshot(bad)).table.status == "expired"


LONGER_AND_LONGER = [5, 10, 20, 40, 80, 160, 320, 600, 600, 600]


@pytest.fixture
def pauses(house: Offline, clock: Clock, monkeypatch):
    """The seconds between the attempts of a step of the clock that fails by an error, within the next 45 minutes."""

    async def pauses_of(step):
        async def broken(_table_id):
            tried_at.append(house.time())
            raise KeyError

        tried_at = []
        with monkeypatch.context() as during:
            during.setattr(house.tables.timekeeping, step, broken)
            for _ in range(12 * 45):
                await forward(house, clock, seconds=5)
        return [(later - at).total_seconds() for at, later in pairwise(tried_at)]

    return pauses_of


async def test_a_computers_move_that_fails_by_an_error_is_tried_less_and_less_often_until_the_table_changes(
    house: Offline, people: People, clock: Clock, pauses
):
    usual = await house.tables.servers.settings(GUILD)
    await house.tables.servers.choose(usual, usual.but(nudge_seconds=0))  # a reminder is a change
    table = await house.game(people[0], computers=1, pace="slow")
    for _ in range(2):
        assert await pauses("computer_turn") == LONGER_AND_LONGER
        await house.ready(table)


async def test_a_deadline_that_fails_by_an_error_is_tried_less_and_less_often_until_the_table_changes(
    house: Offline, people: People, pauses
):
    table = await house.lobby(people[0])
    for each in people[1:3]:
        house.time.pass_by(minutes=15)
        assert await pauses("time_up") == LONGER_AND_LONGER
        await house.tables.lobby.join(house.by(each, table))


async def test_a_table_at_which_nothing_was_to_be_done_is_looked_at_again_after_five_seconds(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    async def nothing(_table_id):
        looked_at.append(house.time())

    looked_at = []
    await house.lobby(people[0])
    monkeypatch.setattr(house.tables.timekeeping, "time_up", nothing)
    await forward(house, clock, minutes=15)
    for _ in range(10):
        await forward(house, clock, seconds=1)
    assert [(later - at).total_seconds() for at, later in pairwise(looked_at)] == [5, 5]


@pytest.mark.parametrize(("outage", "extended"), [(30, 0), (31, 31), (1800, 1800)])
async def test_f12_an_outage_puts_deadlines_off_unless_it_was_short(
    house: Offline, people: People, clock: Clock, outage, extended
):
    table = await house.game(*people[:2])
    await play_out_of_preparing(house, clock, table)
    before = (await house.tables.snapshot(table)).table
    await clock.lost(0)
    await forward(house, clock, seconds=outage - 1)
    await clock.lost(0)  # said again: it has not come back since
    await forward(house, clock, seconds=1)
    assert (await house.tables.snapshot(table)).table == before
    for _ in range(2):
        await clock.back(0)
    await clock.tick()
    after = (await house.tables.snapshot(table)).table
    assert not_none(after.deadline) - not_none(before.deadline) == timedelta(seconds=extended)
    assert (after.overdue, after.nudged) == (False, False)


async def test_f34_an_extension_that_could_not_be_stored_is_made_up_for(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    async def away(*_):
        raise Declined(Decline.SAVING_FAILED)

    table = await house.lobby(people[0])
    before = not_none((await house.tables.snapshot(table)).table.deadline)
    with monkeypatch.context() as store:
        store.setattr(house.tables.timekeeping, "extend_deadline", away)
        await clock.lost(0)
        await forward(house, clock, minutes=5)
        await clock.back(0)
    await forward(house, clock, seconds=5)
    assert not_none((await house.tables.snapshot(table)).table.deadline) - before == timedelta(minutes=5)


@pytest.mark.parametrize("readable", [True, False])
@pytest.mark.parametrize("at_play", [True, False])
async def test_f34_an_extension_that_was_stored_without_an_answer_counts_once(
    house: Offline, people: People, clock: Clock, monkeypatch, readable, at_play
):
    table = await (house.in_play(*people[:2]) if at_play else house.lobby(people[0]))
    before = (await house.tables.snapshot(table)).table
    house.time.pass_by(seconds=20)
    await clock.lost(0)
    await forward(house, clock, minutes=5)
    lose_answer(house.store, monkeypatch, readable=readable)
    await clock.back(0)
    monkeypatch.undo()
    await forward(house, clock, seconds=5)
    after = (await house.tables.snapshot(table)).table
    assert not_none(after.deadline) - not_none(before.deadline) == timedelta(minutes=5)
    assert not at_play or not_none(after.turn_since) - not_none(before.turn_since) == timedelta(minutes=5)


@pytest.mark.parametrize("were_stored", [*product([True, False], repeat=3)])
async def test_f34_of_several_outages_each_is_made_up_for_once_whichever_was_stored_without_an_answer(
    house: Offline, people: People, clock: Clock, monkeypatch, were_stored
):
    async def fail_once(change):
        monkeypatch.setattr(house.store.tables, "save", save)
        if next(stored):
            await save(change)
        raise UnavailableError

    table, save, stored = await house.lobby(people[0]), house.store.tables.save, iter(were_stored)
    before = not_none((await house.tables.snapshot(table)).table.deadline)
    for minutes in (1, 2, 4):
        house.time.pass_by(seconds=20)
        await clock.lost(0)
        house.time.pass_by(minutes=minutes)
        monkeypatch.setattr(house.store.tables, "save", fail_once)
        await clock.back(0)
    await forward(house, clock, minutes=12)  # at the latest when time would be up
    assert not_none((await house.tables.snapshot(table)).table.deadline) - before == timedelta(minutes=7)


async def test_f34_an_outage_after_an_extension_that_was_made_up_for_counts_as_usual(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    table = await house.lobby(people[0])
    before = not_none((await house.tables.snapshot(table)).table.deadline)
    for _ in range(2):
        await clock.lost(0)
        house.time.pass_by(minutes=5)
        lose_answer(house.store, monkeypatch)
        await clock.back(0)
        await forward(house, clock, seconds=5)
    assert not_none((await house.tables.snapshot(table)).table.deadline) - before == timedelta(minutes=10)


async def test_f35_of_two_overlapping_outages_no_second_is_counted_twice_whichever_ends_first(
    house: Offline, people: People
):
    clock = Clock(house.tables, now=house.time, shard_of=lambda guild: guild % 2)
    house.tables.listeners.append(clock.changed)
    table = (await house.tables.lobby.open(house.by(people[0], channel=5, guild=11))).table.id
    before = not_none((await house.tables.snapshot(table)).table.deadline)
    await clock.lost(1)
    await forward(house, clock, minutes=5)
    await clock.lost()
    await forward(house, clock, minutes=5)
    await clock.back(1)
    await forward(house, clock, minutes=5)
    await clock.back()
    after = not_none((await house.tables.snapshot(table)).table.deadline)
    assert after - before == timedelta(minutes=15)


async def test_f12_f25_f35_however_outages_overlap_every_second_is_counted_once(house: Offline, people: People):
    server = 11
    for order in sorted(set(permutations([(), (), (1,), (1,), (1, server), (1, server)]))):
        clock = Clock(house.tables, now=house.time, shard_of=lambda guild: guild % 2)
        house.tables.listeners[:] = [clock.changed, house.learn]
        opened = await house.tables.lobby.open(house.by(people[0], channel=5, guild=server))
        before, lost, minutes = not_none(opened.table.deadline), set(), 0
        for place in order:
            minutes += bool(lost)
            await forward(house, clock, minutes=bool(lost))
            await (clock.back if place in lost else clock.lost)(*place)
            lost ^= {place}
        after = (await house.tables.snapshot(opened.table.id)).table
        assert not_none(after.deadline) - before == timedelta(minutes=minutes), order
        await house.tables.lobby.leave(house.by(people[0], after.id))


async def test_f25_an_outage_of_one_server_holds_no_other(house: Offline, people: People, clock: Clock):
    tables = [
        (await house.tables.lobby.open(house.by(people[0], channel=5, guild=guild))).table.id for guild in (10, 11)
    ]
    await clock.lost(0, 11)
    await forward(house, clock, minutes=15)
    assert [(await house.tables.snapshot(each)).table.status for each in tables] == ["expired", "lobby"]
    await clock.back(0, 11)
    await forward(house, clock, minutes=15)
    assert (await house.tables.snapshot(tables[1])).table.status == "expired"


async def test_f25_after_an_outage_of_many_servers_only_those_with_tables_take_time_and_a_line_in_the_log(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    table, elsewhere = [
        (await house.tables.lobby.open(house.by(people[0], channel=5, guild=guild))).table for guild in (2_000, 3_000)
    ]
    released = []
    monkeypatch.setattr(Schedule, "release", lambda *_: released.append(1))
    for guild in range(1, 2_501):
        await clock.lost(0, guild)
    house.time.pass_by(minutes=5)
    with capture_logs() as logs:
        for guild in range(1, 2_501):
            await clock.back(0, guild)
    assert [each["guild"] for each in logs] == [2_000]
    assert len(released) == 2, "both schedules once: each rebuilds its heap"
    after, there = [(await house.tables.snapshot(each.id)).table for each in (table, elsewhere)]
    assert not_none(after.deadline) - not_none(table.deadline) == timedelta(minutes=5)
    assert there.deadline == elsewhere.deadline


async def test_f35_an_outage_everywhere_puts_off_all_deadlines_also_where_a_shard_is_lost(
    house: Offline, people: People
):
    clock = Clock(house.tables, now=house.time, shard_of=lambda guild: guild % 2)
    house.tables.listeners.append(clock.changed)
    tables = [
        (await house.tables.lobby.open(house.by(people[0], channel=5, guild=guild))).table.id for guild in (10, 11)
    ]
    before = [(await house.tables.snapshot(each)).table.deadline for each in tables]
    await clock.lost(ago=15)
    await forward(house, clock, minutes=10)
    await clock.lost(1)
    await forward(house, clock, minutes=10)
    await clock.back()
    await forward(house, clock, minutes=14)
    after = [(await house.tables.snapshot(each)).table for each in tables]
    assert {each.status for each in after} == {"lobby"}
    assert {not_none(each.deadline) - not_none(then) for each, then in zip(after, before, strict=True)} == {
        timedelta(minutes=20, seconds=15)
    }
    await forward(house, clock, minutes=2)
    assert [(await house.tables.snapshot(each)).table.status for each in tables] == ["expired", "lobby"]
    await clock.back(1)
    later = not_none((await house.tables.snapshot(tables[1])).table.deadline)
    assert later - not_none(before[1]) == timedelta(minutes=36, seconds=15), "no second is counted twice"


async def test_f35_a_shard_that_is_back_during_an_outage_everywhere_lets_nobodys_time_be_up(
    house: Offline, people: People
):
    clock = Clock(house.tables, now=house.time, shard_of=lambda guild: guild % 2)
    house.tables.listeners.append(clock.changed)
    table = (await house.tables.lobby.open(house.by(people[0], channel=5, guild=11))).table.id
    await clock.lost(ago=15)
    await forward(house, clock, minutes=10)
    await clock.lost(1)
    await forward(house, clock, minutes=10)
    await clock.back(1)
    assert (await house.tables.snapshot(table)).table.status == "lobby"


async def test_f12_an_outage_of_one_shard_holds_no_other(house: Offline, people: People):
    clock = Clock(house.tables, now=house.time, shard_of=lambda guild: guild % 2)
    house.tables.listeners.append(clock.changed)
    tables = [
        (await house.tables.lobby.open(house.by(people[0], channel=5, guild=guild))).table.id for guild in (10, 11)
    ]
    await clock.lost(1)
    await forward(house, clock, minutes=15)
    assert [(await house.tables.snapshot(each)).table.status for each in tables] == ["expired", "lobby"]
    await clock.back(1)
    await forward(house, clock, minutes=14)
    assert (await house.tables.snapshot(tables[1])).table.status == "lobby"
    await forward(house, clock, minutes=1)
    assert (await house.tables.snapshot(tables[1])).table.status == "expired"
    assert clock.waiting == 0
    assert not clock._guilds


async def test_f12_nobodys_time_is_up_while_deadlines_are_being_put_off(house: Offline, people: People, clock: Clock):
    tables = [await house.lobby(people[0], channel=channel) for channel in range(3)]
    await clock.lost(0)
    house.time.pass_by(hours=1)

    def look_at_all(changed):
        ticks.append(asyncio.ensure_future(clock.tick()))

    ticks = []
    house.tables.listeners.append(look_at_all)
    await clock.back(0)
    assert len(ticks) >= len(tables)
    await asyncio.gather(*ticks)
    assert {(await house.tables.snapshot(each)).table.status for each in tables} == {"lobby"}


async def test_f12_a_shard_that_is_lost_again_while_deadlines_are_put_off_stays_held(
    house: Offline, people: People, clock: Clock
):
    table = await house.lobby(people[0])
    lost_again = []

    def lose_it_again(changed):
        if not lost_again:
            lost_again.append(asyncio.ensure_future(clock.lost(0)))

    await clock.lost(0)
    house.time.pass_by(minutes=1)
    house.tables.listeners.append(lose_it_again)
    await clock.back(0)
    await asyncio.gather(*lost_again)
    await forward(house, clock, hours=1)
    assert (await house.tables.snapshot(table)).table.status == "lobby"


@pytest.mark.parametrize("is_late", [False, True])
async def test_a_stopped_clock_does_nothing_though_the_lease_is_renewed(
    house: Offline, people: People, clock: Clock, is_late
):
    table = await house.lobby(people[0])
    if is_late:
        await clock.lost()
    clock.stop()
    await clock.back()
    await forward(house, clock, hours=1)
    assert (await house.tables.snapshot(table)).table.status == "lobby"


async def test_a_paused_table_has_no_time(house: Offline, people: People, clock: Clock):
    table = await house.game(people[0], computers=1)
    await play_out_of_preparing(house, clock, table)
    await house.tables.timekeeping.pause(table, paused=True)
    before = await house.tables.snapshot(table)
    await forward(house, clock, hours=2)
    assert await house.tables.snapshot(table) == before
    await house.tables.timekeeping.pause(table, paused=False)
    assert (await house.tables.snapshot(table)).table.deadline == house.time() + timedelta(minutes=3)


async def test_one_tables_trouble_is_not_anothers(house: Offline, people: People, clock: Clock):
    bad, good = await house.game(people[0], computers=1), await house.lobby(people[1], channel=5)
    await house.tables._doorway.drop(bad)
    await execute(house.store.database, f"UPDATE tables SET pace = 'never' WHERE id = {bad}")
    await forward(house, clock, minutes=16)
    assert (await house.tables.snapshot(good)).table.status == "expired"


async def test_the_running_clock_sleeps_until_something_is_due(house: Offline, people: People):
    async with running(house) as (_, sleeps):
        asked = await sleeps.get()
        await house.lobby(people[0])
        for _ in range(15 * 60 - 1):
            assert asked.seconds == 1.0
            asked = await passed(house, sleeps, asked, 1)
        assert (await passed(house, sleeps, asked, 0.6)).seconds == 0.4


async def test_the_running_clock_is_not_woken_by_what_is_due_after_its_next_look(house: Offline, people: People):
    async with running(house) as (_, sleeps):
        woken = await wakings(house, sleeps)
        table = await house.game(*people[:2])
        await house.ready(table)
        assert len(woken) > 3
        assert not any(woken)


async def test_the_running_clock_is_woken_by_what_is_due_before_its_next_look(house: Offline, people: People):
    await house.game(*people[:2])
    async with running(house) as (_, sleeps):
        woken = await wakings(house, sleeps)
        house.time.pass_by(seconds=29.5)
        settings = await house.tables.servers.settings(GUILD)
        await house.tables.servers.choose(settings, settings.but(nudge_seconds=30))
        assert woken == [True]
        assert (await sleeps.get()).seconds == 0.5


async def test_the_running_clock_is_woken_by_the_turn_of_a_computer(house: Offline, people: People):
    async with running(house) as (_, sleeps):
        woken = await wakings(house, sleeps)
        await house.game(people[0], computers=1)
        assert woken[-1]


async def test_f39_a_process_that_stood_still_puts_deadlines_off_by_as_long(house: Offline, people: People):
    """As where somebody pauses a container, or a host moves a virtual machine: nobody could click."""
    async with running(house) as (_, sleeps):
        asked, table, before = await opened_meanwhile(house, people, sleeps)
        asked = await passed(house, sleeps, asked, 1 + 29)
        assert (await house.tables.snapshot(table)).table.deadline == before
        await passed(house, sleeps, asked, 1 + 20 * 60)
        assert (await house.tables.snapshot(table)).table.status == "lobby"
        assert (await house.tables.snapshot(table)).table.deadline == before + timedelta(minutes=20)


async def test_f39_a_process_that_stood_still_as_its_sleep_began_counts_all_but_a_second_of_it(
    house: Offline, people: People
):
    async with running(house) as (_, sleeps):
        asked, table, before = await opened_meanwhile(house, people, sleeps)
        await passed(house, sleeps, asked, 35)
        assert (await house.tables.snapshot(table)).table.deadline >= before + timedelta(seconds=34)


async def standstill_at_work(house: Offline, people: Sequence[Person], monkeypatch, *, lost):
    """A lobby beside a process that stood still for 20 minutes while a computer moved, its deadline before, the clock.

    If `lost`, the shard was lost meanwhile, which is noticed before the answer of the database comes.
    """

    async def stand_still(table_id):
        monkeypatch.undo()
        house.time.pass_by(minutes=20)
        if lost:
            await clock.lost(0)
        return await house.tables.timekeeping.computer_turn(table_id)

    clock = Clock(house.tables, now=house.time, monotonic=lambda: house.time().timestamp())
    house.tables.listeners.append(clock.changed)
    table = await house.lobby(people[1], channel=5)
    before = (await house.tables.snapshot(table)).table.deadline
    await house.game(people[0], computers=1)
    monkeypatch.setattr(house.tables.timekeeping, "computer_turn", stand_still)
    await clock.tick()
    return table, before, clock


async def test_f39_a_process_that_stood_still_while_a_computer_moved_puts_deadlines_off_as_well(
    house: Offline, people: People, monkeypatch
):
    table, before, _ = await standstill_at_work(house, people, monkeypatch, lost=False)
    after = (await house.tables.snapshot(table)).table
    assert (after.status, after.deadline) == ("lobby", before + timedelta(minutes=20) - timedelta(seconds=1))


@pytest.mark.parametrize(
    ("tables", "seconds", "put_off"), [(1, 20 * 60, timedelta(minutes=20, seconds=-1)), (31, 1, timedelta())]
)
async def test_f39_a_process_that_stood_still_while_a_lobby_closed_puts_deadlines_off_but_not_one_that_closed_many(
    house: Offline, people: People, monkeypatch, tables, seconds, put_off
):
    async def slow(table_id):
        house.time.pass_by(seconds=seconds)
        await time_up(table_id)

    clock = Clock(house.tables, now=house.time, monotonic=lambda: house.time().timestamp())
    house.tables.listeners.append(clock.changed)
    for channel in range(tables):
        await house.tables.lobby.open(house.by(people[0], channel=100 + channel, guild=channel))
    house.time.pass_by(minutes=14)
    last = await house.lobby(people[1], channel=5)
    before = (await house.tables.snapshot(last)).table.deadline
    time_up = house.tables.timekeeping.time_up
    monkeypatch.setattr(house.tables.timekeeping, "time_up", slow)
    await forward(house, clock, minutes=1)
    after = (await house.tables.snapshot(last)).table
    assert (after.status, after.deadline, clock.waiting) == ("lobby", before + put_off, 1)


async def test_f39_an_outage_after_a_process_stood_still_while_a_computer_moved_puts_deadlines_off_by_both(
    house: Offline, people: People, monkeypatch
):
    table, before, clock = await standstill_at_work(house, people, monkeypatch, lost=True)
    await forward(house, clock, minutes=14)
    await clock.back(0)
    assert (await house.tables.snapshot(table)).table.deadline == before + timedelta(minutes=34) - timedelta(seconds=1)


async def test_f39_a_process_that_stood_still_while_discord_was_away_counts_no_second_twice(
    house: Offline, people: People
):
    async with running(house) as (clock, sleeps):
        asked, table, before = await opened_meanwhile(house, people, sleeps)
        await clock.lost(0)
        await passed(house, sleeps, asked, 1 + 20 * 60)
        assert (await house.tables.snapshot(table)).table.deadline == before + timedelta(minutes=20)
        await clock.back(0)
    assert (await house.tables.snapshot(table)).table.deadline == before + timedelta(minutes=20)


class Sleep(NamedTuple):
    """How long the clock wants to sleep, and what wakes it before."""

    seconds: float
    over: asyncio.Event


@asynccontextmanager
async def running(house: Offline):
    """A clock that runs, and each of its sleeps, which lasts until `passed`, or until something is due soon."""
    sleeps = asyncio.Queue()

    async def wait(wake, seconds):
        asked = Sleep(seconds, wake)
        await sleeps.put(asked)
        await wake.wait()

    clock = Clock(house.tables, now=house.time, wait=wait, monotonic=lambda: house.time().timestamp())
    house.tables.listeners.append(clock.changed)
    going = asyncio.create_task(clock.run())
    try:
        yield clock, sleeps
    finally:
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)


async def wakings(house: Offline, sleeps):
    """Whether the clock, which sleeps now, is awake after each change from now on."""
    asked, woken = await sleeps.get(), []
    house.tables.listeners.append(lambda _: woken.append(asked.over.is_set()))
    return woken


async def opened_meanwhile(house: Offline, people: People, sleeps):
    """The sleep of the clock, a lobby that was opened while it sleeps, and when that closes."""
    asked, table = await sleeps.get(), await house.lobby(people[0])
    return asked, table, not_none((await house.tables.snapshot(table)).table.deadline)


async def passed(house: Offline, sleeps, asked: Sleep, seconds):
    """So many seconds later the clock wakes up; its next sleep."""
    house.time.pass_by(seconds=seconds)
    asked.over.set()
    return await sleeps.get()


async def test_f34_a_turn_that_could_not_be_saved_is_tried_again_later(house: Offline, people: People):
    impatient = await Store.open(house.url, busy_seconds=0.01)
    tables = house.another(impatient)
    clock = Clock(tables, now=house.time)
    tables.listeners.append(clock.changed)
    table = await house.game(people[0], computers=1)
    await tables.timekeeping.wake(table, least=timedelta())
    with held(file_of(house.store.database)):
        await forward(house, clock, seconds=2)
    assert (await tables.snapshot(table)).moves == 0
    await forward(house, clock, seconds=4)
    assert (await tables.snapshot(table)).moves == 0
    await forward(house, clock, seconds=1)
    assert (await tables.snapshot(table)).moves > 0
    await impatient.close()


async def test_f34_a_computer_goes_on_after_a_move_of_which_nobody_knew_whether_it_was_stored(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    table = await house.game(people[0], computers=1)
    await play_out_of_preparing(house, clock, table)
    await until_turn_of(house, clock, table, 1)
    before = (await house.tables.snapshot(table)).moves
    lose_answer(house.store, monkeypatch, readable=False)
    with suppress(Declined):
        await house.choose(table, 1)
    monkeypatch.undo()
    await house.tables.play.hand(house.by(1, table))
    await forward(house, clock, seconds=3)
    assert (await house.tables.snapshot(table)).moves >= before + 2


async def test_f34_a_table_whose_end_was_stored_without_an_answer_is_not_looked_at_for_ever(
    house: Offline, people: People, clock: Clock, monkeypatch
):
    table, save = await house.lobby(people[0]), house.store.tables.save

    async def unanswered(change):
        await save(change)
        raise UnavailableError

    monkeypatch.setattr(house.store.tables, "save", unanswered)
    await forward(house, clock, minutes=15)
    await forward(house, clock, seconds=5)
    assert (await house.tables.snapshot(table)).table.status == "expired"
    assert (clock.waiting, clock.table_count, house.heard[-1].table.status) == (0, 0, "expired")


def test_paces_are_those_of_the_rules_of_the_house():
    def seconds(pace):
        table = made_table(status="playing", pace=pace)
        phases = [timing.time_for(table, phase) for phase in ("play", "exchange", "call")]
        rest = timing.grace(table), timing.kept_for(table), timing.time_to_answer(table)
        return [each.total_seconds() for each in (*phases, *rest)]

    assert {pace: seconds(pace) for pace in get_args(Pace)} == {
        "quick": [45, 90, 20, 15, 900, 30],
        "normal": [180, 300, 45, 60, 900, 60],
        "slow": [86_400, 86_400, 43_200, 21_600, 86_400, 900],
    }


def test_a_schedule_finds_what_is_due_without_looking_at_the_rest(house: Offline):
    schedule, start = Schedule(), house.time()
    for number in range(10_000):
        schedule.put(number, start + timedelta(seconds=number))
    schedule.put(7, start + timedelta(seconds=20_000))
    schedule.put(8, None)
    schedule.put(9, start + timedelta(seconds=5))
    asked = []
    assert schedule.due(start + timedelta(seconds=9), asked.append) == [0, 1, 2, 3, 4, 5, 9, 6]
    assert len(asked) == 8
    assert schedule.next() == start + timedelta(seconds=10)
    schedule.put(10, start + timedelta(seconds=20_000))
    schedule.put(11, None)
    assert schedule.next() == start + timedelta(seconds=12), "the clock does not wake for times that have changed"


def test_what_is_held_stays_in_a_schedule_until_it_is_released(house: Offline):
    schedule, start = Schedule(), house.time()
    schedule.put(1, start)
    schedule.put(2, start + timedelta(seconds=1))
    assert schedule.due(start, lambda _: True) == []
    assert schedule.due(start + timedelta(seconds=1), lambda each: each == 1) == [2]
    assert (schedule.next(), schedule.times) == (None, {1: start})
    schedule.release(timedelta(seconds=30))
    assert schedule.due(start + timedelta(seconds=29), lambda _: False) == []
    assert schedule.due(start + timedelta(seconds=30), lambda _: False) == [1]


def test_a_schedule_of_few_tables_stays_small_however_often_they_change(house: Offline):
    schedule = Schedule()
    for number in range(10_000):
        schedule.put(number % 3, house.time() + timedelta(seconds=number))
    assert len(schedule._heap) <= 110
    assert sorted(schedule.due(house.time() + timedelta(days=1), lambda _: False)) == [0, 1, 2]
