"""A thread that reads or writes an SQLite file. It gets whole transactions: a hop to it and back takes 0.05 ms.

What waits when it is free is done together and shares one commit, because that is what takes long. Each thread owns its
connection; it knows nothing of what is written.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
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


_PRAGMAS: Final = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")


class _Asked(NamedTuple):
    """Work that waits, whether the fence is asked first, and who is told."""

    work: Work[Any]
    fenced: bool
    done: asyncio.Future[Any]


class SqliteThread:
    """One connection, used by one thread; both are made when the first transaction comes."""

    def __init__(
        self, url: URL, busy_seconds: float, fence: Work[None] | None = None, *, most: int = MOST_TOGETHER
    ) -> None:
        """Write this file if there is a `fence`, else read it; a statement waits for another process so long.

        `fence` is what transactions that are fenced do first; what it raises ends them. So much is done together at
        `most`.
        """
        self.engine = sa.create_engine(
            url,
            hide_parameters=True,
            poolclass=sa.StaticPool,
            connect_args={"check_same_thread": False},
        )
        event.listen(self.engine, "connect", self._prepare)
        self._busy_seconds, self._fence, self._most = busy_seconds, fence, most
        # A transaction that begins as a reader and then writes may find that another process has written meanwhile, and
        # fail at once, however patient it is. One that takes the lock at its beginning can wait for it there.
        self._begin = "BEGIN IMMEDIATE" if fence else "BEGIN"
        self._connection: Connection | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._waiting: list[_Asked] = []
        self._working: asyncio.Task[None] | None = None

    @property
    def load(self) -> int:
        """How much work waits or is being done."""
        return len(self._waiting) + (self._working is not None)

    async def run(self, work: Work[T], *, fenced: bool = True) -> T:
        """What `work` returns, once it is committed. If it raises, only its own changes are rolled back."""
        asked = _Asked(work, fenced, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        if self._working is None:
            self._working = asyncio.create_task(self._run_all())
        return await asked.done

    async def _run_all(self) -> None:
        try:
            while self._waiting:
                _, alike = next(groupby(self._waiting[: self._most], attrgetter("fenced")))
                batch = list(alike)  # what goes without the fence must not fail by it
                del self._waiting[: len(batch)]
                await self._run_together([each for each in batch if not each.done.done()])  # else nobody waits any more
        finally:
            self._working = None

    async def _run_together(self, batch: Sequence[_Asked]) -> None:
        if not batch:
            return
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
        connection = self._connection = self._connection or self._connect()
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

    def _connect(self) -> Connection:
        # A new file is for its owner alone. One that is there is not opened: closing it again would end the locks that
        # the other connections of this process have on it. What else is wrong SQLite says itself.
        with suppress(OSError):
            os.close(os.open(str(self.engine.url.database), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        return self.engine.connect()

    def _prepare(self, driver: sqlite3.Connection, _record: object) -> None:
        driver.isolation_level = None  # the driver must not begin transactions of its own
        with closing(driver.cursor()) as cursor:
            for pragma in (f"PRAGMA busy_timeout = {int(self._busy_seconds * 1000)}", *_PRAGMAS):
                cursor.execute(pragma)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self.engine.dispose()

    async def close(self, patience: float) -> None:
        """Let the last transaction end, then give connection and thread back; both come again when they are needed.

        What still reads after so many seconds is broken off.
        """
        late = {self._working} if self._working is not None else set[asyncio.Task[None]]()
        while late:
            _, late = await asyncio.wait(late, timeout=patience)
            if late and self._fence is None and self._connection is not None:
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
