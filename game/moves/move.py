"""The base classes of moves, and the reasons for refusing one (docs/rules.md sections 4 and 6).

A move does not include the seat that makes it: functions take the seat as a separate argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self

from game.cards import Card, NotAMoveError, Word, format_card, parse_card
from game.rules import Phase, Rules


class Refusal(Enum):
    """Why a move is refused; of several reasons, the first in the order of docs/rules.md is given."""

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
    """A move that the rules refuse."""

    def __init__(self, refusal: Refusal) -> None:
        """Keep the reason; the message is its value and names no card."""
        super().__init__(refusal.value)
        self.refusal = refusal


class Move:
    """Something a seat asks to do. Each kind of move is a subclass; its functions are in `game.moves.KINDS`."""

    __slots__: ClassVar[tuple[str, ...]] = ()
    name: ClassVar[str]
    """The word for the kind in the notation."""
    phase: ClassVar[Phase] = "play"
    """The only phase in which it can be made."""
    on_turn: ClassVar[bool] = False
    """Whether only the seat on turn may make it."""
    by_clock: ClassVar[bool] = False
    """Whether the clock makes it rather than a seat."""

    def is_well_formed(self, _rules: Rules, _seats: int, /) -> bool:
        """Whether the move could make sense at this table, at any time and for any seat."""
        return True

    def is_switched_on(self, _rules: Rules, /) -> bool:
        """Whether the rules have the option that the move belongs to."""
        return True

    def words(self) -> str:
        """What follows the name in the notation: a card for each field; other kinds override `words` and `read`."""
        return " ".join(format_card(getattr(self, field)) for field in type(self).__slots__)

    @classmethod
    def read(cls, words: list[str]) -> Self:
        """Parse the words that follow the name in the notation, in lower case.

        Raises `NotAMoveError` if the words do not fit this kind, and `NotACardError` if one of them is not a card.
        """
        if len(words) != len(cls.__slots__):
            raise NotAMoveError(cls.name)
        make: Callable[..., Self] = cls
        return make(*map(parse_card, words))


@dataclass(frozen=True, slots=True, repr=False)
class OfCards(Move):
    """A move that names cards in any order; moves that name the same cards are equal."""

    cards: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))

    def words(self) -> str:
        return " ".join(map(format_card, self.cards))

    @classmethod
    def read(cls, words: list[str]) -> Self:
        """Parse cards, which may also be joined by `+` like those of a slot."""
        return cls(tuple(parse_card(each) for word in words for each in word.split("+")))


def take_word(words: list[str]) -> Word:
    """Remove the word *high* or *low* from the end of `words` and return it; empty if neither is there."""
    if words and words[-1] in {"high", "low"}:
        return "low" if words.pop() == "low" else "high"
    return ""
