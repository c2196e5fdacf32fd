"""The layout of a picture of the table, for 2 to 12 seats with up to 6 slots: numbers, no drawing.

The picture is `WIDTH` units wide; the caller decides how many pixels that is. Seats sit around the pile clockwise, the
first one at the top left. Discord shows a picture at its full width up to a shape of 11 to 7 (its client's
`max-width: 550px; max-height: 350px`, discord-api-docs #8100), so tables with few slots stay near that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cogs.pictures.sheet import Box

WIDTH: Final = 1000
CARD_SHAPE: Final = 1.34
"""Height of a card divided by its width."""
MARGIN, GAP, PADDING = 12, 10, 10
HEAD: Final = 48
"""Height of the line with a seat's name and hand."""
PEEK: Final = 9
"""How much of a face-down card shows from under a face-up one."""
SLOT_GAP: Final = 6

_SIDES: Final = {
    2: (1, 0, 1, 0),
    3: (2, 0, 1, 0),
    4: (2, 0, 2, 0),
    5: (3, 0, 2, 0),
    6: (3, 0, 3, 0),
    7: (3, 1, 2, 1),
    8: (3, 1, 3, 1),
    9: (4, 1, 3, 1),
    10: (4, 1, 4, 1),
    11: (4, 2, 3, 2),
    12: (4, 2, 4, 2),
}
"""Number of seats → how many of them are above, to the right, below, to the left."""
_SIDE_WIDTH: Final = 236
_MOST_WIDTH: Final = 400
_LARGEST_CARD, _SMALLEST_CARD, _CROWDED_CARD, _NO_CARD = 86, 48, 70, 56
_MIDDLE: Final = 266
"""Minimum height of the area between the seats above and below."""
_HEAP_WIDTH: Final = 210
"""Width of the stock and of the burned heap beside the pile."""
_HEAP_HEIGHT: Final = 104
"""Height of both below the pile or the seats at the sides, if there is no room beside the pile."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout, in units; `card` is the width of a table card, `rows` the number of rows for a seat's slots."""

    height: float
    seats: tuple[Box, ...]
    pile: Box
    stock: Box
    burned: Box
    card: float
    rows: int


def layout_of(seats: int, slots: int) -> Layout:
    """Lay out a table with this many seats, each with at most this many slots."""
    above, right, below, left = _SIDES[seats]
    room = _SIDE_WIDTH if right else _column(max(above, below))
    card, rows = _card(room, slots)
    down = HEAD + PEEK + 2 * PADDING + rows * card * CARD_SHAPE + (rows - 1) * (SLOT_GAP + PEEK)
    across = slots / rows * (card + SLOT_GAP) + 2 * PADDING
    beside = down + GAP + _HEAP_HEIGHT if right == 1 else right * (down + GAP) - GAP
    middle = max(_MIDDLE, beside)
    top = MARGIN + down + GAP
    boxes = [
        *_row(above, MARGIN, across, down),
        *_side(right, WIDTH - MARGIN - _SIDE_WIDTH, top, down),
        *reversed(list(_row(below, top + middle + GAP, across, down))),
        *reversed(list(_side(left, MARGIN, top, down))),
    ]
    pile, stock, burned = _heaps(right, top, middle, down)
    return Layout(top + middle + GAP + down + MARGIN, tuple(boxes), pile, stock, burned, card, rows)


def _heaps(beside: int, top: float, middle: float, down: float) -> tuple[Box, Box, Box]:
    """The boxes of pile, stock and burned heap; `beside` seats, each `down` high, are on each side of them.

    With none the heaps are beside the pile, with one below the seats at the sides, with two below the pile.
    """
    if beside == 0:
        inner = WIDTH - 2 * MARGIN - 2 * _HEAP_WIDTH
        far = MARGIN + _HEAP_WIDTH + inner
        pile = (MARGIN + _HEAP_WIDTH, top, inner, middle)
        return pile, (MARGIN, top, _HEAP_WIDTH, middle), (far, top, _HEAP_WIDTH, middle)
    start = MARGIN + _SIDE_WIDTH + GAP
    inner = WIDTH - 2 * start
    if beside == 1:
        low, left, far = top + down + GAP, MARGIN, WIDTH - MARGIN - _SIDE_WIDTH
        rest = middle - down - GAP
        return (start, top, inner, middle), (left, low, _SIDE_WIDTH, rest), (far, low, _SIDE_WIDTH, rest)
    low, half = top + middle - _HEAP_HEIGHT, inner / 2
    pile = (start, top, inner, middle - _HEAP_HEIGHT)
    return pile, (start, low, half, _HEAP_HEIGHT), (start + half, low, half, _HEAP_HEIGHT)


def _column(count: int) -> float:
    """The maximum width of each of `count` seats side by side."""
    return (WIDTH - 2 * MARGIN - (count - 1) * GAP) / count


def _card(room: float, slots: int) -> tuple[float, int]:
    """The width of a card and the number of rows with which `slots` fit into a seat `room` wide."""
    if not slots:
        return _NO_CARD, 1  # a row as high as a medal

    def fitting(in_a_row: int) -> float:
        return (room - 2 * PADDING + SLOT_GAP) / in_a_row - SLOT_GAP

    one = fitting(slots)
    if one >= _SMALLEST_CARD:
        return min(_LARGEST_CARD, one), 1
    return min(_CROWDED_CARD, fitting(-(-slots // 2))), 2


def _row(count: int, top: float, across: float, down: float) -> Iterator[Box]:
    """Seats side by side, spread over the whole width."""
    column = _column(count)
    wide = min(column, max(across, _MOST_WIDTH))
    for n in range(count):
        middle = MARGIN + n * (column + GAP) + column / 2
        if count == 2:  # noqa: PLR2004 - two sit in the corners to leave the middle free
            middle = MARGIN + wide / 2 if n == 0 else WIDTH - MARGIN - wide / 2
        yield (middle - wide / 2, top, wide, down)


def _side(count: int, left: float, top: float, down: float) -> Iterator[Box]:
    """Seats one below the other."""
    for n in range(count):
        yield (left, top + n * (down + GAP), _SIDE_WIDTH, down)
