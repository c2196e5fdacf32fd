"""The contents of a simulated Discord: servers, channels, messages and interactions, with Discord's rules for them.

Uses no sockets. Payloads are dicts as Discord sends them. Every refusal is a `RefusedError` with Discord's own code.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias, TypeVar

Json: TypeAlias = dict[str, Any]
"""An object as Discord sends it."""
T = TypeVar("T")
EPOCH = 1_420_070_400_000
"""The time at which Discord's ids begin, in milliseconds since 1970."""
FIRST_GUILD = 1 << 60
EPHEMERAL, LAYOUT = 1 << 6, 1 << 15
EVERYTHING = (1 << 53) - 1
"""All permissions."""
FIRST_ANSWER, TOKEN_LIFE = 3.0, 900.0
"""Seconds for the first answer to an interaction, and for everything after it."""
MOST_COMPONENTS, MOST_TEXT, LONGEST_ID = 40, 4_000, 100
MESSAGE, LATER_MESSAGE, LATER_UPDATE, UPDATE = 4, 5, 6, 7
BUTTON, SELECT, TEXT = 2, 3, 10
BOT: Json = {"id": "5", "username": "Cards", "discriminator": "0", "avatar": None, "bot": True}
APPLICATION: Json = {
    "id": "5", "name": "Cards", "description": "", "icon": None, "bot_public": True, "verify_key": "x",
    "bot_require_code_grant": False, "owner": BOT, "flags": 0,
}  # fmt: skip
_STAMP = "2026-01-01T00:00:00+00:00"


class RefusedError(Exception):
    """A refusal by Discord: an HTTP status and Discord's own error code."""

    def __init__(self, status: int, code: int, message: str = "refused") -> None:
        super().__init__(f"{status}/{code}: {message}")
        self.status, self.code, self.message = status, code, message


def member(user: Json) -> Json:
    return {
        "user": user, "roles": [], "joined_at": _STAMP, "deaf": False, "mute": False, "flags": 0,
        "permissions": str(EVERYTHING),
    }  # fmt: skip


def server_payload(number: int, channels: list[Json]) -> Json:
    """A server as GUILD_CREATE tells it."""
    lists = ("threads", "emojis", "stickers", "features", "voice_states", "presences", "stage_instances")
    zeros = ("premium_tier", "verification_level", "explicit_content_filter", "default_message_notifications",
             "mfa_level", "nsfw_level", "system_channel_flags")  # fmt: skip
    everyone = {
        "id": str(number), "name": "@everyone", "permissions": str(EVERYTHING), "position": 0, "color": 0,
        "colors": {"primary_color": 0}, "hoist": False, "managed": False, "mentionable": False, "flags": 0,
    }  # fmt: skip
    return {
        "id": str(number), "name": f"server {number}", "owner_id": "1", "member_count": 300, "large": False,
        "unavailable": False, "channels": channels, "roles": [everyone], "members": [member(BOT)],
        "preferred_locale": "en-US", "afk_timeout": 60, "guild_scheduled_events": [], "soundboard_sounds": [],
        **{name: [] for name in lists}, **dict.fromkeys(zeros, 0),
    }  # fmt: skip


def walk(components: Iterable[Json]) -> Iterator[Json]:
    """All components of a message, nested ones too."""
    for each in components:
        yield each
        yield from walk(each.get("components", ()))
        if "accessory" in each:
            yield from walk([each["accessory"]])


@dataclass
class Message:
    """A message; `seen_by` is the only person who sees it, None is everybody."""

    payload: Json
    channel: int
    made_at: float
    seen_by: int | None = None

    @property
    def id(self) -> int:
        return int(self.payload["id"])

    def ids(self) -> list[str]:
        """The ids of everything that can be pressed."""
        found = [each for each in walk(self.payload["components"]) if each["type"] in {BUTTON, SELECT}]
        return [each["custom_id"] for each in found if "custom_id" in each and not each.get("disabled")]

    def options(self, custom_id: str) -> list[str]:
        """The values of a select."""
        found = next(each for each in walk(self.payload["components"]) if each.get("custom_id") == custom_id)
        return [each["value"] for each in found.get("options", ())]


def _unanswered() -> asyncio.Future[tuple[Json, float]]:
    return asyncio.get_running_loop().create_future()


@dataclass
class Interaction:
    """A command or a click, from its delivery to the end of its token."""

    id: int
    token: str
    user: int
    channel: int
    made_at: float
    message: Message | None = None
    original: Message | None = None
    is_hidden: bool = False
    answered: asyncio.Future[tuple[Json, float]] = field(default_factory=_unanswered)
    """The first answer, and when it came, by `time.perf_counter`."""


