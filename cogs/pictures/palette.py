"""The colours of a picture of the table, and the shades between them, as one fixed palette.

Edges are smooth, so where two colours meet there are mixtures of them. With a fixed palette no picture needs a search
for its best colours, and all frames of a film share one colour table.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from PIL import Image, ImageColor

BLACK, RED, BLUE, GREEN = "#14171B", "#C61423", "#1463D2", "#007A64"
"""Red and green differ as much as a contrast of 5:1 on white allows, also for people who confuse red and green."""
WHITE, EDGE = "#FFFFFF", "#8B919B"
FELT, PANEL, RIM = "#1F5443", "#123529", "#5A3A20"
TEXT, QUIET, ACCENT, ON_ACCENT = "#F8F2E4", "#BFD8CA", "#F9CB50", "#14231C"
BACK, BACK_LINE, BACK_EDGE = "#93AABB", "#AEC1CF", "#E6EDF2"
FIRE, TEA, OUTLINE = "#FFA64D", "#E2A86B", "#7FA896"

_MIXED: Final = (
    (WHITE, BLACK, 7),
    (WHITE, RED, 5),
    (WHITE, BLUE, 5),
    (WHITE, GREEN, 5),
    (WHITE, EDGE, 3),
    (EDGE, PANEL, 3),
    (EDGE, FELT, 3),
    (EDGE, BACK_EDGE, 2),
    (BACK, BACK_LINE, 2),
    (BACK, BACK_EDGE, 3),
    (BACK_EDGE, PANEL, 3),
    (BACK_EDGE, FELT, 3),
    (TEXT, PANEL, 6),
    (TEXT, RIM, 4),
    (ACCENT, PANEL, 4),
    (ACCENT, ON_ACCENT, 6),
    (ACCENT, FELT, 3),
    (QUIET, FELT, 4),
    (QUIET, PANEL, 3),
    (FIRE, PANEL, 4),
    (TEA, PANEL, 4),
    (TEA, ON_ACCENT, 4),
    (OUTLINE, PANEL, 2),
    (OUTLINE, FELT, 2),
    (PANEL, FELT, 2),
    (RIM, FELT, 1),
)
"""Two colours that meet, and how many mixtures of them the palette holds."""


@cache
def colours() -> bytes:
    """The palette: each colour once, three bytes each."""
    return b"".join(dict.fromkeys(_with_mixtures()))


def _with_mixtures() -> Iterator[bytes]:
    for one, other, count in _MIXED:
        begin, end = ImageColor.getrgb(one), ImageColor.getrgb(other)
        for step in range(count + 2):
            yield bytes(round(a + (b - a) * step / (count + 1)) for a, b in zip(begin, end, strict=True))


@cache
def _palette() -> Image.Image:
    picture = Image.new("P", (1, 1))
    picture.putpalette(colours())
    # Pillow attaches a cache of nearest colours at the first use, without a lock: do that before other threads see it.
    Image.new("RGB", (1, 1)).quantize(palette=picture)
    return picture


def in_palette(picture: Image.Image) -> Image.Image:
    """The picture with each colour replaced by the nearest of the palette."""
    return picture.quantize(palette=_palette(), dither=Image.Dither.NONE)


def places_in_palette(picture: Image.Image) -> Image.Image:
    """The picture in mode L; each value is the index of a colour in the palette."""
    return Image.frombytes("L", picture.size, in_palette(picture).tobytes())
