"""Puts the drawn faces on Discord as emojis of the application, once, and knows their ids afterwards.

What stands there is compared by content hash, and not even drawn where all is drawn with is as it was, so a start
without new drawings costs one request. Uploads go one after
another: discord.py waits where Discord asks it to. Whatever fails, the cards have words: then no emoji is used at all,
as a hand that is half pictures and half words reads worst; the next start goes on where this one stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final, Protocol, cast

import aiohttp
import discord
import structlog

from cogs.drawing_pool import drawn_aside
from cogs.screens.formatter import face_names

_log = cast("structlog.typing.FilteringBoundLogger", structlog.get_logger())
TOOLS: Final = ""
"""Under this name, which no emoji has, it is remembered what the others were drawn with."""
_TOOLS: Final = (".py", ".ttf", ".otf")
_FAILURES = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)


class Remembered(Protocol):
    """Which picture was uploaded as which emoji: name → id and content hash."""

    async def get(self) -> Mapping[str, tuple[int, str]]:
        """All that is remembered."""
        ...

    async def put(self, name: str, emoji_id: int, content: str) -> None:
        """Remember one emoji in place of the last of that name."""
        ...


def emoji_set() -> dict[str, bytes]:
    """All faces as PNG, by emoji name."""
    from cogs.pictures.card_faces import emoji_set as draw  # noqa: PLC0415 - Pillow only where it draws

    return draw()


def content_hash(png: bytes) -> str:
    """What a picture is known by: it changes when a single pixel does."""
    return hashlib.sha256(png).hexdigest()


@cache
def tools_hash() -> str:
    """What all that faces are drawn with is known by: Pillow, the code and the typefaces."""
    folder, found = Path(__file__).parent / "pictures", hashlib.sha256(version("pillow").encode())
    for path in sorted(folder.rglob("*.*")):
        if path.suffix in _TOOLS:
            found.update(path.read_bytes())
    return found.hexdigest()


async def upload_faces(client: discord.Client, remembered: Remembered) -> dict[str, str]:
    """The ids of all faces by name, uploaded where they were missing or drawn otherwise; empty if anything failed.

    Emojis with other names are left alone.
    """
    try:
        present = {emoji.name: emoji for emoji in await client.fetch_application_emojis()}
        ids = await faces_that_are_up(remembered)
        if ids and all(name in present and str(present[name].id) == number for name, number in ids.items()):
            return ids
        return await _upload(client, remembered, present)
    except _FAILURES as error:
        _log.warning("faces are left out", error=type(error).__name__, status=getattr(error, "status", None))
        return {}


async def faces_that_are_up(remembered: Remembered) -> dict[str, str]:
    """The ids of all faces as some process put them up; empty where they would be drawn otherwise by now."""
    known = await remembered.get()
    is_same = known.get(TOOLS, (0, ""))[1] == tools_hash()
    return {name: str(known[name][0]) for name in face_names()} if is_same else {}


async def _upload(
    client: discord.Client, remembered: Remembered, present: Mapping[str, discord.Emoji]
) -> dict[str, str]:
    known, ids = await remembered.get(), dict[str, str]()
    for name, png in (await drawn_aside(emoji_set)).items():
        old, content = present.get(name), content_hash(png)
        if old and known.get(name) == (old.id, content):
            ids[name] = str(old.id)
            continue
        if old:
            await old.delete()
        new = await client.create_application_emoji(name=name, image=png)
        await remembered.put(name, new.id, content)
        ids[name] = str(new.id)
    await remembered.put(TOOLS, 0, tools_hash())
    return ids
