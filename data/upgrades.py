"""Migrations from older schemas, each to the next one: of a database in place, and of the rows of a backup.

0006 to 0007: players and standings get rows of their own. They were JSON in the row of their table, with the ids of
those who voted to stop beside them, and a person could be found only by searching the JSON. The table `players` held
preferences; it now holds the seats. Servers get pictures, unless they choose text.

0007 to 0008: a table stores whether it was opened with the polite name, a place the level of its computer. An ended
game is one packed text, without a row for each move.

0008 to 0009: a table stores the channel in which its thread was opened, the message that announces a deal to those who
want it, and whether the last reminder was sent. A person may want a digest of slow games. A result may be rated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.schema import CreateColumn

from data.guild_models import GuildSettings
from data.packed import pack_all_away
from data.schema import guilds, metadata, players, preferences, results, standings, tables

Row: TypeAlias = Mapping[str, Any]
TableRow: TypeAlias = tuple[str, Row]
"""A row with the name of its table."""

_MOVED: Final = ("players", "standings", "stop_votes")
"""Former columns of `tables` that are rows of other tables now."""
_ADDED: Final[Mapping[str, Mapping[str, Row]]] = {
    "0008": {"tables": {"polite": False}, "places": {"level": None}, "games": {"packed": None}},
    "0009": {
        "tables": {"parent_id": None, "call_id": None, "warned": False},
        "preferences": {"called": False, "digest": False, "locale": None, "digest_at": None, "refused_at": None},
        "results": {"rated": False},
    },
}
"""By schema: the columns that it added to tables of older ones, with what they hold at first."""


def change_0006(connection: Connection) -> None:
    """Migrate a database in place, within the caller's transaction, so that it is done completely or not at all.

    The large tables (games, moves) are not touched. SQLite can drop columns since 3.35.
    """
    old = sa.MetaData()
    old.reflect(connection, only=["players", "tables"])
    # Preferences move first, because the name of their old table, `players`, is needed for the seats.
    preferences.create(connection)
    _insert(connection, preferences, connection.execute(sa.select(old.tables["players"])).mappings().all())
    old.tables["players"].drop(connection)
    metadata.create_all(connection)
    columns = [old.tables["tables"].c[name] for name in ("guild_id", "id", *_MOVED)]
    people = [each for row in connection.execute(sa.select(*columns)).mappings().all() for each in _people_rows(row)]
    for table in (players, standings):
        _insert(connection, table, [row for name, row in people if name == table.name])
    for name in _MOVED:
        connection.exec_driver_sql(f"ALTER TABLE tables DROP COLUMN {name}")
    connection.exec_driver_sql("ALTER TABLE tables ADD COLUMN hints BOOLEAN NOT NULL DEFAULT TRUE")
    connection.exec_driver_sql("ALTER TABLE guilds ADD COLUMN pictures BOOLEAN DEFAULT TRUE NOT NULL")


def rows_of_0006(rows: Iterator[TableRow]) -> Iterator[TableRow]:
    """Do the same to the rows of a backup."""
    for name, row in rows:
        if name == "guilds":
            yield name, {**row, "pictures": True}
        elif name == "tables":
            yield name, {"hints": True} | {column: value for column, value in row.items() if column not in _MOVED}
            yield from _people_rows(row)
        else:
            yield "preferences" if name == "players" else name, row


def add_columns(connection: Connection, schema: str) -> None:
    """Add the columns that are new in a schema; a table that an earlier step created has them already."""
    for name, added in _ADDED[schema].items():
        existing = {each["name"] for each in sa.inspect(connection).get_columns(name)}
        for column in sorted(added.keys() - existing):
            what = CreateColumn(metadata.tables[name].c[column]).compile(dialect=connection.dialect)
            default = "" if added[column] is None else f" DEFAULT {added[column]}"
            connection.exec_driver_sql(f"ALTER TABLE {name} ADD COLUMN {what}{default}")


def rows_with_columns(rows: Iterator[TableRow], schema: str) -> Iterator[TableRow]:
    """Do the same to the rows of a backup."""
    for name, row in rows:
        yield name, {**row, **_ADDED[schema].get(name, {})}


def change_0008(connection: Connection) -> None:
    """Migrate a database in place, within the caller's transaction."""
    add_columns(connection, "0009")
    unhelped = sa.select(tables.c.guild_id, tables.c.id).where(~tables.c.hints)
    rated = sa.tuple_(results.c.guild_id, results.c.table_id).in_(unhelped)
    connection.execute(sa.update(results).where(rated).values(rated=True))


def rows_of_0008(rows: Iterator[TableRow]) -> Iterator[TableRow]:
    """Do the same to the rows of a backup, in which tables come before their results."""
    unhelped = set[tuple[int, int]]()
    for name, row in rows_with_columns(rows, "0009"):
        if name == "tables" and not row["hints"]:
            unhelped.add((row["guild_id"], row["id"]))
        is_rated = name == "results" and (row["guild_id"], row["table_id"]) in unhelped
        yield name, {**row, "rated": True} if is_rated else row


def finish(connection: Connection) -> None:
    """Give every server with stored data a row, and pack all ended games: after the last step, or after a restore."""
    named = sa.union(*(sa.select(table.c.guild_id) for table in metadata.sorted_tables)).subquery()
    unknown = sa.select(named.c.guild_id).where(named.c.guild_id.not_in(sa.select(guilds.c.guild_id)))
    for guild_id in connection.execute(unknown.where(named.c.guild_id != 0)).scalars().all():
        connection.execute(sa.insert(guilds).values(GuildSettings(guild_id=guild_id).model_dump()))
    pack_all_away(connection)


def _insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[Any, Any]]) -> None:
    """Insert rows of an older schema into a table that was created as it is now."""
    added = {name: value for columns in _ADDED.values() for name, value in columns.get(table.name, {}).items()}
    if rows:
        connection.execute(sa.insert(table), [{**added, **row} for row in rows])


def _people_rows(row: Mapping[Any, Any]) -> Iterator[TableRow]:
    """The rows for what was JSON in a row of `tables`."""
    seated, lines, votes = (row[name] for name in _MOVED)
    at = {"guild_id": row["guild_id"], "table_id": row["id"]}
    for seat, player in enumerate(seated):
        yield "players", {**at, "seat": seat, "level": None, **player, "wants_stop": player["user_id"] in votes}
    for nth, line in enumerate(lines):
        yield "standings", {**at, "line": nth, **line}
