"""The health pages on localhost: `/livez`, `/readyz`, `/metrics`. They tell numbers, never who plays what."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Final

import discord
from aiohttp import web
from prometheus_client import CollectorRegistry, Counter, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from bot.clock import Clock
from bot.painter import Painter
from cogs.replies import AnswerCounts
from data.errors import StoreError
from data.store import Store
from tables import Changed, Tables

HOST: Final = "127.0.0.1"
ANSWERS_WITHIN: Final = 1.0
"""Seconds in which the database must answer to count as there."""


class Health:
    """The state of the process; changes are counted from when it is made."""

    def __init__(
        self,
        store: Store,
        tables: Tables,
        painter: Painter,
        clock: Clock,
        bot: discord.AutoShardedClient,
        answers: AnswerCounts,
    ) -> None:
        self._store, self._tables, self._painter, self._clock = store, tables, painter, clock
        self._bot, self._answers = bot, answers
        self.registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)
        self._changes = Counter("shithead_changes", "Changes that were stored and told.", registry=self.registry)
        self.registry.register(self)
        tables.listeners.append(self._count)

    def _count(self, changed: Changed) -> None:
        self._changes.inc(changed.news)

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        """The numbers, as they are now."""
        answers = self._answers
        counted = (
            ("shithead_answers_late", "First answers that came too late for Discord.", answers.late),
            ("shithead_answers_put_off", "Clicks that took so long that Discord was told to wait.", answers.put_off),
            ("shithead_clicks_refused", "Clicks of people who click too fast.", answers.refused),
        )
        for name, help_text, count in counted:
            yield CounterMetricFamily(name, help_text, value=count)
        numbers: tuple[tuple[str, str, Callable[[], float]], ...] = (
            ("shithead_tables_waiting", "Tables that the clock will look at.", lambda: self._clock.waiting),
            ("shithead_tables_cached", "Tables held in memory.", lambda: self._tables.cached),
            ("shithead_tables_undrawn", "Public messages that are not up to date.", lambda: self._painter.behind),
            ("shithead_tables_in_trouble", "Tables that Discord does not let us show.", lambda: self._painter.troubled),
            ("shithead_ready", "1 when all shards are connected.", lambda: float(self._bot.is_ready())),
        )
        for name, help_text, number in numbers:
            yield GaugeMetricFamily(name, help_text, value=number())
        latency = GaugeMetricFamily("shithead_latency_seconds", "Last heartbeat of a shard.", labels=["shard"])
        for shard, seconds in self._bot.latencies:
            latency.add_metric([str(shard)], seconds if math.isfinite(seconds) else -1.0)
        yield latency

    async def faults(self) -> list[str]:
        """Why the process is not ready to play; empty when it is."""
        found: list[str] = []
        if self._tables.is_closing:
            found.append("closing")
        if not self._bot.is_ready():
            found.append("not connected to Discord")
        if self._painter.is_refused:
            found.append("Discord refuses requests for the moment")
        try:
            async with asyncio.timeout(ANSWERS_WITHIN):
                await self._store.ping()
        except (StoreError, TimeoutError):
            found.append("the database does not answer")
        return found

    async def livez(self, _request: web.Request) -> web.Response:
        """200 as long as anything is answered at all."""
        return web.Response(text="alive\n")

    async def readyz(self, _request: web.Request) -> web.Response:
        """200 when the process can play, else 503 with the reasons, a line each."""
        faults = await self.faults()
        return web.Response(text="\n".join(faults or ["ready"]) + "\n", status=503 if faults else 200)

    async def metrics(self, _request: web.Request) -> web.Response:
        """All numbers in Prometheus' text format."""
        return web.Response(body=generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


@asynccontextmanager
async def served(health: Health, port: int) -> AsyncGenerator[int]:
    """Answer on a port of this machine (0: any free one) until the end of the block; the port.

    Raises:
        OSError: the port is taken.
    """
    app = web.Application()
    app.add_routes(
        [
            web.get("/livez", health.livez),
            web.get("/readyz", health.readyz),
            web.get("/metrics", health.metrics),
        ]
    )
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, HOST, port).start()
        yield int(runner.addresses[0][1])
    finally:
        await runner.cleanup()
