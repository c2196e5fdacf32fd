"""Posts, edits and reposts the public message of a table, and its reminders. The painter decides when."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from bot.port import (
    BannedError,
    BlockedError,
    ChannelGoneError,
    ForbiddenError,
    MessageGoneError,
    OverloadedError,
    Port,
    PortError,
    TooOldError,
    insist,
)
from cogs.picture_messages import PublicScreens
from cogs.responder import EDITABLE_FOR, Prepared, Sleep
from data.models import Placement, Table, call_by, held_by, is_posted, message_in_place
from tables.services import Tables, TableSnapshot

OLD: Final = timedelta(minutes=55)
"""A message of this age is replaced by a new one: Discord allows few edits of messages older than an hour."""
_OPEN_FOR: Final = timedelta(seconds=EDITABLE_FOR)
MOST_DELETIONS: Final = 10
"""How often the deletion of a message is tried while Discord fails."""
_LATEST_SECOND: Final = 1 << 40
"""Larger than any Unix time in seconds, smaller than any id of Discord's."""
_log = structlog.get_logger(__name__)


class PublicMessage:
    """Brings the message of a table up to date."""

    def __init__(
        self,
        tables: Tables,
        drawing: PublicScreens,
        port: Port,
        open_thread: Callable[[Table], Awaitable[object]],
        *,
        now: Callable[[], datetime],
        sleep: Sleep = asyncio.sleep,
        follows: Callable[[int, int], bool] = lambda _table_id, _user_id: True,
    ) -> None:
        """`open_thread` opens the thread that a table waits for, or forgets the table.

        `follows` says whether a person's open hand at a table is redrawn when the game goes on.
        """
        self._tables, self._drawing, self._port = tables, drawing, port
        self._open_thread, self._follows = open_thread, follows
        self._now, self._sleep = now, sleep
        self._started_at = now()
        self._reminded = dict[int, tuple[list[int], datetime | None]]()  # table → whom its reminder names, and when due
        self._undeleted = Counter[tuple[int, int]]()  # messages by channel → how often Discord failed to delete them
        self._shown: dict[int, tuple[int, int]] = {}  # table → its message with a picture, and what the picture shows

    async def put(self, snapshot: TableSnapshot, *, bottom: bool) -> bool:
        """Bring the public message of a table up to date; `bottom` posts a new one.

        The first message of a table, and of each game of a match (moves may come before it), replaces those in its
        channel that only tell of closed tables. Returns whether a later call will delete more (a restart forgets it).
        `PortError` if Discord refuses, or was overloaded `TRIES` times.
        """
        table = snapshot.table
        if table.lacks_thread:
            await self._open_thread(table)  # the table is then drawn in it
            return False
        undeleted = self._undeleted_in(table.channel_id)  # by earlier calls; what this one leaves is for later ones
        if not (table.message_id or table.started_at or table.is_open):
            if table.message_id is not None:  # it may have been posted
                await self._delete(table.channel_id, await self._posted(snapshot, _nonce(table, 0)))
                await self._tables.timekeeping.place(table.id, message_id=None)
            return await self._delete_again(table.channel_id, undeleted)
        try:  # with other pauses for each table, so that they do not all retry at once
            await insist(partial(self._put, snapshot, bottom=bottom), self._sleep, 1 + table.id % 97 / 97)
        except ChannelGoneError:
            if table.parent_id is not None and not table.is_open:  # a thread has the id of the message that opened it
                await self._delete(table.parent_id, table.channel_id)
            raise
        if not table.message_id or (table.standings and table.is_open and snapshot.moves <= len(table.players)):
            for closed_id, posting in (await self._tables.timekeeping.undealt_messages(table)).items():
                await self._delete(table.channel_id, message_in_place(posting))
                await self._tables.timekeeping.place(closed_id, message_id=None)
        return await self._delete_again(table.channel_id, undeleted)

    async def _delete_again(self, channel_id: int, message_ids: Sequence[int]) -> bool:
        """Try once more to delete messages; return whether any are left in the channel."""
        for message_id in message_ids:
            await self._delete(channel_id, message_id)
        return bool(self._undeleted_in(channel_id))

    async def _posted(self, snapshot: TableSnapshot, nonce: str) -> int:
        """The id of a message of which Discord said nothing: posting any text with the same nonce returns it."""
        return await self._port.send(snapshot.table.channel_id, self._drawing.table(snapshot), nonce=nonce, silent=True)

    def _undeleted_in(self, channel_id: int) -> list[int]:
        return [message_id for channel, message_id in self._undeleted if channel == channel_id]

    def _is_unfollowed(self, snapshot: TableSnapshot) -> bool:
        """Whether the game is older than this process, and somebody on turn has not opened their hand since.

        False once hands from before the restart could not be open any more anyway.
        """
        started = snapshot.table.started_at
        if started is None or started >= self._started_at or self._now() > self._started_at + _OPEN_FOR:
            return False
        return not all(self._follows(snapshot.table.id, person) for person in _awaited(snapshot))

    async def _put(self, snapshot: TableSnapshot, *, bottom: bool) -> None:
        snapshot = replace(snapshot, unfollowed=self._is_unfollowed(snapshot))
        table = snapshot.table
        bottom = bottom or (table.placed_at is not None and table.is_open and self._now() - table.placed_at > OLD)
        # Forgotten until that message is up to date again: after a failure, nobody knows what it shows.
        shown_in, shown = self._shown.pop(table.id, (None, None))
        reminded = self._reminded.pop(table.id, None)
        has_picture = not bottom and shown_in == table.message_id  # a new message has none yet
        drawn = await self._drawing.pictured(snapshot, shown if has_picture else None)
        try:
            message_id = await self._edit_or_post(table, drawn, bottom=bottom)
        except PortError as error:
            if not drawn.is_pictured or type(error) not in {PortError, ForbiddenError}:
                raise
            # If Discord accepts no file here, the text says the same.
            drawn = self._drawing.table(snapshot)
            message_id = await self._edit_or_post(table, drawn, bottom=bottom)
            _log.info("a table is shown without its picture", table=table.id, why=str(error))
        if drawn.shows is not None and table.is_open:
            self._shown[table.id] = message_id, drawn.shows
        try:
            await self._call(snapshot)
            await self._remind(snapshot, reminded)
        except (BlockedError, ForbiddenError) as error:  # the table itself is up to date
            _log.info("people are not mentioned", table=table.id, why=str(error))

    async def _edit_or_post(self, table: Table, drawn: Prepared, *, bottom: bool) -> int:
        """Edit the message of a table, or post a new one; returns its id."""
        if bottom or not is_posted(table.message_id):
            return await self._post(table, drawn)
        try:
            await self._port.edit(table.channel_id, table.message_id, drawn)
        except MessageGoneError:  # an end stays deleted, though its debt is settled later
            if table.ended_at is None or self._now() - table.ended_at < OLD:
                raise
        return table.message_id

    async def _post(self, table: Table, drawn: Prepared) -> int:
        """Post a message and delete the previous one. The intent is stored first, in case the process dies.

        A message that was sent but not stored may be found again by its nonce: outdated, so it is edited then.
        """
        old_id = message_in_place(table.message_id)
        stored = (await self._tables.snapshot(table.id)).table.message_id  # `table` may precede an earlier attempt
        if is_posted(stored) and stored != old_id:  # which posted it, and failed later
            await self._port.edit(table.channel_id, stored, drawn)
            return stored
        may_be_there = stored == held_by(old_id)
        await self._tables.timekeeping.place(table.id, message_id=held_by(old_id))
        is_moved = old_id != 0 and table.is_open  # no news, and in a slow game there are many
        try:
            message_id = await self._port.send(table.channel_id, drawn, nonce=_nonce(table, old_id), silent=is_moved)
        except PortError as error:
            if not (old_id or may_be_there or isinstance(error, OverloadedError | BannedError)):  # nothing can be there
                await self._tables.timekeeping.place(table.id, message_id=None)
            raise
        if old_id:
            await self._delete(table.channel_id, old_id)
        await self._tables.timekeeping.place(table.id, message_id=message_id)
        if may_be_there:
            await self._port.edit(table.channel_id, message_id, drawn)
        return message_id

    async def _delete(self, channel_id: int, message_id: int) -> None:
        tries = self._undeleted.pop((channel_id, message_id), 0) + 1
        try:
            await self._port.delete(channel_id, message_id)
        except (MessageGoneError, ChannelGoneError):
            return
        except PortError as error:
            if tries < MOST_DELETIONS and not isinstance(error, ForbiddenError):
                self._undeleted[channel_id, message_id] = tries
            else:
                _log.info("an old message stays", why=str(error))

    async def _call(self, snapshot: TableSnapshot) -> None:
        """Tell people who asked for it that cards are dealt: one message per game, deleted when they are ready."""
        table, view = snapshot.table, snapshot.view
        if table.call_id is None:
            return
        is_deal_new = snapshot.moves == 0 or (view is not None and view.phase == "exchange")
        people = await self._people_to_call(snapshot) if is_deal_new else []
        nonce, message_id = f"{table.id}c{table.game}", None
        if is_posted(table.call_id):
            if people:
                return
            await self._delete(table.channel_id, table.call_id)
        elif people:
            await self._tables.timekeeping.place(table.id, call_id=_sent_call(table.call_id))
            message_id = await self._ping(table, self._drawing.call(snapshot, people), people, nonce, {"call_id": None})
        elif table.call_id == _sent_call(table.call_id):  # it may have been posted
            await self._delete(table.channel_id, await self._posted(snapshot, nonce))
        await self._tables.timekeeping.place(table.id, call_id=message_id)

    async def _people_to_call(self, snapshot: TableSnapshot) -> list[int]:
        """The people who want to be told of a deal and are not ready, except the one who asked for this deal."""
        table = snapshot.table
        unsent = [(call_by(seat), player.user_id) for seat, player in enumerate(table.players)]
        dealt_by = [person for call, person in unsent if table.call_id in {call, _sent_call(call)}]
        others = [person for person in _awaited(snapshot) if person not in dealt_by]
        return [person for person in others if (await self._tables.people.preferences(table.guild_id, person)).called]

    async def _remind(self, snapshot: TableSnapshot, named: tuple[list[int], datetime | None] | None) -> None:
        """Keep one reminder while a turn is due, and none otherwise."""
        table, people = snapshot.table, await self._people_to_remind(snapshot)
        if not people:
            if table.nudge_id is not None:
                await self._delete_reminder(snapshot, table.nudge_id)
            return
        drawn = self._drawing.nudge(snapshot, people)
        if not is_posted(table.nudge_id):
            await self._post_reminder(table, drawn, people)
        elif table.overdue or table.warned or named != (people, table.deadline):  # who is ready is not named any more
            # If somebody deleted it, it stays noted: another one would notify people again.
            with suppress(MessageGoneError, TooOldError):
                await self._port.edit(table.channel_id, table.nudge_id, drawn)
        self._reminded[table.id] = people, table.deadline

    async def _post_reminder(self, table: Table, drawn: Prepared, people: Sequence[int]) -> None:
        """Post a reminder exactly once, even if the process dies meanwhile: the intent is stored first."""
        place = self._tables.timekeeping.place
        placeholder = table.nudge_id or _reminder_since(table.turn_since or table.created_at)
        if replaced := _replaced_reminder(placeholder):
            await self._delete(table.channel_id, replaced)
            placeholder = _reminder_since(table.deadline or table.created_at)
        await place(table.id, nudge_id=placeholder)
        nonce = _reminder_nonce(table, placeholder)
        await place(table.id, nudge_id=await self._ping(table, drawn, people, nonce, {"nudge_id": None}))

    async def _ping(self, table: Table, drawn: Prepared, people: Sequence[int], nonce: str, without: Placement) -> int:
        """Post a message that mentions people; returns its id. If Discord refuses, none is noted (`without`)."""
        try:
            return await self._port.send(table.channel_id, drawn, pings=people, nonce=nonce)
        except PortError as error:
            if not isinstance(error, OverloadedError | BannedError):  # else it may have been posted
                await self._tables.timekeeping.place(table.id, **without)
            raise

    async def _delete_reminder(self, snapshot: TableSnapshot, posting: int) -> None:
        """Delete a reminder, also one whose id was not stored."""
        table = snapshot.table
        message_id = _replaced_reminder(posting) or posting  # what was to replace it was not posted yet
        if not is_posted(message_id):
            message_id = await self._posted(snapshot, _reminder_nonce(table, message_id))
        await self._delete(table.channel_id, message_id)
        await self._tables.timekeeping.place(table.id, nudge_id=None)

    async def _people_to_remind(self, snapshot: TableSnapshot) -> list[int]:
        """The people to remind now; nobody if no other person is at the table."""
        table = snapshot.table
        if not table.nudged or len(table.people) <= 1:
            return []
        service = self._tables.people
        people = [each for each in _awaited(snapshot) if not (await service.preferences(table.guild_id, each)).quiet]
        if table.pace != "slow" or table.warned:
            return people
        return [each for each in people if not await service.gets_digest_instead(table.guild_id, each)]


