"""A bot as a process of its own, seen from outside: begun, settled, its processor time and memory read, ended.

Knows of the bot nothing but `python -m bot` and that it connects to Discord. What is measured comes from Linux's /proc.
"""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from bench.preloaded import inherited
from bench.slow_disk import DELAY
from testkit.sockets.server import Discord
from testkit.waiting import HANG
from testkit.wire import ROOT, directed, start_code

CALM: Final = 0.05
"""Part of a processor below which a process counts as settled."""
LOOK: Final = 0.5
"""Seconds between two looks at that."""


async def of_its_own(code: str, *, env: dict[str, str]) -> asyncio.subprocess.Process:
    """A process that runs this code."""
    return await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=env)


def client_code(port: int, maker: str, file: str) -> str:
    """Code that runs a client of discord.py on the Discord at this port; `maker`, as `module.Class`, gets the file."""
    module, _, name = maker.rpartition(".")
    return f"""
{directed(port)}
from {module} import {name}
{name}({file!r}).run("good", log_handler=None)
"""


class Process:
    """A bot that runs Python code; the Discord that it is connected to is for it alone."""

    def __init__(self, discord: Discord, code: str, **env: str) -> None:
        """Begin nothing yet."""
        self.discord, self._code, self._env = discord, code, env

    async def begin(self) -> float:
        """Start it and wait until it has identified itself; the seconds that took.

        Raises:
            RuntimeError: it has ended before.
        """
        begun, before = time.perf_counter(), self.discord.gateway.seen["identify"]
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **inherited(DELAY), **self._env}
        self._process = await of_its_own(self._code, env=env)
        there = asyncio.ensure_future(self.discord.until(lambda: self.discord.gateway.seen["identify"] > before))
        ended = asyncio.ensure_future(self._process.wait())
        await asyncio.wait({there, ended}, timeout=HANG, return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        if not there.done():
            there.cancel()
            raise RuntimeError(f"the bot did not connect; its status is {self._process.returncode}")
        return time.perf_counter() - begun

    async def end(self) -> None:
        """Tell it to end, and see that it does."""
        if self._process.returncode is None:
            self._process.terminate()
            try:
                async with asyncio.timeout(HANG):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        self.discord.gateway.forget()

    @property
    def number(self) -> int:
        """What the system calls it."""
        return self._process.pid

    def processor(self) -> float:
        """Seconds of processor time of all its threads so far, and of the processes that it has started."""
        spent = 0
        for number in self._family():
            for task in Path(f"/proc/{number}/task").glob("*"):
                with suppress(OSError):  # a thread that has ended meanwhile
                    spent += int((task / "schedstat").read_text(encoding="ascii").split()[0])
        return spent / 1e9

    def memory(self) -> int:
        """Bytes of memory that it holds."""
        pages = Path(f"/proc/{self.number}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * resource.getpagesize()

    def _family(self) -> list[int]:
        """The numbers of the process and of those that it has started."""
        parents = {int(path.name): _parent(path) for path in Path("/proc").glob("[0-9]*")}
        found = [self.number]
        for number in found:  # which grows meanwhile
            found += [child for child, parent in parents.items() if parent == number]
        return found

    async def settled(self, patience: float = HANG) -> bool:
        """Wait until it does next to nothing for a while; False if it does not come to that in so many seconds."""
        begun, calm = time.perf_counter(), 0
        while calm < 2:  # noqa: PLR2004 - twice in a row
            if time.perf_counter() - begun > patience:
                return False
            before = self.processor()
            await asyncio.sleep(LOOK)
            calm = calm + 1 if self.processor() - before < CALM * LOOK else 0
        return True


def _parent(process: Path) -> int:
    with suppress(OSError):
        return int((process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    return 0


def real_bot(discord: Discord, url: str, **settings: str) -> Process:
    """`python -m bot` on a database, with these settings."""
    env = {"DISCORD_TOKEN": "good", "DATABASE_URL": url, "LOG_LEVEL": "ERROR", "LEASE_WAIT_SECONDS": "0"}
    return Process(discord, start_code(discord.port, "run"), **env, **settings)
