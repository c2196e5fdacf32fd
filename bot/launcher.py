"""The composition root: makes store, doorway, painter, clock and bot, and lets them work.

The painter and the clock are tasks of this module, never of the bot, so that tests and the sandbox can put another
Discord in its place: `opened` makes everything, then the bot is run by whoever wants to, and `ticking` lets time pass
while it runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.client import CardBot, Sync
from bot.clock import Clock
from bot.config import Settings, shards_in
from bot.discord_port import DiscordPort
from bot.drawing import Drawing
from bot.outage import Outages
from bot.painter import GAP, Painter
from bot.public_message import PublicMessage
from bot.shards import Shards
from bot.steady_clock import SteadyClock
from bot.upkeep import keep_house
from cogs.interactions import add_topics
from cogs.open_hands import Hands
from data.store import Store
from tables import Tables
from tables.randomness import Randomness
from tables.snapshots import Declined

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that makes up the bot."""

    settings: Settings
    store: Store
    tables: Tables
    painter: Painter
    hands: Hands
    clock: Clock
    bot: CardBot
    shards: Shards


@asynccontextmanager
async def opened(
    settings: Settings,
    *,
    now: Callable[[], datetime] | None = None,
    randomness: Randomness | None = None,
    gap: float = GAP,
    sync: Sync = "never",
) -> AsyncGenerator[App]:
    """Everything made and joined, nothing running yet; the store is closed at the end.

    Raises:
        StoreError: the database cannot be used.
        ValueError: the shards are none.
    """
    store = await Store.open(settings.database_url)
    try:
        steady = SteadyClock()
        settle, now = (steady.settle, steady) if now is None else (timedelta, now)
        shards = Shards(settings.shard_count, shards_in(settings.shard_ids))
        tables = Tables(store, randomness=randomness, now=now, serves=shards.serves)
        bot = await _bot(tables, shards, sync)
        painter = Painter(tables, _brush(tables, bot, now), gap=gap)
        pause = settings.thinking_seconds
        clock = Clock(tables, now=now, thinking=pause, shard_of=lambda guild: _shard(bot, guild), settle=settle)
        bot.outages = Outages(clock, now)
        bot.hands = hands = Hands(tables, gap=gap)
        tables.listeners += [painter.changed, clock.changed, hands.changed]
        yield App(settings, store, tables, painter, hands, clock, bot, shards)
    finally:
        await store.close()


async def _bot(tables: Tables, shards: Shards, sync: Sync) -> CardBot:
    bot = CardBot(tables, sync=sync, shard_count=shards.count or None, shard_ids=shards.ids or None)
    await add_topics(bot)
    return bot


def _brush(tables: Tables, bot: CardBot, now: Callable[[], datetime]) -> PublicMessage:
    drawing = Drawing(lambda: bot.faces, bot.locale_of)
    return PublicMessage(tables, drawing.table, DiscordPort(bot), nudge=drawing.nudge, end_picture=drawing.end, now=now)


@asynccontextmanager
async def ticking(house: App) -> AsyncGenerator[None]:
    """Let the painter and the clock work; at the end what is drawn is noted.

    To be entered when requests can be made.
    """
    runners = (house.painter.run(), house.hands.run(), house.clock.run(), _take_up(house), keep_house(house.tables))
    tasks = [asyncio.create_task(each) for each in runners]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _shard(bot: CardBot, guild_id: int) -> int:
    return (guild_id >> 22) % (bot.shard_count or 1)


async def _take_up(house: App) -> None:
    """Go on where the last process ended."""
    try:
        await house.clock.start()
        await house.painter.reconcile()
    except Declined as declined:
        _log.warning("what was left could not be taken up", why=declined.why.value)
