"""The picture of a table at the end: who came in where, and who sits there with cards left.

It repeats the text above it and adds nothing, so it may be left out: where a name is in a script that no typeface
covers there is no picture. Drawing takes about a tenth of a second of processor time: call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import ImageDraw

from cogs.pictures.board import PADDING, SAND, SMALLEST_TYPE, board, inside, middle_of, write_name, write_place
from cogs.pictures.card_faces import CREAM, as_png, face
from cogs.pictures.sheet import Box, Picture, resized
from cogs.pictures.text import Ink, NotCoveredError, legible, width, write
from game.rules import MOST_SEATS

_NAME_SHARE: Final = 0.45
"""The part of a row that belongs to the name, however many cards there are."""


@dataclass(frozen=True, slots=True)
class Row:
    """One seat: its place, its name, the emoji names of the cards it has left, or a word instead of cards."""

    place: int
    name: str
    cards: tuple[str, ...] = ()
    note: str = ""
    marked: bool = False


def final_picture(title: str, line: str, rows: Sequence[Row]) -> bytes | None:
    """A PNG of 800 by 500; None if there is nothing to draw, too much, or a name that no typeface covers."""
    if not 1 <= len(rows) <= MOST_SEATS:
        return None
    try:
        title, line = legible(title), legible(line) if line else ""
        rows = [replace(row, name=legible(row.name), note=legible(row.note) if row.note else "") for row in rows]
    except NotCoveredError:
        return None
    picture, boxes = board(title, line, rows)
    for row, box in zip(rows, boxes, strict=True):
        _write_row(picture, row, box)
    return as_png(picture)


def _write_row(picture: Picture, row: Row, box: Box) -> None:
    draw = ImageDraw.Draw(picture)
    write_place(draw, row, box)
    start, end = inside(row, box)
    if row.cards:
        room = (start + (end - start) * _NAME_SHARE, end)
        end = _lay_cards(picture, row.cards, room, box) - (box[0] + box[2] - end)
    else:
        end -= _write_note(draw, row, end, middle_of(box), (end - start) * (1 - _NAME_SHARE))
    write_name(draw, row, box, end)


def _write_note(draw: ImageDraw.ImageDraw, row: Row, end: float, middle: float, most: float) -> float:
    """Write the row's word if there is room for all of it; how much room it took."""
    ink = Ink(SMALLEST_TYPE, CREAM if row.marked else SAND, "regular")
    long = width(row.note, ink)
    if not 0 < long <= most:
        return 0
    write(draw, row.note, ink, (end, middle), align="right")
    return long + PADDING / 2


def _lay_cards(picture: Picture, cards: Sequence[str], room: tuple[float, float], box: Box) -> float:
    """Lay as many cards as there is room for, say how many more there are; the left end of what was laid."""
    _, top, _, down = box
    size = round(min(92, down * 0.94))
    step, (left, right) = size * 0.94, room
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
