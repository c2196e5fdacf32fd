"""The parts of which pictures of the table are made, drawn once per size and kept in bounded caches.

Do not draw on a sprite: several threads may use it at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from PIL import Image, ImageDraw

from cogs.pictures import table_cards
from cogs.pictures.scene import FaceSet
from cogs.pictures.sheet import Picture
from cogs.pictures.signs import Sign, draw_sign
from cogs.pictures.text import NARROW, Ink, cut, width, write
from game.cards import Card, Face, Word

_SMOOTH: Final = 4
"""Edges are drawn this many times as large and then reduced."""
_LINE: Final = 1.5
"""Height of a line of text divided by its size, which leaves room for accents and descenders."""


@lru_cache(maxsize=160)
def table_card(cards: tuple[Card, ...], faces: FaceSet, across: int) -> Picture:
    """A face-up card, or several equal ones in one slot."""
    return table_cards.table_card(cards, faces).sized(across)


@lru_cache(maxsize=64)
def pile_card(face: Face, word: Word, faces: FaceSet, across: int) -> Picture:
    """A card of the pile."""
    return table_cards.pile_card(face, word, faces).sized(across)


@lru_cache(maxsize=16)
def under_card(across: int) -> Picture:
    """A card of which only the edge shows."""
    return table_cards.under_card().sized(across)


@lru_cache(maxsize=32)
def card_back(across: int, angle: float = 0) -> Picture:
    """The back of a card, turned anticlockwise by an angle in degrees."""
    return turned(table_cards.card_back().sized(across), angle)


@lru_cache(maxsize=16)
def outline(across: int) -> Picture:
    """The outline of an empty place for a card."""
    return table_cards.outline().sized(across)


@lru_cache(maxsize=64)
def sign(name: Sign, colour: str, across: int) -> Picture:
    """A sign in a colour."""
    return draw_sign(name, colour).sized(across)


@lru_cache(maxsize=16)
def disc(across: int) -> Picture:
    """A disc as a mask."""
    # Pillow draws jagged edges, so the disc is drawn larger and reduced. As a mask it serves all colours.
    mask = Image.new("L", (across * _SMOOTH, across * _SMOOTH))
    ImageDraw.Draw(mask).ellipse((0, 0, mask.width - 1, mask.height - 1), 255)
    return mask.reduce(_SMOOTH)


@lru_cache(maxsize=256)
def line(text: str, size: int, most: int) -> Picture:
    """A line of text as a mask, at most `most` pixels wide: if it is wider, in narrow letters, and cut if need be."""
    ink = Ink(size, "#FFFFFF")
    if width(text, ink) > most:
        ink = ink._replace(stretch=NARROW)
        text = cut(text, ink, most)
    mask = Image.new("L", (max(1, round(width(text, ink))), round(size * _LINE)))
    write(ImageDraw.Draw(mask), text, ink, (0, mask.height / 2))
    return mask


def turned(picture: Picture, angle: float) -> Picture:
    """A sprite turned anticlockwise by an angle in degrees."""
    return picture.rotate(angle, Image.Resampling.BILINEAR, expand=True) if angle else picture
