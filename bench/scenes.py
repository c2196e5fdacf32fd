"""Where something goes wrong: a Discord, a bot that is kept alive, people who play, and what came of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Final

from bench.at_table import newest, pressable
from bench.kept_alive import KeptAlive, now
from bench.own_postgres import OwnPostgres
from bench.preloaded import preloaded
from bench.regulars import Balance, Notes, balance, playing, until
from bot.shards import IDENTIFY_EVERY
from testkit.sockets.clicker import Clicker
from testkit.sockets.server import Discord, discord_on_sockets
from testkit.sockets.world import FIRST_ANSWER

TABLES: Final = 4
PAUSE: Final = 0.4
"""Seconds between two moves at a table."""
WATCHED: Final = 20.0
"""Seconds for which silence is looked for after a fault: longer than a lease lasts."""
KNOCK: Final = 0.1
"""Seconds from one click of a stranger to the next; so many strangers that none of them clicks too fast."""
STRANGER, STRANGERS = 9_000, 20
LONGEST: Final = 240.0
"""Seconds after which a bot that answers nobody never will."""
SETTLES: Final = 3.0
"""Seconds for what is still to be drawn."""
CLOCK: Final = "set_clock"
"""The library that makes a process go by another clock."""
SMALL: Final = "24m"
"""The size of a disk that can be filled."""


@dataclass
class Scene:
    """What a fault is done to. `said` is what it found out itself."""

    discord: Discord
    bot: KeptAlive
    url: str
    folder: Path
    notes: Notes
    players: Sequence[asyncio.Task[None]]
    clock: Path
    postgres: OwnPostgres | None = None
    standby: OwnPostgres | None = None
    said: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Came:
    """What came of a fault: seconds until any click was answered, until a move was, and until the last table went on.

    `silence` is the longest time without an answer in what was watched afterwards, `last` the status of the bot when it
    was told to end.
    """

    click: float
    first: float
    every: float
    silence: float
    ends: Sequence[int]
    last: int | None
    said: Sequence[str]
    books: Balance

    @property
    def is_well(self) -> bool:
        """Whether no promise was broken."""
        return self.books.is_even and self.last == 0


@asynccontextmanager
async def scene(database: str, *, faked: bool = False, tables: int = TABLES) -> AsyncGenerator[Scene]:
    """A bot on a database and people; where `faked` its clock can be set.

    The database is sqlite, small (on a small disk), postgres, or pair: a PostgreSQL with a synchronous standby.
    """
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_folder())
        if database == "small":
            stack.enter_context(_small_disk(folder / "disk"))
        is_postgres = database in {"postgres", "pair"}
        postgres = stack.enter_context(_postgres(folder / "postgres")) if is_postgres else None
        url = postgres.url if postgres else f"sqlite:///{folder}/{'disk/' if database == 'small' else ''}bot.sqlite3"
        standby = None
        if postgres and database == "pair":
            standby = stack.enter_context(_standby(folder / "standby", postgres))
            url = postgres.url_with(standby)
        discord = await stack.enter_async_context(discord_on_sockets(max_concurrency=16))
        discord.limits.is_on = False  # the upload of the faces would take a minute
        channels = discord.world.add_guilds(tables)
        clock = folder / "clock"
        settings = _with_clock(folder, clock) if faked else {}
        bot = KeptAlive(discord, url, folder / "log", **settings)
        notes = Notes()
        stack.push_async_callback(bot.end)
        await _begin(bot, discord, faked=faked)
        players = await playing(discord, channels, notes, PAUSE)
        await asyncio.sleep(IDENTIFY_EVERY)  # who begins a session right after another waits for Discord's sake
        stack.push_async_callback(over, players)
        yield Scene(discord, bot, url, folder, notes, players, clock, postgres, standby)


async def _begin(bot: KeptAlive, discord: Discord, *, faked: bool) -> None:
    """Start it and wait until it is there, with the clock that can be set."""
    await bot.begin()
    await discord.until(lambda: discord.gateway.seen["identify"])
    if faked and not bot.has_loaded(CLOCK):
        raise RuntimeError("the bot goes by the clock of the machine, which no fault sets")


async def watched(there: Scene, fault: Callable[[Scene], Awaitable[None]], watch: float = WATCHED) -> Came:
    """Let something go wrong, wait until there were answers at every table again, and balance the books.

    Raises:
        TimeoutError: a table does not go on.
    """
    await fault(there)
    ended = now()
    async with asyncio.timeout(LONGEST):
        click = await first_click(there.discord) - ended
        await until(lambda: now() > ended + watch and there.notes.have_gone_on(ended), there.players)
    silence = there.notes.silence(ended, now())
    await delivered_again(there.discord)
    await over(there.players)
    await asyncio.sleep(SETTLES)
    await there.bot.end()
    firsts = [min(at for at in times if at > ended) - ended for times in there.notes.channels.values()]
    books = await balance(there.url, there.discord, there.notes)
    bot, said = there.bot, tuple(there.said)
    return Came(click, min(firsts), max(firsts), silence, tuple(bot.ends), bot.last, said, books)


async def first_click(discord: Discord) -> float:
    """When the first click was answered of people who do not wait for one before the next; the players do."""
    heard: list[float] = []

    async def knock(person: Clicker) -> None:
        if table := newest(discord, "hand"):
            with suppress(TimeoutError, LookupError, RuntimeError):
                heard.append((await person.press(table, str(pressable(table, "hand")))).heard_at)

    tasks = list[asyncio.Task[None]]()
    for person in cycle(Clicker(discord, STRANGER + nth, "Dee", FIRST_ANSWER) for nth in range(STRANGERS)):
        if heard:
            break
        tasks.append(asyncio.create_task(knock(person)))
        await asyncio.sleep(KNOCK)
    await over(tasks)
    return min(heard)


async def delivered_again(discord: Discord) -> None:
    """Deliver the last clicks once more, as Discord may after a lost connection."""
    for session in list(discord.gateway.sessions.values()):
        for _, event, said in list(session.kept)[-8:]:
            if event == "INTERACTION_CREATE":
                await session.tell(event, said)


async def over(tasks: Sequence[asyncio.Task[None]]) -> None:
    """End what people do; what had ended one of them before is raised, as from then on nobody played there."""
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, Exception):
            raise ended


@contextmanager
def _folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="faults") as name:
        Path(name).chmod(0o755)  # the user of PostgreSQL must get through
        yield Path(name)


@contextmanager
def _small_disk(folder: Path) -> Generator[None]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SMALL}", "none", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def _postgres(folder: Path) -> Generator[OwnPostgres]:
    made = OwnPostgres(folder)
    made.start()
    try:
        made.create()
        yield made
    finally:
        made.kill()


@contextmanager
def _standby(folder: Path, primary: OwnPostgres) -> Generator[OwnPostgres]:
    made = OwnPostgres(folder, primary)
    made.start()
    try:
        primary.wait_for_standby()
        yield made
    finally:
        made.kill()


def _with_clock(folder: Path, clock: Path) -> dict[str, str]:
    """What makes a process go by the clock that `set_clock` sets."""
    set_clock(clock, 0)
    return preloaded(CLOCK, folder, CLOCK_FILE=str(clock))


def set_clock(clock: Path, seconds: int) -> None:
    """Set it so many seconds ahead of that of the machine; the file keeps its place, because it is mapped."""
    with clock.open("r+b" if clock.exists() else "w+b") as file:
        file.write(seconds.to_bytes(8, sys.byteorder, signed=True))
