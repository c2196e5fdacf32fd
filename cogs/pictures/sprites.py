"""The parts of which pictures are made, drawn once per size and kept in bounded caches, and the canvas of all pictures.

Cards are upright and printed like the emojis. Do not draw on a sprite: several threads may use it at once. A canvas is
measured in units, a fixed number for a picture's width, so the same drawing makes pictures of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from PIL import Image, ImageDraw

from cogs.pictures.card_faces import JOKER_WORD, colour_of, draw_rank, draw_suit
from cogs.pictures.layout import WIDTH
from cogs.pictures.palette import BACK, BACK_EDGE, BACK_LINE, BLACK, EDGE, OUTLINE, PANEL, QUIET, TEXT, WHITE
from cogs.pictures.scene import FaceSet
from cogs.pictures.shapes import STAR, Point
from cogs.pictures.sheet import CLEAR, Box, Colour, Picture, Sheet, within
from cogs.pictures.signs import Sign, draw_sign
from cogs.pictures.text import wrapped, written
from game.cards import Card, Face, Word, card_of, is_joker, named_rank, rank_of

Align: TypeAlias = Literal["left", "middle", "right"]
_CARD_WIDTH, _CARD_HEIGHT = 100, 134
"""The units of a card."""
_ROUND, _BORDER = 13, 2.5
_SUITS_OF: Final = (
    (46, ((50, 79),)),
    (34, ((29, 84), (71, 84))),
    (25, ((28, 80), (72, 80), (50, 102))),
    (23, ((30, 78), (70, 78), (30, 104), (70, 104))),
)
"""For one to four cards in a slot, the height of their suits and the top middle of each."""
_ARROW_UP: Final = ((0.5, 0.0), (1.0, 0.5), (0.7, 0.5), (0.7, 1.0), (0.3, 1.0), (0.3, 0.5), (0.0, 0.5))
_SMOOTH: Final = 4
"""Edges are drawn this many times as large and then reduced."""


@lru_cache(maxsize=160)
def table_card(cards: tuple[Card, ...], faces: FaceSet, across: int) -> Picture:
    """A face-up card, or several of a rank in one slot: the rank, below it their suits, or ×5 if they are too many."""
    sheet, card = _card(), cards[-1]
    colour = colour_of(card, four_colours=faces.four_colours)
    if is_joker(card):
        sheet.shape(STAR, (12, 18, 76, 72), colour)
    else:
        draw_rank(sheet, faces.letter(rank_of(card)), (14, 12, 72, 60), colour)
    if len(cards) > (1 if is_joker(card) else len(_SUITS_OF)):
        sheet.text(f"×{len(cards)}", (14, 92, 72, 30), BLACK)
    elif is_joker(card):
        sheet.text(JOKER_WORD, (10, 104, 80, 18), colour)
    else:
        height, middles = _SUITS_OF[len(cards) - 1]
        for each, middle in zip(cards, middles, strict=True):
            draw_suit(sheet, each, middle, height, colour_of(each, four_colours=faces.four_colours))
    return sheet.sized(across)


@lru_cache(maxsize=64)
def pile_card(face: Face, word: Word, faces: FaceSet, across: int) -> Picture:
    """A card of the pile: rank and suit at its left edge, where they stay visible under another card.

    An arrow, upwards for high and downwards for low, shows the `word` with which it was played (R44).
    """
    sheet, card, named = _card(), card_of(face), named_rank(face)
    colour = colour_of(card, four_colours=faces.four_colours)
    if not is_joker(card):
        draw_rank(sheet, faces.letter(rank_of(card)), (8, 10, 36, 40), colour)
        draw_suit(sheet, card, (26, 57), 28, colour)
        draw_suit(sheet, card, (70, 83), 36, colour)
    else:
        if named is None:
            sheet.shape(STAR, (6, 8, 40, 38), colour)
        else:
            draw_rank(sheet, faces.letter(named), (8, 10, 36, 40), colour)
            sheet.shape(STAR, (11, 56, 30, 29), colour)
        sheet.shape(STAR, (48, 60, 44, 42), colour)
        sheet.text(JOKER_WORD, (48, 108, 46, 12), colour)
    if word:
        arrow = _ARROW_UP if word == "high" else tuple((x, 1 - y) for x, y in _ARROW_UP)
        sheet.shape((arrow,), (12, 94, 28, 30), colour)
    return sheet.sized(across)


@lru_cache(maxsize=32)
def card_back(across: int, angle: float = 0) -> Picture:
    """The back of a card, turned anticlockwise by an angle in degrees."""
    sheet = _card(BACK, BACK_EDGE, 5)
    sheet.stripes((12, 12, _CARD_WIDTH - 24, _CARD_HEIGHT - 24), BACK_LINE, 5)
    return turned(sheet.sized(across), angle)


@lru_cache(maxsize=16)
def outline(across: int) -> Picture:
    """The outline of an empty place for a card."""
    sheet = _card(OUTLINE, OUTLINE)
    sheet.panel((5, 5, _CARD_WIDTH - 10, _CARD_HEIGHT - 10), _ROUND - 4, CLEAR)
    return sheet.sized(across)


@lru_cache(maxsize=16)
def under_card(across: int, angle: float = 0) -> Picture:
    """A card of which only the edge shows, turned anticlockwise by an angle in degrees."""
    return turned(_card().sized(across), angle)


def _card(fill: Colour = WHITE, edge: str = EDGE, border: float = _BORDER) -> Sheet:
    sheet = Sheet(_CARD_WIDTH, _CARD_HEIGHT)
    sheet.bordered((1, 1, _CARD_WIDTH - 2, _CARD_HEIGHT - 2), _ROUND, border, edge, fill)
    return sheet


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


def turned(picture: Picture, angle: float) -> Picture:
    """A sprite turned anticlockwise by an angle in degrees."""
    return picture.rotate(angle, Image.Resampling.BILINEAR, expand=True) if angle else picture


class Canvas:
    """An opaque picture, `across` pixels or `units` wide, `down` units high."""

    def __init__(self, across: int, down: float, colour: str, units: int = WIDTH) -> None:
        self._scale = across / units
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
        self.lay_centred(sign(name, colour, self.pixels(across)), x, y)

    def panel(self, box: Box, radius: float, colour: str) -> None:
        """Fill a box with rounded corners."""
        left, top, right, bottom = self._edges(box)
        size = min(2 * self.pixels(radius), right - left, bottom - top)
        # Two rectangles and a disc in each corner: Pillow's own rounded corners have jagged edges, and smoothing those
        # takes a larger picture.
        half, corner = size // 2, disc(size)
        self.picture.paste(colour, (left + half, top, right - half, bottom))
        self.picture.paste(colour, (left, top + half, right, bottom - half))
        for x in (left, right - size):
            for y in (top, bottom - size):
                self.picture.paste(colour, (x, y), corner)

    def bordered(self, box: Box, radius: float, border: float, edge: str, colour: str) -> None:
        """Fill a box with rounded corners and a border inside its edge."""
        self.panel(box, radius, edge)
        self.panel(within(box, border), radius - border, colour)

    def write(
        self, text: str, size: float, colour: str, at: Point, *, most: float = WIDTH, align: Align = "left"
    ) -> float:
        """Write a line, cut to `most` units; `at` is its left end, middle or right end. Return its width in units."""
        mask = written(text, self.pixels(size), self.pixels(most))
        left = at[0] * self._scale - {"left": 0, "middle": mask.width / 2, "right": mask.width}[align]
        self.picture.paste(colour, (round(left), round(at[1] * self._scale - mask.height / 2)), mask)
        return mask.width / self._scale

    def write_wrapped(self, text: str, size: float, colour: str, at: Point, *, most: float) -> None:
        """Write a text centred at a point, on two lines if one is too short, and cut if both are."""
        lines, _ = wrapped(text, (self.pixels(size),), most * self._scale)
        for n, words in enumerate(lines):
            middle = at[1] + (n - (len(lines) - 1) / 2) * size * 1.15
            self.write(words, size, colour, (at[0], middle), most=most, align="middle")

    def part(self, boxes: Sequence[Box]) -> tuple[Picture, tuple[int, int]]:
        """The smallest part of the picture with all these boxes in it, and its upper left corner in pixels."""
        edges = [self._edges(box) for box in boxes]
        lefts, tops, rights, bottoms = zip(*edges, strict=True)
        corner = (max(0, min(lefts)), max(0, min(tops)))
        end = (min(self.picture.width, max(rights)), min(self.picture.height, max(bottoms)))
        return self.picture.crop((*corner, *end)), corner

    def width_of(self, text: str, size: float, most: float = WIDTH) -> float:
        """The width that a line would have, in units."""
        return written(text, self.pixels(size), self.pixels(most)).width / self._scale

    def count(self, number: int, x: float, y: float, *, sign: Sign | None = None, colour: str = TEXT) -> None:
        """Write a number of cards on a dark label, centred at a point."""
        text, size = str(number), 34.0
        room = size + 4 if sign else 0
        across = max(self.width_of(text, size) + room + 24, size * 1.4)
        self.bordered((x - across / 2, y - size * 0.7, across, size * 1.4), size * 0.7, 2, QUIET, PANEL)
        if sign:
            self.sign(sign, colour, size, x - across / 2 + 10 + size / 2, y - 1)
        self.write(text, size, TEXT, (x + room / 2, y), align="middle")
