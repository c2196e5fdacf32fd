"""The middle of the picture of the table: the pile, the stock and the burned heap."""

from __future__ import annotations

from typing import Final

from cogs.pictures import sprites
from cogs.pictures.canvas import Canvas
from cogs.pictures.layout import CARD_SHAPE
from cogs.pictures.palette import FIRE, QUIET, TEXT
from cogs.pictures.scene import FaceSet, Scene
from cogs.pictures.sheet import Box
from cogs.pictures.signs import Sign

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
    under = sprites.turned(sprites.under_card(across), _angle(0, count))
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
    elif scene.phase in {"exchange", "tribute"}:
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
