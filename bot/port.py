"""The public messages of channels on Discord: sending, editing, deleting, and the errors of these.

Owns the translation of what discord.py raises into `PortError`s; knows neither tables nor the game.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, TypeAlias, TypeVar

import aiohttp
import discord
from discord.http import Route

from cogs.asker import Prepared, Request, what_happened, with_pictures

PATIENCE: Final = 30.0
"""Seconds after which a request counts as lost. discord.py waits for rate limits within them."""
ARCHIVED: Final = 50083
THREADED: Final = 160004
"""The message has a thread already."""
OVERLOADED: Final = 130000
MOST: Final = 9
"""Requests in any fifth of a second. Discord takes fifty a second of a bot, and does not count answers to clicks."""
TRIES: Final = 3
"""How often a request is made if Discord or the network fails."""
T = TypeVar("T")
Minutes: TypeAlias = Literal[1440, 10080]
_AS_ROUTES: Final = {"payload": "json", "multipart": "form", "files": "files"}
"""What discord.py calls the parts of a request that is no answer."""


class PortError(Exception):
    """Discord did not do it; `str` says why, in words for the log."""


class MessageGoneError(PortError):
    """The message was deleted."""


class ChannelGoneError(PortError):
    """The channel or the server was deleted, or the bot was removed; Discord says so by a code."""


class ForbiddenError(PortError):
    """The bot may not: a permission is missing. Which one, the next click says (`app_permissions`)."""


class BlockedError(PortError):
    """AutoMod of the server does not let these words through."""


class TooOldError(PortError):
    """Too many edits of a message that is older than an hour."""


class OverloadedError(PortError):
    """Discord or the network fails: it may work in a moment."""


class BannedError(PortError):
    """Too many requests altogether: nothing works for a while."""


async def insist(do: Callable[[], Awaitable[T]], sleep: Callable[[float], Awaitable[None]], stretch: float = 1.0) -> T:
    """Do it, tried `TRIES` times; the pauses between are a second and two, times `stretch`.

    Raises:
        PortError: it could not be done, or an `OverloadedError` came each time.
    """
    for attempt in range(TRIES - 1):
        try:
            return await do()
        except OverloadedError:
            await sleep(2**attempt * stretch)
    return await do()


class Port:
    """Public messages by channel and message id; no message is kept in memory. Every method may raise a `PortError`."""

    monotonic: Callable[[], float] = staticmethod(time.monotonic)
    sleep: Callable[[float], Awaitable[None]] = staticmethod(asyncio.sleep)

    def __init__(self, client: discord.Client) -> None:
        """Work with the requests of this client."""
        self._client, self._turn, self._begun = client, asyncio.Lock(), deque([0.0] * MOST, MOST)
        self._nonces = itertools.count(time.time_ns() // 1000)

    async def send(self, channel_id: int, drawn: Prepared, *, pings: Sequence[int] = (), nonce: str = "") -> int:
        """Post a message; its id. `pings` are the people whom it may mention.

        discord.py repeats a request that got no answer; the nonce keeps Discord from posting it twice. One that is
        given (25 characters at most) does so for some minutes beyond the end of the process: the message that was
        posted with it then comes back as it was.
        """
        body = drawn.body(pings=pings) | {"nonce": nonce or str(next(self._nonces)), "enforce_nonce": True}
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id)
        async with self._asking():
            return int((await self._ask(channel_id, route, drawn, body))["id"])
        raise AssertionError  # the block above returns or raises

    async def send_directly(self, user_id: int, drawn: Prepared, *, nonce: str) -> None:
        """Send somebody a direct message; who takes none from the bot is a `ForbiddenError`."""
        async with self._asking():
            channel = await self._client.http.start_private_message(user_id)
            await self.send(int(channel["id"]), drawn, nonce=nonce)

    async def open_thread(self, channel_id: int, message_id: int, name: str, *, minutes: Minutes) -> int:
        """Open a thread under a message, hidden after so many quiet minutes; its id. One that is there stays.

        Discord gives the thread the id of the message, so that nothing is opened twice.
        """
        http = self._client.http
        async with self._asking():
            try:
                await http.start_thread_with_message(channel_id, message_id, name=name, auto_archive_duration=minutes)
            except discord.HTTPException as error:
                if error.code != THREADED:
                    raise
        return message_id

    async def edit(self, channel_id: int, message_id: int, drawn: Prepared) -> None:
        """Draw a message anew."""
        path = "/channels/{channel_id}/messages/{message_id}"
        async with self._asking():
            route = Route("PATCH", path, channel_id=channel_id, message_id=message_id)
            await self._ask(channel_id, route, drawn, drawn.body())

    async def delete(self, channel_id: int, message_id: int) -> None:
        """Delete a message."""
        async with self._asking():
            await self._client.get_partial_messageable(channel_id).get_partial_message(message_id).delete()

    async def _ask(self, channel_id: int, route: Route, drawn: Prepared, body: dict[str, Any]) -> Any:
        """Make a request; unarchive the thread first if it is archived."""
        parts: Request = {"payload": body} if drawn.keeps else with_pictures(body, body, drawn.pictures)
        request: dict[str, Any] = {_AS_ROUTES[key]: value for key, value in parts.items()}
        try:
            return await self._client.http.request(route, **request)
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
        await self._client.http.edit_channel(channel_id, archived=False)
        return await self._client.http.request(route, **request)

    @asynccontextmanager
    async def _asking(self) -> AsyncGenerator[None]:
        async with self._turn:
            await self.sleep(max(0.0, self._begun[0] + 0.2 - self.monotonic()))
            self._begun.append(self.monotonic())
        try:
            async with asyncio.timeout(PATIENCE):
                yield
        except (OSError, TimeoutError, aiohttp.ClientError) as error:
            raise OverloadedError(what_happened(error)) from error
        except discord.HTTPException as error:
            raise _port_error(error.status, error.code, limited="Via" in error.response.headers) from error


def _port_error(status: int, code: int, *, limited: bool = False) -> PortError:
    match status, code:
        case _, 30046:
            return TooOldError("a message that is older than an hour was edited too often")
        case _, 10008:
            return MessageGoneError("the message was deleted")
        case _, 10003 | 10004 | 10013:  # unknown channel, server, person
            return ChannelGoneError("the channel or the server was deleted, or the bot was removed")
        case _, 200000 | 200001:
            return BlockedError("AutoMod of the server does not let these words through")
        case (403, _) | (_, 50083 | 160005):  # archived, locked
            return ForbiddenError("a permission is missing, or the channel is closed")
        case 429, _ if not limited:  # by what stands before Discord
            return BannedError("too many requests altogether")
        case _ if status >= 500 or status == 429 or code == OVERLOADED:  # noqa: PLR2004 - Discord's own fault
            return OverloadedError(f"it answered with status {status}")
        case _:
            return PortError(f"it answered with status {status}, code {code}")
