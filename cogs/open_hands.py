"""Keeps the private hands that are open up to date. Owns which message shows whose hand, and for how long.

Discord lets a private message be edited for fifteen minutes after the click that drew it. Every click on it starts
them anew, so a hand follows the game as long as somebody plays from it; after that *My hand* opens another. What a hand
looks like and how it is sent is handed in with it; nothing here outlives the process.
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
"""Seconds for which a hand is followed: a minute less than Discord takes edits."""
GAP: Final = 1.0
"""Seconds from one look at a table's hands to the next."""
MOST: Final = 1_000
"""Hands that are followed at once; the one drawn longest ago is let go first."""

NEVER: Final = -1
"""A revision that no table ever had, so that any message is out of date."""

Shown: TypeAlias = HandSnapshot | TableSnapshot | Decline
"""What a private message shows: a hand, a table to those asked for a rematch or gone from a match, or why none."""
Redraw: TypeAlias = Callable[[Shown], Awaitable[str | None]]
"""Draws it; what interaction made the message that shows it, None when nothing more is to be drawn there."""
Remove: TypeAlias = Callable[[], Awaitable[None]]
"""Deletes the message of a hand."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Hand:
    """A message with a hand: its revision, its last moment, how to draw and to remove it, what interaction made it."""

    seen: int
    until: float
    redraw: Redraw
    remove: Remove
    by: str
    clock: int  # what it says of the time, by `clock_of`


class Hands:
    """The open hands, at most one for each person at a table."""

    def __init__(self, tables: Tables, *, gap: float = GAP, monotonic: Callable[[], float] = time.monotonic) -> None:
        """None is open yet."""
        self._tables, self._gap, self._monotonic = tables, gap, monotonic
        self._open: OrderedDict[tuple[int, int], Hand] = OrderedDict()
        self._people = defaultdict[int, set[int]](set)  # who has a hand of a table open
        self._wanted: dict[int, None] = {}
        self._working: dict[int, asyncio.Task[None]] = {}
        self._wake, self._quiet, self._is_ending = asyncio.Event(), asyncio.Event(), False
        self._quiet.set()

    def __len__(self) -> int:
        """How many hands are followed."""
        return len(self._open)

    def opened(
        self, table_id: int, user_id: int, seen: int, redraw: Redraw, remove: Remove, by: str, clock: int = 0
    ) -> Remove | None:
        """A message now shows somebody's hand as it was at revision `seen`; how another one is removed, if any."""
        key, now = (table_id, user_id), self._monotonic()
        before = self._open.get(key)
        self._open[key] = Hand(seen, now + LIFE, redraw, remove, by, clock)
        self._open.move_to_end(key)
        self._people[table_id].add(user_id)
        while len(self._open) > MOST or next(iter(self._open.values())).until < now:
            self._close(next(iter(self._open)))  # the one that was opened longest ago
        if not self._is_ending:
            self._want(table_id)  # something may have happened while the answer was on its way
        return before.remove if before and now <= before.until and by not in {"", before.by} else None

    def _close(self, key: tuple[int, int]) -> None:
        if self._open.pop(key, None):
            self._people[key[0]].discard(key[1])
            if not self._people[key[0]]:
                del self._people[key[0]]

    def follows(self, table_id: int, user_id: int) -> bool:
        """Whether somebody has a hand of this table open that is drawn anew when the game goes on."""
        hand = self._open.get((table_id, user_id))
        return hand is not None and self._monotonic() <= hand.until

    def changed(self, changed: Changed) -> None:
        """Have the hands of a table drawn anew: all of them if its clock changed, or after the game its tea."""
        table, clock = changed.table, clock_of(changed.table)
        for key in [(table.id, person) for person in self._people.get(table.id, ())]:
            if self._open[key].clock != clock or not table.is_open:
                self._open[key] = replace(self._open[key], seen=NEVER, clock=clock)
            self._want(table.id)

    def _want(self, table_id: int) -> None:
        self._wanted[table_id] = None
        self._quiet.clear()
        self._wake.set()

    async def idle(self) -> None:
        """Wait until every hand that is open shows what it should."""
        await self._quiet.wait()

    async def finish(self) -> None:
        """Draw what is not up to date once more. No table changes any more, so a hand that is opened now stays true."""
        self._is_ending = True
        await self.idle()

    async def run(self) -> None:
        """Follow the tables for ever, each at its own speed; cancel to stop."""
        try:
            while True:
                for table_id in [each for each in self._wanted if each not in self._working]:
                    del self._wanted[table_id]
                    self._working[table_id] = asyncio.create_task(self._work(table_id))
                self._wake.clear()
                if not self._working:
                    self._quiet.set()
                await self._wake.wait()
        finally:
            for task in list(self._working.values()):
                task.cancel()
            await asyncio.gather(*self._working.values(), return_exceptions=True)

    async def _work(self, table_id: int) -> None:
        try:
            await asyncio.sleep(self._gap / 2)  # after a click the answer brings the hand
            if table_id in self._people:
                await asyncio.gather(*(self._follow(table_id, person) for person in self._people[table_id]))
                await asyncio.sleep(self._gap / 2)
        finally:
            del self._working[table_id]
            self._wake.set()

    async def _news(self, table_id: int, user_id: int, seen: int) -> Shown | None:
        """What a message that was drawn at revision `seen` is to show now; None if it shows it, or must wait."""
        try:
            return await self._tables.play.hand_since(table_id, user_id, seen)
        except Declined as declined:
            there_is_none = {Decline.NOT_SEATED, Decline.REMOVED, Decline.UNKNOWN_TABLE}
            return declined.why if declined.why in there_is_none else None

    async def _follow(self, table_id: int, user_id: int) -> None:
        """Draw an open hand anew if there is anything new to see."""
        key = (table_id, user_id)
        hand = self._open.get(key)
        if hand is None or self._monotonic() > hand.until:
            self._close(key)
            return
        seen, by = None, hand.by
        try:
            shown = await self._news(table_id, user_id, hand.seen)
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
        elif now is not None:  # old again, or clicked, and which of two drawings arrived last is not known
            self._open[key] = replace(now, seen=NEVER, by=by if by and now.redraw is hand.redraw else now.by)
            self._want(table_id)
