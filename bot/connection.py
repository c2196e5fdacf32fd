"""The way to Discord: log in and try again, identify one shard after another, stay connected, listen to signals."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import contextmanager
from itertools import chain, repeat
from typing import Any, Final

import aiohttp
import discord
import structlog

from bot.config import ConfigError
from data.store import Store

FIRST_PAUSES: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
LONGEST_PAUSE: Final = 60.0
"""Seconds between two tries to reach Discord at the start."""
IDENTIFY_EVERY: Final = 5.1
"""Seconds between two shards that identify themselves, over all processes: Discord takes one in five."""
_FATAL: Final = {4004: "Discord refuses the token", 4014: "Discord refuses the intents: none but guilds is asked for"}
_log = structlog.get_logger(__name__)


@contextmanager
def stopped_by_signals(stop: asyncio.Event) -> Generator[None]:
    """SIGTERM and SIGINT set the event until the end of the block."""
    loop = asyncio.get_running_loop()

    def stopping(*_: object) -> None:
        loop.call_soon_threadsafe(stop.set)

    # Not `loop.add_signal_handler`, which Windows does not have.
    before = {number: signal.signal(number, stopping) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def log_in(bot: discord.Client, token: str) -> None:
    """Log in, which is to say: ask Discord who the token is.

    Raises:
        ConfigError: Discord does not know the token.
        OSError, TimeoutError, aiohttp.ClientError, discord.DiscordServerError: Discord is not reached.
    """
    try:
        await bot.login(token)
    except discord.LoginFailure:
        raise ConfigError(["Discord does not know this token: make a new one and set it (README, Invite)"]) from None


async def log_in_or_stop(bot: discord.Client, token: str, stop: asyncio.Event) -> bool:
    """Retry login until it succeeds; False if stopped first.

    Raises:
        ConfigError: Discord does not know the token.
    """
    pauses = chain(FIRST_PAUSES, repeat(LONGEST_PAUSE))
    while not stop.is_set():
        try:
            return await _unless(stop, log_in(bot, token))
        except (OSError, TimeoutError, aiohttp.ClientError, discord.DiscordServerError) as error:
            pause = next(pauses)
            _log.warning("Discord is not reached, trying again", kind=type(error).__name__, seconds=pause)
            await bot.http.close()
            bot.http.connector = discord.utils.MISSING  # closed with it; the next try makes a new one
            await _unless(stop, asyncio.sleep(pause))
    return False


async def stay_connected(bot: discord.Client, stop: asyncio.Event) -> None:
    """Stay connected until told to stop; the connection is still there then, so that clicks are answered.

    Raises:
        ConfigError: Discord has closed the connection for good.
    """
    connection = asyncio.create_task(bot.connect())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not connection.done():
        return
    try:
        await connection
    except discord.PrivilegedIntentsRequired:
        raise ConfigError([_FATAL[4014]]) from None
    except discord.ConnectionClosed as error:
        raise ConfigError([_FATAL.get(error.code, f"Discord closed the connection ({error.code})")]) from None


async def _unless(stop: asyncio.Event, doing: Coroutine[Any, Any, None]) -> bool:
    """Do something to its end unless told to stop before; whether it was done."""
    task, end = asyncio.ensure_future(doing), asyncio.ensure_future(stop.wait())
    await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
    end.cancel()
    if task.done():
        await task
        return True
    task.cancel()
    await asyncio.wait({task})
    return False


def pacing(
    store: Store, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> Callable[[int], Awaitable[None]]:
    """Waits until a shard may identify itself: one after another, over all processes of a database."""

    async def turn(_shard: int) -> None:
        await sleep(await store.leases.wait_for_slot("identify", IDENTIFY_EVERY))

    return turn
