"""Puts one table on Discord: posts, edits, posts anew, reminds.

Owns what to do with a message; when is the painter's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

import structlog

from bot.port import ForbiddenError, OverloadedError, Port, PortError, TooOldError
from data.guild_models import GuildSettings
from data.models import Table
from tables import Tables
from tables.doorway import real_now
from tables.snapshots import TableSnapshot

Draw: TypeAlias = Callable[[TableSnapshot, GuildSettings], Any]
DrawEnd: TypeAlias = Callable[[TableSnapshot, GuildSettings], Awaitable[Any]]
"""Draws the end of a game with its picture, or without where there is none."""
Nudge: TypeAlias = Callable[[TableSnapshot, GuildSettings, int], Any]
"""Draws the reminder for one person."""

OLD: Final = timedelta(minutes=55)
"""A message of this age is posted anew: Discord hardly edits messages that are older than an hour."""
TRIES: Final = 3
_log = structlog.get_logger(__name__)


class PublicMessage:
    """What is drawn is made by `draw`, the reminder by `nudge` (None: nobody is reminded).

    The end of a game is made by `portray` where that is given.
    """

    def __init__(
        self,
        tables: Tables,
        draw: Draw,
        port: Port,
        *,
        nudge: Nudge | None = None,
        end_picture: DrawEnd | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = real_now,
    ) -> None:
        """Draw nothing yet."""
        self._tables, self._draw, self._nudge, self._portray, self._port = tables, draw, nudge, end_picture, port
        self._sleep, self._now = sleep, now

    async def put(self, snapshot: TableSnapshot, settings: GuildSettings, *, bottom: bool) -> None:
        """Have the public message show a table; `bottom` posts it anew.

        Raises:
            PortError: it could not be done, where that helps after `TRIES` tries.
        """
        await self._with_patience(snapshot.table, lambda: self._put(snapshot, settings, bottom=bottom))

    async def _with_patience(self, table: Table, put: Callable[[], Awaitable[None]]) -> None:
        for attempt in range(1, TRIES + 1):
            try:
                return await put()
            except OverloadedError:
                if attempt == TRIES:
                    raise
                # Apart by table, so that not all of them come back at once.
                await self._sleep(2 ** (attempt - 1) * (1 + table.id % 97 / 97))
        return None

    async def _put(self, snapshot: TableSnapshot, settings: GuildSettings, *, bottom: bool) -> None:
        portrayed = (
            await self._portray(snapshot, settings) if self._portray and snapshot.table.status == "over" else None
        )
        try:
            await self._place(
                snapshot.table, self._draw(snapshot, settings) if portrayed is None else portrayed, bottom=bottom
            )
        except PortError as error:
            if portrayed is None or type(error) not in {PortError, ForbiddenError}:
                raise
            _log.info("the end goes without its picture", table=snapshot.table.id, kind=type(error).__name__)
            await self._place(snapshot.table, self._draw(snapshot, settings), bottom=bottom)
        if self._nudge:
            await self._remind(snapshot, settings, self._nudge)

    async def _place(self, table: Table, drawn: Any, *, bottom: bool) -> None:
        old = table.placed_at is not None and table.is_open and self._now() - table.placed_at > OLD
        if table.message_id is None:
            await self._post(table, drawn)
        elif bottom or old:
            await self._repost(table, drawn)
        else:
            try:
                await self._port.edit(table.channel_id, table.message_id, drawn)
            except TooOldError:
                await self._repost(table, drawn)

    async def _post(self, table: Table, drawn: Any) -> None:
        await self._tables.timekeeping.placed(table.id, await self._port.send(table.channel_id, drawn))

    async def _repost(self, table: Table, drawn: Any) -> None:
        await self._post(table, drawn)
        if table.message_id is not None:
            await self._deleted(table.channel_id, table.message_id)

    async def _deleted(self, channel_id: int, message_id: int) -> None:
        try:
            await self._port.delete(channel_id, message_id)
        except PortError as error:
            _log.info("an old message stays", kind=type(error).__name__)

    async def _remind(self, snapshot: TableSnapshot, settings: GuildSettings, nudge: Nudge) -> None:
        """One reminder while a turn waits; it goes when the turn is played."""
        table, person = snapshot.table, await self._reminded(snapshot)
        if person is None or not table.nudged:
            if table.nudge_id is not None:
                await self._deleted(table.channel_id, table.nudge_id)
                await self._tables.timekeeping.nudge_placed(table.id, None)
        elif table.nudge_id is None:
            message_id = await self._port.send(table.channel_id, nudge(snapshot, settings, person), ping=person)
            await self._tables.timekeeping.nudge_placed(table.id, message_id)
        elif table.overdue:
            await self._port.edit(table.channel_id, table.nudge_id, nudge(snapshot, settings, person))

    async def _reminded(self, snapshot: TableSnapshot) -> int | None:
        """The person whose turn it is, None where there is none to remind, or one who wants no reminders."""
        person = _awaited(snapshot)
        if person is None or not snapshot.table.nudged:
            return None
        return None if (await self._tables.people.preferences(snapshot.table.guild_id, person)).quiet else person


def _awaited(snapshot: TableSnapshot) -> int | None:
    """The person whose turn it is, None where there is none to remind."""
    table, view = snapshot.table, snapshot.view
    if table.status != "playing" or view is None or view.phase not in {"play", "clear", "tribute"}:
        return None
    seat = view.flush if view.phase == "clear" else view.turn
    if seat is None or table.turn_since is None:
        return None
    player = table.players[seat]
    return None if player.left or player.away else player.user_id
