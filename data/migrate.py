"""Bringing a database to the newest schema: forward only, at every start.

Owns the way to Alembic; the steps stand in `data.migrations`.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import alembic.command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from data.connect import Database
from data.errors import SchemaError, UnavailableError

_STEPS: Final = Path(__file__).parent / "migrations"
_TRIES: Final = 5


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_STEPS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def newest() -> str:
    """The name of the newest schema."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def known() -> frozenset[str]:
    """The names of all schemas that this program knows the way from."""
    return frozenset(step.revision for step in ScriptDirectory.from_config(_config()).walk_revisions())


async def current(database: Database) -> str | None:
    """The name of the schema that a database has, None for an empty one.

    Raises:
        UnavailableError: the database does not answer.
    """
    async with database.reading() as connection:
        return await connection.run_sync(lambda sync: MigrationContext.configure(sync).get_current_revision())


async def upgrade(database: Database, to: str = "head") -> None:
    """Bring a database forward to a schema, in one transaction.

    Several processes may do so at once; in one process it must run alone.

    Raises:
        UnavailableError: the database does not answer or cannot be written.
        SchemaError: the database is newer than this program, or not its own.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            return await _upgrade_once(database, to)
        except UnavailableError as error:
            # Another process may be making the same tables at this moment; then the next try finds them made.
            if attempt == _TRIES or not isinstance(error.__cause__, DBAPIError):
                raise
            await asyncio.sleep(0.05 * 2**attempt)
    return None


async def _upgrade_once(database: Database, to: str) -> None:
    try:
        if to == "head" and await current(database) == newest():
            return
        async with database.writing() as connection:
            await connection.run_sync(lambda sync: alembic.command.upgrade(_config(sync), to))
    except CommandError:
        raise SchemaError("the database was made by a newer version of this program; update the program") from None
    except IntegrityError as error:
        raise UnavailableError(type(error).__name__) from error
