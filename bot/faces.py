"""Uploads the card faces to Discord as emojis of the application, once, and remembers their ids.

Faces are compared by content hash. If Pillow, the code and the typefaces are the same as at the last upload, nothing
is even drawn, and a start costs one request. Faces are uploaded one by one, at the pace that Discord allows: first
those for all languages, then those with letters of one language. If anything fails, no emoji is used at all, because a
hand that is half pictures and half words is hardest to read; the next start continues from there. Until a language's
own letter is uploaded, the common one takes its place.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

import aiohttp
import discord
import structlog

from cogs.drawing_pool import drawn_rarely
from cogs.drawing_work import emoji_set
from cogs.responder import Sleep, connection_error_words
from cogs.screens.formatter import FaceEmojis, common_faces, face_names
from tables.services import Declined, Tables

NOTE: Final = "faces"
TOOLS: Final = ""
"""The key, which no emoji has as its name, for the number of uploaded faces and the hash of their tools."""
AGAIN_AFTER: Final = 60.0
"""Seconds until the next look for faces, or the next attempt to upload them, which doubles up to `AGAIN_AT_MOST`."""
AGAIN_AT_MOST: Final = 3600.0
_PARTS: Final = 8  # in which faces are drawn: a slow machine takes minutes for all, but may not for one question
_log = structlog.get_logger(__name__)


async def _remembered(tables: Tables) -> Mapping[str, tuple[int, str]]:
    """The uploaded emojis, from one note in the database: name → id and content hash. Empty if it cannot be read."""
    with suppress(AttributeError, LookupError, TypeError, ValueError):
        faces: dict[str, tuple[int, str]] = json.loads(await tables.read_note(NOTE) or "{}")
        return {name: (int(each[0]), str(each[1])) for name, each in faces.items()}
    return {}


async def _remember(tables: Tables, name: str, emoji_id: int, content: str) -> None:
    await tables.write_note(NOTE, json.dumps({**await _remembered(tables), name: (emoji_id, content)}))


@cache
def tools_hash() -> str:
    """A hash of everything that faces depend on: their names, Pillow's version, the drawing code and the typefaces."""
    digest = hashlib.sha256(" ".join((version("pillow"), *face_names())).encode())
    for path in sorted(Path(str(files("cogs.pictures"))).rglob("*.*")):
        if path.suffix in {".py", ".ttf", ".otf"}:
            digest.update(path.read_bytes())
    return digest.hexdigest()


async def upload_faces(client: discord.Client, tables: Tables, names: Sequence[str]) -> dict[str, str]:
    """Upload `names` where they are missing or outdated; the ids of all uploaded faces by name.

    `names` is a prefix of `face_names()`. If anything fails, the result is empty, but what has been uploaded is kept.
    Emojis with other names are left alone.
    """
    try:
        present = {emoji.name: emoji for emoji in await client.fetch_application_emojis()}
        uploaded = await faces_that_are_up(tables)
        ids = {name: number for name, number in uploaded.items() if name in present and str(present[name].id) == number}
        if missing := [name for name in names if name not in ids]:
            ids |= await _upload(client, tables, present, missing)
            await _remember(tables, TOOLS, max(len(names), len(uploaded)), tools_hash())
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        _log.warning("no card faces, cards are text", why=connection_error_words(error))
        return {}
    return ids


async def faces_that_are_up(tables: Tables) -> dict[str, str]:
    """The ids of the faces that any process has uploaded, by name; empty if they are outdated by now."""
    known = await _remembered(tables)
    count, tools = known.get(TOOLS, (0, ""))
    return {name: str(known[name][0]) for name in face_names()[:count]} if tools == tools_hash() else {}


async def _upload(
    client: discord.Client, tables: Tables, present: Mapping[str, discord.Emoji], names: Sequence[str]
) -> dict[str, str]:
    known = await _remembered(tables)
    ids: dict[str, str] = {}
    parts = [asyncio.create_task(drawn_rarely(partial(emoji_set, names[nth::_PARTS]))) for nth in range(_PARTS)]
    try:
        drawn = await asyncio.gather(*parts)
    except OSError as error:  # a typeface is missing or damaged
        raise BrokenProcessPool(f"a face cannot be drawn: {error}") from error
    finally:
        for part in parts:
            part.cancel()  # if one has failed, the others would only hold up films
    for name, png in (face for part in drawn for face in part.items()):
        emoji, content = present.get(name), hashlib.sha256(png).hexdigest()
        if emoji is None or known.get(name) != (emoji.id, content):
            if emoji is not None:
                await emoji.delete()
            emoji = await client.create_application_emoji(name=name, image=png)
            await _remember(tables, name, emoji.id, content)
        ids[name] = str(emoji.id)
    return ids


async def uploaded_faces(
    bot: discord.AutoShardedClient, tables: Tables, names: Sequence[str], *, sleep: Sleep = asyncio.sleep
) -> FaceEmojis:
    """All faces on Discord, once `names` are uploaded; none if that fails, so that cards are text.

    Of several processes, the one with the first shard uploads them, and the others wait for it.
    """
    try:
        if 0 in (bot.shard_ids or (0,)):
            return FaceEmojis(await upload_faces(bot, tables, names))
        while not set(names) <= (ids := await faces_that_are_up(tables)).keys():
            await sleep(AGAIN_AFTER)
        return FaceEmojis(ids)
    except Declined as declined:
        _log.warning("no card faces, cards are text", why=declined.words)
    except Exception as error:  # noqa: BLE001 - cards are text
        if bot.is_closed() or tables.is_closing:  # the drawing process may be told to end before this one is
            return FaceEmojis()
        if isinstance(error, BrokenProcessPool):  # as when memory runs out, which is no error of the program
            _log.warning("no card faces, cards are text", why=str(error))
        else:
            _log.exception("no card faces, cards are text")
    return FaceEmojis()


async def keep_faces(
    bot: discord.AutoShardedClient, tables: Tables, show: Callable[[FaceEmojis], None], *, sleep: Sleep = asyncio.sleep
) -> None:
    """Show the faces, first the common ones, then those of each language; retried until they are uploaded."""
    shown = FaceEmojis()
    for names in (common_faces(), face_names()):
        pause = AGAIN_AFTER
        while not set(names) <= shown.emojis.keys():
            if (faces := await uploaded_faces(bot, tables, names, sleep=sleep)).emojis:
                shown = faces
                show(shown)
            else:
                await sleep(pause)
                pause = min(2 * pause, AGAIN_AT_MOST)
