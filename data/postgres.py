"""Connections to PostgreSQL: how the pool is made, and which of its connections are no longer usable."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from operator import methodcaller
from ssl import create_default_context
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import event
from sqlalchemy.engine import URL, ExceptionContext
from sqlalchemy.exc import InvalidatePoolError

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

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
_USED: Final = "used"
_ASYNCPG: Final = "asyncpg"
_UNTRANSLATED: Final = ("PostgresError", "InterfaceError", "InternalClientError")
"""What comes of asyncpg without SQLAlchemy's wrapping, as while it connects."""


def new_engine(url: URL, most: int, seconds: float) -> AsyncEngine:
    """A pool of so many connections at most, which connects within `seconds`."""
    from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - eight megabytes that SQLite does without

    engine = create_async_engine(
        "postgresql+asyncpg://",
        connect_args=asyncpg_arguments(url, seconds),
        hide_parameters=True,
        pool_size=most,
        max_overflow=0,  # those beyond the pool are closed after each use; a new one takes as long as ten moves
    )
    watch = _Watch(seconds)
    event.listen(engine.sync_engine, "do_connect", watch.keep_statements)
    event.listen(engine.sync_engine, "connect", watch.look_for_pooler)
    event.listen(engine.sync_engine, "checkin", watch.note_use)
    event.listen(engine.sync_engine, "checkout", watch.look_after_rest)
    event.listen(engine.sync_engine, "handle_error", _leave_standby)
    return engine


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
