"""Makes SimCord's page follow the game; the only module that uses private names of SimCord.

On its own, the page shows what others did only after a refresh, and its clock stands still. When two people press at
the same moment, it rejects one of them, and it rejects clicks on a page that was redrawn meanwhile. Changes of its
scripts are in `sandbox.page`. `PRIVATE` lists every private name used here, and a test looks for each.
"""

# pyright: reportPrivateUsage=false
# ruff: noqa: SLF001 - using private names is the purpose of this module, and of no other

from __future__ import annotations

import asyncio
import json
import re
import struct
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

from simcord import Env, Preview, SetupError
from simcord.preview import _action_plans as plans
from simcord.preview import _component_projection as projection
from simcord.preview import _media as media
from simcord.preview import _messages as messages

from cogs.screens.components import BUTTON
from cogs.screens.ids import parse_id
from sandbox.page import CHANGES

PRIVATE: Final[Mapping[str, tuple[str, ...]]] = {
    "env": ("_move_clock", "_operation_task", "_settle_internal"),
    "media": ("MediaInfo", "MediaWorker"),
    "messages": ("markdown_tokens",),
    "clock": ("_epoch",),
    "plans": ("_component_key", "_component_paths"),
    "preview": (
        "_action",
        "_action_page",
        "_advance_presentation_time",
        "_authorize_asset",
        "_media_worker",
        "_page_payload",
        "_pages",
        "_publish",
        "_server",
    ),
    "projection": ("markdown_tokens",),
    "server": ("_static",),
}
Control: TypeAlias = tuple[int, str]
"""The type and the custom id of a component that can be pressed."""
TICK: Final = 0.5
"""Seconds between two steps of the clock; the page polls as often."""
KEPT: Final = 500
"""How many entries of SimCord's own logs are kept."""
IDLE: Final = 0.001
"""Seconds that SimCord waits after a click for late tasks; the bot has none."""
MOST_TEXTS: Final = 2000
"""How many parsed texts are cached."""
DRAWINGS: Final = 8
"""How many drawings of a page are remembered; an older one is on nobody's screen any more."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_NEWS: Final = ("MESSAGE_", "CHANNEL_")
_TIMESTAMP: Final = re.compile(r'"unix": (\d+), "style": "R"')


def set_time(env: Env, moment: datetime) -> None:
    """Set the clock of the simulated world, by which everything created in it is dated, ids included."""
    clock = env.backend.clock
    clock._epoch = moment - timedelta(seconds=clock.elapsed)


async def run_clock(env: Env) -> None:
    """Keep the world's clock in step with the real one until cancelled; it pauses while an operation is running."""
    loop = asyncio.get_running_loop()
    behind = loop.time() - env.backend.clock.elapsed
    while True:
        if env._operation_task is None:
            env._move_clock(loop.time() - behind)
            set_time(env, datetime.now(UTC))
            del env.backend.transcript[:-KEPT]
            del env.backend.http_requests[:-KEPT]
        await asyncio.sleep(TICK)


def with_changes(preview: Preview) -> Preview:
    """Apply the changes of `sandbox.page` to a page that is not served yet."""
    server = preview._server
    static = server._static

    async def served(request: Any) -> Any:
        file = await static(request)
        for old, new in CHANGES.get(request.path.removeprefix("/"), ()):
            file.text = file.text.replace(old, new)
        return file

    vars(server)["_static"] = served
    return preview


def live(preview: Preview) -> None:
    """Make every open page show within a second what anybody, the computer or the clock did."""
    speed_up()
    preview._media_worker = Trusting()
    pages = _Pages(preview)
    preview._publish, preview._page_payload, preview._action = pages.publish, pages.payload, pages.action
    vars(preview)["_authorize_asset"] = drawn
    backend, edit = preview.env.backend, preview.env.backend.edit_message

    def edit_and_mark(*args: Any, **options: Any) -> Any:
        """Private messages are edited without an event."""
        message = edit(*args, **options)
        pages.mark_stale(_NEWS[0], message)
        return message

    vars(backend)["edit_message"] = edit_and_mark
    backend.subscribers.insert(0, pages.restore_id)  # before the subscriber that passes events on to the bot
    backend.subscribers.append(pages.mark_stale)


