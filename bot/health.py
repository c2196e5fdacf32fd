"""The health pages: `/livez`, `/readyz`, `/metrics`. They say nothing about people or games."""

from __future__ import annotations

import asyncio
import errno
import logging
import math
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Info, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from bot import __version__
from bot.clock import Clock
from bot.paced_bot import PacedBot
from bot.painter import Painter
from cogs.drawing_pool import left_out
from cogs.replies import AnswerCounts
from data.errors import StoreError
from data.store import Store
from tables.services import Tables

ANSWERS_WITHIN: Final = 1.0
"""Seconds within which the database must answer to count as up."""
ANSWERED_WITHIN: Final = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
"""Buckets of the histogram of answers, in seconds; Discord gives up after three."""
MOST_CONNECTIONS: Final = 64
"""How many connections to the pages stay open."""
_RECONNECTS: Final = ("discord.shard", "discord.gateway")
"""Loggers whose errors are lost connections, which are no bugs and are not counted."""


class Errors(logging.Handler):
    """Counts logged errors."""

    def __init__(self, counter: Counter) -> None:
        super().__init__(logging.ERROR)
        self._counter = counter

    def emit(self, record: logging.LogRecord) -> None:
        """Count an error, except for lost connections."""
        if not record.name.startswith(_RECONNECTS):
            self._counter.inc()


