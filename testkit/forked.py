"""Runs Python code in a process forked from one that has loaded the bot, which starts in a tenth of the time.

The process has its own environment, outputs, signals and end. Only what Python reads of the environment at startup is
that of the process it came from. Tests that start the bot as its users do check that it can also start from nothing.
The forkserver of multiprocessing would do, but its processes skip what Python does at the end (`os._exit`).
"""

from __future__ import annotations

import asyncio
import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Protocol, Self, TypeAlias

ROOT = Path(__file__).parents[1]
SERVE = "import sys; from testkit.forked import serve; exec(*serve(*sys.argv[1:]))"
WORKED_OUT = ("game.variants:variants", "cogs.topics:topics", *(f"testkit.forked:{each}" for each in ("read", "draw")))
"""What every bot computes once, whatever it is started for."""
BOT = ("bot.command_line", "bot.compose", "bot.doctor", "bot.health", "testkit.forked:hurry", *WORKED_OUT)
"""What takes a bot long to load."""
MOST = 1 << 16
"""Bytes of an order to read at once."""
ENDLESS = 1 << 40
"""Bytes of output to buffer: enough that a process never blocks while nobody reads them."""
Order: TypeAlias = tuple[str, dict[str, str], str]
"""The code to run, the environment, and the folder to start in."""


class HasFileno(Protocol):
    """A file or a socket."""

    def fileno(self) -> int: ...


class Forked:
    """A process that runs some code, with methods like those of `asyncio.subprocess.Process`."""

    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader
    pid: int
    returncode: int | None
    _ends: tuple[asyncio.StreamWriter, ...]
    _over: asyncio.Task[None]

    @classmethod
    async def begin(cls, code: str, *, env: Mapping[str, str]) -> Self:
        """Start one in this environment; its outputs are `stdout` and `stderr`."""
        self, ends = cls(), [socket.socketpair() for _ in range(2)]
        told = order(BOT, code, env, *(theirs for _, theirs in ends))
        for _, theirs in ends:
            theirs.close()
        ours = (told, *(each for each, _ in ends))
        lines = [await asyncio.open_connection(sock=each, limit=ENDLESS) for each in ours]
        (told, self.stdout, self.stderr), self._ends = zip(*lines, strict=True)
        self.pid, self.returncode = int(await told.readline()), None
        self._over = asyncio.create_task(self._hear_of_its_end(told))
        return self

    async def _hear_of_its_end(self, told: asyncio.StreamReader) -> None:
        self.returncode = int(await told.readline())

    async def wait(self) -> int | None:
        """Wait for its end, discard its output, and return its exit status."""
        await self.communicate()
        return self.returncode

    async def communicate(self) -> tuple[bytes, bytes]:
        """Read both outputs until it has ended."""
        said = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await asyncio.shield(self._over)
        for each in self._ends:
            each.close()
        return said

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def order(
    loaded: Iterable[str],
    code: str,
    env: Mapping[str, str],
    out: HasFileno,
    err: HasFileno,
    *,
    folder: Path | str | None = None,
) -> socket.socket:
    """Start a process that runs this code, forked from one that has loaded `loaded`; `out` and `err` get its output.

    `loaded` names modules, and functions that cache what they return. The process starts in `folder`, or in the current
    one. Returns a socket that gives its id and, after its end, its exit status, a line each.
    """
    told, tell = socket.socketpair()
    said = json.dumps([code, dict(env), str(folder or Path.cwd())]).encode()
    socket.send_fds(server(*loaded), [said, b"\n"], [each.fileno() for each in (tell, out, err)])
    tell.close()
    return told


@cache
def server(*loaded: str) -> socket.socket:
    """The socket that takes orders, of a process that ends with this one."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-c", SERVE, str(theirs.fileno()), *loaded]
    process = subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def serve(number: str, *loaded: str) -> tuple[str, dict[str, Any]]:
    """Fork for each order; only the fork returns, with the code to run and its namespace."""
    for each in loaded:
        found = resolve_name(each)
        if callable(found):
            found()
    gc.collect()
    gc.freeze()
    door, told = socket.socket(fileno=int(number)), dict[int, int]()
    signal.signal(signal.SIGCHLD, lambda _number, _frame: tell_of_ends(told))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        asked, (tell, *outputs) = taken(door)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        if not (pid := os.fork()):
            for each in (door.detach(), tell, *told.values()):
                os.close(each)
            return become(outputs, *asked)
        told[pid] = tell
        with suppress(OSError):  # nobody waits for it any more
            os.write(tell, b"%d\n" % pid)
        for each in outputs:
            os.close(each)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def read() -> None:
    """Read the texts of all languages."""
    language = resolve_name("cogs.screens.language")  # imported here, because only a bot needs it
    for each in language.LANGUAGES:
        language.translator(each)


def draw() -> None:
    """Draw all faces, for which a bot would otherwise start a process."""
    drawn: dict[str, bytes] = resolve_name("cogs.pictures.card_faces").emoji_set(small=False)

    async def drawn_before(wanted: partial[object]) -> dict[str, bytes]:
        return {name: drawn[name] for name in wanted.args[0]}

    resolve_name("bot.faces").drawn_rarely = drawn_before


def hurry() -> None:
    """Let no process have the lowest priority: beside many busy tests, its turn might never come."""
    resolve_name("bot.workers").ONLY_WHEN_IDLE = False


def taken(door: socket.socket) -> tuple[Order, list[int]]:
    """The next order, and its file descriptors: one for reports, two for output. Exits when nobody can send more."""
    said, places, *_ = socket.recv_fds(door, MOST, 3)
    if not said:
        os._exit(0)
    while not said.endswith(b"\n"):
        said += door.recv(MOST)
    return json.loads(said), places


def tell_of_ends(told: dict[int, int]) -> None:
    """Report each process that has ended; `told` maps its id to the file descriptor for that."""
    while told:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with suppress(OSError):  # nobody waits for it any more
            os.write(told[pid], b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(told.pop(pid))


def become(outputs: Sequence[int], code: str, env: Mapping[str, str], folder: str) -> tuple[str, dict[str, Any]]:
    """Set up the fork like a process that has just started; returns the code to run and its namespace."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for ours, theirs in enumerate(outputs, start=1):
        os.dup2(theirs, ours)
        os.close(theirs)
    sys.argv[1:] = []
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w")
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, errors="backslashreplace")
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    return code, {"__name__": "__main__"}
