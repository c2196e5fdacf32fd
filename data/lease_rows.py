"""Leases: which process may run which shards. They expire by the clock of the database.

Every lease has an epoch, a fencing token that only grows. An expired lease still belongs to its holder until another
process takes its shards, which deletes the row. A process whose lease is gone must stop. It can no longer write
anything, because each of its writing transactions first checks that its lease is there: the fence.

The same table schedules when shards identify to Discord, which accepts one every few seconds: each takes the next free
*slot* of a queue. A queue is one row, which is not a lease: the kind of slot stands for its holder, the beginning of
the next slot for its end, and its shard count is `SLOT`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from data.database import Database, Rows, executing
from data.errors import StoreError, UnavailableError
from data.schema import NO_GUILD, leases, versions

ALL: Final = 0
"""The shard count in the lease of a process that runs all shards, however many there are."""
SLOT: Final = -1
"""The shard count that marks a row as a queue of slots, not a lease."""
FARTHEST: Final = 600.0
"""Seconds. A lease that ends later than this from now was written before the database's clock was set back."""
FARTHEST_SLOT: Final = 1800.0
"""The same for slots, in seconds: how long 350 processes take to identify to Discord one after another."""
_MINE: Final = (
    leases.c.guild_id == sa.literal_column(str(NO_GUILD)),
    leases.c.holder == sa.bindparam("by"),
    leases.c.epoch == sa.bindparam("at"),
)
_SCHEMA: Final = sa.select(versions.c.version_num)


class Holder(NamedTuple):
    """The process that holds a lease: its host and number, when it started, and where its number is unique."""

    host: str
    pid: str
    started: str
    scope: str


def format_holder(holder: Holder) -> str:
    """The name under which the process holds its lease."""
    return "-".join(holder)


def parse_holder(name: str) -> Holder | None:
    """Parse the name of a holder; None if it is not the name of a process. Only a host's name may contain hyphens."""
    parts = name.rsplit("-", 3)
    return Holder(*parts) if len(parts) == len(Holder._fields) else None


class LeaseTakenError(StoreError):
    """Another process has one of these shards; in `seconds` its lease expires unless that process renews it."""

    def __init__(self, holder: str, epoch: int, seconds: float, *, otherwise_counted: bool) -> None:
        """Name the holder in the message, with what to do. `otherwise_counted`: it has another SHARD_COUNT."""
        process = parse_holder(holder)
        where = f", with process id {process.pid} on {process.host}" if process else ""
        if otherwise_counted:
            what = "runs with another SHARD_COUNT"
            first = "stop all processes first, and start them with the same number"
        else:
            what = "runs these shards"
            first = "stop it or its service first"
        cure = f"{first}; if it is already gone, wait {seconds:.0f} s"
        super().__init__(f"another process ({holder}) {what}{where}: {cure}")
        self.holder, self.epoch, self.seconds = holder, epoch, seconds


class LeaseLostError(StoreError):
    """Another process has taken the shards, or may take them unseen."""

    def __init__(self, why: str = "another process has taken these shards") -> None:
        super().__init__(why)


class MovedError(LeaseLostError):
    """The file of the database or its WAL was moved, replaced or deleted, so that moves may be lost."""

    def __init__(self, place: str) -> None:
        """Name the file in the message."""
        what = f"{place} or its -wal file was moved, replaced or deleted while the bot ran"
        super().__init__(f"{what}: put it back, or restore the newest backup, then start the bot")


