"""The composition root: makes store, doorway, painter, clock and bot, runs them, and ends them in order.

The painter and the clock are tasks of this module, never of the bot, so that tests and the sandbox can put another
Discord in its place: `opened` makes everything, then the bot is run by whoever wants to, and `ticking` lets time pass
while it runs.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import discord
import structlog

from bot.brush import Brush
from bot.chance import Chance
from bot.client import CardBot, Sync
from bot.clock import Clock
from bot.config import ConfigError, Settings, shards_in
from bot.discord_port import DiscordPort
from bot.drawing import Drawing
from bot.painter import GAP, Painter
from bot.shown import Declined
from bot.tables import Tables
from bot.tables.doorway import real_now
from bot.upkeep import keep_house
from data.store import Store

DRAIN: Final = 8.0
"""Seconds that the end may take."""
_FATAL: Final = {4004: "Discord refuses the token", 4014: "Discord refuses the intents: none but guilds is asked for"}
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class House:
    """Everything that makes up the bot."""

    settings: Settings
    store: Store
    tables: Tables
    painter: Painter
    clock: Clock
    bot: CardBot


@asynccontextmanager
async def opened(
    settings: Settings,
    *,
    now: Callable[[], datetime] = real_now,
    chance: Chance | None = None,
    gap: float = GAP,
    sync: Sync = "changed",
) -> AsyncGenerator[House]:
    """Everything made and joined, nothing running yet; the store is closed at the end.

    Raises:
        StoreError: the database cannot be used.
    """
    store = await Store.open(settings.database_url)
    try:
        tables = Tables(store, chance=chance, now=now)
        bot = CardBot(
            tables,
            sync=sync,
            shard_count=settings.shard_count or None,
            shard_ids=shards_in(settings.shard_ids) or None,
        )
        drawing = Drawing(lambda: bot.faces, bot.locale_of)
        brush = Brush(tables, drawing.table, DiscordPort(bot), nudge=drawing.nudge, now=now)
        painter = Painter(tables, brush, gap=gap)
        clock = Clock(tables, now=now, thinking=settings.thinking_seconds)
        tables.listeners += [painter.changed, clock.changed]
        yield House(settings, store, tables, painter, clock, bot)
    finally:
        await store.close()


@asynccontextmanager
async def ticking(house: House) -> AsyncGenerator[None]:
    """Let the painter and the clock work; at the end what is drawn is noted.

    To be entered when requests can be made.
    """
    runners = (house.painter.run(), house.clock.run(), _take_up(house), keep_house(house.tables))
    tasks = [asyncio.create_task(each) for each in runners]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _take_up(house: House) -> None:
    """Go on where the last process ended."""
    try:
        await house.clock.start()
        await house.painter.reconcile()
    except Declined as declined:
        _log.warning("what was left could not be taken up", why=declined.why.value)


async def run(settings: Settings) -> None:
    """Be the bot on Discord until SIGTERM or SIGINT.

    Raises:
        ConfigError: the token or what it allows is wrong: restarting would not help.
        StoreError: the database cannot be used.
    """
    token, stop = settings.token(), asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with opened(settings) as house, house.bot:
        await _log_in(house.bot, token)
        async with ticking(house):
            await _connected(house, stop)
            await _drain(house)


async def _log_in(bot: CardBot, token: str) -> None:
    try:
        await bot.login(token)
    except discord.LoginFailure:
        raise ConfigError(["Discord does not know this token: make a new one and set it (README, Invite)"]) from None


async def _connected(house: House, stop: asyncio.Event) -> None:
    """Stay connected until told to stop."""
    connection = asyncio.create_task(house.bot.connect())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({connection, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if not connection.done():
        house.tables.closing = True
        _log.info("stopping")
        return
    try:
        await connection
    except discord.PrivilegedIntentsRequired:
        raise ConfigError([_FATAL[4014]]) from None
    except discord.ConnectionClosed as error:
        raise ConfigError([_FATAL.get(error.code, f"Discord closed the connection ({error.code})")]) from None


async def _drain(house: House) -> None:
    """Draw what is still to be drawn, within `DRAIN` seconds; what is not stays marked."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN - 1):
            await house.painter.idle()
    await house.bot.close()
