"""The pictures at the end of a game and of a whole match.

That of a game shows the places and the cards that are left; that of a match shows each player's place in every game,
and the score. They repeat the text above them, so they may be left out. If a name cannot be drawn there is no picture.
Drawing takes about a tenth of a second of processor time: call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from PIL import ImageDraw

from cogs.pictures.board import (
    GOLD,
    GROUND,
    PADDING,
    SMALLEST_TYPE,
    Placed,
    board,
    inside,
    is_narrow,
    lay_panel,
    middle_of,
    name_ink,
    write_name,
    write_place,
)
from cogs.pictures.card_faces import BROWN, CREAM, PAPER, face
from cogs.pictures.palette import WHITE
from cogs.pictures.sheet import Box, Picture, as_png, resized
from cogs.pictures.text import Ink, NotDrawableError, legible, width, write
from game.rules import MOST_SEATS

_NAME_BY_CARDS, _NAME_BY_GAMES = 0.45, 0.36
"""The share of a row that is kept for the name, however many cards or games there are."""
_SCORE: Final = Ink(46, CREAM)
_CELL_HEIGHT: Final = 50
_WIDEST, _NARROWEST, _ROUND = 54, 36, 12
_SMALLEST_CARD, _STEP = 58, 0.94
"""Cards shrink down to this width so that many fit; each overlaps the one before a little."""
_NOT_THERE: Final = "–"
_EARLIER: Final = "…"


@dataclass(frozen=True, slots=True)
class Row(Placed):
    """One seat, and the emoji names of the cards it has left."""

    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchRow(Placed):
    """One player of a match: `place` is their rank (0 if they left), `places` those in every game (0 if not there).

    `lost` has the numbers of the games they lost, from 1.
    """

    places: tuple[int, ...]
    score: int
    lost: tuple[int, ...] = ()


AnyRow = TypeVar("AnyRow", Row, MatchRow)


def final_picture(title: str, line: str, rows: Sequence[Row]) -> bytes | None:
    """Draw a game as a PNG, 800 pixels wide and up to 500 high.

    None if there are no rows or more than `MOST_SEATS`, or if no typeface covers the texts.
    """
    return _drawn(title, line, rows, _write_seat)


def match_picture(title: str, line: str, rows: Sequence[MatchRow]) -> bytes | None:
    """Draw a match as a PNG, of the size and under the conditions of `final_picture`."""
    widest = max((width(str(row.score), _SCORE) for row in rows), default=0.0)
    return _drawn(title, line, rows, lambda picture, row, box: _write_line(picture, row, box, widest))


def _drawn(
    title: str, line: str, rows: Sequence[AnyRow], write_row: Callable[[Picture, AnyRow, Box], None]
) -> bytes | None:
    """Draw the board and each row in its box; None as in `final_picture`."""
    if not 1 <= len(rows) <= MOST_SEATS:
        return None
    try:
        title, line = legible(title), legible(line) if line else ""
        rows = [replace(row, name=legible(row.name)) for row in rows]
    except NotDrawableError:
        return None
    picture, boxes = board(title, line, rows)
    for row, box in zip(rows, boxes, strict=True):
        write_row(picture, row, box)
    return as_png(picture)


def _write_seat(picture: Picture, row: Row, box: Box) -> None:
    draw = ImageDraw.Draw(picture)
    write_place(draw, row, box)
    start, end = inside(row, box)
    if row.cards:
        name = min((end - start) * _NAME_BY_CARDS, width(row.name, name_ink(box)) + PADDING)
        room = (start + name, end)
        end = _lay_cards(picture, row.cards, room, box) - (box[0] + box[2] - end)
    write_name(draw, row, box, end)


def _lay_cards(picture: Picture, cards: Sequence[str], room: tuple[float, float], box: Box) -> float:
    """Draw as many cards as there is room for, and how many more there are; return the left end of them."""
    _, top, _, down = box
    left, right = room
    size = int(min(92, down * 0.94, max(_SMALLEST_CARD, (right - left) / len(cards) / _STEP)))
    step = size * _STEP
    shown = min(len(cards), int((right - left) / step))
    if shown < len(cards):
        more = Ink(SMALLEST_TYPE, CREAM)
        shown = max(0, int((right - left - width(f"+{len(cards)}", more)) / step))
        rest = f"+{len(cards) - shown}"
        write(ImageDraw.Draw(picture), rest, more, (right, top + down / 2), align="right")
        right -= width(rest, more) + 4
    left = right - shown * step
    for n, name in enumerate(cards[:shown]):
        card = resized(face(name), size, size)
        picture.paste(card, (round(left + n * step), round(top + (down - size) / 2)), card)
    return left


def _write_line(picture: Picture, row: MatchRow, box: Box, widest: float) -> None:
    draw = ImageDraw.Draw(picture)
    write_place(draw, row, box)
    start, end = inside(row, box)
    write(draw, str(row.score), _SCORE, (end, middle_of(box)), align="right")
    end -= widest + PADDING
    if not is_narrow(box):
        end = _write_places(picture, row, box, (start + (end - start) * _NAME_BY_GAMES, end)) - PADDING
    write_name(draw, row, box, end)


def _write_places(picture: Picture, row: MatchRow, box: Box, room: tuple[float, float]) -> float:
    """Write the places of as many of the latest games as there is room for; return the left end of them."""
    left, right = room
    draw = ImageDraw.Draw(picture)
    games, most = len(row.places), int((right - left) / _NARROWEST)
    shown = games if games <= most else most - 1
    first = games - shown
    cells = shown + 1 if first else shown  # an ellipsis stands for the games before the first
    step = min(_WIDEST, (right - left) / max(1, cells))
    start = right - step * shown
    if first:
        start -= step
        write(draw, _EARLIER, Ink(SMALLEST_TYPE, CREAM), (start + step / 2, middle_of(box)), align="middle")
    for nth, place in enumerate(row.places[first:], first):
        cell = (right - step * (games - nth), middle_of(box) - _CELL_HEIGHT / 2, step - 4, _CELL_HEIGHT)
        ground, colour = (GOLD if place == 1 else GROUND), WHITE
        if nth + 1 in row.lost:
            ground, colour = PAPER, BROWN
        lay_panel(picture, cell, _ROUND, ground)
        middle = (cell[0] + cell[2] / 2, middle_of(box))
        write(draw, str(place or _NOT_THERE), Ink(SMALLEST_TYPE, colour), middle, align="middle")
    return start
