"""When each table is due, and which is next. Pure: knows nothing else about tables."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

OLD_ENTRIES: Final = 100
"""How many old times a schedule keeps beside one for each table."""


class Schedule:
    """When each table is due: a heap, so that the next one is found without looking at all of them."""

    def __init__(self) -> None:
        self.times: dict[int, datetime] = {}
        # Has an entry for every time in `times` that is not set aside, and old ones: finding one in a heap means
        # looking through all of it, so a time that is changed stays there and is passed over when it comes up.
        self._heap: list[tuple[datetime, int]] = []
        # What is held would stay at the top of the heap, due at once, and the clock would never rest.
        self._aside: set[int] = set()

    def put(self, table_id: int, at: datetime | None) -> None:
        """Note when a table is due; None if it is due no more."""
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
        due: list[int] = []
        while self._heap and self._heap[0][0] <= now:
            at, table_id = heapq.heappop(self._heap)
            if self.times.get(table_id) != at or table_id in self._aside:
                continue
            if is_held(table_id):
                self._aside.add(table_id)
            else:
                del self.times[table_id]
                due.append(table_id)
        return due

    def next(self) -> datetime | None:
        """When the next one is due at the earliest."""
        while self._heap and self.times.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def release(self, by: timedelta = timedelta()) -> None:
        """Put everything off by so much, also what was set aside."""
        self.times = {table_id: at + by for table_id, at in self.times.items()}
        self._aside.clear()
        self._rebuild()

    def _rebuild(self) -> None:
        self._heap = [(at, table_id) for table_id, at in self.times.items() if table_id not in self._aside]
        heapq.heapify(self._heap)
