"""Answers interactions: a click, a choice, a form or a command.

Messages go out as they were rendered, and neither interactions nor responses are parsed into discord.py objects that
the bot does not use. First answers are tried directly, which is faster (`cogs.direct_answers`); all other requests, and
those that fail, go through discord.py's adapter for webhooks, which handles errors, retries and rate limits. In cogs/,
only this module uses private names of discord.py; in bot/, client.py, connection.py and paced_bot.py do.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from io import BytesIO
from typing import Any, Final, TypeAlias, TypedDict, cast

import aiohttp
import discord
import orjson
from discord.http import HTTPClient, Route
from discord.webhook.async_ import async_context

import cogs.screens.components as ui
from cogs.direct_answers import DirectAnswers

LAYOUT, EPHEMERAL, SILENT = 1 << 15, 1 << 6, 1 << 12
"""Flags of a message: made of components only; visible only to the person who gets it; notifies nobody."""
_CLICKS: Final = (3, 5)  # types of interactions: a component was used, a form was submitted
_EVENT: Final = "INTERACTION_CREATE"
_CALLBACK: Final = "/interactions/{webhook_id}/{webhook_token}/callback"
FIRST_PATIENCE: Final = 10.0
"""Seconds for a first answer, although Discord waits for three; discord.py's adapter would wait for minutes."""
EDITABLE_FOR: Final = 14 * 60.0
"""Seconds for which the answer to an interaction is edited or deleted: a minute less than Discord accepts it."""
REPEAT_AFTER: Final = 1.0
"""Seconds until an edit is tried a last time, if its connection broke twice: that may take only milliseconds."""
TOO_LATE: Final = 10062  # Discord's error code for an interaction that it does not know (any more)
BAN_CODES: Final = (0, 40333)
"""Error codes of a 403 by which something in front of Discord refuses everything; Discord's own have others."""
UNREACHABLE: Final = (discord.HTTPException, aiohttp.ClientError, OSError)
"""Raised for a request that Discord refuses or that does not reach it. A `TimeoutError` is an `OSError`."""
Sleep: TypeAlias = Callable[[float], Awaitable[None]]
"""Waits for some seconds: `asyncio.sleep`, or what a test puts in its place."""
_log = logging.getLogger(__name__)


@contextmanager
def readable() -> Generator[None]:
    """Turn parse errors into `aiohttp.ClientPayloadError` (a proxy answered), and that of a client that is closed."""
    try:
        yield
    except OSError:  # a certificate error is a `ValueError`, too
        raise
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:
        _log.debug("an unreadable response", exc_info=True)  # the traceback, in case the bug is ours
        raise aiohttp.ClientPayloadError from error


@asynccontextmanager
async def within(seconds: float, http: HTTPClient) -> AsyncGenerator[None]:
    """Cancel requests after `seconds`, with a `TimeoutError`.

    If discord.py waits for the end of a global rate limit meanwhile, it holds up all other requests until the request
    goes on, which a cancelled one never does. So they go on now, perhaps a little early: the next refusal stops them.
    """
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        if waited_for := http._global_over:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
            waited_for.set()  # it is there once the client has logged in
        raise


class First(IntEnum):
    """The types of first answers, by their numbers in Discord's API. `DEFER_…` asks for time; `edit` then answers."""

    MESSAGE, DEFER_MESSAGE, DEFER_UPDATE, UPDATE, FORM = 4, 5, 6, 7, 9


@dataclass(frozen=True, slots=True)
class Prepared:
    """A rendered message and its pictures, by file name.

    `shows` is a fingerprint of what the picture shows. With `keeps` an edited message keeps the pictures that it has.
    """

    screen: ui.Screen
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    shows: int | None = None
    keeps: bool = False

    @property
    def is_pictured(self) -> bool:
        return self.keeps or bool(self.pictures)

    def body(self, *, private: bool = False, silent: bool = False, pings: Sequence[int] = ()) -> dict[str, Any]:
        """The message as Discord's API takes it. `pings` are the ids of the users it may notify; nobody else is."""
        mentions: dict[str, Any] = {"parse": [], "users": list(map(str, pings))} if pings else {"parse": []}
        flags = LAYOUT | (EPHEMERAL if private else 0) | (SILENT if silent else 0)
        return {"components": self.screen, "flags": flags, "allowed_mentions": mentions}


