"""Sends what was drawn to the person who pressed or typed something: the requests that answer an interaction.

Messages go out as they were drawn, and nothing that comes in or back is made into objects that the bot does not
use. First answers go out directly. Every other request, and every first answer that does not succeed, is left to
discord.py's own adapter: failures, repetitions and rate limits. This is the one place of cogs/ that uses
private names of discord.py; bot/connection.py has those of its gateway.
"""

from __future__ import annotations

import os
from asyncio import Lock, WriteTransport
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, TypedDict, Unpack, cast

import aiohttp
import discord
from aiohttp.client_proto import ResponseHandler
from discord.http import HTTPClient, Route
from discord.utils import _to_json as to_json  # pyright: ignore[reportPrivateUsage] - by orjson if there is one
from discord.webhook.async_ import AsyncWebhookAdapter, async_context
from yarl import URL

import cogs.screens.components as ui

LAYOUT, EPHEMERAL = 1 << 15, 1 << 6
MESSAGE, LATER_MESSAGE, LATER_UPDATE, UPDATE, FORM = 4, 5, 6, 7, 9
"""Kinds of first answers."""
_CLICKS: Final = (3, 5)
_EVENT: Final = "INTERACTION_CREATE"
_CALLBACK: Final = "/interactions/{webhook_id}/{webhook_token}/callback"
_PATIENCE: Final = 3.0
"""Seconds in which Discord wants a first answer, or in which it should take one."""
UNREACHABLE: Final = (discord.HTTPException, aiohttp.ClientError, OSError)
"""What comes of a request that Discord refuses, or that does not reach it; an `OSError` is also a time that ran out."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message as it was drawn, and the pictures it shows.

    `shows` is the same for pictures that show the same. With `keeps` the message keeps the pictures that it has.
    """

    screen: ui.Screen
    pictures: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    shows: int | None = None
    keeps: bool = False

    @property
    def is_pictured(self) -> bool:
        """Whether it shows a picture."""
        return self.keeps or bool(self.pictures)

    def body(self, *, private: bool = False, pings: Sequence[int] = ()) -> dict[str, Any]:
        """What Discord is told of it; `pings` are the people whom it may mention."""
        mentions: dict[str, Any] = {"parse": [], "users": list(map(str, pings))} if pings else {"parse": []}
        flags = LAYOUT | EPHEMERAL if private else LAYOUT
        return {"components": self.screen, "flags": flags, "allowed_mentions": mentions}


class Request(TypedDict, total=False):
    """The body of a request: as it is, or in parts with files."""

    payload: dict[str, Any] | None
    multipart: list[dict[str, Any]] | None
    files: Sequence[discord.File] | None


class AnyRequest(Request, total=False):
    """All that discord.py's adapter makes a request of."""

    proxy: str | None
    proxy_auth: aiohttp.BasicAuth | None
    reason: str | None
    auth_token: str | None
    params: dict[str, Any] | None


def with_pictures(body: dict[str, Any], message: dict[str, Any], pictures: Mapping[str, bytes]) -> Request:
    """A request whose `message`, which is the body or a part of it, shows these pictures and no others."""
    message["attachments"] = [{"id": number, "filename": name} for number, name in enumerate(pictures)]
    if not pictures:
        return {"payload": body}
    files = [discord.File(BytesIO(data), name) for name, data in pictures.items()]
    kind = {"content_type": "application/octet-stream"}
    sent = [{"name": f"files[{n}]", "value": file.fp, "filename": file.filename} | kind for n, file in enumerate(files)]
    return {"multipart": [{"name": "payload_json", "value": to_json(body)}, *sent], "files": files}


_sent: ContextVar[Mapping[str, Any]] = ContextVar("sent")


def hear_clicks(bot: discord.Client, now: Callable[[], float]) -> None:
    """Make the bot dispatch clicks, choices and forms as Discord sends them, as the event `click`.

    discord.py would make a dozen objects of each, most of them of the message that was clicked. `heard_at` is added.
    """
    parsers = bot._connection.parsers  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    parse: Callable[[Any], None] = parsers[_EVENT]

    def heard(data: Any) -> None:
        data["heard_at"] = now()
        if data["type"] in _CLICKS:
            bot.dispatch("click", data)
        else:
            _sent.set(data)
            parse(data)

    parsers[_EVENT] = heard


def as_sent() -> Mapping[str, Any]:
    """The command that is being handled, as Discord sent it."""
    return _sent.get()


