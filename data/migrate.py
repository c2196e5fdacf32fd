"""Detect the schema of a database and upgrade it to that of this program, at every start. There are no downgrades.

An empty database gets the tables of `data.schema`; an older one is migrated. To change the schema, change
`data.schema`, give it the next name here, and write the step from the previous name: statements that change a database
in place, and a function that does the same to the rows of a backup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection

from data import upgrades
from data.database import OUR_TABLES, Database
from data.errors import RESTORE, SchemaError
from data.schema import metadata, versions
from data.upgrades import TableRow

_log = structlog.get_logger(__name__)


class Step(NamedTuple):
    """A migration to the next schema: of a database in place, and of the rows of a backup."""

    change_database: Callable[[Connection], None]
    change_rows: Callable[[Iterator[TableRow]], Iterator[TableRow]]


NEWEST: Final = "0009"
"""The name of the schema of this program."""
_STEPS: Final[Mapping[str, Step]] = {
    "0006": Step(upgrades.change_0006, upgrades.rows_of_0006),
    "0007": Step(partial(upgrades.add_columns, schema="0008"), partial(upgrades.rows_with_columns, schema="0008")),
    "0008": Step(upgrades.change_0008, upgrades.rows_of_0008),
}
"""By the name of the schema that they begin with, oldest first."""
KNOWN_SCHEMAS: Final = frozenset({NEWEST, *_STEPS})
"""The names of all schemas that this program can upgrade."""
LOCK: Final = 0x5348_5448
"""The key of the PostgreSQL advisory lock under which tables are created and changed."""


class _TrialError(Exception):
    """Raised to roll back a trial that succeeded."""


def why_unknown(schema: str) -> str:
    """Say in a sentence why this program cannot use a schema that is not one of `KNOWN_SCHEMAS`, and what to do."""
    oldest = min(KNOWN_SCHEMAS)
    if schema.isdecimal() and len(schema) == len(oldest) and schema < oldest:
        return f"schema {schema} is too old: this version can upgrade those from {oldest} on"
    return f"schema {schema} is of a newer version (update this one) or of another program (name another database)"


async def current(database: Database) -> str | None:
    """The name of the schema of a database, None if it is empty or does not exist."""
    return await database.read(_current) if database.is_there else None


def _current(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table(versions.name):
        return None
    return ", ".join(sorted(connection.execute(sa.select(versions.c.version_num)).scalars())) or None


async def upgrade(database: Database, *, trial: bool = False) -> None:
    """Upgrade a database to the newest schema in one transaction; a `trial` is rolled back.

    Several processes may call this at once; within a process nothing else may use the database meanwhile.

    Raises:
        UnavailableError: the database does not answer or cannot be written.
        SchemaError: the schema is newer than this program, the database belongs to another one, or lacks a part.
    """
    if not trial and await current(database) == NEWEST:
        await require_complete(database)
        return
    try:
        before = await database.write(_run_trial if trial else _upgrade)
    except _TrialError:
        return
    except SchemaError as error:
        raise SchemaError(f"{error} ({database.place})") from None
    if before not in {None, NEWEST}:
        _log.info("the database was migrated", schema=NEWEST, before=before)


async def require_complete(database: Database) -> None:
    """Check that a database with the newest schema has all its tables and columns; raises `SchemaError` if not."""
    if lost := await database.read(_lost):
        raise SchemaError(f"{database.place} lacks {lost}: {RESTORE}")


def _lost(connection: Connection) -> str:
    """The first table, or column, that a database with the newest schema does not have; empty if it has all."""
    found = sa.inspect(connection).get_multi_columns(filter_names=list(metadata.tables))
    names = {table: {column["name"] for column in columns} for (_, table), columns in found.items()}
    for table in metadata.sorted_tables:
        if table.name not in names:
            return f"the table {table.name}"
        if columns := {column.name for column in table.columns} - names[table.name]:
            return f"the column {min(columns)} of the table {table.name}"
    return ""


def _run_trial(connection: Connection) -> None:
    _upgrade(connection)
    raise _TrialError


def _upgrade(connection: Connection) -> str | None:
    """Upgrade; return the schema that the database had, None if it was empty."""
    if connection.dialect.name != "sqlite":
        # One process at a time: otherwise a table that another process creates between two of our queries would look
        # like another program's. The lock ends with the transaction.
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
    stored = _current(connection)  # read again: another process may have been faster
    if stored is None:
        found = {name for name in sa.inspect(connection).get_table_names() if name[0] != "_"}  # not a replicator's
        if connection.dialect.name != "sqlite":  # a file is one program's, a server's database may be several programs'
            found &= {*OUR_TABLES}
        if found:
            raise SchemaError(f"another program has a table {min(found)} there: name another database in DATABASE_URL")
        metadata.create_all(connection, checkfirst=False)  # it would pass over another program's view of such a name
        versions.create(connection)
        connection.execute(sa.insert(versions).values(version_num=NEWEST))
        return None
    for step in _steps_from(stored):
        step.change_database(connection)
    for index in [index for table in metadata.sorted_tables for index in table.indexes]:
        index.create(connection, checkfirst=True)  # the steps create those of new tables only
    connection.execute(sa.update(versions).values(version_num=NEWEST))
    if lost := _lost(connection):
        raise SchemaError(f"it lacks {lost}: {RESTORE}")
    if stored != NEWEST:
        upgrades.finish(connection)
    return stored


def _steps_from(schema: str) -> list[Step]:
    """The steps from a schema to the newest one; raises `SchemaError` if the schema is unknown."""
    if schema not in KNOWN_SCHEMAS:
        raise SchemaError(why_unknown(schema))
    return [step for name, step in _STEPS.items() if name >= schema]


def changed_rows(schema: str, rows: Iterator[TableRow]) -> Iterator[TableRow]:
    """Convert the rows of a backup to the newest schema; raises `SchemaError` if its own one is unknown."""
    for step in _steps_from(schema):
        rows = step.change_rows(rows)
    return rows
