"""The drawn cards as emojis of the application. The store remembers which are uploaded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import discord
import structlog

from bot.client import CardBot
from cogs.emojis import faces_that_are_up, upload_faces
from cogs.screens.formatter import Faces, common_faces, face_names
from tables import Declined, Tables

NOTE: Final = "faces"
AGAIN_AFTER: Final = 60.0
"""Seconds until faces are looked for again, or put up again if that failed, then longer up to `AGAIN_AT_MOST`."""
AGAIN_AT_MOST: Final = 3600.0
_log = structlog.get_logger(__name__)


class Remembered:
    """Name → emoji id and what it shows, as one note."""

    def __init__(self, tables: Tables) -> None:
        """Keep it through this doorway."""
        self._tables = tables

    async def get(self) -> Mapping[str, tuple[int, str]]:
        """All that is remembered."""
        found: dict[str, tuple[int, str]] = json.loads(await self._tables.noted(NOTE) or "{}")
        return {name: (int(each[0]), str(each[1])) for name, each in found.items()}

    async def put(self, name: str, emoji_id: int, content: str) -> None:
        """Remember one emoji in place of the last of that name."""
        await self._tables.note(NOTE, json.dumps({**await self.get(), name: (emoji_id, content)}))


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
            if (found := await uploaded_faces(bot, bot.tables, names, sleep=sleep)).emojis:
                bot.faces = found
            else:
                await sleep(pause)
                pause = min(2 * pause, AGAIN_AT_MOST)
