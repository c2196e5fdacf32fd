"""PostgreSQL: a pool of connections, and which of them are no longer usable."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cached_property
from operator import methodcaller
from ssl import create_default_context
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import URL, Connection, ExceptionContext
from sqlalchemy.exc import InvalidatePoolError

from data.database import Database
from data.errors import NONE_FREE, UnavailableError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")

CONNECTIONS: Final = 10
"""Of one process at most; PostgreSQL takes a hundred of all together by default."""
RESTED: Final = 5.0
"""Seconds without use after which a connection is asked for a sign of life before it is used again.

Asking takes a round trip, so a busy connection is not asked each time. If it was cut meanwhile its next transaction
fails before anything is written, and the pool is made anew.
"""
MOST_STATEMENTS: Final = 100
"""How many prepared statements a connection keeps if no pooler stands between."""
_STATEMENT_SECONDS: Final = 60.0
"""How long PostgreSQL may take for one statement: a connection that was cut says nothing."""
_READ_ONLY: Final = "25006"
"""PostgreSQL's code for a server that takes no writes, as a standby does."""
_FAREWELL: Final = 2.0
"""Seconds for closing all connections: PostgreSQL confirms that each ends, unless it was cut off."""
_USED: Final = "used"
_ASYNCPG: Final = "asyncpg"
_UNTRANSLATED: Final = ("PostgresError", "InterfaceError", "InternalClientError")
"""What comes of asyncpg without SQLAlchemy's wrapping, as while it connects."""


class PostgresDatabase(Database):
    """A server, and a pool of connections to it."""

    kind: ClassVar[str] = "PostgreSQL"
    clock: ClassVar[str] = "extract(epoch from clock_timestamp())"
    """Not that of the transaction's beginning, which may have waited for long."""

    def __init__(self, url: URL, busy_seconds: float) -> None:
        """Connect to nothing yet."""
        super().__init__(url, busy_seconds)
        self._places = asyncio.Semaphore(CONNECTIONS)
        """One for each connection. The pool itself may serve newcomers again and again, while others wait in vain."""

    async def check(self, seconds: float = 0.0) -> None:
        """A server says by itself what is wrong with it."""

    @cached_property
    def engine(self) -> AsyncEngine:
        """The pool."""
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - eight megabytes that SQLite does without

        engine = create_async_engine(
            "postgresql+asyncpg://",
            connect_args=asyncpg_arguments(self.url, self._busy_seconds),
            hide_parameters=True,
            pool_size=CONNECTIONS,
            max_overflow=0,  # those beyond the pool are closed after each use; a new one takes as long as ten moves
        )
        watch = _Watch(self._busy_seconds)
        event.listen(engine.sync_engine, "do_connect", watch.keep_statements)
        event.listen(engine.sync_engine, "connect", watch.look_for_pooler)
        event.listen(engine.sync_engine, "checkin", watch.note_use)
        event.listen(engine.sync_engine, "checkout", watch.look_after_rest)
        event.listen(engine.sync_engine, "handle_error", _leave_standby)
        return engine

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[AsyncConnection]:
        """A connection, for a transaction that is rolled back unless it is committed."""
        try:
            async with asyncio.timeout(3 * self._busy_seconds):
                await self._places.acquire()
        except TimeoutError:
            raise UnavailableError(f"{self.place} {NONE_FREE}") from None
        try:
            engine = self.engine  # it loads asyncpg, whose errors are named below
            with self._translated(*errors_of_asyncpg()):
                async with engine.connect() as connection:
                    yield connection
        finally:
            self._places.release()

    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """Do it with a connection, and commit."""
        async with self.connected() as connection, connection.begin():
            if fenced:
                await connection.run_sync(self._check_fence)
            return await connection.run_sync(work)

    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:  # noqa: ARG002 - nobody waits here
        """Do it with a connection."""
        async with self.connected() as connection:
            return await connection.run_sync(work)

    def start_over(self) -> None:
        """Make new connections from now on: if one was cut without a word, all were."""
        self.engine.sync_engine.dispose(close=False)

    async def close(self) -> None:
        """Give the connections back, those in use when they are no longer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._busy_seconds), AsyncExitStack() as unused:
                for _ in range(CONNECTIONS):
                    await unused.enter_async_context(self._places)
        if "engine" in vars(self):
            await asyncio.wait({asyncio.ensure_future(self.engine.dispose())}, timeout=_FAREWELL)

    def _insert(self, table: sa.Table) -> Any:
        return postgresql.insert(table)


def asyncpg_arguments(url: URL, seconds: float) -> Mapping[str, Any]:
    """What asyncpg connects with, in `seconds` at most; it understands an address as PostgreSQL's own programs do.

    No statement is prepared under a name, in case there is a pooler between (see `_Watch`).
    """
    verified = dict[str, Any]()
    if url.query.get("sslrootcert") == "system":  # libpq's word for those of the machine
        url, verified = url.difference_update_query(["sslmode", "sslrootcert"]), {"ssl": create_default_context()}
    return {
        **verified,
        "dsn": url.set(drivername="postgresql").render_as_string(hide_password=False),
        "timeout": seconds,
        "command_timeout": _STATEMENT_SECONDS,
        "statement_cache_size": 0,
        "prepared_statement_cache_size": 0,
        "prepared_statement_name_func": str,
    }


class _Watch:
    """What is known about the way to the server, and when each connection was used.

    A pooler gives its clients process numbers of its own. Behind one, the next transaction may be on another
    connection, which does not know a statement that was prepared; without one, preparing each statement anew would
    double the round trips of a move. The first connection is made as if there were a pooler, and used once.
    """

    def __init__(self, seconds: float) -> None:
        """`seconds` is how long a sign of life may take."""
        self._seconds, self._direct = seconds, False

    def keep_statements(self, _dialect: object, _record: object, _args: object, parameters: dict[str, Any]) -> None:
        if self._direct:
            parameters["statement_cache_size"] = parameters["prepared_statement_cache_size"] = MOST_STATEMENTS
            del parameters["prepared_statement_name_func"]

    def look_for_pooler(self, connection: Any, record: Any) -> None:
        cursor, knew = connection.cursor(), self._direct
        cursor.execute("SELECT pg_backend_pid()")
        self._direct = cursor.fetchone()[0] == connection.driver_connection.get_server_pid()
        connection.rollback()
        if self._direct and not knew:
            record.invalidate(soft=True)

    def note_use(self, _connection: object, record: Any) -> None:
        record.info[_USED] = time.monotonic()

    def look_after_rest(self, connection: Any, record: Any, _proxy: object) -> None:
        if time.monotonic() - record.info.get(_USED, time.monotonic()) < RESTED:
            return
        try:
            connection.run_async(methodcaller("execute", "SELECT 1", timeout=self._seconds))
        except (OSError, *errors_of_asyncpg()) as error:  # also a timeout: a server that hangs or is away
            raise InvalidatePoolError from error


def _leave_standby(context: ExceptionContext) -> None:
    # After a failover a connection may lead to a server that takes no writes any more. The next one leads elsewhere.
    if getattr(context.original_exception, "sqlstate", None) == _READ_ONLY:
        context.is_disconnect = True


def errors_of_asyncpg() -> tuple[type[Exception], ...]:
    """They are asked for where it is in use: a bot on SQLite does without its three megabytes."""
    return tuple(getattr(sys.modules[_ASYNCPG], name) for name in _UNTRANSLATED if _ASYNCPG in sys.modules)
