"""The public table as one picture: the pile in the middle, the seats around it in turn.

Pure and thread-safe: the same scene and faces give the same bytes. The first picture of a table takes about a tenth of
a second of processor time, later ones a tenth of that; call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from cogs.pictures import sprites
from cogs.pictures.layout import CARD_SHAPE, HEAD, PADDING, PEEK, SLOT_GAP, WIDTH, Layout, layout_of
from cogs.pictures.palette import ACCENT, FELT, FIRE, ON_ACCENT, PANEL, QUIET, RIM, TEA, TEXT, in_palette
from cogs.pictures.scene import FaceSet, Role, Scene, SceneSeat, SceneSlot
from cogs.pictures.sheet import Box, Picture, as_png
from cogs.pictures.signs import Sign
from cogs.pictures.sprites import Canvas
from cogs.pictures.text import legible_or

PLAIN: Final = FaceSet()
"""Two colours, and the letters of English cards."""
_EDGE, _ROUND = 7, 14
"""Width of the table's edge, and the radius of its corners."""


@dataclass(frozen=True, slots=True, repr=False)
class Part:
    """A part of a picture: its box, background and drawing function; parts with equal `shows` look the same."""

    box: Box
    ground: str
    shows: object
    draw: Callable[[Canvas], None]


def table_picture(scene: Scene, faces: FaceSet = PLAIN, across: int = WIDTH) -> bytes:
    """Draw the table as a PNG, `across` pixels wide."""
    return encoded(painted(scene, faces, across))


def painted(scene: Scene, faces: FaceSet, across: int) -> Picture:
    """Draw the table, `across` pixels wide."""
    layout = layout_of(len(scene.seats), scene.slot_count)
    canvas = Canvas(across, layout.height, RIM)
    draw_felt(canvas, layout)
    for part in table_parts(scene, layout, faces):
        part.draw(canvas)
    return canvas.picture


def encoded(picture: Picture) -> bytes:
    """Encode a picture as a PNG in the colours of the palette.

    A lossless WebP would be a third smaller but take six times as long; a lossy one would be hardly smaller. Level 5,
    because zlib's default of 6 takes a third longer for 5 % fewer bytes.
    """
    return as_png(in_palette(picture), level=5)


def draw_felt(canvas: Canvas, layout: Layout) -> None:
    """Draw the empty table, without a film's caption, at the top of the canvas."""
    canvas.panel((_EDGE, _EDGE, WIDTH - 2 * _EDGE, layout.height - 2 * _EDGE), _ROUND, FELT)


def table_parts(scene: Scene, layout: Layout, faces: FaceSet) -> Iterator[Part]:
    """The parts of a table, none of which overlap."""
    pile = replace(scene, seats=(), stock=0, burned=0)
    yield Part(layout.pile, FELT, pile, partial(draw_pile, scene=pile, box=layout.pile, faces=faces))
    yield Part(layout.stock, FELT, scene.stock, partial(draw_stock, stock=scene.stock, box=layout.stock))
    yield Part(layout.burned, FELT, scene.burned, partial(draw_burned, burned=scene.burned, box=layout.burned))
    people = [nth for nth, seat in enumerate(scene.seats) if seat.player.presence != "computer"]
    lowest = max(range(len(layout.seats)), key=lambda nth: layout.seats[nth][1])
    turned = lowest - people[0] if len(people) == 1 else 0  # a person among computers sits at the bottom
    boxes = (*layout.seats[turned:], *layout.seats[:turned])
    for seat, box in zip(scene.seats, boxes, strict=True):
        draw = partial(draw_seat, seat=seat, box=box, faces=faces, card=layout.card, rows=layout.rows)
        yield Part(box, FELT, seat, draw)


# -- the middle: pile, stock, what has burned

_LARGEST: Final = 168
"""The maximum width of a card of the pile."""
_STEP: Final = 0.45
"""Distance from one card of the fan to the next, in card widths: rank and suit of the lower one stay visible."""
_SPREAD: Final = 5
"""Degrees between two cards of the fan."""
_EDGES: Final = 3
"""The most edges of cards drawn below the fan."""
_LARGEST_HEAP: Final = 100
_LAYER: Final = 12
"""Cards in the stock for each card that is drawn of it, up to four."""
_HEAP: Final = ((22, -10, -2), (-14, 8, 2), (4, 0, 0))
"""Angle and offset (right, down) of each visible card of the burned heap."""


