"""The bot's client: which events it asks for, and what it does when it joins or leaves servers."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Final, cast

import aiohttp
import discord
import structlog
from discord.ext import commands

from bot.shards import Shards, shard_of
from bot.threads import Threads
from cogs.open_hands import Hands
from cogs.rate_limit import RateLimit
from cogs.replies import AnswerCounts, PendingClicks
from cogs.screens.formatter import Faces
from tables.services import Declined, Tables

LOW: Final = 0.1
"""Below this share of a day's introductions of shards the bot waits between them. At none Discord resets the token."""
IDENTIFY_EVERY: Final = 5.1
"""Seconds between two shards of a group that identify themselves, in all processes: Discord takes one in five."""
TO_CONNECT: Final = 2.0
"""Seconds before its introduction at which a shard connects."""
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # the bot has no voice
_log = structlog.get_logger(__name__)


@contextmanager
def readable() -> Generator[None]:
    """Raise `aiohttp.ClientPayloadError` at an answer that discord.py cannot read: something in between gave it."""
    try:
        yield
    except OSError:  # a refused certificate is a ValueError too, and says itself what is wrong
        raise
    except (KeyError, TypeError, ValueError) as error:
        _log.debug("what cannot be read", exc_info=True)  # or, if it is no answer at all, where to look
        raise aiohttp.ClientPayloadError from error


