"""Reads and changes what a store holds, past the methods that the bot uses."""

import sqlite3
from contextlib import contextmanager

import sqlalchemy as sa

from data.game_rows import _game
from data.schema import metadata
from data.table_rows import game_key, read_table


async def stored_table(store, id_, guild_id=None):
    """A table as it is stored; None if there is none."""
    return await store.database.read(lambda connection: read_table(connection, id_, guild_id))


async def stored_game(store, table, number):
    """A game of a table as it is stored; None before it is dealt."""
    return await store.database.read(lambda connection: _game(connection, game_key(table, number)))


async def execute(database, *statements, fenced=True):
    """Run statements, in SQL or SQLAlchemy's, as one transaction; returns the rows of the last one, if any."""

    def work(connection):
        for each in statements:
            done = connection.exec_driver_sql(each) if isinstance(each, str) else connection.execute(each)
        return done.all() if done.returns_rows else []

    return await database.write(work, fenced=fenced)


async def stored_rows(database):
    """All rows of each table by its name, each row as a mapping."""

    def work(connection):
        return {table.name: connection.execute(sa.select(table)).mappings().all() for table in metadata.sorted_tables}

    return await database.read(work)


@contextmanager
def held(file):
    """Hold the lock of an SQLite file, as another process would."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.close()
