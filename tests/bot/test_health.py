"""What the outside is told: alive, ready or why not, and numbers without names."""

import asyncio
import collections
import logging
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from types import SimpleNamespace

import aiohttp
import pytest
from aiohttp import web
from prometheus_client import CollectorRegistry, Counter

from bot import __version__
from bot.clock import Clock
from bot.health import MOST_CONNECTIONS, Errors, Health, served
from bot.painter import Painter
from cogs.replies import AnswerCounts
from data.database import Database
from data.errors import UnusableError
from data.store import database_at
from testkit.offline import Offline, People
from testkit.waiting import HANG

try:
    import resource
except ModuleNotFoundError:
    resource = None

FILES = 1024
"""Enough for both ends of all connections that a test opens."""


class Connected:
    """A bot that is or is not connected."""

    def __init__(self):
        self.ready = self.serves = True
        self.answers = AnswerCounts(undelivered=4, deferred=5, too_fast=6, dropped=7)
        self.latencies = [(0, 0.05), (1, 0.06)]
        self.shard_count, self.guilds, self.discord_errors = 4, ["kitchen"], {429: 3}
        self.identifies_remaining: int | None = None
        self.trouble: Callable[[], str] = str

    def is_ready(self):
        return self.ready

    def is_serving(self):
        return self.serves


class Alive:
    errors = logging.NullHandler()

    async def livez(self, _):
        return web.Response(text="alive\n")

    readyz = metrics = livez


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a machine has one address of its own")
async def test_the_pages_are_where_the_host_wants_them():
    async with served(Alive(), 0, "127.0.0.2") as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.2:{port}/livez") as answer:
            assert answer.status == 200
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get(f"http://127.0.0.1:{port}/livez")


@pytest.fixture
def many_files():
    """Open files enough for hundreds of connections: some systems let a process have 256, unless it asks for more."""
    if resource is None:  # on Windows, which has no such limit
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = before
    if 0 <= soft < FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES if hard < 0 else min(FILES, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_connections_that_nothing_is_asked_on_take_no_more_files_than_a_few(many_files):
    async with served(Alive(), 0) as port, AsyncExitStack() as stack:
        opened = []
        for _ in range(3):  # bursts, of which the server takes many connections at a time
            opened += await asyncio.gather(*(asyncio.open_connection("127.0.0.1", port) for _ in range(90)))
        for _, writer in opened:
            stack.callback(writer.close)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        async with asyncio.timeout(HANG), session.get(f"http://127.0.0.1:{port}/livez") as answer:
            assert answer.status == 200
        reading = [asyncio.ensure_future(reader.read()) for reader, _ in opened]
        async with asyncio.timeout(HANG):
            while sum(each.done() for each in reading) < len(opened) + 1 - MOST_CONNECTIONS:
                await asyncio.wait([each for each in reading if not each.done()], return_when=asyncio.FIRST_COMPLETED)
        assert sum(not each.done() for each in reading) == MOST_CONNECTIONS - 1, "one is that of the request"
        for each in reading:
            each.cancel()


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/", 404), ("POST", "/livez", 405), ("HEAD", "/livez", 200)]
)
async def test_only_the_pages_are_served_and_they_can_only_be_read(method, path, status):
    async with served(Alive(), 0) as port, aiohttp.request(method, f"http://127.0.0.1:{port}{path}") as answer:
        assert answer.status == status


@dataclass
class Asked:
    """A process whose health pages can be asked for."""

    bot: "Connected"
    painter: Painter
    port: int
    session: aiohttp.ClientSession

    async def __call__(self, path):
        async with self.session.get(f"http://127.0.0.1:{self.port}{path}") as answer:
            return answer.status, await answer.text()


@pytest.fixture
async def ask(house: Offline, monkeypatch):
    painter = Painter(house.tables, None)
    clock = Clock(house.tables, now=house.time)
    house.tables.listeners += [painter.changed, clock.changed]
    bot = Connected()
    monkeypatch.setattr("bot.health.left_out", collections.Counter(tables=8))
    health = Health(house.store, house.tables, painter, clock, bot, bot.answers)

    async with served(health, 0) as port, aiohttp.ClientSession() as session:
        yield Asked(bot, painter, port, session)


