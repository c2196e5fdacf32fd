"""What computer players are asked, and who answers: here at once, in `bot` from other processes.

Owns the form of a question alone. It holds a view and a memory, so no answer can know a hidden card.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple, Protocol

from game.players.coach import explain
from game.players.levels import Level, choose

if TYPE_CHECKING:
    from game.moves import Move
    from game.players.coach import Hint
    from game.players.memory import Memory
    from game.view import SeatView
    from tables.loaded import LoadedTable


class Question(NamedTuple):
    """Which move does a computer of this level make? The answer is good only at this revision of the table."""

    revision: int
    level: Level
    view: SeatView
    memory: Memory


def question_of(loaded: LoadedTable) -> Question | None:
    """What is to be asked at a table now; None where no computer has anything to think about."""
    due, memory = loaded.due(), loaded.memory
    if due is None or loaded.views is None or memory is None or memory.table.phase != "play":
        return None
    view, level = loaded.views.seat(due[0]), loaded.table.players[due[0]].level
    return Question(loaded.table.revision, Level(level), view, memory) if level and len(view.moves) > 1 else None


class Thinking(Protocol):
    """Who answers. Nobody waits for long: a move comes in any case, a hint or nothing."""

    async def choose(self, question: Question, seed: int) -> Move:
        """The move; the same `seed` makes the same one."""
        ...

    async def explain(self, view: SeatView, memory: Memory) -> Hint | None:
        """What a strong player would do and why; None where nothing can be said."""
        ...


class AtOnce:
    """Answers where it is asked: for tests, and where nobody else waits."""

    async def choose(self, question: Question, seed: int) -> Move:
        """The move of the level that is asked."""
        return choose(question.view, question.memory, Random(seed), question.level).move  # noqa: S311 - nothing secret

    async def explain(self, view: SeatView, memory: Memory) -> Hint | None:
        """What a strong player would do and why."""
        return explain(view, memory)
