"""The gateway: the shards' connections, the events sent over them, and what can go wrong there.

A session outlives its connection: events sent meanwhile are kept, and sent again when it is resumed.
"""

# pyright: reportPrivateUsage=false
# `Gateway.cut` reaches for the transport of a connection.

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypedDict

from aiohttp import WSMsgType, web

from testkit.sockets.world import BOT, Json, World

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT, INVALID, HELLO, ACK = 0, 1, 2, 6, 7, 9, 10, 11
IDENTIFY_EVERY = 5.0
"""Seconds in which `max_concurrency` shards may identify themselves."""
KEPT = 1_000
"""Events that a session keeps for a resume."""


class Line:
    """A connection: sends JSON, in one long zlib stream if the bot asked for that."""

    def __init__(self, socket: web.WebSocketResponse, *, is_compressed: bool) -> None:
        self.socket = socket
        self._deflate = zlib.compressobj() if is_compressed else None

    async def say(self, op: int, said: object = None, event: str | None = None, sequence: int | None = None) -> None:
        await self.raw(json.dumps({"op": op, "d": said, "s": sequence, "t": event}))

    async def raw(self, text: str) -> None:
        """Send any text as a frame; it is lost if the connection is closed."""
        with suppress(ConnectionResetError):
            if self._deflate is None:
                await self.socket.send_str(text)
            else:
                data = self._deflate.compress(text.encode()) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
                await self.socket.send_bytes(data)


class Session:
    """A shard that has identified itself."""

    def __init__(self, name: str, shard: int, count: int, line: Line) -> None:
        self.name, self.shard, self.count, self.line = name, shard, count, line
        self.sequence, self.kept = 0, deque[tuple[int, str, Json]](maxlen=KEPT)

    async def tell(self, event: str, said: Json) -> None:
        self.sequence += 1
        self.kept.append((self.sequence, event, said))
        await self.line.say(DISPATCH, said, event, self.sequence)


class GatewayOptions(TypedDict, total=False):
    """What `Gateway` may be told about itself."""

    shards: int
    max_concurrency: int
    interval: float


class Gateway:
    """All shards, and switches for faults.

    `closes` is a code with which it closes every new session. Without `is_there` nobody can connect. Without `beats`
    heartbeats are not acknowledged, so that a bot takes its connection for dead. Without `resumes` a session that comes
    back is told that it is invalid. `babble` is sent in place of the first message.
    """

    def __init__(
        self,
        world: World,
        *,
        shards: int = 1,
        max_concurrency: int = 1,
        interval: float = 41.25,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.world, self.shards, self.max_concurrency = world, shards, max_concurrency
        self.interval, self._monotonic = interval, monotonic
        self.closes: int | None = None
        self.url, self.is_there, self.beats, self.resumes = "", True, True, True
        self.babble = ""
        self.sessions, self.seen, self._identified = dict[int, Session](), Counter[str](), dict[int, float]()
        self._numbers = 0

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if not self.is_there:
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        line = Line(socket, is_compressed=request.query.get("compress") == "zlib-stream")
        self._saw("connected")
        if self.babble:
            await line.raw(self.babble)
        else:
            await line.say(HELLO, {"heartbeat_interval": int(self.interval * 1000)})
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                await self._hear(line, json.loads(message.data))
        return socket

    def _saw(self, what: str) -> None:
        self.seen[what] += 1
        self.world.changed()

    async def _hear(self, line: Line, said: Json) -> None:
        if said["op"] == HEARTBEAT:
            self._saw("heartbeat")
            if self.beats:
                await line.say(ACK)
        elif said["op"] == IDENTIFY:
            await self._identify(line, *said["d"].get("shard", (0, 1)))
        elif said["op"] == RESUME:
            await self._resume(line, said["d"]["session_id"], said["d"]["seq"])

    async def _identify(self, line: Line, shard: int, count: int) -> None:
        if self.closes:
            self._saw("identify")
            await line.socket.close(code=self.closes)
            return
        now, bucket = self._monotonic(), shard % self.max_concurrency
        if now - self._identified.get(bucket, now - IDENTIFY_EVERY) < IDENTIFY_EVERY:
            self._saw("too soon")
            await line.say(INVALID, said=False)
            return
        self._identified[bucket] = now
        self._numbers += 1
        session = Session(f"session-{self._numbers}", shard, count, line)
        self.sessions[shard] = session
        mine = [number for number in self.world.guilds if (number >> 22) % count == shard]
        ready: Json = {
            "v": 10, "user": BOT, "session_id": session.name, "resume_gateway_url": self.url, "shard": [shard, count],
            "guilds": [{"id": str(number), "unavailable": True} for number in mine], "session_type": "normal",
            "application": {"id": "5", "flags": 0}, "private_channels": [], "relationships": [],
        }  # fmt: skip
        await session.tell("READY", ready)
        for number in mine:
            await session.tell("GUILD_CREATE", self.world.guilds[number])
        self._saw("identify")

    async def _resume(self, line: Line, name: str, sequence: int) -> None:
        session = next((each for each in self.sessions.values() if each.name == name), None)
        if session is None or not self.resumes:
            self._saw("not resumed")
            await line.say(INVALID, said=False)
            return
        session.line = line
        for number, event, said in [each for each in session.kept if each[0] > sequence]:
            await line.say(DISPATCH, said, event, number)
        await session.tell("RESUMED", {})
        self._saw("resume")

    # For tests and benches.

    def session_of(self, guild: int) -> Session:
        """The session that gets the events of a server."""
        some = next(iter(self.sessions.values()))
        return self.sessions[(guild >> 22) % some.count]

    async def tell(self, guild: int, event: str, said: Json) -> None:
        await self.session_of(guild).tell(event, said)

    async def tell_again(self, guild: int) -> None:
        """Deliver the last event once more, as Discord may after a resume."""
        session = self.session_of(guild)
        _, event, said = session.kept[-1]
        await session.tell(event, said)

    async def order(self, op: int, said: object = None) -> None:
        """Send RECONNECT or INVALID to all shards."""
        await asyncio.gather(*(each.line.say(op, said) for each in self.sessions.values()))

    async def garbage(self, text: str = "{not json") -> None:
        """Send a malformed frame to all shards."""
        await asyncio.gather(*(each.line.raw(text) for each in self.sessions.values()))

    def cut(self) -> None:
        """Abort all connections without a close frame; the sessions can be resumed."""
        for each in self.sessions.values():
            request = each.line.socket._req
            if request is not None and request.transport is not None:
                request.transport.abort()

    def forget(self) -> None:
        """Forget all sessions and when they were identified, for a new process."""
        self.sessions.clear()
        self._identified.clear()
