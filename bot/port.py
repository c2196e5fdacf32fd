"""The public messages of channels on Discord: sending, editing, deleting, and what can go wrong with it.

Owns the translation of what discord.py raises into `PortError`s; knows neither tables nor the game.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import aiohttp
import discord

from cogs.prepared import Prepared

PATIENCE: Final = 30.0
"""Seconds after which a request counts as lost. discord.py waits for rate limits within them."""
UNKNOWN_CHANNEL, UNKNOWN_GUILD, UNKNOWN_MESSAGE = 10003, 10004, 10008
TOO_OLD, ARCHIVED, LOCKED, OVERLOADED = 30046, 50083, 160005, 130000
_SILENT: Final = discord.AllowedMentions.none()
T = TypeVar("T")


class PortError(Exception):
    """Discord did not do it."""


class MessageGoneError(PortError):
    """The message was deleted."""


class ChannelGoneError(PortError):
    """The channel or the server was deleted, or the bot was removed from it."""


class ForbiddenError(PortError):
    """The bot may not; `missing` names the permissions it lacks as Discord does, empty where that is not known."""

    def __init__(self, missing: tuple[str, ...] = ()) -> None:
        super().__init__(", ".join(missing))
        self.missing = missing


class TooOldError(PortError):
    """Too many edits of a message that is older than an hour."""


class OverloadedError(PortError):
    """Discord or the network fails: it may work in a moment."""


class BannedError(PortError):
    """Too many requests altogether: nothing works for a while."""


class Port:
    """Public messages by channel and message id; no message is kept in memory. Every method may raise a `PortError`."""

    def __init__(self, client: discord.Client) -> None:
        """Work with the requests of this client."""
        self._client = client
        self._nonces = itertools.count(time.time_ns() // 1000)

    async def send(self, channel_id: int, drawn: Prepared, *, ping: int | None = None) -> int:
        """Post a message; its id. `ping` is the one person whom it may mention.

        discord.py repeats a request that got no answer; the nonce keeps Discord from posting it twice.
        """
        mentions = discord.AllowedMentions(users=[discord.Object(ping)]) if ping else _SILENT
        channel, nonce = self._client.get_partial_messageable(channel_id), str(next(self._nonces))

        async def post() -> int:
            message = await channel.send(view=drawn, files=drawn.files(), allowed_mentions=mentions, nonce=nonce)
            return message.id

        async with self._translated(channel_id):
            return await self._awake(channel_id, post)
        raise AssertionError  # the block above returns or raises

    async def edit(self, channel_id: int, message_id: int, drawn: Prepared) -> None:
        """Draw a message anew."""
        message = self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

        async def draw() -> None:
            await message.edit(view=drawn, attachments=drawn.files(), allowed_mentions=_SILENT)

        async with self._translated(channel_id):
            await self._awake(channel_id, draw)

    async def delete(self, channel_id: int, message_id: int) -> None:
        """Delete a message."""
        async with self._translated(channel_id):
            await self._client.get_partial_messageable(channel_id).get_partial_message(message_id).delete()

    async def _awake(self, channel_id: int, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request; unarchive the thread first if it is archived."""
        try:
            return await request()
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
        await self._client.http.edit_channel(channel_id, archived=False)
        return await request()

    @asynccontextmanager
    async def _translated(self, channel_id: int) -> AsyncGenerator[None]:
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        except (OSError, TimeoutError, aiohttp.ClientError) as error:
            raise OverloadedError(type(error).__name__) from error
        except discord.RateLimited as error:
            raise BannedError from error
        except discord.HTTPException as error:
            raise self._port_error(error, channel_id) from error

    def _port_error(self, error: discord.HTTPException, channel_id: int) -> PortError:
        match error.status, error.code:
            case _, code if code == TOO_OLD:
                return TooOldError()
            case _, code if code in {UNKNOWN_CHANNEL, UNKNOWN_GUILD}:
                return ChannelGoneError()
            case _, code if code == UNKNOWN_MESSAGE:
                return MessageGoneError()
            case status, code if status == 403 or code in {ARCHIVED, LOCKED}:  # noqa: PLR2004 - forbidden
                return ForbiddenError(self._missing(channel_id))
            case 404, _:
                return ChannelGoneError()
            case 429, _:
                return BannedError()
            case status, code if status >= 500 or code == OVERLOADED:  # noqa: PLR2004 - Discord's own fault
                return OverloadedError(str(status))
            case status, code:
                return PortError(f"status {status}, code {code}")

    def _missing(self, channel_id: int) -> tuple[str, ...]:
        """What the bot lacks in a channel, as Discord calls it; empty where the channel is not known."""
        channel = self._client.get_channel(channel_id)
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return ()
        may = channel.permissions_for(channel.guild.me)
        in_thread = isinstance(channel, discord.Thread)
        sends = may.send_messages_in_threads if in_thread else may.send_messages
        wanted = {"View Channel": may.view_channel, "Send Messages in Threads" if in_thread else "Send Messages": sends}
        return tuple(name for name, granted in wanted.items() if not granted)
