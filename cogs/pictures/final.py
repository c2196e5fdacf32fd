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

from cogs.pictures.card_faces import BROWN, CREAM, PAPER, face
from cogs.pictures.palette import ACCENT, ON_ACCENT, WHITE
from cogs.pictures.sheet import Box, as_png, resized
from cogs.pictures.sprites import Canvas
from cogs.pictures.text import NotDrawableError, cut, legible, width, wrapped
from cogs.screens.formatter import CARD_BACK
from game.rules import MOST_SEATS

_WIDTH, _HEIGHT = 800, 500
SMALLEST_TYPE: Final = 38
"""Size of the smallest text, in pixels."""
_GROUND, _GOLD, _SAND = "#3A2C20", "#9F6A35", "#E3BD8C"
_PADDING: Final = 18
_RIM, _ROW, _MARKED = "#2B2017", "#4A3828", BROWN
_MARGIN, _GAP, _ROUND = 34, 9, 14
_HEAD, _LINE_HEIGHT, _ROWS_BOTTOM = 162, 44, 474
_LOWEST, _TALLEST = 44, 98
_TITLES: Final = (54, 48, 43)
"""Sizes of the title, of which it has the largest that fits."""
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
_SCORE: Final = 46
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


def titled(words: Callable[[Callable[[int], str]], str], name: Callable[[int], str], count: int) -> str:
    """The title above `count` rows; if it does not fit, with names so short that the rest of it is seen, too."""
    whole, has_room = words(name), count <= _MANY  # for two lines
    if has_room and "…" not in "".join(wrapped(whole, _TITLES, _HEAD_WIDTH)[0]):
        return whole
    return words(lambda nth: cut(name(nth), _TITLES[-1], _HEAD_WIDTH if has_room else _HEAD_WIDTH / 2))


def final_picture(title: str, line: str, rows: Sequence[Row]) -> bytes | None:
    """Draw a game as a PNG, 800 pixels wide and up to 500 high.

    None if there are no rows or more than `MOST_SEATS`, or if no typeface covers the texts.
    """
    return _drawn(title, line, rows, _write_seat)


def match_picture(title: str, line: str, rows: Sequence[MatchRow]) -> bytes | None:
    """Draw a match as a PNG, of the size and under the conditions of `final_picture`."""
    widest = max((width(str(row.score), _SCORE) for row in rows), default=0.0)
    return _drawn(title, line, rows, lambda canvas, row, box: _write_player(canvas, row, box, widest))


def _drawn(
    title: str, line: str, rows: Sequence[AnyRow], write_row: Callable[[Canvas, AnyRow, Box], None]
) -> bytes | None:
    """Draw the board and each row in its box; None as in `final_picture`."""
    if not 1 <= len(rows) <= MOST_SEATS:
        return None
    try:
        title, line = legible(title), legible(line) if line else ""
        rows = [replace(row, name=legible(row.name)) for row in rows]
    except NotDrawableError:
        return None
    canvas, boxes = _board(title, line, len(rows))
    for row, box in zip(rows, boxes, strict=True):
        _draw_row(canvas, row, box)
        write_row(canvas, row, box)
    return as_png(canvas.picture)


# -- the board


def _board(title: str, line: str, count: int) -> tuple[Canvas, list[Box]]:
    """Draw the board with its head; return it and the boxes of its rows, which are still empty.

    All texts must have passed `text.legible`.
    """
    titles, size = wrapped(title, _TITLES, _HEAD_WIDTH)
    if count > _MANY:
        titles = (title,)
    lines: tuple[str, ...] = (line,)
    if len(titles) == 1 and count <= _FEW:
        lines, _ = wrapped(line, (SMALLEST_TYPE,), _HEAD_WIDTH)
    extra_lines = len(titles) + len(lines) - 2
    boxes = list(_boxes(count, _HEAD + extra_lines * _LINE_HEIGHT))
    lowest = max(top + down for _, top, _, down in boxes)  # with few rows the board is less high
    high = round(lowest) + _HEIGHT - _ROWS_BOTTOM
    canvas = Canvas(_WIDTH, high, _RIM, units=_WIDTH)
    canvas.bordered((11, 11, _WIDTH - 22, high - 22), 24, 3, _GOLD, _GROUND)
    _write_head(canvas, titles, size, lines)
    return canvas, boxes


