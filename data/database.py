"""The interface to a database of either kind: callables that run as one transaction each.

`data.sqlite` and `data.postgres` implement it; `data.store.database_at` chooses the class that fits an address.
"""

from __future__ import annotations

import sqlite3
import time
from abc import abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from typing import Any, ClassVar, Final, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError

from data.addresses import place_of
from data.errors import DoubledError, UnusableError, translated
from data.schema import clicks, counters, metadata, versions

T = TypeVar("T")
Cursor: TypeAlias = sa.CursorResult[Any] | sqlite3.Cursor
"""What a statement has found or changed."""
OUR_TABLES: Final = (*metadata.tables, versions.name)
"""The names of all tables of this program."""
LONG_SEARCH: Final = 600.0
"""Seconds that a thorough search for damage may take."""
DAMAGE_SECONDS: Final = 600.0
"""Seconds for which damage is remembered. A disk that fails for a moment looks like it, too."""


class Database(AbstractAsyncContextManager["Database"]):
    """Connections to one database, opened on first use; at the end of an `async with` they are closed.

    Everything that reads or writes raises `UnavailableError` if the database does not answer in time.
    """

    kind: ClassVar[str]
    """The product, for use in a sentence; with its version if the library runs inside this process."""
    clock: ClassVar[str]
    """An SQL expression: seconds since 1970 by the clock of the database."""
    _insert: Callable[[sa.Table], Any]
    """Makes an INSERT in its SQL dialect, because ON CONFLICT differs between dialects."""
    alongside: tuple[sa.ColumnElement[Any], ...] = ()
    """What each writing transaction selects for its effect; a fenced one, beside its lease."""

    def __init__(self, url: URL, busy_seconds: float) -> None:
        """Do not connect yet. `busy_seconds` is how long to wait for another process's lock, or for an answer."""
        self.url = url
        self.place = place_of(url)
        """Where the database is, for use in a sentence. The folder of a relative path may be deleted later."""
        self._busy_seconds = busy_seconds
        self._damage, self._damage_until = "", 0.0
        self._new_click = self.insert_new(clicks)
        self.fence: Callable[[Connection], None] = lambda _connection: None
        """Called first in each fenced transaction; it raises if this process may not write."""

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    @property
    def damage(self) -> str:
        """The last error of a request that met damage within `DAMAGE_SECONDS`, though others succeed; empty if none."""
        return self._damage if time.monotonic() < self._damage_until else ""

    @property
    def exposure_warning(self) -> str:
        """A warning, with the cure, if others on this machine may read its files; empty if not, or if unknown."""
        return ""

    @property
    def is_there(self) -> bool:
        """Whether it can hold anything yet. Always true for PostgreSQL, which must be asked."""
        return True

    @property
    def identity(self) -> object:
        """Tells its file from another one, or none, in its place; None if nobody can tell."""
        return None

    @abstractmethod
    async def check(self, seconds: float = 0.0, *, to_write: bool = True, thorough: bool = False) -> None:
        """Check that the database file is there or can be created and, unless `to_write` is false, can be written.

        With `seconds`, look for damage for at most so long; a `thorough` search compares indexes and tables, too.

        Raises:
            UnavailableError: the folder is missing or full, or folder or file cannot be written.
            UnusableError: the file is damaged, or a folder.
        """

    @abstractmethod
    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """Run `work` as one transaction and return its result after the commit; if it raises, roll back.

        SQLite commits concurrent transactions together. `work` may run in another thread, so it must use nothing but
        its connection; it may run twice. With `fenced`, the fence is checked first.
        """

    @abstractmethod
    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:
        """Run `work`, which only reads, in one transaction. A `slow` read can delay only other slow reads.

        As for `write`, `work` must use nothing but its connection.
        """

    @abstractmethod
    async def close(self) -> None:
        """Close all connections. Work in progress may finish; reads that take longer than `busy_seconds` are cut off.

        The object stays usable: the next transaction opens a new connection.
        """

    def replace_connections(self) -> None:  # connections to a file are not cut
        """Abandon all connections, and what waits on one: if one was cut silently, the others were, too."""

    async def purge(self) -> None:  # PostgreSQL clears away what was deleted by itself
        """Overwrite what was deleted, as far as its file still holds it."""

    def execute(self, connection: Connection, statement: Any, values: dict[str, Any]) -> Cursor:
        """Execute a statement of every move, or an INSERT whose rows are counted, with a value for each parameter.

        Build the statement once, because it may be cached with what it is compiled to.

        Raises `sqlalchemy.exc.IntegrityError` if the values break a constraint.
        """
        return connection.execute(statement, values)

    def insert_new(self, table: sa.Table, *keys: str) -> Any:
        """An INSERT that does nothing if a row with the same key, or these `keys`, exists; its `rowcount` is then 0."""
        return self._insert(table).on_conflict_do_nothing(index_elements=keys or table.primary_key)

    def insert_or_update(self, table: sa.Table, values: dict[str, Any]) -> Any:
        """An INSERT of `values` that overwrites the row with the same key."""
        rest = {name: value for name, value in values.items() if name not in table.primary_key.columns}
        return self._insert(table).values(**values).on_conflict_do_update(index_elements=table.primary_key, set_=rest)

    def next_number(self, connection: Connection, guild_id: int, kind: str) -> int:
        """Draw the next number of a kind in a server; the first is 1.

        Others that count the same kind in the same server wait until the caller's transaction ends.
        """
        key, more = {"guild_id": guild_id, "kind": kind}, {"last": counters.c.last + 1}
        first = self._insert(counters).values(**key, last=1)
        connection.execute(first.on_conflict_do_update(index_elements=list(key), set_=more))
        drawn = sa.select(counters.c.last).filter_by(**key)  # asked for apart: RETURNING came only with SQLite 3.35
        return int(connection.execute(drawn).scalar_one())

    def apply_click(self, connection: Connection, guild_id: int, interaction_id: int, at: datetime) -> None:
        """Record in the caller's transaction that an interaction is applied; raises `DoubledError` if it was before."""
        values = {"guild_id": guild_id, "interaction_id": interaction_id, "made_at": at}
        if self.execute(connection, self._new_click, values).rowcount != 1:
            raise DoubledError

    @contextmanager
    def _translated(self, *errors: type[Exception]) -> Generator[None]:
        """Turn driver errors into `UnavailableError`. Work that expects an `IntegrityError` must catch it itself."""
        try:
            yield
        except (DBAPIError, OSError, *errors) as error:
            failure = translated(error, self.place)
            if isinstance(failure, UnusableError):
                self._damage, self._damage_until = str(failure), time.monotonic() + DAMAGE_SECONDS
            raise failure from error


def executing(statement: sa.Executable, parameters: Any = None) -> Callable[[Connection], None]:
    """Work that executes one statement. Its result is closed, because none may outlive the transaction."""
    return lambda connection: connection.execute(statement, parameters).close()


class Rows:
    """Base class of the queries about one topic; each method that writes is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _mappings(self, select: sa.Executable) -> Sequence[sa.RowMapping]:
        """The rows, each with its values by the names of their columns."""
        return await self._database.read(lambda connection: connection.execute(select).mappings().all())

    async def _slow_tuples(self, select: sa.Executable) -> Sequence[Sequence[Any]]:
        """The rows of a slow query, each with its values in the order of the query."""
        return await self._database.read(lambda connection: connection.execute(select).all(), slow=True)

    async def _execute(self, *statements: sa.Executable) -> int:
        """Run statements in one transaction; return how many rows the last one changed, 0 if there is none."""
        counts = await self._database.write(lambda connection: [connection.execute(one).rowcount for one in statements])
        return counts[-1] if counts else 0
