"""The real process on a Discord made of sockets: REST, a gateway that does what a test wants, and `python -m bot`.

This module has as much of Discord's protocol as the bot needs. It must not depend on tables or cards.
"""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from itertools import count
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, WSMsgType, web

from testkit.forked import Forked
from testkit.ports import free_port
from testkit.sockets.world import Json
from testkit.waiting import ANSWER, HANG, NEVER

ROOT = Path(__file__).parents[1]
DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
GUILD, CHANNEL, ANN, BOB = (1 << 60, (1 << 60) + 1, 33, 44)
USER: Json = {"id": "5", "username": "Cards", "discriminator": "0", "avatar": None, "bot": True}
APPLICATION: Json = {
    "id": "5", "name": "Cards", "description": "", "icon": None, "bot_public": True, "verify_key": "x",
    "bot_require_code_grant": False, "owner": USER, "flags": 0,
}  # fmt: skip


def directed(port: int) -> str:
    """Code that has discord.py connect to the Discord at this port."""
    return f"""
import yarl, discord.gateway
from discord.http import Route
Route.BASE = "http://127.0.0.1:{port}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL("ws://127.0.0.1:{port}/gateway")
"""


def start_code(port: int, *words: str, patience: float | None = None) -> str:
    """Code that runs `python -m bot` on the Discord at this port; it defers answers after `patience` seconds."""
    set_patience = f"import cogs.replies; cogs.replies.ANSWERABLE = {ANSWER} = {patience}" if patience else ""
    return f"""
import gc; gc.disable()  # as `python -m bot` does before it loads anything
{directed(port)}
from bot.__main__ import main
{set_patience}
raise SystemExit(main({list(words)}))
"""


def member(user: Json) -> Json:
    return {
        "user": user, "roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0,
        "permissions": str((1 << 40) - 1),
    }  # fmt: skip


def person(number: int, name: str) -> Json:
    return {"id": str(number), "username": name.lower(), "global_name": name, "discriminator": "0", "avatar": None}


NAMES = {ANN: "Ann", BOB: "Bob"}
SERVER: Json = {
    "id": str(GUILD), "name": "kitchen", "owner_id": "1", "member_count": 3, "large": False, "unavailable": False,
    "channels": [{"id": str(CHANNEL), "type": 0, "name": "cards", "position": 0, "permission_overwrites": []}],
    "roles": [{"id": str(GUILD), "name": "@everyone", "permissions": str((1 << 40) - 1), "position": 0, "color": 0,
               "colors": {"primary_color": 0}, "hoist": False, "managed": False, "mentionable": False, "flags": 0}],
    "members": [member(USER)], "threads": [], "emojis": [], "stickers": [], "features": [], "voice_states": [],
    "presences": [], "stage_instances": [], "guild_scheduled_events": [], "soundboard_sounds": [],
    "preferred_locale": "en-US", "premium_tier": 0, "verification_level": 0, "explicit_content_filter": 0,
    "default_message_notifications": 0, "mfa_level": 0, "nsfw_level": 0, "system_channel_flags": 0, "afk_timeout": 60,
}  # fmt: skip