def draw_pile(canvas: Canvas, scene: Scene, box: Box, faces: FaceSet) -> None:
    """Draw the fan of the top cards with the size of the pile, or an empty place with what the table waits for."""
    left, top, across, down = box
    card = min(_LARGEST, (down - 40) / CARD_SHAPE, across * 0.31)
    x, y = left + across / 2, top + down / 2 - 4
    if scene.direction:
        clockwise = scene.direction == 1
        canvas.sign("right-down" if clockwise else "right-up", QUIET, card * 0.26, x + card * 1.47, y)
        canvas.sign("left-up" if clockwise else "left-down", QUIET, card * 0.26, x - card * 1.47, y)
    if scene.fan:
        _draw_fan(canvas, scene, card, x, y, faces)
    else:
        _draw_empty(canvas, scene, card, x, y, faces)


def _draw_fan(canvas: Canvas, scene: Scene, card: float, x: float, y: float, faces: FaceSet) -> None:
    count, across, step = len(scene.fan), canvas.pixels(card), card * _STEP
    first = x - (count - 1) * step / 2
    under = sprites.under_card(across, _angle(0, count))
    for n in range(min(_EDGES, scene.pile - count), 0, -1):
        canvas.lay_centred(under, first - n * 7, y + _drop(0, count) + n)
    for n, lying in enumerate(scene.fan):
        sprite = sprites.turned(sprites.pile_card(lying.face, lying.word, faces, across), _angle(n, count))
        canvas.lay_centred(sprite, first + n * step, y + _drop(n, count))
    burning: Sign | None = "burned" if scene.phase == "clear" else None
    canvas.count(scene.pile, first - card / 2, y + card * CARD_SHAPE / 2 - 4, sign=burning, colour=FIRE)


def _angle(nth: int, count: int) -> float:
    return (count - 1 - 2 * nth) * _SPREAD / 2


def _drop(nth: int, count: int) -> float:
    """How much lower than the middle of the fan, which is an arc, a card lies."""
    return abs(_angle(nth, count)) * 1.1


def _draw_empty(canvas: Canvas, scene: Scene, card: float, x: float, y: float, faces: FaceSet) -> None:
    canvas.lay_centred(sprites.outline(canvas.pixels(card)), x, y)
    if scene.calling is not None:
        canvas.write(f"{faces.letter(scene.calling)}?", card * 0.57, TEXT, (x, y), align="middle")
    elif scene.swaps:
        canvas.sign("swap", QUIET, card * 0.5, x, y)


