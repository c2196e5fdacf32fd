"""Every option of a table with its title and one sentence for each of its values, as `options.toml` has them.

The sentences are the rules as players read them and the choices of the house-rule builder; powers stand in
`rule_words`. Which values an option can take is known to `game.rules` alone.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias, get_args

from cogs.screens.formatter import Formatter, capital
from game.cards import SEARCH
from game.rules import POWER_KEYS, Rules, rank_of_key

Value: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class Words:
    """An option in words: a sentence for each value, or for a number one for one, one for more and one for none."""

    title: str
    always_told: bool
    values: Mapping[str, str]

    def sentence(self, value: Value) -> str:
        """What is said of a value that is no number."""
        return self.values[{True: "on", False: "off"}.get(value, "") if isinstance(value, bool) else str(value)]


def _read() -> Iterator[tuple[str, Words]]:
    words = tomllib.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))
    for table, options in words.items():
        for name, said in options.items():
            yield f"{table}.{name}", Words(said.pop("title"), said.pop("always_told", False), said)


OPTIONS: Final[Mapping[str, Words]] = dict(_read())
START_RANK: Final = "start.rank"
"""The one option that names a rank; it matters only where a card is searched for."""
SEARCHING: Final = ("face-up-then-call", "call-nearest", "thrown")
_BY_SEATS: Final = {2: 6, 3: 4, 4: 3}


def value_of(rules: Rules, key: str) -> Value:
    """The value of an option as its words name it."""
    if key.startswith("seats."):
        return rules.seats[0 if key.endswith("fewest") else 1]
    if key == "deal.by_seats":
        return "more" if rules.deal.by_seats else "none"
    table, _, name = key.partition(".")
    value: Value = getattr(getattr(rules, table), name)
    return value


def title_of(t: Formatter, key: str) -> str:
    """What an option is called in a list."""
    return t("Search from") if key == START_RANK else t(OPTIONS[key].title)


def values_of(key: str) -> Sequence[Value]:
    """All values an option can take."""
    if key == START_RANK:
        return [POWER_KEYS[rank] for rank in SEARCH]
    if key == "deal.by_seats":
        return ("none", "more")
    table, _, name = key.partition(".")
    kind: Any = Rules.model_fields[table].annotation
    if table == "seats":
        return _range(get_args(get_args(kind)[0])[1].metadata)
    field = kind.model_fields[name]
    if field.annotation is bool:
        return (False, True)
    return get_args(field.annotation) or _range(field.metadata)


def _range(bounds: Sequence[Any]) -> range:
    least = next(each.ge for each in bounds if hasattr(each, "ge"))
    return range(least, next(each.le for each in bounds if hasattr(each, "le")) + 1)


def said(t: Formatter, key: str, value: Value, rules: Rules) -> str:
    """The sentence of an option with this value, beside these rules."""
    if key == START_RANK:
        return capital(t("The search for a starter begins with {rank}.", rank=t.rank_name(rank_of_key(str(value)))))
    found = OPTIONS[key]
    if "many" in found.values:
        words, count = found.values, int(value)
        counted = t.n(words["one"], words["many"], count, count=t.number(count))
        return capital(t(words["none"]) if not count and "none" in words else counted)
    rank, hand = rank_of_key(rules.start.rank), t.number(rules.deal.hand)
    return capital(t(found.sentence(value), card=t.one_card(rank), cards=t.all_cards(rank), hand=hand))


def override(key: str, value: Value) -> dict[str, Any]:
    """What `Rules.changed_with` takes to set this option; the two of `seats` are set by `rule_edits`."""
    if key == "deal.by_seats":
        return {"deal": {"by_seats": _BY_SEATS if value == "more" else {}}}
    table, _, name = key.partition(".")
    return {table: {name: value}}


def option_sentence(t: Formatter, key: str, rules: Rules) -> str:
    """What an option says in these rules."""
    if key != "deal.by_seats" or not rules.deal.by_seats:
        return said(t, key, value_of(rules, key), rules)
    each = [
        t("{cards} of everything with {seats}", cards=t.number(size), seats=t.number(seats))
        for seats, size in sorted(rules.deal.by_seats.items())
    ]
    return t("Dealt by the number of players: {sizes}.", sizes=t.listing(each))
