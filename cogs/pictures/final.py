"""The pictures at the end of a game and of a whole match.

That of a game shows the places and the cards that are left; that of a match shows each player's place in every game,
and the score. They repeat the text above them, so they may be left out. If a name cannot be drawn there is no picture.
A phone shows a picture at a third of its size, so no text is smaller than `SMALLEST_TYPE`.
Drawing takes about a tenth of a second of processor time: call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from PIL import Image, ImageDraw

from cogs.pictures.card_faces import BROWN, CREAM, PAPER, face
from cogs.pictures.palette import ACCENT, ON_ACCENT, WHITE
from cogs.pictures.sheet import Box, Picture, as_png, corners, resized
from cogs.pictures.text import Ink, NotDrawableError, cut, legible, width, wrapped, write
from cogs.screens.formatter import CARD_BACK
from game.rules import MOST_SEATS

_WIDTH, _HEIGHT = 800, 500
SMALLEST_TYPE: Final = 38
"""Size of the smallest text, in pixels."""
_GROUND, _GOLD, _SAND = "#3A2C20", "#9F6A35", "#E3BD8C"
_PADDING: Final = 18
_RIM, _ROW, _MARKED = "#2B2017", "#4A3828", BROWN
_MARGIN, _GAP, _ROUND = 34, 9, 28
_HEAD, _LINE_HEIGHT, _ROWS_BOTTOM = 162, 44, 474
_LOWEST, _TALLEST = 44, 98
_TITLES: Final = tuple(Ink(size, PAPER) for size in (54, 48, 43))
_LINE: Final = Ink(SMALLEST_TYPE, _SAND, "regular")
_CUP: Final = 110
_HEAD_WIDTH: Final = _WIDTH - 2 * _MARGIN - _CUP - 2 * _PADDING
_TWO_DIGITS: Final = 10
_MANY: Final = 10
"""With more rows than this the title has one line, or the rows would be too low for their text."""
_FEW: Final = 5
"""With up to this many rows the line below a one-line title may wrap."""
_NO_PLACE: Final = "–"
_NAME_BY_CARDS, _NAME_BY_GAMES = 0.45, 0.36
"""The share of a row that is kept for the name, however many cards or games there are."""
_SCORE: Final = Ink(46, CREAM)
_CELL_HEIGHT: Final = 50
_WIDEST, _NARROWEST, _CELL_ROUND = 54, 36, 12
_SMALLEST_CARD, _STEP = 58, 0.94
"""Cards shrink down to this width so that many fit; each overlaps the one before a little."""
_EARLIER: Final = "…"


@dataclass(frozen=True, slots=True)
class Placed:
    """A row: its place (0 for none), its name, and whether it is highlighted because the title is about it."""

    place: int
    name: str
    marked: bool = field(default=False, kw_only=True)


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
    return _drawn(title, line, rows, lambda picture, row, box: _write_player(picture, row, box, widest))


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
    picture, boxes = _board(title, line, rows)
    for row, box in zip(rows, boxes, strict=True):
        _write_place(picture, row, box)
        write_row(picture, row, box)
    return as_png(picture)


# -- the board


def _board(title: str, line: str, rows: Sequence[Placed]) -> tuple[Picture, list[Box]]:
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
    across = (_WIDTH - 2 * _MARGIN - (columns - 1) * _GAP) / columns
    down = min(_TALLEST, room / lines - _GAP)
    for n in range(count):
        yield (_MARGIN + n // lines * (across + _GAP), highest + n % lines * (down + _GAP), across, down)


def _is_narrow(box: Box) -> bool:
    """Whether this is a row of a board with two columns."""
    return box[2] <= _WIDTH / 2


def _padding(box: Box) -> float:
    """Padding inside a row; a narrow row has less, to leave room for the name."""
    return _PADDING / 2 if _is_narrow(box) else _PADDING


def _inside(row: Placed, box: Box) -> tuple[float, float]:
    """The left and right ends of the room beside the place of a row."""
    x, _, long, _ = _badge(row, box)
    return x + long + _padding(box), box[0] + box[2] - _padding(box)


def _middle_of(box: Box) -> float:
    """The vertical middle of a row."""
    return box[1] + box[3] / 2


def _badge(row: Placed, box: Box) -> Box:
    """The box of the badge with the place: a disc, longer for two digits."""
    left, top, _, down = box
    size = min(48 if _is_narrow(box) else 66, down - 4)
    long = size if row.place < _TWO_DIGITS else size * 1.4
    return (left + _padding(box) / 2 + 4, top + (down - size) / 2, long, size)


def _place_colours(row: Placed) -> tuple[str, str]:
    """The colours of the badge and of the number on it; the first place has a bright one."""
    if row.marked:
        return PAPER, BROWN
    return (ACCENT, ON_ACCENT) if row.place == 1 else (_GOLD, WHITE)


def _ground(rows: Sequence[Placed], boxes: Sequence[Box]) -> Picture:
    """Everything but text and cards, drawn twice as large for smooth edges."""
    lowest = max(top + down for _, top, _, down in boxes)  # with few rows the board is less high
    high = round(lowest) + _HEIGHT - _ROWS_BOTTOM
    picture = Image.new("RGB", (_WIDTH * 2, high * 2), _RIM)
    draw = ImageDraw.Draw(picture)
    draw.rounded_rectangle(corners((11, 11, _WIDTH - 22, high - 22), 2), 48, fill=_GROUND, outline=_GOLD, width=6)
    for row, box in zip(rows, boxes, strict=True):
        badge = _badge(row, box)
        draw.rounded_rectangle(corners(box, 2), _ROUND, fill=_MARKED if row.marked else _ROW)
        draw.rounded_rectangle(corners(badge, 2), badge[3], fill=_place_colours(row)[0])
    return picture.reduce(2)


def _write_head(picture: Picture, titles: Sequence[str], ink: Ink, lines: Sequence[str]) -> None:
    draw = ImageDraw.Draw(picture)
    if any(lines):  # without a line about what is owed there is no cup either
        cup = resized(face(CARD_BACK), _CUP, _CUP)
        picture.paste(cup, (_WIDTH - _MARGIN - _CUP, 36), cup)
    middle = 64 if any(lines) else 90
    for title in titles:
        write(draw, title, ink, (_MARGIN + 5, middle))
        middle += _LINE_HEIGHT + 8
    for line in lines:
        write(draw, line, _LINE, (_MARGIN + 5, middle + 6))
        middle += _LINE_HEIGHT


def _lay_panel(picture: Picture, box: Box, radius: float, colour: str) -> None:
    """Fill a box with rounded, smooth corners."""
    left, top, across, down = map(round, box)
    shape = Image.new("L", (across * 2, down * 2))
    ImageDraw.Draw(shape).rounded_rectangle((0, 0, across * 2 - 1, down * 2 - 1), radius * 2, fill=255)
    picture.paste(colour, (left, top), shape.reduce(2))


def _write_place(picture: Picture, row: Placed, box: Box) -> None:
    """Write the place of a row on its badge."""
    x, y, long, size = _badge(row, box)
    number = Ink(SMALLEST_TYPE, _place_colours(row)[1])
    middle = (x + long / 2, y + size / 2)
    write(ImageDraw.Draw(picture), str(row.place or _NO_PLACE), number, middle, align="middle")


def _name_ink(box: Box) -> Ink:
    """The ink for the name in a row."""
    return Ink(44 if box[3] > SMALLEST_TYPE * 2 else SMALLEST_TYPE, WHITE)


def _write_name(picture: Picture, row: Placed, box: Box, end: float) -> None:
    """Write the name of a row, cut to end before `end`."""
    start, _ = _inside(row, box)
    ink = _name_ink(box)
    write(ImageDraw.Draw(picture), cut(row.name, ink, end - start), ink, (start, _middle_of(box)))


# -- the rows


def _write_seat(picture: Picture, row: Row, box: Box) -> None:
    start, end = _inside(row, box)
    if row.cards:
        name_width = min((end - start) * _NAME_BY_CARDS, width(row.name, _name_ink(box)) + _PADDING)
        margin = box[0] + box[2] - end
        end = _lay_cards(picture, row.cards, (start + name_width, end), box) - margin
    _write_name(picture, row, box, end)


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


def _write_player(picture: Picture, row: MatchRow, box: Box, widest: float) -> None:
    start, end = _inside(row, box)
    write(ImageDraw.Draw(picture), str(row.score), _SCORE, (end, _middle_of(box)), align="right")
    end -= widest + _PADDING
    if not _is_narrow(box):
        end = _write_places(picture, row, box, (start + (end - start) * _NAME_BY_GAMES, end)) - _PADDING
    _write_name(picture, row, box, end)


def _write_places(picture: Picture, row: MatchRow, box: Box, room: tuple[float, float]) -> float:
    """Write the places of as many of the latest games as there is room for; return the left end of them."""
    left, right = room
    draw = ImageDraw.Draw(picture)
    games, most = len(row.places), int((right - left) / _NARROWEST)
    shown = games if games <= most else most - 1
    first = games - shown
    cells = shown + 1 if first else shown  # an ellipsis stands for the games before the first
    step = min(_WIDEST, (right - left) / max(1, cells))
    start, high = right - step * cells, min(_CELL_HEIGHT, box[3] - 8)
    if first:
        write(draw, _EARLIER, Ink(SMALLEST_TYPE, CREAM), (start + step / 2, _middle_of(box)), align="middle")
    for nth, place in enumerate(row.places[first:], first):
        cell = (right - step * (games - nth), _middle_of(box) - high / 2, step - 4, high)
        ground, colour = (_GOLD if place == 1 else _GROUND), WHITE
        if nth + 1 in row.lost:
            ground, colour = PAPER, BROWN
        _lay_panel(picture, cell, _CELL_ROUND, ground)
        middle = (cell[0] + cell[2] / 2, _middle_of(box))
        write(draw, str(place or _NO_PLACE), Ink(SMALLEST_TYPE, colour), middle, align="middle")
    return start