class Wire:
    """A Discord with one server.

    `closes` and `forgets` are codes with which it closes new and resumed sessions. `fails` are answers (method, part of
    the path, status, code) that it gives once each, though a first answer to a click is recorded all the same. While
    `silent` it answers nothing, without `has_gateway` it accepts no connection. If `broken`, the next session begins
    with nonsense, if it `babbles`, the next connection. `remaining` is how many shards may still identify themselves.
    `servers` are listed to new sessions. `nameless` are the paths of requests that do not say which bot makes them.
    """

    def __init__(self) -> None:
        self.port, self.fails = 0, list[tuple[str, str, int, int]]()
        self.closes: int | None = None
        self.forgets: int | None = None
        self.line: web.WebSocketResponse | None = None
        self.silent, self.has_gateway, self.broken, self.babbles, self.remaining = False, True, False, False, 1000
        self.servers = [SERVER]
        self.sessions, self.asked = Counter[str](), list[tuple[str, str, Any]]()
        self.nameless = list[str]()
        self.callbacks, self.commands = dict[str, tuple[Json, float]](), list[Json]()
        self.numbers, self.sequence, self._news = count(1 << 61), 0, asyncio.Event()
        self.app = web.Application()
        self.app.router.add_get("/gateway{end:/?}", self.connect)
        self.app.router.add_route("*", "/{rest:.*}", self.answer)

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/gateway"

    async def until(self, happened: Callable[[], object]) -> None:
        """Wait until `happened` returns something true."""
        async with asyncio.timeout(HANG):
            while not happened():
                self._news.clear()
                await self._news.wait()

    def asked_for(self, method: str, part: str) -> list[Any]:
        return [body for verb, path, body in self.asked if verb == method and part in path]

    # The gateway.

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if not self.has_gateway:
            return web.Response(status=503)
        line = web.WebSocketResponse()
        await line.prepare(request)
        self.sessions["connected"] += 1
        babbles, self.babbles = self.babbles, False
        if babbles:
            await line.send_str("}{")
        await line.send_json({"op": HELLO, "d": {"heartbeat_interval": 41_250}, "s": None, "t": None})
        async for message in line:
            if message.type is WSMsgType.TEXT:
                await self._hear(line, json.loads(message.data))
        return line

    async def _hear(self, line: web.WebSocketResponse, said: Json) -> None:
        if said["op"] == HEARTBEAT:
            await line.send_json({"op": ACK, "d": None, "s": None, "t": None})
        elif code := {IDENTIFY: self.closes, RESUME: self.forgets}.get(said["op"]):
            self.sessions["identify" if said["op"] == IDENTIFY else "resume"] += 1
            await line.close(code=code)
        elif said["op"] in {IDENTIFY, RESUME}:
            self.line = line
            await (self._begin() if said["op"] == IDENTIFY else self.tell("RESUMED", {}))
            self.sessions["identify" if said["op"] == IDENTIFY else "resume"] += 1
        self._news.set()

    async def _begin(self) -> None:
        ready: Json = {
            "v": 10, "user": USER, "session_id": "one", "resume_gateway_url": self.url, "shard": [0, 1],
            "guilds": [{"id": each["id"], "unavailable": True} for each in self.servers],
            "application": {"id": "5", "flags": 0},
            "session_type": "normal", "private_channels": [], "relationships": [],
        }  # fmt: skip
        broken, self.broken = self.broken, False
        await self.tell("READY", ready | ({"user": 5} if broken else {}))
        for server in [] if broken else self.servers:
            await self.tell("GUILD_CREATE", server)

    async def tell(self, event: str, said: Json) -> None:
        self.sequence += 1
        await self._send({"op": DISPATCH, "d": said, "s": self.sequence, "t": event})

    async def order(self, op: int, said: object = None) -> None:
        await self._send({"op": op, "d": said, "s": None, "t": None})

    async def _send(self, frame: Json) -> None:
        assert self.line is not None, "there was no session yet"
        await self.line.send_json(frame)

    def interaction(self, kind: int, data: Json, user: int = ANN, number: int | None = None, **more: Any) -> Json:
        """What Discord sends for a command (2) or a click (3)."""
        number = number or next(self.numbers)
        return {
            "id": str(number), "application_id": "5", "type": kind, "token": f"t{number}", "version": 1,
            "guild_id": str(GUILD), "channel_id": str(CHANNEL), "channel": SERVER["channels"][0],
            "member": member(person(user, NAMES[user])), "app_permissions": str((1 << 40) - 1), "locale": "en-US",
            "guild_locale": "en-US", "entitlements": [], "authorizing_integration_owners": {}, "context": 0,
            "attachment_size_limit": 10_000_000,
            "data": data, **more,
        }  # fmt: skip

    async def command(self, *words: str, user: int = ANN) -> tuple[int, Json, float]:
        """Type a command; returns the bot's first answer."""
        name, sub = words
        options: list[Json] = [{"name": sub, "type": 1, "options": []}]
        return await self.deliver(
            self.interaction(2, {"id": "9", "name": name, "type": 1, "options": options}, user=user)
        )

    async def click(self, custom_id: str, user: int = ANN) -> tuple[Json, tuple[int, Json, float]]:
        """Press a button of the public message; returns the interaction and the bot's first answer."""
        pressed, message = {"custom_id": custom_id, "component_type": 2}, self.message(next(self.numbers))
        asked = self.interaction(3, pressed, user=user, message=message)
        return asked, await self.deliver(asked)

    async def deliver(self, asked: Json) -> tuple[int, Json, float]:
        """Send an interaction; returns type, body and seconds of the first answer."""
        begun = time.perf_counter()
        await self.tell("INTERACTION_CREATE", asked)
        await self.until(lambda: asked["id"] in self.callbacks)
        body, at = self.callbacks[asked["id"]]
        return body["type"], body, at - begun

    # REST.

    def message(self, number: int | str) -> Json:
        return {
            "id": str(number), "channel_id": str(CHANNEL), "author": USER, "content": "", "type": 0, "tts": False,
            "timestamp": "2026-01-01T00:00:00+00:00", "edited_timestamp": None, "mention_everyone": False,
            "mentions": [], "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "components": [],
            "flags": 0,
        }  # fmt: skip

    async def answer(self, request: web.Request) -> web.Response:
        text = await request.text()
        body: Any = json.loads(text) if text.startswith(("{", "[")) else {}
        self.asked.append((request.method, request.path, body))
        if not request.headers.get("User-Agent", "").startswith("DiscordBot ("):
            self.nameless.append(request.path)
        status, found = self._found(request, body)
        self._news.set()
        if self.silent:
            await asyncio.Event().wait()
        return web.Response(body=json.dumps(found).encode(), status=status, content_type="application/json")

    def _found(self, request: web.Request, body: Any) -> tuple[int, object]:
        path = request.path
        number = path.split("/")[-3] if path.endswith("/callback") else ""
        if number:
            self.callbacks.setdefault(number, (body, time.perf_counter()))
        for fail in self.fails:
            if fail[0] == request.method and fail[1] in path:
                self.fails.remove(fail)
                return fail[2], {"code": fail[3], "message": "on purpose"}
        if number:
            return 200, {"interaction": {"id": number, "type": 2}}
        if path.endswith("/gateway/bot"):
            limit = {"total": 1000, "remaining": self.remaining, "reset_after": 86_400_000, "max_concurrency": 1}
            return 200, {"url": self.url, "shards": 1, "session_start_limit": limit}
        if path.endswith("/emojis"):
            return (400, {"code": 50035, "message": "no"}) if request.method == "POST" else (200, {"items": []})
        if path.endswith("/commands"):
            if request.method == "PUT":
                given: Json = {"type": 1, "application_id": "5", "default_member_permissions": None}
                self.commands = [{**given, **each, "id": "9", "version": str(next(self.numbers))} for each in body]
            return 200, self.commands
        if "/messages" in path:
            last = path.split("/")[-1]
            return 200, self.message(last if last.isdecimal() else next(self.numbers))
        return 200, USER if path.endswith("/users/@me") else APPLICATION


