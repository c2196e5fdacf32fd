"""What the coach says: a move with its reasons, and where a game was lost. Screens find the words for it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from game.cards import Face
    from game.moves.move import Move


class Reason(Enum):
    """What speaks for a move, against the next best one."""

    ONLY_MOVE = "only-move"
    ONLY_FIT = "only-fit"
    GOES_OUT = "goes-out"
    ENDS_ZONE = "ends-zone"
    BURNS = "burns"
    PLAYS_AGAIN = "plays-again"
    BLOCKS = "blocks"
    HARDER = "harder"
    SAVES_BETTER = "saves-better"
    LEADS_LOW = "leads-low"
    SHEDS_MORE = "sheds-more"
    KEEPS_SET = "keeps-set"
    GOOD_PILE = "good-pile"
    SMALL_PILE = "small-pile"
    LARGE_PILE = "large-pile"
    ODDS = "odds"


class Facts(NamedTuple):
    """What reasons speak of: cards that a move saves and gains, and numbers of pile, plays and answers.

    Of the `unseen` cards so many go on the move (`answers`) and on the next best one (`others`). `from_hand` is false
    where the move plays face-up cards.
    """

    saved: tuple[Face, ...] = ()
    gained: tuple[Face, ...] = ()
    pile: int = 0
    played: int = 0
    fewer: int = 0
    answers: int = 0
    unseen: int = 0
    from_hand: bool = True
    others: int = 0


class Hint(NamedTuple):
    """The move that a strong player would make, and what speaks for it, the strongest reason first."""

    move: Move
    reasons: tuple[Reason, ...]
    facts: Facts = Facts()


class Mistake(NamedTuple):
    """A move that cost a share of a game: its line in the record, from 0, what was played, what was better, why."""

    step: int
    played: Move
    better: Move
    cost: float
    reasons: tuple[Reason, ...] = ()
    facts: Facts = Facts()
