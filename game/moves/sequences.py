"""Sequences: consecutive ranks of one suit in rising order, played as if one card after another (R34)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Final, TypeAlias, TypeVar

from game.cards import JOKER, SUITS, Card, Face, lowest, rank_of
from game.compiled import BY_RANK, FREE, GLASS, RuleBook, book_of
from game.rules import Rules

Item = TypeVar("Item")
Make: TypeAlias = Callable[[RuleBook, int], tuple[Item, ...]]
"""Makes something of the mask of a sequence, such as its plays."""
_SAME_SUIT: Final = 0x11_1111_1111_1111
"""Multiplied by the bit of a card: the bits of its suit from that card on, and at least one more above them."""


def sequence_cards(rules: Rules, cards: Iterable[Card]) -> frozenset[Card]:
    """Those of the cards that form a sequence with others of them, whether or not it fits on the pile now."""
    book = book_of(rules)
    natural = {card for card in cards if rank_of(card) != JOKER}
    found: set[Card] = set()
    for card in natural:
        pair = (card, card + len(SUITS))  # the same suit, one rank higher
        if natural.issuperset(pair) and climb(book, book.spread(pair), FREE, GLASS) == len(pair):
            found.update(pair)
    return frozenset(found)


def climb(book: RuleBook, row: Sequence[int], top: int, below: int) -> int:
    """How many cards of a row of one-card masks can go on the pile one after another.

    `top` is the code of the pile, and `below` what it asks beneath a transparent card. Sequences are both checked and
    listed with this function.
    """
    for count, bit in enumerate(row):
        if not bit & book.fits[top]:
            return count
        rank = book.card(bit) >> 2
        if book.burning[rank]:
            return count + 1
        if not book.glass[rank]:
            below = BY_RANK + rank
        elif below == GLASS:
            below = book.bare_code(rank)
        top = below
    return len(row)


def beneath(book: RuleBook, pile: tuple[Face, ...]) -> int:
    """The `below` of `climb`: what the pile asks through a transparent card; `GLASS` if there is no pile."""
    return book.top_of(pile) if pile else GLASS


def rows_in(book: RuleBook, zone: int, pile: tuple[Face, ...], top: int, make: Make[Item]) -> list[Item]:
    """Call `make` with the mask of each sequence in `zone` that may go on the pile; collect what it returns."""
    made: list[Item] = []
    if book.copies > 1:
        for row in _longest_rows(book, zone):
            made += _sequences_of(book, row, top, beneath(book, pile), make)
        return made
    # With one copy of each card, the next higher card of a suit is four bits further up. So `zone & zone >> 4` has the
    # cards whose successor is held too, which are all possible beginnings. From there on, the row ends below the lowest
    # bit of the suit that is not in the zone; above the highest card there is always one.
    zone &= ~book.joker_mask
    starts = zone & zone >> 4 & book.fits[top]
    while starts:
        bit = lowest(starts)
        starts ^= bit
        end = lowest(bit * _SAME_SUIT & ~zone)
        try:
            made += book.climbs[bit | end]
        except KeyError:  # the first time in this book, or the first card is transparent
            made += _sequences_from(book, bit, end, pile, top, make)
    return made


def _sequences_from(
    book: RuleBook, bit: int, end: int, pile: tuple[Face, ...], top: int, make: Make[Item]
) -> tuple[Item, ...]:
    """The sequences of the row from `bit` to below `end`, from the cache once they have been worked out."""
    # The first card, which is known to fit, hides the pile unless it is transparent.
    below = beneath(book, pile)
    key = (bit | end, below) if book.glass[book.card(bit) >> 2] else bit | end
    cached: tuple[Item, ...] | None = book.climbs.get(key)
    if cached is None:
        row = [bit << 4 * step for step in range(end.bit_length() - bit.bit_length() >> 2)]
        cached = book.climbs[key] = tuple(_sequences_of(book, row, top, below, make))
    return cached


def _longest_rows(book: RuleBook, zone: int) -> Iterator[list[int]]:
    """The longest rising row from each card on; with several packs the bits of a row are not evenly spaced."""
    for suit in range(4):
        held = [zone & book.copies_of(rank * 4 + suit) for rank in range(13)]
        ladder = [lowest(copies) for copies in held]
        for start, (low, high) in enumerate(pairwise(ladder)):
            if low and high:
                yield list(takewhile(bool, ladder[start:]))


def _sequences_of(book: RuleBook, row: Sequence[int], top: int, below: int, make: Make[Item]) -> list[Item]:
    """The sequences that begin with the first card of a row and may be played."""
    count = climb(book, row, top, below)
    return [each for length in range(2, count + 1) for each in make(book, sum(row[:length]))]
