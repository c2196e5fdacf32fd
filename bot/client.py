"""The Discord client: which pictures it may show where, and what it does when it joins or leaves servers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import discord
import structlog

from bot.paced_bot import PacedBot
from bot.shards import Shards, shard_of
from cogs.direct_answers import DirectAnswers
from cogs.open_hands import OpenHands
from cogs.rate_limit import Kind, RateLimit
from cogs.replies import AnswerCounts, PendingClicks, RefusedAnswers
from cogs.screens.formatter import FaceEmojis
from cogs.topics import OpenThread
from tables.services import Declined, Tables

_log = structlog.get_logger(__name__)


class CardBot(PacedBot):
    """The client with everything that the topics need (`cogs.interactions.Client`)."""

    hands: OpenHands
    retry_in: Callable[[int], None]
    open_thread: OpenThread
    direct: DirectAnswers | None = None

    def __init__(self, tables: Tables, shards: Shards, *, pictures: bool = True) -> None:
        """`pictures` allows pictures of tables."""
        super().__init__(shards)
        self.tables, self.pictures = tables, pictures
        self.faces = FaceEmojis()
        self.answers, self.pending, self.refused = AnswerCounts(), PendingClicks(), RefusedAnswers()
        self.allows: Callable[[int, Kind], bool] = lambda _who, _kind: True  # `RateLimit.allows`, if clicks are limited
        self.blocked = set[int]()  # tables whose message AutoMod blocks
        self._missed, self._caught_up = 0, -1  # server events that were not stored; as many when it caught up last

    def prepare_for_clicks(self, *, pause_workers: Callable[[], None]) -> None:
        """Limit clicks and answer them directly, as only the real process does; each calls `pause_workers` first."""
        self.allows, self.direct = RateLimit().allows, DirectAnswers(self.discord_errors)
        self.pending.on_begin = pause_workers

    def use_faces(self, faces: FaceEmojis) -> None:
        """Show cards as these emojis from now on."""
        self.faces = faces

    def shard_of(self, guild_id: int) -> int:
        """The shard of a server. The number of shards is known only once the bot is connected."""
        return shard_of(guild_id, self.shard_count or 1)

    def locale_of(self, guild_id: int) -> str:
        """The language set for a server on Discord."""
        guild = self.get_guild(guild_id)
        return guild.preferred_locale.value if guild else discord.Locale.american_english.value

    def may_show_pictures(self, guild_id: int, channel_id: int) -> bool:
        """Whether the bot draws pictures and, as far as is known, may attach files in a channel."""
        if not self.pictures:
            return False
        guild = self.get_guild(guild_id)
        channel = guild.get_channel_or_thread(channel_id) if guild else None
        if not (guild and guild.me and channel) or (isinstance(channel, discord.Thread) and channel.parent is None):
            return True
        return channel.permissions_for(guild.me).attach_files

    async def on_ready(self) -> None:
        """Discord may send this more than once, so everything here is idempotent."""
        _log.info("ready", servers=len(self.guilds), shards=len(self.shards))
        await self._safely(self._catch_up())

    async def _catch_up(self) -> None:
        missed = self._missed  # more may be missed meanwhile
        if await self.tables.servers.catch_up(self.get_guild):
            self._missed += 1
        self._caught_up = missed

    async def upkeep(self) -> None:
        """Delete expired data, once it is noted which servers the bot has left or is back in."""
        await self.wait_until_ready()
        if self._caught_up != self._missed:
            await self._catch_up()
        await self.tables.servers.upkeep(self.get_guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was invited, perhaps again."""
        _log.info("joined a server", guild=guild.id)
        await self._tell_outage(guild)  # the end of an outage may come as an invitation
        await self._safely(self.tables.servers.joined(guild.id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed, or the server deleted. discord.py does not call this for an outage."""
        _log.info("left a server", guild=guild.id)
        await self._tell_outage(guild)
        await self._safely(self.tables.servers.removed(guild.id))

    async def _tell_outage(self, guild: discord.Guild) -> None:
        """An outage of a server begins or ends; at the start, discord.py also calls this for each server."""
        here = self.get_guild(guild.id)  # None if the bot was removed; another object if it was invited again
        self.dispatch("server_lost" if here and here.unavailable else "server_back", self.shard_of(guild.id), guild.id)

    on_guild_available = on_guild_unavailable = _tell_outage

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel was deleted, and its table with it."""
        await self._safely(self.tables.servers.channel_gone(channel.guild.id, channel.id))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread was deleted, and its table with it."""
        await self._safely(self.tables.servers.thread_gone(payload.guild_id, payload.thread_id))

    async def on_thread_remove(self, thread: discord.Thread) -> None:
        """Forget a thread that the bot was removed from, unless it still sees it: `bot_here` asks what is known."""
        me = thread.guild.me  # None where Discord has not said what the bot is in the server
        if thread.is_private() and not (thread.parent and me and thread.permissions_for(me).manage_threads):
            thread.guild._remove_thread(thread)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    async def _safely(self, doing: Awaitable[None]) -> None:
        try:
            await doing
        except Exception as error:
            self._missed += 1
            if not isinstance(error, Declined):
                raise
            _log.warning("a server event was declined", why=error.words)
