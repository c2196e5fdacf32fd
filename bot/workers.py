"""Lets computer players think in processes of their own, so that no click waits for one.

One pool for all tables, made when it is first needed. Questions are answered in the order in which they come, and a
table asks one at a time, so tables share it fairly. A worker that dies, or takes too long, stops no game: the seat
moves at once as the quick player would, and the next question finds new workers.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeVar

import structlog

from cogs.spawned import Spawned
from game.moves import Move
from game.players import baseline
from game.players.coach import MOST_MISTAKES, QUICK, THOROUGH, Position, dearest, doubtful, explain, judge, plain
from game.players.hints import Hint, Mistake
from game.players.levels import Level, choose
from game.players.memory import Memory
from game.players.search import Budget
from game.text.record import Record
from game.view import SeatView
from tables.thinking import Question

WORKERS: Final = 1
"""One answers some thirty masters a second, and takes a hundred megabytes."""
PATIENCE: Final = 5.0
"""Seconds for an answer. A master takes less than a tenth of one, the start of a worker some."""
TO_START: Final = 15.0
"""Seconds more after which a worker without an answer is ended: it may still be starting, on a busy machine."""
IS_LAST: Final = True
"""Whether they work only while nothing else of the bot wants the processor (`Spawned`)."""
T = TypeVar("T")
_log = structlog.get_logger(__name__)


class _Answers(ABC):
    """Answers for computer players (`tables.thinking.Thinking`), in whatever process they are worked out."""

    async def choose(self, question: Question, seed: int) -> Move:
        """The move of a computer; the quick player's where there is no answer."""
        _, level, view, memory = question
        chosen = await self._ask(choose, view, memory, Random(seed), Level(level))  # noqa: S311 - nothing secret
        return chosen.move if chosen else baseline.choose(view, Random(seed))  # noqa: S311 - nothing secret

    async def explain(self, view: SeatView, memory: Memory) -> Hint | None:
        """What a strong player would do and why; None if there is nothing to say, or no answer."""
        return await self._ask(explain, view, memory)

    async def review(self, record: Record, seat: int) -> list[Mistake] | None:
        """The moves of a finished game that cost a seat most, the dearest first; None if there is no answer."""
        # A whole game takes a second or two. It is asked about choice by choice, so that the computers of other tables
        # never wait for more than one of its choices.
        positions = await self._ask(doubtful, record, seat)
        first = await self._judged(positions, QUICK, 0)
        if positions is None or first is None:
            return None
        dear = {each.step for each in dearest(first, 2 * MOST_MISTAKES)}
        # Other random numbers than the first time: the dearest of many estimates is often only the unluckiest.
        again = await self._judged([each for each in positions if each.step in dear], THOROUGH, 1)
        return None if again is None else plain(again)

    async def _judged(self, positions: Sequence[Position] | None, budget: Budget, seed: int) -> list[Mistake] | None:
        """What each of these choices cost; None if one has no answer, which must not look like a good move."""
        mistakes: list[Mistake] = []
        for each in positions or ():
            judged = await self._ask(judge, each, budget, seed)
            if judged is None:
                return None
            mistakes.append(judged)
        return mistakes

    @abstractmethod
    async def _ask(self, answer: Callable[..., T], *about: object) -> T | None:
        """What a function comes to; None if it fails or takes too long."""


class AtOnce(_Answers):
    """Answers where it is asked, while everybody else waits: for tests and the sandbox."""

    async def _ask(self, answer: Callable[..., T], *about: object) -> T | None:
        return answer(*about)


class Workers(_Answers):
    """Answers from other processes."""

    def __init__(self, workers: int = WORKERS, patience: float = PATIENCE) -> None:
        """No process is started yet."""
        self._pool, self._patience = Spawned(workers, limit=TO_START + patience, is_last=IS_LAST), patience

    async def _ask(self, answer: Callable[..., T], *about: object) -> T | None:
        """What a worker answers; None if none does."""
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.get_running_loop().run_in_executor(self._pool, answer, *about)
        except Exception as error:  # noqa: BLE001 - the game goes on, whatever went wrong in a worker
            why = "too late" if isinstance(error, TimeoutError) else "its process failed"
            _log.warning("a computer player did not answer", why=why)
        return None

    def rest(self) -> None:
        """Somebody waits for an answer of the bot: let the workers rest for a moment."""
        self._pool.rest()

    def close(self) -> None:
        """Let the workers go; the next question starts new ones."""
        self._pool.shutdown()
