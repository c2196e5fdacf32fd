"""The drawn cards as emojis of the application: which were put up before is remembered in the store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from bot.client import CardBot
from bot.tables import Tables

NOTE: Final = "faces"


class Remembered:
    """Name → emoji id and what it shows, as one note."""

    def __init__(self, tables: Tables) -> None:
        """Keep it through this doorway."""
        self._tables = tables
        self._known: dict[str, tuple[int, str]] | None = None

    async def get(self) -> Mapping[str, tuple[int, str]]:
        """All that is remembered."""
        if self._known is None:
            found: dict[str, tuple[int, str]] = json.loads(await self._tables.noted(NOTE) or "{}")
            self._known = {name: (int(each[0]), str(each[1])) for name, each in found.items()}
        return self._known

    async def put(self, name: str, emoji_id: int, content: str) -> None:
        """Remember one emoji in place of the last of that name."""
        known = {**await self.get(), name: (emoji_id, content)}
        self._known = known
        await self._tables.note(NOTE, json.dumps(known))


async def put_up_faces(bot: CardBot) -> None:
    """See to it that all faces are on Discord, and draw with them from then on; without them cards are text."""
    upload: Any = import_module("cogs.emojis").upload_faces
    ids = await upload(bot, Remembered(bot.tables))
    if ids:
        bot.faces = import_module("cogs.ui.faces").Faces(ids)
