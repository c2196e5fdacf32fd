"""How long things may take, and what is due next. Pure: durations by pace, and what a running clock does when.

All times but that of the lobby are stretched by 1, 2 or 4 at the host's wish (accessibility).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from data.models import Pace, Table

LOBBY: Final = timedelta(minutes=15)
"""A lobby closes after this time without any change."""
ANSWER: Final = timedelta(seconds=20)
"""How long others may say yes to a rematch before it is dealt."""
REMOVED: Final = timedelta(minutes=10)
"""Somebody whose seat the host took away may not sit down again for this time."""
OLD_ENTRIES: Final = 100
"""How many old times a schedule keeps beside one for each table."""
_TURN: Final[dict[Pace, timedelta]] = {
    "quick": timedelta(seconds=45),
    "normal": timedelta(minutes=3),
    "slow": timedelta(hours=24),
}
_EXCHANGE: Final[dict[Pace, timedelta]] = {
    "quick": timedelta(seconds=90),
    "normal": timedelta(minutes=5),
    "slow": timedelta(hours=24),
}
_CALL: Final[dict[Pace, timedelta]] = {
    "quick": timedelta(seconds=20),
    "normal": timedelta(seconds=45),
    "slow": timedelta(hours=12),
}
_GRACE: Final[dict[Pace, timedelta]] = {
    "quick": timedelta(seconds=15),
    "normal": timedelta(minutes=1),
    "slow": timedelta(hours=6),
}
_IDLE: Final[dict[Pace, timedelta]] = {
    "quick": timedelta(minutes=15),
    "normal": timedelta(minutes=15),
    "slow": timedelta(hours=24),
}


def time_for(table: Table, phase: str) -> timedelta:
    """How long a phase of the game may take (in play: a turn), or how long a lobby stays open."""
    if table.status == "lobby":
        return LOBBY
    durations = {"exchange": _EXCHANGE, "call": _CALL}.get(phase, _TURN)
    return durations[table.pace] * table.stretch


def grace(table: Table) -> timedelta:
    """How long others may have an expired turn played before the clock does."""
    return _GRACE[table.pace] * table.stretch


def idle(table: Table) -> timedelta:
    """How long a game is kept after its last player has left or gone away."""
    return _IDLE[table.pace]


def nudge_at(table: Table, nudge_seconds: int) -> datetime | None:
    """When the player on turn is to be reminded, None where that is not wanted or was done.

    At the latest when two thirds of the time are over, so that a reminder leaves time to play.
    """
    if table.nudged or nudge_seconds <= 0 or table.turn_since is None or table.deadline is None or table.is_asking:
        return None
    time = table.deadline - table.turn_since
    return table.turn_since + min(timedelta(seconds=nudge_seconds), time * 2 / 3)


def next_look(table: Table, nudge_seconds: int) -> datetime | None:
    """When the clock must look at a table again, None where nothing is to come."""
    if not table.is_open or table.paused or table.deadline is None:
        return None
    if table.status == "lobby":
        return table.deadline
    up = table.deadline + grace(table) if table.overdue else table.deadline
    nudge = nudge_at(table, nudge_seconds)
    return min(up, nudge) if nudge else up


class Schedule:
    """When each table is due: a heap, so that the next one is found without looking at all of them."""

    def __init__(self) -> None:
        self.times: dict[int, datetime] = {}
        # Has an entry for every time in `times` that is not set aside, and old ones, which are passed over.
        self._heap: list[tuple[datetime, int]] = []
        self._aside: set[int] = set()

    def put(self, table_id: int, at: datetime | None) -> None:
        """Have a table due at this time, or at none."""
        if at is None:
            self.times.pop(table_id, None)
        elif self.times.get(table_id) != at:
            self.times[table_id] = at
            self._aside.discard(table_id)
            heapq.heappush(self._heap, (at, table_id))
            if len(self._heap) > 2 * len(self.times) + OLD_ENTRIES:
                self._rebuild()

    def due(self, now: datetime, is_held: Callable[[int], bool]) -> list[int]:
        """The tables that are due, which are due no more; those that are held are set aside until `release`."""
        found: list[int] = []
        while self._heap and self._heap[0][0] <= now:
            at, table_id = heapq.heappop(self._heap)
            if self.times.get(table_id) != at or table_id in self._aside:
                continue
            if is_held(table_id):
                self._aside.add(table_id)
            else:
                del self.times[table_id]
                found.append(table_id)
        return found

    def next(self) -> datetime | None:
        """When the next one is due at the earliest."""
        while self._heap and self.times.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def release(self, by: timedelta = timedelta()) -> None:
        """Have everything due later by this, also what was set aside."""
        self.times = {table_id: at + by for table_id, at in self.times.items()}
        self._aside.clear()
        self._rebuild()

    def _rebuild(self) -> None:
        self._heap = [(at, table_id) for table_id, at in self.times.items() if table_id not in self._aside]
        heapq.heapify(self._heap)
