"""An event loop that wakes tasks in an order drawn by a seed, and a database that answers late: the same in every run.

asyncio wakes tasks in the order in which what they wait for happened, so many orders that a slow disk leads to never
occur in a test. Here a wakeup may be put off; callbacks of other kinds keep their order. What the threads of an SQLite
database do is done in the loop: each job some turns later, and its answer some turns after that.
"""

# pyright: reportAttributeAccessIssue=false, reportUnknownMemberType=false
# asyncio has no public way to change the order, and its stubs leave out the private one.

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast
from unittest.mock import patch

from data import sqlite_thread

T = TypeVar("T")
PUT_OFF = 0.3
"""The share of wakeups that are put off."""
LONGEST = 12
"""For how many turns of the loop at most."""


class ShuffledLoop(asyncio.SelectorEventLoop):
    """An event loop that wakes tasks in any order."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.rng = random.Random(seed)
        self._put_off: list[tuple[int, asyncio.Handle]] = []
        self._turn = 0

    def later(self, handle: asyncio.Handle) -> None:
        """Run a callback some turns later."""
        self._put_off.append((self._turn + self.rng.randrange(1, LONGEST + 1), handle))

    def _run_once(self) -> None:
        self._turn += 1
        ready = cast("deque[asyncio.Handle]", self._ready)
        for handle in [ready.popleft() for _ in range(len(ready))]:
            wakes_task = isinstance(getattr(handle._callback, "__self__", None), asyncio.Task)
            if wakes_task and self.rng.random() < PUT_OFF:
                self.later(handle)
            else:
                ready.append(handle)
        if not ready and self._put_off:
            self._turn = max(self._turn, min(turn for turn, _ in self._put_off))
        ready.extend(handle for turn, handle in self._put_off if turn <= self._turn)
        self._put_off = [each for each in self._put_off if each[0] > self._turn]
        super()._run_once()


class LateWorker:
    """In place of the thread of an SQLite connection, which is given a job only when it has none."""

    def do(self, job: Callable[[], Any], then: Callable[[Any], object]) -> None:
        _later(self._work, job, then)

    def _work(self, job: Callable[[], Any], then: Callable[[Any], object]) -> None:
        try:
            outcome = job()
        except BaseException as error:  # noqa: BLE001 - whoever asked gets it
            outcome = error
        _later(then, outcome)

    def end(self) -> None:
        """Nothing has to end."""


def _later(do: Callable[..., object], *given: Any) -> None:
    running = asyncio.get_running_loop()
    assert isinstance(running, ShuffledLoop), "the database is used in another loop"
    running.later(asyncio.Handle(do, given, running))


def shuffled(seed: int, main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of a coroutine that ran in a loop of its own."""
    runner = asyncio.Runner(loop_factory=lambda: ShuffledLoop(seed))
    with patch.object(sqlite_thread, "_Worker", LateWorker), runner:
        return runner.run(main())
