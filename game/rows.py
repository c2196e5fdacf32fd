"""Sequences: cards of consecutive rising rank in one suit, played as if one after another (R34)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game.asking import BY_RANK, FREE, GLASS
from game.cards import card_of, face_rank, is_joker, suit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from game.cards import Face
    from game.compiled import RuleBook
    from game.plays import Laid
    from game.state import State

SHORTEST_SEQUENCE: Final = 2


def as_row(cards: tuple[Face, ...]) -> tuple[Face, ...] | None:
    """The cards in rising order when they are two or more of consecutive rank in one suit (R34), else None."""
    if (
        len(cards) < SHORTEST_SEQUENCE
        or any(is_joker(card_of(face)) for face in cards)
        or len({suit_of(face) for face in cards}) != 1
    ):
        return None
    rising = sorted(cards, key=face_rank)
    ranks = [face_rank(face) for face in rising]
    return tuple(rising) if ranks == list(range(ranks[0], ranks[0] + len(ranks))) else None


def rows_in(state: State, zone: int) -> list[Laid]:
    """The legal sequences of the seat on turn from the cards of `zone`."""
    book = state.book
    if not book.rows_by_shift:
        return _rows_by_ladder(state, zone)
    zone &= book.no_jokers
    starts = zone & zone >> 4 & book.fits[state.top]
    found: list[Laid] = []
    while starts:
        bit = starts & -starts
        starts ^= bit
        length, following = SHORTEST_SEQUENCE, bit << 8
        while following & zone:
            length += 1
            following <<= 4
        rank = bit.bit_length() - 1 >> 2
        if book.glass[rank]:
            found += _from(state, tuple(bit << 4 * step for step in range(length)), rank)
        else:
            found += book.climbs.get((bit, length)) or _climb(book, bit, length)
    return found


def _climb(book: RuleBook, first: int, length: int) -> tuple[Laid, ...]:
    """The sequences that begin with a card which is not transparent: what the pile asks does not matter any more."""
    bits = tuple(first << 4 * step for step in range(length))
    found = tuple(_steps(book, bits, first.bit_length() - 1 >> 2, FREE, GLASS))
    book.climbs[first, length] = found
    return found


def _rows_by_ladder(state: State, zone: int) -> list[Laid]:
    """The same for several packs, where neighbours do not lie side by side in a mask."""
    book = state.book
    found: list[Laid] = []
    for bits in book.ladders(zone):
        for start in range(12):
            if bits[start] and bits[start + 1] and bits[start] & book.fits[state.top]:
                found += _from(state, bits[start:], start)
    return found


def _from(state: State, bits: tuple[int, ...], start: int) -> Iterator[Laid]:
    """The sequences that begin with the first of `bits`, a card of the `start`-th rank from below."""
    beneath = state.book.top_of(state.pile) if state.pile else GLASS
    return _steps(state.book, bits, start, state.top, beneath)


def _steps(book: RuleBook, bits: tuple[int, ...], start: int, top: int, beneath: int) -> Iterator[Laid]:
    """Card by card; `beneath` is what the pile asks under a transparent card, `GLASS` without a pile."""
    mask = 0
    for index, bit in enumerate(bits, start):
        if not bit & book.fits[top]:
            return
        mask |= bit
        if index > start:
            yield from book.row(mask)
        rank = index
        if book.burning[rank]:
            return
        if not book.glass[rank]:
            beneath = BY_RANK + rank
        elif beneath == GLASS:
            beneath = book.bare_code(rank)
        top = beneath