def speed_up() -> None:
    """Avoid SimCord's two largest costs: waiting after each click, and parsing the same text again."""
    vars(Env)["_settle_internal"].__kwdefaults__["idle"] = IDLE
    found: Any = vars(messages)["markdown_tokens"]
    if not hasattr(found, "known"):
        messages.__dict__["markdown_tokens"] = projection.__dict__["markdown_tokens"] = cached(found)


def drawn(page: Any, asset_id: str, *, content: bool = True) -> Any:
    """A picture of this page, until the page is redrawn.

    SimCord withholds it as soon as its message has another picture or is gone, and the page says "unavailable".
    """
    record = page.assets.get(asset_id)
    if record is None or (content and not record.available):
        raise SetupError("no such picture on this page")
    return record


class Trusting(media.MediaWorker):
    """Trusts PNGs, which were all drawn here. SimCord itself starts a process for each and rejects the ninth."""

    async def validate(self, key: str, blob: bytes, *, media_time: float | None = None) -> media.MediaInfo:
        """The facts about a picture that the page needs."""
        if not blob.startswith(_PNG):
            return await super().validate(key, blob, media_time=media_time)
        width, height = struct.unpack_from(">II", blob, len(_PNG) + 8)
        return media.MediaInfo("PNG", width, height, 1, 4 * width * height, blob, "image/png", memory_limited=True)


def cached(parse: Callable[..., list[dict[str, Any]]]) -> Callable[..., list[dict[str, Any]]]:
    """Cache what a parser returns. Each call gets a copy of its own, which the caller may change."""
    known = dict[tuple[str, str, str], str]()

    def parsed(value: object, profile: str = "message", *, context: Any = None) -> list[dict[str, Any]]:
        key = (repr(value), profile, json.dumps(context, sort_keys=True, default=str))
        if key not in known:
            if len(known) >= MOST_TEXTS:
                known.clear()
            known[key] = json.dumps(parse(value, profile, context=context))
        return json.loads(known[key])

    vars(parsed)["known"] = known
    return parsed


