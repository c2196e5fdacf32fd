"""The bot that others are measured by: discord.py as its guide shows it, a message with five buttons, and no game.

A click is answered with the same message, made anew: a `LayoutView` with a line of text and a row of `DynamicItem`s.
With a file it commits one row to SQLite before it answers, as durably as the real bot does.
"""

from __future__ import annotations

import re
from typing import Any, Final

import aiosqlite
import discord
from discord import ui

from bench.bots import Process, client_code
from testkit.sockets.server import Discord

BUTTONS: Final = 5


class Count(ui.DynamicItem[ui.Button[Any]], template=r"bare:(?P<number>[0-9]+):(?P<nth>[0-9])"):
    """A button that counts clicks in its id."""

    def __init__(self, number: int, nth: int) -> None:
        """Say the number on it."""
        super().__init__(ui.Button(label=str(number + nth), custom_id=f"bare:{number}:{nth}"))
        self.number = number

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, _item: ui.Item[Any], found: re.Match[str]
    ) -> Count:
        """The button that was pressed."""
        return cls(int(found["number"]), int(found["nth"]))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        """Commit if there is a file, then answer with the next message."""
        await interaction.client.commit(interaction.id, self.number)
        await interaction.response.edit_message(view=Counter(self.number + 1))


class Counter(ui.LayoutView):
    """The message."""

    def __init__(self, number: int) -> None:
        """A line of text and the buttons."""
        super().__init__(timeout=None)
        self.add_item(ui.TextDisplay(f"Pressed {number} times."))
        row = ui.ActionRow[Counter]()
        for nth in range(BUTTONS):
            row.add_item(Count(number, nth))
        self.add_item(row)


class BareBot(discord.AutoShardedClient):
    """A bot with one message."""

    def __init__(self, file: str) -> None:
        """Without a file nothing is committed."""
        super().__init__(intents=discord.Intents(guilds=True), max_messages=None)
        self._file, self._database = file, None

    async def setup_hook(self) -> None:
        """Open the database and know the buttons."""
        self.add_dynamic_items(Count)
        if self._file:
            self._database = await aiosqlite.connect(self._file, isolation_level=None)
            for word in ("journal_mode = WAL", "synchronous = FULL"):
                await self._database.execute(f"PRAGMA {word}")
            await self._database.execute("CREATE TABLE IF NOT EXISTS clicks (id INTEGER PRIMARY KEY, number INTEGER)")

    async def commit(self, click: int, number: int) -> None:
        """One row, which is on the disk when this returns."""
        if self._database is not None:
            await self._database.execute("INSERT INTO clicks VALUES (?, ?)", (click, number))


def bare_bot(discord_there: Discord, file: str = "") -> Process:
    """It as a process; the file is where it commits."""
    return Process(discord_there, client_code(discord_there.port, "bench.bare_bot.BareBot", file))
