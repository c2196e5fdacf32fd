"""A small sheet to draw one card or sign on: shapes, panels and text, at four times the final size."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import Final, TypeAlias

from PIL import Image, ImageChops, ImageDraw

from cogs.pictures.shapes import Shape
from cogs.pictures.text import HEAVY, WIDE, font

Picture: TypeAlias = Image.Image
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, width, height, in pixels of the finished picture (or in the units of a sheet)."""

Colour: TypeAlias = str | tuple[int, int, int, int]

SIZE: Final = 128
_SCALE: Final = 4
CLEAR: Final[Colour] = (0, 0, 0, 0)


class Sheet:
    """A transparent sheet for an emoji, a card or a sign. Its units are the pixels of an emoji."""

    def __init__(self, width: int = SIZE, height: int = SIZE) -> None:
        self._picture = Image.new("RGBA", (width * _SCALE, height * _SCALE))
        self._draw = ImageDraw.Draw(self._picture)

    def shape(self, shape: Shape, box: Box, colour: Colour) -> None:
        """Fill a shape, stretched to the box."""
        left, top, width, height = box
        for polygon in shape:
            points = [((left + x * width) * _SCALE, (top + y * height) * _SCALE) for x, y in polygon]
            self._draw.polygon(points, fill=colour)

    def panel(self, box: Box, radius: float, colour: Colour) -> None:
        """Fill a box with rounded corners."""
        self._draw.rounded_rectangle(_corners(box), radius * _SCALE, fill=colour)

    def bordered(self, box: Box, radius: float, border: float, edge: Colour, colour: Colour) -> None:
        """Fill a box with rounded corners and a border inside its edge."""
        self.panel(box, radius, edge)
        self.panel(within(box, border), radius - border, colour)

    def disc(self, box: Box, colour: Colour) -> None:
        """Fill an ellipse."""
        self._draw.ellipse(_corners(box), fill=colour)

    def half_disc(self, box: Box, colour: Colour) -> None:
        """Fill the lower half of an ellipse."""
        self._draw.chord(_corners(box), 0, 180, fill=colour)

    def stripes(self, box: Box, colour: Colour, width: float) -> None:
        """Fill a box with slanting stripes; the gaps are as wide as the stripes."""
        left, top, right, bottom = _corners(box)
        stripes, inside = (Image.new("L", self._picture.size) for _ in range(2))
        step, drawn = width * _SCALE * 2 * 2**0.5, ImageDraw.Draw(stripes)
        start = left - (bottom - top)
        while start < right:
            drawn.line((start, top, start + bottom - top, bottom), fill=255, width=round(width * _SCALE))
            start += step
        ImageDraw.Draw(inside).rounded_rectangle((left, top, right, bottom), 8 * _SCALE, fill=255)
        self._picture.paste(colour, (0, 0), ImageChops.multiply(stripes, inside))

    def wipe(self, box: Box) -> None:
        """Make a box transparent again."""
        self._draw.rectangle(_corners(box), fill=CLEAR)

    def text(self, text: str, box: Box, colour: Colour, width: int = WIDE) -> None:
        """Draw a text whose ink is as high as the box, centred and no wider than the box."""
        left, top, most, height = (round(edge * _SCALE) for edge in box)
        ink = _ink(text, width)
        across = min(most, round(ink.width * height / ink.height))
        self._picture.paste(colour, (left + (most - across) // 2, top), resized(ink, across, height))

    def finished(self) -> Picture:
        """The drawing at one pixel per unit."""
        return self._picture.reduce(_SCALE)

    def sized(self, width: int) -> Picture:
        """The drawing at a width of `width` pixels."""
        return resized(self._picture, width, round(width * self._picture.height / self._picture.width))


def resized(picture: Picture, width: int, height: int) -> Picture:
    """The picture at another size, resampled smoothly."""
    size, smooth = (width, height), Image.Resampling.LANCZOS
    return picture.resize(size, smooth)  # pyright: ignore[reportUnknownMemberType] - Pillow's types mention numpy's


def as_png(picture: Picture, level: int | None = None) -> bytes:
    """Encode a picture as a PNG, as small as possible or at zlib's `level` 1 to 9; 1 takes a third of the time."""
    stream = BytesIO()
    picture.save(stream, "PNG", **({"optimize": True} if level is None else {"compress_level": level}))
    return stream.getvalue()


def within(box: Box, margin: float) -> Box:
    """The box without a margin on each side."""
    left, top, width, height = box
    return (left + margin, top + margin, width - 2 * margin, height - 2 * margin)


def _corners(box: Box) -> tuple[float, float, float, float]:
    """The first and the last pixel of a box."""
    left, top, width, height = (edge * _SCALE for edge in box)
    return (left, top, left + width - 1, top + height - 1)


@cache
def _ink(text: str, width: int) -> Picture:
    """A text in the heaviest weight, cropped to its ink, far larger than it will be shown."""
    heavy = font("european", 400, HEAVY, width)
    left, top, right, bottom = map(round, heavy.getbbox(text))
    ink = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(ink).text((-left, -top), text, 255, heavy)
    return ink
