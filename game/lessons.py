"""The lessons of the tutorial: positions of the classic game, what may be tapped in each, and what comes of it.

The engine itself sets positions up and judges taps, so that no lesson can teach what the rules do not do. The learner
is seat 0, seat 1 answers with a fixed move. Gives views and redacted events, never a state; how a lesson is worded and
drawn is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from game.events import Event, redact
from game.moves import Move, Refusal, advance, check, events, parse_move
from game.state import State
from game.text.position import set_up
from game.variants import variant
from game.view import SeatView
from game.views import seat_view

LEARNER, PARTNER = 0, 1


@dataclass(frozen=True, slots=True)
class Lesson:
    """A position as scenarios write them (docs/scenarios.md), the moves to choose from, the partner's answer.

    `taps` are moves in the notation: the first is the right one, the others are mistakes that the rules refuse. `reply`
    is the partner's move after the right one, empty where it has none.
    """

    name: str
    given: Mapping[str, Any]
    taps: tuple[str, ...]
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Tapped:
    """What came of a tap: why it was refused and nothing happened, or what did, the partner's answer included.

    `view` is what the learner sees then. `is_weak`: the rules allow the move, but it is not what the lesson teaches, so
    nothing happened either.
    """

    refusal: Refusal | None
    events: tuple[Event, ...]
    view: SeatView
    is_weak: bool = False


_TABLE_CARDS: Final = "Th Qh Ks | 5d 9s Jc"
_THEIRS: Final = "Qc 5s Ac | 8s 2d Kh"
_STOCK: Final = "Kc 7h 6h 2c 4d Js As 3s"
LESSONS: Final = (
    Lesson(
        "swap",
        {"phase": "exchange", "seats": ["Td 6s 8h | 4c Qh Ks | 5d 9s Jc", f"7c 9h Jd | {_THEIRS}"], "stock": _STOCK},
        ("swap Td 4c", "play Td", "swap Td 6s"),
    ),
    Lesson(
        "call",
        {"phase": "call", "seats": [f"3d 8c Jh | {_TABLE_CARDS}", f"6c 9h Jd | {_THEIRS}"], "stock": _STOCK},
        ("call", "play Jh"),
    ),
    Lesson(
        "higher",
        {"pile": "4s 5h 7s", "seats": [f"4h 5c 9d | {_TABLE_CARDS}", f"Jd 6d 6c | {_THEIRS}"], "stock": _STOCK},
        ("play 9d", "play 5c", "play 4h"),
        "play Jd",
    ),
    Lesson(
        "several",
        {"pile": "4h 6s", "seats": [f"8c 8d 4s | {_TABLE_CARDS}", f"Qd 7d 6d | {_THEIRS}"], "stock": _STOCK},
        ("play 8c 8d", "play 8c 4s", "play 4s"),
        "play Qd",
    ),
    Lesson(
        "two",
        {"pile": "9h Jd Kd", "seats": [f"2h 6c 9d | {_TABLE_CARDS}", f"4c 5c 5h | {_THEIRS}"], "stock": _STOCK},
        ("play 2h", "play 9d", "play 6c"),
        "play 4c",
    ),
    Lesson(
        "ten",
        {"pile": "8h Jd Qd", "seats": [f"4h 9d Tc | {_TABLE_CARDS}", f"7c 7d Ad | {_THEIRS}"], "stock": _STOCK},
        ("play Tc", "play 9d", "play 4h"),
    ),
    Lesson(
        "four",
        {"pile": "4c 9c 9d 9h", "seats": ["9s 6c 7d | Th Qh Ks | 5d 8d Jc", f"7c 8h Ad | {_THEIRS}"], "stock": _STOCK},
        ("play 9s", "play 7d", "play 6c"),
    ),
    Lesson(
        "pick-up",
        {"pile": "5h 8h Qs", "seats": [f"4h 6c 9d | {_TABLE_CARDS}", f"6s 7c Jd | {_THEIRS}"], "stock": _STOCK},
        ("pickup", "play 9d", "play 6c"),
        "play 6s",
    ),
    Lesson(
        "face-up",
        {"pile": "6s 9h", "seats": ["- | 4c 7h Qs | 5d 9s Jc", "5c Kd | 3h 5s Ac | 8s 2d Kh"]},
        ("play Qs", "play 7h", "flip 1"),
        "play Kd",
    ),
    Lesson("flip", {"pile": "4h 5h", "seats": ["- | - | Qs", "- | 6d Ac | 8s 2d Kh"]}, ("flip 1",)),
)
"""In the order of the tutorial. Each teaches one thing, by its name."""


def view_of(lesson: Lesson) -> SeatView:
    """What the learner sees before any tap."""
    return seat_view(_position(lesson.name), LEARNER)


def moves_of(lesson: Lesson) -> tuple[Move, ...]:
    """The moves to choose from, the right one first."""
    return tuple(map(parse_move, lesson.taps))


def tap(lesson: Lesson, move: Move) -> Tapped:
    """Make a move in the position of a lesson."""
    before = _position(lesson.name)
    refusal = check(before, LEARNER, move)
    if refusal is not None:
        return Tapped(refusal, (), seat_view(before, LEARNER))
    if move != moves_of(lesson)[0]:
        return Tapped(None, (), seat_view(before, LEARNER), is_weak=True)
    told, after = _made(before, LEARNER, move)
    if lesson.reply:
        answered, after = _made(after, PARTNER, parse_move(lesson.reply))
        told += answered
    return Tapped(None, told, seat_view(after, LEARNER))


def _made(before: State, seat: int, move: Move) -> tuple[tuple[Event, ...], State]:
    after = advance(before, seat, move)
    return tuple(redact(event, LEARNER) for event in events(before, seat, move, after)), after


@cache
def _position(name: str) -> State:
    lesson = next(each for each in LESSONS if each.name == name)
    return set_up(lesson.given, variant("classic").rules)
