"""Runs computer players in a separate process, so that no click waits for them.

One worker serves all tables and starts when it is first needed. Questions are answered in order, and each table asks
one at a time, so tables share it fairly. A worker that dies or takes too long stops no game: the seat moves at once as
the quick player would, and the next question starts a new worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool
from random import Random
from typing import Final, TypeVar

import structlog

from cogs.spawned import Spawned
from game.moves import Move
from game.players import quick_player
from game.players.coach import MOST_MISTAKES, QUICK, THOROUGH, Position, doubtful, explain, judge, plain, worst_mistakes
from game.players.hints import Hint, Mistake
from game.players.levels import choose
from game.players.memory import Memory
from game.players.search import Budget
from game.text.record import Record
from game.view import SeatView
from tables.thinking import Question

WORKER_PATIENCE: Final = 5.0
"""Seconds to wait for an answer. A master takes less than 0.1; starting a worker takes longer."""
TO_START: Final = 15.0
"""Further seconds before a worker without an answer is killed: on a busy machine it may still be starting."""
ONLY_WHEN_IDLE: Final = True
"""Whether workers run only while nothing else of the bot needs the processor (`Spawned`)."""
T = TypeVar("T")
_log = structlog.get_logger(__name__)


class Workers:
    """Computes choices, hints and reviews (`tables.thinking.Thinking`) in a worker process.

    One makes some thirty choices of masters per second, and takes 53 to 100 MB (docs/scaling.md).
    """

    def __init__(self, patience: float = WORKER_PATIENCE) -> None:
        self._patience = patience
        self._pool = Spawned(limit=TO_START + patience, only_when_idle=ONLY_WHEN_IDLE)

    async def choose(self, question: Question, seed: int) -> Move:
        """The move of a computer player; the quick player's if there is no answer."""
        view, level = question.view, question.level
        chosen = await self._compute(choose, view, question.memory, Random(seed), level)  # noqa: S311 - nothing secret
        return chosen or quick_player.choose(view, Random(seed))  # noqa: S311 - nothing secret

    async def explain(self, view: SeatView, memory: Memory) -> Hint | None:
        """The move of a strong player and its reasons; None if there is nothing to say, or no answer."""
        return await self._compute(explain, view, memory)

    async def review(self, record: Record, seat: int, own: frozenset[int]) -> list[Mistake] | None:
        """The mistakes of a seat in its `own` steps of a finished game, the costliest first; None without an answer."""
        # A whole game takes a few seconds. Each choice is a request of its own, so that the computer players of other
        # tables never wait for more than one choice.
        positions = await self._compute(doubtful, record, seat, own)
        first = await self._judge_all(positions, QUICK, 0)
        if positions is None or first is None:
            return None
        costly_steps = {mistake.step for mistake in worst_mistakes(first, 2 * MOST_MISTAKES)}
        costly = [position for position in positions if position.step in costly_steps]
        # With other random numbers than before, because the highest of many noisy estimates is often just bad luck.
        second = await self._judge_all(costly, THOROUGH, 1)
        return None if second is None else plain(second)

    async def _judge_all(self, positions: Sequence[Position] | None, budget: Budget, seed: int) -> list[Mistake] | None:
        """The cost of each of these choices; None if one has no answer, which must not count as a good move."""
        mistakes: list[Mistake] = []
        for position in positions or ():
            mistake = await self._compute(judge, position, budget, seed)
            if mistake is None:
                return None
            mistakes.append(mistake)
        return mistakes

    async def _compute(self, answer: Callable[..., T], *arguments: object) -> T | None:
        """The result of a function; None if it fails or takes too long."""
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.get_running_loop().run_in_executor(self._pool, answer, *arguments)
        except (TimeoutError, BrokenProcessPool) as error:
            why = "too late" if isinstance(error, TimeoutError) else str(error)
            _log.warning("a worker did not answer", why=why)
        except Exception:  # noqa: BLE001 - the game goes on, whatever fails in a worker
            _log.exception("a worker failed")
        return None

    def rest(self) -> None:
        """Pause the worker for a moment, because a click waits for its answer."""
        self._pool.rest()

    def close(self) -> None:
        """Stop the worker; the next question starts a new one."""
        self._pool.shutdown()


class InProcess(Workers):
    """Computes answers in this process, blocking everything else: for tests and the sandbox."""

    async def _compute(self, answer: Callable[..., T], *arguments: object) -> T | None:
        return answer(*arguments)
