"""The cards in a picture of the table: upright, printed like the emojis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.pictures.card_faces import JOKER_WORD, SUITS, draw_rank, draw_suit
from cogs.pictures.palette import BACK, BACK_EDGE, BACK_LINE, BLACK, EDGE, OUTLINE, RED, WHITE
from cogs.pictures.scene import FaceSet
from cogs.pictures.shapes import STAR
from cogs.pictures.sheet import CLEAR, Box, Colour, Sheet
from game.cards import RED_JOKER, Card, Face, Word, card_of, is_joker, named_rank, rank_of, suit_of

WIDTH, HEIGHT = 100, 134
_ROUND, _BORDER = 13, 2.5
_SUITS_OF: Final = (
    (46, ((50, 79),)),
    (34, ((29, 84), (71, 84))),
    (25, ((28, 80), (72, 80), (50, 102))),
    (23, ((30, 78), (70, 78), (30, 104), (70, 104))),
)
"""For one to four cards in a slot, the height of their suits and the top middle of each."""


def _colour(card: Card, faces: FaceSet) -> str:
    """The colour in which a card is printed."""
    if is_joker(card):
        return RED if card == RED_JOKER else BLACK
    return SUITS[suit_of(card)].colour(four_colours=faces.four_colours)


def table_card(cards: Sequence[Card], faces: FaceSet) -> Sheet:
    """A face-up card, or several of a rank in one slot: the rank, below it their suits, or ×5 if they are too many."""
    sheet, card = _card(), cards[-1]
    if is_joker(card):
        sheet.shape(STAR, (12, 18, 76, 72), _colour(card, faces))
    else:
        draw_rank(sheet, faces.letter(rank_of(card)), (14, 12, 72, 60), _colour(card, faces))
    if len(cards) > (1 if is_joker(card) else len(_SUITS_OF)):
        sheet.text(f"×{len(cards)}", (14, 92, 72, 30), BLACK)
    elif is_joker(card):
        sheet.text(JOKER_WORD, (10, 104, 80, 18), _colour(card, faces))
    else:
        height, middles = _SUITS_OF[len(cards) - 1]
        for each, middle in zip(cards, middles, strict=True):
            _draw_suit(sheet, each, middle, height, faces)
    return sheet


def pile_card(face: Face, word: Word, faces: FaceSet) -> Sheet:
    """A card of the pile: rank and suit at its left edge, where they stay visible under another card.

    An arrow shows the `word` with which it was played (R44).
    """
    card, named = card_of(face), named_rank(face)
    colour, sheet = _colour(card, faces), _card()
    if not is_joker(card):
        draw_rank(sheet, faces.letter(rank_of(card)), (8, 10, 36, 40), colour)
        _draw_suit(sheet, card, (26, 57), 28, faces)
        _draw_suit(sheet, card, (73, 82), 38, faces)
    else:
        if named is None:
            sheet.shape(STAR, (6, 8, 40, 38), colour)
        else:
            draw_rank(sheet, faces.letter(named), (8, 10, 36, 40), colour)
            sheet.shape(STAR, (11, 56, 30, 29), colour)
        sheet.shape(STAR, (48, 60, 44, 42), colour)
        sheet.text(JOKER_WORD, (48, 108, 46, 12), colour)
    _draw_word(sheet, word, colour)
    return sheet


def _draw_word(sheet: Sheet, word: Word, colour: str) -> None:
    """Draw an arrow upwards for "high", downwards for "low" (R44)."""
    if word:
        arrow = ((0.5, 0.0), (1.0, 0.5), (0.7, 0.5), (0.7, 1.0), (0.3, 1.0), (0.3, 0.5), (0.0, 0.5))
        if word == "low":
            arrow = tuple((x, 1 - y) for x, y in arrow)
        sheet.shape((arrow,), (12, 94, 28, 30), colour)


def card_back() -> Sheet:
    """The back of a card."""
    sheet = _card(BACK, BACK_EDGE, 5)
    sheet.stripes((12, 12, WIDTH - 24, HEIGHT - 24), BACK_LINE, 5)
    return sheet


def outline() -> Sheet:
    """The outline of an empty place for a card."""
    sheet = _card(OUTLINE, OUTLINE)
    sheet.panel((5, 5, WIDTH - 10, HEIGHT - 10), _ROUND - 4, CLEAR)
    return sheet


def under_card() -> Sheet:
    """A card of which only the edge shows."""
    return _card()


def _card(fill: Colour = WHITE, edge: str = EDGE, border: float = _BORDER) -> Sheet:
    sheet = Sheet(WIDTH, HEIGHT)
    sheet.panel((1, 1, WIDTH - 2, HEIGHT - 2), _ROUND, edge)
    inside: Box = (1 + border, 1 + border, WIDTH - 2 - 2 * border, HEIGHT - 2 - 2 * border)
    sheet.panel(inside, _ROUND - border, fill)
    return sheet


def _draw_suit(sheet: Sheet, card: Card, at: tuple[float, float], height: float, faces: FaceSet) -> None:
    draw_suit(sheet, SUITS[suit_of(card)], at, height, _colour(card, faces))
