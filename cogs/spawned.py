"""Another process that is asked to work something out, so that no click waits for it.

Pure functions only: what is asked and what is answered goes through a pipe. The process begins with the first question
and gives way to this one, which answers people. One that died is replaced by the next question; the questions that it
had fail with `BrokenProcessPool`.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

GIVES_WAY: int = 5
"""By how much such a process is nicer than this one."""


class Spawned(Executor):
    """One process, or `workers` of them, that answer in the order in which they are asked."""

    def __init__(self, workers: int = 1) -> None:
        """Start none yet."""
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None

    @property
    def is_running(self) -> bool:
        """Whether anything was asked since the last `shutdown`."""
        return self._pool is not None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Ask for what a function gives."""
        try:
            return self._made().submit(fn, *args, **kwargs)
        except BrokenProcessPool:
            self.shutdown()
            return self._made().submit(fn, *args, **kwargs)

    def _made(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, not forked: a fork would inherit the connections and locks of this process.
            self._pool = ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), _begin)
        return self._pool

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:  # noqa: FBT001, FBT002 - Executor's
        """Let the process go; the next question starts another."""
        if self._pool is not None:
            self._pool.shutdown(wait, cancel_futures=cancel_futures)
        self._pool = None


def _begin() -> None:
    """Leave Ctrl-C, which reaches all processes of a terminal, to the one that asks, give way to it and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.nice(GIVES_WAY)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    # Killed, the parent tells nobody; this process would wait for questions for ever.
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
