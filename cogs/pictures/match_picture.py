"""The picture of a whole match: the order of the players, where each came in every game, and what that comes to.

It repeats the text above it and adds nothing, so it may be left out, as that of a single game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import ImageDraw

from cogs.pictures.board import (
    GOLD,
    GROUND,
    PADDING,
    SMALLEST_TYPE,
    board,
    inside,
    is_narrow,
    lay_panel,
    middle_of,
    write_name,
    write_place,
)
from cogs.pictures.card_faces import BROWN, CREAM, PAPER, as_png
from cogs.pictures.marks import WHITE
from cogs.pictures.sheet import Box, Picture
from cogs.pictures.text import Ink, NotCoveredError, legible, width, write
from game.rules import MOST_SEATS

_SCORE: Final = Ink(46, CREAM)
_CELL_HEIGHT: Final = 50
_WIDEST, _NARROWEST, _ROUND = 54, 36, 12
_NAME_SHARE: Final = 0.36
"""The part of a row that belongs to the name, however many games there are."""
_NOT_THERE: Final = "–"
_EARLIER: Final = "…"


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One player: the rank (0 for who left), the name, the place in every game (0: not there), what that comes to.

    `lost` are the games lost, counted from 1.
    """

    place: int
    name: str
    places: tuple[int, ...]
    score: int
    lost: tuple[int, ...] = ()
    marked: bool = False


def match_picture(title: str, line: str, rows: Sequence[MatchRow]) -> bytes | None:
    """A PNG of 800 by 500; None if there is nothing to draw, too much, or a name that no typeface covers."""
    if not 1 <= len(rows) <= MOST_SEATS:
        return None
    try:
        title, line = legible(title), legible(line) if line else ""
        rows = [replace(row, name=legible(row.name)) for row in rows]
    except NotCoveredError:
        return None
    picture, boxes = board(title, line, rows)
    widest = max(width(str(row.score), _SCORE) for row in rows)
    for row, box in zip(rows, boxes, strict=True):
        _write_row(picture, row, box, widest)
    return as_png(picture)


def _write_row(picture: Picture, row: MatchRow, box: Box, widest: float) -> None:
    draw = ImageDraw.Draw(picture)
    write_place(draw, row, box)
    start, end = inside(row, box)
    write(draw, str(row.score), _SCORE, (end, middle_of(box)), align="right")
    end -= widest + PADDING
    if not is_narrow(box):
        end = _write_places(picture, row, box, (start + (end - start) * _NAME_SHARE, end)) - PADDING
    write_name(draw, row, box, end)


def _write_places(picture: Picture, row: MatchRow, box: Box, room: tuple[float, float]) -> float:
    """Write the places of as many games as there is room for, the latest last; the left end of what was written."""
    left, right = room
    games, most = len(row.places), int((right - left) / _NARROWEST)
    shown = games if games <= most else most - 1
    step = min(_WIDEST, (right - left) / max(1, shown + (shown < games)))
    at = right - step * shown
    first = games - shown
    if first:
        at -= step
        write(
            ImageDraw.Draw(picture),
            _EARLIER,
            Ink(SMALLEST_TYPE, CREAM),
            (at + step / 2, middle_of(box)),
            align="middle",
        )
    for nth in range(first, games):
        lost, place = nth + 1 in row.lost, row.places[nth]
        cell = (right - step * (games - nth), middle_of(box) - _CELL_HEIGHT / 2, step - 4, _CELL_HEIGHT)
        lay_panel(picture, cell, _ROUND, PAPER if lost else GOLD if place == 1 else GROUND)
        ink, middle = Ink(SMALLEST_TYPE, BROWN if lost else WHITE), (cell[0] + cell[2] / 2, middle_of(box))
        write(ImageDraw.Draw(picture), str(place or _NOT_THERE), ink, middle, align="middle")
    return at
