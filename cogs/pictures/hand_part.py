"""The hand of one seat below the picture of the table, for the film of what that seat saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.pictures import sprites
from cogs.pictures.canvas import Canvas
from cogs.pictures.layout import CARD_SHAPE, PADDING
from cogs.pictures.palette import PANEL, QUIET
from cogs.pictures.scene import FaceSet
from cogs.pictures.sheet import Box
from game.cards import Card

_CARD: Final = 86
_STEP: Final = 90
"""How far the next card lies from one where there is room."""
_MOST: Final = 24
"""Cards in a row: with more their ranks would not be seen."""
_ROW: Final = 78
"""How far the next row lies below one: it leaves ranks and suits to be seen."""
_HEAD: Final = 40
"""Height of the line with the name."""


def hand_height(cards: int) -> float:
    """How high the place for so many cards is."""
    return _CARD * CARD_SHAPE + (_rows(cards) - 1) * _ROW + _HEAD + PADDING


def _rows(cards: int) -> int:
    return max(1, -(-cards // _MOST))


def draw_hand(canvas: Canvas, owner: str, cards: Sequence[Card], box: Box, faces: FaceSet) -> None:
    """Draw the cards in rows below the name, each overlapping the next where there are many."""
    left, top, across, _ = box
    canvas.panel(box, 18, PANEL)
    canvas.write(owner, 28, QUIET, (left + PADDING + 4, top + _HEAD / 2), most=across - 2 * PADDING)
    rows = _rows(len(cards))
    in_row = max(1, -(-len(cards) // rows))
    step = min(_STEP, (across - 2 * PADDING - _CARD) / max(1, in_row - 1))
    for n, card in enumerate(cards):
        row, nth = divmod(n, in_row)
        count = min(in_row, len(cards) - row * in_row)
        start = left + (across - _CARD - (count - 1) * step) / 2
        sprite = sprites.pile_card(card, "", faces, canvas.pixels(_CARD))
        canvas.lay(sprite, start + nth * step, top + _HEAD + row * _ROW)
