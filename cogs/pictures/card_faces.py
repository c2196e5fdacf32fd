"""The faces of the cards as emojis: a white card, its rank above its suit, readable in a line of text.

The cards of a table (`sprites.py`) are printed with the same ranks and suits. Everything is drawn four times as
large and then reduced. The same code and typefaces give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Final, NamedTuple

from cogs.pictures.palette import BACK, BACK_EDGE, BACK_LINE, BLACK, BLUE, EDGE, GREEN, RED, WHITE
from cogs.pictures.shapes import CLUB, DIAMOND, HEART, JAY, SPADE, STAR, TAIL, Shape
from cogs.pictures.sheet import CLEAR, SIZE, Box, Colour, Picture, Sheet, as_png, within
from cogs.pictures.text import NARROW, WIDE
from cogs.screens.formatter import CARD_BACK, EMPTY_SLOT, FACE_DOWN, face_names, printed_faces
from game.cards import RED_JOKER, Card, is_joker, suit_of

BROWN, CREAM, PAPER = "#7A4A1E", "#F3DFC1", "#F9F0E1"

JOKER_WORD: Final = "JOKER"

_CARD: Final[Box] = (7, 4, 114, 120)
_RADIUS, _BORDER = 20, 4
_RANK_TOP, _RANK_HEIGHT, _RANK_WIDTH = 12, 57, 66
_SUIT_TOP, _SUIT_HEIGHT = 75, 43


class Suit(NamedTuple):
    """The shape of a suit, its aspect ratio (width by height), and its colour in packs with two and four colours."""

    shape: Shape
    width: float
    two: str
    four: str


SUITS: Final = (
    Suit(CLUB, 57 / 43, BLACK, GREEN),
    Suit(DIAMOND, 45 / 43, RED, BLUE),
    Suit(HEART, 54 / 43, RED, RED),
    Suit(SPADE, 54 / 43, BLACK, BLACK),
)
"""In the order of `game.cards.SUITS`."""


def colour_of(card: Card, *, four_colours: bool) -> str:
    """The colour in which a card is printed."""
    if is_joker(card):
        return RED if card == RED_JOKER else BLACK
    suit = SUITS[suit_of(card)]
    return suit.four if four_colours else suit.two


def draw_suit(sheet: Sheet, card: Card, at: tuple[float, float], height: float, colour: str) -> None:
    """Draw the shape of a card's suit with the middle of its upper edge at a point."""
    suit = SUITS[suit_of(card)]
    across = suit.width * height
    sheet.shape(suit.shape, (at[0] - across / 2, at[1], across, height), colour)


def draw_rank(sheet: Sheet, letter: str, box: Box, colour: str) -> None:
    """Draw the letter or number of a rank: as high as the box, centred in it, no wider than it."""
    left, top, across, down = box
    middle = left + across / 2
    # The typeface's own J descends below the baseline, and its Q has a tail that would touch the suit.
    if letter == "J":
        sheet.shape(JAY, (middle - down * 0.35, top, down * 0.67, down), colour)
    elif letter == "Q":
        sheet.text("O", box, colour)
        sheet.shape(TAIL, (middle - down * 0.53, top, down * 1.05, down), colour)
    else:
        sheet.text(letter, box, colour, NARROW if len(letter) > 1 else WIDE)


def _card(fill: Colour = WHITE, edge: str = EDGE, border: int = _BORDER) -> Sheet:
    sheet = Sheet()
    sheet.bordered(_CARD, _RADIUS, border, edge, fill)
    return sheet


def _printed(card: Card, letter: str, *, four_colours: bool) -> Picture:
    sheet, colour = _card(), colour_of(card, four_colours=four_colours)
    draw_rank(sheet, letter, ((SIZE - _RANK_WIDTH) / 2, _RANK_TOP, _RANK_WIDTH, _RANK_HEIGHT), colour)
    draw_suit(sheet, card, (SIZE / 2, _SUIT_TOP), _SUIT_HEIGHT, colour)
    return sheet.finished()


def _joker(colour: str) -> Picture:
    sheet = _card()
    sheet.shape(STAR, (22, 10, 84, 80), colour)
    sheet.text(JOKER_WORD, (18, 95, 92, 19), colour)
    return sheet.finished()


def _card_back() -> Picture:
    """A steaming cup of tea, which is what the game is played for."""
    sheet = _card(BROWN, PAPER, 6)
    for left in (44, 57, 70):
        sheet.panel((left, 32, 7, 22), 3.5, CREAM)
    sheet.disc((79, 60, 32, 28), CREAM)
    sheet.disc((86, 67, 18, 14), BROWN)
    sheet.half_disc((28, 32, 64, 64), CREAM)
    sheet.panel((27, 101, 66, 8), 4, CREAM)
    return sheet.finished()


def _face_down() -> Picture:
    """A back as in the picture of the table, plain, so that three of them do not distract from the open cards."""
    sheet = _card(BACK, BACK_EDGE, 5)
    sheet.stripes(within(_CARD, 10), BACK_LINE, 7)
    return sheet.finished()


def _empty_slot() -> Picture:
    """The dashed outline of a card: its sides are cut between the corners and the middle."""
    sheet = _card(CLEAR, border=5)
    for gap in (27, 50, 73, 96):
        sheet.wipe((gap - 3, 0, 10, SIZE))
        sheet.wipe((0, gap - 3, SIZE, 10))
    return sheet.finished()


_WITHOUT_SUIT: Final[Mapping[str, Callable[[], Picture]]] = {
    "joker_red": partial(_joker, RED),
    "joker_black": partial(_joker, BLACK),
    CARD_BACK: _card_back,
    FACE_DOWN: _face_down,
    EMPTY_SLOT: _empty_slot,
}


@cache
def face(name: str) -> Picture:
    """The face with this emoji name, 128 by 128 pixels. `KeyError` if there is none. Cached, so do not draw on it."""
    if name in _WITHOUT_SUIT:
        return _WITHOUT_SUIT[name]()
    card, letter, four_colours = printed_faces()[name]
    return _printed(card, letter, four_colours=four_colours)


def emoji_set(names: Iterable[str] | None = None, *, small: bool = True) -> dict[str, bytes]:
    """Draw these faces, or all, as PNGs, by emoji name."""
    return {name: as_png(face(name), None if small else 1) for name in (face_names() if names is None else names)}
