"""What is printed on cards, whatever their form: ranks, suits and their colours."""

from __future__ import annotations

from typing import Final, NamedTuple

from cogs.pictures.fonts import NARROW, WIDE
from cogs.pictures.shapes import CLUB, DIAMOND, HEART, JAY, SPADE, TAIL, Shape
from cogs.pictures.sheet import Box, Sheet

BLACK, RED, BLUE, GREEN = "#14171B", "#C61423", "#1463D2", "#007A64"
"""Red and green are as far apart as five to one on white allows, to people who confuse them too."""
WHITE, EDGE = "#FFFFFF", "#8B919B"
JOKER_WORD: Final = "JOKER"


class Suit(NamedTuple):
    """The sign of a suit, its width by its height, and its colour among two and among four."""

    shape: Shape
    width: float
    two: str
    four: str

    def colour(self, *, four_colours: bool) -> str:
        """What the cards of the suit are printed in."""
        return self.four if four_colours else self.two


SUITS: Final = (
    Suit(CLUB, 57 / 43, BLACK, GREEN),
    Suit(DIAMOND, 45 / 43, RED, BLUE),
    Suit(HEART, 54 / 43, RED, RED),
    Suit(SPADE, 54 / 43, BLACK, BLACK),
)
"""In the order of `game.cards.SUITS`."""


def draw_suit(sheet: Sheet, suit: Suit, at: tuple[float, float], height: float, colour: str) -> None:
    """Draw the sign of a suit with the middle of its upper edge at a point."""
    across = suit.width * height
    sheet.shape(suit.shape, (at[0] - across / 2, at[1], across, height), colour)


def draw_rank(sheet: Sheet, letter: str, box: Box, colour: str) -> None:
    """Draw what stands for a rank, as high as the box, in its middle, no wider than it."""
    left, top, across, down = box
    middle = left + across / 2
    # The typeface's own J hangs below the line, and its Q has a tail that would touch the suit.
    if letter == "J":
        sheet.shape(JAY, (middle - down * 0.35, top, down * 0.67, down), colour)
    elif letter == "Q":
        sheet.text("O", box, colour)
        sheet.shape(TAIL, (middle - down * 0.53, top, down * 1.05, down), colour)
    else:
        sheet.text(letter, box, colour, NARROW if len(letter) > 1 else WIDE)
