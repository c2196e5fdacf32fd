"""The signs that replace words in a picture of the table: who is away, whose turn it is, what burned."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final, Literal, TypeAlias, get_args

from cogs.pictures.shapes import CROWN, FLAME, Point, Polygon
from cogs.pictures.sheet import CLEAR, Sheet

Arrow: TypeAlias = Literal["right-down", "right-up", "left-down", "left-up"]
"""The side of the pile on which it is drawn, and the way it points."""
Sign: TypeAlias = (
    Literal["away", "left", "computer", "ready", "waiting", "turn", "burned", "swap", "cup", "crown", "medal"] | Arrow
)


def draw_sign(name: Sign, colour: str) -> Sheet:
    """Draw a sign in one colour on a transparent sheet."""
    sheet = Sheet(*_AROUND) if name in get_args(Arrow) else Sheet()
    _DRAWINGS[name](sheet, colour)
    return sheet


def _away(sheet: Sheet, colour: str) -> None:
    """A crescent moon, with which Discord marks people who are idle."""
    sheet.disc((14, 14, 100, 100), colour)
    sheet.disc((-2, 2, 78, 78), CLEAR)


def _left(sheet: Sheet, colour: str) -> None:
    """An arrow out of a door."""
    sheet.panel((12, 12, 62, 104), 12, colour)
    sheet.panel((26, 26, 60, 76), 4, CLEAR)
    sheet.shape(
        (((0.0, 0.36), (0.5, 0.36), (0.5, 0.08), (1.0, 0.5), (0.5, 0.92), (0.5, 0.64), (0.0, 0.64)),),
        (46, 30, 74, 68),
        colour,
    )


def _computer(sheet: Sheet, colour: str) -> None:
    """The head of a robot."""
    sheet.panel((59, 6, 10, 24), 4, colour)
    sheet.disc((54, 2, 20, 20), colour)
    sheet.panel((4, 58, 120, 32), 10, colour)
    sheet.panel((16, 28, 96, 92), 22, CLEAR)
    sheet.panel((20, 32, 88, 84), 18, colour)
    for left in (36, 72):
        sheet.disc((left, 52, 20, 20), CLEAR)
    sheet.panel((40, 88, 48, 12), 5, CLEAR)


def _ready(sheet: Sheet, colour: str) -> None:
    """A tick in a disc."""
    sheet.disc((6, 6, 116, 116), colour)
    tick: Polygon = ((0.0, 0.55), (0.15, 0.38), (0.38, 0.62), (0.85, 0.1), (1.0, 0.26), (0.38, 0.94))
    sheet.shape((tick,), (32, 34, 66, 62), CLEAR)


def _waiting(sheet: Sheet, colour: str) -> None:
    """An empty circle, in which a tick will appear."""
    sheet.disc((6, 6, 116, 116), colour)
    sheet.disc((20, 20, 88, 88), CLEAR)


def _turn(sheet: Sheet, colour: str) -> None:
    """A triangle that points to the right."""
    sheet.shape((((0.0, 0.0), (1.0, 0.5), (0.0, 1.0)),), (22, 12, 92, 104), colour)


def _swap(sheet: Sheet, colour: str) -> None:
    """Two arrows, there and back."""
    arrow: Polygon = ((0.0, 0.36), (0.58, 0.36), (0.58, 0.0), (1.0, 0.5), (0.58, 1.0), (0.58, 0.64), (0.0, 0.64))
    back: Polygon = tuple((1 - x, y) for x, y in arrow)
    sheet.shape((arrow,), (14, 12, 100, 48), colour)
    sheet.shape((back,), (14, 68, 100, 48), colour)


def _cup(sheet: Sheet, colour: str) -> None:
    """The cup of tea that the shithead owes."""
    for left in (38, 54, 70):
        sheet.panel((left, 10, 8, 26), 4, colour)
    sheet.disc((80, 48, 38, 36), colour)
    sheet.disc((88, 56, 22, 20), CLEAR)
    sheet.half_disc((14, 6, 80, 80), colour)
    sheet.panel((12, 100, 86, 10), 5, colour)


def _medal(sheet: Sheet, colour: str) -> None:
    """A disc on two ribbons, with room for a number."""
    sheet.shape((((0.0, 0.0), (0.5, 0.2), (1.0, 0.0), (1.0, 1.0), (0.5, 0.72), (0.0, 1.0)),), (40, 60, 48, 66), colour)
    sheet.disc((23, 3, 82, 82), CLEAR)
    sheet.disc((27, 7, 74, 74), colour)


def _around(sheet: Sheet, colour: str, *, right: bool, down: bool) -> None:
    """An arrow along one side of a circle."""

    def turned(x: float, y: float) -> Point:
        return (x if right else 1 - x, y if down else 1 - y)

    for polygon in (_ARC, _HEAD):
        sheet.shape((tuple(turned(*point) for point in polygon),), (0, 0, *_AROUND), colour)


def _arc(radius: float, begin: float, end: float) -> list[Point]:
    """Points on a circle whose centre is left of the sheet; angles are in degrees, downwards from the horizontal."""
    angles = [math.radians(begin + (end - begin) * step / 24) for step in range(25)]
    return [(radius * math.cos(angle) - 1.4, 0.5 + radius * math.sin(angle) * 0.35) for angle in angles]


_AROUND: Final = (44, 154)
_ARC: Final[Polygon] = (*_arc(2.22, -36, 27), *_arc(2.02, 27, -36))
_HEAD: Final[Polygon] = (*_arc(2.42, 24, 24)[:1], *_arc(2.10, 44, 44)[:1], *_arc(1.82, 24, 24)[:1])

_DRAWINGS: Final[dict[Sign, Callable[[Sheet, str], None]]] = {
    "away": _away,
    "left": _left,
    "computer": _computer,
    "ready": _ready,
    "waiting": _waiting,
    "turn": _turn,
    "burned": lambda sheet, colour: sheet.shape(FLAME, (20, 4, 88, 120), colour),
    "swap": _swap,
    "cup": _cup,
    "crown": lambda sheet, colour: sheet.shape(CROWN, (10, 22, 108, 84), colour),
    "medal": _medal,
    "right-down": partial(_around, right=True, down=True),
    "right-up": partial(_around, right=True, down=False),
    "left-down": partial(_around, right=False, down=True),
    "left-up": partial(_around, right=False, down=False),
}
