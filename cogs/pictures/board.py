"""What the two pictures at the end share: the board, its title, and a row with a place for each player.

A phone shows a picture at a third of its size, so no text is smaller than `SMALLEST_TYPE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from PIL import Image, ImageDraw

from cogs.pictures.card_faces import BROWN, PAPER, face
from cogs.pictures.palette import ACCENT, ON_ACCENT, WHITE
from cogs.pictures.sheet import Box, Picture, corners, resized
from cogs.pictures.text import Ink, cut, wrapped, write
from cogs.screens.formatter import CARD_BACK

WIDTH, HEIGHT = 800, 500
SMALLEST_TYPE: Final = 38
"""Size of the smallest text, in pixels."""
GROUND, GOLD, SAND = "#3A2C20", "#9F6A35", "#E3BD8C"
PADDING: Final = 18

_RIM, _ROW, _MARKED = "#2B2017", "#4A3828", BROWN
_MARGIN, _GAP, _ROUND = 34, 9, 28
_HEAD, _LINE_HEIGHT, _ROWS_BOTTOM = 162, 44, 474
_LOWEST, _TALLEST = 44, 98
_TITLES: Final = tuple(Ink(size, PAPER) for size in (54, 48, 43))
_LINE: Final = Ink(SMALLEST_TYPE, SAND, "regular")
_CUP: Final = 110
_HEAD_WIDTH: Final = WIDTH - 2 * _MARGIN - _CUP - 2 * PADDING
_TWO_DIGITS: Final = 10
_MANY: Final = 10
"""With more rows than this the title has one line, or the rows would be too low for their text."""
_FEW: Final = 5
"""With up to this many rows the line below a one-line title may wrap."""
_NO_PLACE: Final = "–"


@dataclass(frozen=True, slots=True)
class Placed:
    """A row: its place (0 for none), its name, and whether it is highlighted because the title is about it."""

    place: int
    name: str
    marked: bool = field(default=False, kw_only=True)


def board(title: str, line: str, rows: Sequence[Placed]) -> tuple[Picture, list[Box]]:
    """Draw the board with its head and empty rows; return it and the boxes of the rows.

    All texts must have passed `text.legible`.
    """
    titles, ink = wrapped(title, _TITLES, _HEAD_WIDTH)
    if len(rows) > _MANY:
        titles = (cut(title, ink, _HEAD_WIDTH),)
    lines: tuple[str, ...] = (cut(line, _LINE, _HEAD_WIDTH),)
    if len(titles) == 1 and len(rows) <= _FEW and line:
        lines, _ = wrapped(line, (_LINE,), _HEAD_WIDTH)
    extra_lines = len(titles) + len(lines) - 2
    boxes = list(_boxes(len(rows), _HEAD + extra_lines * _LINE_HEIGHT))
    picture = _ground(rows, boxes)
    _write_head(picture, titles, ink, lines)
    return picture, boxes


def _boxes(count: int, highest: int) -> Iterator[Box]:
    """The boxes of the rows: in one column, or in two if they would be too low for the text."""
    room = _ROWS_BOTTOM - highest + _GAP
    columns = 1 if room / count - _GAP >= _LOWEST else 2
    lines = -(-count // columns)
    across = (WIDTH - 2 * _MARGIN - (columns - 1) * _GAP) / columns
    down = min(_TALLEST, room / lines - _GAP)
    for n in range(count):
        yield (_MARGIN + n // lines * (across + _GAP), highest + n % lines * (down + _GAP), across, down)


def is_narrow(box: Box) -> bool:
    """Whether this is a row of a board with two columns."""
    return box[2] <= WIDTH / 2


def _padding(box: Box) -> float:
    """Padding inside a row; a narrow row has less, to leave room for the name."""
    return PADDING / 2 if is_narrow(box) else PADDING


def inside(row: Placed, box: Box) -> tuple[float, float]:
    """The left and right ends of the room beside the place of a row."""
    x, _, long, _ = _badge(row, box)
    return x + long + _padding(box), box[0] + box[2] - _padding(box)


def middle_of(box: Box) -> float:
    """The vertical middle of a row."""
    return box[1] + box[3] / 2


def _badge(row: Placed, box: Box) -> Box:
    """The box of the badge with the place: a disc, longer for two digits."""
    left, top, _, down = box
    size = min(48 if is_narrow(box) else 66, down - 4)
    long = size if row.place < _TWO_DIGITS else size * 1.4
    return (left + _padding(box) / 2 + 4, top + (down - size) / 2, long, size)


def _place_colours(row: Placed) -> tuple[str, str]:
    """The colours of the badge and of the number on it; the first place has a bright one."""
    if row.marked:
        return PAPER, BROWN
    return (ACCENT, ON_ACCENT) if row.place == 1 else (GOLD, WHITE)


def _ground(rows: Sequence[Placed], boxes: Sequence[Box]) -> Picture:
    """Everything but text and cards, drawn twice as large for smooth edges."""
    lowest = max(top + down for _, top, _, down in boxes)  # with few rows the board is less high
    high = round(lowest) + HEIGHT - _ROWS_BOTTOM
    picture = Image.new("RGB", (WIDTH * 2, high * 2), _RIM)
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(corners((11, 11, WIDTH - 22, high - 22), 2), 48, fill=GROUND, outline=GOLD, width=6)
    for row, box in zip(rows, boxes, strict=True):
        badge = _badge(row, box)
        draw.rounded_rectangle(corners(box, 2), _ROUND, fill=_MARKED if row.marked else _ROW)
        draw.rounded_rectangle(corners(badge, 2), badge[3], fill=_place_colours(row)[0])
    return picture.reduce(2)


def _write_head(picture: Picture, titles: Sequence[str], ink: Ink, lines: Sequence[str]) -> None:
    draw = ImageDraw.Draw(picture)
    if any(lines):  # without a line about what is owed there is no cup either
        cup = resized(face(CARD_BACK), _CUP, _CUP)
        picture.paste(cup, (WIDTH - _MARGIN - _CUP, 36), cup)
    middle = 64 if any(lines) else 90
    for title in titles:
        write(draw, title, ink, (_MARGIN + 5, middle))
        middle += _LINE_HEIGHT + 8
    for line in lines:
        write(draw, line, _LINE, (_MARGIN + 5, middle + 6))
        middle += _LINE_HEIGHT


def lay_panel(picture: Picture, box: Box, radius: float, colour: str) -> None:
    """Fill a box with rounded, smooth corners."""
    left, top, across, down = map(round, box)
    shape = Image.new("L", (across * 2, down * 2))
    ImageDraw.Draw(shape).rounded_rectangle((0, 0, across * 2 - 1, down * 2 - 1), radius * 2, fill=255)
    picture.paste(colour, (left, top), shape.reduce(2))


def write_place(draw: ImageDraw.ImageDraw, row: Placed, box: Box) -> None:
    """Write the place of a row on its badge."""
    x, y, long, size = _badge(row, box)
    number = Ink(SMALLEST_TYPE, _place_colours(row)[1])
    write(draw, str(row.place or _NO_PLACE), number, (x + long / 2, y + size / 2), align="middle")


def name_ink(box: Box) -> Ink:
    """The ink for the name in a row."""
    return Ink(44 if box[3] > SMALLEST_TYPE * 2 else SMALLEST_TYPE, WHITE)


def write_name(draw: ImageDraw.ImageDraw, row: Placed, box: Box, end: float) -> None:
    """Write the name of a row, cut to end before `end`."""
    start, _ = inside(row, box)
    write(draw, cut(row.name, name_ink(box), end - start), name_ink(box), (start, middle_of(box)))
