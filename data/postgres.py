"""PostgreSQL: a connection pool that detects poolers and dead connections."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cached_property, partial
from itertools import cycle
from operator import methodcaller
from ssl import create_default_context
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import URL, Connection, ExceptionContext
from sqlalchemy.exc import InvalidatePoolError

from data.database import OUR_TABLES, Database
from data.errors import NOT_OWNED, POOL_EXHAUSTED, UnavailableError, UnusableError, sqlstate_of

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

T = TypeVar("T")
CONNECTIONS: Final = 10
"""The size of a process's pool. By default PostgreSQL accepts a hundred connections altogether."""
PING_AFTER: Final = 5.0
"""Seconds without use after which a connection is pinged before it is used again.

A ping takes a round trip, so busy connections are not pinged. If one of them was cut in the meantime, its next
transaction fails before anything is written, and the pool is rebuilt.
"""
MOST_STATEMENTS: Final = 100
"""How many prepared statements a connection caches if there is no pooler in between."""
_REPLAN: Final = "SELECT set_config(name, 'force_custom_plan', false) FROM pg_settings WHERE name = 'plan_cache_mode'"
"""Otherwise a statement is planned for an average server after a while: slow for a large one. Needs PostgreSQL 12."""
_STATEMENT_SECONDS: Final = 60.0
"""Timeout for one statement, because a connection that was cut does not report it."""
ABANDONED_AFTER: Final = 10
"""Seconds without a statement after which the server rolls back a transaction that writes: less than a lease lasts."""
_CLASS: Final = sa.table("pg_class", sa.column("oid"), sa.column("relname"))
_OURS: Final = sa.func.pg_table_is_visible(_CLASS.c.oid) & _CLASS.c.relname.in_(OUR_TABLES)
_MAY: Final = [sa.func.has_table_privilege(_CLASS.c.oid, may) for may in ("SELECT", "INSERT", "UPDATE", "DELETE")]
_CHECKS: Final = sa.select(sa.func.current_setting("server_encoding"), sa.func.bool_and(sa.and_(*_MAY))).where(_OURS)
"""The encoding, and whether this user may read and write our tables; None if there are none."""
_READ_ONLY, _DEADLOCK = "25006", "40P01"
"""PostgreSQL's error codes: the server accepts no writes, as a standby; two transactions waited for each other."""
_FAREWELL: Final = 2.0
"""Seconds after which connections that close are cut: PostgreSQL confirms each, unless it hangs or was cut off."""
_DIRECT, _USED = "direct", "used"


