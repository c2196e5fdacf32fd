"""What is asked of a database, of either kind: work that is done as one transaction.

`data.sqlite` and `data.postgres` have the kinds; `data.store.database_at` makes the one that an address names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection
from sqlalchemy.exc import DBAPIError

from data.addresses import place_of
from data.errors import UnavailableError, worded
from data.schema import counters

T = TypeVar("T")


class Database(ABC):
    """Connections to one database; they are made when they are needed.

    Everything that reads or writes raises `UnavailableError` if the database does not answer, or not in time.
    """

    kind: ClassVar[str]
    """What it is, with its version if that is ours, for a sentence."""
    clock: ClassVar[str]
    """The seconds since 1970 by the clock of the database, in its SQL."""

    def __init__(self, url: URL, busy_seconds: float) -> None:
        """Connect to nothing yet. A statement waits so long for another process that holds the database."""
        self.url = url
        self._busy_seconds = busy_seconds
        self.fence: Callable[[Connection], None] | None = None
        """Begins every transaction that writes, and raises if this process may not; none if no lease is held."""

    @property
    def place(self) -> str:
        """Where it is, for a sentence."""
        return place_of(self.url)

    @property
    def exposed(self) -> str:
        """What to do if others on this machine may read its files; empty as for `data.addresses.exposed`."""
        return ""

    @property
    def is_there(self) -> bool:
        """Whether there can be anything in it. PostgreSQL says so only when it is asked."""
        return True

    @abstractmethod
    async def check(self, seconds: float = 0.0) -> None:
        """See whether its file can be where it is to be, and look for damage in it for so many seconds at most.

        Raises:
            UnavailableError: its folder does not exist or is full, folder or file cannot be written, it is damaged.
        """

    @abstractmethod
    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """What `work` returns, once its changes are committed as one transaction; if it raises, they are rolled back.

        In SQLite it shares a commit with others that come at the same time. `work` may run beside the event loop, so it
        must touch nothing but its connection.
        """

    @abstractmethod
    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:
        """What `work` reads, in one transaction; as for `write`. A `slow` read keeps only other slow ones waiting."""

    @abstractmethod
    async def close(self) -> None:
        """Give all connections back, those in use when they are no longer; new ones are made when they are needed.

        One that is used for longer than the database may take to answer is not waited for.
        """

    @abstractmethod
    def start_over(self) -> None:
        """Make new connections from now on: if one was cut without a word, all were."""

    @abstractmethod
    def _insert(self, table: sa.Table) -> Any:
        """An INSERT in its SQL, in which ON CONFLICT is not everywhere the same."""

    def insert_new(self, table: sa.Table, keys: Sequence[str]) -> Any:
        """An INSERT that does nothing if the row exists; `rowcount` tells."""
        return self._insert(table).on_conflict_do_nothing(index_elements=list(keys))

    def insert_or_update(self, table: sa.Table, keys: Sequence[str], values: dict[str, Any]) -> Any:
        """An INSERT of `values` that overwrites the row with these keys."""
        rest = {name: value for name, value in values.items() if name not in keys}
        return self._insert(table).values(**values).on_conflict_do_update(index_elements=list(keys), set_=rest)

    def next_number(self, connection: Connection, guild_id: int, kind: str) -> int:
        """The next number of a kind in a server, from 1.

        Until the caller's transaction ends, all others that count the same wait.
        """
        first = self._insert(counters).values(guild_id=guild_id, kind=kind, last=1)
        more = {"last": counters.c.last + 1}
        counting = first.on_conflict_do_update(index_elements=["guild_id", "kind"], set_=more)
        return int(connection.execute(counting.returning(counters.c.last)).scalar_one())

    def _check_fence(self, connection: Connection) -> None:
        if self.fence is not None:
            self.fence(connection)

    @contextmanager
    def _translated(self, *errors: type[Exception]) -> Generator[None]:
        """Turn what drivers raise into `UnavailableError`; work that expects a broken constraint catches it first."""
        try:
            yield
        except (DBAPIError, OSError, *errors) as error:
            raise UnavailableError(f"{self.place} {worded(error)}") from error


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
