"""The store: everything that outlives the process, behind queries in the terms of the game.

No SQL rows leave it, only plain values.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from data.addresses import SQLITE, parse_url
from data.database import Database, executing
from data.game_rows import GameRows, ScoreRows
from data.guild_rows import GuildRows, HouseRuleRows, NoteRows
from data.lease_rows import LeaseRows
from data.migrate import upgrade
from data.people_rows import PeopleRows
from data.postgres import PostgresDatabase
from data.sqlite import SqliteDatabase
from data.table_rows import ClickRows, TableRows
from data.tea_rows import TeaRows

BUSY_SECONDS: Final = 5.0
"""Seconds that a statement waits for another process's lock."""
CHECKED: Final = 0.3
"""Seconds spent at start-up on looking for damage, enough for a hundred megabytes; `doctor` takes longer."""


def database_at(url: str, *, busy_seconds: float = BUSY_SECONDS) -> Database:
    """The database at an address, not connected yet; raises `ValueError` if `parse_url` rejects the address."""
    parsed = parse_url(url)
    kind = SqliteDatabase if parsed.drivername == SQLITE else PostgresDatabase
    return kind(parsed, busy_seconds)


class Store:
    """Queries by topic, one attribute for each. Each of their methods that writes is one transaction.

    All of them raise `UnavailableError` if the database does not answer; other errors are listed at the method.
    """

    def __init__(self, database: Database) -> None:
        """Use a database that already has the schema of this program."""
        self.database = database
        self.tables = TableRows(database)
        self.games = GameRows(database)
        self.scores = ScoreRows(database)
        self.tea = TeaRows(database)
        self.people = PeopleRows(database)
        self.guilds = GuildRows(database)
        self.house_rules = HouseRuleRows(database)
        self.clicks = ClickRows(database)
        self.notes = NoteRows(database)
        self.leases = LeaseRows(database)

    @classmethod
    async def open(cls, url: str, *, busy_seconds: float = BUSY_SECONDS) -> Store:
        """Connect, and upgrade the database to the newest schema.

        Raises:
            ValueError: `data.addresses.parse_url` rejects the address.
            UnavailableError: the database does not answer, cannot be written or is damaged.
            SchemaError: the schema is newer than this program, or the database belongs to another one.
        """
        database = database_at(url, busy_seconds=busy_seconds)
        try:
            await database.check(CHECKED)
            await upgrade(database)
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def ping(self) -> None:
        """Raise `UnavailableError` unless the database answers."""
        await self.database.read(executing(sa.select(1)))

    async def close(self) -> None:
        """Close all connections. The store must not be used afterwards."""
        await self.database.close()