class CardBot(commands.AutoShardedBot):
    """Slash commands and buttons only: the one intent is guilds."""

    rate_limit: RateLimit | None = None
    hands: Hands | None = None
    threads: Threads | None = None
    pacing: Callable[[int], Awaitable[float]] | None = None
    sleep: Callable[[float], Awaitable[None]] = staticmethod(asyncio.sleep)
    _remaining, _reset_at = 0, 0.0
    max_concurrency: int = 1

    def __init__(
        self,
        tables: Tables,
        shards: Shards,
        *,
        pictures: bool = True,
        commands_loaded: Callable[[CardBot], Awaitable[object]] | None = None,
    ) -> None:
        """With `pictures` tables may be shown so. `commands_loaded` is awaited at every start, before connecting."""
        shard_ids = cast("list[int]", list(shards.ids) if shards.ids else None)  # None is all, but not to its types
        trace = aiohttp.TraceConfig()
        trace.on_request_end.append(self._count_error)
        super().__init__(
            command_prefix=commands.when_mentioned,  # messages are never received; anything else is warned about
            help_command=None,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            http_trace=trace,
            shard_count=shards.count or None,
            shard_connect_timeout=None,  # every step has a limit of its own, and holding back may take long
            shard_ids=shard_ids,
        )
        self.tables, self.pictures = tables, pictures
        self.faces, self.answers, self.pending = Faces(), AnswerCounts(), PendingClicks()
        self.blocked, self.discord_errors = set[int](), Counter[int]()
        self.is_serving: Callable[[], bool] = lambda: True
        self.commands_loaded = commands_loaded
        self._turns, self._held_back = dict[int | None, asyncio.Future[float]](), set[int]()

    async def _count_error(
        self, _session: aiohttp.ClientSession, _context: SimpleNamespace, end: aiohttp.TraceRequestEndParams
    ) -> None:
        """Count what Discord refuses, also if discord.py tries it again by itself."""
        if not end.response.ok:
            self.discord_errors[end.response.status] += 1

    async def setup_hook(self) -> None:
        """Hand the commands on before the bot connects."""
        if self.commands_loaded is not None:
            await self.commands_loaded(self)

    async def wait_for_turn(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until a shard may connect to introduce itself.

        It has no connection meanwhile, for one ends after a minute in which nobody listens to it. discord.py gives all
        of this a minute, too, and begins anew: so that the shard keeps its place in the line, its turn stays awaited.
        """
        if shard_id not in self._turns or self._turns[shard_id].done():
            turn = self._turns[shard_id] = asyncio.ensure_future(self._turn(shard_id or 0, initial=initial))
            turn.add_done_callback(lambda done: done.cancelled() or done.exception())  # perhaps nobody waits any more
        await asyncio.shield(self._turns[shard_id])

    async def _turn(self, shard_id: int, *, initial: bool) -> float:
        """The monotonic time from which on a shard may introduce itself, `TO_CONNECT` seconds before it."""
        if not initial and shard_id not in self._held_back:  # the first of a start has asked before
            await self.hold_back()
            self._held_back.add(shard_id)
        apart = 0.0 if initial else IDENTIFY_EVERY
        seconds = await self.pacing(shard_id % self.max_concurrency) if self.pacing else apart
        begins = time.monotonic() + seconds
        await self.sleep(max(0.0, seconds - TO_CONNECT))
        return begins

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        """Wait for what is left of the time until this shard, which has waited for its turn, may introduce itself."""
        self._held_back.discard(shard_id or 0)
        await self.sleep(max(0.0, self._turns[shard_id].result() - time.monotonic()))

    async def close(self) -> None:
        """Leave Discord; no shard waits for its turn any more."""
        for turn in self._turns.values():
            turn.cancel()
        await super().close()

    async def hold_back(self) -> None:
        """Ask how many introductions of shards are left; if they are few, wait so long that they last.

        Raises:
            aiohttp.ClientError, TimeoutError, discord.GatewayNotFound: Discord is not reached.
        """
        with readable():
            left = await self.fetch_session_start_limits()
        self._remaining, self.max_concurrency = left.remaining, max(1, left.max_concurrency)
        self._reset_at = time.monotonic() + left.reset_after / 1000
        if left.remaining < LOW * left.total:
            seconds = left.reset_after / 1000 / max(1, left.remaining)
            _log.warning("few introductions of shards are left, holding back", left=left.remaining, seconds=seconds)
            await self.sleep(seconds)

    @property
    def identifies_remaining(self) -> int | None:
        """How many introductions of shards were left at the last one; None if Discord has begun anew since."""
        return self._remaining if time.monotonic() < self._reset_at else None

    def shard_of(self, guild_id: int) -> int:
        """The shard of a server; how many there are is known when the bot is connected."""
        return shard_of(guild_id, self.shard_count or 1)

    def locale_of(self, guild_id: int) -> str:
        """The language that a server has on Discord."""
        guild = self.get_guild(guild_id)
        return guild.preferred_locale.value if guild else discord.Locale.american_english.value

    def may_show_pictures(self, guild_id: int, channel_id: int) -> bool:
        """Whether this bot draws pictures and Discord, as far as is known, lets the bot attach files in a channel."""
        if not self.pictures:
            return False
        guild = self.get_guild(guild_id)
        channel = guild.get_channel_or_thread(channel_id) if guild else None
        if guild is None or channel is None or (isinstance(channel, discord.Thread) and channel.parent is None):
            return True
        return channel.permissions_for(guild.me).attach_files

    async def on_ready(self) -> None:
        """May come more than once: what is done here may be done again."""
        _log.info("ready", servers=len(self.guilds), shards=self.shard_count or 1)
        await self._safely(self.tables.servers.compare({guild.id for guild in self.guilds}))

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was invited, perhaps again."""
        await self._safely(self.tables.servers.joined(guild.id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed, or the server deleted. An outage of Discord does not come here."""
        await self._safely(self.tables.servers.removed(guild.id))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is gone, and its table with it."""
        await self._safely(self.tables.servers.channel_gone(channel.guild.id, channel.id))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread is gone, and its table with it."""
        await self._safely(self.tables.servers.channel_gone(payload.guild_id, payload.thread_id))

    async def _safely(self, doing: Awaitable[object]) -> None:
        try:
            await doing
        except Declined as declined:
            _log.warning("an event of a server was declined", why=declined.why.value)