def draw_stock(canvas: Canvas, stock: int, box: Box) -> None:
    """Draw the stock, thicker the more cards there are, with their number."""
    x, y, card = _heap(box)
    across = canvas.pixels(card)
    if not stock:
        canvas.lay_centred(sprites.outline(across), x, y)
    for n in range(min(4, -(-stock // _LAYER))):
        canvas.lay_centred(sprites.card_back(across), x - n * 3, y - n * 4)
    canvas.count(stock, x, y + card * CARD_SHAPE / 2)


def draw_burned(canvas: Canvas, burned: int, box: Box) -> None:
    """Draw the burned heap with the number of its cards; nothing if nothing has burned."""
    x, y, card = _heap(box)
    if burned:
        across = canvas.pixels(card * 0.9)
        for angle, right, below in _HEAP[-burned:]:
            canvas.lay_centred(sprites.card_back(across, angle), x + right, y + below)
        canvas.count(burned, x, y + card * CARD_SHAPE / 2, sign="burned", colour=FIRE)


def _heap(box: Box) -> tuple[float, float, float]:
    """The middle and the width of a card in a box that has a number at its lower edge."""
    left, top, across, down = box
    return left + across / 2, top + down / 2 - 10, min(_LARGEST_HEAP, (down - 44) / CARD_SHAPE)


# -- a seat

_SEAT_ROUND, _BORDER = 18, 6
_ROLES: Final[dict[Role, tuple[Sign, str]]] = {
    "acts": ("turn", ACCENT),
    "gives": ("swap", QUIET),
    "shithead": ("cup", TEA),
    "winner": ("crown", ACCENT),
}
"""The sign of each role, and the colour that highlights its seat."""
_NAME, _SMALL_NAME, _NUMBER, _SIGN, _MEDAL = 34, 31, 38, 34, 106
_BACK_STEP, _TILT = 17, 9
"""The distance between the backs of a hand, and by how many degrees each is turned."""
_ROLE: Final = 35
"""The room for the sign of a role before the name."""
_NARROW: Final = 300
"""A seat that is narrower than this shows less beside its name."""


def draw_seat(canvas: Canvas, seat: SceneSeat, box: Box, faces: FaceSet, *, card: float, rows: int) -> None:
    """Draw a seat into its box, with its slots in `rows` rows of cards that are `card` wide."""
    sign, colour = _ROLES.get(seat.role, (None, PANEL))
    canvas.bordered(box, _SEAT_ROUND, _BORDER, colour, PANEL)
    left, top, across, down = box
    end = left + across - PADDING - 4
    if seat.place is None and (seat.ready is None or across >= _NARROW):  # before play all hands have the same size
        end = _draw_hand(canvas, seat.hand, end, top + HEAD / 2, most=_backs(canvas, seat, across))
    for each in _signs(seat):
        canvas.sign(each, TEXT, _SIGN, end - _SIGN / 2, top + HEAD / 2)
        end -= _SIGN + 8
    _draw_name(canvas, seat, (left, top, end - left, HEAD), sign, colour)
    if seat.place is not None:
        _draw_place(canvas, seat.place, left + across / 2, top + (HEAD + down) / 2 - 4, min(_MEDAL, down - HEAD - 8))
    for (x, y), slot in zip(_places(len(seat.slots), box, card, rows), seat.slots, strict=True):
        _draw_slot(canvas, slot, x, y, faces, card)


def _signs(seat: SceneSeat) -> Iterator[Sign]:
    """The signs in the head of a seat, from right to left."""
    if seat.ready is not None:
        yield "ready" if seat.ready else "waiting"
    if seat.player.presence != "here" and seat.place is None:
        yield seat.player.presence


def _backs(canvas: Canvas, seat: SceneSeat, across: float) -> int:
    """The most backs beside the size of a hand: where a seat is narrow, the name gets its room first."""
    if across >= _NARROW:
        return 2
    name = canvas.width_of(legible_or(seat.player.name, seat.player.fallback), _SMALL_NAME)
    signs = len(list(_signs(seat))) * (_SIGN + 8) + (_ROLE if seat.role else 0)
    # With what `_draw_hand` and `_draw_name` leave free around the number, a back and the name.
    return int(name + signs + canvas.width_of(str(seat.hand), _NUMBER) + 3 * PADDING + 49 <= across)


def _draw_hand(canvas: Canvas, hand: int, end: float, middle: float, most: int) -> float:
    """Write the size of a hand, with a fan of up to `most` backs to its left; return the left end of its room."""
    end -= canvas.write(str(hand), _NUMBER, TEXT, (end, middle), align="right") + 8
    across, rightmost, backs = canvas.pixels(25), end - 13, min(hand, most)
    if not hand and most:
        canvas.lay_centred(sprites.outline(across), rightmost, middle)
    for to_the_left in reversed(range(backs)):  # from the left, each on top of the last
        tilt = 0 if backs == 1 else _TILT * (1 if to_the_left else -1)
        canvas.lay_centred(sprites.card_back(across, tilt), rightmost - to_the_left * _BACK_STEP, middle)
    return end - (18 + most * _BACK_STEP if most else 0)  # whatever the size, so that names do not shift


def _draw_name(canvas: Canvas, seat: SceneSeat, room: Box, sign: Sign | None, colour: str) -> None:
    """Write the name; if the seat has a role, on a coloured label after the sign of that role.

    A computer's level follows if there is room; the alt text has it in any case.
    """
    left, top, across, down = room
    size = _NAME if across > _NARROW * 0.6 else _SMALL_NAME
    start, middle = left + PADDING + 4, top + down / 2
    if sign:
        start += _ROLE
    name, most = legible_or(seat.player.name, seat.player.fallback), left + across - start - (16 if sign else 8)
    with_level = f"{name} ({seat.player.level})"
    if seat.player.level and canvas.width_of(with_level, size) <= most:
        name = with_level
    if sign:
        label = (left, top, start - left + canvas.width_of(name, size, most) + 16, down)
        canvas.panel(label, _SEAT_ROUND, colour)
        canvas.sign(sign, ON_ACCENT, 32, left + 27, middle)
    canvas.write(name, size, ON_ACCENT if sign else TEXT, (start, middle), most=most)


def _draw_place(canvas: Canvas, place: int, x: float, y: float, high: float) -> None:
    """Draw a medal with the finishing place."""
    colour = ACCENT if place == 1 else QUIET
    canvas.sign("medal", colour, high, x, y)
    canvas.write(str(place), high * 0.42, ON_ACCENT, (x, y - high * 0.137), align="middle")


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
