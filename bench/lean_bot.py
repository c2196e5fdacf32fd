"""A bot that shows what a click costs at the least in the real bot's way: it has no game, no table, and draws nothing.

It hears a click and answers it as the real bot does (`cogs.responder`, `cogs.direct_answers`), and commits a row in a
thread like that of the real bot's database (`data.sqlite_thread`) before it answers. The answer is always the same, of
the size of the bare bot's. What the real bot costs beyond that are rules, storing a table, and drawing a hand.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, cast

import discord
from sqlalchemy.engine import URL, Connection

from bench.bots import Process, client_code
from cogs.direct_answers import DirectAnswers
from cogs.responder import LAYOUT, First, Responder, dispatch_raw_clicks
from data.sqlite_thread import SqliteThread
from testkit.sockets.server import Discord

BUTTONS: Final = 5
TABLE: Final = "CREATE TABLE IF NOT EXISTS clicks (id INTEGER PRIMARY KEY)"


class LeanBot(discord.AutoShardedClient):
    """A bot with one message, which does not change."""

    def __init__(self, file: str) -> None:
        """Commit to this file."""
        super().__init__(intents=discord.Intents(guilds=True), max_messages=None)
        self._thread = SqliteThread(URL.create("sqlite", database=file), 5, lambda _: None)
        self._direct = DirectAnswers(Counter())
        row = [{"type": 2, "style": 2, "label": str(nth), "custom_id": f"bare:0:{nth}"} for nth in range(BUTTONS)]
        screen = [{"type": 10, "content": "Pressed."}, {"type": 1, "components": row}]
        self._answer: dict[str, Any] = {"components": screen, "flags": LAYOUT, "allowed_mentions": {"parse": []}}

    async def setup_hook(self) -> None:
        """Open the database and have clicks dispatched as they come."""
        dispatch_raw_clicks(self, time.monotonic)
        await self._thread.run(lambda there: there.exec_driver_sql(TABLE))

    async def on_click(self, data: Mapping[str, Any]) -> None:
        """Commit one row, then answer."""
        click = int(data["id"])

        def insert(connection: Connection) -> None:
            driver = cast("sqlite3.Connection", connection.connection.driver_connection)
            driver.execute("INSERT INTO clicks VALUES (?)", (click,))

        await self._thread.run(insert)
        await Responder(self.http, data, self._direct).respond(First.UPDATE, self._answer.copy())


def lean_bot(discord_there: Discord, file: str) -> Process:
    """It as a process; the file is where it commits."""
    return Process(discord_there, client_code(discord_there.port, "bench.lean_bot.LeanBot", file))
