"""The lessons of the tutorial (`lessons.toml`): positions, the moves on offer in each, and their results.

The engine sets up the positions and judges the taps, so that no lesson can contradict the rules. The learner is seat 0;
seat 1 answers with a fixed move. Functions return views and redacted events, never a state; `cogs` words and draws
the lessons.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from game.events import Event, redact
from game.moves import Move, Refusal, advance, check, events, parse_move
from game.showing import seat_view
from game.state import State
from game.text.position import set_up
from game.variants import variant
from game.view import SeatView

LEARNER, PARTNER = 0, 1


@dataclass(frozen=True, slots=True, eq=False)  # by identity, so that it can be hashed
class Lesson:
    """A position in the format of scenarios (docs/scenarios.md), the moves to choose from, the partner's answer.

    `taps` are moves in the notation: the first is the right one, the others are mistakes that the rules refuse. `reply`
    is the partner's move after the right one, empty if there is none.
    """

    name: str
    given: Mapping[str, Any]
    taps: tuple[str, ...]
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Tapped:
    """The result of a tap: why it was refused, or what happened, including the partner's answer.

    With `is_weak` the rules allow the move, but it is not what the lesson teaches, so it was not made.
    """

    refusal: Refusal | None
    events: tuple[Event, ...] = ()
    is_weak: bool = False


_ROWS: Final = tomllib.loads(files("game").joinpath("lessons.toml").read_text(encoding="utf-8"))["lesson"]
LESSONS: Final = tuple(Lesson(row["name"], row["given"], tuple(row["taps"]), row.get("reply", "")) for row in _ROWS)
"""In the order of the tutorial. Each teaches one thing, which its name tells."""


def view_of(lesson: Lesson) -> SeatView:
    """What the learner sees before any tap."""
    return seat_view(_position(lesson), LEARNER)


def moves_of(lesson: Lesson) -> tuple[Move, ...]:
    """The moves to choose from, the right one first."""
    return tuple(map(parse_move, lesson.taps))


def tap(lesson: Lesson, move: Move) -> Tapped:
    """Try a move in the position of a lesson; the right one is made and answered."""
    before = _position(lesson)
    if refusal := check(before, LEARNER, move):
        return Tapped(refusal)
    if move != moves_of(lesson)[0]:
        return Tapped(None, is_weak=True)
    after = advance(before, LEARNER, move)
    told = _told(before, LEARNER, move, after)
    if lesson.reply:
        reply = parse_move(lesson.reply)
        told += _told(after, PARTNER, reply, advance(after, PARTNER, reply))
    return Tapped(None, told)


def _told(before: State, seat: int, move: Move, after: State) -> tuple[Event, ...]:
    return tuple(redact(event, LEARNER) for event in events(before, seat, move, after))


@cache
def _position(lesson: Lesson) -> State:
    return set_up(lesson.given, variant("classic").rules)
