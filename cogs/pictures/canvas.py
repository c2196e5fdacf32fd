"""A picture of the table while it is being drawn: places prepared sprites and lines of text, measured in units.

A unit is a thousandth of the picture's width, so the same drawing makes pictures of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from PIL import Image

from cogs.pictures import sprites
from cogs.pictures.layout import WIDTH
from cogs.pictures.palette import PANEL, QUIET, TEXT
from cogs.pictures.shapes import Point
from cogs.pictures.sheet import Box, Picture, within
from cogs.pictures.signs import Sign
from cogs.pictures.text import Ink, wrapped

Align: TypeAlias = Literal["left", "middle", "right"]


class Canvas:
    """An opaque picture, `across` pixels wide, `down` units high."""

    def __init__(self, across: int, down: float, colour: str) -> None:
        self._scale = across / WIDTH
        self.picture = Image.new("RGB", (across, self.pixels(down)), colour)

    def pixels(self, units: float) -> int:
        """A length in pixels, at least one."""
        return max(1, round(units * self._scale))

    def _edges(self, box: Box) -> tuple[int, int, int, int]:
        """Left, top, right and bottom of a box in pixels."""
        left, top, across, down = (edge * self._scale for edge in box)
        return round(left), round(top), round(left + across), round(top + down)

    def fill(self, box: Box, colour: str) -> None:
        """Fill a box."""
        self.picture.paste(colour, self._edges(box))

    def lay(self, sprite: Picture, left: float, top: float) -> None:
        """Place the upper left corner of a sprite at a point."""
        self.picture.paste(sprite, (round(left * self._scale), round(top * self._scale)), sprite)

    def lay_centred(self, sprite: Picture, x: float, y: float) -> None:
        """Place the middle of a sprite at a point."""
        corner = (round(x * self._scale - sprite.width / 2), round(y * self._scale - sprite.height / 2))
        self.picture.paste(sprite, corner, sprite)

    def sign(self, name: Sign, colour: str, across: float, x: float, y: float) -> None:
        """Place the middle of a sign at a point."""
        self.lay_centred(sprites.sign(name, colour, self.pixels(across)), x, y)

    def panel(self, box: Box, radius: float, colour: str) -> None:
        """Fill a box with rounded corners."""
        left, top, right, bottom = self._edges(box)
        size = min(2 * self.pixels(radius), right - left, bottom - top)
        # Two rectangles and a disc in each corner: Pillow's own rounded corners have jagged edges, and smoothing those
        # takes a larger picture.
        half, disc = size // 2, sprites.disc(size)
        self.picture.paste(colour, (left + half, top, right - half, bottom))
        self.picture.paste(colour, (left, top + half, right, bottom - half))
        for x in (left, right - size):
            for y in (top, bottom - size):
                self.picture.paste(colour, (x, y), disc)

    def bordered(self, box: Box, radius: float, border: float, edge: str, colour: str) -> None:
        """Fill a box with rounded corners and a border inside its edge."""
        self.panel(box, radius, edge)
        self.panel(within(box, border), radius - border, colour)

    def write(
        self, text: str, size: float, colour: str, at: Point, *, most: float = WIDTH, align: Align = "left"
    ) -> float:
        """Write a line, cut to `most` units; `at` is its left end, middle or right end. Return its width in units."""
        mask = sprites.line(text, self.pixels(size), self.pixels(most))
        left = at[0] * self._scale - {"left": 0, "middle": mask.width / 2, "right": mask.width}[align]
        self.picture.paste(colour, (round(left), round(at[1] * self._scale - mask.height / 2)), mask)
        return mask.width / self._scale

    def write_wrapped(self, text: str, size: float, colour: str, at: Point, *, most: float) -> None:
        """Write a text centred at a point, on two lines if one is too short, and cut if both are."""
        lines, _ = wrapped(text, (Ink(self.pixels(size), colour),), most * self._scale)
        for n, line in enumerate(lines):
            middle = at[1] + (n - (len(lines) - 1) / 2) * size * 1.15
            self.write(line, size, colour, (at[0], middle), most=most, align="middle")

    def part(self, boxes: Sequence[Box]) -> tuple[Picture, tuple[int, int]]:
        """The smallest part of the picture with all these boxes in it, and its upper left corner in pixels."""
        edges = [self._edges(box) for box in boxes]
        lefts, tops, rights, bottoms = zip(*edges, strict=True)
        corner = (max(0, min(lefts)), max(0, min(tops)))
        end = (min(self.picture.width, max(rights)), min(self.picture.height, max(bottoms)))
        return self.picture.crop((*corner, *end)), corner

    def width_of(self, text: str, size: float, most: float = WIDTH) -> float:
        """The width that a line would have, in units."""
        return sprites.line(text, self.pixels(size), self.pixels(most)).width / self._scale

    def count(self, number: int, x: float, y: float, *, sign: Sign | None = None, colour: str = TEXT) -> None:
        """Write a number of cards on a dark label, centred at a point."""
        text, size = str(number), 34.0
        room = size + 4 if sign else 0
        across = max(self.width_of(text, size) + room + 24, size * 1.4)
        self.bordered((x - across / 2, y - size * 0.7, across, size * 1.4), size * 0.7, 2, QUIET, PANEL)
        if sign:
            self.sign(sign, colour, size, x - across / 2 + 10 + size / 2, y - 1)
        self.write(text, size, TEXT, (x + room / 2, y), align="middle")
