"""Which servers this process looks after, and the lease that keeps other processes from doing it too.

Owns how long a lease lasts and what a process does about it; the lease itself is a row of the database, which alone
decides who has it, by its own clock.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

import structlog

from data.errors import StoreError, UnavailableError
from data.lease_rows import LeaseLostError, LeaseTakenError
from data.store import Store

LASTS: Final = 30.0
"""Seconds that a lease lasts unless it is renewed."""
EVERY: Final = 10.0
"""Seconds between renewals: two may fail before the lease ends."""
WAITS: Final = 45.0
"""Seconds that a starting process waits for the lease of one that has died: as long as a lease lasts, and some more."""
_log = structlog.get_logger(__name__)


def shard_of(guild_id: int, count: int) -> int:
    """The shard of `count` that gets the events of a server; Discord's formula."""
    return (guild_id >> 22) % count


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of a process: `ids` of `count`; a count of 0 is all there are, no ids are all of the count."""

    count: int = 0
    ids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse shards that are none.

        Raises:
            ValueError: an id is not below the count, or ids are named without a count.
        """
        if self.ids and max(self.ids) >= self.count:
            raise ValueError("SHARD_IDS must be below SHARD_COUNT")

    def serves(self, guild_id: int) -> bool:
        """Whether this process looks after a server."""
        return not self.ids or shard_of(guild_id, self.count) in self.ids


def name_of_process() -> str:
    """A name for this process that no other has."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"


@asynccontextmanager
async def leased(
    store: Store,
    shards: Shards,
    *,
    lost: Callable[[], None],
    holder: str | None = None,
    wait: float = WAITS,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    monotonic: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[int]:
    """Hold the lease of some shards, its epoch; waits up to `wait` seconds for one that is held.

    `lost` is called once if the lease is no longer held.

    Raises:
        LeaseTakenError: another process goes on holding it.
        UnavailableError: the database does not answer.
    """
    name = holder or name_of_process()
    epoch = await _taken(store, shards, name, wait, sleep)
    keeping = asyncio.create_task(_kept(store, name, epoch, lost, sleep, monotonic))
    try:
        yield epoch
    finally:
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        # Given back, so that the next process need not wait for it to end. If that fails, it ends by itself.
        with suppress(StoreError):
            await store.leases.give_back(name, epoch)


async def _taken(
    store: Store, shards: Shards, name: str, wait: float, sleep: Callable[[float], Awaitable[None]]
) -> int:
    ids = shards.ids or tuple(range(shards.count))
    while True:
        try:
            return await store.leases.take(name, shards.count, ids, LASTS)
        except LeaseTakenError as taken:
            if wait <= 0:
                raise
            # Not simply until it ends: its holder may give it back sooner, or renew it.
            rest = min(wait, max(1.0, min(taken.seconds, EVERY)))
            _log.info("waiting for another process to end", holder=taken.holder, seconds=round(rest))
        await sleep(rest)
        wait -= rest


async def _kept(
    store: Store,
    name: str,
    epoch: int,
    lost: Callable[[], None],
    sleep: Callable[[float], Awaitable[None]],
    monotonic: Callable[[], float],
) -> None:
    """Renew until cancelled.

    A database that does not answer may come back while the lease lasts. Whether it still lasts is judged by this
    machine's clock then, so it counts as lost one renewal early: before another process can have taken it.
    """
    good_until = monotonic() + LASTS
    while True:
        await sleep(EVERY)
        asked = monotonic()  # before the request, because the database counts from some moment during it
        try:
            await store.leases.renew(name, epoch, LASTS)
            good_until = asked + LASTS
        except UnavailableError:
            if monotonic() < good_until - EVERY:
                continue
            _log.error("the lease of the shards could not be renewed")
            return lost()
        except LeaseLostError:
            _log.error("the lease of the shards was lost")
            return lost()
