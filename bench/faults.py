"""What goes wrong around a bot in an evening, one fault after another, and how long it takes until it answers again.

    python -m bench faults [--quick] [--only WORD,...]

For each fault a `python -m bot` of its own, kept alive as the recipes of deploy/ do it, on a Discord made of sockets;
people play at four tables all the time. Seconds are counted from the end of the fault: until a click is answered, of
strangers who press a button ten times a second; until somebody's move is, of players who wait three seconds for an
answer before they press again; and until the last table goes on. A process that has ended is started again as by the
unit. Afterwards the last clicks are delivered once more, the bot is told to end, which must be with status 0, and what
people were answered and have seen is compared with the database. `--quick` shortens what is long. Faults that need what
is not installed are left out, and said.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.arguments import bench_parser
from bench.kept_alive import now
from bench.regulars import until
from bench.scenes import Came, Scene, scene, set_clock, watched
from bench.tail import p99
from deploy.cluster.cluster import bin_dir
from testkit.sockets.clicker import Clicker
from testkit.sockets.world import Message

BEAT: Final = 0.01
"""Seconds between two bursts of a flood."""
FLOOD: Final = 10.0
NONSENSE: Final = ('{"op": 0, "t": "CHANNEL_UPDATE", "s": 9, "d": 5}', "}{", '{"op": 0, "t": "READY", "s": 1, "d": 7}')
HOUR: Final = 3600
COLUMNS: Final = (
    *("fault", "the bot", "a click answered after s", "a move", "at every table", "longest silence s"),
    *("answered moves", "lost", "doubled", "orphans"),
)


@dataclass(frozen=True)
class Fault:
    """What is done, for how many seconds, in a long run and in a quick one, and to a bot on which database."""

    name: str
    do: Callable[[Scene, float], Awaitable[None]]
    seconds: float = 0.0
    quick: float = 0.0
    database: str = "sqlite"
    faked: bool = False

    @property
    def lacks(self) -> str:
        """What is not there to do it with; empty where all is."""
        if self.faked and shutil.which("cc") is None:
            return "a C compiler"
        if self.database == "small" and os.geteuid():
            return "the right to mount a small disk"
        return "PostgreSQL" if self.database in {"postgres", "pair"} and bin_dir() is None else ""


async def asleep(there: Scene, seconds: float) -> None:
    """The machine sleeps; after a minute nobody keeps the connection."""
    there.bot.signal(signal.SIGSTOP)
    await asyncio.sleep(min(seconds, 60))
    if seconds > 60:  # noqa: PLR2004 - a minute
        there.discord.gateway.cut()
        await asyncio.sleep(seconds - 60)
    there.bot.signal(signal.SIGCONT)


def clock_set(by: int) -> Callable[[Scene, float], Awaitable[None]]:
    """The clock of the machine is set, by so many seconds."""

    async def fault(there: Scene, _: float) -> None:
        set_clock(there.clock, by)

    return fault


async def locked(there: Scene, seconds: float) -> None:
    """Another program holds the database."""
    file = there.url.partition("///")[2]
    with closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN EXCLUSIVE")
        await asyncio.sleep(seconds)
        other.execute("ROLLBACK")


async def database_killed(there: Scene, seconds: float) -> None:
    """PostgreSQL dies, and is started again after a while."""
    assert there.postgres is not None, "the fault asks for it"
    there.postgres.kill()
    await asyncio.sleep(seconds)
    await asyncio.to_thread(there.postgres.start)


async def primary_lost(there: Scene, seconds: float) -> None:
    """PostgreSQL dies for good, and after a while its standby takes the writes, at another address."""
    assert there.postgres is not None, "the fault asks for it"
    assert there.standby is not None, "the fault asks for a pair"
    there.postgres.kill()
    await asyncio.sleep(seconds)
    await asyncio.to_thread(there.standby.promote)


async def disk_full(there: Scene, seconds: float) -> None:
    """Not a byte is left on the disk of the database."""
    filler = there.folder / "disk" / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    await asyncio.sleep(seconds)
    filler.unlink()


async def killed(there: Scene, _: float) -> None:
    """The process dies."""
    await there.bot.kill()


async def told_to_end(there: Scene, _: float) -> None:
    """The process is told to end; that is over when it is gone."""
    begun, ends = now(), len(there.bot.ends)
    there.bot.signal(signal.SIGTERM)
    await until(lambda: len(there.bot.ends) > ends, there.players)
    there.said.append(f"gone after {now() - begun:.1f} s")


async def unreachable(there: Scene, seconds: float) -> None:
    """Neither Discord's gateway nor anything else of it can be reached."""
    there.discord.leave()
    await asyncio.sleep(seconds)
    there.discord.come_back()


async def babbling(there: Scene, _: float) -> None:
    """The gateway says what nobody can read, in the middle of sessions."""
    for nonsense in NONSENSE:
        await there.discord.gateway.garbage(nonsense)
        await asyncio.sleep(1)


