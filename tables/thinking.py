"""The interface to the computer players: the questions and the protocol of what answers them.

A question holds a view and a memory, so no answer can depend on a hidden card.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from data.models import LevelName
from game.moves import Move
from game.players.hints import Hint, Mistake
from game.players.memory import Memory
from game.text.record import Record
from game.view import SeatView


class Question(NamedTuple):
    """Which move should a computer of this level make? The answer is valid only at this revision of the table."""

    revision: int
    level: LevelName
    view: SeatView
    memory: Memory


class Thinking(Protocol):
    """Answers within a short time: `choose` always returns a move, the other methods may return None."""

    async def choose(self, question: Question, seed: int) -> Move:
        """The computer's move; the same `seed` leads to the same one."""
        ...

    async def explain(self, view: SeatView, memory: Memory) -> Hint | None:
        """What a strong player would do, and why; None if there is no answer."""

    async def review(self, record: Record, seat: int, own: frozenset[int]) -> list[Mistake] | None:
        """Those of the `own` steps of a finished game that cost a seat most, the costliest first; None: no answer."""
