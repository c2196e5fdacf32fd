"""Check and list agree in small positions near the end, for every option alone and for every two together.

Every set of cards that a seat holds is asked for, in every way; just those that the check lets pass are listed.
"""

import random
from itertools import combinations

import pytest

from game.moves import advance
from game.options import OPTIONS, POWER_OPTIONS
from game.rules import Power, Rules
from game.validity import clashes
from testkit.agreement import check_exhaustively
from testkit.random_games import KEYS, moves_of, nested, random_part, random_position, with_all

RANKS = (3, 8, 9)
"""Fives, tens and jacks: beside them the jokers and what a power is given to."""
POWERED = ("5", "joker")
KEYS_OF_ALL = [*(key for key in OPTIONS if key != "seats"), *(f"powers.{part}" for part in POWER_OPTIONS)]
BASE = Rules(seats=(2, 12)).changed_with({"deal": {"jokers": 2}})
STEPS = 3


def values(rng, key):
    """Every value of an option as an override; of a part of a power two."""
    part = key.removeprefix("powers.")
    if part == key:
        return [nested(key, value) for value in OPTIONS[key].values]
    ranks = [rank for rank in POWERED if part != "wild" or rank == "joker"]
    found = [random_part(rng, part, POWER_OPTIONS[part]) for _ in range(2)]
    return [{"powers": {rank: {part: value} for rank in ranks}} for value in found]


def asked(rng, rules):
    """How many moves were asked for, in a position and in those that follow from it."""
    if clashes(rules):
        return 0
    state = random_position(rng, rules, rng.choice((2, 2, 3)), RANKS, (1, 1, 2, 3))
    count = check_exhaustively(state)
    for _ in range(STEPS):
        moves = moves_of(state)
        if not moves:
            break
        state = advance(state, *rng.choice(moves))
        count += check_exhaustively(state)
    return count


@pytest.mark.parametrize("key", KEYS_OF_ALL)
def test_check_and_list_agree_whatever_an_option_is(key):
    rng = random.Random(key)
    for change in values(rng, key):
        counts = [asked(rng, BASE.changed_with(change)) for _ in range(20)]
        assert sum(counts) > 500 or clashes(BASE.changed_with(change))


@pytest.mark.long
@pytest.mark.parametrize("key", KEYS_OF_ALL)
def test_check_and_list_agree_whatever_two_options_are(key):
    rng = random.Random(key)
    others = [other for one, other in combinations(KEYS_OF_ALL, 2) if one == key]
    for other in others:
        rules = with_all(BASE, rng.choice(values(rng, key)[1:]), rng.choice(values(rng, other)[1:]))
        assert sum(asked(rng, rules) for _ in range(3)) or clashes(rules)


def test_all_options_and_all_parts_of_powers_are_tried():
    sections = [field.annotation for name, field in Rules.model_fields.items() if name not in {"seats", "powers"}]
    options = [name for section in sections for name in section.model_fields]
    assert len(KEYS_OF_ALL) == len(options) + len(Power.model_fields)
    assert all(len(option.values) > 1 for option in (*OPTIONS.values(), *POWER_OPTIONS.values()))
    assert len(KEYS) == 13
