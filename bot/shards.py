"""Which servers this process serves, the lease that keeps others from serving them, and when its shards identify.

Owns the duration of a lease and its renewal. The lease itself is a row in the database, which alone decides who holds
it, by its own clock. Whether a renewal is late is measured here, with a monotonic clock.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import os
import secrets
import socket
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from bot.schedule import wait_for
from cogs.responder import Sleep
from data.errors import UnavailableError
from data.lease_rows import Holder, LeaseLostError, LeaseTakenError, format_holder, parse_holder
from data.store import Store

LEASE_SECONDS: Final = 15.0
"""Seconds that a lease lasts unless it is renewed."""
RENEWAL_SECONDS: Final = 5.0
"""Seconds between renewals. Even if one hangs and the next is slow, the lease is renewed in time."""
RETRY_SECONDS: Final = 1.0
"""Seconds until a failed renewal is retried."""
RENEWAL_LIMIT: Final = 4.0
"""Seconds that a renewal may take: a connection that was cut gives no error."""
LAST_REQUEST_SECONDS: Final = 1.0
"""Seconds that each last request to the database may take. If it fails, the next process only waits longer."""
IDENTIFY_EVERY: Final = 5.1
"""Seconds between two `IDENTIFY`s of a group of shards, over all processes; Discord allows one in five seconds."""
_PROC: Final = Path("/proc")
_MACHINE: Final = (_PROC / "sys/kernel/random/boot_id", Path("/etc/machine-id"))
"""Files with an id unique to the machine. A hardened systemd unit cannot read the first."""
_STATE, _STARTED = 0, 19
"""Indices of fields in `/proc/PID/stat`, counted after the name of the program."""
_log = structlog.get_logger(__name__)


def shard_of(guild_id: int, count: int) -> int:
    """Which of `count` shards gets the events of a server, by Discord's formula."""
    return (guild_id >> 22) % count


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of a process: `ids` of `count`. No ids means all of them; a count of 0 lets Discord choose it."""

    count: int = 0
    ids: tuple[int, ...] = ()

    def serves(self, guild_id: int) -> bool:
        """Whether this process serves a server."""
        return not self.ids or shard_of(guild_id, self.count) in self.ids


async def take_slot(store: Store, group: int) -> float:
    """Take the next slot for a shard of a group to identify, among all processes; returns the seconds until then."""
    try:
        return await store.leases.take_slot(f"identify{group or ''}", IDENTIFY_EVERY)
    except UnavailableError as error:  # discord.py retries after a ConnectionError, but not after other errors
        raise ConnectionError(str(error)) from error


def running_seconds() -> float:
    """Monotonic seconds, which on Linux also count while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if sys.platform == "linux" else time.monotonic()


class Lease:
    """The lease of a process.

    It is late if it could not be renewed in time, because the machine slept or the database was unreachable. Another
    process may have taken the shards then, so nothing is answered until it is renewed. If one has, the lease is lost.
    """

    def __init__(self, store: Store, shards: Shards, name: str, seconds: Callable[[], float]) -> None:
        self._database, self._leases = store.database, store.leases
        self._shards, self._name, self._seconds = shards, name, seconds
        self._epoch = 0  # the number of this holding of the lease, by the database
        self._good_until = -math.inf
        self.loss: LeaseLostError | None = None
        self.trouble = ""  # why it could not be renewed the last time
        self.on_change: Callable[[bool], object] = lambda _good: None  # called with False when late, True when renewed

    @property
    def is_good(self) -> bool:
        """Whether it is certain that no other process has the shards."""
        return self.loss is None and self._seconds() < self._good_until

    async def take(self, wait: float, stop: asyncio.Event) -> bool:
        """Take the lease, waiting up to `wait` seconds until it is free. False if stopped before.

        Raises:
            LeaseTakenError: another process still holds it.
            UnavailableError: the database does not answer.
        """
        ids = self._shards.ids or tuple(range(self._shards.count))
        while not stop.is_set():
            requested_at = self._seconds()  # before the request: the database's time starts during it
            try:
                self._epoch = await self._leases.take(self._name, self._shards.count, ids, LEASE_SECONDS)
            except LeaseTakenError as taken:
                wait -= await self._wait_for_holder(taken, wait, stop)
                continue
            self._good_until = requested_at + LEASE_SECONDS
            self._leases.install_fence(self._name, self._epoch)
            return True
        return False

    async def _wait_for_holder(self, taken: LeaseTakenError, wait: float, stop: asyncio.Event) -> float:
        """Wait a while for the holder to end; returns the seconds waited, 0 if the holder is dead."""
        if is_dead(taken.holder):
            _log.info("the last process died, taking over", holder=taken.holder)
            await self._leases.give_back(taken.holder, taken.epoch)
            return 0.0
        if wait <= 0:
            raise taken
        # Not simply until the lease expires: its holder may give it back sooner, or renew it.
        rest = min(wait, max(0.1, min(taken.seconds, RENEWAL_SECONDS)))
        _log.info("waiting for another process to end", holder=taken.holder, seconds=round(rest))
        await wait_for(stop, rest)
        return rest

    async def renew(self) -> None:
        """Renew the lease.

        Raises:
            LeaseLostError: another process has taken it, or the file of the database was moved.
            UnavailableError, TimeoutError: the database does not answer.
        """
        if not self.is_good:  # what was begun before may wait on a connection that was cut; what begins now goes on
            self._database.replace_connections()
        requested_at = self._seconds()
        try:
            async with asyncio.timeout(RENEWAL_LIMIT):
                await self._leases.renew(self._name, self._epoch, LEASE_SECONDS)
        except LeaseLostError as loss:
            self.loss = loss
            raise
        except TimeoutError:
            self._database.replace_connections()
            raise
        self._good_until = requested_at + LEASE_SECONDS

    async def give_back(self) -> None:
        """Release the lease for the next process. If that fails, it expires by itself."""
        # Not `asyncio.timeout`, which waits for the cancelled task: the driver takes seconds to close a connection.
        release = asyncio.ensure_future(self._leases.give_back(self._name, self._epoch))
        await asyncio.wait({release}, timeout=LAST_REQUEST_SECONDS)
        release.cancel()
        release.add_done_callback(lambda done: done.cancelled() or done.exception())  # mark its error as retrieved


