"""Puts the drawn faces on Discord as emojis of the application, once, and knows their ids afterwards.

Faces are compared by content hash. While Pillow, the code and the typefaces are those that they were drawn with,
nothing is even drawn, and a start costs one request. They are uploaded one after another, at the pace that Discord
allows: first those for all languages, then those with letters of one language. If anything fails, no emoji is used at
all, because a hand that is half pictures and half words is hardest to read; the next start goes on from there. Until a
language's own letter is up, the common one stands in.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol, cast

import aiohttp
import discord
import structlog

from cogs.asker import what_happened
from cogs.drawing_pool import drawn_aside
from cogs.screens.formatter import face_names

_log = cast("structlog.typing.FilteringBoundLogger", structlog.get_logger())
TOOLS: Final = ""
"""Under this name, which no emoji has, it is remembered how many faces are up and what they were drawn with."""
_CODE_AND_TYPEFACES: Final = (".py", ".ttf", ".otf")
_FAILURES = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)


class Remembered(Protocol):
    """Which picture was uploaded as which emoji: name → id and content hash."""

    async def get(self) -> Mapping[str, tuple[int, str]]:
        """All that is remembered."""
        ...

    async def put(self, name: str, emoji_id: int, content: str) -> None:
        """Remember one emoji in place of the last of that name."""
        ...


def emoji_set(names: Sequence[str]) -> dict[str, bytes]:
    """These faces as PNG, by emoji name."""
    from cogs.pictures.card_faces import emoji_set as draw  # noqa: PLC0415 - Pillow only where it draws

    return draw(names)


def content_hash(png: bytes) -> str:
    """What a picture is known by: it changes when a single pixel does."""
    return hashlib.sha256(png).hexdigest()


@cache
def tools_hash() -> str:
    """What all faces are known by: which there are, and Pillow, the code and the typefaces that they are drawn with."""
    folder = Path(__file__).parent / "pictures"
    found = hashlib.sha256(" ".join((version("pillow"), *face_names())).encode())
    for path in sorted(folder.rglob("*.*")):
        if path.suffix in _CODE_AND_TYPEFACES:
            found.update(path.read_bytes())
    return found.hexdigest()


async def upload_faces(client: discord.Client, remembered: Remembered, names: Sequence[str]) -> dict[str, str]:
    """The ids of all faces that are up, by name; `names` are uploaded if they were missing or drawn otherwise.

    `names` is a beginning of `face_names()`. If anything failed, nothing is returned; what had been uploaded is kept.
    Emojis with other names are left alone.
    """
    try:
        present = {emoji.name: emoji for emoji in await client.fetch_application_emojis()}
        found = await faces_that_are_up(remembered)
        ids = {name: number for name, number in found.items() if name in present and str(present[name].id) == number}
        if missing := [name for name in names if name not in ids]:
            ids |= await _upload(client, remembered, present, missing)
            await remembered.put(TOOLS, max(len(names), len(found)), tools_hash())
    except _FAILURES as error:
        _log.warning("faces are left out", why=what_happened(error))
        return {}
    return ids


async def faces_that_are_up(remembered: Remembered) -> dict[str, str]:
    """The ids of the faces that some process put up, by name; empty if they would be drawn otherwise by now."""
    known = await remembered.get()
    count, tools = known.get(TOOLS, (0, ""))
    return {name: str(known[name][0]) for name in face_names()[:count]} if tools == tools_hash() else {}


async def _upload(
    client: discord.Client, remembered: Remembered, present: Mapping[str, discord.Emoji], names: Sequence[str]
) -> dict[str, str]:
    known, ids = await remembered.get(), dict[str, str]()
    for name, png in (await drawn_aside(partial(emoji_set, names))).items():
        old, content = present.get(name), content_hash(png)
        if old and known.get(name) == (old.id, content):
            ids[name] = str(old.id)
            continue
        if old:
            await old.delete()
        new = await client.create_application_emoji(name=name, image=png)
        await remembered.put(name, new.id, content)
        ids[name] = str(new.id)
    return ids
