"""Keeps the public message of every table up to date. Owns when and where to draw; how is handed in.

Only the latest state of a table is drawn, at most once in `gap` seconds in a channel. A click never waits for it:
changes are noted by `changed`, the work is done by `run`. What could not be drawn stays marked in the store.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import islice
from typing import Final, Protocol

import structlog

from bot.port import BannedError, BlockedError, ChannelGoneError, ForbiddenError, MessageGoneError, PortError
from data.guild_models import GuildSettings
from data.models import Table
from tables.services import Changed, Decline, Declined, Tables, TableSnapshot

GAP: Final = 1.0
"""Seconds between two edits in a channel: Discord takes five there in five seconds."""
AT_ONCE: Final = 32
"""How many tables are drawn at the same time, so that clicks and the lease never wait for thousands."""
BREAK: Final = 60.0
"""Seconds without any request after Discord refused all of them."""
RETRY_EVERY: Final = 60.0
"""Seconds between two tries of what failed."""
MOST_DELETED: Final = 3
"""How often within `DELETED_WITHIN` seconds a message is posted anew before the game is paused."""
DELETED_WITHIN: Final = 300.0
_FLUSH: Final = 100
"""How many drawings are noted in the store at once, while others are still to be made."""
_CHANNELS: Final = 1_000
"""How many channels are remembered with their last edit before those long past are forgotten."""
_log = structlog.get_logger(__name__)


class Put(Protocol):
    """Makes the public message of a table show it, posted anew if `bottom`; may raise a `PortError`."""

    async def __call__(self, snapshot: TableSnapshot, settings: GuildSettings, *, bottom: bool) -> None:
        """Do it."""
        ...


class Painter:
    """Draws tables, in all channels at the same time.

    A table whose message shows what it should is in none of the collections below. A change puts it into `_wanted`; a
    task (`_working`) waits until its channel may be drawn in, takes it out again and draws it. A change from then on
    wants it once more. What came of the drawing says where the table goes:

    - drawn: into `_drawn` until the store knows, and out of all others;
    - its message is gone: wanted again; when that was too often (`_deletions`), as if it were forbidden;
    - refused to everybody (`_broken_until`): wanted again, and nothing at all is drawn for a while;
    - forbidden: into `_troubled`, and its game is paused until somebody clicks;
    - kept back by AutoMod: into `_failed`, and the first time into `blocked`, until its host is told;
    - anything else went wrong: into `_failed`, which `retry` wants again;
    - the table, or its channel, is no more: out of everything.
    """

    def __init__(
        self,
        tables: Tables,
        put: Put,
        *,
        gap: float = GAP,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        until_idle: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`until_idle` waits until no click would be kept waiting by drawing."""
        self._tables, self._put, self._until_idle = tables, put, until_idle
        self._gap, self._monotonic, self._sleep = gap, monotonic, sleep
        # No queue of drawings: a table that changed ten times since it was drawn is wanted once, and is drawn as it is
        # when its turn comes. So however far the painter is behind, it has at most one drawing for each table to make.
        self._wanted: dict[int, bool] = {}
        self._working: dict[int, asyncio.Task[None]] = {}
        self._last: dict[int, float] = {}
        self._deletions: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=MOST_DELETED))
        self._troubled: dict[int, int] = {}  # table → its revision when Discord did not let us show it
        self._failed: set[int] = set()
        self.is_serving: Callable[[], bool] = lambda: True
        """Whether no other process can have these tables; nothing is drawn unless it is so."""
        self.blocked: set[int] = set()
        """Tables that AutoMod does not let us show, until their hosts are told."""
        self._drawn: dict[int, Table] = {}
        self._broken_until = 0.0
        self._wake, self._quiet = asyncio.Event(), asyncio.Event()
        self._quiet.set()

    def changed(self, changed: Changed) -> None:
        """A table is not what its message shows, unless nothing is new: then the store knows whether it was drawn."""
        table = changed.table
        if not changed.news or (table.lacks_thread and table.is_open):
            return  # it is drawn when its thread is opened
        if table.paused and table.revision == self._troubled.get(table.id) and not changed.bottom:
            return  # paused because it cannot be drawn: drawing the pause would pause it again
        self.want(table.id, bottom=changed.bottom)

    def want(self, table_id: int, *, bottom: bool = False) -> None:
        """Draw a table when its turn comes; `bottom` posts it anew."""
        self._wanted[table_id] = self._wanted.get(table_id, False) or bottom
        self._quiet.clear()
        self._wake.set()

    @property
    def behind(self) -> int:
        """How many public messages are not up to date as far as is known."""
        return len(self._wanted.keys() | self._failed | self._troubled.keys())

    @property
    def troubled(self) -> int:
        """How many tables Discord does not let us show."""
        return len(self._troubled)

    @property
    def is_refused(self) -> bool:
        """Whether Discord refused all requests less than `BREAK` seconds ago."""
        return self._monotonic() < self._broken_until

    async def idle(self) -> None:
        """Wait until everything that is wanted was drawn or has failed."""
        await self._quiet.wait()

    async def run(self) -> None:
        """Draw for ever; cancel to stop."""
        retry_at = self._monotonic() + RETRY_EVERY
        try:
            while True:
                if self._until_idle and self._wanted:
                    await self._until_idle()
                waiting = (each for each in self._wanted if each not in self._working)
                for table_id in list(islice(waiting, AT_ONCE - len(self._working))):
                    self._working[table_id] = asyncio.create_task(self._work(table_id))
                self._wake.clear()
                with suppress(TimeoutError):  # asyncio.wait_for can swallow a cancellation
                    async with asyncio.timeout(max(0.0, retry_at - self._monotonic())):
                        await self._wake.wait()
                if self._monotonic() >= retry_at:
                    self.retry()
                    retry_at = self._monotonic() + RETRY_EVERY
        finally:
            for task in list(self._working.values()):
                task.cancel()
            await asyncio.gather(*self._working.values(), return_exceptions=True)
            await self._flush()

    def retry(self) -> None:
        """Want what failed, but for what Discord forbids."""
        for table_id in self._failed:
            self.want(table_id)

    async def reconcile(self, *, apart: float = 0.1) -> None:
        """Want every table whose message was not up to date when the process ended, each `apart` seconds later."""
        for table_id in await self._tables.timekeeping.undrawn_tables():
            self.want(table_id)
            await self._sleep(apart)

    async def _work(self, table_id: int) -> None:
        try:
            await self._paint(table_id)
        except Exception as error:  # noqa: BLE001 - the other tables go on
            self._failed.add(table_id)
            self._wanted.pop(table_id, None)
            match error:
                case Declined(why=Decline.UNKNOWN_TABLE):
                    self._forget(table_id)
                case Declined():  # the store is away, which the log says elsewhere
                    _log.warning("a table could not be drawn", table=table_id, why=error.why.value)
                case _:
                    _log.exception("a table could not be drawn", table=table_id)
        finally:
            try:
                if self._working.keys() == {table_id} and not self._wanted:
                    await self._flush()  # the last one at work notes what all have drawn
            finally:
                del self._working[table_id]
                if not self._working and not self._wanted:
                    self._quiet.set()
                self._wake.set()

    async def _paint(self, table_id: int) -> None:
        await self._pace((await self._tables.snapshot(table_id)).table.channel_id)
        # The latest wins. No longer wanted before it is looked at: a change while it is drawn wants it once more.
        bottom = self._wanted.pop(table_id, False)
        snapshot = await self._tables.snapshot(table_id)
        settings = await self._tables.servers.settings(snapshot.table.guild_id)
        try:
            await self._put(snapshot, settings, bottom=bottom)
        except PortError as error:
            await self._failing(snapshot.table, error)
        else:
            await self._succeeded(snapshot.table)

    def _forget(self, table_id: int) -> None:
        for known in (self._wanted, self._troubled, self._deletions):
            known.pop(table_id, None)
        self._failed.discard(table_id)
        self.blocked.discard(table_id)

    async def _pace(self, channel_id: int) -> None:
        """Wait until the channel may be drawn in.

        Discord limits edits by channel, so each channel has its own pace and a busy one delays no other. The breaker is
        for all: Discord refuses for longer if one goes on asking while it refuses everything.
        """
        while True:  # the breaker may have opened while this slept
            now = self._monotonic()
            rest = max(self._last.get(channel_id, now - self._gap) + self._gap, self._broken_until) - now
            if rest <= 0 and self.is_serving():
                break
            await self._sleep(rest if rest > 0 else GAP)
        self._last[channel_id] = self._monotonic()
        if len(self._last) > _CHANNELS:
            horizon = self._monotonic() - self._gap
            self._last = {channel: at for channel, at in self._last.items() if at > horizon}

    async def _succeeded(self, table: Table) -> None:
        self._failed.discard(table.id)
        self.blocked.discard(table.id)
        self._drawn[table.id] = table
        if table.paused:  # by this process, or by one before
            await self._tables.timekeeping.pause(table.id, paused=False)
        self._troubled.pop(table.id, None)
        if not table.is_open:
            self._deletions.pop(table.id, None)
        if len(self._drawn) >= _FLUSH:
            await self._flush()

    async def _flush(self) -> None:
        drawn, self._drawn = list(self._drawn.values()), {}
        if drawn:
            await self._tables.timekeeping.drawn(drawn)

    async def _failing(self, table: Table, error: PortError) -> None:
        _log.warning("a table could not be drawn", table=table.id, why=str(error))
        match error:
            case MessageGoneError():
                await self._replace(table)
            case ChannelGoneError():
                await self._tables.timekeeping.abort(table.id)
                self._forget(table.id)
            case ForbiddenError():
                await self._pause(table)
            case BlockedError():
                if table.id not in self._failed:  # told once
                    self.blocked.add(table.id)
                self._failed.add(table.id)
            case BannedError():
                self._broken_until = self._monotonic() + BREAK
                self.want(table.id)
            case _:
                self._failed.add(table.id)

    async def _replace(self, table: Table) -> None:
        """Post a deleted message anew, but not for ever."""
        gone, now = self._deletions[table.id], self._monotonic()
        gone.append(now)
        await self._tables.timekeeping.placed(table.id, None)
        if len(gone) == MOST_DELETED and now - gone[0] <= DELETED_WITHIN:
            gone.clear()
            await self._pause(table)
        else:
            self.want(table.id)

    async def _pause(self, table: Table) -> None:
        """Let the game stand still until somebody clicks and it can be drawn again."""
        self._failed.discard(table.id)
        if table.is_open:
            self._troubled[table.id] = table.revision
            await self._tables.timekeeping.pause(table.id, paused=True)
