"""A seat on the picture of the table: who sits there, the hand as a number, the table cards or the place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cogs.pictures import sprites
from cogs.pictures.canvas import Canvas
from cogs.pictures.layout import CARD_SHAPE, HEAD, PADDING, PEEK, SLOT_GAP
from cogs.pictures.palette import ACCENT, ON_ACCENT, PANEL, QUIET, TEA, TEXT
from cogs.pictures.scene import FaceSet, Role, SceneSeat, SceneSlot
from cogs.pictures.sheet import Box
from cogs.pictures.signs import Sign
from cogs.pictures.text import legible_or

_ROUND, _BORDER = 18, 6
_ROLES: Final[dict[Role, tuple[Sign, str]]] = {
    "acts": ("turn", ACCENT),
    "gives": ("swap", QUIET),
    "shithead": ("cup", TEA),
    "winner": ("crown", ACCENT),
}
"""A role's sign, and the colour that a seat stands out in."""
_NAME, _SMALL_NAME, _NUMBER, _SIGN, _PLACE = 34, 31, 38, 34, 66
_BACK_STEP, _TILT = 17, 9
"""How far the backs of a hand lie apart, and how many degrees each is turned."""
_NARROW: Final = 300
"""A seat less wide than this has its name in smaller letters."""


def draw_seat(canvas: Canvas, seat: SceneSeat, box: Box, faces: FaceSet, *, card: float, rows: int) -> None:
    """Draw a seat into its box; its slots lie in `rows`, `card` is how wide a card is."""
    sign, colour = _ROLES.get(seat.role, (None, PANEL))
    canvas.bordered(box, _ROUND, _BORDER, colour, PANEL)
    left, top, across, down = box
    end = left + across - PADDING - 4
    if seat.place is None and (seat.ready is None or across >= _NARROW):  # before play all hold equally many
        end = _draw_hand(canvas, seat.hand, end, top + HEAD / 2, most=1 if across < _NARROW else 2)
    for each in _signs(seat):
        canvas.sign(each, TEXT, _SIGN, end - _SIGN / 2, top + HEAD / 2)
        end -= _SIGN + 8
    _draw_name(canvas, seat, (left, top, end - left, HEAD), sign, colour)
    if seat.place is not None:
        _draw_place(canvas, seat.place, left + across / 2, top + HEAD + (down - HEAD) / 2 - 4)
    for (x, y), slot in zip(_places(len(seat.slots), box, card, rows), seat.slots, strict=True):
        _draw_slot(canvas, slot, x, y, faces, card)


def _signs(seat: SceneSeat) -> Iterator[Sign]:
    """Signs in the head of a seat, from right to left."""
    if seat.ready is not None:
        yield "ready" if seat.ready else "waiting"
    if seat.player.presence != "here" and seat.place is None:
        yield seat.player.presence


def _draw_hand(canvas: Canvas, hand: int, end: float, middle: float, most: int) -> float:
    """Write how many cards a hand has, left of that a fan of `most` backs or fewer; returns where its room begins."""
    end -= canvas.write(str(hand), _NUMBER, TEXT, (end, middle), align="right") + 8
    across, rightmost, backs = canvas.pixels(25), end - 13, min(hand, most)
    if not backs:
        canvas.lay_centred(sprites.outline(across), rightmost, middle)
    for to_the_left in reversed(range(backs)):  # each lies on the one to its left
        tilt = 0 if backs == 1 else _TILT * (1 if to_the_left else -1)
        canvas.lay_centred(sprites.card_back(across, tilt), rightmost - to_the_left * _BACK_STEP, middle)
    return end - 18 - most * _BACK_STEP  # however many there are, so that names do not move with every card


def _draw_name(canvas: Canvas, seat: SceneSeat, room: Box, sign: Sign | None, colour: str) -> None:
    """Write the name, on a coloured label behind the sign of what the seat is there for.

    How well a computer plays is written behind it if there is room; the alt text says it in any case.
    """
    left, top, across, down = room
    size = _NAME if across > _NARROW * 0.6 else _SMALL_NAME
    start, middle = left + PADDING + 4, top + down / 2
    if sign:
        start += 35
    name, most = legible_or(seat.player.name, seat.player.fallback), left + across - start - 8
    with_level = f"{name} ({seat.player.level})"
    if seat.player.level and canvas.width_of(with_level, size) <= most:
        name = with_level
    if sign:
        label = (left, top, start - left + canvas.width_of(name, size, most) + 16, down)
        canvas.panel(label, _ROUND, colour)
        canvas.sign(sign, ON_ACCENT, 32, left + 27, middle)
    canvas.write(name, size, ON_ACCENT if sign else TEXT, (start, middle), most=most)


def _draw_place(canvas: Canvas, place: int, x: float, y: float) -> None:
    """Draw a medal with the finishing place."""
    colour = ACCENT if place == 1 else QUIET
    canvas.sign("medal", colour, _PLACE * 1.6, x, y)
    canvas.write(str(place), 44, ON_ACCENT, (x, y - _PLACE * 0.22), align="middle")


def _places(slots: int, box: Box, card: float, rows: int) -> Iterator[tuple[float, float]]:
    """Where the cards of the slots lie, row by row, in the middle of the box."""
    left, top, across, _ = box
    in_row = -(-slots // rows)
    for n in range(slots):
        row, nth = divmod(n, in_row)
        count = min(in_row, slots - row * in_row)
        start = left + (across - count * (card + SLOT_GAP) + SLOT_GAP) / 2
        down = HEAD + PADDING + PEEK + row * (card * CARD_SHAPE + SLOT_GAP + PEEK)
        yield start + nth * (card + SLOT_GAP), top + down


def _draw_slot(canvas: Canvas, slot: SceneSlot, x: float, y: float, faces: FaceSet, card: float) -> None:
    """Draw a face-up card lying on a face-down one, one of them alone, or the empty place."""
    across = canvas.pixels(card)
    covered = bool(slot.cards) or slot.unseen
    if slot.is_down:
        canvas.lay(sprites.card_back(across), x + covered * 4, y - covered * PEEK)
    if len(slot.cards) > 1:
        canvas.lay(sprites.under_card(across), x - 5, y + 4)
    if slot.cards:
        canvas.lay(sprites.table_card(slot.cards, faces, across), x, y)
    elif slot.unseen:
        canvas.lay(sprites.card_back(across), x, y)
    elif not slot.is_down:
        canvas.lay(sprites.outline(across), x, y)
