"""Schedules deadlines, reminders and computer moves.

Owns when something is due; the tables decide what happens then. Deadlines are stored with the tables, so this module
keeps no state beyond the process. `tick` does everything that is due; `run` ticks whenever something is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from bot.schedule import Schedule, wait_for
from tables.services import Changed, Decline, Declined, Due, Tables

THINKING_PARTS: Final[dict[Due, float]] = {"obvious": 0.6, "computer": 1.0, "hard": 1.6, "preparing": 0.25, "away": 0.0}
"""The thinking time of each kind of move, as a multiple of `thinking`."""
AFTER_FAILURE: Final = timedelta(seconds=5)
"""Delay before a failed step is retried; doubled with each error of the program at a table until that changes."""
LONGEST_DELAY: Final = timedelta(minutes=10)
AFTER_RESTART: Final = timedelta(seconds=60)
"""Nobody's time is up sooner than this after a restart."""
SHORT: Final = timedelta(seconds=30)
"""Outages of Discord and jumps of the machine's clock up to this length shift no deadline."""
LONGEST_WAIT: Final = 1.0
"""The longest sleep in seconds, even if nothing is due. A stop of the process is measured too short by up to that."""
AT_ONCE: Final = 32
"""How many tables are handled concurrently."""
_log = structlog.get_logger(__name__)


