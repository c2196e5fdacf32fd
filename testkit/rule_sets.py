"""Hypothesis strategies for rule sets. Options and parts of powers are drawn one by one, so that failures name few."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from game.rules import OPTIONS, POWER_KEYS, POWER_OPTIONS, Option, Rules
from game.validity import clashes
from game.variants import variants
from testkit.random_games import ALL, KEYS, nested, with_all

RANKS = st.sampled_from(KEYS)
SOME = 6
"""The largest number of options, and of powers, that a rule set changes."""


def part(name: str, option: Option) -> SearchStrategy[Any]:
    """A strategy for the values of a part of a power."""
    if isinstance(option.default, tuple):
        return st.lists(st.sampled_from(option.values), max_size=3, unique=True)
    named = {"not": RANKS.map("not:{}".format), "rank": RANKS.map("rank:{}".format)} if name == "asks" else {}
    return st.one_of(*(named.get(value, st.just(value)) for value in option.values))


PARTS = {name: part(name, option) for name, option in POWER_OPTIONS.items()}


def power(key: str) -> SearchStrategy[dict[str, Any]]:
    """A strategy for powers with any parts; only a joker can be wild."""
    return st.fixed_dictionaries({}, optional={name: PARTS[name] for name in PARTS if name != "wild" or key == "joker"})


def values(key: str) -> SearchStrategy[dict[str, Any]]:
    """A strategy for overrides that set an option."""
    return st.sampled_from(OPTIONS[key].values).map(lambda value: nested(key, value))


CHANGES = st.lists(st.one_of(*(values(key) for key in OPTIONS if key != "seats")), max_size=SOME)
POWERS = st.dictionaries(st.sampled_from(POWER_KEYS), st.none(), max_size=SOME).flatmap(
    lambda keys: st.fixed_dictionaries({key: power(key) for key in keys})
)


def changed(changes: list[dict[str, Any]], powers: dict[str, dict[str, Any]]) -> Rules:
    """The rules with these overrides and powers."""
    return with_all(Rules(seats=ALL), *changes, {"powers": powers})


RULES = st.builds(changed, CHANGES, POWERS).filter(lambda rules: not clashes(rules))
VARIANTS = st.sampled_from(sorted(variants())).map(lambda name: variants()[name].rules)
