"""The bot as Discord sees it: which events it wants, what it does when servers come and go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeAlias, cast

import discord
import structlog
from discord.ext import commands

from bot.outage import Outages
from bot.registering import HOW, differences
from cogs.open_hands import Hands
from cogs.rate_limit import RateLimit
from cogs.replies import AnswerCounts
from cogs.screens.formatter import Faces
from tables import Tables
from tables.snapshots import Declined

discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # the bot has no voice
Sync: TypeAlias = Literal["always", "never"]
_log = structlog.get_logger(__name__)


class CardBot(commands.AutoShardedBot):
    """Slash commands and buttons only: the one intent is guilds."""

    def __init__(
        self,
        tables: Tables,
        *,
        sync: Sync = "never",
        shard_count: int | None = None,
        shard_ids: tuple[int, ...] | None = None,
    ) -> None:
        """`sync`: whether a start registers the commands, as make-believe worlds want it, or only compares them."""
        super().__init__(
            command_prefix=commands.when_mentioned,  # messages are never received; anything else is warned about
            help_command=None,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
            shard_count=shard_count,
            shard_ids=cast(
                "list[int]", list(shard_ids) if shard_ids else None
            ),  # discord.py takes None, its types do not
        )
        self.tables = tables
        self.faces = Faces()
        self.answers = AnswerCounts()
        self.rate_limit: RateLimit | None = None
        self.hands: Hands | None = None
        self._sync = sync
        self.outages: Outages | None = None
        self.pacing: Callable[[int], Awaitable[None]] | None = None

    async def setup_hook(self) -> None:
        """Say where the commands are not those that were registered."""
        if self._sync == "always":
            await self.tree.sync()
        elif await differences(self, self.tables):
            _log.warning("the commands are not those that Discord has", what_to_do=HOW)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until this shard may introduce itself: Discord wants five seconds between two of a bot."""
        if self.pacing is not None:
            await self.pacing(shard_id or 0)
        else:
            await super().before_identify_hook(shard_id, initial=initial)

    def locale_of(self, guild_id: int) -> str:
        """The language that a server has on Discord."""
        guild = self.get_guild(guild_id)
        return guild.preferred_locale.value if guild else discord.Locale.american_english.value

    async def on_ready(self) -> None:
        """May come more than once: what is done here may be done again."""
        _log.info("ready", servers=len(self.guilds), shards=self.shard_count or 1)
        await self._safely(self.tables.compare({guild.id for guild in self.guilds}))

    async def on_shard_disconnect(self, shard_id: int) -> None:
        """A connection was lost; discord.py is about to make another."""
        if self.outages is not None and not self.is_closed():
            self.outages.begin(shard_id)

    async def on_shard_ready(self, shard_id: int) -> None:
        """A connection begins anew."""
        if self.outages is not None:
            await self.outages.end(shard_id)

    async def on_shard_resumed(self, shard_id: int) -> None:
        """A connection goes on where it was lost."""
        if self.outages is not None:
            await self.outages.end(shard_id)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """The bot was invited, perhaps again."""
        await self._safely(self.tables.joined(guild.id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed, or the server deleted. An outage of Discord does not come here."""
        await self._safely(self.tables.removed(guild.id))

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel is gone, and its table with it."""
        await self._safely(self.tables.channel_gone(channel.guild.id, channel.id))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread is gone, and its table with it."""
        await self._safely(self.tables.channel_gone(payload.guild_id, payload.thread_id))

    async def _safely(self, doing: Any) -> None:
        try:
            await doing
        except Declined as declined:
            _log.warning("an event of a server was declined", why=declined.why.value)
