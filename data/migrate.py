"""Which schema a database has, and bringing it to the one of this program: forward only, at every start.

An empty database gets the tables of `data.schema`; an older one is taken over. To change the schema, change
`data.schema`, give it the next name here, and write the step from the name before: statements that change a database
in place, and a function that does the same to the rows of a backup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from data import take_over
from data.database import Database
from data.errors import SchemaError
from data.schema import metadata, versions
from data.take_over import TableRow


class Step(NamedTuple):
    """The way from a schema to the `next` one: for a database in place, and for the rows of a backup."""

    next: str
    change_database: Callable[[Connection], None]
    change_rows: Callable[[Iterator[TableRow]], Iterator[TableRow]]


NEWEST: Final = "0009"
"""The name of the schema of this program."""
_STEPS: Final[Mapping[str, Step]] = {
    "0006": Step("0007", take_over.change_0006, take_over.rows_of_0006),
    "0007": Step("0008", take_over.change_0007, take_over.rows_of_0007),
    "0008": Step(NEWEST, take_over.change_0008, take_over.rows_of_0008),
}
KNOWN: Final = frozenset({NEWEST, *_STEPS})
"""The names of all schemas that this program knows the way from."""
LOCK: Final = 0x5348_5448
"""The advisory lock of PostgreSQL under which the tables are made and changed."""
UNKNOWN: Final = "is of a newer version: update this one; or of another program: name another database in DATABASE_URL"


class _TrialError(Exception):
    """Rolls back a trial that went well."""


async def current(database: Database) -> str | None:
    """The name of the schema that a database has, None for one that is empty or not there.

    Raises:
        UnavailableError: the database does not answer.
    """
    if not database.is_there:
        return None
    return await database.read(_current)


def _current(connection: Connection) -> str | None:
    if not sa.inspect(connection).has_table(versions.name):
        return None
    return ", ".join(sorted(connection.execute(sa.select(versions.c.version_num)).scalars())) or None


async def upgrade(database: Database, *, trial: bool = False) -> None:
    """Bring a database forward to the newest schema, in one transaction; a `trial` is rolled back.

    Several processes may do so at once; in one process it must run alone.

    Raises:
        UnavailableError: the database does not answer or cannot be written.
        SchemaError: the database is newer than this program, or not its own.
    """
    if not trial and await current(database) == NEWEST:
        return
    with suppress(_TrialError):
        await database.write(_try if trial else _change)


def _try(connection: Connection) -> None:
    _change(connection)
    raise _TrialError


def _change(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        # One at a time: else what another process makes may be missing at one look and be there at the next, where it
        # looks like another program's. The lock ends with the transaction.
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
    current = _current(connection)  # again: another process may have been quicker
    if current is None:
        there = {each for each in sa.inspect(connection).get_table_names() if each[0] != "_"}  # not a replicator's
        if connection.dialect.name != "sqlite":  # a file is one program's, a server's database may be several programs'
            there &= {*metadata.tables, versions.name}
        if there:
            raise SchemaError(f"another program has a table {min(there)} there: name another database in DATABASE_URL")
        metadata.create_all(connection)
        versions.create(connection)
        connection.execute(sa.insert(versions).values(version_num=NEWEST))
        return
    for step in _steps_from(current):
        step.change_database(connection)
    connection.execute(sa.update(versions).values(version_num=NEWEST))


def _steps_from(schema: str) -> Iterator[Step]:
    """The steps that lead from a schema to the newest one."""
    if schema not in KNOWN:
        raise SchemaError(f"schema {schema} {UNKNOWN}")
    while schema != NEWEST:
        yield _STEPS[schema]
        schema = _STEPS[schema].next


def changed_rows(schema: str, rows: Iterator[TableRow]) -> Iterator[TableRow]:
    """The rows of a backup of some schema as rows of the newest one.

    Raises:
        SchemaError: the backup is of a newer program.
    """
    for step in _steps_from(schema):
        rows = step.change_rows(rows)
    return rows