def _write_head(canvas: Canvas, titles: Sequence[str], size: int, lines: Sequence[str]) -> None:
    if any(lines):  # without a line about what is owed there is no cup either
        canvas.lay(resized(face(CARD_BACK), _CUP, _CUP), _WIDTH - _MARGIN - _CUP, 36)
    middle = 64 if any(lines) else 90
    for title in titles:
        canvas.write(title, size, PAPER, (_MARGIN + 5, middle), most=_HEAD_WIDTH)
        middle += _LINE_HEIGHT + 8
    for line in lines:
        canvas.write(line, SMALLEST_TYPE, _SAND, (_MARGIN + 5, middle + 6), most=_HEAD_WIDTH)
        middle += _LINE_HEIGHT


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


def _draw_row(canvas: Canvas, row: Placed, box: Box) -> None:
    """Draw a row with its place on a badge; the first place has a bright one."""
    x, y, long, size = badge = _badge(row, box)
    ground, colour = (ACCENT, ON_ACCENT) if row.place == 1 else (_GOLD, WHITE)
    if row.marked:
        ground, colour = PAPER, BROWN
    canvas.panel(box, _ROUND, _MARKED if row.marked else _ROW)
    canvas.panel(badge, size / 2, ground)
    canvas.write(str(row.place or _NO_PLACE), SMALLEST_TYPE, colour, (x + long / 2, y + size / 2), align="middle")


def _name_size(box: Box) -> int:
    """The size of the name in a row."""
    return 44 if box[3] > SMALLEST_TYPE * 2 else SMALLEST_TYPE


def _write_name(canvas: Canvas, row: Placed, box: Box, end: float) -> None:
    """Write the name of a row, cut to end before `end`."""
    start, _ = _inside(row, box)
    canvas.write(row.name, _name_size(box), WHITE, (start, _middle_of(box)), most=end - start)


# -- the rows


def _write_seat(canvas: Canvas, row: Row, box: Box) -> None:
    start, end = _inside(row, box)
    if row.cards:
        name_width = min((end - start) * _NAME_BY_CARDS, width(row.name, _name_size(box)) + _PADDING)
        margin = box[0] + box[2] - end
        end = _lay_cards(canvas, row.cards, (start + name_width, end), box) - margin
    _write_name(canvas, row, box, end)


def _lay_cards(canvas: Canvas, cards: Sequence[str], room: tuple[float, float], box: Box) -> float:
    """Draw as many cards as there is room for, and how many more there are; return the left end of them."""
    left, right = room
    size = int(min(92, box[3] * 0.94, max(_SMALLEST_CARD, (right - left) / len(cards) / _STEP)))
    step = size * _STEP
    shown = min(len(cards), int((right - left) / step))
    if shown < len(cards):
        shown = max(0, int((right - left - width(f"+{len(cards)}", SMALLEST_TYPE)) / step))
        rest = f"+{len(cards) - shown}"
        right -= canvas.write(rest, SMALLEST_TYPE, CREAM, (right, _middle_of(box)), align="right") + 4
    left = right - shown * step
    for n, name in enumerate(cards[:shown]):
        canvas.lay(resized(face(name), size, size), left + n * step, _middle_of(box) - size / 2)
    return left


def _write_player(canvas: Canvas, row: MatchRow, box: Box, widest: float) -> None:
    start, end = _inside(row, box)
    canvas.write(str(row.score), _SCORE, CREAM, (end, _middle_of(box)), align="right")
    end -= widest + _PADDING
    if not _is_narrow(box):
        end = _write_places(canvas, row, box, (start + (end - start) * _NAME_BY_GAMES, end)) - _PADDING
    _write_name(canvas, row, box, end)


def _write_places(canvas: Canvas, row: MatchRow, box: Box, room: tuple[float, float]) -> float:
    """Write the places of as many of the latest games as there is room for; return the left end of them."""
    left, right = room
    games, most = len(row.places), int((right - left) / _NARROWEST)
    shown = games if games <= most else most - 1
    first = games - shown
    cells = shown + 1 if first else shown  # an ellipsis stands for the games before the first
    step = min(_WIDEST, (right - left) / max(1, cells))
    start, high = right - step * cells, min(_CELL_HEIGHT, box[3] - 8)
    if first:
        canvas.write(_EARLIER, SMALLEST_TYPE, CREAM, (start + step / 2, _middle_of(box)), align="middle")
    for nth, place in enumerate(row.places[first:], first):
        cell = (right - step * (games - nth), _middle_of(box) - high / 2, step - 4, high)
        ground, colour = (_GOLD if place == 1 else _GROUND), WHITE
        if nth + 1 in row.lost:
            ground, colour = PAPER, BROWN
        canvas.panel(cell, _CELL_ROUND, ground)
        middle = (cell[0] + cell[2] / 2, _middle_of(box))
        canvas.write(str(place or _NO_PLACE), SMALLEST_TYPE, colour, middle, align="middle")
    return start
