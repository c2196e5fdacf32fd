"""Threads that read and write an SQLite file: a whole transaction is one visit there, however many statements it has.

What waits when a thread is free is done together and shares one commit, because that is what takes long. Through
aiosqlite every statement would be three visits. Each thread owns its connection; it knows nothing of what is written.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError

T = TypeVar("T")
Work: TypeAlias = Callable[[Connection], T]
"""What is done with a connection, inside of a transaction of somebody else's."""

MOST_TOGETHER: Final = 256
"""How many share a commit at most: the first of them waits until the last is done."""


class _Asked(NamedTuple):
    """Work that waits, whether the fence is asked first, and who is told."""

    work: Work[Any]
    fenced: bool
    done: asyncio.Future[Any]


class Visitor:
    """One connection, used by one thread; both are made when the first transaction comes."""

    def __init__(
        self,
        url: URL,
        prepare: Callable[[Any, object], None],
        begin: str,
        fence: Work[None] | None = None,
        write_lock: AbstractAsyncContextManager[Any] | None = None,
        most: int = MOST_TOGETHER,
    ) -> None:
        """Visit this file; if there is a `write_lock`, only while holding it.

        `prepare` is handed the driver's new connection. `begin` is the statement that begins every transaction, and
        `fence` what those that are fenced do first; what it raises ends them. So much is done together at `most`.
        """
        self.engine = sa.create_engine(
            url.set(drivername="sqlite"),
            hide_parameters=True,
            poolclass=sa.StaticPool,
            connect_args={"check_same_thread": False},
        )
        event.listen(self.engine, "connect", prepare)
        self._most, self._is_reading = most, write_lock is None
        self._write_lock, self._begin, self._fence = write_lock or nullcontext(), begin, fence
        self._connection: Connection | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._waiting: list[_Asked] = []
        self._visiting: asyncio.Task[None] | None = None

    @property
    def load(self) -> int:
        """How much work waits or is being done."""
        return len(self._waiting) + (self._visiting is not None)

    async def visit(self, work: Work[T], *, fenced: bool = True) -> T:
        """What `work` returns, once it is committed. If it raises, only its own changes are rolled back."""
        asked = _Asked(work, fenced, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        if self._visiting is None:
            self._visiting = asyncio.create_task(self._visit_all())
        return await asked.done

    async def _visit_all(self) -> None:
        try:
            while self._waiting:
                async with self._write_lock:
                    # Nobody waits any more for what was cancelled.
                    self._waiting = [each for each in self._waiting if not each.done.done()]
                    if not self._waiting:
                        break
                    _, alike = next(groupby(self._waiting[: self._most], attrgetter("fenced")))
                    batch = list(alike)  # what goes without the fence must not fail by it
                    del self._waiting[: len(batch)]
                    await self._visit_together(batch)
        finally:
            self._visiting = None

    async def _visit_together(self, batch: Sequence[_Asked]) -> None:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")
        work = self._thread, self._transaction, [each.work for each in batch], batch[0].fenced
        outcomes: list[Any]
        try:
            outcomes = await asyncio.get_running_loop().run_in_executor(*work)
        except Exception as error:  # noqa: BLE001 - nothing is stored, and all callers are told so
            outcomes = [error] * len(batch)
        for each, outcome in zip(batch, outcomes, strict=True):
            _tell(each.done, outcome)

    def _transaction(self, works: Sequence[Work[Any]], fenced: bool) -> list[Any]:  # noqa: FBT001 - the executor's way
        """What each returned, or the exception of one rolled back alone. Raises if the whole transaction failed."""
        # The driver itself begins and ends transactions, as SQLAlchemy took 0.05 of the 0.69 ms of a move for it.
        connection = self._connection = self._connection or self.engine.connect()
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        driver.execute(self._begin)
        try:
            if fenced and self._fence is not None:
                self._fence(connection)
            results = [works[0](connection)] if len(works) == 1 else [_alone(connection, work) for work in works]
            driver.execute("COMMIT")
        except BaseException:
            if driver.in_transaction:  # SQLite leaves one open whose commit fails; a full disk ends it
                driver.execute("ROLLBACK")
            raise
        return results

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self.engine.dispose()

    async def close(self, patience: float) -> None:
        """Let the last transaction end, then give connection and thread back; both come again when they are needed.

        What still reads after so many seconds is broken off.
        """
        late = {self._visiting} if self._visiting is not None else set[asyncio.Task[None]]()
        while late:
            _, late = await asyncio.wait(late, timeout=patience)
            if late and self._is_reading and self._connection is not None:
                cast("sqlite3.Connection", self._connection.connection.driver_connection).interrupt()
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(thread, self._disconnect)
            thread.shutdown()


def _alone(connection: Connection, work: Work[Any]) -> Any:
    """What work returned, or what it raised if that could be undone without the others."""
    connection.exec_driver_sql("SAVEPOINT work")
    try:
        result = work(connection)
    except Exception as error:
        with suppress(DBAPIError):
            connection.exec_driver_sql("ROLLBACK TO work")
            connection.exec_driver_sql("RELEASE work")
            return error
        raise  # a full disk or a failing one has ended the whole transaction
    connection.exec_driver_sql("RELEASE work")
    return result


def _tell(asked: asyncio.Future[Any], outcome: Any) -> None:
    if asked.done():  # the caller has gone
        return
    if isinstance(outcome, BaseException):
        asked.set_exception(outcome)
    else:
        asked.set_result(outcome)
