"""Which servers this process looks after, and the lease that keeps other processes from doing it too.

Owns how long a lease lasts and what a process does about it; the lease itself is a row of the database, which alone
decides who has it, by its own clock. Whether it is late is counted here, by a clock that nobody can set.
"""

from __future__ import annotations

import asyncio
import math
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

import structlog

from bot.process_names import is_dead, name_of_process
from data.errors import UnavailableError
from data.lease_rows import LeaseLostError, LeaseTakenError
from data.store import Store

LASTS: Final = 15.0
"""Seconds that a lease lasts unless it is renewed."""
EVERY: Final = 5.0
"""Seconds between renewals. One may hang, and the next may take its time, before the lease is late."""
AGAIN: Final = 1.0
"""Seconds after which a renewal that failed is tried again."""
PATIENCE: Final = 4.0
"""Seconds that a renewal may take: a connection that was cut says nothing."""
LAST_WORD: Final = 1.0
"""Seconds that each word to the database may take at the end. Without it the next process only waits longer."""
_log = structlog.get_logger(__name__)


def shard_of(guild_id: int, count: int) -> int:
    """The shard of `count` that gets the events of a server; Discord's formula."""
    return (guild_id >> 22) % count


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of a process: `ids` of `count`; a count of 0 is all there are, no ids are all of the count."""

    count: int = 0
    ids: tuple[int, ...] = ()

    def serves(self, guild_id: int) -> bool:
        """Whether this process looks after a server."""
        return not self.ids or shard_of(guild_id, self.count) in self.ids


def running_seconds() -> float:
    """Seconds since some moment, which nobody can set and which, on Linux, go on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class Lease:
    """The lease of a process.

    It is late when it could not be renewed in time, because the machine slept or the database was away. Another process
    may have taken the shards then, so nothing is answered until it is renewed. If one did, the lease is lost.
    """

    def __init__(self, store: Store, shards: Shards, name: str, seconds: Callable[[], float]) -> None:
        self._database, self._leases = store.database, store.leases
        self._shards, self._name, self._seconds = shards, name, seconds
        self._epoch, self._good_until = 0, -math.inf
        self.is_lost = False
        self.told: Callable[[bool], object] = lambda _good: None  # when it is late, and when it is good again

    @property
    def is_good(self) -> bool:
        """Whether no other process can have the shards."""
        return not self.is_lost and self._seconds() < self._good_until

    async def take(self, wait: float, stop: asyncio.Event) -> bool:
        """Take it once it is free; waits up to `wait` seconds. False if stopped before.

        Raises:
            LeaseTakenError: another process goes on holding it.
            UnavailableError: the database does not answer.
        """
        ids = self._shards.ids or tuple(range(self._shards.count))
        while not stop.is_set():
            asked = self._seconds()  # before the request, because the database counts from some moment during it
            try:
                self._epoch = await self._leases.take(self._name, self._shards.count, ids, LASTS)
            except LeaseTakenError as taken:
                wait -= await self._wait_for(taken, wait, stop)
                continue
            self._good_until = asked + LASTS
            self._leases.fence(self._name, self._epoch)
            return True
        return False

    async def _wait_for(self, taken: LeaseTakenError, wait: float, stop: asyncio.Event) -> float:
        """Wait a while for the holder to end; the seconds."""
        if is_dead(taken.holder):
            _log.info("the last process died, going on in its place", holder=taken.holder)
            await self._leases.give_back(taken.holder, taken.epoch)
            return 0.0
        if wait <= 0:
            raise taken
        # Not simply until the lease ends: its holder may give it back sooner, or renew it.
        rest = min(wait, max(1.0, min(taken.seconds, EVERY)))
        _log.info("waiting for another process to end", holder=taken.holder, seconds=round(rest))
        with suppress(TimeoutError):
            async with asyncio.timeout(rest):
                await stop.wait()
        return rest

    async def renew(self) -> None:
        """Renew it.

        Raises:
            LeaseLostError: it is lost.
            UnavailableError, TimeoutError: the database does not answer.
        """
        asked = self._seconds()
        try:
            async with asyncio.timeout(PATIENCE):
                await self._leases.renew(self._name, self._epoch, LASTS)
        except LeaseLostError:
            self.is_lost = True
            raise
        except TimeoutError:
            self._database.start_over()
            raise
        self._good_until = asked + LASTS

    async def give_back(self) -> None:
        """Let the next process have it at once. If that fails, it ends by itself."""
        # Not by a timeout, which waits for what it cancels: the driver takes seconds to end a connection.
        giving = asyncio.ensure_future(self._leases.give_back(self._name, self._epoch))
        await asyncio.wait({giving}, timeout=LAST_WORD)
        giving.cancel()
        giving.add_done_callback(lambda done: done.cancelled() or done.exception())


@asynccontextmanager
async def leased(
    store: Store,
    shards: Shards,
    *,
    stop: asyncio.Event,
    wait: float,
    name: str | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    seconds: Callable[[], float] = running_seconds,
) -> AsyncGenerator[Lease]:
    """Hold the lease of some shards; waits up to `wait` seconds for one that is held, or until stopped.

    `stop` is set if it is lost.

    Raises:
        LeaseTakenError: another process goes on holding it.
        LeaseLostError: another process took it meanwhile; raised at the end of the block.
    """
    lease = Lease(store, shards, name or name_of_process(), seconds)
    keeping = asyncio.create_task(_keep(lease, stop, sleep)) if await lease.take(wait, stop) else None
    try:
        yield lease
    finally:
        if keeping is not None:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            await lease.give_back()
    if lease.is_lost:
        raise LeaseLostError


async def _keep(lease: Lease, stop: asyncio.Event, sleep: Callable[[float], Awaitable[None]]) -> None:
    """Renew until cancelled, or until the lease is lost."""
    pause, was_good = EVERY, True
    while True:
        await sleep(pause)
        try:
            await lease.renew()
            pause = EVERY
        except LeaseLostError:
            _log.warning("another process has taken these shards")
            stop.set()
            return
        except (UnavailableError, TimeoutError) as error:
            if pause == EVERY:  # said once, however long it takes
                _log.warning("the lease of the shards could not be renewed", why=str(error) or "no answer")
            pause = AGAIN
        except Exception:  # noqa: BLE001 - the next try may do better, and nothing else keeps the lease
            _log.exception("the lease of the shards could not be renewed")
            pause = AGAIN
        if lease.is_good is not was_good:
            was_good = lease.is_good
            _log.warning("answering again" if was_good else "nothing is answered until the lease is renewed")
            lease.told(was_good)