class Health:
    """The state of the process. Changes are counted from when this object is created."""

    def __init__(
        self, store: Store, tables: Tables, painter: Painter, clock: Clock, bot: PacedBot, answers: AnswerCounts
    ) -> None:
        self._store, self._tables, self._bot = store, tables, bot
        self._painter, self._clock, self._answers = painter, clock, answers
        self._database_up = False
        self.registry = registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=registry)
        Info("shithead_build", "The version that runs.", registry=registry).info({"version": __version__})
        self.errors = Errors(Counter("shithead_errors", "Errors in the log.", registry=registry))
        changes = Counter("shithead_changes", "Changes of tables to be shown.", registry=registry)
        tables.listeners.append(lambda changed: changes.inc(changed.news))
        meaning = "Seconds from a click to its answer."
        answers.took = Histogram("shithead_answer_seconds", meaning, buckets=ANSWERED_WITHIN, registry=registry).observe
        registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """The current values of all metrics but those that the constructor registers."""
        answers = self._answers
        counted = (
            ("shithead_answers_undelivered", "Answers that did not arrive.", answers.undelivered),
            ("shithead_answers_put_off", "Clicks whose answer was deferred.", answers.deferred),
            ("shithead_clicks_dropped", "Clicks dropped because they had waited too long.", answers.dropped),
            ("shithead_clicks_refused", "Clicks of people who click too fast.", answers.too_fast),
            ("shithead_pictures_failed", "Pictures and films that were left out.", left_out.total()),
        )
        yield from (CounterMetricFamily(name, help_text, value=count) for name, help_text, count in counted)
        numbers = (
            ("shithead_tables_waiting", "Tables with a scheduled deadline.", self._clock.waiting),
            ("shithead_tables_cached", "Tables held in memory.", self._tables.cached),
            ("shithead_tables_undrawn", "Public messages that are not up to date.", self._painter.behind),
            ("shithead_tables_in_trouble", "Tables that the bot may not draw.", self._painter.forbidden),
            ("shithead_tables", "Tables in use.", self._clock.table_count),
            ("shithead_servers", "Servers that the bot is in.", len(self._bot.guilds)),
            ("shithead_database_up", "1 if the database answers and accepts writes.", self._database_up),
            ("shithead_shards_served", "Shards that are connected.", self._count_connected()),
            ("shithead_shard_count", "Shards over all processes.", self._bot.shard_count or 0),
            ("shithead_ready", "1 if all shards are connected.", self._is_connected()),
        )
        for name, help_text, number in numbers:
            yield GaugeMetricFamily(name, help_text, value=float(number))
        yield from self._labelled()

    def _is_connected(self) -> bool:
        """Whether all shards are connected. `is_ready` alone stays true once it was."""
        return self._bot.is_ready() and self._count_connected() == len(self._bot.latencies)

    def _count_connected(self) -> int:
        return sum(math.isfinite(seconds) for _, seconds in self._bot.latencies)

    def _labelled(self) -> Iterator[Metric]:
        """The metrics with labels, and the number of remaining sessions, which is not always known."""
        errors = CounterMetricFamily("shithead_discord_errors", "Requests that Discord refused.", labels=["status"])
        for status, count in self._bot.discord_errors.items():
            errors.add_metric([str(status)], count)
        yield errors
        left = self._bot.identifies_remaining
        yield GaugeMetricFamily("shithead_identifies_remaining", "New sessions that Discord allows.", value=left)
        latency = GaugeMetricFamily("shithead_latency_seconds", "Last heartbeat of a shard.", labels=["shard"])
        for shard, seconds in self._bot.latencies:
            latency.add_metric([str(shard)], seconds if math.isfinite(seconds) else -1.0)
        yield latency

    async def faults(self) -> list[str]:
        """Why the process is not ready to play; empty when it is."""
        faults: list[str] = []
        if self._tables.is_closing:
            faults.append("closing")
        if not self._is_connected():
            faults.append("not connected to Discord")
        if self._painter.is_refused:
            faults.append("Discord refuses requests for the moment")
        if trouble := await self._database_trouble():
            faults.append(trouble)
        elif not self._tables.is_closing and not self._bot.is_serving():  # at its end it gives its lease back
            faults.append(self._bot.trouble() or "another process has the shards, or the database accepts no writes")
        return faults

    async def _database_trouble(self) -> str:
        """Why the database does not answer, or is known to be damaged; empty if all is well."""
        try:
            async with asyncio.timeout(ANSWERS_WITHIN):
                await self._store.ping()
        except (StoreError, TimeoutError) as error:
            return str(error) or "the database does not answer in time"
        return self._store.database.damage

    async def livez(self, _request: web.BaseRequest) -> web.Response:
        """200 as long as the process answers at all."""
        return web.Response(text="alive\n")

    async def readyz(self, _request: web.BaseRequest) -> web.Response:
        """200 if people can play, otherwise 503 with the reasons, one per line."""
        faults = await self.faults()
        return web.Response(text="\n".join(faults or ["ready"]) + "\n", status=503 if faults else 200)

    async def metrics(self, _request: web.BaseRequest) -> web.Response:
        """All metrics in Prometheus' text format."""
        # A ping is a read; without its lease, or if that is late, the process cannot write.
        self._database_up = not await self._database_trouble() and self._bot.is_serving()
        return web.Response(body=generate_latest(self.registry), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a record is about more than a request that is no HTTP, as port scanners send."""
    return not (record.exc_info and isinstance(record.exc_info[1], HttpProcessingError))


class _FewConnections(web.Server):
    """A server that closes its oldest connection when it has too many."""

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        """Take a new connection. Many idle ones would leave the bot no file to open."""
        super().connection_made(handler, transport)
        for oldest in self.connections[:-MOST_CONNECTIONS]:  # one that is closed leaves the list only later
            oldest.force_close()


@asynccontextmanager
async def served(health: Health, port: int, host: str = "127.0.0.1") -> AsyncGenerator[int]:
    """Serve the pages within the block, at an address of this machine and a port (0: any free one); yields the port.

    `OSError` if the port is taken, or the address is not one of this machine.
    """
    # Not an `Application`, because that makes a server of its own class.
    pages = {"/livez": health.livez, "/readyz": health.readyz, "/metrics": health.metrics}

    async def page(request: web.BaseRequest) -> web.Response:
        if request.method not in {"GET", "HEAD"}:
            raise web.HTTPMethodNotAllowed(request.method, ("GET", "HEAD"))
        if request.path not in pages:
            raise web.HTTPNotFound
        return await pages[request.path](request)

    runner = web.ServerRunner(_FewConnections(page, access_log=None))
    await runner.setup()
    logging.getLogger("aiohttp.server").addFilter(_is_ours)
    logging.getLogger().addHandler(health.errors)
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise OSError(_why_not_served(error, port, host)) from error
        yield int(runner.addresses[0][1])
    finally:
        logging.getLogger().removeHandler(health.errors)
        await runner.cleanup()


def _why_not_served(error: OSError, port: int, host: str) -> str:
    if error.errno in {errno.EADDRNOTAVAIL, None}:  # None from Python 3.13 on
        return f"HEALTH_HOST {host} is not an address of this machine: use 127.0.0.1 or 0.0.0.0"
    why = str(error.strerror or error).lower()
    if error.errno == errno.EADDRINUSE:
        why = "address already in use (by a bot? end it first, or choose another port)"
    return f"HEALTH_PORT {port} at HEALTH_HOST {host} cannot be used: {why}"