@asynccontextmanager
async def discord_there() -> AsyncGenerator[Wire]:
    there = Wire()
    runner = web.AppRunner(there.app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    there.port = runner.addresses[0][1]
    try:
        yield there
    finally:
        await runner.cleanup()


class Bot:
    """`python -m bot` as a process. However slow the machine, it defers no answer, unless `patience` is None."""

    process: Forked

    def __init__(self, wire: Wire, file: Path) -> None:
        self.wire, self.file, self.health = wire, file, free_port()
        self.patience: float | None = NEVER

    async def begin(
        self,
        *words: str,
        port: int | None = None,
        level: str = "ERROR",
        form: str = "console",
        lease_wait: float = 0,
        **more: str,
    ) -> None:
        """Start it; `more` is added to its environment."""
        env = {
            "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "good", "LOG_LEVEL": level,
            "DATABASE_URL": f"sqlite:///{self.file}", "LEASE_WAIT_SECONDS": str(lease_wait),
            "HEALTH_PORT": str(self.health), "LOG_FORMAT": form, **more,
        }  # fmt: skip
        code = start_code(port or self.wire.port, *words, patience=self.patience)
        self.process = await Forked.begin(code, env=env)

    async def ended(self) -> tuple[int | None, list[str], list[str]]:
        """Wait for its end; returns its exit status and the lines of both outputs."""
        try:
            async with asyncio.timeout(HANG):
                out, err = await self.process.communicate()
        finally:
            await self.kill()
        return self.process.returncode, out.decode().splitlines(), err.decode().splitlines()

    async def says(self, word: str) -> None:
        """Wait until a line on its standard error contains `word`."""
        heard = list[str]()
        async with asyncio.timeout(HANG):
            while word not in (line := await self.process.stderr.readline()).decode():
                heard.append(line.decode())
                assert line, f"it ended without {word!r}: {''.join(heard)}"

    async def stop(self) -> tuple[int | None, list[str], list[str]]:
        self.process.terminate()
        return await self.ended()

    async def kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            await self.process.communicate()  # which also closes its pipes

    async def page(self, path: str) -> str:
        """The text of one of its health pages."""
        async with ClientSession() as session, session.get(f"http://127.0.0.1:{self.health}{path}") as answer:
            return await answer.text()

    async def number(self, name: str) -> float:
        """The value of one of its metrics."""
        lines = (await self.page("/metrics")).splitlines()
        return float(next(line for line in lines if line.startswith(f"{name} ")).rpartition(" ")[2])

    def stored(self, question: str) -> list[Any]:
        with closing(sqlite3.connect(self.file)) as connection:
            return connection.execute(question).fetchall()
