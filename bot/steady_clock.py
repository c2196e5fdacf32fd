"""The time of the process: in UTC, and even, though somebody may set the machine's clock or send it to sleep."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from tables.doorway import real_now

SLIGHT: Final = timedelta(seconds=30)
"""A correction of the machine's clock up to this moves no deadline."""


class SteadyClock:
    """The machine's clock as it was when it was last looked at, and what has passed since by one that is never set."""

    def __init__(
        self, wall: Callable[[], datetime] = real_now, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin now."""
        self._wall, self._monotonic = wall, monotonic
        self._then, self._since = wall(), monotonic()

    def __call__(self) -> datetime:
        """The time."""
        return self._then + timedelta(seconds=self._monotonic() - self._since)

    def settle(self) -> timedelta:
        """Go by the machine's clock again; by how much it was set forward since the last time, if not just slightly."""
        steady, wall = self(), self._wall()
        self._then, self._since = wall, self._monotonic()
        return wall - steady if abs(wall - steady) > SLIGHT else timedelta()