async def test_a_process_is_alive_and_ready(ask: Asked):
    assert await ask("/livez") == (200, "alive\n")
    assert await ask("/readyz") == (200, "ready\n")
    assert (await ask("/"))[0] == 404


async def test_f19_f35_what_is_not_ready_says_why(house: Offline, ask: Asked):
    ask.bot.ready = False
    house.tables.close()
    ask.painter._broken_until = ask.painter._monotonic() + 60
    status, text = await ask("/readyz")
    assert status == 503
    assert text.splitlines() == ["closing", "not connected to Discord", "Discord refuses requests for the moment"]
    assert await ask("/livez") == (200, "alive\n")


async def test_a_process_that_gives_its_lease_back_at_its_end_blames_no_other(house: Offline, ask: Asked):
    ask.bot.serves = False
    assert await ask("/readyz") == (503, "another process has the shards, or the database accepts no writes\n")
    house.tables.close()
    assert await ask("/readyz") == (503, "closing\n")


@pytest.mark.parametrize("seconds", [float("nan"), float("inf")])
async def test_f12_a_process_that_lost_a_shard_is_not_ready(ask: Asked, seconds):
    assert "\nshithead_ready 1.0" in (await ask("/metrics"))[1]
    ask.bot.latencies[1] = (1, seconds)
    assert await ask("/readyz") == (503, "not connected to Discord\n")
    text = (await ask("/metrics"))[1]
    assert "\nshithead_ready 0.0" in text
    assert "\nshithead_shards_served 1.0" in text


async def test_numbers_are_told_without_names(house: Offline, people: People, ask: Asked):
    await house.game(*people[:2])
    status, text = await ask("/metrics")
    assert status == 200
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(lines["shithead_tables_waiting"]) == 1
    assert float(lines["shithead_tables_cached"]) == 1
    assert float(lines["shithead_tables_undrawn"]) == 1
    assert float(lines["shithead_changes_total"]) == 3
    assert float(lines["shithead_answers_undelivered_total"]) == 4
    assert float(lines["shithead_answers_put_off_total"]) == 5
    assert float(lines["shithead_clicks_refused_total"]) == 6
    assert float(lines["shithead_clicks_dropped_total"]) == 7
    assert float(lines["shithead_pictures_failed_total"]) == 8
    assert float(lines['shithead_latency_seconds{shard="0"}']) == 0.05
    assert float(lines["shithead_tables"]) == 1
    assert float(lines["shithead_servers"]) == 1
    assert float(lines["shithead_database_up"]) == 1
    assert float(lines["shithead_shards_served"]) == 2
    assert float(lines["shithead_shard_count"]) == 4
    assert float(lines['shithead_discord_errors_total{status="429"}']) == 3
    assert float(lines[f'shithead_build_info{{version="{__version__}"}}']) == 1
    assert "shithead_identifies_remaining" not in lines
    assert "Ann" not in text


async def test_tables_that_are_closed_do_not_count(house: Offline, people: People, ask: Asked):
    table = await house.lobby(people[0])
    await house.tables.lobby.leave(house.by(people[0], table))
    assert "\nshithead_tables 0.0" in (await ask("/metrics"))[1]


async def test_a_request_that_is_no_http_is_no_error(ask: Asked):
    reader, writer = await asyncio.open_connection("127.0.0.1", ask.port)
    writer.write(b"GET / HTTP/9.9\r\n\r\n")
    assert b"400 Bad Request" in await reader.read()
    writer.close()
    assert "\nshithead_errors_total 0.0" in (await ask("/metrics"))[1]


