"""The picture of a table at the end: who came in where, and who sits there with cards left.

It repeats the text above it and adds nothing, so it may be left out: where a name is in a script that no typeface
covers there is no picture. Drawing takes about a tenth of a second of processor time: call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from PIL import Image, ImageDraw

from cogs.pictures.cards import BROWN, CREAM, PAPER, WHITE, as_png, face
from cogs.pictures.sheet import Box, Picture, resized
from cogs.pictures.text import Ink, NotCoveredError, cut, legible, width, wrapped, write
from cogs.ui.faces import CARD_BACK
from game.rules import MOST_SEATS

WIDTH, HEIGHT = 800, 500
SMALLEST_TYPE: Final = 38
"""In pixels: a phone shows the picture at a third of its size."""

_RIM, _GROUND, _ROW, _MARKED = "#2B2017", "#3A2C20", "#4A3828", BROWN
_GOLD, _SAND = "#A9713A", "#E3BD8C"
_MARGIN, _GAP, _PADDING, _ROUND = 34, 9, 18, 28
_HEAD, _LINE_HEIGHT, _ROWS_BOTTOM = 162, 44, 474
_LOWEST, _TALLEST = 44, 98
_TITLES: Final = tuple(Ink(size, PAPER) for size in (54, 48, 43))
_LINE: Final = Ink(SMALLEST_TYPE, _SAND, "regular")
_CUP: Final = 110
_HEAD_WIDTH: Final = WIDTH - 2 * _MARGIN - _CUP - 2 * _PADDING
_TWO_DIGITS: Final = 10
_MANY: Final = 10
"""With more rows than these a title of two lines leaves no room for the type."""
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
    titles, ink = wrapped(title, _TITLES, _HEAD_WIDTH)
    if len(rows) > _MANY:
        titles = (cut(title, ink, _HEAD_WIDTH),)
    boxes = list(_boxes(len(rows), _HEAD + (len(titles) - 1) * _LINE_HEIGHT))
    picture = _ground(rows, boxes)
    _write_head(picture, titles, ink, line)
    for row, box in zip(rows, boxes, strict=True):
        _write_row(picture, row, box)
    return as_png(picture)


def _boxes(count: int, highest: int) -> Iterator[Box]:
    """Where the rows lie: in one column, or in two where they would be too low for the type."""
    room = _ROWS_BOTTOM - highest + _GAP
    columns = 1 if room / count - _GAP >= _LOWEST else 2
    lines = -(-count // columns)
    across = (WIDTH - 2 * _MARGIN - (columns - 1) * _GAP) / columns
    down = min(_TALLEST, room / lines - _GAP)
    for n in range(count):
        yield (_MARGIN + n // lines * (across + _GAP), highest + n % lines * (down + _GAP), across, down)


def _padding(box: Box) -> float:
    """Narrow rows leave their room to the name."""
    return _PADDING if box[2] > WIDTH / 2 else _PADDING / 2


def _badge(row: Row, box: Box) -> Box:
    """Where a place stands: a disc, longer for two digits."""
    left, top, across, down = box
    size = min(66 if across > WIDTH / 2 else 48, down - 4)
    return (
        left + _padding(box) / 2 + 4,
        top + (down - size) / 2,
        size if row.place < _TWO_DIGITS else size * 1.4,
        size,
    )


def _ground(rows: Sequence[Row], boxes: Sequence[Box]) -> Picture:
    """Everything but text and cards, drawn twice as large for smooth edges."""
    picture = Image.new("RGB", (WIDTH * 2, HEIGHT * 2), _RIM)
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(_corners((11, 11, WIDTH - 22, HEIGHT - 22)), 48, fill=_GROUND, outline=_GOLD, width=6)
    for row, box in zip(rows, boxes, strict=True):
        badge = _badge(row, box)
        draw.rounded_rectangle(_corners(box), _ROUND, fill=_MARKED if row.marked else _ROW)
        draw.rounded_rectangle(_corners(badge), badge[3], fill=PAPER if row.marked else _GOLD)
    return picture.reduce(2)


def _corners(box: Box) -> Box:
    left, top, across, down = box
    return (left * 2, top * 2, (left + across) * 2 - 1, (top + down) * 2 - 1)


def _write_head(picture: Picture, titles: Sequence[str], ink: Ink, line: str) -> None:
    draw = ImageDraw.Draw(picture)
    cup = resized(face(CARD_BACK), _CUP, _CUP)
    picture.paste(cup, (WIDTH - _MARGIN - _CUP, 36), cup)
    middle = 64 if line else 90
    for title in titles:
        write(draw, title, ink, (_MARGIN + 5, middle))
        middle += _LINE_HEIGHT + 8
    write(draw, cut(line, _LINE, _HEAD_WIDTH), _LINE, (_MARGIN + 5, middle + 6))


def _write_row(picture: Picture, row: Row, box: Box) -> None:
    draw = ImageDraw.Draw(picture)
    left, top, across, down = box
    x, y, long, size = _badge(row, box)
    padding = _padding(box)
    number = Ink(SMALLEST_TYPE, BROWN if row.marked else WHITE)
    write(draw, str(row.place), number, (x + long / 2, y + size / 2), align="middle")
    start, end, middle = x + long + padding, left + across - padding, top + down / 2
    if row.cards:
        end = _lay_cards(picture, row.cards, (start + (end - start) * _NAME_SHARE, end), box) - padding
    else:
        end -= _write_note(draw, row, end, middle, (end - start) * (1 - _NAME_SHARE))
    name = Ink(44 if down > SMALLEST_TYPE * 2 else SMALLEST_TYPE, WHITE)
    write(draw, cut(row.name, name, end - start), name, (start, middle))


def _write_note(draw: ImageDraw.ImageDraw, row: Row, end: float, middle: float, most: float) -> float:
    """Write the row's word if there is room for all of it; how much room it took."""
    ink = Ink(SMALLEST_TYPE, CREAM if row.marked else _SAND, "regular")
    long = width(row.note, ink)
    if not 0 < long <= most:
        return 0
    write(draw, row.note, ink, (end, middle), align="right")
    return long + _PADDING / 2


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