class World:
    """Servers, channels and messages. AutoMod blocks the words in `forbidden`; the bot may not post in `closed`."""

    def __init__(self, *, now: Callable[[], float] = time.time) -> None:
        self.now = now
        self.guilds, self.channels, self.messages = dict[int, Json](), dict[int, Json](), dict[int, Message]()
        self.interactions = dict[str, Interaction]()
        self.commands, self.emojis = dict[str, Json](), dict[str, Json]()
        self.forbidden, self.closed = set[str](), set[int]()
        self.permissions = EVERYTHING
        self._numbers = count(1)
        self._news = asyncio.Event()

    def snowflake(self) -> int:
        """A new id, as Discord makes them: the time, and in the lower 22 bits a counter."""
        return (int(self.now() * 1000) - EPOCH) << 22 | next(self._numbers) & 0x3FFFFF

    def add_guilds(self, number: int, channels: int = 1) -> list[int]:
        """Create servers; returns the ids of their channels in order."""
        made = list[int]()
        for _ in range(number):
            guild = FIRST_GUILD + (len(self.guilds) << 22)
            there: list[Json] = [
                {"id": str(guild + 1 + nth), "type": 0, "name": f"channel-{nth}", "position": nth,
                 "permission_overwrites": []} for nth in range(channels)
            ]  # fmt: skip
            self.guilds[guild] = server_payload(guild, there)
            self.channels |= {int(each["id"]): each | {"guild_id": str(guild)} for each in there}
            made += [int(each["id"]) for each in there]
        return made

    def add_thread(self, channel: int, *, archived: bool = False) -> int:
        """Open a thread in a channel; returns its id."""
        number = self.snowflake()
        state = {"archived": archived, "auto_archive_duration": 1440, "archive_timestamp": _STAMP, "locked": False}
        self.channels[number] = {
            "id": str(number), "type": 11, "name": "thread", "parent_id": str(channel), "owner_id": "1",
            "guild_id": self.channels[channel]["guild_id"], "message_count": 0, "member_count": 1,
            "thread_metadata": state,
        }  # fmt: skip
        return number

    def guild_of(self, channel: int) -> int:
        return int(self.channels[channel]["guild_id"])

    def changed(self) -> None:
        """Make everybody who waits in `until` look again."""
        self._news.set()
        self._news = asyncio.Event()

    async def until(self, happened: Callable[[], T | None]) -> T:
        """Wait until `happened` returns something true, and return that."""
        while not (found := happened()):
            await self._news.wait()
        return found

    # Messages.

    def post(self, channel: int, body: Json, seen_by: int | None = None) -> Message:
        """A new message of the bot."""
        if channel not in self.channels:
            raise RefusedError(404, 10003, "Unknown Channel")
        if seen_by is None:
            self._require_rights(channel)
        payload: Json = {
            "id": str(self.snowflake()), "channel_id": str(channel), "author": BOT, "content": "", "type": 0,
            "tts": False, "timestamp": _STAMP, "edited_timestamp": None, "mention_everyone": False, "mentions": [],
            "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "components": [], "flags": 0,
        }  # fmt: skip
        message = Message(payload, channel, self.now(), seen_by)
        self.edit(message, body)
        self.messages[message.id] = message
        return message

    def edit(self, message: Message, body: Json) -> None:
        """Give a message new content; refused content changes nothing."""
        changed = {name: body[name] for name in ("content", "embeds", "components", "flags") if name in body}
        if message.seen_by is not None:
            changed["flags"] = changed.get("flags", message.payload["flags"]) | EPHEMERAL
        if body.get("attachments") is not None:
            changed["attachments"] = [self._attachment(each) for each in body["attachments"]]
        after = message.payload | changed
        self._require_valid(after)
        message.payload = after
        self.changed()

    def message(self, channel: int, number: int) -> Message:
        """A public message; private ones exist only in their owner's client."""
        found = self.messages.get(number)
        if channel not in self.channels:
            raise RefusedError(404, 10003, "Unknown Channel")
        if found is None or found.channel != channel or found.seen_by is not None:
            raise RefusedError(404, 10008, "Unknown Message")
        return found

    def public(self, channel: int) -> Message | None:
        """The newest message that everybody in a channel sees; None if there is none."""
        there = [each for each in self.messages.values() if each.channel == channel and each.seen_by is None]
        return max(there, key=lambda each: each.id, default=None)

    def _require_rights(self, channel: int) -> None:
        if channel in self.closed:
            raise RefusedError(403, 50013, "Missing Permissions")
        if self.channels[channel].get("thread_metadata", {}).get("archived"):
            raise RefusedError(400, 50083, "Thread is archived")

    def _attachment(self, said: Json) -> Json:
        number = str(said["id"]) if len(str(said["id"])) > LONGEST_ID // 10 else str(self.snowflake())
        name = said.get("filename", "file")
        url = f"https://cdn.invalid/{number}/{name}"
        return {"id": number, "filename": name, "size": said.get("size", 0), "url": url, "proxy_url": url}

    def _require_valid(self, payload: Json) -> None:
        every = list(walk(payload["components"]))
        for number, each in enumerate(every, 1):
            each.setdefault("id", number)
        if payload["flags"] & LAYOUT:
            text = "".join(each["content"] for each in every if each["type"] == TEXT)
            if payload["content"] or payload["embeds"] or len(every) > MOST_COMPONENTS or len(text) > MOST_TEXT:
                raise RefusedError(400, 50035, "Invalid Form Body")
        else:
            text = payload["content"] or ""
        pressed = [each["custom_id"] for each in every if "custom_id" in each]
        if len(set(pressed)) < len(pressed) or any(not 0 < len(each) <= LONGEST_ID for each in pressed):
            raise RefusedError(400, 50035, "Invalid Form Body")
        if any(word in text for word in self.forbidden):
            raise RefusedError(400, 200000, "Message was blocked by automatic moderation")

    # Interactions.

    def interaction(
        self, kind: int, user: Json, channel: int, data: Json, message: Message | None = None
    ) -> tuple[Interaction, Json]:
        """The record that is kept of a command (2) or a click (3), and what Discord sends to the bot."""
        number = self.snowflake()
        kept = Interaction(number, f"token-{number}", user["number"], channel, self.now(), message)
        self.interactions[kept.token] = kept
        shown = {"id": str(user["number"]), "username": user["name"].lower(), "global_name": user["name"],
                 "discriminator": "0", "avatar": None}  # fmt: skip
        sent: Json = {
            "id": str(number), "application_id": "5", "type": kind, "token": kept.token, "version": 1, "data": data,
            "guild_id": str(self.guild_of(channel)), "channel_id": str(channel), "channel": self.channels[channel],
            "member": member(shown), "app_permissions": str(self.permissions), "locale": "en-US",
            "guild_locale": "en-US", "entitlements": [], "authorizing_integration_owners": {}, "context": 0,
            "attachment_size_limit": 10_000_000,
        }  # fmt: skip
        return kept, sent if message is None else sent | {"message": message.payload}

    def asked(self, token: str, *, number: int | None = None) -> Interaction:
        """The interaction of a token that is still valid; with its `number`, for the first answer only."""
        kept = self.interactions.get(token)
        if kept is None or (number is not None and kept.id != number):
            raise RefusedError(404, 10062, "Unknown interaction")
        age = self.now() - kept.made_at
        if age > TOKEN_LIFE:
            raise RefusedError(401, 50027, "Invalid Webhook Token")
        if number is not None and kept.answered.done():
            raise RefusedError(400, 40060, "Interaction has already been acknowledged")
        if number is not None and age > FIRST_ANSWER:
            raise RefusedError(404, 10062, "Unknown interaction")
        return kept

    def answer(self, kept: Interaction, body: Json) -> Message | None:
        """Accept the first answer to an interaction; returns the message that it made or changed, if any."""
        kind: int = body["type"]
        data: Json = body.get("data") or {}
        kept.is_hidden = bool(data.get("flags", 0) & EPHEMERAL)
        if kind == MESSAGE:
            kept.original = self.post(kept.channel, data, kept.user if kept.is_hidden else None)
        elif kind in {LATER_UPDATE, UPDATE}:
            if kept.message is None:
                raise RefusedError(400, 50035, "Invalid Form Body")
            kept.original = kept.message
            if kind == UPDATE:
                self.edit(kept.message, data)
        return kept.original

    def follow(self, kept: Interaction, body: Json) -> Message:
        """A message after the first answer; the first one after a defer replaces it and is as hidden as it was."""
        if not kept.answered.done():
            raise RefusedError(404, 10015, "Unknown Webhook")
        is_hidden = kept.is_hidden if kept.original is None else bool(body.get("flags", 0) & EPHEMERAL)
        made = self.post(kept.channel, body, kept.user if is_hidden else None)
        kept.original = kept.original or made
        return made

    def of_token(self, kept: Interaction, which: str) -> Message:
        """A message that a token may edit: its original, or one that is seen by the same person."""
        found = kept.original if which == "@original" else self.messages.get(int(which))
        if found is None or found.id not in self.messages or found.seen_by not in {None, kept.user}:
            raise RefusedError(404, 10008, "Unknown Message")
        return found