async def babbling_first(there: Scene, seconds: float) -> None:
    """The gateway says what nobody can read in place of its first word."""
    there.discord.gateway.babble = NONSENSE[1]
    there.discord.gateway.cut()
    await asyncio.sleep(seconds)
    there.discord.gateway.babble = ""


def flooded(rate: int) -> Callable[[Scene, float], Awaitable[None]]:
    """One person clicks so many times a second; what the others waited for their answers is said."""

    async def fault(there: Scene, seconds: float) -> None:
        message = await _lobby_of(Clicker(there.discord, 9, "Flo"), there)
        calm, begun, sent = len(there.notes.seconds), now(), 0
        while (passed := now() - begun) < seconds:
            while sent < passed * rate:
                await _click(there, message)
                sent += 1
            await asyncio.sleep(BEAT)
        there.said += [_waited("before", there.notes.seconds[:calm]), _waited("meanwhile", there.notes.seconds[calm:])]

    return fault


def _waited(when: str, seconds: Sequence[float]) -> str:
    """How long people waited for answers to moves."""
    if not seconds:
        return f"{when} nobody was answered"
    return f"{when} p50 {median(seconds) * 1000:.0f} ms, p99 {p99(seconds) * 1000:.0f} ms"


async def _lobby_of(person: Clicker, there: Scene) -> Message:
    """The message of a table that somebody opens in a channel of their own."""
    channel = there.discord.world.add_thread(next(iter(there.discord.world.channels)))
    await person.command(channel, "shithead", "start")
    return await there.discord.until(lambda: there.discord.world.public(channel))


async def _click(there: Scene, message: Message) -> None:
    """Deliver a click and wait for nothing."""
    world, custom_id = there.discord.world, message.ids()[0]
    data = {"custom_id": custom_id, "component_type": 2, "id": 1}
    _, sent = world.interaction(3, {"number": 9, "name": "Flo"}, message.channel, data, message)
    await there.discord.gateway.tell(world.guild_of(message.channel), "INTERACTION_CREATE", sent)


FAULTS: Final = (
    Fault("asleep for 35 s", asleep, 35, 20),
    Fault("asleep for 10 min", asleep, 600, 70),
    Fault("clock set forward by an hour", clock_set(HOUR), faked=True),
    Fault("clock set back by an hour", clock_set(-HOUR), faked=True),
    Fault("SQLite locked for 60 s", locked, 60, 20),
    Fault("PostgreSQL killed for 60 s", database_killed, 60, 20, "postgres"),
    Fault("PostgreSQL lost, a standby elsewhere after 20 s", primary_lost, 20, 5, "pair"),
    Fault("disk full for 60 s", disk_full, 60, 20, "small"),
    Fault("kill -9", killed),
    Fault("SIGTERM", told_to_end),
    Fault("Discord unreachable for 5 min", unreachable, 300, 30),
    Fault("gateway garbage in a session", babbling),
    Fault("gateway garbage for 20 s before one", babbling_first, 20, 10),
    Fault("one person clicks 50 times a second", flooded(50), FLOOD, 5),
    Fault("one person clicks 200 times a second", flooded(200), FLOOD, 5),
    Fault("one person clicks 500 times a second", flooded(500), FLOOD, 5),
)


async def tried(fault: Fault, *, quick: bool) -> Came:
    """Set the scene and do it."""
    seconds = fault.quick if quick else fault.seconds
    async with scene(fault.database, faked=fault.faked) as there:
        return await watched(there, lambda scene: fault.do(scene, seconds))


def row(name: str, came: Came) -> str:
    """A line of the table."""
    ends = f"ended with {', '.join(map(str, came.ends))}, started again" if came.ends else "went on"
    last = [] if came.last == 0 else [f"told to end: {'was gone already' if came.last is None else came.last}"]
    seconds = [f"{each:.1f}" for each in (came.click, came.first, came.every, came.silence)]
    books = came.books
    counts = map(str, (books.answered, books.lost, books.doubled, books.orphans))
    return f"| {' | '.join((name, '; '.join((ends, *came.said, *last)), *seconds, *counts))} |"


def main(argv: Sequence[str] = ()) -> int:
    """Try all faults and print a table; 1 where a promise was broken, 2 where nothing could be tried."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--quick", action="store_true", help="shorten what is long")
    parser.add_argument("--only", default="", help="faults with one of these words in their name, with commas")
    options = parser.parse_args(argv)
    words = options.only.split(",")
    chosen = [fault for fault in FAULTS if any(word in fault.name for word in words)]
    if not chosen:
        parser.error(f"no fault has one of these words in its name: {options.only}")
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|", flush=True)
    came: list[Came] = []
    for fault in chosen:
        if fault.lacks:
            print(f"| {fault.name} | not tried: {fault.lacks} is missing | | | | | | | | |", flush=True)
            continue
        came.append(asyncio.run(tried(fault, quick=options.quick)))
        print(row(fault.name, came[-1]), flush=True)
    if not came:
        return 2
    print(json.dumps({"bench": "faults", "value": round(max(each.every for each in came), 1), "unit": "s"}))
    return 0 if all(each.is_well for each in came) else 1