class HttpBody(TypedDict, total=False):
    """The body of a request: JSON, or a multipart form with files."""

    payload: dict[str, Any] | None
    multipart: list[dict[str, Any]] | None
    files: Sequence[discord.File] | None


def with_pictures(body: dict[str, Any], message: dict[str, Any], pictures: Mapping[str, bytes]) -> HttpBody:
    """Give `message`, which is `body` or a part of it, these pictures and no others; return the request to send."""
    message["attachments"] = [{"id": number, "filename": name} for number, name in enumerate(pictures)]
    if not pictures:
        return {"payload": body}
    files = [discord.File(BytesIO(data), name) for name, data in pictures.items()]
    kind = {"content_type": "application/octet-stream"}
    sent = [{"name": f"files[{n}]", "value": file.fp, "filename": file.filename} | kind for n, file in enumerate(files)]
    return {"multipart": [{"name": "payload_json", "value": orjson.dumps(body).decode()}, *sent], "files": files}


raw_command: ContextVar[Mapping[str, Any]] = ContextVar("raw_command")
"""The raw payload of the command that is being handled."""


def dispatch_raw_clicks(bot: discord.Client, now: Callable[[], float]) -> None:
    """Dispatch clicks, choices and forms as raw payloads, in the event `click`.

    discord.py would make a dozen objects of each, most of them for the message that was clicked. Every interaction's
    payload gets `heard_at`, the time of its arrival by `now`. One that discord.py cannot parse is dispatched as the
    event `unreadable`, instead of ending the connection.
    """
    parsers = bot._connection.parsers  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    parse: Callable[[Any], None] = parsers[_EVENT]

    def heard(data: Any) -> None:
        data["heard_at"] = now()
        if data["type"] in _CLICKS:
            bot.dispatch("click", data)
        else:
            raw_command.set(data)
            try:
                parse({**data, "channel": {}})  # of an unknown channel, it expects more than Discord may send
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                bot.dispatch("unreadable", data, error)

    parsers[_EVENT] = heard


