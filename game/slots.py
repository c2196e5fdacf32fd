"""Face-up slots: they are played and picked up whole (R13, R33), whichever of several equal cards is meant.

Of equal cards the lowest copies are taken, so that a move means the same whether it was chosen from a list or read from
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from game.cards import Card
    from game.compiled import RuleBook
    from game.state import Seat


def stacked(seat: Seat) -> int:
    """The mask of face-up cards in slots of several cards."""
    return sum(slot for slot in seat.slots if slot & slot - 1)


def unions(slots: Sequence[int]) -> list[int]:
    """The masks of every choice of whole slots, lowest first."""
    found = [0]
    for slot in slots:
        found += [union | slot for union in found]
    return sorted(found[1:])


def pick_slot(book: RuleBook, seat: Seat, cards: Sequence[Card]) -> int | None:
    """The slot that holds exactly these cards, None when no slot does."""
    wanted = sorted(cards)
    return min((slot for slot in seat.slots if book.cards(slot) == wanted), default=None)


def pick_slots(book: RuleBook, seat: Seat, cards: Sequence[Card]) -> int | None:
    """The bits of whole slots that together hold exactly these cards, None when a slot would be split."""
    wanted = sorted(cards)
    return next((union for union in unions(seat.slots) if book.cards(union) == wanted), None)


def pick_from_zone(book: RuleBook, seat: Seat, cards: Sequence[Card]) -> int | None:
    """The bits of these cards in the hand, else in whole face-up slots."""
    return book.pick(cards, seat.hand) if seat.hand else pick_slots(book, seat, cards)
