"""What the rules make of each rank, as numbers with the same meaning at every table; and the blocks of inputs.

A player that has learned what it is worth to "go on most of what may be asked" or to "block most of what may be held"
can play under rules that it never met. So nothing here refers to a certain variant or rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from game.cards import ACE, JOKER, Rank
from game.compiled import BY_JOKER, BY_RANK, CODES, RuleBook, by_book
from game.rules import Power, Rules

RANK_COUNT: Final = JOKER + 1
"""Ranks 2 ... A and the joker."""

_POWER_TRAITS: Final[Mapping[str, Callable[[Power], bool]]] = {
    "burns": lambda power: "burn" in power.does,
    "again": lambda power: "again" in power.does,
    "reverses": lambda power: "reverse" in power.does,
    "skips": lambda power: "skip" in power.does or "skip-beneath" in power.does,
    "gives": lambda power: "give-pile" in power.does,
    "glass": lambda power: power.asks == "under",
    "free": lambda power: power.on == "anything",
    "asks lower": lambda power: power.asks in {"at-most", "below"},
    "asks same": lambda power: power.asks == "same",
    "wild": lambda power: power.wild,
    "leaves": lambda power: power.leaves,
}
TRAITS: Final = (
    *(f"height {place}" for place in range(13)),
    *("any", "joker", "height", "fits", "blocks", *_POWER_TRAITS),
)
"""For a rank: its height (one of thirteen places), a constant 1, whether it is the joker, its height as a share, the
share of demands that it answers, the share of ranks that do not answer it, and what its power does."""


@by_book
def traits_of(book: RuleBook) -> tuple[tuple[float, ...], ...]:
    """The traits of every rank under these rules, each from 0 to 1, in the order of `TRAITS`."""
    demands = [BY_RANK + rank for rank in range(JOKER) if not (book.glass[rank] or book.burning[rank])]
    return tuple(_traits(book, rank, demands) for rank in range(RANK_COUNT))


def _traits(book: RuleBook, rank: Rank, demands: list[int]) -> tuple[float, ...]:
    power = book.powers[rank]
    value = book.values[rank] if rank != JOKER else -1
    fits = sum(book.goes_on(code, ACE if power.wild else rank, rank) for code in demands) / max(len(demands), 1)
    code = BY_JOKER if rank == JOKER else BY_RANK + rank
    asks_nothing = book.glass[rank] or book.burning[rank] or power.wild
    blocks = 0 if asks_nothing else sum(not book.goes_on(code, other, other) for other in range(JOKER)) / JOKER
    places = [float(value == place) for place in range(13)]
    powers = [float(has(power)) for has in _POWER_TRAITS.values()]
    return (*places, 1.0, float(rank == JOKER), max(value, 0) / 12, fits, blocks, *powers)


USUAL_HAND: Final = 3
OPTIONS: Final[Mapping[str, Callable[[Rules], bool]]] = {
    "any": lambda _rules: True,
    "next leads after a burn": lambda rules: not rules.play.burn_again,
    "must play": lambda rules: rules.play.must_play,
    "chance when stuck": lambda rules: rules.play.chance == "stuck",
    "chance always": lambda rules: rules.play.chance == "always",
    "previous leads": lambda rules: rules.play.lead_after_pickup == "previous",
    "face-up stay": lambda rules: rules.play.face_up_pickup == "leave",
    "draws once": lambda rules: rules.play.refill == "opening",
    "stuck passes on": lambda rules: rules.play.stuck == "previous",
    "no four of a kind": lambda rules: not rules.play.four_of_a_kind,
    "large hands": lambda rules: rules.deal.hand > USUAL_HAND,
    "several packs": lambda rules: rules.deal.packs > 1,
    "first out wins": lambda rules: rules.end.aim == "winner",
    "first wins and last loses": lambda rules: rules.end.aim == "both",
    "flush": lambda rules: rules.play.flush,
    "ace low": lambda rules: rules.play.ace == "low",
}
"""What else may differ between tables, each as 0 or 1; the first is always 1."""


@by_book
def options_of(book: RuleBook) -> tuple[float, ...]:
    """The options of these rules that the traits of ranks do not show, in the order of `OPTIONS`."""
    return tuple(float(holds(book.rules)) for holds in OPTIONS.values())


# -- blocks of inputs

CARD_BLOCKS: Final[Mapping[str, int]] = {
    "hand": 4, "face-up": 2, "face-down": 2,
    "next hand": 4, "next face-up": 2, "next face-down": 2,
    "second hand": 3, "second face-up": 2, "second face-down": 2,
    "other hands": 2, "other face-up": 2, "other face-down": 1,
    "pile": 3, "unknown": 4, "play": 4, "added": 1,
}  # fmt: skip
"""The blocks of cards, each with the largest number of cards of one rank that it tells apart."""

FACT_BLOCKS: Final[Mapping[str, int]] = {
    "asked": CODES, "stock": 6, "pile size": 8, "seats left": 4, "turn": 4, "fewest": 4,
    "hand size": 8, "down left": 4, "next hand size": 8, "next hidden": 4, "next down left": 4,
    "second hand size": 8, "second hidden": 4, "second down left": 4,
    "pick up": 1, "flip": 1, "chance": 1, "low": 1, "sequence": 1,
    "stays": 4, "burns": 8, "blocks": 6, "again": 1, "goes out": 1, "ends zone": 1,
}  # fmt: skip
"""The blocks of facts, each with its number of rows; the rows of `asked` are made from the ranks that may follow."""


def buckets(*tops: int) -> tuple[int, ...]:
    """A table from numbers to buckets: bucket 0 reaches up to the first of `tops`, 1 up to the second, and so on."""
    return tuple(sum(number > top for top in tops) for number in range(tops[-1] + 2))


PILE_SIZES: Final = buckets(0, 1, 2, 4, 7, 11, 17)


def bucket(table: tuple[int, ...], number: int) -> int:
    """The bucket of a number by a table of `buckets`; the last bucket is open."""
    return table[number] if number < len(table) else table[-1]