async def test_answers_errors_and_introductions_are_counted(ask: Asked):
    for seconds in (0.04, 0.2, 4.0):
        ask.bot.answers.took(seconds)
    ask.bot.identifies_remaining = 987
    for name in ("bot.painter", "aiohttp.server"):
        logging.getLogger(name).error("on purpose", exc_info=OSError("disk full"))
    logging.getLogger("bot.painter").warning("no error")
    _, text = await ask("/metrics")
    for line in (
        'shithead_answer_seconds_bucket{le="0.05"} 1.0',
        'shithead_answer_seconds_bucket{le="1.0"} 2.0',
        "shithead_answer_seconds_count 3.0",
        "shithead_errors_total 2.0",
        "shithead_identifies_remaining 987.0",
    ):
        assert f"\n{line}\n" in text


def test_a_connection_that_breaks_is_no_error():
    counter = Counter("errors", "", registry=CollectorRegistry())
    for name in ("discord.shard", "discord.gateway", "discord.client"):
        Errors(counter).handle(logging.LogRecord(name, logging.ERROR, "", 0, "on purpose", None, None))
    ((counted,), *_) = (each.samples[:1] for each in counter.collect())
    assert counted.value == 1


async def test_f35_a_database_that_does_not_answer_makes_it_unready(
    house: Offline, ask: Asked, postgres_that_is_gone: Database
):
    database, house.store.database = house.store.database, postgres_that_is_gone
    status, text = await ask("/readyz")
    assert (status, "refuses connections: is it running" in text) == (503, True)
    assert "\nshithead_database_up 0.0" in (await ask("/metrics"))[1]
    house.store.database = database


async def test_f35_a_database_in_which_somebody_met_damage_is_not_up_for_a_while_although_it_answers(
    house: Offline, ask: Asked, monkeypatch
):
    def damaged(_):
        error = sqlite3.DatabaseError("on purpose")
        error.sqlite_errorname = "SQLITE_CORRUPT"
        raise error

    with pytest.raises(UnusableError):
        await house.store.database.read(damaged)
    await house.store.ping()
    status, text = await ask("/readyz")
    assert (status, "is damaged: stop the bot and restore the newest backup" in text) == (503, True)
    assert "\nshithead_database_up 0.0" in (await ask("/metrics"))[1]
    met = time.monotonic()
    for after, status in ((580, 503), (600, 200)):
        later = SimpleNamespace(monotonic=lambda after=after: met + after)
        monkeypatch.setattr("data.database.time", later)
        assert (await ask("/readyz"))[0] == status, "docs/hosting.md says ten minutes"


async def test_f35_f52_a_process_that_cannot_renew_its_lease_is_not_ready(ask: Asked):
    """As on a full disk: what is asked there is still answered, but nothing can be written."""
    ask.bot.serves = False
    assert await ask("/readyz") == (503, "another process has the shards, or the database accepts no writes\n")
    ask.bot.trouble = lambda: "the file x cannot grow, the disk is full: make room"
    assert await ask("/readyz") == (503, "the file x cannot grow, the disk is full: make room\n")
    assert "\nshithead_database_up 0.0" in (await ask("/metrics"))[1]


@pytest.fixture
async def postgres_that_is_gone():
    """The database of a server that is not there."""
    database = database_at("postgresql://nobody@127.0.0.1:9/none")
    yield database
    await database.close()


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("10.255.255.1", "HEALTH_HOST 10.255.255.1 is not an address of this machine: use 127.0.0.1 or 0.0.0.0"),
        (
            "no.such.invalid",
            r"HEALTH_PORT 9 at HEALTH_HOST no.such.invalid cannot be used: (name or|temporary|no address) .*",
        ),
    ],
)
async def test_a_place_that_cannot_be_listened_at_is_a_sentence_with_its_settings(host, said):
    with pytest.raises(OSError, match=f"^{said}$"):
        async with served(Alive(), 9, host):
            pass


async def test_a_port_that_is_taken_may_be_taken_by_the_bot_itself():
    async with served(Alive(), 0) as port:
        with pytest.raises(OSError, match=r"already in use \(by a bot\? end it first, or choose another port\)$"):
            async with served(Alive(), port):
                pass
