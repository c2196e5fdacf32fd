"""What a seat asks for.

A move names cards and nothing else: whose it is and whether it is legal is decided elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from game.cards import Card, Face

Word: TypeAlias = Literal["", "high", "low"]
"""What is said with a named card (R44); empty for all others."""


class Play:
    """Cards of one zone onto the pile: one rank, or a sequence (R6, R34).

    `cards` are faces, so that a wild joker carries the rank it was named (R38); they are kept sorted, which is the
    order they take on the pile. `word` is said with a named card.
    """

    __slots__ = ("cards", "word")

    def __init__(self, cards: tuple[Face, ...], word: Word = "") -> None:
        """Sort the cards as rules.md section 6 orders them on the pile."""
        self.cards = tuple(sorted(cards, key=_place))
        self.word: Word = word

    def __eq__(self, other: object) -> bool:
        """Two plays are equal when they name the same cards and the same word."""
        return isinstance(other, Play) and self.cards == other.cards and self.word == other.word

    def __hash__(self) -> int:
        """Hash of what is compared."""
        return hash((self.cards, self.word))

    def __repr__(self) -> str:
        """Says how many cards only: a move may end in a log (cards never leak)."""
        return f"Play({len(self.cards)} cards)"


def _place(face: Face) -> int:
    return face & 63


@dataclass(frozen=True, slots=True)
class Flip:
    """Turn the n-th remaining face-down card, counted from 1 (R14); a word counts only if the card is a named one."""

    number: int
    word: Word = ""


@dataclass(frozen=True, slots=True, repr=False)
class PickUp:
    """Take the pile (R9); from face-up cards with the slot that is added (R13)."""

    added: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        """Sort the cards, so that equal moves compare equal."""
        object.__setattr__(self, "added", tuple(sorted(self.added)))


@dataclass(frozen=True, slots=True)
class Chance:
    """Turn the top card of the stock onto the pile (R35)."""

    word: Word = ""


@dataclass(frozen=True, slots=True, repr=False)
class Swap:
    """Exchange a hand card with an own face-up card (R3)."""

    hand: Card
    up: Card


@dataclass(frozen=True, slots=True, repr=False)
class Choose:
    """Choose the face-up cards, slot by slot (R32); several cards in a slot are stacked (R33)."""

    slots: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Lay:
    """Lay a hand card on the first face-up slot of its rank (R33)."""

    card: Card


@dataclass(frozen=True, slots=True)
class Ready:
    """Done with preparing (R3)."""


@dataclass(frozen=True, slots=True)
class Call:
    """Call the rank that is asked for, and so start (R4 b)."""


@dataclass(frozen=True, slots=True)
class Clear:
    """The flush seat takes the burned pile away (R36)."""


@dataclass(frozen=True, slots=True, repr=False)
class Interrupt:
    """Complete four of a kind out of turn (R39)."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        """Sort the cards, so that equal moves compare equal."""
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))


@dataclass(frozen=True, slots=True, repr=False)
class Follow:
    """Add cards just drawn to the set just played (R40)."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        """Sort the cards, so that equal moves compare equal."""
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))


@dataclass(frozen=True, slots=True, repr=False)
class Tribute:
    """The last winner swaps an own face-up card with one of the last shithead's, or declines (both None) (R42)."""

    own: Card | None = None
    theirs: Card | None = None


@dataclass(frozen=True, slots=True)
class Timeout:
    """The time to call is over (R4); asked by the clock, never by a seat."""


Move: TypeAlias = (
    Play | Flip | PickUp | Chance | Swap | Choose | Lay | Ready | Call | Clear | Interrupt | Follow | Tribute | Timeout
)
