"""Keeps open private hands up to date. Owns which message shows whose hand, and until when.

Discord lets a private message be edited for fifteen minutes after the click that it answers. Every click on it starts
them anew, so a hand follows the game as long as somebody plays from it; after that *My hand* opens another. A callback
says how a hand is drawn. Everything is kept in memory and lost at a restart.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import structlog

from cogs.responder import EDITABLE_FOR, UNREACHABLE, Prepared, Responder
from data.models import Table
from tables.services import Changed, Decline, Declined, HandSnapshot, Tables, TableSnapshot

GAP: Final = 1.0
"""Seconds between two redraws of a hand."""
HAND_PATIENCE: Final = 10.0
"""Seconds that a hand may take to be redrawn or deleted, including waits for rate limits; then it is given up."""
MOST_HANDS: Final = 1_000
"""The most hands kept up to date at once; the one opened longest ago is dropped first."""
NO_REVISION: Final = -1
"""Of a hand whose message may show anything: no table ever has this revision, so the hand is drawn again."""
ANY_CLICK: Final = 1 << 64
"""Larger than any id: in `HandMessage.gone`, whatever click was on that message came too late."""
Shown: TypeAlias = HandSnapshot | TableSnapshot | Declined
"""What a private message should show: a hand; the table, for somebody who is asked for a rematch, has left a match or
is the new host of a lobby; or why there is no hand."""
Draw: TypeAlias = Callable[[Shown], Awaitable[Prepared]]
"""Renders what a hand's message should show. Raises `Declined` if the store does not answer."""
_log = structlog.get_logger(__name__)


class HandMessage:
    """A private message with somebody's hand; `made_by` is the interaction that created it, 0 if unknown."""

    def __init__(self, responder: Responder, user_id: int, table: Table, draw: Draw, *, made_by: int) -> None:
        """A message that shows the hand as of `table`, and is edited through the interaction of `responder`."""
        self._responder, self.made_by, self._user_id, self._draw = responder, made_by, user_id, draw
        self.id = responder.id
        self.gone = dict[int, int]()  # `made_by` of a message that is gone → clicks with smaller ids were on that one
        self._game = table.game if table.status == "playing" else None  # the last one it has shown

    async def redraw(self, newest: Shown) -> bool:
        """Show the newest. False if the message should not be redrawn any more."""
        table = newest.snapshot.table if isinstance(newest, HandSnapshot) else None
        try:
            async with asyncio.timeout(HAND_PATIENCE):
                await self._show(await self._draw(newest), table)
        except (Declined, *UNREACHABLE):
            return False  # a message that cannot be reached is given up
        return table is None or table.seat_of(self._user_id) is not None  # who left keeps the result of their game

    async def _show(self, drawn: Prepared, table: Table | None) -> None:
        """Edit the message; for a new deal, move it below the public message if that was posted later."""
        table_below = 0
        if table is not None and table.status == "playing" and table.game != self._game:
            self._game, table_below = table.game, table.message_id or 0
        if (self.made_by or self.id) < table_below:  # ids grow with time
            self.gone[self.made_by] = ANY_CLICK
            self.gone[self.id] = await self._responder.bring_down(drawn)  # a click on the new one has a larger id
            self.made_by = self.id
        else:
            await self._responder.edit(drawn)

    async def delete(self) -> None:
        """Delete the message, if it can be reached."""
        with suppress(*UNREACHABLE):
            async with asyncio.timeout(HAND_PATIENCE):
                await self._responder.delete()


@dataclass(frozen=True, slots=True, repr=False)
class Hand:
    """A hand that `message` shows at revision `seen`, and its `table` as it is now; open until `until` (monotonic)."""

    seen: int
    until: float
    message: HandMessage
    table: Table


def _looks_different(then: Table, now: Table, user_id: int) -> bool:
    """Whether something but the game changed that a hand shows: who is there, seats, votes, the clock, a deadline."""

    def besides_game(table: Table) -> tuple[object, ...]:
        is_away = [who.away for who in table.players if who.user_id == user_id and not who.left]
        full = table.status == "lobby" and not table.free_seats(user_id)
        return is_away, full, table.stop_votes, table.paused, table.overdue and len(table.present), table.is_abandoned

    if now.status == "lobby" and now.seat_of(user_id) is not None:  # what they read stays, unless they must start
        return then.host_id != now.host_id == user_id
    is_delayed = then.revision == now.revision and then.deadline != now.deadline
    return is_delayed or besides_game(then) != besides_game(now)