class PostgresDatabase(Database):
    """A PostgreSQL server and a pool of connections to it."""

    kind: ClassVar[str] = "PostgreSQL"
    clock: ClassVar[str] = "extract(epoch from clock_timestamp())"
    """Not `now()`: that is when the transaction began, which may have waited for a long time since."""
    _insert = staticmethod(postgresql.insert)

    def __init__(self, url: URL, busy_seconds: float) -> None:
        super().__init__(url, busy_seconds)
        # Set in each transaction, because a pooler passes on no settings. Rows of a machine that died would stay locked
        # for hours. A renewal must fail in time to say that it waits for a lock, unless that is on all of `leases`.
        abandoned = sa.func.set_config("idle_in_transaction_session_timeout", f"{ABANDONED_AFTER}s", sa.true())
        self._lock_limit = sa.func.set_config("lock_timeout", f"{1000 * 0.6 * busy_seconds:.0f}", sa.true())
        self.alongside = (abandoned, self._lock_limit)
        self._permits = asyncio.Semaphore(CONNECTIONS)
        """One for each connection. It is fair; the pool itself may serve newcomers first and let others starve."""
        self._watch = _Watch(busy_seconds)

    async def check(self, seconds: float = 0.0, *, to_write: bool = True, thorough: bool = False) -> None:  # noqa: ARG002 - for files
        """Check that the database can hold every name and, to write, its tables; a server reports its own damage."""
        encoding, may_write = await self.read(lambda connection: connection.execute(_CHECKS).one())
        if encoding != "UTF8":
            raise UnusableError(f"{self.place} has the encoding {encoding}: create a database with UTF8")
        if to_write and may_write is False:
            raise UnavailableError(f"{self.place} {NOT_OWNED}")

    @cached_property
    def engine(self) -> AsyncEngine:
        """The engine with the pool, created on first use."""
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - eight megabytes that SQLite does without

        engine = create_async_engine(
            "postgresql+asyncpg://",
            connect_args=asyncpg_arguments(self.url, self._busy_seconds),
            isolation_level="READ COMMITTED",  # whatever the server prefers: a stricter one refuses changes by chance
            hide_parameters=True,
            pool_size=CONNECTIONS,
            max_overflow=0,  # those beyond the pool are closed after each use; a new one takes as long as ten moves
        )
        watch = self._watch
        event.listen(engine.sync_engine, "do_connect", watch.keep_statements)
        event.listen(engine.sync_engine, "connect", watch.look_for_pooler)
        event.listen(engine.sync_engine, "checkin", watch.record_use)
        event.listen(engine.sync_engine, "checkout", watch.ping_after_rest)
        event.listen(engine.sync_engine, "handle_error", _leave_standby)
        return engine

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[AsyncConnection]:
        """Borrow a connection for one transaction, which is rolled back unless it is committed."""
        try:
            async with asyncio.timeout(3 * self._busy_seconds):
                await self._permits.acquire()
        except TimeoutError:
            raise UnavailableError(f"{self.place} {POOL_EXHAUSTED}") from None
        try:
            engine = self.engine  # loads asyncpg, whose errors the next line looks up
            with self._translated(*errors_of_asyncpg()):
                async with engine.connect() as connection:
                    yield connection
        finally:
            self._permits.release()

    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """Run `work` on a pooled connection and commit; once more if PostgreSQL ended it because of a deadlock."""
        try:
            return await self._write(work, fenced=fenced)
        except UnavailableError as error:
            if sqlstate_of(error.__cause__) != _DEADLOCK:
                raise
        return await self._write(work, fenced=fenced)  # all of the first try is undone

    async def _write(self, work: Callable[[Connection], T], *, fenced: bool) -> T:
        async with self.connected() as connection, connection.begin():
            if fenced:
                await connection.run_sync(self.fence)
            else:
                await connection.execute(sa.select(*self.alongside))
            return await connection.run_sync(work)

    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:  # noqa: ARG002 - nobody waits here
        """Run `work` on a pooled connection, all of whose statements see the same moment."""
        async with self.connected() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            await connection.execute(sa.select(self._lock_limit))
            return await connection.run_sync(work)

    def replace_connections(self) -> None:
        """Replace the pool without waiting, as its connections may have been cut silently; what waits on one fails."""
        for each in list(self._watch.connections):
            each.terminate()
        self.engine.sync_engine.dispose(close=False)

    async def close(self) -> None:
        """Close the pool, once its connections are free or `busy_seconds` are over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._busy_seconds), AsyncExitStack() as unused:
                for _ in range(CONNECTIONS):
                    await unused.enter_async_context(self._permits)
        if "engine" in vars(self):
            closing = asyncio.ensure_future(self.engine.dispose())
            if not (await asyncio.wait({closing}, timeout=_FAREWELL))[0]:
                self.replace_connections()
                await asyncio.wait({closing}, timeout=_FAREWELL)


def asyncpg_arguments(url: URL, seconds: float) -> Mapping[str, Any]:
    """The `connect_args` for asyncpg, which parses the address as libpq does. `seconds` is the timeout for all hosts.

    Prepared statements get no names, in case there is a pooler in between (see `_Watch`).
    """
    hosts, ports = (str(url.query.get(name, "")).split(",") for name in ("host", "port"))
    pairs = zip(hosts, cycle(ports), strict=False)
    places = [{"host": host.strip("[]") or None, "port": port or None} for host, port in pairs]
    verified = dict[str, Any]()
    if url.query.get("sslrootcert") == "system":  # libpq's word for the operating system's certificates
        url = url.difference_update_query(["sslmode", "sslrootcert"])
        verified = {"ssl": create_default_context()}
    return {
        **verified,
        "dsn": url.set(drivername="postgresql").render_as_string(hide_password=False),
        "async_creator_fn": partial(_connect_to_any, places),
        "timeout": seconds / len(places),
        "command_timeout": _STATEMENT_SECONDS,
        "statement_cache_size": 0,
        "prepared_statement_cache_size": 0,
        "prepared_statement_name_func": str,
    }


async def _connect_to_any(places: Sequence[Mapping[str, object]], **options: object) -> object:
    """Connect to the first host that answers; asyncpg itself would wait for one that is silent, and try no other."""
    connect = sys.modules["asyncpg"].connect  # see `errors_of_asyncpg`
    for place in places[:-1]:
        with suppress(OSError, *errors_of_asyncpg()):
            return await connect(**place, **options)
    return await connect(**places[-1], **options)


class _Watch:
    """Pool events: find out whether there is a pooler, and ping connections that have rested.

    Behind a pooler the next transaction may use another server connection, which lacks the statements that were
    prepared on the first; without a pooler, preparing each statement anew would double the round trips of a move. A
    pooler is recognized because it reports process ids of its own. The first connection assumes that there is one,
    others what the last one found; a connection that was wrong is used only once.
    """

    def __init__(self, seconds: float) -> None:
        """`seconds` is the timeout of a ping."""
        self._seconds = seconds
        self._direct = False  # whether it is known that there is no pooler
        self.connections = WeakSet[Any]()

    def keep_statements(self, _dialect: object, record: Any, _args: object, parameters: dict[str, Any]) -> None:
        record.info[_DIRECT] = self._direct
        if self._direct:
            parameters["statement_cache_size"] = parameters["prepared_statement_cache_size"] = MOST_STATEMENTS
            del parameters["prepared_statement_name_func"]

    def look_for_pooler(self, connection: Any, record: Any) -> None:
        self.connections.add(connection.driver_connection)
        cursor = connection.cursor()
        cursor.execute("SELECT pg_backend_pid()")
        self._direct = cursor.fetchone()[0] == connection.driver_connection.get_server_pid()
        if self._direct:
            cursor.execute(_REPLAN)
        connection.commit()
        if self._direct != record.info[_DIRECT]:
            record.invalidate(soft=True)

    def record_use(self, _connection: object, record: Any) -> None:
        record.info[_USED] = time.monotonic()

    def ping_after_rest(self, connection: Any, record: Any, _proxy: object) -> None:
        if time.monotonic() - record.info.get(_USED, time.monotonic()) < PING_AFTER:
            return
        try:
            connection.run_async(methodcaller("execute", "SELECT 1", timeout=self._seconds))
        except (OSError, *errors_of_asyncpg()) as error:  # OSError includes the timeout of a server that hangs
            raise InvalidatePoolError from error


def _leave_standby(context: ExceptionContext) -> None:
    # After a failover a connection may lead to a server that has become read-only. A new one can find the primary.
    if sqlstate_of(context.original_exception) == _READ_ONLY:
        context.is_disconnect = True


def errors_of_asyncpg() -> tuple[type[Exception], ...]:
    """What SQLAlchemy does not wrap, as while connecting, if asyncpg is loaded: a bot on SQLite saves its megabytes."""
    asyncpg = sys.modules.get("asyncpg")
    return (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) if asyncpg else ()
