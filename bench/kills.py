"""Kills the real process again and again beside its own requests to Discord, while people play, and balances the books.

    python -m bench kills [--points N] [--tables N] [--seed S]

`python -m bot` on a Discord made of sockets. At each point it is killed with SIGKILL: while it starts, or some
milliseconds after Discord has heard one of its requests, often that for a new message, when the message is there and
the bot does not know it yet. Meanwhile messages are deleted, as by moderators, or asked for at the bottom, so that many
are posted anew. At the end the last process draws what is to be drawn: no answered move may be missing, no click may be
there twice, and the bot must know every message of its own in a channel but the results of earlier games.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, Final

from tqdm import tqdm

from bench.arguments import bench_parser, positive
from bench.regulars import Balance, Notes, balance, playing
from bench.scenes import over
from bench.tail import p99
from testkit.sockets.clicker import Clicker
from testkit.sockets.server import Discord, Heard, discord_on_sockets
from testkit.waiting import HANG

TINY: Final = ("--points", "2", "--tables", "2")
EARLY: Final = 0.1
"""Part of the kills that fall while the process starts."""
AT_POSTS: Final = 0.5
"""Part of the kills that wait for a new message."""
MOST_REQUESTS: Final = 12
LONGEST: Final = 0.03
"""Seconds after a request within which the process is killed."""
PATIENCE: Final = 5.0
"""Seconds after which a process is killed wherever it is."""
IMPATIENT: Final = 1.0
"""Seconds that people wait for an answer: the process that owes it is mostly dead."""
MISCHIEF: Final = 0.7
SETTLES: Final = 4.0
PAUSE: Final = 0.2


def live(port: int, url: str) -> None:
    """Be `python -m bot run` on the Discord at this port, until killed."""
    os.environ |= {"DISCORD_TOKEN": "good", "DATABASE_URL": url, "LOG_LEVEL": "ERROR", "TABLES_AS": "text"}
    import discord.gateway  # noqa: PLC0415 - in the process of the bot alone
    import yarl  # noqa: PLC0415
    from discord.http import Route  # noqa: PLC0415

    from bot.__main__ import main as bot  # noqa: PLC0415

    Route.BASE = f"http://127.0.0.1:{port}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{port}/gateway")
    raise SystemExit(bot(["run"]))


class Kills:
    """A number of lives of one bot."""

    def __init__(self, discord: Discord, url: str, seed: int) -> None:
        """Nothing runs yet."""
        self.discord, self.url = discord, url
        self._rng, self._heard = random.Random(seed), asyncio.Queue[Heard]()
        self._living: Any = None
        discord.listeners.append(self._heard.put_nowait)
        # Processes come from a server that has imported everything and has no threads.
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["bot.command_line", "bot.compose", "bot.doctor", "bench.kills"])

    async def begun(self) -> Any:
        """A process that has been started."""
        self._living = process = self._processes.Process(target=live, args=(self.discord.port, self.url))
        await asyncio.to_thread(process.start)
        return process

    async def connected(self) -> Any:
        """A process that is there."""
        before, process = self.discord.gateway.seen["identify"], await self.begun()
        async with asyncio.timeout(HANG):
            await self.discord.until(lambda: self.discord.gateway.seen["identify"] > before)
        return process

    async def point(self) -> None:
        """Let a process live for a while, and kill it."""
        if self._rng.random() < EARLY:
            process = await self.begun()
            await asyncio.sleep(self._rng.random())
        else:
            process = await self.connected()
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await self._moment()
        await self.end(process)

    async def end(self, process: Any, *, kill: bool = True) -> None:
        """End a process; the next may introduce itself at once.

        Raises:
            RuntimeError: it had ended by itself, or ends otherwise than it is told to.
        """
        if process.exitcode is not None:
            raise RuntimeError(f"the bot ended by itself, with {process.exitcode}")
        (process.kill if kill else process.terminate)()
        await asyncio.to_thread(process.join)
        if not kill and process.exitcode:
            raise RuntimeError(f"the bot was told to end, and did so with {process.exitcode}")
        process.close()
        self._living = None
        self.discord.gateway.forget()

    def give_up(self) -> None:
        """Kill the process that may be there still."""
        if self._living is not None and self._living.is_alive():
            self._living.kill()

    async def _moment(self) -> None:
        """Wait for the moment of the kill."""
        while not self._heard.empty():
            self._heard.get_nowait()
        only_posts, left = self._rng.random() < AT_POSTS, self._rng.randrange(MOST_REQUESTS)
        while left >= 0:
            heard = await self._heard.get()
            is_post = heard.method == "POST" and heard.route.endswith("/messages")
            left = -1 if only_posts and is_post else left - (not only_posts)
        await asyncio.sleep(self._rng.random() * LONGEST)

    async def mischief(self, channels: Sequence[int]) -> None:
        """Delete a message here, and ask for the table at the bottom there, for ever."""
        someone = Clicker(self.discord, 7, "Mo", IMPATIENT)
        while True:
            await asyncio.sleep(MISCHIEF * self._rng.random())
            channel = self._rng.choice(channels)
            message = self.discord.world.public(channel)
            if message is not None and self._rng.random() < 0.5:  # noqa: PLR2004 - half of them
                del self.discord.world.messages[message.id]
            elif self.discord.gateway.sessions:
                with suppress(TimeoutError):
                    await someone.command(channel, "shithead", "table")


async def run(points: int, tables: int, seed: int, folder: Path) -> tuple[Balance, Notes]:
    """Kill so many times; what was found."""
    notes = Notes()
    async with discord_on_sockets() as discord:
        discord.limits.is_on = False
        channels = discord.world.add_guilds(tables)
        kills = Kills(discord, f"sqlite:///{folder}/kills.sqlite3", seed)
        try:
            process = await kills.connected()
            players = await playing(discord, channels, notes, PAUSE, IMPATIENT)
            players.append(asyncio.create_task(kills.mischief(channels)))
            await kills.end(process)
            for _ in tqdm(range(points), desc="kills", unit="kill", disable=None):
                await kills.point()
            await over(players)
            process = await kills.connected()
            await asyncio.sleep(SETTLES)
            await kills.end(process, kill=False)
        finally:  # after Ctrl-C a bot that had just been forked would go on, without Discord and without its file
            kills.give_up()
        return await balance(kills.url, discord, notes), notes


def main(argv: Sequence[str] = ()) -> int:
    """Run and report; 1 where a promise was broken."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--points", type=positive, default=200)
    parser.add_argument("--tables", type=positive, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    print(f"{options.points} kills, {options.tables} tables, seed {options.seed}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="kills") as folder:
        books, notes = asyncio.run(run(options.points, options.tables, options.seed, Path(folder)))
    middle, tail = median(notes.seconds) * 1000, p99(notes.seconds) * 1000
    print(f"answers: p50 {middle:.0f} ms, p99 {tail:.0f} ms; {notes.unanswered} had none")
    print(f"answered {books.answered}, lost {books.lost}, doubled {books.doubled}, orphans {books.orphans}")
    wrong = books.lost + books.doubled + books.orphans
    print(json.dumps({"bench": "kills", "value": wrong, "unit": f"broken promises in {options.points} kills"}))
    return 0 if books.is_even else 1
