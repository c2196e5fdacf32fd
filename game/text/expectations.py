"""Comparing a state with what a scenario expects: the Expect part (docs/scenarios.md).

Every key is optional; only what is named is compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from game.moves import Play, format_move, other_moves, parse_move, turn_moves
from game.moves.plays import named
from game.rules import is_table
from game.state import NOBODY
from game.text.notation import (
    format_cards,
    format_pile,
    format_seat,
    format_seat_letter,
    parse_cards,
    parse_pile,
    parse_seat,
    parse_seat_letter,
)
from game.text.position import BadPositionError
from game.views import next_dealer

if TYPE_CHECKING:
    from game.moves import Refusal
    from game.state import Seat, State


@dataclass(frozen=True, slots=True)
class Found:
    """What a scenario led to: first and last state, the names of the last move's events, why it was refused."""

    start: State
    state: State
    names: tuple[str, ...]
    refusal: Refusal | None


def _letter(seat: int) -> str:
    return "-" if seat == NOBODY else format_seat_letter(seat)


def _text(seat: Seat, state: State) -> str:
    book = state.book
    return format_seat(
        book.cards(seat.hand), [tuple(book.cards(slot)) for slot in seat.slots], tuple(map(book.card, seat.down))
    )


def _same_seat(wanted: str, seat: Seat, state: State) -> bool:
    hand, slots, down = parse_seat(wanted)
    book = state.book
    mine = [sorted(book.cards(slot)) for slot in seat.slots]
    return (
        sorted(hand) == sorted(book.cards(seat.hand))
        and [sorted(slot) for slot in slots] == mine
        and down == tuple(map(book.card, seat.down))
    )


_SIMPLE: Mapping[str, Callable[[Found], object]] = {
    "stock_count": lambda found: len(found.state.stock),
    "burned_count": lambda found: (found.state.burned & ~found.start.burned).bit_count(),
    "turn": lambda found: _letter(found.state.turn),
    "direction": lambda found: "cw" if found.state.direction == 1 else "ccw",
    "phase": lambda found: found.state.frame.phase,
    "dealer": lambda found: _letter(found.state.frame.dealer),
    "flush": lambda found: _letter(found.state.frame.flush),
    "next_dealer": lambda found: _letter(next_dealer(found.state)) if found.state.frame.phase == "over" else "-",
    "out": lambda found: [_letter(seat) for seat in found.state.frame.out],
    "shithead": lambda found: _letter(found.state.frame.shithead),
    "winner": lambda found: _letter(found.state.frame.winner),
    "refusal": lambda found: found.refusal.value if found.refusal else "accepted",
    "events": lambda found: list(found.names),
}
EXPECT_KEYS = frozenset({*_SIMPLE, "seats", "pile", "stock", "legal", "others"})


def is_known(key: str, value: object) -> bool:
    """Whether `expect` may hold this key; `seats` and `others` hold a table by seat letter."""
    if key not in EXPECT_KEYS:
        return False
    return key not in {"seats", "others"} or (
        is_table(value) and all(len(str(name)) == 1 and "A" <= str(name) <= "L" for name in value)
    )


def compare(expect: Mapping[str, Any], found: Found) -> list[str]:
    """A sentence for each key whose value is not what was found.

    Raises:
        BadPositionError: an expected value makes no sense; `args[0]` names the key.
    """
    differences: list[str] = []
    for key, wanted in expect.items():
        try:
            differences += _compare(key, wanted, found)
        except (ValueError, AttributeError, TypeError, IndexError) as error:
            raise BadPositionError(f"expect.{key}") from error
    return differences


def _compare(key: str, wanted: Any, found: Found) -> list[str]:
    state = found.state
    if key in _SIMPLE:
        value = _SIMPLE[key](found)
        return [] if value == wanted else [f"{key}: expected {wanted}, found {value}"]
    if key == "pile":
        same = parse_pile(wanted) == state.pile
        return [] if same else [f"pile: expected {wanted}, found {format_pile(state.pile)}"]
    if key == "stock":
        stock = tuple(map(state.book.card, state.stock))
        return [] if parse_cards(wanted) == stock else [f"stock: expected {wanted}, found {format_cards(stock)}"]
    if key == "seats":
        chairs = [(name, text, state.seats[parse_seat_letter(name)]) for name, text in wanted.items()]
        return [
            f"seats.{name}: expected {text}, found {_text(seat, state)}"
            for name, text, seat in chairs
            if not _same_seat(text, seat, state)
        ]
    if key == "legal":
        return _compare_moves(key, wanted, turn_moves(state), state)
    return [
        line
        for name, moves in wanted.items()
        for line in _compare_moves(f"others.{name}", moves, other_moves(state, parse_seat_letter(name)), state)
    ]


def _compare_moves(key: str, wanted: list[str], moves: list[Any], state: State) -> list[str]:
    expected = Counter(format_move(_named(parse_move(text), state)) for text in wanted)
    there = Counter(format_move(move) for move in moves)
    if expected == there:
        return []
    missing, surplus = sorted((expected - there).elements()), sorted((there - expected).elements())
    return [f"{key}: expected but not found {missing}, found but not expected {surplus}"]


def _named(move: Any, state: State) -> Any:
    """A play with its wild jokers named after the rest of the set, as `legal` lists them (R38)."""
    return named(state.book, move) if isinstance(move, Play) else move
