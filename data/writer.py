"""The thread that writes to an SQLite file: a whole transaction is one visit there, however many statements it has.

Through aiosqlite every statement would be three visits. Owns its connection; what is written it does not know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection

T = TypeVar("T")


class Writer:
    """One connection, used by one thread; both are made when the first transaction comes."""

    def __init__(self, url: URL, prepare: Callable[[Any, object], None]) -> None:
        """Write to this file; `prepare` is handed the driver's new connection."""
        self.engine = sa.create_engine(
            url.set(drivername="sqlite"),
            hide_parameters=True,
            poolclass=sa.StaticPool,
            pool_reset_on_return=None,  # `begin` ends every transaction itself
            connect_args={"check_same_thread": False},
        )
        event.listen(self.engine, "connect", prepare)
        event.listen(self.engine, "begin", _begin)
        self._thread: ThreadPoolExecutor | None = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` returns, once that is committed; an exception of its rolls back."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="writer")
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._transaction, work)

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        with self.engine.begin() as connection:
            return work(connection)

    async def close(self) -> None:
        """Let the last transaction end, then give connection and thread back; both come again when they are needed."""
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(thread, self.engine.dispose)
            thread.shutdown()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
