"""Why a move is refused. Names are those of rules.md section 4; the wording lives with the screens."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """One reason; of several that apply the first in the order of rules.md is given."""

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
