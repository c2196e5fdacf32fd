"""Reads and writes cards, piles and seats as text (docs/rules.md section 6), ignoring case and extra spaces.

Moves are written by their own classes and read by `game.moves.parse_move`.
"""

from __future__ import annotations

from collections.abc import Iterable

from game.cards import Card, Face, NotAMoveError, folded, format_card, format_face, parse_card, parse_face

EMPTY = "-"


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse cards separated by spaces; `-` stands for none. `NotACardError` if one of them is not a card."""
    return tuple(map(parse_card, _words(text)))


def format_cards(cards: Iterable[Face]) -> str:
    """Cards, or the faces of a pile bottom to top, separated by spaces; `-` for none."""
    return " ".join(map(format_face, cards)) or EMPTY


def parse_pile(text: str) -> tuple[Face, ...]:
    """Parse faces, bottom to top; `-` stands for an empty pile. `NotACardError` if one of them is not a face."""
    return tuple(map(parse_face, _words(text)))


def parse_slots(text: str) -> tuple[tuple[Card, ...], ...]:
    """Parse face-up slots in order, cards in a stack joined by `+`; `-`: none. `NotACardError` if one is not a card."""
    return tuple(tuple(map(parse_card, word.split("+"))) for word in _words(text))


def format_slots(slots: Iterable[tuple[Card, ...]]) -> str:
    """Slots in order, stacked cards joined by `+`; `-` for none."""
    return " ".join("+".join(format_card(card) for card in slot) for slot in slots) or EMPTY


def parse_seat(text: str) -> tuple[tuple[Card, ...], tuple[tuple[Card, ...], ...], tuple[Card, ...]]:
    """Parse `hand | face-up | face-down` into hand, slots and face-down cards.

    Raises:
        NotAMoveError: there are not three parts.
        NotACardError: a part holds something that is not a card.
    """
    parts = text.split("|")
    if len(parts) != 3:  # noqa: PLR2004 - a seat has three zones
        raise NotAMoveError(text)
    return parse_cards(parts[0]), parse_slots(parts[1]), parse_cards(parts[2])


def format_seat(hand: Iterable[Card], slots: Iterable[tuple[Card, ...]], down: Iterable[Card]) -> str:
    """A seat as `hand | face-up | face-down`."""
    return f"{format_cards(hand)} | {format_slots(slots)} | {format_cards(down)}"


def parse_seat_letter(text: str) -> int:
    """Parse a seat letter, `A` (seat 0) to `Z`, in either case. `NotAMoveError` if it is not one."""
    letter = folded(text.strip())
    if len(letter) != 1 or not "a" <= letter <= "z":
        raise NotAMoveError(text)
    return ord(letter) - ord("a")


def format_seat_letter(seat: int | None) -> str:
    """The letter of a seat, `A` for seat 0; `-` for none."""
    return EMPTY if seat is None else chr(ord("A") + seat)


def _words(text: str) -> list[str]:
    words = text.split()
    return [] if words == [EMPTY] else words
