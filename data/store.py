"""The store: everything that outlives the process, behind queries in the words of the game.

It hands out no rows of SQL, and knows nothing of Discord.
"""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from data.addresses import SQLITE, parse_url
from data.click_rows import ClickRows
from data.database import Database
from data.game_rows import GameRows, ScoreRows
from data.guild_rows import GuildRows, HouseRuleRows, NoteRows
from data.lease_rows import LeaseRows
from data.migrate import upgrade
from data.people_rows import PeopleRows
from data.postgres import PostgresDatabase
from data.sqlite import SqliteDatabase
from data.table_rows import TableRows
from data.tea_rows import TeaRows

BUSY_SECONDS: Final = 5.0
"""How long a statement waits for another process that holds the database."""
CHECKED: Final = 0.3
"""Seconds that a start spends on looking for damage, enough for a hundred megabytes; `doctor` takes its time."""


def database_at(url: str, *, busy_seconds: float = BUSY_SECONDS) -> Database:
    """The database at an address; nothing is connected yet.

    Raises:
        ValueError: the address is not one `data.addresses.parse_url` takes.
    """
    parsed = parse_url(url)
    kind = SqliteDatabase if parsed.drivername == SQLITE else PostgresDatabase
    return kind(parsed, busy_seconds)


class Store:
    """Rows by topic. Each method of theirs is one transaction.

    Every one of them raises `UnavailableError` if the database does not answer; other errors are named at the method.
    """

    def __init__(self, database: Database) -> None:
        """Ask this database, which is at the schema of this program."""
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
        """Connect and bring the database to the newest schema.

        Raises:
            ValueError: the address is not one `data.addresses.parse_url` takes.
            UnavailableError: the database does not answer, cannot be written or is damaged.
            SchemaError: the database is newer than this program, or of something else.
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
        """Ask the database for a sign of life.

        Raises:
            UnavailableError: there is none.
        """
        await self.database.read(lambda connection: connection.execute(sa.select(1)).close())

    async def close(self) -> None:
        """Give all connections back; the store is of no use afterwards."""
        await self.database.close()