class Responder:
    """Answers one interaction, by the id and the token that Discord gave it.

    First answers without pictures are tried by `direct`, if given. `is_replaceable` means that the answer may take the
    place of the clicked message, because nobody else sees it, until Discord says that it is gone. `made_by` is the id
    of the interaction that made that message, 0 if Discord does not say.

    Every method that sends something may raise any of `UNREACHABLE`.
    """

    __slots__ = ("_direct", "_hook", "_http", "_lock", "_message", "id", "is_answered", "is_replaceable", "made_by")

    def __init__(self, http: HTTPClient, data: Mapping[str, Any], direct: DirectAnswers | None = None) -> None:
        self._http, self._direct = http, direct
        self.id = int(data["id"])
        self._hook: tuple[int, str] = data["application_id"], data["token"]  # the interaction's webhook
        self.is_answered, self._message, self._lock = False, 0, asyncio.Lock()
        message = data.get("message", {})
        self.is_replaceable = bool(message.get("flags", 0) & EPHEMERAL)
        self.made_by = int((message.get("interaction_metadata") or dict[str, Any]()).get("id", 0))

    async def respond(
        self, kind: First, data: dict[str, Any] | None = None, pictures: Mapping[str, bytes] | None = None
    ) -> None:
        """Send the first answer; tried once more if the connection breaks."""
        body: dict[str, Any] = {"type": kind} if data is None else {"type": kind, "data": data}
        lists_pictures = pictures or kind is First.UPDATE  # an update removes those that it does not list
        request: HttpBody = with_pictures(body, data, pictures or {}) if data and lists_pictures else {"payload": body}
        token = self._hook[1]
        is_sent = self._direct and not pictures and await self._direct.post(self._session, self.id, token, body)
        if not is_sent:
            route = Route("POST", _CALLBACK, webhook_id=self.id, webhook_token=token)

            async def send() -> None:
                for file in request.get("files") or ():
                    file.reset()  # an attempt before has read it
                with readable():
                    await async_context.get().request(route, self._session, **request)

            async with asyncio.timeout(FIRST_PATIENCE):
                await _repeated(send, 0)
        self.is_answered = True

    async def edit(self, drawn: Prepared) -> None:
        """Replace the content of the interaction's own message; tried twice more if the connection breaks."""
        await _repeated(partial(self._edit, drawn), 0, REPEAT_AFTER)

    async def _edit(self, drawn: Prepared) -> None:
        body = drawn.body()
        request: HttpBody = {"payload": body} if drawn.keeps else with_pictures(body, body, drawn.pictures)
        adapter, session = async_context.get(), self._session
        with readable():
            if self._message:
                await adapter.edit_webhook_message(*self._hook, self._message, session=session, **request)
            else:
                await adapter.edit_original_interaction_response(*self._hook, session=session, **request)

    async def add(self, drawn: Prepared, *, private: bool = True, pings: Sequence[int] = ()) -> int:
        """Send one more message; return its id."""
        body = drawn.body(private=private, pings=pings)
        request = with_pictures(body, body, drawn.pictures)
        with readable():
            sent = await async_context.get().execute_webhook(
                *self._hook, session=self._session, wait=True, with_components=True, **request
            )
            return int(cast("Any", sent)["id"])

    async def begin_another(self, drawn: Prepared) -> None:
        """Send one more private message, which `edit` and `delete` mean from then on."""
        self._message = await self.add(drawn)

    async def bring_down(self, drawn: Prepared) -> int:
        """Send a new private message below all others and delete the old one; return the new id, which `edit` means."""
        async with self._lock:
            before = self._message
            await self.begin_another(drawn)
        with suppress(*UNREACHABLE):
            await self._remove(before)
        return self._message

    async def delete(self) -> None:
        """Delete the interaction's own message. If `bring_down` is running, wait and delete the new one."""
        async with self._lock:
            await self._remove(self._message)

    async def _remove(self, message: int) -> None:
        with readable():
            if message:
                await async_context.get().delete_webhook_message(*self._hook, message, session=self._session)
            else:
                await async_context.get().delete_original_interaction_response(*self._hook, session=self._session)

    @property
    def _session(self) -> Any:
        return getattr(self._http, "_HTTPClient__session")  # noqa: B009 - as an attribute, Python would mangle the name


async def _repeated(send: Callable[[], Awaitable[object]], *pauses: float) -> None:
    """Send something; if the connection breaks, once more after each of these pauses in seconds."""
    for pause in pauses:
        try:
            await send()
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError):
            await asyncio.sleep(pause)
        else:
            return
    await send()


def connection_error_words(error: Exception) -> str:
    """Say in a few words why a connection to Discord, here called "it", failed."""
    match error:
        case TimeoutError():
            return "it did not answer in time"
        case aiohttp.ClientConnectorDNSError():
            return "its name was not found (is this machine connected?)"
        case aiohttp.ClientSSLError():
            return "its certificate was not accepted (is this machine's clock right?)"
        case aiohttp.ServerDisconnectedError() | discord.ConnectionClosed():
            return "it closed the connection"
        case aiohttp.ClientPayloadError():
            return "its answer cannot be read (does something else answer in its place?)"
        case discord.GatewayNotFound():
            return "it did not say where to connect"
        case discord.HTTPException(status=status):
            return f"it answered with status {status}"
        case OSError(errno=int(number)) if number > 0:
            return f"no connection: {os.strerror(number).lower()}"
        case _:
            return "the connection broke"