class SteadyClock:
    """UTC time that never jumps, even if the machine's clock is set or the machine sleeps.

    It is the wall-clock time of the last call of `settle`, plus the monotonic time since then.
    """

    def __init__(
        self, wall: Callable[[], datetime] = lambda: datetime.now(UTC), monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._settled_to, self._settled_at = wall(), monotonic()

    def __call__(self) -> datetime:
        return self._settled_to + timedelta(seconds=self._monotonic() - self._settled_at)

    def settle(self) -> timedelta:
        """Synchronise with the machine's clock; the size of the jump, or zero if it is at most `SHORT`."""
        before = self()
        self._settled_to, self._settled_at = self._wall(), self._monotonic()
        jump = self._settled_to - before
        return jump if abs(jump) > SHORT else timedelta()


class Clock:
    """The clock of all tables of the process."""

    def __init__(
        self,
        tables: Tables,
        *,
        now: Callable[[], datetime],
        settle: Callable[[], timedelta] = timedelta,
        wait: Callable[[asyncio.Event, float], Awaitable[None]] = wait_for,
        monotonic: Callable[[], float] = time.monotonic,
        thinking: float = 0.0,
        shard_of: Callable[[int], int] = lambda _guild_id: 0,
    ) -> None:
        """`thinking` is the pause before a computer's move in seconds; `shard_of` maps a server to its shard.

        `settle` returns how far `now` has jumped since the last call; by default, it never jumps.
        """
        self._timekeeping, self._thinking, self._shard_of = tables.timekeeping, thinking, shard_of
        self._now, self._settle, self._wait, self._monotonic = now, settle, wait, monotonic
        self._checks = Schedule()  # when to look at a table's deadline
        self._turns = Schedule()  # when a computer player moves
        self._guilds: dict[int, int] = {}  # table → its server, for all tables in use
        self._asleep: set[int] = set()  # tables left by the last process and not resumed yet
        self._delays: dict[int, timedelta] = {}  # table → the last delay after an error of the program there
        self._owed: dict[int, timedelta] = {}  # table → by how much its deadline still has to be extended
        self._extended_at = now()
        self._lost: dict[tuple[int, ...], datetime] = {}  # (), (shard,) or (shard, server) → since when it is lost
        self._wake = asyncio.Event()
        self._ticking = asyncio.Lock()
        self._stopped = False

    def changed(self, changed: Changed) -> None:
        """Schedule the next deadline and the next computer move of a table."""
        table = changed.table
        due = None if table.paused else changed.due
        turn = None if due is None else self._now() + timedelta(seconds=self._thinking * THINKING_PARTS[due])
        if turn and table.deadline:  # a reminder begins the pause anew, and it may be longer than the turn
            turn = min(turn, table.deadline - AFTER_FAILURE)
        self._forget(table.id)
        if table.is_open:
            self._guilds[table.id] = table.guild_id
        self._turns.put(table.id, turn)
        self._checks.put(table.id, changed.check_at)
        if turn or (changed.check_at and (changed.check_at - self._now()).total_seconds() < LONGEST_WAIT):
            self._wake.set()  # else it looks in time by itself: it never sleeps for longer

    def _forget(self, table_id: int) -> None:
        self._guilds.pop(table_id, None)
        self._asleep.discard(table_id)
        self._delays.pop(table_id, None)

    async def lost(self, *place: int, ago: float = 0.0) -> None:
        """Hold the deadlines where nobody can click since `ago` seconds: in a shard, in a server of it, or everywhere.

        discord.py may report one loss several times; the outage began with the first report.
        """
        self._lost.setdefault(place, self._now() - timedelta(seconds=ago))

    async def back(self, *place: int) -> None:
        """Release the deadlines in a place, if any. An outage longer than `SHORT` extends them all by its length."""
        since = self._lost.pop(place, None)
        if since is None or (place[1:] and place[1] not in self._guilds.values()):
            return
        if self._now() - since > SHORT:
            await self._extend_deadlines(place, since)
        for schedule in (self._checks, self._turns):
            schedule.release()
        self._wake.set()

    async def _extend_deadlines(self, place: tuple[int, ...], since: datetime) -> None:
        """Extend the deadlines in a place by the length of its outage, which began at `since` and ends now.

        Outages of a place and of one in it may overlap, but no second may be counted twice. So this one counts until
        a place around it was lost, too, which counts the rest; and one in it goes on as if it had begun later.
        """
        around = [began for outer, began in self._lost.items() if _is_within(place, outer)]
        end = max(since, min([self._now(), *around]))
        for inner in [each for each in self._lost if _is_within(each, place)]:
            counted_here = end - max(self._lost[inner], since)
            self._lost[inner] += max(timedelta(), counted_here)
        where = dict(zip(("shard", "guild"), place, strict=False))
        _log.info("deadlines are extended", **where, seconds=round((end - since).total_seconds()))
        await self._extend([each for each in self._checks.times if _is_within(self._place(each), place)], end - since)

    def stop(self) -> None:
        """Start nothing more, because the process ends."""
        self._stopped = True

    def _place(self, table_id: int) -> tuple[int, int]:
        guild_id = self._guilds.get(table_id, 0)
        return self._shard_of(guild_id), guild_id

    def _is_held(self, table_id: int) -> bool:
        place = self._place(table_id)
        return self._stopped or not self._lost.keys().isdisjoint({(), place[:1], place})

    @property
    def table_count(self) -> int:
        """How many tables are in use."""
        return len(self._guilds) + len(self._asleep - self._guilds.keys())

    @property
    def waiting(self) -> int:
        """How many tables have a scheduled deadline."""
        return len(self._checks.times)

    async def start(self) -> None:
        """Resume all tables in use after a start of the process.

        Nobody could click while no process ran, so every deadline is moved to at least `AFTER_RESTART` from now. Tables
        where only people play and there is time left are not even loaded.
        """
        resting = {each.table.id: each for each in await self._timekeeping.resting(AFTER_RESTART)}
        for each in resting.values():
            self.changed(each)
        others = [each for each in await self._timekeeping.open_tables() if each not in resting]
        self._asleep.update(others)
        await _in_batches(self._check_deadline, others)

    async def tick(self) -> None:
        """Do everything that is due, until nothing is."""
        async with self._ticking:
            if jump := self._settle():
                await self._shift(jump, "the machine's clock was set, deadlines are shifted")
            while True:
                turns = self._turns.due(self._now(), self._is_held)
                await self._attentively(_in_batches(self._play_turn, turns), len(turns))  # a second each
                checks = self._checks.due(self._now(), self._is_held)  # only now, because playing moves a deadline
                await self._attentively(_in_batches(self._check_deadline, checks), len(checks))
                if not turns and not checks:
                    break

    async def _attentively(self, doing: Awaitable[None], seconds: float) -> None:
        """Await what takes at most so many seconds. If this process stood still meanwhile, extend all deadlines."""
        began = self._monotonic()
        await doing
        late = timedelta(seconds=self._monotonic() - began - seconds)
        if late > SHORT:
            await self._shift(late, "this process stood still, deadlines are extended")

    async def _shift(self, jump: timedelta, why: str) -> None:
        """Shift all deadlines, so that nobody gains or loses time by the jump."""
        _log.warning(why, seconds=round(jump.total_seconds()))
        self._turns.release(jump)
        self._lost = {each: min(since + jump, self._now()) for each, since in self._lost.items()}  # no second twice
        await self._extend(list(self._checks.times), jump)

    async def _extend(self, table_ids: list[int], by: timedelta) -> None:
        """Extend the deadlines of tables; where that fails, it is tried again before time is up there."""
        self._extended_at = self._now()  # a turn that begins from now on has its full time anyway
        self._owed.update({each: self._owed.get(each, timedelta()) + by for each in table_ids})
        await _in_batches(self._check_deadline, table_ids)

    async def _play_turn(self, table_id: int) -> None:
        # Discard a turn that was scheduled meanwhile: the move schedules the next one through `changed`.
        self._turns.put(table_id, None)
        delay = await self._safely(table_id, self._timekeeping.computer_turn(table_id))
        if delay and table_id not in self._turns.times:
            self._turns.put(table_id, self._now() + delay)

    async def _check_deadline(self, table_id: int) -> None:
        self._checks.put(table_id, None)
        if (owed := self._owed.pop(table_id, None)) is not None:
            step = self._timekeeping.extend_deadline(table_id, owed, self._extended_at)
        elif table_id in self._asleep:
            step = self._timekeeping.wake(table_id, least=AFTER_RESTART)
        else:
            step = self._timekeeping.time_up(table_id)
        if (delay := await self._safely(table_id, step)) and owed is not None:
            self._owed[table_id] = self._owed.get(table_id, timedelta()) + owed
        # `changed` has scheduled the next check, unless nothing was stored. Then the table must not be forgotten.
        if table_id not in self._checks.times and (table_id in self._guilds or table_id in self._asleep):
            self._checks.put(table_id, self._now() + (delay or AFTER_FAILURE))

    async def _safely(self, table_id: int, doing: Awaitable[object]) -> timedelta | None:
        """Await a step for one table; returns the delay after which to retry it if it failed, else None."""
        try:
            await doing
        except Declined as declined:
            _log.warning("a step of the clock was declined", table=table_id, why=declined.words)
            if declined.why is not Decline.UNKNOWN_TABLE:
                return AFTER_FAILURE
            self._forget(table_id)
        except Exception:  # noqa: BLE001 - the clock must keep running for the other tables
            _log.exception("the clock failed at a table", table=table_id)
            self._delays[table_id] = min(2 * self._delays.get(table_id, AFTER_FAILURE / 2), LONGEST_DELAY)
            return self._delays[table_id]
        return None

    async def run(self) -> None:
        """Tick forever; cancel to stop."""
        while True:
            self._wake.clear()
            await self.tick()
            times = [at for at in (self._turns.next(), self._checks.next()) if at is not None]
            due_in = (min(times) - self._now()).total_seconds() if times and not self._stopped else LONGEST_WAIT
            rest = max(0.0, min(due_in, LONGEST_WAIT))
            await self._attentively(self._wait(self._wake, rest), rest)


def _is_within(inner: tuple[int, ...], outer: tuple[int, ...]) -> bool:
    """Whether one place, as in `Clock._lost`, is another one or in it."""
    return inner[: len(outer)] == outer


async def _in_batches(do: Callable[[int], Awaitable[None]], table_ids: list[int]) -> None:
    """Handle these tables, `AT_ONCE` at a time: after a long outage thousands are due together."""
    for start in range(0, len(table_ids), AT_ONCE):
        await asyncio.gather(*map(do, table_ids[start : start + AT_ONCE]))
