"""A long evening: what is held at its end beside its beginning, in memory, tasks, threads and open files.

    python -m bench endurance [--hours N] [--minutes N] [--tables N] [--seed S]

First some hours go by on a make-believe clock: people play game after game in the simulated Discord with the whole bot
in this process, and now and then nobody does anything, so that reminders come and turns time out. What SimCord itself
notes down is thrown away. Then people play for some minutes of real time at several tables with `python -m bot` as a
process of its own on a Discord made of sockets. The ratio is the process's memory at the end by that after a third of
the time. The exit status is 1 if tasks or open files have piled up.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import simcord
from structlog.testing import capture_logs
from tqdm import tqdm

from bench.arguments import above_zero, bench_parser, positive
from bench.at_table import MOVES, PREPARING
from bench.bots import Process, real_bot
from bench.doorway import MEBI, resident
from bench.regulars import Notes, cheapest, playing
from bench.scenes import over
from tables.lobby_service import MOST_UNFINISHED, UNFINISHED_WITHIN
from testkit.channel import Room, ids_on, matches, parsed
from testkit.sockets.server import discord_on_sockets
from testkit.waiting import wait_until_settled

TINY: Final = ("--hours", "0.05", "--minutes", "0.01", "--tables", "1")
LAYERS: Final = ("bot", "cogs", "data", "game", "tables")
ABSENT: Final = 0.04
"""How often nobody does anything for a while."""
AWAY: Final = 1200
MOST_STEPS: Final = 40
PAUSE: Final = 1.0
"""Seconds of real time between two moves of a table."""
KEPT: Final = 200
"""Entries of SimCord's own logs and messages of the channel that are kept."""
SPARE: Final = 4
"""Tasks and files that may be more than before: a timer or a connection that happens to be there."""


class Held(NamedTuple):
    """What a process holds at one moment: tasks and our own objects only where it is this one."""

    tasks: int
    files: int
    threads: int
    objects: int
    memory: int

    def __str__(self) -> str:
        """As one line."""
        inside = f"{self.tasks} tasks, {self.objects} objects, " if self.tasks else ""
        return f"{inside}{self.files} files, {self.threads} threads, {self.memory / MEBI:.1f} MiB"


def held(process: Process | None = None) -> Held:
    """What a process holds, or this one."""
    number = "self" if process is None else str(process.number)
    files, threads = (sum(1 for _ in Path(f"/proc/{number}/{each}").iterdir()) for each in ("fd", "task"))
    if process is not None:
        return Held(0, files, threads, 0, process.memory())
    gc.collect()
    ours = sum(str(type(each).__module__).partition(".")[0] in LAYERS for each in gc.get_objects())
    return Held(len(asyncio.all_tasks()), files, threads, ours, resident())


class Evening:
    """People in one channel of the simulated Discord, who know of a game what they are shown and whose turn it is."""

    def __init__(self, room: Room, seed: int) -> None:
        """Nobody plays yet."""
        self._room, self._rng, self.done = room, random.Random(seed), Counter[str]()

    async def until(self, end: Any) -> None:
        """Play game after game until that moment of the make-believe clock."""
        while self._room.env.now() < end:
            await self._room.start(seats=self._rng.randint(2, 4))
            while await self._is_on() and self._room.env.now() < end:
                await self._step()
            self.done["games"] += 1
            if await self._is_on():
                await self._room.confirm(self._room.people[0], "stop")
                # A host who stops one game after the other would have to wait.
                await self._room.env.advance_time(UNFINISHED_WITHIN.total_seconds() / MOST_UNFINISHED)
            self._forget()

    async def _is_on(self) -> bool:
        return bool((await self._room.table()).status == "playing")

    async def _step(self) -> None:
        """Somebody does what is theirs to do, or all look out of the window."""
        absent = self._rng.random() < ABSENT
        await self._room.env.advance_time(self._rng.uniform(3, AWAY if absent else 30))
        await self._room.idle()
        if absent or not await self._is_on():
            return
        for person in self._players(await self._room.table()):
            self._room.hands.pop(person, None)
            hand = await self._room.hand(person)
            found = {parsed(each).verb: each for each in reversed(ids_on(hand))}
            plays = [each for each in ids_on(hand) if matches(each, "play")]
            wanted = min(plays, key=cheapest) if plays else next(filter(None, map(found.get, MOVES + PREPARING)), None)
            if wanted is not None:
                await person.click(hand, custom_id=wanted)
                await self._room.idle()
                self.done["presses"] += 1
                return

    def _players(self, table: Any) -> list[Any]:
        """Those who are at the table, in any order."""
        seated = {each.user_id for each in table.players}
        return self._rng.sample(found := [each for each in self._room.people if each.id in seated], len(found))

    def _forget(self) -> None:
        """Throw away what SimCord has noted of the games before, as nobody will look at it."""
        backend = self._room.env.backend
        del backend.transcript[:-KEPT], backend.http_requests[:-KEPT]
        messages = backend.messages[self._room.channel.id]
        for old in list(messages)[:-KEPT]:
            del messages[old]


