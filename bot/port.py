"""Public messages in Discord channels: sending, editing, deleting, and their errors.

Owns the translation of discord.py's exceptions into `PortError`s. Depends on neither tables nor the game.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Literal, TypeAlias, TypeVar, cast

import aiohttp
import discord
from discord.http import Route

from bot.paced_bot import PacedBot
from cogs.responder import BAN_CODES, HttpBody, Prepared, Sleep, connection_error_words, readable, with_pictures, within

REQUEST_PATIENCE: Final = 30.0
"""Seconds after which a request counts as lost, including discord.py's waits for rate limits."""
ARCHIVED, THREADED, OVERLOADED = 50083, 160004, 130000
"""Discord's error codes: the thread is archived; the message already has a thread; Discord is overloaded."""
MOST_REQUESTS: Final = 9
"""Requests in any fifth of a second. Discord allows a bot fifty per second, and does not count answers to clicks."""
TRIES: Final = 3
"""How many attempts a request gets if Discord or the network fails."""
T = TypeVar("T")
Minutes: TypeAlias = Literal[1440, 10080]
_AS_ROUTES: Final = {"payload": "json", "multipart": "form", "files": "files"}
"""Names of the parts of an `HttpBody` → discord.py's names for ordinary requests."""


class PortError(Exception):
    """A request to Discord failed; `str` gives the reason for the log."""


class MessageGoneError(PortError):
    """The message was deleted, or another application posted it, which alone may edit it."""


class ChannelGoneError(PortError):
    """The channel or the server was deleted, or the bot was removed."""


class ForbiddenError(PortError):
    """A permission is missing. The next click tells which one (`app_permissions`)."""


class BlockedError(PortError):
    """The server's AutoMod blocked the message."""


class TooOldError(PortError):
    """Too many edits of a message that is older than an hour, or published: Discord takes few of either."""


class OverloadedError(PortError):
    """Discord or the network failed; a retry may succeed."""


class BannedError(PortError):
    """Too many requests overall: Discord refuses everything for a while."""


async def insist(do: Callable[[], Awaitable[T]], sleep: Sleep, stretch: float = 1.0) -> T:
    """Try up to `TRIES` times, with pauses of 1 and 2 seconds times `stretch` after an `OverloadedError`.

    Raises any other `PortError`, or the last `OverloadedError`.
    """
    for attempt in range(TRIES - 1):
        try:
            return await do()
        except OverloadedError:
            await sleep(2**attempt * stretch)
    return await do()


