"""What the clock does at a table, and what the players can have it do, depends on no hidden card.

Of two positions that look the same to everybody, a seat would otherwise learn which one it is: from the pause before a
computer's move, from a deadline, or from whether it may have somebody else's turn played.
"""

import random
from datetime import timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from data.guild_models import GuildSettings
from game.moves import advance
from tables.gameplay import views_of
from tables.loaded import LoadedTable
from tables.play_service import decide_come_back, decide_play_for, decide_remind
from tables.snapshots import Declined
from tables.timekeeping import decide_time_up
from testkit.disguise import disguised
from testkit.made import START, made_table
from testkit.offline import request_at
from testkit.random_games import random_deal, random_move, random_seats
from testkit.rule_sets import RULES, VARIANTS

LATER = [timedelta(seconds=seconds) for seconds in (-170, -50, -1, 0, 59, 60)]
"""Moments before and after the deadline: no reminder yet, reminders, time is up, others may play, the clock plays."""


def some_table(rng, seats):
    """A table in play with computers, and with people who left or are away."""
    table = made_table(seats=seats, status="playing", turn_since=START)
    for seat in range(seats):
        absent = rng.choice(({}, {}, {"left": True}, {"away": True}))
        computer = {"user_id": None, "level": rng.choice((None, "easy", "fair", "strong", "master"))}
        table = table.with_player(seat, **rng.choice((absent, computer)))
    return table


def some_state(rng, rules, seats):
    state = random_deal(rng, rules, seats)
    for _ in range(rng.choice((0, 3, 8, 20, 60))):
        if state.frame.phase != "over":
            state = advance(state, *random_move(rng, state))
    return state


def told(decide, *arguments):
    """What everybody notices of a decision: who moved (which move, the cards decide), or else the table after it."""
    try:
        made = decide(*arguments)
    except Declined as declined:
        return declined.why
    if made is None:
        return None
    return made.move.seat if made.move else made.after.table


def noticed(table, state):
    """The reason for a pause, and all that can happen at the table without a card being chosen by a person."""
    revisions = (table.revision,) * len(table.players)
    loaded = LoadedTable(table, GuildSettings(guild_id=1), "", views_of(state), seat_revisions=revisions)
    yield loaded.due()
    for after in LATER:
        yield told(decide_time_up, loaded, table.deadline + after, random.Random(1))
    for who in table.people:
        request = request_at(table, who.user_id, id=9)
        yield told(decide_come_back, loaded, request, START)
        yield told(decide_remind, loaded, request)
        for after in LATER:
            yield told(decide_play_for, loaded, request, table.deadline + after, random.Random(1))


@pytest.mark.long
@given(RULES | VARIANTS, st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_what_happens_at_a_table_by_itself_tells_nothing_of_hidden_cards(rules, seed):
    rng = random.Random(seed)
    seats = random_seats(rng, rules, 5)
    table, state = some_table(rng, seats), some_state(rng, rules, seats)
    # Who holds the rank that is called for, and which computer can move out of turn, shows by what they do (R4, R39).
    assume(state.frame.phase not in {"call", "over"} and not rules.play.interrupt and not rules.play.follow_up)
    assert list(noticed(table, state)) == list(noticed(table, disguised(state, rng)))
