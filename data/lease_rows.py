"""Which process may run which shards: leases that end by themselves, by the clock of the database and no other.

Every lease has an epoch that only grows. A process that finds its lease gone or its epoch passed must stop.
"""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database, Rows
from data.errors import StoreError
from data.guild_rows import NOBODYS
from data.schema import leases

ALL: Final = 0
"""The shard count of a process that runs all there are, however many."""
SLOT: Final = -1
"""The shard count of a row that is no lease but a slot."""


class LeaseTakenError(StoreError):
    """Another process has one of these shards; `seconds` is how long its lease still lasts if it has died."""

    def __init__(self, holder: str, seconds: float) -> None:
        """Say who has it."""
        super().__init__(f"another process ({holder}) runs these shards")
        self.holder = holder
        self.seconds = seconds


class LeaseLostError(StoreError):
    """The lease ended before it was renewed: somebody else may have the shards."""


class LeaseRows(Rows):
    """Leases of shards. All are rows of the server that does not exist, so that one transaction sees them all."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        seconds = "(julianday('now') - 2440587.5) * 86400.0"
        self._now: sa.ColumnElement[float] = sa.literal_column(
            seconds if database.is_sqlite else "extract(epoch from clock_timestamp())", sa.Float
        )

    async def take(self, holder: str, shard_count: int, shard_ids: tuple[int, ...], seconds: float) -> int:
        """Take a lease for some of `shard_count` shards (0: for all there are); its epoch.

        Raises:
            LeaseTakenError: a lease that has not ended is in the way.
        """
        async with self._database.writing() as connection:
            epoch = await self._database.next_number(connection, NOBODYS, "lease")  # others wait here
            now = await self._time(connection)
            await connection.execute(sa.delete(leases).where(leases.c.until <= now))
            rows = (
                await connection.execute(
                    sa.select(leases).where(leases.c.holder != holder, leases.c.shard_count != SLOT)
                )
            ).mappings()
            for row in rows:
                if _overlap(row["shard_count"], row["shard_ids"], shard_count, shard_ids):
                    raise LeaseTakenError(row["holder"], row["until"] - now)
            values = {"guild_id": NOBODYS, "holder": holder, "shard_count": shard_count, "shard_ids": list(shard_ids)}
            row = {**values, "epoch": epoch, "until": now + seconds}
            await connection.execute(self._database.insert_or_update(leases, ("guild_id", "holder"), row))
            return epoch

    async def renew(self, holder: str, epoch: int, seconds: float) -> None:
        """Make a lease last longer.

        Raises:
            LeaseLostError: it has ended, or was taken anew.
        """
        async with self._database.writing() as connection:
            now = await self._time(connection)
            mine = (leases.c.guild_id == NOBODYS) & (leases.c.holder == holder) & (leases.c.epoch == epoch)
            update = sa.update(leases).where(mine, leases.c.until > now).values(until=now + seconds)
            if (await connection.execute(update)).rowcount != 1:
                raise LeaseLostError

    async def give_back(self, holder: str, epoch: int) -> None:
        """End a lease, so that nobody has to wait for it."""
        async with self._database.writing() as connection:
            mine = (leases.c.guild_id == NOBODYS) & (leases.c.holder == holder) & (leases.c.epoch == epoch)
            await connection.execute(sa.delete(leases).where(mine))

    async def wait_for_slot(self, kind: str, apart: float) -> float:
        """Take the next free slot of a kind, `apart` seconds after the last; the seconds until it begins."""
        async with self._database.writing() as connection:
            await self._database.next_number(connection, NOBODYS, "lease")  # one after another
            now = await self._time(connection)
            where = (leases.c.guild_id == NOBODYS) & (leases.c.holder == kind)
            taken = (await connection.execute(sa.select(leases.c.until).where(where))).scalar_one_or_none()
            begins = max(now, taken or now)
            row: dict[str, Any] = {"guild_id": NOBODYS, "holder": kind, "shard_count": SLOT, "shard_ids": []}
            row |= {"epoch": 0, "until": begins + apart}
            await connection.execute(self._database.insert_or_update(leases, ("guild_id", "holder"), row))
            return begins - now

    async def _time(self, connection: AsyncConnection) -> float:
        return float((await connection.execute(sa.select(self._now))).scalar_one())


def _overlap(count: int, ids: Any, other_count: int, other_ids: tuple[int, ...]) -> bool:
    """Whether two processes would serve the same server. With different counts any two shards may."""
    return ALL in {count, other_count} or count != other_count or not set(ids).isdisjoint(other_ids)
