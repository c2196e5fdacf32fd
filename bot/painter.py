"""Keeps the public message of every table up to date. Owns when and where to draw; a callback does the drawing.

Only the latest state of a table is drawn, at most once per `gap` seconds in a channel. Clicks never wait for it:
`changed` only notes changes, and `run` does the work. Tables that could not be drawn stay marked in the store.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping
from itertools import islice
from typing import Final, Protocol

import structlog

from bot.port import (
    BannedError,
    BlockedError,
    ChannelGoneError,
    ForbiddenError,
    MessageGoneError,
    OverloadedError,
    PortError,
    TooOldError,
)
from bot.schedule import wait_for
from cogs.responder import Sleep
from data.models import Table
from tables.cache import LRUCache
from tables.services import Changed, Decline, Declined, Tables, TableSnapshot

GAP: Final = 1.0
"""Seconds between two edits in a channel; Discord allows five in five seconds."""
AT_ONCE: Final = 32
"""How many tables are drawn concurrently, so that clicks and the lease never wait for thousands."""
BREAK: Final = 60.0
"""Seconds without any request after Discord has refused all of them (the circuit breaker)."""
RETRY_EVERY: Final = 60.0
"""Seconds between two retries of failed drawings."""
MOST_TRIES: Final = 30
"""How often a closed table is drawn that Discord does not accept; an open one is drawn until it succeeds."""
MOST_OVERLOADS: Final = 24 * 60
"""How often a closed table is drawn while Discord fails: for a day."""
MOST_FORBIDDEN: Final = 3
"""How often a closed table is drawn that Discord forbids to draw: it ends clients that try too often."""
_LIMITS: Final[Mapping[type[PortError], int]] = {OverloadedError: MOST_OVERLOADS, ForbiddenError: MOST_FORBIDDEN}
"""Instead of `MOST_TRIES`; these failures may pass: a click in the channel and the next start try again."""
MOST_DELETED: Final = 3
"""How many deletions of a table's message within `DELETED_WITHIN` seconds pause the game."""
DELETED_WITHIN: Final = 300.0
_BATCH: Final = 100
"""How many finished drawings are stored as one batch while there are more to draw."""
_CHANNELS: Final = 1_000
"""From this many channels on, those with no recent edit are forgotten, and the oldest of those with an end unshown."""
_log = structlog.get_logger(__name__)


class Put(Protocol):
    """Brings the public message of a table up to date; posts a new one if `bottom`. May raise a `PortError`."""

    async def __call__(self, snapshot: TableSnapshot, *, bottom: bool) -> bool:
        """Draw this snapshot; return whether an older message is left to be deleted by a later drawing."""
        ...


