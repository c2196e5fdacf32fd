"""The types of what the coach says: a hint with its reasons, and the mistakes of a game. The screens word them."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from game.cards import Face
from game.moves.move import Move


class Reason(Enum):
    """Why a move is better than the next best one."""

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
    OVERALL = "overall"


class Facts(NamedTuple):
    """The facts behind the reasons: the cards that the move saves and gains, and numbers of cards.

    `instead` are the cards of the next best move; `pile` and `played` count those of the pile and the move. Of the
    `unseen` cards, `answers` go on the move (0 if the next seat surely has none) and `others` on the next best one.
    `from_hand` is false if the move is not from the hand.
    """

    saved: tuple[Face, ...] = ()
    gained: tuple[Face, ...] = ()
    pile: int = 0
    played: int = 0
    answers: int = 0
    unseen: int = 0
    from_hand: bool = True
    others: int = 0
    instead: tuple[Face, ...] = ()


class Hint(NamedTuple):
    """The move that a strong player would make, and why, the strongest reason first."""

    move: Move
    reasons: tuple[Reason, ...]
    facts: Facts = Facts()


class Mistake(NamedTuple):
    """A move that cost a share of a game (`cost`), from line `step` of the record, from 0; reasons are for `better`."""

    step: int
    played: Move
    better: Move
    cost: float
    reasons: tuple[Reason, ...] = ()
    facts: Facts = Facts()
