"""The client as far as it concerns Discord alone: the pace at which shards begin sessions, and requests that fail.

Knows nothing about tables, clicks or the database.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, Final, cast

import aiohttp
import discord
import structlog
from discord.ext import commands

from bot.shards import IDENTIFY_EVERY, Shards, shard_of
from cogs.responder import Sleep, readable, within

LOW: Final = 0.1
"""Below this share of a day's sessions, the bot waits before each new one. At zero Discord resets the token."""
TO_ASK: Final = 10.0
"""Seconds that Discord has to say how many sessions are left."""
TO_CONNECT: Final = 2.0
"""How many seconds before its `IDENTIFY` a shard opens its connection."""
OUTAGES_APART: Final = 60.0
"""Seconds between two outages of Discord that are logged."""
_TOO_MANY, _SERVER_ERROR = 429, 500
QUIET: Final = 10.0
"""Seconds without a failed attempt after which an outage is over: often only some of the requests fail."""
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # the bot has no voice
_log = structlog.get_logger(__name__)


class Outages:
    """Logs when Discord begins to fail and when it works again, at most every `OUTAGES_APART` seconds."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._warned_at = -OUTAGES_APART
        # Of the outage that lasts now: when it began, when an attempt failed last, and how many have failed.
        self._began_at, self._last_failure_at, self._failures = math.inf, -math.inf, 0

    def heard(self, status: int) -> None:
        """Note the status of an answer."""
        now = self._monotonic()
        if status >= _SERVER_ERROR:
            self._began_at = min(self._began_at, now)
            self._last_failure_at = now
            self._failures += 1
            is_logged = self._began_at <= self._warned_at
            if not is_logged and now >= self._warned_at + OUTAGES_APART:
                self._warned_at = now
                _log.warning(f"Discord answers with status {status}, trying again")
        elif now >= self._last_failure_at + QUIET:
            if self._began_at <= self._warned_at:  # that it began was logged
                seconds = self._last_failure_at - self._began_at
                attempts = "1 attempt" if self._failures == 1 else f"{self._failures} attempts"
                _log.info(f"Discord works again after {seconds:.0f} s ({attempts} failed)")
            self._began_at, self._failures = math.inf, 0


class PacedBot(commands.AutoShardedBot):
    """A client whose shards wait for their turn to begin a session, and which counts the requests that fail."""

    take_slot: Callable[[int], Awaitable[float]] | None = None
    """Waits until any process may let a shard of this group identify; returns the seconds that are left until then."""
    is_serving: Callable[[], bool] = staticmethod(lambda: True)
    trouble: Callable[[], str] = staticmethod(str)
    """Why this process cannot renew its lease; empty if it can."""
    sleep: Sleep = staticmethod(asyncio.sleep)
    max_concurrency: int = 1
    _remaining, _reset_at = 0, 0.0

    def __init__(self, shards: Shards) -> None:
        """It uses only slash commands and components, so `guilds` is its only intent."""
        trace = aiohttp.TraceConfig()
        trace.on_request_end.append(self._count_error)
        super().__init__(
            command_prefix=commands.when_mentioned,  # unused, but discord.py warns about any other prefix
            help_command=None,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            http_trace=trace,
            shard_count=shards.count or None,
            shard_connect_timeout=None,  # every step has its own timeout, and waiting for a session may take long
            shard_ids=cast("list[int]", list(shards.ids) or None),  # None means all; the stubs omit it
        )
        self.takes_all_shards = not shards.count  # as many as Discord says when asked at the start
        self.discord_errors = Counter[int]()  # by HTTP status
        self._outages = Outages()
        self._turns = dict[int | None, asyncio.Future[float]]()
        self._held_back = set[int]()
        parsers = self._connection.parsers
        self._parse_ready, parsers["READY"] = parsers["READY"], self._begun

    def _begun(self, data: Any) -> None:
        """Begin a session, and forget the servers that are no longer listed: they have removed the bot meanwhile."""
        self._parse_ready(data)
        (shard, count), listed = data["shard"], {int(each["id"]) for each in data["guilds"]}
        for guild in self.guilds:
            if shard_of(guild.id, count) == shard and guild.id not in listed:
                self._connection.parsers["GUILD_DELETE"]({"id": guild.id})

    async def _count_error(
        self, _session: aiohttp.ClientSession, context: SimpleNamespace, end: aiohttp.TraceRequestEndParams
    ) -> None:
        """Count refused requests, also retried ones; set the event that a limited one brings along; log outages."""
        if not end.response.ok:
            self.discord_errors[end.response.status] += 1
        is_global = end.response.headers.get("X-RateLimit-Scope") == "global"
        if context.trace_request_ctx and end.response.status == _TOO_MANY and not is_global:
            context.trace_request_ctx.set()
        if end.url.scheme.startswith("http"):  # not the gateway, which is told of elsewhere
            self._outages.heard(end.response.status)

    async def wait_for_turn(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until a shard may open a connection for a new session.

        The shard waits without a connection, because an idle one is closed after a minute. discord.py also cancels this
        call after a minute and starts it again, so the turn is a task of its own, which keeps its place in the queue.
        """
        if shard_id not in self._turns or self._turns[shard_id].done():
            turn = self._turns[shard_id] = asyncio.ensure_future(self._turn(shard_id or 0, initial=initial))
            turn.add_done_callback(lambda done: done.cancelled() or done.exception())  # mark its error as retrieved
        done, _ = await asyncio.wait({self._turns[shard_id]})  # `shield` would have Python 3.14 log a later failure
        done.pop().result()

    async def _turn(self, shard_id: int, *, initial: bool) -> float:
        """Wait until `TO_CONNECT` seconds before a shard may send `IDENTIFY`; return the monotonic time when it may."""
        if not initial and shard_id not in self._held_back:  # at the start the bot has already asked
            await self.hold_back()
            self._held_back.add(shard_id)
        seconds = 0.0 if initial else IDENTIFY_EVERY
        if self.take_slot is not None:
            seconds = await self.take_slot(shard_id % self.max_concurrency)
        identifies_at = time.monotonic() + seconds
        await self.sleep(max(0.0, seconds - TO_CONNECT))
        return identifies_at

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        """Wait for the rest of the time until this shard, which has waited for its turn, may send `IDENTIFY`."""
        self._held_back.discard(shard_id or 0)
        await self.sleep(max(0.0, self._turns[shard_id].result() - time.monotonic()))

    async def close(self) -> None:
        """Disconnect, and cancel all waiting shards."""
        for turn in self._turns.values():
            turn.cancel()
        await super().close()

    async def hold_back(self) -> None:
        """Ask how many new sessions are left today; if they are few, wait so that they last for the day.

        `aiohttp.ClientError`, `TimeoutError` or `discord.GatewayNotFound` if Discord cannot be reached.
        """
        with readable():
            async with within(TO_ASK, self.http):
                left = await self.fetch_session_start_limits()
        self._remaining, self.max_concurrency = left.remaining, max(1, left.max_concurrency)
        self._reset_at = time.monotonic() + left.reset_after / 1000
        if left.remaining < LOW * left.total:
            seconds = left.reset_after / 1000 / max(1, left.remaining)
            _log.warning("few new sessions are left today, waiting", left=left.remaining, seconds=seconds)
            await self.sleep(seconds)

    @property
    def identifies_remaining(self) -> int | None:
        """How many new sessions were left when last asked; None if Discord's limit has been reset since."""
        return self._remaining if time.monotonic() < self._reset_at else None
