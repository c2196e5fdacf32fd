"""Checks requests: messages with their files, first answers, threads, emojis."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Collection, Sequence
from typing import Any, Final

from simcord.http import router

from testkit.strict.commands import Commands
from testkit.strict.components import EMOJI_NAME, Components, text_of
from testkit.strict.notes import Data, walk

EPHEMERAL, SILENT, V2 = 1 << 6, 1 << 12, 1 << 15
MESSAGE: Final = "components flags allowed_mentions attachments"
SENT: Final = {
    r"POST /channels/\d+/messages": (V2 | SILENT, f"{MESSAGE} nonce enforce_nonce"),
    r"PATCH /channels/\d+/messages/\d+": (V2, MESSAGE),
    "POST /webhooks/[^/]+/[^/]+": (V2 | EPHEMERAL, MESSAGE),
    "PATCH /webhooks/[^/]+/[^/]+/messages/[^/]+": (V2, MESSAGE),
}
"""Requests that send a message: the flags and the keys that it may have. An edit makes no message ephemeral."""
EDITED: Final = re.compile(r"/channels/(\d+)/messages/(\d+)")
FILE_NAME: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
HALVES: Final = re.compile("[\ud800-\udfff]")
"""Surrogates, which UTF-8 cannot encode."""
FILE_SIZE, EMOJI_SIZE = 10 * 1024 * 1024, 256 * 1024
MESSAGE_ANSWER, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, FORM = 4, 5, 6, 7, 8, 9
COMMAND, PRESS, TYPING, SUBMITTED = 2, 3, 4, 5
ANSWERS: Final = {
    COMMAND: {MESSAGE_ANSWER, DEFERRED, FORM},
    PRESS: {MESSAGE_ANSWER, DEFERRED, DEFERRED_UPDATE, UPDATE, FORM},
    TYPING: {CHOICES},
    SUBMITTED: {MESSAGE_ANSWER, DEFERRED, DEFERRED_UPDATE, UPDATE},
}
"""First answers by the type of interaction. A form that no message has opened has none to update, either."""
CALLBACK: Final = re.compile(r"/interactions/(\d+)/[^/]+/callback")


class Strict(Components, Commands):
    """Checks requests, one by one; commands that are registered again only once, because that takes long."""

    def __init__(self) -> None:
        super().__init__()
        self._registered: Any = None

    def request(self, method: str, path: str, body: Any, files: Sequence[Any], kept: Collection[str] | None) -> None:
        """A request.

        `kept` are the files that an edited message has if the request says nothing of attachments; None if unknown.
        """
        self.where = f"{method} {path}"
        try:
            self._request(self.where, body, files, kept)
        except (AttributeError, KeyError, TypeError) as error:
            self.require(False, f"a part is missing, or of another type: {error!r}", body)

    def _request(self, called: str, body: Any, files: Sequence[Any], kept: Collection[str] | None) -> None:
        for pattern, (flags, keys) in SENT.items():
            if re.fullmatch(pattern, called):
                self.message(body, files, flags, keys, kept)
        if re.fullmatch("POST /interactions/[^/]+/[^/]+/callback", called):
            self.answer(body["type"], body.get("data"), files)
        elif re.fullmatch(r"POST /channels/\d+/messages/\d+/threads", called):
            self.words("name of a thread", body["name"], 100)
            self.require(body["auto_archive_duration"] in {60, 1440, 4320, 10080}, "auto_archive_duration", body)
        elif re.fullmatch("POST /applications/[^/]+/emojis", called):
            self.own_emoji(body)
        elif re.fullmatch("PUT /applications/.+/commands", called) and body != self._registered:
            self._registered = body
            self.commands(body)

    def answer(self, kind: int, data: Any, files: Sequence[Any]) -> None:
        """A first answer to an interaction."""
        if kind == MESSAGE_ANSWER:
            self.message(data, files, V2 | EPHEMERAL, MESSAGE)
        elif kind == UPDATE:
            self.message(data, files, V2, MESSAGE)
        elif kind == FORM:
            self.form(data)
        elif kind == CHOICES:
            self.choices(data["choices"])
        elif kind == DEFERRED:
            self.require(data in (None, {"flags": EPHEMERAL}), "a deferred answer", data)
        else:
            self.require(kind == DEFERRED_UPDATE and data is None, "a first answer", (kind, data))

    def answer_to(self, interaction: Any, kind: int) -> None:
        """Whether a first answer is of a type that fits what it answers; what is not there, Discord refuses itself."""
        if interaction is None:
            return
        asked = interaction.type
        self.require(kind in ANSWERS[asked], "the type of an answer", (asked, kind))
        if kind in {UPDATE, DEFERRED_UPDATE}:
            self.require(interaction.source_message_id, "no message to update", (asked, kind))

    def message(
        self, body: Data, files: Sequence[Any], flags: int, keys: str, kept: Collection[str] | None = ()
    ) -> None:
        """A message that is sent or edited."""
        self.keys("a message", body, keys)
        self.require(body["flags"] & V2 and not body["flags"] & ~flags, "flags", body["flags"])
        self.mentions(body["allowed_mentions"], text_of(walk(body["components"])))
        if "nonce" in body:
            self.words("nonce", body["nonce"], 25)
        self.screen(body["components"], self.attached(body, files, kept))
        self.require(not HALVES.search(json.dumps(body, ensure_ascii=False)), "half of a character", body)

    def mentions(self, allowed: Data, text: str) -> None:
        """Nobody is notified who is not named one by one, and mentioned."""
        users = allowed.get("users", [])
        self.require(allowed["parse"] == [] and set(allowed) <= {"parse", "users"}, "allowed_mentions", allowed)
        self.require(all(isinstance(user, str) and f"<@{user}>" in text for user in users), "notified", (users, text))
        self.unique("notified", users)
        self.size("people who are notified", len(users), 100)

    def attached(self, body: Data, files: Sequence[Any], kept: Collection[str] | None) -> Collection[str] | None:
        """The names of the files that the message has from now on."""
        if "attachments" not in body:
            self.require(not files, "files that are not listed", files)
            return kept
        names = [each["filename"] for each in body["attachments"]]
        self.require([each["id"] for each in body["attachments"]] == [*range(len(files))], "attachments", body)
        self.require(names == [each.filename for each in files], "names of files", names)
        self.unique("file", names)
        self.size("files", len(names), 10)
        for each in files:
            self.require(FILE_NAME.fullmatch(each.filename), "name of a file", each.filename)
            self.require(each.fp.tell() == 0, "a file of which a part was read", each.filename)
            self.size("bytes of a file", len(each.fp.getbuffer()), FILE_SIZE, each.filename)
        return names

    def own_emoji(self, body: Data) -> None:
        """An emoji of the application."""
        head, _, picture = body["image"].partition(",")
        self.require(EMOJI_NAME.fullmatch(body["name"]), "name of an emoji", body["name"])
        self.require(re.fullmatch("data:image/(png|jpeg|gif|webp|avif);base64", head), "type of an emoji", head)
        self.size("bytes of an emoji", len(b64decode(picture)), EMOJI_SIZE, body["name"])


def files_of(backend: Any, channel: int, message: int) -> Collection[str] | None:
    """The names of the files of a message in SimCord; None if it was deleted, so that Discord says just that."""
    found = backend.messages.get(channel, {}).get(message)
    return found and [each["filename"] for each in found.attachments]


def overhear(strict: Strict) -> None:
    """Have every request checked that reaches SimCord, before SimCord itself sees it."""
    dispatch = router.dispatch

    def checked(backend: Any, method: str, path: str, **given: Any) -> Any:
        kept = files_of(backend, *map(int, EDITED.findall(path)[0])) if EDITED.fullmatch(path) else ()
        strict.request(method, path, given.get("json"), given.get("files") or (), kept)
        if (answered := CALLBACK.fullmatch(path)) is not None:
            strict.answer_to(backend.interactions.get(int(answered[1])), given["json"]["type"])
        return dispatch(backend, method, path, **given)

    router.dispatch = checked
