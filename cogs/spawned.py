"""Runs functions in another process, so that no click waits for them.

The functions must be pure, and they, their arguments and their results picklable. A process starts with the first
question and has a lower priority than this one, which answers people. If it dies or takes too long, its question fails
with `BrokenProcessPool`, and the next question starts another process.

A `ProcessPoolExecutor` would do, except that its locks have names that stay behind if this process is killed.
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
import traceback
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.context import SpawnProcess
from typing import Any, Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

NICENESS: Final = 5
"""By how much the niceness of these processes is higher than that of this one."""
REST: Final = 0.008
"""Seconds for which a process pauses when told to: a move takes 0.002, one in a hundred 0.004."""
LONGEST_REST: Final = 0.1
"""Seconds to which repeated pauses can add up at most."""
STARVED_AFTER: Final = 4.0
"""Seconds until a question to an `only_when_idle` process counts as starved by others; it needs a tenth of a second."""
_SPAWNING: Final = multiprocessing.get_context("spawn")
"""Not forked: a fork would inherit the connections and locks of this process."""


class Spawned(Executor):
    """An executor with one process, which takes questions in the order in which they come."""

    def __init__(self, *, limit: float = 20.0, only_when_idle: bool = False) -> None:
        """Start no process yet. One that takes `limit` seconds over a question, its start included, is replaced.

        With `only_when_idle` a process runs, after its first answer, only while no other of its session or container
        wants the processor (Linux: SCHED_IDLE). One that replaces a starved one (`STARVED_AFTER`) does not.
        """
        self._limit, self._only_when_idle = limit, only_when_idle
        self._process = _Process(limit, only_when_idle)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have the process call a function."""
        try:
            return self._process.thread.submit(self._process.answer, (fn, args, kwargs))
        except RuntimeError as error:  # too many threads or processes, or no memory
            self.shutdown()  # otherwise the question would stay in the queue
            raise BrokenProcessPool(f"its process could not be started: {error}") from error

    def rest(self) -> None:
        """Pause the process for `REST` seconds, because somebody waits for this one."""
        self._process.rest()

    def shutdown(self, wait: bool = False, *, cancel_futures: bool = True) -> None:  # noqa: FBT001, FBT002 - Executor's
        """End the process, at once or, with `wait`, after its current work. The next question starts a new one."""
        self._process.thread.shutdown(wait, cancel_futures=cancel_futures)
        self._process.end()
        self._process = _Process(self._limit, self._only_when_idle)


