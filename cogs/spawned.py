"""Another process that is asked to work something out, so that no click waits for it.

Pure functions only: what is asked and what is answered goes through a pipe. The process begins with the first question
and gives way to this one, which answers people. One that died, or was at a question for too long, is replaced by the
next question; the question that it had fails with `BrokenProcessPool`.

A `ProcessPoolExecutor` would do, but for its locks: they have names, which stay behind if this process is killed.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.context import SpawnProcess
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

GIVES_WAY: Final = 5
"""By how much the niceness of such a process is higher than that of this one."""
REST: Final = 0.008
"""Seconds for which one rests that is told to: a move takes 0.002, one in a hundred 0.004."""
LONGEST_REST: Final = 0.1
"""Seconds that many of them can add up to."""
NO_TURN: Final = 4.0
"""Seconds of a question after which others leave no processor to one that comes last; it needs a tenth of one."""
_SPAWNING: Final = multiprocessing.get_context("spawn")
"""Not forked: a fork would inherit the connections and locks of this process."""


class Spawned(Executor):
    """One process, or `workers` of them, that answer in the order in which they are asked."""

    def __init__(self, workers: int = 1, *, limit: float = 20.0, is_last: bool = False) -> None:
        """Start none yet. One that is at a question for `limit` seconds hangs; its start is among them.

        `is_last`: after its first answer a process works only while no other of its session or container wants the
        processor (Linux: SCHED_IDLE). If a question then takes `NO_TURN`, the next process only gives way.
        """
        self._workers, self._limit, self._is_last = workers, limit, is_last
        self._threads: ThreadPoolExecutor | None = None
        self._processes: list[_Process] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Ask for what a function gives."""
        if self._threads is None:
            self._processes = [_Process(self._limit, self._is_last) for _ in range(self._workers)]
            self._threads = ThreadPoolExecutor(self._workers, "spawned")
            self._free = list(self._processes)
        return self._threads.submit(_ask, self._free, (fn, args, kwargs))

    def rest(self) -> None:
        """Let them rest for a moment, because somebody waits for this process."""
        for process in self._processes:
            process.rest()

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:  # noqa: FBT001, FBT002 - Executor's
        """End the processes at once, or after what they are at if told to wait; the next question starts others."""
        if self._threads is not None:
            self._threads.shutdown(wait, cancel_futures=cancel_futures)
            for process in self._processes:
                process.end()
        self._threads = None


class _Process:
    """A process that answers one question after another; it is there from the first one on."""

    def __init__(self, limit: float, is_last: bool) -> None:  # noqa: FBT001 - one caller
        self._limit, self._is_last = limit, is_last
        self._rests_until = 0.0
        self._process: SpawnProcess | None = None
        self._at_work: SpawnProcess | None = None  # the same, while it can be told to rest
        self._has_answered = False
        self._pipe: Any = None
        self._is_over = False

    def answer(self, question: object) -> Any:
        """What it answers; raises what the function raises, or that it ended."""
        process = self._process if self._process and self._process.is_alive() else self._started()
        try:
            time.sleep(max(self._rests_until - time.monotonic(), 0))  # to ask, too, keeps this process from its clicks
            self._pipe.send(question)
            self._at_work = process if self._has_answered else None  # the signal would end one that is only starting
            if not self._pipe.poll(NO_TURN if self._is_last and self._has_answered else self._limit):
                self._is_last = self._is_last and not self._has_answered
                raise TimeoutError
            answer, error = self._pipe.recv()
        except (EOFError, OSError) as ended:
            process.kill()
            process.join()  # else it might still look alive to the next question
            raise BrokenProcessPool("the process was terminated abruptly") from ended
        finally:
            self._at_work = None
        self._has_answered = True
        if error is not None:
            raise error
        return answer

    def _started(self) -> SpawnProcess:
        self._pipe, theirs = _SPAWNING.Pipe()
        _limit(self._pipe, self._limit)
        process = _SPAWNING.Process(target=_answer, args=(theirs, self._is_last), daemon=True)
        process.start()
        theirs.close()  # so that this end notices when the process ends
        self._process, self._has_answered = process, False
        if self._is_over:
            process.kill()
        return process

    def rest(self) -> None:
        """Let it rest, also if it is at a question; Windows has no signal for that."""
        self._rests_until = time.monotonic() + REST
        process = self._at_work
        if process and process.pid and process.is_alive():
            with suppress(AttributeError, OSError):  # it may just have ended
                os.kill(process.pid, signal.SIGUSR1)

    def end(self) -> None:
        """End it for good, also while it is being started."""
        self._is_over = True
        if self._process is not None:
            self._process.kill()


def _limit(pipe: Any, seconds: float) -> None:
    """Make a read or a write fail that stands still for so long: a large message may stop half way."""
    whole, rest = divmod(seconds, 1)
    with suppress(OSError), socket.socket(fileno=os.dup(pipe.fileno())) as end:  # on Windows it is none
        for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            end.setsockopt(socket.SOL_SOCKET, way, struct.pack("@ll", int(whole), int(rest * 1e6)))


def _ask(free: list[_Process], question: object) -> Any:
    """Runs in one of as many threads as there are processes, so that one is free."""
    process = free.pop()
    try:
        return process.answer(question)
    finally:
        free.append(process)


def _answer(pipe: Any, is_last: bool) -> None:  # noqa: FBT001 - a process is given no keywords
    """What such a process does. It leaves Ctrl-C, which reaches all processes of a terminal, to the one that asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):  # Windows has no such thing, and a machine may forbid it
        os.nice(GIVES_WAY)
    if hasattr(signal, "SIGUSR1"):
        signal.signal(signal.SIGUSR1, _Rest())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    is_frozen = False
    with suppress(EOFError):
        while True:
            fn, args, kwargs = pipe.recv()
            try:
                answer = fn(*args, **kwargs), None
            except Exception as error:  # noqa: BLE001 - it is raised where it was asked
                answer = None, error
            pipe.send(answer)
            if not is_frozen:
                gc.freeze()  # all that was loaded: to look through it takes some 30 ms, in which it could not rest
                is_frozen = True
                with suppress(AttributeError, OSError):
                    if is_last:
                        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class _Rest:
    """How a process rests: until no signal has come for `REST`. Then it works for a quarter as long."""

    def __init__(self) -> None:
        self._rests_until = self._works_until = 0.0
        self._is_resting = False

    def __call__(self, *_: object) -> None:
        now = time.monotonic()
        self._rests_until = now + REST  # a signal that comes during a rest makes it longer
        if self._is_resting or now < self._works_until:
            return
        self._is_resting = True
        while (left := min(self._rests_until, now + LONGEST_REST) - time.monotonic()) > 0:
            time.sleep(left)
        self._is_resting = False
        ended = time.monotonic()
        self._works_until = ended + (ended - now) / 4  # however many click, it gets on


def _end_with_parent() -> None:
    # Killed, the parent tells nobody; this process would go on with what it is at.
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
