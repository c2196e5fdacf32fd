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
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class _Trouble:
    """Why the message of a table is not up to date although it was drawn, or what was wrong with it before."""

    has_failed: bool = False  # `retry` draws it again
    is_moving: bool = False  # to be posted at the end of its channel, until that succeeds
    is_blocked: bool = False  # by AutoMod; its host is told once
    forbidden: int | None = None  # the revision that Discord forbade to draw
    gone_at: float | None = None  # when Discord first said that its channel is gone
    deletions: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_DELETED))  # when its message was deleted
    tries: Counter[type[PortError]] = field(default_factory=Counter)  # of a closed table: its failures of each kind


class Painter:
    """Draws tables, many channels concurrently.

    A change puts a table into `_wanted`, or marks it as failed while it lacks its thread. A task (`_working`) waits for
    its turn in the channel, takes the table out and draws it; a later change puts it back. The result decides the rest:

    - drawn: into `_drawn` until that is stored; of its trouble, only the deletions of an open table's message are kept;
      it counts as failed if an older message could not be deleted;
    - its message is gone, or takes no edits for long: back into `_wanted`; too often gone: as forbidden;
    - Discord refuses all requests: back into `_wanted`, and nothing at all is drawn until `_broken_until`;
    - forbidden: the game is paused until somebody clicks; a closed table is retried;
    - any other error: failed, until `retry`; if AutoMod blocks it, also into `blocked`, until its host is told;
    - its channel is gone: failed, and forgotten if Discord still says so at a later retry;
    - closed, and failed too often in the same way, or the table no longer exists: forgotten; if the failure may pass,
      into `_unshown`, until somebody clicks in the channel.
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
        self._trouble: defaultdict[int, _Trouble] = defaultdict(_Trouble)
        self._edited_at, self._unshown = dict[int, float](), LRUCache[int, int](_CHANNELS)  # both by channel
        self.blocked: set[int] = set()
        """Tables whose message AutoMod blocks, until their hosts are told."""
        self._drawn, self._broken_until = dict[int, Table](), 0.0
        self._wake, self._is_idle = asyncio.Event(), asyncio.Event()
        self._is_idle.set()

    def changed(self, changed: Changed) -> None:
        """Note that the message of a table is outdated, unless the table was only loaded."""
        table, trouble = changed.table, self._trouble.get(changed.table.id)
        if changed.news and table.lacks_thread and table.is_open and not changed.bottom:
            # The click that opened it also opens its thread; if not, the next retry does.
            self._trouble[table.id].has_failed = True
        # A table that cannot be drawn is paused for that; drawing the pause would pause it again.
        elif changed.news and (changed.bottom or not trouble or table.revision != trouble.forbidden):
            self.want(table.id, bottom=changed.bottom)

    def want(self, table_id: int, *, bottom: bool = False) -> None:
        """Draw a table when its turn comes; `bottom` posts a new message at the end of the channel."""
        self._wanted[table_id] = self._wanted.get(table_id, False) or bottom
        self._is_idle.clear()
        self._wake.set()

    @property
    def behind(self) -> int:
        """How many public messages are known to be outdated."""
        failed = {table_id for table_id, each in self._trouble.items() if each.has_failed or each.forbidden is not None}
        return len(self._wanted.keys() | failed)

    @property
    def forbidden(self) -> int:
        """How many tables Discord forbids the bot to draw."""
        return sum(each.forbidden is not None for each in self._trouble.values())

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
        for table_id, trouble in self._trouble.items():
            if trouble.has_failed:
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
            self._trouble[table_id].has_failed = True
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
            if self._wanted.pop(table_id, False):
                self._trouble[table_id].is_moving = True
        bottom = table_id in self._trouble and self._trouble[table_id].is_moving
        snapshot = await self._tables.snapshot(table_id)
        try:
            leaves_old = await self._put(snapshot, bottom=bottom)
        except PortError as error:
            await self._handle_failure(snapshot.table, error)
        else:
            await self._handle_success(snapshot.table)
            if leaves_old:
                self._trouble[table_id].has_failed = True

    def _forget(self, table_id: int) -> None:
        self._wanted.pop(table_id, None)
        self._trouble.pop(table_id, None)
        self.blocked.discard(table_id)

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
        self.blocked.discard(table.id)
        trouble = self._trouble.pop(table.id, None)
        if trouble and trouble.deletions and table.is_open:
            self._trouble[table.id] = _Trouble(deletions=trouble.deletions)
        if not table.lacks_thread:  # else only its thread was opened
            self._drawn[table.id] = table
        if table.paused:  # by this process or an earlier one
            await self._tables.timekeeping.pause(table.id, paused=False)
        if len(self._drawn) >= _BATCH:
            await self._store_drawn()

    async def _store_drawn(self) -> None:
        drawn, self._drawn = list(self._drawn.values()), {}
        if drawn:
            await self._tables.timekeeping.mark_drawn(drawn)

    async def _handle_failure(self, table: Table, error: PortError) -> None:
        trouble = self._trouble[table.id]
        if not trouble.has_failed or not isinstance(error, OverloadedError):  # else each move repeats it
            _log.warning("Discord did not accept a table", table=table.id, guild=table.guild_id, why=str(error))
        match error:
            case MessageGoneError():
                await self._replace(table)
            case TooOldError() if not trouble.is_moving:
                self.want(table.id, bottom=True)
            case ChannelGoneError() if self._is_gone_for_good(trouble):
                await self._tables.servers.channel_gone(table.guild_id, table.channel_id)
                self._give_up((await self._tables.snapshot(table.id)).table)
            case ForbiddenError():
                await self._pause(table)
            case BlockedError():
                if table.is_open and not trouble.is_blocked:  # tell the host only once
                    self.blocked.add(table.id)
                trouble.is_blocked = True
                self._retry_later(table, BlockedError)
            case BannedError():
                self._broken_until = self._monotonic() + BREAK
                self.want(table.id)
            case _:
                self._retry_later(table, type(error))

    def _is_gone_for_good(self, trouble: _Trouble) -> bool:
        """Whether Discord has said for some time that the channel is gone; a single answer may be wrong."""
        if trouble.gone_at is None:
            trouble.gone_at = self._monotonic()
        return self._monotonic() - trouble.gone_at >= RETRY_EVERY

    def _retry_later(self, table: Table, kind: type[PortError]) -> None:
        """Draw a table again at the next retry, a closed one until it has failed too often in the same way."""
        trouble = self._trouble[table.id]
        trouble.has_failed = True
        if table.is_open:
            return
        trouble.tries[kind] += 1
        if trouble.tries[kind] < _LIMITS.get(kind, MOST_TRIES):
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
        deletions = self._trouble[table.id].deletions
        deletions.append(self._monotonic())
        if len(deletions) == MOST_DELETED and deletions[-1] - deletions[0] <= DELETED_WITHIN:
            deletions.clear()
            await self._pause(table)
        else:
            self.want(table.id)

    async def _pause(self, table: Table) -> None:
        """Pause the game until somebody clicks and the table can be drawn again."""
        trouble = self._trouble[table.id]
        if table.is_open:
            trouble.has_failed, trouble.forbidden = False, table.revision
            await self._tables.timekeeping.pause(table.id, paused=True)
        else:  # nobody will click to have it drawn
            trouble.forbidden = None
            self._retry_later(table, ForbiddenError)
