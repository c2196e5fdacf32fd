"""Threads that read and write an SQLite file: a whole transaction is one visit there, however many statements it has.

What waits when a thread is free is done together and shares one commit, because that is what takes long. Through
aiosqlite every statement would be three visits. Each owns its connection; what is written they do not know.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

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
    """Work that waits, and who is told."""

    work: Work[Any]
    done: asyncio.Future[Any]


class Visitor:
    """One connection, used by one thread; both are made when the first transaction comes."""

    def __init__(
        self,
        url: URL,
        prepare: Callable[[Any, object], None],
        begin: Work[None],
        turn: AbstractAsyncContextManager[Any] | None = None,
    ) -> None:
        """Visit this file, where there is a `turn` only while holding it.

        `prepare` is handed the driver's new connection. `begin` begins every transaction; what it raises ends it.
        """
        self.engine = sa.create_engine(
            url.set(drivername="sqlite"),
            hide_parameters=True,
            poolclass=sa.StaticPool,
            pool_reset_on_return="rollback",  # SQLite leaves a transaction open whose commit fails
            connect_args={"check_same_thread": False},
        )
        event.listen(self.engine, "connect", prepare)
        self._turn, self._begin = turn or nullcontext(), begin
        self._thread: ThreadPoolExecutor | None = None
        self._waiting: list[_Asked] = []
        self._visiting: asyncio.Task[None] | None = None

    async def visit(self, work: Work[T]) -> T:
        """What `work` returns, once that is committed; an exception of its rolls back what it did, and nothing else."""
        asked = _Asked(work, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        if self._visiting is None:
            self._visiting = asyncio.create_task(self._visit_all())
        return await asked.done

    async def _visit_all(self) -> None:
        try:
            while self._waiting:
                async with self._turn:
                    batch, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
                    await self._visit_together(batch)
        finally:
            self._visiting = None

    async def _visit_together(self, batch: Sequence[_Asked]) -> None:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")
        work = self._thread, self._transaction, [each.work for each in batch]
        outcomes: list[Any]
        try:
            outcomes = await asyncio.get_running_loop().run_in_executor(*work)
        except Exception as error:  # noqa: BLE001 - whatever it was, nothing is stored, and all of them are told so
            outcomes = [error] * len(batch)
        for each, outcome in zip(batch, outcomes, strict=True):
            _tell(each.done, outcome)

    def _transaction(self, works: Sequence[Work[Any]]) -> list[Any]:
        """What each returned or raised; only those that raised left nothing behind."""
        with self.engine.begin() as connection:
            self._begin(connection)
            if len(works) == 1:
                return [works[0](connection)]
            return [_alone(connection, work) for work in works]

    async def close(self) -> None:
        """Let the last transaction end, then give connection and thread back; both come again when they are needed."""
        if self._visiting is not None:
            await asyncio.wait({self._visiting})
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.get_running_loop().run_in_executor(thread, self.engine.dispose)
            thread.shutdown()


def _alone(connection: Connection, work: Work[Any]) -> Any:
    """What work returned, or what it raised if that could be undone without the others."""
    connection.exec_driver_sql("SAVEPOINT work")
    try:
        found = work(connection)
    except Exception as error:
        with suppress(DBAPIError):
            connection.exec_driver_sql("ROLLBACK TO work")
            connection.exec_driver_sql("RELEASE work")
            return error
        raise  # a full disk or a failing one has ended the whole transaction
    connection.exec_driver_sql("RELEASE work")
    return found


def _tell(asked: asyncio.Future[Any], outcome: Any) -> None:
    if asked.done():  # whoever asked has gone
        return
    if isinstance(outcome, BaseException):
        asked.set_exception(outcome)
    else:
        asked.set_result(outcome)
