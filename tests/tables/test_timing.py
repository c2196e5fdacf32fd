"""Durations by pace, reminders, and when the clock looks at a table."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from data.guild_models import GuildSettings
from game.deal import deal, full_pack
from game.rules import Rules
from tables.gameplay import abandoned, views_of
from tables.loaded import LoadedTable
from tables.timekeeping import decide_extend_deadline, decide_pause, decide_time_up, decide_wake
from tables.timing import grace, kept_for, next_check, nudge_at, time_for, warn_at, was_just_posted
from testkit.found import not_none
from testkit.made import START, made_table, with_computer


@pytest.mark.parametrize(
    ("pace", "stretch", "wanted", "seconds"),
    [("quick", 1, 60, 30), ("quick", 2, 60, 60), ("normal", 1, 60, 60), ("normal", 1, 300, 120), ("quick", 1, 20, 20)],
)
def test_a_reminder_comes_at_the_latest_after_two_thirds_of_the_time(pace, stretch, wanted, seconds):
    table = made_table(status="playing", pace=pace, stretch=stretch, turn_since=START)
    table = table.but(deadline=START + time_for(table, "play"))
    assert nudge_at(table, wanted) == START + timedelta(seconds=seconds)


MINUTE, HOUR = 60, 3600


@pytest.mark.parametrize(
    ("pace", "exchange", "call", "turn", "more", "kept"),
    [
        ("quick", 90, 20, 45, 15, 15 * MINUTE),
        ("normal", 5 * MINUTE, 45, 3 * MINUTE, MINUTE, 15 * MINUTE),
        ("slow", 24 * HOUR, 12 * HOUR, 24 * HOUR, 6 * HOUR, 24 * HOUR),
    ],
)
@pytest.mark.parametrize("stretch", [1, 4])
def test_each_pace_has_its_times_which_can_be_stretched(pace, exchange, call, turn, more, kept, stretch):
    table = made_table(status="playing", pace=pace, stretch=stretch)
    times = *(time_for(table, phase) for phase in ("exchange", "call", "play")), grace(table)
    assert [each.total_seconds() for each in times] == [stretch * each for each in (exchange, call, turn, more)]
    assert kept_for(table).total_seconds() == kept
    assert time_for(table.but(status="lobby"), "").total_seconds() == 15 * MINUTE


def slow(**changes):
    """The hours until the clock looks at a table with a turn of a day: with two times for reminders, and with none."""
    table = made_table(status="playing", pace="slow", turn_since=START, deadline=START + timedelta(days=1))
    table = table.but(**changes)
    looks = (next_check(table, seconds) for seconds in (20 * HOUR, 1, 0))
    return [each and (each - START).total_seconds() / HOUR for each in looks]


def test_the_clock_looks_at_a_slow_table_for_both_reminders_and_the_end():
    second = 1 / HOUR
    assert slow() == [16, pytest.approx(second), 24]
    assert slow(nudged=True) == [20, 20, 24]
    assert slow(nudged=True, warned=True) == [24, 24, 24]
    assert slow(nudged=True, overdue=True) == [30, 30, 30]
    assert slow(nudged=True, pace="normal") == [24, 24, 24]


@pytest.mark.parametrize("rests", [{"status": "over"}, {"deadline": None}])
def test_the_clock_does_not_look_at_a_table_without_a_running_clock(rests):
    assert slow(**rests) == [None] * 3


def test_the_clock_looks_at_a_paused_table_a_week_after_its_deadline():
    assert slow(paused=True) == [8 * 24] * 3


def test_the_clock_looks_at_a_game_that_nobody_plays_when_it_is_to_be_ended():
    assert slow(turn_since=None, overdue=True, nudged=True, warned=True) == [24] * 3


@pytest.mark.parametrize("pace", ["quick", "normal", "slow"])
def test_a_lobby_is_open_for_a_quarter_of_an_hour_at_any_pace(pace):
    assert kept_for(made_table(status="lobby", pace=pace)) == timedelta(minutes=15)


def test_a_message_that_is_gone_was_not_just_posted():
    assert was_just_posted(made_table(message_id=7, placed_at=START), START)
    assert not was_just_posted(made_table(message_id=None, placed_at=START), START)


def test_nobody_is_reminded_in_a_lobby():
    assert slow(status="lobby") == [24] * 3
    table = made_table(status="lobby", pace="slow", turn_since=START)
    assert (nudge_at(table, 60), warn_at(table, 60)) == (None, None)


@pytest.mark.parametrize("rests", [{"paused": True}, {"status": "over"}, {"deadline": None}])
def test_time_is_never_up_without_a_running_clock(rests):
    late = {"status": "playing", "turn_since": START, "deadline": START + timedelta(minutes=1), **rests}
    assert decide_time_up(loaded(**late), START + timedelta(hours=1), Random(1)) is None


@pytest.mark.parametrize("changes", [{"nudged": True}, {"overdue": True}, {"turn_since": None}, {"deadline": None}])
def test_nobody_is_reminded_twice_or_without_a_running_clock(changes):
    table = made_table(**{"status": "playing", "turn_since": START, **changes})
    assert nudge_at(table, 60) is None


@pytest.mark.parametrize(("wanted", "comes"), [(1, True), (0, False), (-1, False)])
def test_there_is_no_reminder_if_reminders_are_off(wanted, comes):
    assert (nudge_at(made_table(status="playing", turn_since=START), wanted) is not None) is comes


def loaded(**changes):
    return LoadedTable(made_table(**changes), GuildSettings(guild_id=1), "00")


@pytest.mark.parametrize("rests", [{"status": "over"}, {"deadline": None}])
def test_after_an_outage_a_table_without_a_running_clock_gets_no_time(rests):
    resting = loaded(**rests)
    assert decide_wake(resting, timedelta(days=9), START) is None
    assert decide_extend_deadline(resting, timedelta(minutes=5), START, START) is None


def test_after_an_outage_the_remaining_time_is_restored_or_a_minimum_given():
    table = loaded(status="playing", turn_since=START, overdue=True)
    now = START + timedelta(minutes=5)
    later = decide_extend_deadline(table, timedelta(minutes=5), now, now).after.table
    assert (later.turn_since, later.deadline) == (START + timedelta(minutes=5), START + timedelta(minutes=8))
    assert decide_wake(table, timedelta(minutes=3), START) is None
    woken = decide_wake(table, timedelta(minutes=4), START).after.table
    assert (woken.deadline, woken.overdue) == (START + timedelta(minutes=4), False)
    alone = loaded(status="playing", overdue=True)
    assert decide_wake(alone, timedelta(minutes=4), START).after.table.overdue, "it still closes, and nobody is on turn"


@pytest.mark.parametrize(
    ("began", "outage", "until", "begins"),
    [(0, 60, 10, 11), (10, 5, 9, 10), (10, 60, 11, 11)],
    ids=["before the outage", "after it", "during it"],
)
def test_after_an_outage_a_turn_begins_anew_at_most_the_grace_from_now(began, outage, until, begins):
    table = loaded(status="playing", turn_since=START + timedelta(minutes=began))
    now, over = START + timedelta(minutes=10), START + timedelta(minutes=until)
    later = decide_extend_deadline(table, timedelta(minutes=outage), over, now).after.table
    assert later.turn_since == START + timedelta(minutes=begins)
    gained = later.turn_since - not_none(table.table.turn_since)
    assert not_none(later.deadline) - not_none(table.table.deadline) == gained


def test_a_turn_that_began_by_a_clock_that_was_fast_begins_at_most_the_grace_from_now():
    began = START + timedelta(days=9)
    early = loaded(status="playing", turn_since=began, deadline=began + timedelta(minutes=3))
    for corrected in (
        decide_wake(early, timedelta(), START),
        decide_extend_deadline(early, timedelta(), START, START),
    ):
        table = corrected.after.table
        assert (table.turn_since, table.deadline) == (START + timedelta(minutes=1), START + timedelta(minutes=4))


def test_a_slow_turn_is_reminded_once_early_and_once_late():
    day = loaded(status="playing", pace="slow", turn_since=START, deadline=START + timedelta(days=1))
    day = replace(day, settings=GuildSettings(guild_id=1, nudge_seconds=HOUR))
    first = decide_time_up(day, START + timedelta(hours=1), Random(1)).after
    assert (first.table.nudged, first.table.warned) == (True, False)
    assert decide_time_up(first, START + timedelta(hours=19), Random(1)) is None
    last = decide_time_up(first, START + timedelta(hours=20), Random(1)).after
    assert last.table.warned
    assert decide_time_up(last, START + timedelta(hours=21), Random(1)) is None


def test_who_is_away_is_not_reminded():
    away = loaded(status="playing", turn_since=START)
    away = replace(away, table=away.table.with_player(0, away=True).with_player(1, away=True))
    assert decide_time_up(away, START + timedelta(minutes=2), Random(1)) is None


def test_who_was_reminded_in_time_is_not_reminded_again_when_it_is_up():
    views = views_of(deal(Rules(), 2, full_pack(Rules(), 2), 0))
    late = replace(loaded(status="playing", turn_since=START, nudged=True, nudge_id=7), views=views)
    overdue = decide_time_up(late, late.table.deadline, Random(1)).after.table
    assert (overdue.overdue, overdue.nudge_id) == (True, 7)


def test_a_game_whose_record_cannot_be_replayed_is_aborted_when_time_is_up():
    unread = loaded(status="playing", started_at=START, turn_since=START)
    assert decide_time_up(unread, unread.table.deadline, Random(1)).after.table.status == "aborted"


def test_a_game_that_was_paused_for_a_week_is_aborted_with_all_people_away():
    paused = loaded(status="playing", started_at=START, turn_since=START, paused=True)
    paused = replace(paused, table=with_computer(paused.table, 1))
    week = paused.table.deadline + timedelta(days=7)
    assert decide_time_up(paused, week - timedelta(seconds=1), Random(1)) is None
    ended = decide_time_up(paused, week, Random(1)).after.table
    assert ended.status == "aborted"
    assert [player.away for player in ended.players] == [True, False]


def test_at_an_abandoned_table_nobody_is_reminded_and_no_computer_plays():
    table = abandoned(made_table(status="playing", turn_since=START), START)
    assert (table.turn_since, table.deadline) == (None, START + kept_for(table))
    assert table.nudged
    assert table.warned
    assert table.overdue


@pytest.mark.parametrize(("changes", "paused"), [({"status": "over"}, True), ({"paused": True}, True), ({}, False)])
def test_a_table_is_paused_once_and_only_while_it_is_in_use(changes, paused):
    assert decide_pause(loaded(**changes), START, paused=paused) is None
