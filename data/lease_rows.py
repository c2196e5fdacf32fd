"""Which process may run which shards: leases that expire by the clock of the database.

Every lease has an epoch that only grows, a fencing token. A lease that has ended still belongs to its holder until
another process takes the shards, which deletes it. A process that finds its lease gone must stop, and can write nothing
any more: each of its transactions that write begins with a look at its lease, the fence.

The same table tells from when on the next process may introduce a shard to Discord, which takes one every few seconds:
a row for each such queue, a *slot*, that is no lease.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from data.database import Database, Rows
from data.errors import StoreError, UnavailableError
from data.guild_rows import NOBODYS
from data.schema import leases

ALL: Final = 0
"""The shard count of a process that runs all there are, however many."""
SLOT: Final = -1
"""The shard count of a row that is no lease but a slot."""
FARTHEST: Final = 600.0
"""A lease that lasts for more seconds was written before the database's clock was set back."""
FARTHEST_SLOT: Final = 1800.0
"""The same of a slot: 350 processes that introduce themselves to Discord one after another wait this long."""


class LeaseTakenError(StoreError):
    """Another process has one of these shards; `seconds` is how long its lease still lasts if it has died."""

    def __init__(self, holder: str, epoch: int, seconds: float) -> None:
        """Say who has it."""
        host, number = (*holder.rsplit("-", 3), "")[:2]
        where = f"on {host}, its number is {number}: end it, or its service, first; if it is gone, wait {seconds:.0f} s"
        super().__init__(f"another process ({holder}) runs these shards {where}")
        self.holder, self.epoch, self.seconds = holder, epoch, seconds


class LeaseLostError(StoreError):
    """Another process has taken the shards."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("another process has taken these shards")


class LeaseRows(Rows):
    """Leases of shards. All are rows of the server that does not exist, so that one transaction sees them all."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        # The clocks of two machines differ, and one that was asleep is late. There is one database: its clock decides.
        self._now: sa.ColumnElement[float] = sa.literal_column(database.clock, sa.Float)

    async def take(self, holder: str, shard_count: int, shard_ids: Sequence[int], seconds: float) -> int:
        """Take a lease for some of `shard_count` shards (0: for all there are); its epoch.

        Raises:
            LeaseTakenError: a lease that has not ended is in the way.
        """

        def work(connection: Connection) -> int:
            # Counting first makes all who take a lease wait for one another, so that of two who find a shard free one
            # is late. The number is the epoch: a later lease has a greater one, even if a clock is wrong.
            epoch = self._database.next_number(connection, NOBODYS, "lease")
            now = self._time(connection)
            others = sa.select(leases).where(leases.c.guild_id == NOBODYS, leases.c.holder != holder)
            for row in connection.execute(others.where(leases.c.shard_count != SLOT)).mappings().all():
                if _overlap(row["shard_count"], row["shard_ids"], shard_count, shard_ids):
                    _end(connection, row, now)
            shards = {"shard_count": shard_count, "shard_ids": list(shard_ids)}
            row = {"guild_id": NOBODYS, "holder": holder, **shards, "epoch": epoch, "until": now + seconds}
            connection.execute(self._database.insert_or_update(leases, ("guild_id", "holder"), row))
            return epoch

        return await self._database.write(work, fenced=False)

    def fence(self, holder: str, epoch: int) -> None:
        """Let this process write nothing from now on unless it has this lease."""
        select = sa.select(leases.c.epoch).filter_by(guild_id=NOBODYS, holder=holder, epoch=epoch)
        # In PostgreSQL a process that wants to delete the row waits until the transaction ends; renewing goes on.
        mine = select.with_for_update(read=True, key_share=True)

        # Asked within each transaction that writes, not before it: between a look at its lease and the commit a process
        # may stand still for as long as another one needs to take its shards and play on.
        def fence(connection: Connection) -> None:
            if connection.execute(mine).scalar_one_or_none() is None:
                raise UnavailableError(str(LeaseLostError()))

        self._database.fence = fence

    async def renew(self, holder: str, epoch: int, seconds: float) -> None:
        """Make a lease last longer, even if it has ended.

        Raises:
            LeaseLostError: another process has taken the shards.
        """
        mine = sa.update(leases).filter_by(guild_id=NOBODYS, holder=holder, epoch=epoch)

        def work(connection: Connection) -> None:
            renewed = connection.execute(mine.values(until=self._time(connection) + seconds))
            if renewed.rowcount != 1:
                raise LeaseLostError

        await self._database.write(work, fenced=False)

    async def give_back(self, holder: str, epoch: int) -> None:
        """End a lease, so that nobody has to wait for it."""
        its = sa.delete(leases).filter_by(guild_id=NOBODYS, holder=holder, epoch=epoch)
        await self._database.write(lambda connection: connection.execute(its).close(), fenced=False)

    async def take_slot(self, kind: str, apart: float) -> float:
        """Take the next free slot of a kind, `apart` seconds after the last; the seconds until it begins."""

        def work(connection: Connection) -> float:
            self._database.next_number(connection, NOBODYS, "lease")  # one after another
            now = self._time(connection)
            last = sa.select(leases.c.until).filter_by(guild_id=NOBODYS, holder=kind)
            begins = max(now, connection.execute(last).scalar_one_or_none() or now)
            begins = now if begins > now + FARTHEST_SLOT else begins
            slot = {"shard_count": SLOT, "shard_ids": list[int](), "epoch": 0}
            row = {"guild_id": NOBODYS, "holder": kind, **slot, "until": begins + apart}
            connection.execute(self._database.insert_or_update(leases, ("guild_id", "holder"), row))
            return begins - now

        return await self._database.write(work, fenced=False)

    def _time(self, connection: Connection) -> float:
        return float(connection.execute(sa.select(self._now)).scalar_one())


def _end(connection: Connection, row: sa.RowMapping, now: float) -> None:
    """Delete the lease of another process if it has ended; else somebody is told that it is taken."""
    # The condition is asked again by the deletion, because its holder may be renewing it at this moment.
    ended = (leases.c.until <= now) | (leases.c.until > now + FARTHEST)
    its = sa.delete(leases).filter_by(guild_id=NOBODYS, holder=row["holder"], epoch=row["epoch"])
    if not connection.execute(its.where(ended)).rowcount:
        raise LeaseTakenError(row["holder"], row["epoch"], row["until"] - now)


def _overlap(count: int, ids: Any, other_count: int, other_ids: Sequence[int]) -> bool:
    """Whether two processes would serve the same server. With different counts any two shards may."""
    return ALL in {count, other_count} or count != other_count or not set(ids).isdisjoint(other_ids)
