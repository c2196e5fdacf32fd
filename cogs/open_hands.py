"""Keeps open private hands up to date. Owns which message shows whose hand, and until when.

Discord lets a private message be edited for fifteen minutes after the click that it answers. Every click on it starts
them anew, so a hand follows the game as long as somebody plays from it; after that *My hand* opens another. Callbacks
say how a hand is drawn and sent. Everything is kept in memory and lost at a restart.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import structlog

from data.errors import words_of
from tables.services import Changed, Tables
from tables.snapshots import Decline, Declined, HandSnapshot, TableSnapshot, clock_of

LIFE: Final = 14 * 60.0
"""Seconds for which a hand is kept up to date: a minute less than Discord accepts edits."""
GAP: Final = 1.0
"""Seconds between two redraws of a table's hands."""
MOST: Final = 1_000
"""The most hands kept up to date at once; the one opened longest ago is dropped first."""

NEVER: Final = -1
"""A revision that no table ever has, so that any message is out of date."""

Shown: TypeAlias = HandSnapshot | TableSnapshot | Decline
"""What a private message shows: a hand; the table, to people asked for a rematch or gone from a match; or why none."""
Redraw: TypeAlias = Callable[[Shown], Awaitable[str | None]]
"""Draws the message; returns the id of the interaction that made it, None if it must not be drawn again."""
Remove: TypeAlias = Callable[[], Awaitable[None]]
"""Deletes the message."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Hand:
    """A message with a hand, at revision `seen`, open until `until` (monotonic); interaction `by` made the message."""

    seen: int
    until: float
    redraw: Redraw
    remove: Remove
    by: str
    clock: int  # what it shows of the table's clock, by `clock_of`


class Hands:
    """The open hands, at most one for each person at a table."""

    def __init__(self, tables: Tables, *, gap: float = GAP, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Follow `tables`, waiting `gap` seconds between two redraws of the same table's hands."""
        self._tables, self._gap, self._monotonic = tables, gap, monotonic
        self._open: OrderedDict[tuple[int, int], Hand] = OrderedDict()
        self._people = defaultdict[int, set[int]](set)  # by table, the people with an open hand
        self._scheduled: dict[int, None] = {}
        self._working: dict[int, asyncio.Task[None]] = {}
        self._wake, self._is_idle, self._is_ending = asyncio.Event(), asyncio.Event(), False
        self._is_idle.set()

    def __len__(self) -> int:
        """The number of hands that are kept up to date."""
        return len(self._open)

    def opened(
        self, table_id: int, user_id: int, seen: int, redraw: Redraw, remove: Remove, by: str, clock: int = 0
    ) -> Remove | None:
        """Register a message that shows a hand at revision `seen`; return how to remove the older one, if any."""
        key, now = (table_id, user_id), self._monotonic()
        before = self._open.get(key)
        self._open[key] = Hand(seen, now + LIFE, redraw, remove, by, clock)
        self._open.move_to_end(key)
        self._people[table_id].add(user_id)
        while len(self._open) > MOST or next(iter(self._open.values())).until < now:
            self._close(next(iter(self._open)))  # the one opened longest ago
        if not self._is_ending:
            self._schedule(table_id)  # something may have happened while the answer was sent
        return before.remove if before and now <= before.until and by not in {"", before.by} else None

    def _close(self, key: tuple[int, int]) -> None:
        if self._open.pop(key, None):
            self._people[key[0]].discard(key[1])
            if not self._people[key[0]]:
                del self._people[key[0]]

    def follows(self, table_id: int, user_id: int) -> bool:
        """Whether this person has an open hand of this table that is still kept up to date."""
        hand = self._open.get((table_id, user_id))
        return hand is not None and self._monotonic() <= hand.until

    def changed(self, changed: Changed) -> None:
        """Schedule a look at all hands of a table. All are redrawn if its clock changed, or if the game is over."""
        table, clock = changed.table, clock_of(changed.table)
        for key in [(table.id, person) for person in self._people.get(table.id, ())]:
            if self._open[key].clock != clock or not table.is_open:
                self._open[key] = replace(self._open[key], seen=NEVER, clock=clock)
            self._schedule(table.id)

    def _schedule(self, table_id: int) -> None:
        self._scheduled[table_id] = None
        self._is_idle.clear()
        self._wake.set()

    async def idle(self) -> None:
        """Wait until every open hand is up to date."""
        await self._is_idle.wait()

    async def finish(self) -> None:
        """Bring all hands up to date a last time. No table changes any more, so hands opened from now on stay right."""
        self._is_ending = True
        await self.idle()

    async def run(self) -> None:
        """Redraw the hands of changed tables until cancelled, with one task for each table."""
        try:
            while True:
                for table_id in [each for each in self._scheduled if each not in self._working]:
                    del self._scheduled[table_id]
                    self._working[table_id] = asyncio.create_task(self._work(table_id))
                self._wake.clear()
                if not self._working:
                    self._is_idle.set()
                await self._wake.wait()
        finally:
            for task in list(self._working.values()):
                task.cancel()
            await asyncio.gather(*self._working.values(), return_exceptions=True)

    async def _work(self, table_id: int) -> None:
        try:
            await asyncio.sleep(self._gap / 2)  # the person who clicked gets their hand by the answer
            if table_id in self._people:
                await asyncio.gather(*(self._follow(table_id, person) for person in self._people[table_id]))
                await asyncio.sleep(self._gap / 2)
        finally:
            del self._working[table_id]
            self._wake.set()

    async def _due(self, table_id: int, user_id: int, seen: int) -> Shown | None:
        """What a message drawn at revision `seen` should show now; None if it is up to date, or has to wait."""
        try:
            return await self._tables.play.hand_since(table_id, user_id, seen)
        except Declined as declined:
            there_is_none = {Decline.NOT_SEATED, Decline.REMOVED, Decline.UNKNOWN_TABLE}
            return declined.why if declined.why in there_is_none else None

    async def _follow(self, table_id: int, user_id: int) -> None:
        """Redraw an open hand if there is anything new to see."""
        key = (table_id, user_id)
        hand = self._open.get(key)
        if hand is None or self._monotonic() > hand.until:
            self._close(key)
            return
        seen, by = None, hand.by
        try:
            shown = await self._due(table_id, user_id, hand.seen)
            if shown is None:
                return
            by = await hand.redraw(shown)
            if by is not None and not isinstance(shown, Decline):
                seen = (shown.snapshot if isinstance(shown, HandSnapshot) else shown).table.revision
        except Exception as error:  # noqa: BLE001 - one hand must not stop the others; "My hand" opens it anew
            _log.warning("a hand could not be drawn", table=table_id, error=words_of(error))
        now = self._open.get(key)
        if now is hand:
            if seen is None or by is None:
                self._close(key)
            else:
                self._open[key] = replace(hand, seen=seen, by=by)
        elif now is not None:  # changed meanwhile, or clicked: unclear which message Discord got last
            self._open[key] = replace(now, seen=NEVER, by=by if by and now.redraw is hand.redraw else now.by)
            self._schedule(table_id)