@asynccontextmanager
async def leased(
    store: Store,
    shards: Shards,
    *,
    stop: asyncio.Event,
    wait: float,
    name: str | None = None,
    sleep: Sleep = asyncio.sleep,
    seconds: Callable[[], float] = running_seconds,
) -> AsyncGenerator[Lease]:
    """Hold the lease of some shards within the block; wait up to `wait` seconds for another holder, or until stopped.

    `LeaseTakenError` if another process still holds it. If it is not renewed any more, `stop` is set, and what ended
    that is raised at the end: `LeaseLostError` if another process took it, or the database's file was moved.
    """
    lease = Lease(store, shards, name or name_of_process(), seconds)
    if not await lease.take(wait, stop):
        yield lease
        return
    renewing = asyncio.create_task(_keep_renewing(lease, sleep))
    renewing.add_done_callback(lambda done: done.cancelling() or stop.set())  # nothing else would end the process
    try:
        yield lease
    finally:
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        await lease.give_back()
    if not renewing.cancelling():  # it ended by itself
        renewing.result()


async def _keep_renewing(lease: Lease, sleep: Sleep) -> None:
    """Renew until cancelled, or until the lease is lost."""
    pause, was_good = RENEWAL_SECONDS, True
    while True:
        await sleep(pause)
        try:
            await lease.renew()
            pause, lease.trouble = RENEWAL_SECONDS, ""
        except LeaseLostError as loss:
            _log.warning(str(loss))
            raise
        except (UnavailableError, TimeoutError) as error:
            lease.trouble = str(error) or "the database does not answer in time"
            if pause == RENEWAL_SECONDS:  # log only the first failure in a row
                _log.warning("the lease of the shards could not be renewed", why=lease.trouble)
            pause = RETRY_SECONDS
        except Exception:  # noqa: BLE001 - the next attempt may succeed, and nothing else keeps the lease
            _log.exception("the lease of the shards could not be renewed")
            pause, lease.trouble = RETRY_SECONDS, "an error of the program, see its log"
        if lease.is_good is not was_good:
            was_good = lease.is_good
            if was_good:
                _log.info("answering again")
            else:
                _log.warning("nothing is answered until the lease is renewed")
            lease.on_change(was_good)


# -- names from which another process on the same machine can tell that their owner has died; this works only on Linux,
# and only within one machine and container: otherwise a process never counts as dead


def name_of_process() -> str:
    """A unique name for this process."""
    if stat := _stat(os.getpid()):
        started, scope = stat[_STARTED], _scope()
    else:  # a scope that no other process has: this one never counts as dead
        started, scope = "?", secrets.token_hex(6)
    return format_holder(Holder(socket.gethostname(), str(os.getpid()), started, scope))


def is_dead(name: str) -> bool:
    """Whether the process with this name ran on this machine and has ended."""
    process = parse_holder(name)
    if process is None or not process.pid.isdecimal() or not process.scope or process.scope != _scope():
        return False
    if stat := _stat(int(process.pid)):
        return stat[_STATE] == "Z" or stat[_STARTED] != process.started
    try:
        os.kill(int(process.pid), 0)  # /proc may hide a process that still runs
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the program's name; empty if the process is gone or hidden."""
    try:
        return (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _scope() -> str:
    """A hash of machine, boot and container, the scope within which a process id is unique; empty if unknown."""
    for file in _MACHINE:
        with suppress(OSError):
            words = (socket.gethostname(), file.read_text(encoding="utf-8"), str((_PROC / "self/ns/pid").readlink()))
            return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]
    return ""
