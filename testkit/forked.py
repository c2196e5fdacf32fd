"""Python that runs in a process forked from one that has loaded the bot: it begins in a tenth of the time.

Nothing else differs from a process of its own: it has its environment, outputs, signals and end to itself. That the bot
begins from nothing too is for tests that start it as its users do.
"""

import asyncio
import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SERVE = "import sys; from testkit.forked import serve; exec(*serve(int(sys.argv.pop())))"
MOST = 1 << 16
"""Bytes of an order that are read at once."""


class Forked:
    """A process that runs some code, as `asyncio.subprocess.Process` has one."""

    @classmethod
    async def begin(cls, code, *, env):
        """Start one in this environment; its outputs are `stdout` and `stderr`."""
        self, ends = cls(), [socket.socketpair() for _ in range(3)]
        order = json.dumps([code, env, str(Path.cwd())]).encode()
        socket.send_fds(server(), [order, b"\n"], [theirs.fileno() for _, theirs in ends])
        for _, theirs in ends:
            theirs.close()
        lines = [await asyncio.open_connection(sock=ours) for ours, _ in ends]
        (told, self.stdout, self.stderr), self._ends = zip(*lines, strict=True)
        self.pid, self.returncode = int(await told.readline()), None
        self._over = asyncio.create_task(self._hear_of_its_end(told))
        return self

    async def _hear_of_its_end(self, told):
        self.returncode = int(await told.readline())

    async def wait(self):
        """Its exit status, when it has ended."""
        await asyncio.shield(self._over)
        return self.returncode

    async def communicate(self):
        """What it says on both until it has ended."""
        said = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await self.wait()
        for each in self._ends:
            each.close()
        return said

    def send_signal(self, number):
        with suppress(ProcessLookupError):  # it has ended by itself
            os.kill(self.pid, number)

    def terminate(self):
        self.send_signal(signal.SIGTERM)

    def kill(self):
        self.send_signal(signal.SIGKILL)


@cache
def server():
    """Where orders are taken: by a process that ends with this one."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(theirs.fileno())], cwd=ROOT, pass_fds=[theirs.fileno()]
    )
    theirs.close()
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


def serve(number):
    """Fork for each order; in the fork, what it is to run, and in which names."""
    import aiosqlite  # noqa: F401, PLC0415 - loaded when the first database is opened

    import bot.command_line  # noqa: F401, PLC0415 - what takes long to load

    gc.collect()
    gc.freeze()
    door, told = socket.socket(fileno=number), {}
    signal.signal(signal.SIGCHLD, lambda *_: tell_of_ends(told))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        order, (tell, *outputs) = taken(door)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        if not (pid := os.fork()):
            for each in (door.detach(), tell, *told.values()):
                os.close(each)
            return become(outputs, *order)
        told[pid] = tell
        os.write(tell, b"%d\n" % pid)
        for each in outputs:
            os.close(each)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def taken(door):
    """The next order, and where it is told of its process and the process writes; without one all ends."""
    order, places, *_ = socket.recv_fds(door, MOST, 3)
    if not order:
        os._exit(0)
    while not order.endswith(b"\n"):
        order += door.recv(MOST)
    return json.loads(order), places


def tell_of_ends(told):
    """Tell of each process that has ended; `told` says where."""
    while told:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with suppress(OSError):  # nobody waits for it any more
            os.write(told[pid], b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(told.pop(pid))


def become(outputs, code, env, folder):
    """Be a process that has just begun; what it is to run, and in which names."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for ours, theirs in enumerate(outputs, start=1):
        os.dup2(theirs, ours)
        os.close(theirs)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w")
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", 1, errors="backslashreplace")
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    return code, {"__name__": "__main__"}
