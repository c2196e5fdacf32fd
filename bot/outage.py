"""Discord's outages: while a shard is not connected nobody of its servers can click, so no time passes there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.clock import Clock

SHORT: Final = timedelta(seconds=30)
"""An outage up to this puts no deadline off."""
_log = structlog.get_logger(__name__)


class Outages:
    """Holds the clock of the servers whose shard is away."""

    def __init__(self, clock: Clock, now: Callable[[], datetime]) -> None:
        """All shards are there."""
        self._clock, self._now = clock, now
        self._since: dict[int, datetime] = {}

    def begin(self, shard: int) -> None:
        """A shard lost its connection; told again it has not come back since."""
        if shard not in self._since:
            self._since[shard] = self._now()
            self._clock.hold(shard)

    async def end(self, shard: int) -> None:
        """A shard is connected; where it was not, deadlines are put off by as long as that was."""
        since = self._since.pop(shard, None)
        if since is None:
            return
        outage = self._now() - since
        if outage > SHORT:
            _log.info("deadlines are put off", shard=shard, seconds=round(outage.total_seconds()))
        await self._clock.release(shard, outage if outage > SHORT else timedelta())

    @property
    def shards(self) -> frozenset[int]:
        """The shards that are away."""
        return frozenset(self._since)
