"""In small positions near the end, check and list agree for every option and for every pair of options.

Every set of cards that a seat holds is checked in every way it could be played; exactly those that pass are listed.
"""

import random
from itertools import combinations

import pytest

from game.moves import advance
from game.rules import OPTIONS, POWER_OPTIONS, Power, Rules
from game.validity import clashes
from testkit.agreement import check_exhaustively
from testkit.found import instance_of
from testkit.random_games import KEYS, moves_of, nested, random_part, random_position, with_all

RANKS = (3, 8, 9)
"""Fives, tens and jacks; the positions also have jokers and the ranks that are given a power."""
POWERED = ("5", "joker")
KEYS_OF_ALL = [*(key for key in OPTIONS if key != "seats"), *(f"powers.{part}" for part in POWER_OPTIONS)]
BASE = Rules(seats=(2, 12)).changed_with({"deal": {"jokers": 2}})
STEPS = 3


def values(rng, key):
    """Every value of an option as overrides; two random values if it is part of a power."""
    part = key.removeprefix("powers.")
    if part == key:
        return [nested(key, value) for value in OPTIONS[key].values]
    ranks = [rank for rank in POWERED if part != "wild" or rank == "joker"]
    found = [random_part(rng, part, POWER_OPTIONS[part]) for _ in range(2)]
    return [{"powers": {rank: {part: value} for rank in ranks}} for value in found]


def asked(rng, rules: Rules):
    """Check a random position and some that follow from it; return how many moves were checked."""
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
def test_check_and_list_agree_for_every_option(key):
    rng = random.Random(key)
    for change in values(rng, key):
        counts = [asked(rng, BASE.changed_with(change)) for _ in range(12)]
        assert sum(counts) > 300 or clashes(BASE.changed_with(change))


@pytest.mark.long
@pytest.mark.parametrize("key", KEYS_OF_ALL)
def test_check_and_list_agree_for_every_pair_of_options(key):
    rng = random.Random(key)
    others = [other for one, other in combinations(KEYS_OF_ALL, 2) if one == key]
    for other in others:
        rules = with_all(BASE, rng.choice(values(rng, key)[1:]), rng.choice(values(rng, other)[1:]))
        assert sum(asked(rng, rules) for _ in range(2)) or clashes(rules)


def test_all_options_and_all_parts_of_powers_are_tried():
    sections = [field.annotation for name, field in Rules.model_fields.items() if name not in {"seats", "powers"}]
    options = [name for section in sections for name in instance_of(type, section).model_fields]
    assert len(KEYS_OF_ALL) == len(options) + len(Power.model_fields)
    assert all(len(option.values) > 1 for option in (*OPTIONS.values(), *POWER_OPTIONS.values()))
    assert len(KEYS) == 13
