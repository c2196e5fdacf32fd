"""The public table as one picture: the pile in the middle, the seats around it in turn.

Pure and thread-safe: the same scene and faces give the same bytes. The first picture of a table takes about a tenth of
a second of processor time, later ones a tenth of that; call it off the event loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from typing import Final

from cogs.pictures.canvas import Canvas
from cogs.pictures.layout import WIDTH, Layout, layout_of
from cogs.pictures.palette import FELT, RIM, in_palette
from cogs.pictures.pile_part import draw_burned, draw_pile, draw_stock
from cogs.pictures.scene import FaceSet, Scene
from cogs.pictures.seat_part import draw_seat
from cogs.pictures.sheet import Box, Picture

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

    A lossless WebP would be a quarter smaller but take five times as long; a lossy one would be no smaller. Level 5,
    because zlib's default of 6 takes a third longer for 5 % fewer bytes.
    """
    stream = BytesIO()
    in_palette(picture).save(stream, "PNG", compress_level=5)
    return stream.getvalue()


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
