"""When each table is due, which one is next, and how to wait for an event. Knows nothing else about tables.

A table may be *held*: nothing may be done about it now, although it is due. Callers say which ones are.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

OLD_ENTRIES: Final = 100
"""How many stale heap entries are tolerated, beyond one per table, before the heap is rebuilt."""


async def wait_for(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, but at most this long."""
    with suppress(TimeoutError):  # asyncio.wait_for can swallow a cancellation
        async with asyncio.timeout(seconds):
            await event.wait()


class Schedule:
    """The due time of each table. A heap finds the next one without scanning all of them."""

    def __init__(self) -> None:
        self.times: dict[int, datetime] = {}
        # Has an entry for every time in `times` that is not set aside, and stale ones: removing an entry from a heap
        # means searching all of it, so a changed time stays and is skipped when it reaches the top.
        self._heap: list[tuple[datetime, int]] = []
        # Due tables that were held. In the heap they would stay at the top, and the clock would never sleep.
        self._held: set[int] = set()

    def put(self, table_id: int, at: datetime | None) -> None:
        """Set when a table is due, or None if it no longer is."""
        if at is None:
            self.times.pop(table_id, None)
        elif self.times.get(table_id) != at:
            self.times[table_id] = at
            self._held.discard(table_id)
            heapq.heappush(self._heap, (at, table_id))
            if len(self._heap) > 2 * len(self.times) + OLD_ENTRIES:
                self._rebuild()

    def due(self, now: datetime, is_held: Callable[[int], bool]) -> list[int]:
        """Remove and return the tables that are due. Held ones are set aside until `release` or another time."""
        due: list[int] = []
        while self._heap and self._heap[0][0] <= now:
            at, table_id = heapq.heappop(self._heap)
            if self.times.get(table_id) != at or table_id in self._held:
                continue
            if is_held(table_id):
                self._held.add(table_id)
            else:
                del self.times[table_id]
                due.append(table_id)
        return due

    def next(self) -> datetime | None:
        """The earliest due time, not counting tables that are set aside; None if there is none."""
        while self._heap and self.times.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def release(self, by: timedelta = timedelta()) -> None:
        """Postpone all times by `by`, and put the tables back that were set aside."""
        self.times = {table_id: at + by for table_id, at in self.times.items()}
        self._held.clear()
        self._rebuild()

    def _rebuild(self) -> None:
        self._heap = [(at, table_id) for table_id, at in self.times.items() if table_id not in self._held]
        heapq.heapify(self._heap)
