"""A seat in the picture of the table: who sits there, the size of the hand, the table cards or the finishing place."""

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
"""The sign of each role, and the colour that highlights its seat."""
_NAME, _SMALL_NAME, _NUMBER, _SIGN, _PLACE = 34, 31, 38, 34, 66
_BACK_STEP, _TILT = 17, 9
"""The distance between the backs of a hand, and by how many degrees each is turned."""
_NARROW: Final = 300
"""A seat that is narrower than this shows less beside its name."""


def draw_seat(canvas: Canvas, seat: SceneSeat, box: Box, faces: FaceSet, *, card: float, rows: int) -> None:
    """Draw a seat into its box, with its slots in `rows` rows of cards that are `card` wide."""
    sign, colour = _ROLES.get(seat.role, (None, PANEL))
    canvas.bordered(box, _ROUND, _BORDER, colour, PANEL)
    left, top, across, down = box
    end = left + across - PADDING - 4
    if seat.place is None and (seat.ready is None or across >= _NARROW):  # before play all hands have the same size
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
    """The signs in the head of a seat, from right to left."""
    if seat.ready is not None:
        yield "ready" if seat.ready else "waiting"
    if seat.player.presence != "here" and seat.place is None:
        yield seat.player.presence


def _draw_hand(canvas: Canvas, hand: int, end: float, middle: float, most: int) -> float:
    """Write the size of a hand, with a fan of up to `most` backs to its left; return the left end of its room."""
    end -= canvas.write(str(hand), _NUMBER, TEXT, (end, middle), align="right") + 8
    across, rightmost, backs = canvas.pixels(25), end - 13, min(hand, most)
    if not backs:
        canvas.lay_centred(sprites.outline(across), rightmost, middle)
    for to_the_left in reversed(range(backs)):  # from the left, each on top of the last
        tilt = 0 if backs == 1 else _TILT * (1 if to_the_left else -1)
        canvas.lay_centred(sprites.card_back(across, tilt), rightmost - to_the_left * _BACK_STEP, middle)
    return end - 18 - most * _BACK_STEP  # whatever the size, so that names do not shift


def _draw_name(canvas: Canvas, seat: SceneSeat, room: Box, sign: Sign | None, colour: str) -> None:
    """Write the name; if the seat has a role, on a coloured label after the sign of that role.

    A computer's level follows if there is room; the alt text has it in any case.
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
    """The upper left corners of the slots' cards, row by row, centred in the box."""
    left, top, across, _ = box
    in_row = -(-slots // rows)
    for n in range(slots):
        row, nth = divmod(n, in_row)
        count = min(in_row, slots - row * in_row)
        start = left + (across - count * (card + SLOT_GAP) + SLOT_GAP) / 2
        down = HEAD + PADDING + PEEK + row * (card * CARD_SHAPE + SLOT_GAP + PEEK)
        yield start + nth * (card + SLOT_GAP), top + down


def _draw_slot(canvas: Canvas, slot: SceneSlot, x: float, y: float, faces: FaceSet, card: float) -> None:
    """Draw a face-up card on top of a face-down one, either of them alone, or an empty slot."""
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