class Direct(AsyncWebhookAdapter):
    """Makes first answers as prepared bytes on a connection from the session's pool, and all else as discord.py does.

    A first answer that is not taken at once, whatever the reason, is made again as discord.py does it: its repetitions,
    pauses and errors are those that count. Discord takes the same answer only once.
    """

    def __init__(self, errors: Counter[int]) -> None:
        """Know no session yet; count in `errors` what Discord refuses, by status."""
        super().__init__()
        self._errors = errors
        self._session: aiohttp.ClientSession | None = None

    async def request(self, route: Route, session: aiohttp.ClientSession, **given: Unpack[AnyRequest]) -> Any:
        """Make a request; a first answer without files is tried directly before."""
        if route.path == _CALLBACK and given.keys() == {"payload"}:
            with suppress(aiohttp.ClientError, OSError):
                if await self._is_taken(route.url, session, to_json(given.get("payload")).encode()):
                    return None
        return await super().request(route, session, **given)

    async def _is_taken(self, url: str, session: aiohttp.ClientSession, body: bytes) -> bool:
        if session is not self._session:
            self._begin(session)
        if session.connector is None:
            return False
        connection = await session.connector.connect(self._request, [], aiohttp.ClientTimeout(connect=_PATIENCE))
        protocol, transport = cast("ResponseHandler", connection.protocol), cast("WriteTransport", connection.transport)
        try:
            protocol.set_response_params(read_timeout=_PATIENCE)
            path = url.removeprefix(Route.BASE)
            transport.write(f"POST {self._base}{path}{self._head}{len(body)}\r\n\r\n".encode() + body)
            protocol.start_timeout()
            head, rest = await protocol.read()
            await rest.read()
        except BaseException:
            connection.close()
            raise
        connection.release()
        is_taken = head.code // 100 == 2  # noqa: PLR2004 - every kind of success
        if not is_taken:
            self._errors[head.code] += 1
        return is_taken

    def _begin(self, session: aiohttp.ClientSession) -> None:
        """Prepare what all requests of a session have in common."""
        base, kind = URL(Route.BASE), {"Content-Type": "application/json"}
        self._session, self._base = session, base.raw_path
        self._request = aiohttp.ClientRequest("POST", base, headers=kind, session=session)  # says where, is never sent
        lines = [f"{name}: {value}" for name, value in self._request.headers.items() if name != "Content-Length"]
        self._head = "\r\n".join((" HTTP/1.1", *lines, "Content-Length: "))


def answer_directly(errors: Counter[int]) -> None:
    """Let `Direct` make the first answers in this context, and in all contexts that are made in it."""
    async_context.set(Direct(errors))


class Asker:
    """Who asked, as far as they can be answered: Discord's id and token of the interaction.

    `is_private` says that what was clicked is a message that only they see, `clicked` which: by the interaction that
    made it, empty if Discord does not say. `number` is this interaction.
    Every method may raise what is `UNREACHABLE`.
    """

    __slots__ = ("_http", "_moving", "_newest", "_own", "clicked", "is_answered", "is_private", "locale", "number")

    def __init__(self, http: HTTPClient, data: Mapping[str, Any]) -> None:
        """Read the interaction as Discord sends it."""
        self._http = http
        self.number = str(data["id"])
        self._own: tuple[int, str] = data["application_id"], data["token"]
        self.is_answered, self._newest, self._moving = False, 0, Lock()
        message = data.get("message", {})
        self.is_private = bool(message.get("flags", 0) & EPHEMERAL)
        self.clicked = str((message.get("interaction_metadata") or dict[str, Any]()).get("id", ""))
        self.locale = str(data.get("locale", ""))

    async def respond(
        self, kind: int, data: dict[str, Any] | None = None, pictures: Mapping[str, bytes] | None = None
    ) -> None:
        """Give the first answer."""
        body: dict[str, Any] = {"type": kind} if data is None else {"type": kind, "data": data}
        route = Route("POST", _CALLBACK, webhook_id=self.number, webhook_token=self._own[1])
        shows = data is not None and (pictures or kind == UPDATE)  # an update shows none of the pictures before it
        request: Request = with_pictures(body, data, pictures or {}) if data and shows else {"payload": body}
        await async_context.get().request(route, self._session, **request)
        self.is_answered = True

    async def edit(self, drawn: Prepared) -> None:
        """Make the interaction's own message show something else."""
        body = drawn.body()
        request = with_pictures(body, body, drawn.pictures)
        if self._newest:
            await async_context.get().edit_webhook_message(*self._own, self._newest, session=self._session, **request)
        else:
            await async_context.get().edit_original_interaction_response(*self._own, session=self._session, **request)

    async def add(self, drawn: Prepared, *, private: bool = True, pings: Sequence[int] = ()) -> int:
        """Show one more message; its id."""
        body = drawn.body(private=private, pings=pings)
        request = with_pictures(body, body, drawn.pictures)
        sent = await async_context.get().execute_webhook(
            *self._own, session=self._session, wait=True, with_components=True, **request
        )
        return int(cast("Any", sent)["id"])

    async def bring_down(self, drawn: Prepared) -> None:
        """Show it below all other messages: from now on a new private message is the interaction's own."""
        async with self._moving:
            before, self._newest = self._newest, await self.add(drawn)
        with suppress(*UNREACHABLE):
            await self._remove(before)

    async def delete(self) -> None:
        """Delete the interaction's own message; one that is just coming down, when it is there."""
        async with self._moving:
            await self._remove(self._newest)

    async def _remove(self, message: int) -> None:
        if message:
            await async_context.get().delete_webhook_message(*self._own, message, session=self._session)
        else:
            await async_context.get().delete_original_interaction_response(*self._own, session=self._session)

    @property
    def _session(self) -> Any:
        return getattr(self._http, "_HTTPClient__session")  # noqa: B009 - a private name, or Python would change it


def what_happened(error: Exception) -> str:
    """What came between the bot and Discord, in words."""
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