class Painter:
    """Draws tables, many channels concurrently.

    A table whose message is up to date is in none of the collections below, except that `_deletions` remembers an open
    table. A change puts it into `_wanted`, or `_failed` while it lacks its thread. A task (`_working`) waits for its
    turn in the channel, takes the table out and draws it; a later change puts it back. The result decides the rest:

    - drawn: into `_drawn` until that is stored, and out of the others but `_deletions`; also into `_failed` if an older
      message could not be deleted;
    - its message is gone, or takes no edits for long: back into `_wanted`; too often gone (`_deletions`): as forbidden;
    - Discord refuses all requests: back into `_wanted`, and nothing at all is drawn until `_broken_until`;
    - forbidden: with its revision into `_forbidden`, its game paused until somebody clicks; if closed, into `_failed`;
    - blocked by AutoMod: into `_failed` and `_by_automod`, and the first time into `blocked`, until its host is told;
    - any other error: into `_failed`, until `retry`;
    - its channel is gone: into `_gone` and `_failed`; if Discord still says so at a later retry, out of everything;
    - closed, and failed too often in the same way (`_tries`), or the table no longer exists: out of everything; if the
      failure may pass, into `_unshown`, until somebody clicks in the channel.
    """

    def __init__(
        self,
        tables: Tables,
        put: Put,
        *,
        gap: float = GAP,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        until_quiet: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`until_quiet` waits until no click is waiting for an answer."""
        self._tables, self._put, self._gap = tables, put, gap
        self._monotonic, self._sleep, self._until_quiet = monotonic, sleep, until_quiet
        # Table → `bottom`. Not a queue: a table that changed ten times meanwhile is drawn once, in its latest state.
        self._wanted: dict[int, bool] = {}
        self._working: dict[int, asyncio.Task[None]] = {}
        # Channel → when it was edited last; table → when Discord first said that its channel is gone.
        self._edited_at, self._gone = dict[int, float](), dict[int, float]()
        self._deletions: defaultdict[int, deque[float]] = defaultdict(lambda: deque(maxlen=MOST_DELETED))
        self._forbidden, self._unshown = dict[int, int](), LRUCache[int, int](_CHANNELS)  # by table, by channel
        self._tries = defaultdict[int, Counter[type[PortError]]](Counter)  # closed table → its failures of each kind
        self._failed, self._by_automod = set[int](), set[int]()
        self._moving: set[int] = set()  # tables to be posted at the end of their channel, until that succeeds
        self.blocked: set[int] = set()
        """Tables whose message AutoMod blocks, until their hosts are told."""
        self._drawn, self._broken_until = dict[int, Table](), 0.0
        self._wake, self._is_idle = asyncio.Event(), asyncio.Event()
        self._is_idle.set()

    def changed(self, changed: Changed) -> None:
        """Note that the message of a table is outdated, unless the table was only loaded."""
        table = changed.table
        if changed.news and table.lacks_thread and table.is_open and not changed.bottom:
            self._failed.add(table.id)  # the click that opened it also opens its thread; if not, the next retry does
        # A table that cannot be drawn is paused for that; drawing the pause would pause it again.
        elif changed.news and (changed.bottom or table.revision != self._forbidden.get(table.id)):
            self.want(table.id, bottom=changed.bottom)

    def want(self, table_id: int, *, bottom: bool = False) -> None:
        """Draw a table when its turn comes; `bottom` posts a new message at the end of the channel."""
        self._wanted[table_id] = self._wanted.get(table_id, False) or bottom
        self._is_idle.clear()
        self._wake.set()

    @property
    def behind(self) -> int:
        """How many public messages are known to be outdated."""
        return len(self._wanted.keys() | self._failed | self._forbidden.keys())

    @property
    def forbidden(self) -> int:
        """How many tables Discord forbids the bot to draw."""
        return len(self._forbidden)

    @property
    def is_refused(self) -> bool:
        """Whether Discord refused all requests less than `BREAK` seconds ago."""
        return self._monotonic() < self._broken_until

    async def idle(self) -> None:
        """Wait until every wanted table has been drawn or has failed."""
        await self._is_idle.wait()

    async def run(self) -> None:
        """Draw forever; cancel to stop."""
        retry_at = self._monotonic() + RETRY_EVERY
        try:
            while True:
                if self._until_quiet and self._wanted:
                    await self._until_quiet()
                waiting = (each for each in self._wanted if each not in self._working)
                for table_id in list(islice(waiting, AT_ONCE - len(self._working))):
                    self._working[table_id] = asyncio.create_task(self._work(table_id))
                self._wake.clear()
                await wait_for(self._wake, max(0.0, retry_at - self._monotonic()))
                if self._monotonic() >= retry_at:
                    self.retry()
                    retry_at = self._monotonic() + RETRY_EVERY
        finally:
            for task in list(self._working.values()):
                task.cancel()
            await asyncio.gather(*self._working.values(), return_exceptions=True)
            await self._store_drawn()

    def retry(self) -> None:
        """Retry failed tables, except those that Discord forbids the bot to draw."""
        for table_id in self._failed:
            self.want(table_id)

    def retry_in(self, channel_id: int) -> None:
        """Draw an end once more that failed too often in a channel, because by a click there the bot may post now."""
        if (table_id := self._unshown.get(channel_id)) is not None and self._unshown.drop(channel_id):
            self.want(table_id)

    async def reconcile(self, *, apart: float = 0.1) -> None:
        """At the start, draw every table that the last process left outdated, one every `apart` seconds."""
        for table_id in await self._tables.timekeeping.undrawn_tables():
            self.want(table_id)
            await self._sleep(apart)

    async def _work(self, table_id: int) -> None:
        try:
            await self._paint(table_id)
        except Exception as error:  # noqa: BLE001 - the other tables must still be drawn
            self._failed.add(table_id)
            match error:
                case Declined(why=Decline.UNKNOWN_TABLE):
                    self._forget(table_id)
                case Declined():  # the store is unreachable; that is logged elsewhere
                    _log.warning("a table could not be read to be drawn", table=table_id, why=error.words)
                case _:
                    _log.exception("drawing a table failed", table=table_id)
        finally:
            try:
                while self._drawn and self._working.keys() == {table_id} and not self._wanted:
                    await self._store_drawn()  # the last task stores the drawings of all, also of those drawn meanwhile
            finally:
                del self._working[table_id]
                if not self._working and not self._wanted:
                    self._is_idle.set()
                self._wake.set()

    async def _paint(self, table_id: int) -> None:
        try:
            await self._pace((await self._tables.snapshot(table_id)).table.channel_id)
        finally:
            # Remove it from `_wanted` before loading it, so that a change during the drawing causes another one.
            bottom = self._wanted.pop(table_id, False) or table_id in self._moving
            if bottom:
                self._moving.add(table_id)
        snapshot = await self._tables.snapshot(table_id)
        try:
            leaves_old = await self._put(snapshot, bottom=bottom)
        except PortError as error:
            await self._handle_failure(snapshot.table, error)
        else:
            await self._handle_success(snapshot.table)
            if leaves_old:
                self._failed.add(table_id)

    def _forget(self, table_id: int) -> None:
        for known in (self._wanted, self._forbidden, self._deletions, self._tries, self._gone):
            known.pop(table_id, None)
        for some in (self._failed, self.blocked, self._by_automod, self._moving):
            some.discard(table_id)

    def _give_up(self, table: Table) -> None:
        """Leave the message of a closed table as it is, also after a restart."""
        self._forget(table.id)
        self._drawn[table.id] = table

    async def _pace(self, channel_id: int) -> None:
        """Wait until drawing in the channel is allowed.

        Discord limits edits per channel, so each channel has its own pace and a busy one delays no other. The circuit
        breaker is for all channels: Discord extends a general refusal if requests continue.
        """
        while True:  # the breaker may have opened during the sleep
            edited_at = self._edited_at.get(channel_id, -math.inf)
            rest = max(self._broken_until, edited_at + self._gap) - self._monotonic()
            if rest <= 0 and self._tables.is_serving():
                break
            await self._sleep(rest if rest > 0 else GAP)
        self._edited_at[channel_id] = self._monotonic()
        if len(self._edited_at) > _CHANNELS:
            horizon = self._monotonic() - self._gap
            self._edited_at = {channel: at for channel, at in self._edited_at.items() if at > horizon}

    async def _handle_success(self, table: Table) -> None:
        for some in (self._failed, self.blocked, self._by_automod, self._moving):
            some.discard(table.id)
        for known in (self._tries, self._gone, self._forbidden):
            known.pop(table.id, None)
        if not table.lacks_thread:  # else only its thread was opened
            self._drawn[table.id] = table
        if table.paused:  # by this process or an earlier one
            await self._tables.timekeeping.pause(table.id, paused=False)
        if not table.is_open:
            self._deletions.pop(table.id, None)
        if len(self._drawn) >= _BATCH:
            await self._store_drawn()

    async def _store_drawn(self) -> None:
        drawn, self._drawn = list(self._drawn.values()), {}
        if drawn:
            await self._tables.timekeeping.mark_drawn(drawn)

    async def _handle_failure(self, table: Table, error: PortError) -> None:
        if table.id not in self._failed or not isinstance(error, OverloadedError):  # else each move repeats it
            _log.warning("Discord did not accept a table", table=table.id, guild=table.guild_id, why=str(error))
        match error:
            case MessageGoneError():
                await self._replace(table)
            case TooOldError() if table.id not in self._moving:
                self.want(table.id, bottom=True)
            case ChannelGoneError() if self._is_gone_for_good(table):
                await self._tables.servers.channel_gone(table.guild_id, table.channel_id)
                self._give_up((await self._tables.snapshot(table.id)).table)
            case ForbiddenError():
                await self._pause(table)
            case BlockedError():
                if table.is_open and table.id not in self._by_automod:  # tell the host only once
                    self.blocked.add(table.id)
                self._by_automod.add(table.id)
                self._retry_later(table, BlockedError)
            case BannedError():
                self._broken_until = self._monotonic() + BREAK
                self.want(table.id)
            case _:
                self._retry_later(table, type(error))

    def _is_gone_for_good(self, table: Table) -> bool:
        """Whether Discord has said for some time that the channel is gone; a single answer may be wrong."""
        return self._monotonic() - self._gone.setdefault(table.id, self._monotonic()) >= RETRY_EVERY

    def _retry_later(self, table: Table, kind: type[PortError]) -> None:
        """Draw a table again at the next retry, a closed one until it has failed too often in the same way."""
        self._failed.add(table.id)
        if table.is_open:
            return
        self._tries[table.id][kind] += 1
        if self._tries[table.id][kind] < _LIMITS.get(kind, MOST_TRIES):
            return
        _log.warning("the end of a table is not shown", table=table.id)
        if kind in _LIMITS:
            self._forget(table.id)
            self._unshown.put(table.channel_id, table.id)
        else:
            self._give_up(table)

    async def _replace(self, table: Table) -> None:
        """Replace a deleted message; if it is deleted too often, pause the game."""
        # First, because if that fails, the same deletion is found again.
        await self._tables.timekeeping.place(table.id, message_id=None)
        deletions = self._deletions[table.id]
        deletions.append(self._monotonic())
        if len(deletions) == MOST_DELETED and deletions[-1] - deletions[0] <= DELETED_WITHIN:
            deletions.clear()
            await self._pause(table)
        else:
            self.want(table.id)

    async def _pause(self, table: Table) -> None:
        """Pause the game until somebody clicks and the table can be drawn again."""
        if not table.is_open:  # nobody will click to have it drawn
            self._forbidden.pop(table.id, None)
            self._retry_later(table, ForbiddenError)
            return
        self._failed.discard(table.id)
        self._forbidden[table.id] = table.revision
        await self._tables.timekeeping.pause(table.id, paused=True)
