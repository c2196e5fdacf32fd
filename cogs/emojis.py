"""Puts the drawn faces on Discord as emojis of the application, once, and knows their ids afterwards.

What stands there is compared by content hash, so a start without new drawings costs one request. Uploads go one after
another: discord.py waits where Discord asks it to. Whatever fails, the cards have words: then no emoji is used at all,
as a hand that is half pictures and half words reads worst; the next start goes on where this one stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Protocol, cast

import aiohttp
import discord
import structlog

from cogs.pictures.card_faces import content_hash, emoji_set

_log = cast("structlog.typing.FilteringBoundLogger", structlog.get_logger())
_FAILURES = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)


class Remembered(Protocol):
    """Which picture was uploaded as which emoji: name → id and content hash."""

    async def get(self) -> Mapping[str, tuple[int, str]]:
        """All that is remembered."""
        ...

    async def put(self, name: str, emoji_id: int, content: str) -> None:
        """Remember one emoji in place of the last of that name."""
        ...


async def upload_faces(client: discord.Client, remembered: Remembered) -> dict[str, str]:
    """The ids of all faces by name, uploaded where they were missing or drawn otherwise; empty if anything failed.

    Emojis with other names are left alone.
    """
    try:
        return await _upload(client, remembered, await asyncio.to_thread(emoji_set))
    except _FAILURES as error:
        _log.warning("faces are left out", error=type(error).__name__, status=getattr(error, "status", None))
        return {}


async def faces_that_are_up(remembered: Remembered) -> dict[str, str]:
    """The ids of all faces as another process put them up; empty until it has put up the very same."""
    known, pictures = await remembered.get(), await asyncio.to_thread(emoji_set)
    if any(known.get(name, (0, ""))[1] != content_hash(png) for name, png in pictures.items()):
        return {}
    return {name: str(known[name][0]) for name in pictures}


async def _upload(client: discord.Client, remembered: Remembered, pictures: Mapping[str, bytes]) -> dict[str, str]:
    present = {emoji.name: emoji for emoji in await client.fetch_application_emojis()}
    known, ids = await remembered.get(), dict[str, str]()
    for name, png in pictures.items():
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