class _Process:
    """A process that answers one question after another in `thread`, started by the first one."""

    def __init__(self, limit: float, only_when_idle: bool) -> None:  # noqa: FBT001 - one caller
        self._limit, self._only_when_idle = limit, only_when_idle
        self.thread = ThreadPoolExecutor(1, "spawned")
        self._rests_until = 0.0
        self._process: SpawnProcess | None = None
        self._at_work: SpawnProcess | None = None  # the same process, while it can be signalled to rest
        self._has_answered = False
        self._pipe: Any = None
        self._is_over = False

    def answer(self, question: object) -> Any:
        """Return the process's answer; raise what the function raises, or `BrokenProcessPool`."""
        try:
            process = self._process if self._process and self._process.is_alive() else self._start()
        except OSError as error:  # too many open files or processes, or no memory
            raise BrokenProcessPool(f"its process could not be started: {error.strerror}") from error
        try:
            time.sleep(max(self._rests_until - time.monotonic(), 0))  # asking costs time that clicks need, too
            self._pipe.send(question)
            self._at_work = process if self._has_answered else None  # the signal kills one that is starting
            if not self._pipe.poll(STARVED_AFTER if self._only_when_idle and self._has_answered else self._limit):
                if self._has_answered:
                    self._only_when_idle = False  # perhaps starved by other processes
                raise TimeoutError
            answer, error = self._pipe.recv()
        except (EOFError, OSError) as ended:  # a `TimeoutError` is an `OSError`
            process.join(0 if isinstance(ended, TimeoutError) else 1)  # it ends by itself if it has closed the pipe
            how, code = "took too long", process.exitcode
            if code is not None:
                status = f"ended with status {code}" if code else "had too little memory"  # see `_serve`
                how = f"was ended by signal {-code}" if code < 0 else status
            process.kill()
            process.join()  # otherwise the next question might still find it alive
            raise BrokenProcessPool(f"its process {how}") from ended
        finally:
            self._at_work = None
        self._has_answered = True
        if error is not None:
            raise error
        return answer

    def _start(self) -> SpawnProcess:
        self._pipe, theirs = _SPAWNING.Pipe()
        _limit_waits(self._pipe, self._limit)
        process = _SPAWNING.Process(target=_serve, args=(theirs, self._only_when_idle), daemon=True)
        process.start()
        theirs.close()  # otherwise this end would not notice when the process ends
        self._process, self._has_answered = process, False
        if self._is_over:
            process.kill()
        return process

    def rest(self) -> None:
        """Make it pause, even in the middle of a question (not on Windows, which lacks the signal)."""
        self._rests_until = time.monotonic() + REST
        process = self._at_work
        if process and process.pid and process.is_alive():
            with suppress(AttributeError, OSError):  # it may just have ended
                os.kill(process.pid, signal.SIGUSR1)

    def end(self) -> None:
        """End it for good, even while it is starting."""
        self._is_over = True
        if self._process is not None:
            self._process.kill()


def _limit_waits(pipe: Any, seconds: float) -> None:
    """Let reads and writes fail that are stuck for this long: a large message may stop half way."""
    whole, rest = divmod(seconds, 1)
    with suppress(OSError), socket.socket(fileno=os.dup(pipe.fileno())) as end:  # on Windows it is no socket
        for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            end.setsockopt(socket.SOL_SOCKET, way, struct.pack("@ll", int(whole), int(rest * 1e6)))


def _serve(pipe: Any, only_when_idle: bool) -> None:  # noqa: FBT001 - a process is given no keywords
    """Answer questions until the pipe closes. Ctrl-C reaches every process of a terminal; only the parent obeys it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):  # Windows lacks all this, and a system may forbid it
        signal.signal(signal.SIGUSR1, _Rest())
        os.nice(NICENESS)
        os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"1000")  # if memory runs out, the bot lives on
    threading.Thread(target=_end_with_parent, daemon=True).start()
    is_frozen = False
    with suppress(EOFError, MemoryError):
        while True:
            fn, args, kwargs = pipe.recv()
            try:
                answer = fn(*args, **kwargs), None
            except MemoryError:
                raise  # another process has none of what this one has collected
            except Exception as error:  # noqa: BLE001 - raised again in the parent, which knows only its own frames
                error.add_note(traceback.format_exc())
                answer = None, error
            pipe.send(answer)
            if not is_frozen:
                gc.freeze()  # a collection of all that was loaded takes some 30 ms, in which it cannot rest
                is_frozen = True
                with suppress(AttributeError, OSError):
                    if only_when_idle:
                        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class _Rest:
    """The signal handler: rest until no signal has come for `REST` seconds, then ignore them for a quarter as long."""

    def __init__(self) -> None:
        self._rests_until = self._works_until = 0.0
        self._is_resting = False

    def __call__(self, *_: object) -> None:
        now = time.monotonic()
        self._rests_until = now + REST  # a signal during a rest extends it
        if self._is_resting or now < self._works_until:
            return
        self._is_resting = True
        while (left := min(self._rests_until, now + LONGEST_REST) - time.monotonic()) > 0:
            time.sleep(left)
        self._is_resting = False
        ended = time.monotonic()
        self._works_until = ended + (ended - now) / 4  # so that it gets on, however many people click


def _end_with_parent() -> None:
    # A parent that is killed cannot end this process, which would finish its work first.
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