class Port:
    """Public messages by channel and message id, without a cache. Every method may raise a `PortError`."""

    monotonic: Callable[[], float] = staticmethod(time.monotonic)
    sleep: Sleep = staticmethod(asyncio.sleep)
    is_serving: Callable[[], bool] = staticmethod(lambda: True)  # whether this process holds its lease

    def __init__(self, client: PacedBot) -> None:
        self._client = client
        self._turn = asyncio.Lock()
        self._sent_at = deque([0.0] * MOST_REQUESTS, MOST_REQUESTS)  # when the latest requests were sent
        self._nonces = itertools.count(time.time_ns() // 1000)

    async def send(
        self, channel_id: int, drawn: Prepared, *, pings: Sequence[int] = (), nonce: str = "", silent: bool = False
    ) -> int:
        """Post a message and return its id. `pings` are the people whom it may mention; `silent` notifies nobody.

        discord.py repeats a request without a response; the nonce keeps Discord from posting it twice. A `nonce` passed
        in (at most 25 characters) works for some minutes even across a restart: posting with it again returns the
        message that was already posted, unchanged.
        """
        once = {"nonce": nonce or str(next(self._nonces)), "enforce_nonce": True}
        body = drawn.body(pings=pings, silent=silent) | once
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel_id)
        async with self._throttled():
            return await self._request(channel_id, route, drawn, body)

    async def send_directly(self, user_id: int, drawn: Prepared, *, nonce: str) -> None:
        """Send a direct message; `ForbiddenError` if the person accepts none from the bot."""
        async with self._throttled():
            channel_id = await self._id_of(self._client.http.start_private_message(user_id))
            await self.send(channel_id, drawn, nonce=nonce)

    async def open_thread(self, channel_id: int, message_id: int, name: str, *, minutes: Minutes) -> int:
        """Open a thread on a message, archived after `minutes` without messages; returns its id.

        Idempotent: Discord gives the thread the id of the message, and an existing thread stays.
        """
        start = self._client.http.start_thread_with_message
        async with self._throttled():
            try:
                await self._id_of(start(channel_id, message_id, name=name, auto_archive_duration=minutes))
            except discord.HTTPException as error:
                if error.code != THREADED:
                    raise
        return message_id

    async def edit(self, channel_id: int, message_id: int, drawn: Prepared) -> None:
        path = "/channels/{channel_id}/messages/{message_id}"
        route = Route("PATCH", path, channel_id=channel_id, message_id=message_id)
        async with self._throttled() as limited:
            await self._request(channel_id, route, drawn, drawn.body(), limited)

    async def delete(self, channel_id: int, message_id: int) -> None:
        async with self._throttled():
            with readable():
                if cast("Any", await self._client.http.delete_message(channel_id, message_id)):
                    raise ValueError  # Discord says nothing when it has deleted a message

    async def _request(
        self, channel_id: int, route: Route, drawn: Prepared, body: dict[str, Any], limited: asyncio.Event | None = None
    ) -> int:
        """Send or edit a message; unarchive the thread first if it is archived. Returns the id of the message."""
        parts: HttpBody = {"payload": body} if drawn.keeps else with_pictures(body, body, drawn.pictures)
        request: dict[str, Any] = {_AS_ROUTES[key]: value for key, value in parts.items()}
        request["trace_request_ctx"] = limited  # `PacedBot` sets it if Discord limits this very request
        try:
            return await self._id_of(self._client.http.request(route, **request))
        except discord.HTTPException as error:
            if error.code != ARCHIVED:
                raise
        await self._id_of(self._client.http.edit_channel(channel_id, archived=False))
        for file in parts.get("files") or ():
            file.reset()  # the first attempt has read it; discord.py rewinds only between its own attempts
        return await self._id_of(self._client.http.request(route, **request))

    async def _id_of(self, request: Awaitable[Any]) -> int:
        """The id of what Discord answers a request with."""
        with readable():
            return int((await request)["id"])

    @asynccontextmanager
    async def _throttled(self) -> AsyncGenerator[asyncio.Event]:
        """Wait for a turn to send a request; inside the block, errors become `PortError`s. Yields `limited`."""
        limited = asyncio.Event()
        async with self._turn:
            await self.sleep(max(0.0, self._sent_at[0] + 0.2 - self.monotonic()))
            self._sent_at.append(self.monotonic())
        if not self.is_serving():  # perhaps since it stood still: another process may have drawn something newer
            raise OverloadedError("this process does not hold its lease")
        try:
            async with within(REQUEST_PATIENCE, self._client.http):
                yield limited
        except (OSError, TimeoutError, aiohttp.ClientError) as error:
            kind = TooOldError if limited.is_set() else OverloadedError  # a published message waits long
            raise kind(connection_error_words(error)) from error
        except discord.HTTPException as error:
            by_discord = "Via" in error.response.headers  # Cloudflare, in front of Discord, sends no such header
            raise _port_error(error.status, error.code, by_discord=by_discord) from error


def _port_error(status: int, code: int, *, by_discord: bool = False) -> PortError:
    match status, code:
        case _, 30046:
            return TooOldError("a message that is older than an hour was edited too often")
        case _, 10008 | 50005:  # unknown message, message of another application
            return MessageGoneError("the message was deleted, or another application posted it")
        case _, 10003 | 10004 | 10013:  # unknown channel, server, person
            return ChannelGoneError("the channel or the server was deleted, or the bot was removed")
        case _, 200000 | 200001:
            return BlockedError("AutoMod of the server does not let these words through")
        case 403 | 429, _ if not by_discord and (status == 429 or code in BAN_CODES):  # noqa: PLR2004 - one of the two
            return BannedError("something in front of Discord refuses everything, as after too many requests")
        case (403, _) | (_, 50083 | 160005):  # archived, locked
            return ForbiddenError("a permission is missing, or the channel is closed")
        case 401, _:  # too many such answers make Discord refuse everything
            return BannedError("Discord does not know the token any more")
        case _ if status >= 500 or status == 429 or code == OVERLOADED:  # noqa: PLR2004 - Discord's own fault
            return OverloadedError(f"it answered with status {status}")
        case _:
            return PortError(f"it answered with status {status}, code {code}")
