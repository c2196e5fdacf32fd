"""What the rules make of each rank, as numbers with the same meaning at every table; and the blocks of inputs.

A player that has learned what it is worth to "go on most of what may be asked" or to "block most of what may be held"
can play under rules that it never met. So nothing here refers to a certain variant or rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from game.cards import ACE, JOKER, Rank
from game.compiled import BY_JOKER, BY_RANK, CODES, RuleBook, by_book
from game.rules import Power

RANK_COUNT: Final = JOKER + 1
"""Ranks 2 ... A and the joker."""

TRAITS: Final = (
    *(f"height {place}" for place in range(13)),
    *("any", "joker", "height", "fits", "blocks", "burns", "again", "reverses", "skips", "gives"),
    *("glass", "free", "asks lower", "asks same", "wild", "leaves"),
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
    return (*places, 1.0, float(rank == JOKER), max(value, 0) / 12, fits, blocks, *_powers(power))


def _powers(power: Power) -> tuple[float, ...]:
    does = set(power.does)
    flags = (
        "burn" in does,
        "again" in does,
        "reverse" in does,
        bool({"skip", "skip-beneath"} & does),
        "give-pile" in does,
        power.asks == "under",
        power.on == "anything",
        power.asks in {"at-most", "below"},
        power.asks == "same",
        power.wild,
        power.leaves,
    )
    return tuple(map(float, flags))


USUAL_HAND: Final = 3
OPTIONS: Final = (
    *("any", "next leads after a burn", "must play", "chance when stuck", "chance always", "previous leads"),
    *("face-up stay", "draws once", "stuck passes on", "no four of a kind", "large hands", "several packs"),
    *("first out wins", "first wins and last loses", "flush", "ace low"),
)
"""What else may differ between tables, each as 0 or 1; the first is always 1."""


@by_book
def options_of(book: RuleBook) -> tuple[float, ...]:
    """The options of these rules that the traits of ranks do not show, in the order of `OPTIONS`."""
    rules, play = book.rules, book.rules.play
    values = (
        True,
        not play.burn_again,
        play.must_play,
        play.chance == "stuck",
        play.chance == "always",
        play.lead_after_pickup == "previous",
        play.face_up_pickup == "leave",
        play.refill == "opening",
        play.stuck == "previous",
        not play.four_of_a_kind,
        rules.deal.hand > USUAL_HAND,
        rules.deal.packs > 1,
        rules.end.aim == "winner",
        rules.end.aim == "both",
        play.flush,
        play.ace == "low",
    )
    return tuple(map(float, values))


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


def bucket(buckets: tuple[int, ...], number: int) -> int:
    """The bucket of a number; the last one is open."""
    return buckets[number] if number < len(buckets) else buckets[-1]
