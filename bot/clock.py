"""Sees to it that time passes at the tables: deadlines, reminders, the moves of computers.

Owns when; what happens is the doorway's.

Deadlines are stored with the tables, so nothing here has to outlive the process. `tick` does all that is due; `run`,
which belongs to the launcher, ticks when something is due.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import structlog

from tables import Changed, Due, Tables
from tables.doorway import real_now
from tables.snapshots import Decline, Declined

THINKING: Final = 1.2
"""Seconds that a computer player seems to think."""
PREPARING: Final = 0.25
"""The part of that which it takes for each card of the exchange."""
AFTER_FAILURE: Final = timedelta(seconds=5)
AFTER_RESTART: Final = timedelta(seconds=60)
"""Nobody's time is up sooner than this after a restart or an outage."""
LONGEST_WAIT: Final = 60.0
"""Seconds after which the clock looks again, also where nothing is due: the machine's time may have been set."""
AT_ONCE: Final = 32
"""How many tables are seen to at the same time."""
_log = structlog.get_logger(__name__)


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but not longer than this."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class Clock:
    """The one clock of all tables of the process."""

    def __init__(
        self,
        tables: Tables,
        *,
        now: Callable[[], datetime] = real_now,
        wait: Callable[[asyncio.Event, float], Awaitable[None]] = wait_for,
        thinking: float = THINKING,
        shard_of: Callable[[int], int] = lambda _guild_id: 0,
        settle: Callable[[], timedelta] = timedelta,
    ) -> None:
        """`thinking` is the pause before a computer's move in seconds, `shard_of` the shard of a server.

        `settle` says by how much `now` was set forward since it was asked last.
        """
        self._tables, self._now, self._wait = tables, now, wait
        self._thinking = thinking
        self._looks: dict[int, datetime] = {}
        self._turns: dict[int, datetime] = {}
        self._settle = settle
        self._wake, self._quiet = asyncio.Event(), asyncio.Event()
        self._quiet.set()
        self._ticking = asyncio.Lock()
        self._shard_of = shard_of
        self._guilds: dict[int, int] = {}
        self._held: set[int] = set()
        self._stopped = False

    def changed(self, changed: Changed) -> None:
        """Note when a table must be looked at again."""
        table = changed.table
        turn = None if changed.due is None or table.paused else self._now() + self._pause(changed.due)
        self._guilds[table.id] = table.guild_id
        _put(self._turns, table.id, turn)
        _put(self._looks, table.id, changed.look_at)
        if table.id not in self._looks and table.id not in self._turns:
            del self._guilds[table.id]
        self._quiet.clear()
        self._wake.set()

    def _pause(self, due: Due) -> timedelta:
        part = {"computer": 1.0, "preparing": PREPARING, "away": 0.0}[due]
        return timedelta(seconds=self._thinking * part)

    def hold(self, shard: int = 0) -> None:
        """Let no time pass in the servers of a shard: nobody can click while Discord is not reached."""
        self._held.add(shard)

    async def release(self, shard: int, outage: timedelta) -> None:
        """Let time pass again; every deadline is put off by as long as nobody could click."""
        self._held.discard(shard)
        for table_id in [each for each in self._looks if self._shard(each) == shard]:
            if outage:
                await self._safely(table_id, self._tables.timekeeping.put_off(table_id, outage))
        self._wake.set()

    def stop(self) -> None:
        """Let nothing happen any more: the process ends."""
        self._stopped = True

    def _shard(self, table_id: int) -> int:
        return self._shard_of(self._guilds.get(table_id, 0))

    def _is_held(self, table_id: int) -> bool:
        return self._stopped or self._shard(table_id) in self._held

    def _due(self, times: dict[int, datetime], now: datetime) -> list[int]:
        return [each for each, at in times.items() if at <= now and not self._is_held(each)]

    @property
    def waiting(self) -> int:
        """How many tables will be looked at some time."""
        return len(self._looks)

    async def start(self, *, apart: float = 0.0) -> None:
        """Take up all tables in use, after a start of the process; nobody's time is up at once."""
        for table_id in await self._tables.timekeeping.open_tables():
            await self._safely(table_id, self._tables.timekeeping.wake(table_id, least=AFTER_RESTART))
            await asyncio.sleep(apart)

    async def tick(self) -> None:
        """Do everything that is due, until nothing is."""
        async with self._ticking:
            await self._follow()
            while True:
                now = self._now()
                turns = self._due(self._turns, now)
                looks = [each for each in self._due(self._looks, now) if each not in turns]
                if not turns and not looks:
                    break
                for start in range(0, len(turns), AT_ONCE):
                    await asyncio.gather(*map(self._play, turns[start : start + AT_ONCE]))
                for start in range(0, len(looks), AT_ONCE):
                    await asyncio.gather(*map(self._look, looks[start : start + AT_ONCE]))
            self._quiet.set()

    async def _follow(self) -> None:
        """Where the machine's clock was set, nobody has more time for it, nor less."""
        jump = self._settle()
        if not jump:
            return
        _log.warning("the clock of this machine was set, deadlines move along", seconds=round(jump.total_seconds()))
        self._turns = {table_id: at + jump for table_id, at in self._turns.items()}
        for table_id in list(self._looks):
            await self._safely(table_id, self._tables.timekeeping.put_off(table_id, jump))

    async def _play(self, table_id: int) -> None:
        self._turns.pop(table_id, None)
        if not await self._safely(table_id, self._tables.timekeeping.computer_turn(table_id)):
            self._turns.setdefault(table_id, self._now() + AFTER_FAILURE)

    async def _look(self, table_id: int) -> None:
        self._looks.pop(table_id, None)
        await self._safely(table_id, self._tables.timekeeping.time_up(table_id))
        if table_id not in self._looks and await self._is_open(table_id):
            self._looks[table_id] = self._now() + AFTER_FAILURE
        elif table_id not in self._looks and table_id not in self._turns:
            self._guilds.pop(table_id, None)

    async def _is_open(self, table_id: int) -> bool:
        try:
            snapshot = await self._tables.snapshot(table_id)
        except Declined as declined:
            return declined.why is not Decline.UNKNOWN_TABLE
        return snapshot.table.is_open and not snapshot.table.paused

    async def _safely(self, table_id: int, doing: Awaitable[object]) -> bool:
        """Whether it was done; one table's trouble is not another's."""
        try:
            await doing
        except Declined as declined:
            _log.warning("the clock was declined", table=table_id, why=declined.why.value)
            return declined.why is Decline.UNKNOWN_TABLE
        except Exception:  # noqa: BLE001 - whatever it was, time goes on elsewhere
            _log.exception("the clock failed at a table", table=table_id)
            return False
        return True

    async def idle(self) -> None:
        """Wait until nothing is due; for a clock that runs."""
        await self._quiet.wait()

    async def run(self) -> None:
        """Tick for ever; cancel to stop."""
        while True:
            self._wake.clear()
            await self.tick()
            times = [at for due in (self._turns, self._looks) for each, at in due.items() if not self._is_held(each)]
            rest = (min(times) - self._now()).total_seconds() if times else LONGEST_WAIT
            await self._wait(self._wake, max(0.0, min(rest, LONGEST_WAIT)))


def _put(times: dict[int, datetime], table_id: int, at: datetime | None) -> None:
    if at is None:
        times.pop(table_id, None)
    else:
        times[table_id] = at
