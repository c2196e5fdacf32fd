"""Compares a state with the Expect part of a scenario (docs/scenarios.md).

Every key is optional; only the keys that are given are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from game.cards import NotACardError
from game.moves import Move, Refusal, as_listed, format_move, other_moves, parse_move, turn_moves
from game.rules import is_list, is_table
from game.state import NOBODY, State
from game.text import notation
from game.text.position import BadValueError, seat_of, shown, typed_like


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a scenario: first and last state, names of the last move's events, why that move was refused."""

    start: State
    state: State
    names: tuple[str, ...]
    refusal: Refusal | None


def _letter(seat: int) -> str:
    return "-" if seat == NOBODY else notation.format_seat_letter(seat)


_SIMPLE_VALUES: Final[Mapping[str, Callable[[Outcome], str | int | list[str]]]] = {
    "stock_count": lambda outcome: len(outcome.state.stock),
    "burned_count": lambda outcome: (outcome.state.burned & ~outcome.start.burned).bit_count(),
    "turn": lambda outcome: _letter(outcome.state.turn),
    "direction": lambda outcome: "cw" if outcome.state.direction == 1 else "ccw",
    "phase": lambda outcome: outcome.state.frame.phase,
    "dealer": lambda outcome: _letter(outcome.state.frame.dealer),
    "flush": lambda outcome: _letter(outcome.state.frame.flush),
    "next_dealer": lambda outcome: _letter(outcome.state.next_dealer()) if outcome.state.frame.phase == "over" else "-",
    "out": lambda outcome: [_letter(seat) for seat in outcome.state.frame.out],
    "shithead": lambda outcome: _letter(outcome.state.frame.shithead),
    "winner": lambda outcome: _letter(outcome.state.frame.winner),
    "refusal": lambda outcome: outcome.refusal.value if outcome.refusal else "accepted",
    "events": lambda outcome: list(outcome.names),
}
EXPECT_KEYS: Final = frozenset({*_SIMPLE_VALUES, "seats", "pile", "stock", "legal", "others"})


def unknown_keys(expect: Mapping[str, Any]) -> list[str]:
    """The keys that `expect` may not have; the values of `seats` and `others` are tables keyed by seat letter."""
    by_seat = [(key, seat) for key in ("seats", "others") if is_table(expect.get(key)) for seat in expect[key]]
    wrong = [f"{key}.{seat}" for key, seat in by_seat if not (len(str(seat)) == 1 and "A" <= str(seat) <= "L")]
    return [*(str(key) for key in expect if key not in EXPECT_KEYS), *wrong]


def compare(expect: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """A sentence for each key whose expected value differs; raises `BadValueError` if one makes no sense."""
    return [line for key, wanted in expect.items() for line in _compare(f"expect.{key}", key, wanted, outcome)]


def _compare(name: str, key: str, wanted: Any, outcome: Outcome) -> list[str]:
    state, count = outcome.state, len(outcome.state.seats)
    if key in _SIMPLE_VALUES:
        value = _SIMPLE_VALUES[key](outcome)
        if isinstance(value, list):
            _list_of_texts(name, wanted)
        else:
            typed_like(value, name, wanted)
        expected = shown(wanted) if isinstance(wanted, int) else wanted
        same = str(expected).lower().split() == str(value).lower().split()  # ignore case and extra spaces
        return [] if same else [f"{key}: expected {expected}, found {value}"]
    if key in {"seats", "others"}:
        if not is_table(wanted):
            raise BadValueError(name, f"must be a table with a seat’s letter for each key, not {shown(wanted)}")
        differences: list[str] = []
        seats = {letter: seat_of(letter, count, f"{name}.{letter}") for letter in wanted}  # all, before any is compared
        for letter, seat in seats.items():
            if key == "seats":
                differences += _compare_seat(f"{key}.{letter}", wanted[letter], seat, state)
            else:
                differences += _compare_moves(f"{key}.{letter}", wanted[letter], other_moves(state, seat), state)
        return differences
    if key == "legal":
        return _compare_moves(key, wanted, turn_moves(state), state)
    text = typed_like("", name, wanted)
    if key == "pile":
        return _compare_cards(key, text, state.pile, notation.parse_pile)
    return _compare_cards(key, text, tuple(map(state.book.card, state.stock)), notation.parse_cards)


def _list_of_texts(name: str, wanted: object) -> list[str]:
    if not is_list(wanted):
        raise BadValueError(name, f"must be a list of texts, not {shown(wanted)}")
    return [typed_like("", name, each) for each in wanted]


def _compare_cards(key: str, wanted: str, found: tuple[int, ...], parse: Callable[[str], tuple[int, ...]]) -> list[str]:
    try:
        same = parse(wanted) == found
        return [] if same else [f"{key}: expected {wanted}, found {notation.format_cards(found)}"]
    except ValueError as error:
        raise BadValueError(f"expect.{key}", f"{shown(error)} is not a card") from error


def _compare_seat(key: str, wanted: object, who: int, state: State) -> list[str]:
    name = f"expect.{key}"
    text, seat, book = typed_like("", name, wanted), state.seats[who], state.book
    hand = tuple(book.cards(seat.hand))
    slots = tuple(tuple(book.cards(slot)) for slot in seat.slots)
    down = tuple(map(book.card, seat.down))
    try:
        wanted_hand, wanted_slots, wanted_down = notation.parse_seat(text)
    except ValueError as error:
        what = "card" if isinstance(error, NotACardError) else "seat"
        raise BadValueError(name, f"{shown(error)} is not a {what}") from error
    wanted_slots = tuple(tuple(sorted(slot)) for slot in wanted_slots)
    if (tuple(sorted(wanted_hand)), wanted_slots, wanted_down) == (hand, slots, down):
        return []
    return [f"{key}: expected {text}, found {notation.format_seat(hand, slots, down)}"]


def _compare_moves(key: str, wanted: object, moves: list[Move], state: State) -> list[str]:
    """Compare moves as sets, so that a move that the scenario names twice counts once.

    Wild jokers in an expected play are first named after the rest of the set, as in lists of moves.
    """
    expected = set[str]()
    for text in _list_of_texts(f"expect.{key}", wanted):
        try:
            move = parse_move(text)
        except ValueError as error:
            raise BadValueError(f"expect.{key}", f"{shown(text)} is not a move") from error
        expected.add(format_move(as_listed(state.book, move)))
    found = set(map(format_move, moves))
    if expected == found:
        return []
    missing, surplus = sorted(expected - found), sorted(found - expected)
    return [f"{key}: expected but not found {missing}, found but not expected {surplus}"]
