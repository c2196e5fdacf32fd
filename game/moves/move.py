"""What every move has in common, and why one is refused (rules.md sections 4 and 6).

A move names cards and nothing else; the seat is passed separately.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self

from game.cards import Card, NotAMoveError, Word, format_card, parse_card
from game.rules import Phase, Rules


class Refusal(Enum):
    """Why a move is refused; of several reasons the first in the order of rules.md is given."""

    MALFORMED = "malformed"
    GAME_OVER = "game-over"
    NOT_ALLOWED = "not-allowed"
    WRONG_PHASE = "wrong-phase"
    NOT_YOUR_TURN = "not-your-turn"
    EMPTY_PILE = "empty-pile"
    MUST_PLAY = "must-play"
    ADD_ONE = "add-one"
    NOT_HELD = "not-held"
    WRONG_ZONE = "wrong-zone"
    EMPTY_STOCK = "empty-stock"
    MIXED_RANKS = "mixed-ranks"
    NOT_ON = "not-on"
    TOO_LOW = "too-low"


class IllegalMove(Exception):  # noqa: N818 - the name of the thing refused, as h11 and python-chess name theirs
    """A move that the rules refuse; the state it was tried on is unchanged."""

    def __init__(self, refusal: Refusal) -> None:
        """Keep the reason; the message is its name and holds no card."""
        super().__init__(refusal.value)
        self.refusal = refusal


class Move:
    """What a seat wants to do, a class for each kind; its row in `game.moves.KINDS` says what it leads to."""

    __slots__: ClassVar[tuple[str, ...]] = ()
    name: ClassVar[str]
    """What the notation calls the kind."""
    phase: ClassVar[Phase] = "play"
    """The only phase it belongs to."""
    on_turn: ClassVar[bool] = False
    """Whether only the seat on turn may make it."""
    by_clock: ClassVar[bool] = False
    """Whether the clock makes it, and no seat."""
    fields: ClassVar[int] = 0
    """How many cards follow the name in the notation, one for each field; other kinds write and read themselves."""

    def is_well_formed(self, _rules: Rules, _seats: int, /) -> bool:
        """Whether it makes sense at a table with so many seats, at any time and for any seat."""
        return True

    def is_switched_on(self, _rules: Rules, /) -> bool:
        """Whether the table plays with the option that it belongs to."""
        return True

    def words(self) -> str:
        """What follows the name in the notation; empty if nothing does."""
        return " ".join(format_card(getattr(self, field)) for field in type(self).__slots__)

    @classmethod
    def read(cls, words: list[str]) -> Self:
        """The move of this kind with these words after its name, in lower case.

        Raises:
            NotAMoveError: the kind takes other words. NotACardError: one of them names no card.
        """
        if len(words) != cls.fields:
            raise NotAMoveError(cls.name)
        make: Callable[..., Self] = cls
        return make(*map(parse_card, words))


@dataclass(frozen=True, slots=True, repr=False)
class OfCards(Move):
    """A move that names cards in any order; those that name the same ones are equal."""

    cards: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        """Sort the cards, so that equal moves compare equal."""
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))

    def words(self) -> str:
        return " ".join(map(format_card, self.cards))

    @classmethod
    def read(cls, words: list[str]) -> Self:
        """Cards, also joined by `+` like those of a slot."""
        return cls(tuple(parse_card(each) for word in words for each in word.split("+")))


def take_word(words: list[str]) -> Word:
    """Take the word *high* or *low* from the end, if it is there."""
    if words and words[-1] in {"high", "low"}:
        return "low" if words.pop() == "low" else "high"
    return ""
