"""The connection to the database: how transactions begin, and which errors are raised.

Owns the engine and the counters; knows nothing else of what is in the database.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, contextmanager, nullcontext, suppress
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError

from data.addresses import SQLITE, parse_url, place_of
from data.errors import NONE_FREE, RESTORE, UnavailableError, worded
from data.postgres import errors_of_asyncpg, new_engine
from data.schema import counters
from data.sqlite_file import check_place, damage_in
from data.visits import Visitor

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")

BUSY_SECONDS: Final = 5.0
"""How long a statement waits for another process that holds the database."""

CONNECTIONS: Final = 10
"""Of one process at most, but for SQLite's one writer; PostgreSQL takes a hundred of all together by default."""

SLOW_READERS: Final = 3
"""So many slow reads of an SQLite file go on at once."""
_FAREWELL: Final = 2.0
"""Seconds for closing all connections: PostgreSQL confirms that each ends, unless it was cut off."""
_LAST_WORDS: Final = 0.05
"""Seconds in which the thread of a connection that failed still speaks to the loop; closed, it leaves a traceback."""
_PRAGMAS: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")


class Database:
    """A pool of connections.

    Reading may go on beside writing; in SQLite one writer follows another, so that none has to poll for the lock.
    Everything that reads or writes raises `UnavailableError` if the database does not answer, or not in time.
    """

    def __init__(self, url: str, *, busy_seconds: float = BUSY_SECONDS) -> None:
        """Connect to nothing yet.

        Raises:
            ValueError: the address is not one `parse_url` takes.
        """
        self.url = parse_url(url)
        self.is_sqlite = self.url.drivername == SQLITE
        self._busy_seconds = busy_seconds
        lock = asyncio.Lock()
        self._one_writer = lock if self.is_sqlite else nullcontext()
        self.fence: Callable[[Connection], None] | None = None
        """Begins every transaction that writes, and raises if this process may not; none if no lease is held."""
        self._places = asyncio.Semaphore(CONNECTIONS)
        self._in_use, self._unused, self._failed = 0, asyncio.Event(), False
        self._unused.set()
        self._writer = self._reader = None
        self._slow_readers = list[Visitor]()
        if self.is_sqlite:
            self._writer = Visitor(self.url, self._prepare, "BEGIN IMMEDIATE", self._check_fence, lock)
            self._reader = Visitor(self.url, self._prepare, "BEGIN")
            self._slow_readers = [Visitor(self.url, self._prepare, "BEGIN", most=1) for _ in range(SLOW_READERS)]

    @property
    def file(self) -> Path:
        """Where an SQLite database is."""
        return Path(self.url.database or "").absolute()

    @property
    def place(self) -> str:
        """Where it is, for a sentence."""
        return place_of(self.url)

    def check_place(self) -> None:
        """See whether the file of an SQLite database can be there, before anything is made.

        Raises:
            UnavailableError: its folder does not exist or is full, or folder or file cannot be written.
        """
        if self.is_sqlite:
            check_place(self.file)

    @property
    def is_there(self) -> bool:
        """Whether there can be anything in it: PostgreSQL says so when it is asked, SQLite's file exists."""
        return not self.is_sqlite or self.file.exists()

    def make_file(self) -> None:
        """Make the file of an SQLite database, for its owner alone, if there is none.

        Raises:
            UnavailableError: it cannot be made.
        """
        if self.is_sqlite:
            with _translated(self.url):
                os.close(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600))

    async def check_sound(self, seconds: float) -> None:
        """Look for damage in the file of an SQLite database, for so many seconds at most.

        Raises:
            UnavailableError: it is damaged.
        """
        if not self.is_sqlite or not self.is_there:
            return
        with _translated(self.url), suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                damage = await asyncio.to_thread(damage_in, self.file, seconds)
            if damage:
                raise UnavailableError(f"{self.place} is damaged ({damage}): {RESTORE}")

    @cached_property
    def engine(self) -> AsyncEngine:
        """Connections for the event loop. With SQLite only backups use them: they take eight megabytes."""
        if not self.is_sqlite:
            return new_engine(self.url, CONNECTIONS, self._busy_seconds)
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - for backups alone

        most = CONNECTIONS + 1  # one is the writer's
        engine = create_async_engine(self.url, hide_parameters=True, pool_size=most, max_overflow=0)
        event.listen(engine.sync_engine, "connect", self._prepare)
        event.listen(engine.sync_engine, "begin", _begin)
        return engine

    def _prepare(self, connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver must not begin transactions of its own
        with closing(connection.cursor()) as cursor:
            for pragma in (f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}", *_PRAGMAS):
                cursor.execute(pragma)

    @asynccontextmanager
    async def reading(self, **options: str | bool) -> AsyncGenerator[AsyncConnection]:
        """A transaction that changes nothing; `options` are those of a connection in SQLAlchemy."""
        self._in_use += 1
        self._unused.clear()
        connected = False
        # SQLite's one writer keeps all others waiting, moves too, so it must not wait for those who read.
        has_own = self.is_sqlite and options.get("writes")
        try:
            with _translated(self.url):
                async with nullcontext() if has_own else self._in_turn(), self.engine.connect() as connection:
                    connected = True
                    yield await connection.execution_options(**options)
        finally:
            self._failed |= not connected
            self._in_use -= 1
            if not self._in_use:
                self._unused.set()

    @asynccontextmanager
    async def _in_turn(self) -> AsyncGenerator[None]:
        # The pool may serve newcomers again and again, while others wait until their time is up.
        try:
            async with asyncio.timeout(3 * self._busy_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise UnavailableError(f"{self.place} {NONE_FREE}") from None
        try:
            yield
        finally:
            self._places.release()

    def snapshot(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction that sees the database as it is at its beginning, however long it takes."""
        # Reading in SQLite is always like that.
        return self.reading(**({} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}))

    @asynccontextmanager
    async def writing(self, *, fenced: bool = True) -> AsyncGenerator[AsyncConnection]:
        """A transaction that is committed at the end of the block, or rolled back by an exception."""
        async with self._one_writer, self.reading(writes=True) as connection, connection.begin():
            if fenced:
                await connection.run_sync(self._check_fence)
            yield connection

    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """What `work` returns, once its changes are committed as one transaction; if it raises, they are rolled back.

        In SQLite it shares a commit with others that come at the same time. `work` runs beside the event loop, so it
        must touch nothing but its connection.
        """
        if self._writer is None:
            async with self.writing(fenced=fenced) as connection:
                return await connection.run_sync(work)
        with _translated(self.url):
            return await self._writer.visit(work, fenced=fenced)

    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:
        """What `work` reads, in one transaction; as for `write`. What is `slow` keeps only others waiting that are."""
        if self._reader is None:
            async with self.reading() as connection:
                return await connection.run_sync(work)
        with _translated(self.url):
            reader = min(self._slow_readers, key=attrgetter("load")) if slow else self._reader
            return await reader.visit(work)

    def _check_fence(self, connection: Connection) -> None:
        if self.fence is not None:
            self.fence(connection)

    def insert_new(self, table: sa.Table, keys: Sequence[str]) -> Any:
        """An INSERT that does nothing if the row exists; `rowcount` tells."""
        return self._insert(table).on_conflict_do_nothing(index_elements=list(keys))

    def insert_or_update(self, table: sa.Table, keys: Sequence[str], values: dict[str, Any]) -> Any:
        """An INSERT of `values` that overwrites the row with these keys."""
        rest = {name: value for name, value in values.items() if name not in keys}
        return self._insert(table).values(**values).on_conflict_do_update(index_elements=list(keys), set_=rest)

    def _insert(self, table: sa.Table) -> Any:
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def next_number(self, connection: Connection, guild_id: int, kind: str) -> int:
        """The next number of a kind in a server, from 1.

        Until the caller's transaction ends, all others that count the same wait.
        """
        first = self._insert(counters).values(guild_id=guild_id, kind=kind, last=1)
        more = {"last": counters.c.last + 1}
        counting = first.on_conflict_do_update(index_elements=["guild_id", "kind"], set_=more)
        return int(connection.execute(counting.returning(counters.c.last)).scalar_one())

    async def close(self) -> None:
        """Give all connections back, those in use when they are no longer; new ones are made when they are needed.

        One that is used for longer than the database may take to answer is not waited for.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._busy_seconds):
                await self._unused.wait()
        for visitor in filter(None, (self._reader, *self._slow_readers, self._writer)):
            await visitor.close(self._busy_seconds)
        if "engine" in vars(self):
            await asyncio.wait({asyncio.ensure_future(self.engine.dispose())}, timeout=_FAREWELL)
        if self._failed and self.is_sqlite:
            await asyncio.sleep(_LAST_WORDS)


class Rows:
    """What is asked about one topic; each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _rows(self, select: sa.Executable) -> Sequence[sa.RowMapping]:
        return await self._database.read(lambda connection: connection.execute(select).mappings().all())

    async def _slow_rows(self, select: sa.Executable) -> Sequence[Sequence[Any]]:
        return await self._database.read(lambda connection: connection.execute(select).all(), slow=True)

    async def _do(self, *statements: sa.Executable) -> int:
        """Run statements in one transaction; how many rows the last one changed."""

        def work(connection: Connection) -> int:
            changed = 0
            for each in statements:
                changed = connection.execute(each).rowcount
            return changed

        return await self._database.write(work)


def _begin(connection: Connection) -> None:
    # A transaction that begins as a reader and then writes may find that another has written meanwhile, and fail at
    # once, however patient it is. So what writes takes the lock at its beginning, where it can wait for it.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _translated(url: URL) -> Generator[None]:
    """Turn what drivers raise into `UnavailableError`; work that knows what a broken constraint means catches it."""
    try:
        yield
    except (DBAPIError, OSError, sqlite3.Error, *errors_of_asyncpg()) as error:
        raise UnavailableError(f"{place_of(url)} {worded(error)}") from error