class LeaseRows(Rows):
    """Leases of shards, all stored under the server id `NO_GUILD`, so that one transaction sees them all."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._identity: object = None  # that of the file in which the lease was taken
        self._schema: str | None = None  # the one at that time
        # The clocks of two machines differ, and a suspended one falls behind. So the clock of the database decides.
        self._now: sa.ColumnElement[float] = sa.literal_column(database.clock, sa.Float)

    async def take(self, holder: str, shard_count: int, shard_ids: Sequence[int], seconds: float) -> int:
        """Take a lease of `seconds` for some of `shard_count` shards (`ALL`: for all there are); return its epoch.

        Raises `LeaseTakenError` if another process has a lease on one of them that has not expired.
        """

        def work(connection: Connection) -> int:
            epoch = self._next_epoch(connection)
            now = self._current_time(connection)
            self._schema = connection.scalar(_SCHEMA)
            is_lease = leases.c.shard_count != SLOT
            others = sa.select(leases).where(leases.c.guild_id == NO_GUILD, leases.c.holder != holder, is_lease)
            for row in connection.execute(others).mappings().all():
                if _overlap(row["shard_count"], row["shard_ids"], shard_count, shard_ids):
                    _delete_or_refuse(connection, row, now, shard_count)
            shards = {"shard_count": shard_count, "shard_ids": list(shard_ids)}
            row = {"guild_id": NO_GUILD, "holder": holder, **shards, "epoch": epoch, "until": now + seconds}
            connection.execute(self._database.insert_or_update(leases, row))
            return epoch

        epoch = await self._database.write(work, fenced=False)
        self._identity = self._database.identity
        return epoch

    def install_fence(self, holder: str, epoch: int) -> None:
        """From now on this process can write only while it holds this lease."""
        values = {"by": holder, "at": epoch}
        # On PostgreSQL this lock makes a process that deletes the row wait until our transaction ends, but not renewal.
        mine = sa.select(leases.c.epoch, *self._database.alongside).where(*_MINE)
        mine = mine.with_for_update(read=True, key_share=True)

        # Checked inside each writing transaction, not before it: a process may be suspended between the check and the
        # commit for so long that another one takes its shards and plays on.
        def require_lease(connection: Connection) -> None:
            if self._is_moved():
                raise UnavailableError(str(MovedError(self._database.place)))
            if self._database.execute(connection, mine, values).fetchone() is None:
                raise UnavailableError(str(LeaseLostError()))

        self._database.fence = require_lease

    async def renew(self, holder: str, epoch: int, seconds: float) -> None:
        """Let a lease end in `seconds` from now, even if it has already expired.

        Raises `LeaseLostError` if another process has the shards, the database's file was moved or its schema changed.
        """
        if self._is_moved():
            raise MovedError(self._database.place)
        mine = sa.update(leases).filter_by(guild_id=NO_GUILD, holder=holder, epoch=epoch)

        def work(connection: Connection) -> None:
            renewed = connection.execute(mine.values(until=self._current_time(connection) + seconds))
            if renewed.rowcount != 1:
                raise LeaseLostError
            if connection.scalar(_SCHEMA) != self._schema:  # what this version writes might do harm
                raise LeaseLostError("a newer version has migrated the database: update this process, too")

        await self._database.write(work, fenced=False)

    async def give_back(self, holder: str, epoch: int) -> None:
        """Delete a lease, so that nobody has to wait for it to expire."""
        delete = sa.delete(leases).filter_by(guild_id=NO_GUILD, holder=holder, epoch=epoch)
        await self._database.write(executing(delete), fenced=False)

    async def take_slot(self, kind: str, apart: float) -> float:
        """Take the next free slot of a kind, `apart` seconds after the last; return the seconds until it begins."""

        def work(connection: Connection) -> float:
            self._next_epoch(connection)  # not for the epoch: so that all others wait who take a lease or a slot
            now = self._current_time(connection)
            queue = sa.select(leases.c.until).filter_by(guild_id=NO_GUILD, holder=kind, shard_count=SLOT)
            free_from = connection.execute(queue).scalar_one_or_none()
            begins = now if free_from is None or free_from > now + FARTHEST_SLOT else max(now, free_from)
            shards = {"shard_count": SLOT, "shard_ids": list[int]()}
            row = {"guild_id": NO_GUILD, "holder": kind, **shards, "epoch": 0, "until": begins + apart}
            connection.execute(self._database.insert_or_update(leases, row))
            return begins - now

        return await self._database.write(work, fenced=False)

    def _is_moved(self) -> bool:
        then, now = self._identity, self._database.identity
        return then is not None and now is not None and then != now

    def _next_epoch(self, connection: Connection) -> int:
        """Draw the next epoch, greater even if a clock is wrong. Until the transaction ends nobody else gets one."""
        return self._database.next_number(connection, NO_GUILD, "lease")

    def _current_time(self, connection: Connection) -> float:
        return float(connection.execute(sa.select(self._now)).scalar_one())


def _delete_or_refuse(connection: Connection, row: sa.RowMapping, now: float, shard_count: int) -> None:
    """Delete the lease of another process if it has expired; otherwise raise `LeaseTakenError`."""
    # The deletion itself tests the condition, because the holder may be renewing the lease at this moment.
    ended = (leases.c.until <= now) | (leases.c.until > now + FARTHEST)
    delete = sa.delete(leases).filter_by(guild_id=NO_GUILD, holder=row["holder"], epoch=row["epoch"])
    if not connection.execute(delete.where(ended)).rowcount:
        differs = ALL not in {row["shard_count"], shard_count} and row["shard_count"] != shard_count
        raise LeaseTakenError(row["holder"], row["epoch"], row["until"] - now, otherwise_counted=differs)


def _overlap(count: int, ids: Any, other_count: int, other_ids: Sequence[int]) -> bool:
    """Whether two processes would serve the same server. With different shard counts any two shards may."""
    return ALL in {count, other_count} or count != other_count or not set(ids).isdisjoint(other_ids)
