"""The HTTP routes. A route is a function with `@route`: it gets the call and returns Discord's answer.

None is an empty answer. If Discord would refuse the request, the function raises `RefusedError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from testkit.sockets.gateway import Gateway
from testkit.sockets.limits import DELETIONS, EDITS, FOLLOW_UPS, OLD_EDITS, POSTS, Limits, Rule
from testkit.sockets.world import APPLICATION, BOT, Json, Message, RefusedError, World

Handler = TypeVar("Handler", bound="Callable[[Call], object]")
ROUTES: dict[tuple[str, str], tuple[Callable[[Call], object], Rule | None, str]] = {}
"""Handler, rule and the part of the path that the rule counts by, for each method and path."""
OLD = 3_600.0
"""Age of a message, in seconds, above which `OLD_EDITS` limits its edits, too."""


def route(method: str, path: str, rule: Rule | None = None, by: str = "") -> Callable[[Handler], Handler]:
    """Register a function; `rule` limits it for each value of the part `by` of the path."""

    def register(function: Handler) -> Handler:
        ROUTES[method, path] = (function, rule, by)
        return function

    return register


class Served(Protocol):
    """What the routes use of the Discord that they belong to."""

    world: World
    gateway: Gateway
    limits: Limits
    nonces: dict[str, Message]
    heard_at: float


@dataclass
class Call:
    """One request: the server it was made to, the parts of its path, its body."""

    discord: Served
    parts: dict[str, str]
    body: Any

    @property
    def world(self) -> World:
        return self.discord.world

    def number(self, name: str) -> int:
        return int(self.parts[name])


@route("GET", "/users/@me")
def _me(call: Call) -> Json:
    return BOT


@route("GET", "/oauth2/applications/@me")
def _application(call: Call) -> Json:
    return APPLICATION


@route("GET", "/gateway/bot")
def _gateway(call: Call) -> Json:
    gateway = call.discord.gateway
    limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": gateway.max_concurrency}
    return {"url": gateway.url, "shards": gateway.shards, "session_start_limit": limit}


@route("GET", "/applications/{application}/commands")
def _commands(call: Call) -> list[Json]:
    return list(call.world.commands.values())


@route("PUT", "/applications/{application}/commands")
def _register(call: Call) -> list[Json]:
    made: list[Json] = [
        {"default_member_permissions": None, "nsfw": False, **each, "id": str(call.world.snowflake()),
         "application_id": "5", "version": "1"}
        for each in call.body
    ]  # fmt: skip
    call.world.commands = {each["name"]: each for each in made}
    return made


@route("GET", "/applications/{application}/emojis")
def _emojis(call: Call) -> Json:
    return {"items": list(call.world.emojis.values())}


@route("POST", "/applications/{application}/emojis")
def _upload(call: Call) -> Json:
    name = call.body["name"]
    if name in call.world.emojis:
        raise RefusedError(400, 50035, "the name is taken")
    flags: Json = {"animated": False, "available": True, "managed": False, "require_colons": True, "roles": []}
    call.world.emojis[name] = {"id": str(call.world.snowflake()), "name": name, "user": BOT, **flags}
    return call.world.emojis[name]


@route("GET", "/channels/{channel}")
def _channel(call: Call) -> Json:
    if call.number("channel") not in call.world.channels:
        raise RefusedError(404, 10003, "Unknown Channel")
    return call.world.channels[call.number("channel")]


@route("PATCH", "/channels/{channel}")
def _change_channel(call: Call) -> Json:
    found = _channel(call)
    if "archived" in call.body:
        found["thread_metadata"]["archived"] = call.body["archived"]
    return found


@route("POST", "/channels/{channel}/messages", POSTS, "channel")
def _post(call: Call) -> Json:
    nonce = call.body.get("nonce")
    made = call.discord.nonces.get(nonce) if call.body.get("enforce_nonce") else None
    made = made or call.world.post(call.number("channel"), call.body)
    if nonce is not None:
        call.discord.nonces[nonce] = made
    return made.payload


@route("GET", "/channels/{channel}/messages/{message}")
def _message(call: Call) -> Json:
    return call.world.message(call.number("channel"), call.number("message")).payload


@route("PATCH", "/channels/{channel}/messages/{message}", EDITS, "channel")
def _edit(call: Call) -> Json:
    found = _found(call)
    if call.world.now() - found.made_at > OLD and call.discord.limits.take(OLD_EDITS, "old edits", found.channel)[1]:
        raise RefusedError(429, 30046, "Maximum number of edits to messages older than 1 hour reached")
    call.world.edit(found, call.body)
    return found.payload


@route("DELETE", "/channels/{channel}/messages/{message}", DELETIONS, "channel")
def _delete(call: Call) -> None:
    del call.world.messages[_found(call).id]


def _found(call: Call) -> Message:
    found = call.world.message(call.number("channel"), call.number("message"))
    if found.channel in call.world.closed:
        raise RefusedError(403, 50001, "Missing Access")
    return found


@route("POST", "/interactions/{number}/{token}/callback")
def _answer(call: Call) -> Json:
    kept = call.world.asked(call.parts["token"], number=call.number("number"))
    message = call.world.answer(kept, call.body)
    kept.answered.set_result((call.body, call.discord.heard_at))
    call.world.changed()
    return {
        "interaction": {"id": str(kept.id), "type": 2 if kept.message is None else 3,
                        "response_message_id": message and str(message.id)},
        "resource": {"type": call.body["type"], **({"message": message.payload} if message else {})},
    }  # fmt: skip


@route("POST", "/webhooks/{application}/{token}", FOLLOW_UPS, "token")
def _follow(call: Call) -> Json:
    return call.world.follow(call.world.asked(call.parts["token"]), call.body).payload


@route("GET", "/webhooks/{application}/{token}/messages/{message}", FOLLOW_UPS, "token")
def _followed(call: Call) -> Json:
    return call.world.of_token(call.world.asked(call.parts["token"]), call.parts["message"]).payload


@route("PATCH", "/webhooks/{application}/{token}/messages/{message}", FOLLOW_UPS, "token")
def _edit_followed(call: Call) -> Json:
    kept = call.world.asked(call.parts["token"])
    if kept.answered.done() and kept.original is None and call.parts["message"] == "@original":
        return call.world.follow(kept, call.body).payload  # fills the answer that was deferred
    found = call.world.of_token(kept, call.parts["message"])
    call.world.edit(found, call.body)
    return found.payload


@route("DELETE", "/webhooks/{application}/{token}/messages/{message}", FOLLOW_UPS, "token")
def _delete_followed(call: Call) -> None:
    found = call.world.of_token(call.world.asked(call.parts["token"]), call.parts["message"])
    del call.world.messages[found.id]
