"""Puts the drawn faces on Discord as emojis of the application, once, and knows their ids afterwards.

Faces are compared by content hash. While Pillow, the code and the typefaces are those that they were drawn with,
nothing is even drawn, and a start costs one request. They are uploaded one after another, at the pace that Discord
allows: first those for all languages, then those with letters of one language. If anything fails, no emoji is used at
all, because a hand that is half pictures and half words is hardest to read; the next start goes on from there. Until a
language's own letter is up, the common one stands in.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

import aiohttp
import discord
import structlog

from bot.client import CardBot
from cogs.asker import what_happened
from cogs.drawing_pool import drawn_aside
from cogs.drawing_work import emoji_set
from cogs.screens.formatter import Faces, common_faces, face_names
from tables.services import Declined, Tables

NOTE: Final = "faces"
TOOLS: Final = ""
"""Under this name, which no emoji has, it is remembered how many faces are up and what they were drawn with."""
AGAIN_AFTER: Final = 60.0
"""Seconds until faces are looked for again, or put up again if that failed, then longer up to `AGAIN_AT_MOST`."""
AGAIN_AT_MOST: Final = 3600.0
_CODE_AND_TYPEFACES: Final = (".py", ".ttf", ".otf")
_FAILURES = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)
_log = structlog.get_logger(__name__)


class Remembered:
    """Which picture was uploaded as which emoji: name → id and content hash, as one note."""

    def __init__(self, tables: Tables) -> None:
        """Keep it through this doorway."""
        self._tables = tables

    async def get(self) -> Mapping[str, tuple[int, str]]:
        """All that is remembered."""
        faces: dict[str, tuple[int, str]] = json.loads(await self._tables.noted(NOTE) or "{}")
        return {name: (int(each[0]), str(each[1])) for name, each in faces.items()}

    async def put(self, name: str, emoji_id: int, content: str) -> None:
        """Remember one emoji in place of the last of that name."""
        await self._tables.note(NOTE, json.dumps({**await self.get(), name: (emoji_id, content)}))


def content_hash(png: bytes) -> str:
    """What a picture is known by: it changes when a single pixel does."""
    return hashlib.sha256(png).hexdigest()


@cache
def tools_hash() -> str:
    """What all faces are known by: which there are, and Pillow, the code and the typefaces that they are drawn with."""
    digest = hashlib.sha256(" ".join((version("pillow"), *face_names())).encode())
    for path in sorted(Path(str(files("cogs.pictures"))).rglob("*.*")):
        if path.suffix in _CODE_AND_TYPEFACES:
            digest.update(path.read_bytes())
    return digest.hexdigest()


async def upload_faces(client: discord.Client, remembered: Remembered, names: Sequence[str]) -> dict[str, str]:
    """The ids of all faces that are up, by name; `names` are uploaded if they were missing or drawn otherwise.

    `names` is a beginning of `face_names()`. If anything failed, nothing is returned; what had been uploaded is kept.
    Emojis with other names are left alone.
    """
    try:
        present = {emoji.name: emoji for emoji in await client.fetch_application_emojis()}
        uploaded = await faces_that_are_up(remembered)
        ids = {name: number for name, number in uploaded.items() if name in present and str(present[name].id) == number}
        if missing := [name for name in names if name not in ids]:
            ids |= await _upload(client, remembered, present, missing)
            await remembered.put(TOOLS, max(len(names), len(uploaded)), tools_hash())
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


async def uploaded_faces(
    client: discord.AutoShardedClient,
    tables: Tables,
    names: Sequence[str],
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Faces:
    """All faces that are on Discord, once these are; none if that fails, then cards are text.

    Of several processes the one with the first shard uploads them, the others wait for it.
    """
    remembered = Remembered(tables)
    try:
        if 0 in (client.shard_ids or (0,)):
            return Faces(await upload_faces(client, remembered, names))
        while not set(names) <= (ids := await faces_that_are_up(remembered)).keys():
            await sleep(AGAIN_AFTER)
        return Faces(ids)
    except Declined as declined:
        _log.warning("faces are left out", why=declined.why.value)
    except Exception:  # noqa: BLE001 - such as a process that was killed while it drew: cards are text
        if not client.is_closed():
            _log.exception("faces are left out")
    return Faces()


async def keep_faces(bot: CardBot, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """Give the bot its faces, tried again until they are there: first the common ones, then those of each language."""
    for names in (common_faces(), face_names()):
        pause = AGAIN_AFTER
        while not set(names) <= bot.faces.emojis.keys():
            if (faces := await uploaded_faces(bot, bot.tables, names, sleep=sleep)).emojis:
                bot.faces = faces
            else:
                await sleep(pause)
                pause = min(2 * pause, AGAIN_AT_MOST)
