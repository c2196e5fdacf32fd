"""A Discord on a port: gateway and routes over one world, with faults on demand."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias, TypeVar, Unpack

from aiohttp import web

from testkit.sockets.gateway import Gateway, GatewayOptions
from testkit.sockets.limits import ALTOGETHER, Limits, Rule, Taken
from testkit.sockets.routes import ROUTES, Call
from testkit.sockets.world import Message, RefusedError, World

T = TypeVar("T")
BASE = "/api/v10"
UNCOUNTED = (f"{BASE}/interactions/", f"{BASE}/webhooks/")
"""Paths that do not count against the global limit."""
LARGEST = 25 << 20
"""The largest request, in bytes."""


Fail: TypeAlias = tuple[str, str, int, int]
Cut: TypeAlias = tuple[str, str, str]
Fault = TypeVar("Fault", Fail, Cut)


@dataclass
class Trouble:
    """Faults to inject.

    `fails` are answers (method, part of the path, status, code) that are given once each, in place of handling the
    request. `cuts` are connections (method, part of the path, "before" or "after" it was handled) that break once each.
    `latency` is the number of seconds by which every answer is late. While `silent` is set nothing is answered, and
    while `away` is set every connection breaks.
    """

    fails: list[Fail] = field(default_factory=list[Fail])
    cuts: list[Cut] = field(default_factory=list[Cut])
    latency: float = 0.0
    silent: bool = False
    away: bool = False

    def take(self, among: list[Fault], request: web.Request, *rest: str) -> Fault | None:
        """The first entry for a request, which uses it up."""
        for each in among:
            if each[0] == request.method and each[1] in request.path and each[2 : 2 + len(rest)] == rest:
                among.remove(each)
                return each
        return None


class Heard(NamedTuple):
    """A request: when it came (of `time.perf_counter`), its route, the parts of its path, the status of the answer.

    `uploaded` is the size of its files in bytes.
    """

    at: float
    method: str
    route: str
    parts: dict[str, str]
    status: int
    uploaded: int = 0


class Discord:
    """All of Discord that a bot sees.

    `asked` counts requests by method and route, `listeners` are called with each that was `Heard`.
    """

    def __init__(
        self,
        world: World | None = None,
        *,
        monotonic: Callable[[], float] = time.monotonic,
        **gateway: Unpack[GatewayOptions],
    ) -> None:
        self.world = world or World()
        self.gateway = Gateway(self.world, monotonic=monotonic, **gateway)
        self.limits, self.trouble = Limits(monotonic=monotonic), Trouble()
        self.listeners = list[Callable[[Heard], object]]()
        self.port, self.asked, self.heard_at = 0, Counter[tuple[str, str]](), 0.0
        self.nonces = dict[str, Message]()
        self.app = web.Application(client_max_size=LARGEST)
        for path in ("/gateway", "/gateway/"):
            self.app.router.add_get(path, self.gateway.connect)
        for (method, path), (function, rule, by) in ROUTES.items():
            self.app.router.add_route(method, BASE + path, self._handler(function, rule, by, (method, path)))

    def _handler(
        self, function: Callable[[Call], object], rule: Rule | None, by: str, name: tuple[str, str]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            if self.trouble.away:
                return _cut(request)
            heard_at = time.perf_counter()
            body, uploaded = await _body_of(request)
            self.asked[name] += 1
            self.heard_at = heard_at
            answer = self._answer(request, function, (rule, by, name), body)
            for listener in self.listeners:
                listener(Heard(heard_at, *name, dict(request.match_info), answer.status, uploaded))
            self.world.changed()
            if self.trouble.silent:
                await asyncio.Event().wait()
            if self.trouble.latency:
                await asyncio.sleep(self.trouble.latency)
            return answer

        return handle

    def _answer(
        self,
        request: web.Request,
        function: Callable[[Call], object],
        limit: tuple[Rule | None, str, tuple[str, str]],
        body: Any,
    ) -> web.Response:
        trouble = self.trouble
        if trouble.take(trouble.cuts, request, "before"):
            return _cut(request)
        if fail := trouble.take(trouble.fails, request):
            return _json(fail[2], {"code": fail[3], "message": "on purpose"})
        headers, refusal = self._limited(request, *limit)
        if refusal is not None:
            return refusal
        try:
            found = function(Call(self, dict(request.match_info), body))
        except RefusedError as refused:
            return _json(refused.status, {"code": refused.code, "message": refused.message}, headers)
        if trouble.take(trouble.cuts, request, "after"):
            return _cut(request)
        return web.Response(status=204, headers=headers) if found is None else _json(200, found, headers)

    def _limited(
        self, request: web.Request, rule: Rule | None, by: str, name: tuple[str, str]
    ) -> tuple[dict[str, str], web.Response | None]:
        """The rate-limit headers, and the answer to a request that is one too many."""
        is_counted = not request.path.startswith(UNCOUNTED)
        taken = self.limits.take(ALTOGETHER, "all") if is_counted else None
        if taken is not None and taken.retry_after:
            return {}, _too_many(taken, is_global=True)
        if rule is None:
            return {}, None
        taken = self.limits.take(rule, " ".join(name), request.match_info[by])
        return taken.headers, _too_many(taken, is_global=False) if taken.retry_after else None

    async def until(self, happened: Callable[[], T | None]) -> T:
        return await self.world.until(happened)

    def leave(self) -> None:
        """Be out of reach until `come_back`."""
        self.trouble.away, self.gateway.is_there = True, False
        self.gateway.cut()

    def come_back(self) -> None:
        """Be in reach again; the sessions can be resumed."""
        self.trouble.away, self.gateway.is_there = False, True


async def _body_of(request: web.Request) -> tuple[Any, int]:
    """What a request says, and how many bytes of files came with it."""
    if request.content_type == "multipart/form-data":
        form = await request.post()
        uploaded = sum(len(each.file.read()) for each in form.values() if isinstance(each, web.FileField))
        payload = form.get("payload_json")
        assert not isinstance(payload, web.FileField), "it is text"
        return dict(form) if payload is None else json.loads(payload), uploaded
    text = await request.text()
    return json.loads(text) if text else {}, 0


def _json(status: int, found: object, headers: dict[str, str] | None = None) -> web.Response:
    # Exactly this content type: with a charset, discord.py would treat the body as text.
    headers = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(body=json.dumps(found).encode(), status=status, headers=headers)


def _too_many(taken: Taken, *, is_global: bool) -> web.Response:
    rest = round(taken.retry_after, 3)
    headers = {**taken.headers, "Retry-After": str(rest), "Via": "1.1 discord"}
    headers["X-RateLimit-Scope"] = "global" if is_global else "user"
    return _json(429, {"message": "You are being rate limited.", "retry_after": rest, "global": is_global}, headers)


def _cut(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


@asynccontextmanager
async def discord_on_sockets(
    world: World | None = None,
    *,
    monotonic: Callable[[], float] = time.monotonic,
    **gateway: Unpack[GatewayOptions],
) -> AsyncGenerator[Discord]:
    """A Discord on a free port."""
    there = Discord(world, monotonic=monotonic, **gateway)
    runner = web.AppRunner(there.app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    there.port = runner.addresses[0][1]
    there.gateway.url = f"ws://127.0.0.1:{there.port}/gateway"
    try:
        yield there
    finally:
        await runner.cleanup()
