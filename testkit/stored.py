"""Reads and changes what a store holds, past the methods that the bot uses."""

# pyright: reportPrivateUsage=false
# It reads what no method of the store gives.

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.database import Database
from data.game_models import Result, StoredGame
from data.game_rows import _game
from data.guild_models import Preferences
from data.models import Table
from data.postgres import PostgresDatabase
from data.schema import metadata, places, results
from data.sqlite import SqliteDatabase
from data.store import Store
from data.table_rows import game_key, read_table
from data.tea_models import TeaDebt
from testkit.found import instance_of

NEVER = datetime(9000, 1, 1, tzinfo=UTC)


def connected(database: Database) -> AbstractAsyncContextManager[AsyncConnection]:
    """A connection to PostgreSQL, as the store takes one."""
    return instance_of(PostgresDatabase, database).connected()


def file_of(database: Database) -> Path:
    """Where SQLite keeps a database."""
    return instance_of(SqliteDatabase, database).file


async def stored_table(store: Store, id_: int, guild_id: int | None = None) -> Table | None:
    """A table as it is stored; None if there is none."""
    return await store.database.read(lambda connection: read_table(connection, id_, guild_id))


async def stored_game(store: Store, table: Table, number: int) -> StoredGame | None:
    """A game of a table as it is stored; None before it is dealt."""
    return await store.database.read(lambda connection: _game(connection, game_key(table, number)))


async def stored_result(store: Store, table: Table, number: int) -> Result | None:
    """How a game of a table ended, as it is stored; None while it runs or if it was stopped."""
    key = game_key(table, number)
    ended = sa.select(results.c.shithead, results.c.winner, results.c.moves, results.c.variant).filter_by(**key)
    ranked = sa.select(places.c.user_id, places.c.level).filter_by(**key).order_by(places.c.place)

    def work(connection: sa.Connection) -> Result | None:
        row = connection.execute(ended).mappings().one_or_none()
        who = connection.execute(ranked).all()
        ranks, levels = tuple(user for user, _ in who), tuple(level for _, level in who)
        return Result(places=ranks, levels=levels, **row) if row else None

    return await store.database.read(work)


async def put_preferences(store: Store, chosen: Preferences, first_digest: datetime = NEVER) -> None:
    """Store the preferences of somebody who had the usual ones before."""
    usual = Preferences(guild_id=chosen.guild_id, user_id=chosen.user_id)
    await store.people.put(usual, chosen, first_digest=first_digest)


async def open_debts(store: Store, guild_id: int) -> list[TeaDebt]:
    """All open debts of a server, oldest first."""
    return [debt for debt in await store.tea.all(guild_id) if debt.state == "owed"]


async def execute(database: Database, *statements: str | sa.Executable, fenced: bool = True) -> Sequence[sa.Row[Any]]:
    """Run statements, in SQL or SQLAlchemy's, as one transaction; returns the rows of the last one, if any."""

    def work(connection: sa.Connection) -> Sequence[sa.Row[Any]]:
        rows: Sequence[sa.Row[Any]] = []
        for each in statements:
            done = connection.exec_driver_sql(each) if isinstance(each, str) else connection.execute(each)
            rows = done.all() if done.returns_rows else []
        return rows

    return await database.write(work, fenced=fenced)


async def stored_rows(database: Database) -> dict[str, Sequence[sa.RowMapping]]:
    """All rows of each table by its name, each row as a mapping."""

    def work(connection: sa.Connection) -> dict[str, Sequence[sa.RowMapping]]:
        return {table.name: connection.execute(sa.select(table)).mappings().all() for table in metadata.sorted_tables}

    return await database.read(work)


@contextmanager
def held(file: Path | str) -> Generator[None]:
    """Hold the lock of an SQLite file, as another process would."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()