class OpenHands:
    """The open hands, at most one for each person at a table."""

    def __init__(self, tables: Tables, *, gap: float = GAP, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Follow `tables`, waiting `gap` seconds between two redraws of the same hand."""
        self._tables, self._gap, self._monotonic = tables, gap, monotonic
        self._open: OrderedDict[tuple[int, int], Hand] = OrderedDict()
        self._people = defaultdict[int, set[int]](set)  # by table, the people with an open hand
        self._scheduled: dict[tuple[int, int], None] = {}
        self._working = set[tuple[int, int]]()
        self._wake, self._is_idle, self._is_ending = asyncio.Event(), asyncio.Event(), False
        self._is_idle.set()

    def opened(self, table: Table, user_id: int, message: HandMessage) -> HandMessage | None:
        """Register a message that shows a person's hand as of `table`; return the message to delete, if any."""
        key, now = (table.id, user_id), self._monotonic()
        before, seen = self._open.get(key), table.revision
        if before is not None:
            if message.made_by and message.id < before.message.gone.get(message.made_by, 0):
                return message  # it was replaced while a click on it was being answered
            message.gone |= list(before.message.gone.items())[-50:]  # clicks on older ones are no longer under way
            if before.seen == NO_REVISION or _looks_different(before.table, table, user_id):
                seen = NO_REVISION  # an older hand may have arrived after this one, or this one be out of date
        self._open[key] = Hand(seen, now + EDITABLE_FOR, message, table)
        self._open.move_to_end(key)  # so they are in the order in which their time runs out
        self._people[table.id].add(user_id)
        while len(self._open) > MOST_HANDS or next(iter(self._open.values())).until < now:
            self._close(next(iter(self._open)))
        if not self._is_ending and (before is None or before.table is not table or seen == NO_REVISION):
            self._schedule(key)  # something may have happened while the answer was sent
        if before is None or now > before.until or message.made_by in {0, before.message.made_by}:
            return None  # there is no older message, it cannot be deleted any more, or it is this one
        message.gone[before.message.made_by] = ANY_CLICK
        return before.message

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
        """Schedule a look at all hands of a table. At its end, or if anything besides the game changed, draw them."""
        table = changed.table
        for key in [(table.id, person) for person in self._people.get(table.id, ())]:
            hand = self._open[key]
            is_restyled = changed.reader in {key[1], "everybody"} and table.status == "playing"  # a lobby's page stays
            is_outdated = is_restyled or not table.is_open or _looks_different(hand.table, table, key[1])
            self._open[key] = replace(hand, seen=NO_REVISION if is_outdated else hand.seen, table=table)
            self._schedule(key)

    def _schedule(self, key: tuple[int, int]) -> None:
        self._scheduled[key] = None
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
        """Redraw the hands of changed tables until cancelled.

        Each person's hand has a task of its own, so nobody waits for another's; a hand that is opened waits for the
        redrawing of the same person's older one.
        """
        async with asyncio.TaskGroup() as tasks:
            while True:
                for key in [each for each in self._scheduled if each not in self._working]:
                    del self._scheduled[key]
                    self._working.add(key)
                    tasks.create_task(self._work(*key))
                self._wake.clear()
                if not self._working:
                    self._is_idle.set()
                await self._wake.wait()

    async def _work(self, table_id: int, user_id: int) -> None:
        try:
            await asyncio.sleep(self._gap / 2)  # the person who clicked gets their hand by the answer
            while not self._tables.is_serving():  # noqa: ASYNC110 - else another process may have drawn a newer one
                await asyncio.sleep(self._gap)
            await self._follow(table_id, user_id)
            await asyncio.sleep(self._gap / 2)
        finally:
            self._working.remove((table_id, user_id))
            self._wake.set()

    async def _due(self, table_id: int, user_id: int, seen: int) -> Shown | None:
        """What a message drawn at revision `seen` should show now; None if it is up to date, or has to wait."""
        try:
            return await self._tables.play.hand_since(table_id, user_id, seen)
        except Declined as declined:
            there_is_none = {Decline.NOT_SEATED, Decline.REMOVED, Decline.UNKNOWN_TABLE}
            return declined if declined.why in there_is_none else None

    async def _follow(self, table_id: int, user_id: int) -> None:
        """Redraw an open hand if there is anything new to see."""
        key = (table_id, user_id)
        hand = self._open.get(key)
        if hand is None or self._monotonic() > hand.until:
            self._close(key)
            return
        drawn = None  # the table as the message shows it; None if the message is given up
        try:
            newest = await self._due(table_id, user_id, hand.seen)
            if newest is None:
                return
            if await hand.message.redraw(newest) and not isinstance(newest, Declined):
                drawn = (newest.snapshot if isinstance(newest, HandSnapshot) else newest).table
        except Exception:  # noqa: BLE001 - one hand must not stop the others; "My hand" opens it anew
            _log.warning("a hand could not be drawn", table=table_id, exc_info=True)
        current = self._open.get(key)
        if current is None or (drawn is None and current.message is hand.message):
            self._close(key)
        elif drawn is not None and current is hand:
            self._open[key] = replace(hand, seen=drawn.revision, table=drawn)
        else:  # changed meanwhile, or clicked: unclear which message Discord got last
            self._open[key] = replace(current, seen=NO_REVISION)
            self._schedule(key)
