"""Computer players know who comes after a play: what they expect is compared with what the engine does."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.cards import RANKS
from game.events import Skipped
from game.moves import BoundPlay, advance, events, format_move
from game.moves.aftermath import next_after
from game.moves.play import legal_plays
from game.players.inputs import step_after
from game.players.worlds import knowledge_in
from game.rules import POWER_KEYS, Rules
from game.state import State
from game.text.position import rules_from, set_up
from game.validity import clashes
from testkit.random_games import random_position, random_rules, random_seats, with_all
from testkit.rule_sets import RULES, VARIANTS

TURNS = {"again", "reverse", "skip", "skip-beneath"}
POWERS = st.dictionaries(
    st.sampled_from(POWER_KEYS),
    st.lists(st.sampled_from(sorted(TURNS)), min_size=1, max_size=2, unique=True).map(lambda does: {"does": does}),
    min_size=1,
    max_size=4,
)
TURNING = st.builds(lambda rules, powers: with_all(rules, {"powers": powers}), RULES | VARIANTS, POWERS).filter(
    lambda rules: not clashes(rules)
)
"""Any rules, in which some ranks also decide who is next."""
SEEDS = st.integers(0, 2**32 - 1)
KINDS = {"skips", "skips_beneath", "again", "reverses", "simple"}


def expected_by_players(state: State, play: BoundPlay):
    """The seat that the roll-out player expects after a play, and the one that network, hints and coach expect."""
    known, seat = knowledge_in(state, state.turn), state.turn
    for _ in range(step_after(known, play)):
        seat = state.ring[seat]
    return next_after(state, state.turn, play), seat


def worked_out(state: State, play: BoundPlay, after: State, told):
    """The next seat without the help of `steps_to_next`: after the seats `told` as skipped, or the same once more."""
    if told:
        return after.ring[told[0][-1]]
    return state.turn if play.again else after.ring[state.turn]


def compare(state: State):
    """Compare both with the engine for every play whose pile stays and whose seat keeps cards; count those plays.

    The engine asks `steps_to_next`, too, so it is compared with the seat worked out without it.

    They do not claim to know more: whether it burns is asked first, and going out or giving the pile away is so good
    that it matters little who is next.
    """
    seen = Counter()
    for play in legal_plays(state):
        after = advance(state, state.turn, play)
        stays = after.pile and after.frame.phase == "play" and not after.frame.duty
        if stays and after.alive == state.alive:
            assert expected_by_players(state, play) == (after.turn, after.turn), format_move(play)
            told = [each.seats for each in events(state, state.turn, play, after) if isinstance(each, Skipped)]
            assert worked_out(state, play, after, told) == after.turn, format_move(play)
            seen.update(name for name in KINDS if getattr(play, name))
    return seen


def positions(rng, rules: Rules):
    """Positions in play, made mostly of ranks that decide who is next: other plays only pass the turn on."""
    turning = [rank for rank in range(len(RANKS)) if not TURNS.isdisjoint(rules.power(rank).does)]
    for _ in range(5):
        ranks = [*rng.sample(turning, min(len(turning), 3)), rng.randrange(len(RANKS))]
        state = random_position(rng, rules, random_seats(rng, rules, 5), ranks)
        if state.frame.phase == "play":
            yield state


@given(TURNING, SEEDS)
@settings(max_examples=150)
def test_they_expect_the_seat_that_is_next_whatever_the_rules(rules, seed):
    for state in positions(random.Random(seed), rules):
        compare(state)


@pytest.mark.long
def test_the_comparison_covers_all_that_decides_who_is_next():
    rng, seen = random.Random(1), Counter()
    for _ in range(400):
        for state in positions(rng, random_rules(rng)):
            seen += compare(state)
    assert seen.keys() == KINDS
    assert min(seen.values()) > 40


JACKS_SKIP = {"powers": {"J": {"does": ["skip"]}, "joker": {"asks": "under", "does": ["skip-beneath"]}}}
WILD_JOKERS_SKIP = {"powers": {"9": {"does": ["again"]}, "joker": {"wild": True, "does": ["skip"]}}}


@pytest.mark.parametrize(
    ("powers", "own", "pile", "play", "expected"),
    [
        (JACKS_SKIP, "Xr 3c", "5h", "play Xr", "C"),
        (JACKS_SKIP, "Xr 3c", "Jh", "play Xr", "D"),
        (WILD_JOKERS_SKIP, "9h Xr 3c", "5h", "play 9h", "A"),
        (WILD_JOKERS_SKIP, "9h Xr 3c", "5h", "play 9h Xr=9", "C"),
    ],
)
def test_who_is_next_may_depend_on_the_pile_and_on_several_powers(powers, own, pile, play, expected):
    """A joker on a jack skips another seat; a joker among nines takes away the turn that they give."""
    seats = [f"{own} | - | -", *(f"{rank}c | - | -" for rank in "678")]
    state = set_up({"seats": seats, "pile": pile}, rules_from({"deal": {"jokers": 2}, **powers}))
    found = {format_move(each): expected_by_players(state, each) for each in legal_plays(state)}
    seat = "ABCD".index(expected)
    assert found[play] == (seat, seat)
    compare(state)
