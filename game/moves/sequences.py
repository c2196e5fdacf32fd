"""Sequences: cards of consecutive rising rank in one suit, played as if one after another (R34)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from game.cards import Face
from game.compiled import BY_RANK, FREE, GLASS, RuleBook

Made = TypeVar("Made")


def climb(book: RuleBook, row: Sequence[int], top: int, below: int) -> int:
    """How many cards of a row, masks of one card each, go on the pile one after another.

    `top` is what the pile asks, `below` what it asks under a transparent card. Both the check of a sequence and the
    list of all come from here.
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
    """What a pile asks of a card that lies on a transparent one; `GLASS` without a pile."""
    return book.top_of(pile) if pile else GLASS


def rows_in(
    book: RuleBook, zone: int, pile: tuple[Face, ...], top: int, make: Callable[[RuleBook, int], tuple[Made, ...]]
) -> list[Made]:
    """What `make` makes of each sequence from the cards of `zone` that goes on the pile (`climb`)."""
    made: list[Made] = []
    if book.copies > 1:
        for row in _ladders(book, zone):
            made += _from(book, row, top, beneath(book, pile), make)
        return made
    # With one copy of each card, the next higher one of its suit is four bits further on. So `zone & zone >> 4` are the
    # cards whose next one is held as well: every possible beginning, found at once. From each the row is followed in
    # steps of four bits; `climb` says how much of it may be played.
    zone &= ~book.joker_mask
    starts = zone & zone >> 4 & book.fits[top]
    while starts:
        bit = starts & -starts
        starts ^= bit
        length, following = 2, bit << 8
        while following & zone:
            length += 1
            following <<= 4
        if book.glass[bit.bit_length() - 1 >> 2]:
            made += _from(book, [bit << 4 * step for step in range(length)], top, beneath(book, pile), make)
            continue
        made += _kept(book, bit, length, make)
    return made


def _kept(book: RuleBook, bit: int, length: int, make: Callable[[RuleBook, int], tuple[Made, ...]]) -> tuple[Made, ...]:
    """What is made of a row whose first card is not transparent."""
    # That card hides the pile, so the rest of the row depends on its cards alone: it is worked out once for each
    # beginning and length, and kept.
    kept: tuple[Made, ...] | None = book.climbs.get((bit, length))
    if kept is None:
        kept = tuple(_from(book, [bit << 4 * step for step in range(length)], FREE, GLASS, make))
        book.climbs[bit, length] = kept
    return kept


def _ladders(book: RuleBook, zone: int) -> Iterator[list[int]]:
    """The longest rising row from each card on, for several packs, where neighbours do not lie side by side."""
    for suit in range(4):
        held = [zone & book.copies_of(rank * 4 + suit) for rank in range(13)]
        ladder = [bit & -bit for bit in held]
        for start, (low, high) in enumerate(pairwise(ladder)):
            if low and high:
                yield ladder[start : next((rank for rank in range(start, 13) if not ladder[rank]), None)]


def _from(
    book: RuleBook, row: Sequence[int], top: int, below: int, make: Callable[[RuleBook, int], tuple[Made, ...]]
) -> list[Made]:
    """The sequences that begin with the first card of a row."""
    count = climb(book, row, top, below)
    return [each for length in range(2, count + 1) for each in make(book, sum(row[:length]))]
