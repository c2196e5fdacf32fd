"""A bot that is kept alive as the recipes of deploy/ keep it: however it ends, it is started again after a pause."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bot.config import BAD_CONFIGURATION
from testkit.sockets.server import Discord
from testkit.wire import ROOT, start_code

AT_ONCE, PAUSE = 0.1, 2.0
"""Seconds before it is started again where it was killed, and where it ended with a status, as in deploy/systemd/."""
ON_THE_WAY: Final = 0.1
"""Seconds in which what it had sent arrives."""


class KeptAlive:
    """`python -m bot` and whoever starts it again.

    `ends` are the statuses that it ended with by itself, `last` is the one it ended with when it was told to.
    """

    def __init__(self, discord: Discord, url: str, log: Path, *, wrapper: Sequence[str] = (), **settings: str) -> None:
        """Start nothing yet. Warnings are added to the file `log`; `wrapper` is put before the command."""
        self.ends: list[int] = []
        self.last: int | None = None
        self._command = [*wrapper, sys.executable, "-c", start_code(discord.port, "run")]
        self._log = log
        self._env = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "good", "DATABASE_URL": url,
            "LOG_LEVEL": "WARNING", "LOG_FORMAT": "json", **settings,
        }  # fmt: skip
        self._process: asyncio.subprocess.Process | None = None
        self._keeping: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Start it, and from now on again and again."""
        await self._start()
        self._keeping = asyncio.create_task(self._keep())

    async def end(self) -> None:
        """Let nobody start it again, and end it."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
        if self._process is not None and self._process.returncode is None:
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(20):
                    await self._process.wait()
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
            self.last = self._process.returncode

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it runs."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def kill(self) -> None:
        """Let it die at once, and wait until nothing more comes from it."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
            await asyncio.sleep(ON_THE_WAY)

    def has_loaded(self, library: str) -> bool:
        """Whether it uses a library of `bench.preloaded`: one that cannot be loaded keeps nothing from starting."""
        assert self._process is not None, "it has begun"
        return f"/{library}.so" in Path(f"/proc/{self._process.pid}/maps").read_text(encoding="utf-8")

    def warnings(self) -> list[str]:
        """The lines of its log."""
        return self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []

    async def _start(self) -> None:
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(*self._command, env=self._env, stdout=log, stderr=log)

    async def _keep(self) -> None:
        while self._process is not None:
            self.ends.append(await self._process.wait())
            if self.ends[-1] == BAD_CONFIGURATION:
                return
            await asyncio.sleep(PAUSE if self.ends[-1] > 0 else AT_ONCE)
            await self._start()


def now() -> float:
    """Seconds of the clock by which the make-believe Discord notes when it heard something."""
    return time.perf_counter()