async def by_the_clock(hours: float, seed: int, folder: Path) -> list[Held]:
    """Play for so many hours of the make-believe clock; what was held after each twelfth of them."""
    room, found = Room(f"sqlite:///{folder}/evening.sqlite3", seed), list[Held]()
    async with room.houses:
        await room.build()
        env = simcord.Env(room.house.bot)
        room.furnish(env)
        await env.start()
        with env.time_context():
            evening, begun = Evening(room, seed), env.now()
            for twelfth in tqdm(range(1, 13), desc="by the clock", unit="part", disable=None):
                await evening.until(begun + timedelta(hours=hours * twelfth / 12))
                found.append(held())
            await room.rest()
            await env.shutdown()
    print(f"{hours:g} hours by the clock: {evening.done['games']} games, {evening.done['presses']} presses")
    return found


async def in_real_time(minutes: float, tables: int, folder: Path) -> list[Held]:
    """Play for so many minutes at so many tables; what the bot held after each twelfth of them."""
    found, notes = list[Held](), Notes()
    async with discord_on_sockets() as discord:
        channels = discord.world.add_guilds(tables)
        process = real_bot(discord, f"sqlite:///{folder}/process.sqlite3")
        await process.begin()
        try:
            players = await playing(discord, channels, notes, PAUSE)
            for _ in tqdm(range(12), desc="in real time", unit="part", disable=None):
                await asyncio.sleep(minutes * 60 / 12)
                found.append(held(process))
            await over(players)
        finally:
            await process.end()
    print(f"{minutes:g} minutes at {tables} tables: {len(notes.moves)} moves answered, {notes.unanswered} tried again")
    return found


def after_a_third(found: Sequence[Held]) -> Held:
    """The look at the process that ended the first third of the time."""
    return found[max(0, len(found) // 3 - 1)]


def piled_up(found: Sequence[Held]) -> bool:
    """Whether tasks or open files became more after the first third."""
    early, late = after_a_third(found), found[-1]
    return late.tasks > early.tasks + SPARE or late.files > early.files + SPARE


def main(argv: Sequence[str] = ()) -> int:
    """Play and report."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--hours", type=above_zero, default=12)
    parser.add_argument("--minutes", type=above_zero, default=30)
    parser.add_argument("--tables", type=positive, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    begun = time.perf_counter()
    wait_until_settled()
    with tempfile.TemporaryDirectory(prefix="endurance") as folder:
        with capture_logs():
            simulated = asyncio.run(by_the_clock(options.hours, options.seed, Path(folder)))
        real = asyncio.run(in_real_time(options.minutes, options.tables, Path(folder)))
    for name, found in {"by the clock": simulated, "in real time": real}.items():
        print(name, *(f"  {nth}/12  {each}" for nth, each in enumerate(found, 1)), sep="\n")
    early, late = after_a_third(real).memory, real[-1].memory
    print(f"{time.perf_counter() - begun:.0f} s, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    result = {"bench": "endurance", "value": round(late / MEBI, 1), "unit": "MiB"}
    print(json.dumps(result | {"baseline": round(early / MEBI, 1), "ratio": round(late / early, 3)}))
    return int(piled_up(simulated) or piled_up(real))