def _nonce(table: Table, old_id: int) -> str:
    """The nonce of a new message, unique within a table for as long as Discord remembers nonces."""
    if old_id:  # it replaces this message
        return f"{table.id}r{old_id % 100_000}"
    if table.placed_at:  # it replaces one that was deleted
        return f"{table.id}p{int(table.placed_at.timestamp()) % 100_000}"
    return str(table.id)


def _sent_call(placeholder: int) -> int:
    """The placeholder for a call that may have been posted; given any placeholder, it keeps the seat of `call_by`."""
    return placeholder % -100 - 100  # more than there are seats


def _reminder_since(at: datetime) -> int:
    """The placeholder for a reminder that may have been posted; a second of its turn tells it from all others."""
    return -int(at.timestamp())


def _replaced_reminder(posting: int) -> int | None:
    """The reminder that `held_by` names; None for `_reminder_since`: Discord's ids are larger than times in seconds."""
    return -posting if posting < -_LATEST_SECOND else None


def _reminder_nonce(table: Table, placeholder: int) -> str:
    return f"{table.id}n{-placeholder % 100_000}"


def _awaited(snapshot: TableSnapshot) -> list[int]:
    """The people for whom the table waits, except those who have left or are away."""
    players = [snapshot.table.players[seat] for seat in snapshot.awaited]
    return [each.user_id for each in players if each.user_id is not None and not each.left and not each.away]