class _Pages:
    """Wraps three methods of a preview.

    A page is redrawn when it polls, and at no other time. SimCord knows a click by its place alone, and refuses one on
    an older drawing. Here such a click moves to the same button on the newest drawing, wherever that is now. The bot
    gets the id that the person saw, as on Discord, and says itself what is out of date.
    """

    def __init__(self, preview: Preview) -> None:
        self._preview = preview
        self._stale = set[str]()
        self._seen = dict[str, dict[int, dict[str, Control]]]()
        self._id_seen = ""
        self._one_at_a_time = asyncio.Lock()
        self._publish, self._payload, self._action = preview._publish, preview._page_payload, preview._action

    def mark_stale(self, event: str, _payload: object) -> None:
        """Mark every page as stale when a message or a channel has changed."""
        if event.startswith(_NEWS):
            self._stale.update(self._preview._pages)

    def restore_id(self, event: str, payload: Any) -> None:
        """Put the id that the person saw into the click that is on its way to the bot."""
        if event == "INTERACTION_CREATE" and self._id_seen:
            payload["data"] = {**payload["data"], "custom_id": self._id_seen}
            self._id_seen = ""

    def publish(self, page: Any, *, reason: Any = "action") -> None:
        """Draw a page; if somebody else's click is the reason, only mark it as stale."""
        if reason == "action" and page is not self._preview._action_page:
            self._stale.add(page.id)
        else:
            self._stale.discard(page.id)
            self._publish(page, reason=reason)
            open_pages = self._preview._pages
            self._seen = {key: seen for key, seen in self._seen.items() if key in open_pages}
            before = list(self._seen.get(page.id, {}).items())[1 - DRAWINGS :]
            self._seen[page.id] = {**dict(before), page.revision: controls(self._preview.env, page.channel_id)}

    def payload(self, page: Any) -> dict[str, Any]:
        """The answer to a page that polls."""
        if page.id in self._stale and self._preview.env._operation_task is None:
            self._preview._advance_presentation_time()
            self.publish(page, reason="refresh")
        return aged(self._payload(page), self._preview.env.now())

    async def action(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        """Handle what a person did; one action waits for another."""
        async with self._one_at_a_time:
            page = self._preview._pages.get(context_id or "")
            if page is not None and body.get("sequence") == page.last_sequence + 1:  # not a retry
                body = self._on_newest(page, body)
            try:
                return await self._action(context_id, body)
            finally:
                self._id_seen = ""

    def _on_newest(self, page: Any, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The action as if made on the newest drawing, where only what can be pressed has moved."""
        now = {**body, "published_revision": page.revision}
        if body.get("kind") not in {"click", "select"}:
            return now
        key = str(body.get("control_key"))
        seen = self._seen.get(page.id, {}).get(body.get("published_revision", 0), {}).get(key)
        place = place_of(seen, key, controls(self._preview.env, page.channel_id)) if seen else None
        if seen is None or place is None:
            self._stale.add(page.id)
            return {**body, "published_revision": None}  # refused: the page says so, and shows what is new
        self._id_seen = seen[1]
        return {**now, "control_key": place}


def place_of(seen: Control, key: str, now: Mapping[str, Control]) -> str | None:
    """The current place, in the same message, of the control that was seen at a place; None if it has none.

    Any other button can stand in for a button that is gone, because the bot gets the id that was seen.
    """
    message, _, _ = key.rpartition(":component:")
    there = {place: found for place, found in now.items() if place.startswith(f"{message}:")}
    same = [place for place, (_, each) in there.items() if alike(each, seen[1])]
    if same:  # of several selects for one choice, such as those of the variants, the one that was seen
        return min(same, key=lambda place: abs(_nth(there[place][1]) - _nth(seen[1])))
    return next((place for place, (kind, _) in there.items() if kind == seen[0] == BUTTON), None)


def _nth(custom_id: str) -> int:
    """The number by which `format_id` keeps equal ids within a message apart."""
    return int(custom_id.partition("~")[2] or 1)


def controls(env: Env, channel_id: int) -> dict[str, Control]:
    """Everything that can be pressed in a channel, by its place."""
    return {
        key: (part["type"], part["custom_id"])
        for message in env.backend.messages[channel_id].values()
        for nth, root in enumerate(message.components)
        for path, part in plans._component_paths(root, str(nth))
        if (key := plans._component_key(part, path, message.id)) is not None
        and part.get("custom_id")
        and not part.get("disabled")
    }


def alike(one: str, other: str) -> bool:
    """Whether two ids mean the same thing, whatever the revisions of the table in them."""
    first, second = parse_id(one), parse_id(other)
    if first is None or second is None:
        return one == other
    return (first.verb, first.table, first.argument) == (second.verb, second.table, second.argument)


def aged(payload: dict[str, Any], now: datetime) -> dict[str, Any]:
    """The payload as of now. A message that says "in 2 minutes" is redrawn when that is no longer true."""
    payload["profile"]["presentationTime"] = now.isoformat()
    for message in payload["messages"].values():
        times = _TIMESTAMP.findall(json.dumps(message))
        if times:
            message["as_of"] = [_rounded(int(unix) - now.timestamp()) for unix in times]
    return payload


def _rounded(seconds: float) -> int:
    """The difference as precisely as it is shown: to the minute, in the last minute to ten seconds."""
    step = 10 if abs(seconds) < 60 else 60  # noqa: PLR2004 - a minute
    return round(seconds / step) * step
