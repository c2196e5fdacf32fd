"""How long a turn waits for its reminder."""

from datetime import timedelta

import pytest

from tables.timing import next_look, nudge_at, time_for
from testkit.made import START, made_table


@pytest.mark.parametrize(
    ("pace", "stretch", "wanted", "seconds"),
    [("quick", 1, 60, 30), ("quick", 2, 60, 60), ("normal", 1, 60, 60), ("normal", 1, 300, 120), ("quick", 1, 20, 20)],
)
def test_a_reminder_comes_as_wanted_but_never_later_than_at_two_thirds_of_the_time(pace, stretch, wanted, seconds):
    table = made_table(status="playing", pace=pace, stretch=stretch, turn_since=START)
    table = table.but(deadline=START + time_for(table, "play"))
    assert nudge_at(table, wanted) == START + timedelta(seconds=seconds)


@pytest.mark.parametrize(("nudge_seconds", "looks"), [(0, 24), (1, 20)])
def test_a_slow_turn_that_is_about_to_end_is_looked_at_where_reminders_are_wanted(nudge_seconds, looks):
    table = made_table(status="playing", pace="slow", turn_since=START, nudged=True)
    table = table.but(deadline=START + time_for(table, "play"))
    assert next_look(table, nudge_seconds) == START + timedelta(hours=looks)
