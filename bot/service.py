"""Being the bot on Discord: log in, hold the lease, stay connected, answer to signals, end in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from itertools import chain, repeat
from typing import Any, Final

import aiohttp
import discord
import structlog

from bot.clock import wait_for
from bot.config import ConfigError, Settings
from bot.faces import put_up_faces
from bot.health import Health, served
from bot.launcher import App, opened, ticking
from bot.registering import Differences, register
from bot.shards import leased
from cogs.rate_limit import RateLimit
from data.errors import UnavailableError
from data.store import Store
from tables.snapshots import Declined

DRAIN: Final = 8.0
"""Seconds that the end may take."""
LINGER: Final = 0.3
"""Seconds for the answers to the last clicks."""
FIRST_PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
LONGEST_PAUSE: Final = 60.0
"""Seconds between two tries to reach Discord at the start."""
IDENTIFY_EVERY: Final = 5.1
"""Seconds between two introductions of shards, over all processes."""
_FATAL: Final = {4004: "Discord refuses the token", 4014: "Discord refuses the intents: none but guilds is asked for"}
_log = structlog.get_logger(__name__)


async def run(settings: Settings) -> None:
    """Be the bot until SIGTERM or SIGINT.

    Raises:
        ConfigError: the token or what it allows is wrong: restarting would not help.
        StoreError: the database cannot be used, or another process runs these shards.
        OSError: the port for health is taken.
    """
    token, stop = settings.token(), asyncio.Event()
    with _signals(stop):
        async with opened(settings) as house, _begun(house, stop), house.bot:
            house.bot.rate_limit = RateLimit()
            if await _logged_in(house, token, stop):
                async with ticking(house):
                    decorating = asyncio.create_task(put_up_faces(house.bot))
                    await _connected(house, stop)
                    decorating.cancel()
                    await _drain(house)
            else:
                _log.info("stopping")
    _log.info("stopped")


@contextmanager
def _signals(stop: asyncio.Event) -> Generator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


@asynccontextmanager
async def _begun(house: App, stop: asyncio.Event) -> AsyncGenerator[None]:
    """Hold the lease and answer questions about health."""
    async with AsyncExitStack() as stack:
        wait = house.settings.lease_wait_seconds
        await stack.enter_async_context(leased(house.store, house.shards, lost=stop.set, wait=wait))
        if house.settings.health_port:
            health = Health(house.store, house.tables, house.painter, house.clock, house.bot)
            await stack.enter_async_context(served(health, house.settings.health_port))
        if house.shards.ids:
            house.bot.pacing = pacing(house.store)
        yield


def pacing(
    store: Store, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> Callable[[int], Awaitable[None]]:
    """Waits until a shard may introduce itself: one after another, over all processes of a database."""

    async def turn(_shard: int) -> None:
        await sleep(await store.leases.wait_for_slot("identify", IDENTIFY_EVERY))

    return turn


async def sync(settings: Settings, guild_id: int | None = None) -> Differences:
    """Register the commands where they changed, everywhere or in one server; what changed.

    Raises:
        ConfigError: the token is wrong.
        StoreError: the database cannot be used.
        OSError, discord.HTTPException: Discord is not reached, or takes them not.
    """
    token = settings.token()
    async with opened(settings) as house, house.bot:
        try:
            await _log_in(house, token)
            return await register(house.bot, house.tables, guild_id)
        except Declined as declined:
            raise UnavailableError(declined.why.value) from None


async def _log_in(house: App, token: str) -> None:
    try:
        await house.bot.login(token)
    except discord.LoginFailure:
        raise ConfigError(["Discord does not know this token: make a new one and set it (README, Invite)"]) from None


async def _logged_in(house: App, token: str, stop: asyncio.Event) -> bool:
    """Log in as soon as Discord is reached; False where the end was told before."""
    pauses = chain(FIRST_PAUSES, repeat(LONGEST_PAUSE))
    while not stop.is_set():
        try:
            return await _before(stop, _log_in(house, token))
        except (OSError, TimeoutError, aiohttp.ClientError, discord.DiscordServerError) as error:
            pause = next(pauses)
            _log.warning("Discord is not reached, trying again", kind=type(error).__name__, seconds=pause)
            await house.bot.http.close()
            house.bot.http.connector = discord.utils.MISSING  # the next try makes a new one
            await wait_for(stop, pause)
    return False


async def _before(stop: asyncio.Event, doing: Coroutine[Any, Any, None]) -> bool:
    """Do something unless the end is told before it is done; whether it was."""
    task, end = asyncio.ensure_future(doing), asyncio.ensure_future(stop.wait())
    await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
    end.cancel()
    if task.done():
        await task
        return True
    task.cancel()
    await asyncio.wait({task})
    return False


async def _connected(house: App, stop: asyncio.Event) -> None:
    """Stay connected until told to stop; then go on answering, but begin nothing."""
    connection = asyncio.create_task(house.bot.connect())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not connection.done():
        _log.info("stopping")
        house.tables.close()
        house.clock.stop()
        return
    try:
        await connection
    except discord.PrivilegedIntentsRequired:
        raise ConfigError([_FATAL[4014]]) from None
    except discord.ConnectionClosed as error:
        raise ConfigError([_FATAL.get(error.code, f"Discord closed the connection ({error.code})")]) from None


async def _drain(house: App) -> None:
    """Draw what is still to be drawn, within `DRAIN` seconds; what is not stays marked."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN - 1):
            await house.painter.idle()
            await asyncio.sleep(LINGER)
    await house.bot.close()
