"""What the clock and the painter ask of the doorway: computer moves, time that is up, where messages are."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import structlog

from data.errors import UnavailableError
from data.models import Change, Table
from game.moves import Timeout
from tables.asking import asking
from tables.games import Games
from tables.loaded import LoadedTable, Transition
from tables.lobby import following
from tables.progress import make_move
from tables.servers import Servers
from tables.timing import LOBBY, grace, idle, nudge_at, time_for

_log = structlog.get_logger(__name__)


class Timekeeping(Games, Servers):
    """Tables as time passes."""

    async def open_tables(self) -> tuple[int, ...]:
        """The ids of all tables in use.

        Raises:
            Declined: the store does not answer.
        """
        return tuple(table_id for _, table_id in await self._open_ids())

    async def undrawn_tables(self) -> tuple[int, ...]:
        """The ids of all tables whose public message is not up to date.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            found = await self._store.tables.undrawn_ids()
        return tuple(table_id for _, table_id in self._ours(found))

    async def wake(self, table_id: int, *, least: timedelta | None = None) -> None:
        """Publish a table as it is; with `least` its deadline is that far away at least (after a restart, an outage).

        Raises:
            Declined: there is no such table.
        """

        def decide(loaded: LoadedTable) -> Transition | None:
            now, table = self._now(), loaded.table
            if least is None or not table.is_open or table.deadline is None or table.deadline >= now + least:
                return None
            return self._noted(loaded, now, deadline=now + least, overdue=False)

        before = await self._get(table_id)
        loaded = await self._change(table_id, None, decide)
        if loaded is before:
            self._publish(loaded)

    async def put_off(self, table_id: int, by: timedelta) -> None:
        """Put the deadline of a table off, because nobody could click for so long or the clock was set.

        Raises:
            Declined: there is no such table, or saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition | None:
            table = loaded.table
            if not table.is_open or table.deadline is None:
                return None
            since = table.turn_since + by if table.turn_since else None
            return self._noted(loaded, self._now(), deadline=table.deadline + by, turn_since=since)

        await self._change(table_id, None, decide)

    async def computer_turn(self, table_id: int) -> bool:
        """Make one move of a computer, or of a player who has left or is away; False where none is to be made.

        Raises:
            Declined: there is no such table, or saving failed.
        """
        moved = False

        def decide(loaded: LoadedTable) -> Transition | None:
            nonlocal moved
            due = loaded.due()
            moved = due is not None
            return self._played(loaded, due[0], self._now()) if due else None

        await self._change(table_id, None, decide)
        return moved

    async def time_up(self, table_id: int) -> None:
        """Do what time demands by now: close a lobby, remind, allow others to play, play, end an abandoned game.

        Raises:
            Declined: there is no such table, or saving failed.
        """
        guild_id = (await self._get(table_id)).table.guild_id
        nudge_seconds = (await self.settings(guild_id)).nudge_seconds
        await self._change(table_id, None, lambda loaded: self._demanded(loaded, nudge_seconds))

    def _demanded(self, loaded: LoadedTable, nudge_seconds: int) -> Transition | None:
        table, now = loaded.table, self._now()
        if not table.is_open or table.paused or table.deadline is None:
            return None
        nudge = nudge_at(table, nudge_seconds)
        if now < table.deadline:
            return self._noted(loaded, now, nudged=True) if nudge and nudge <= now and loaded.is_attended() else None
        if table.status == "lobby":
            after = following(table, now, status="expired", ended_at=now, deadline=None)
            return Transition(replace(loaded, table=after), Change(before=table, after=after, at=now))
        if not loaded.is_attended() or loaded.state is None:
            return self._aborting(loaded)
        return self._late(loaded)

    def _late(self, loaded: LoadedTable) -> Transition | None:
        """The deadline of a running game has passed."""
        table, now = loaded.table, self._now()
        if loaded.state is not None and loaded.state.frame.phase == "call":
            return make_move(loaded, None, Timeout(), now, self._randomness)
        if table.deadline is None or not loaded.waiting():
            return None
        if not table.overdue:
            return self._noted(loaded, now, nudged=True, overdue=True)
        if now < table.deadline + grace(table):
            return None
        seat = loaded.waiting()[0]
        players = list(table.players)
        players[seat] = players[seat].model_copy(update={"away": not players[seat].is_computer})
        step = self._played(loaded, seat, now, players=tuple(players))
        return step if step.loaded.is_attended() or not step.loaded.table.is_open else _abandoned(step, now)

    async def placed(self, table_id: int, message_id: int | None, channel_id: int | None = None) -> None:
        """Note where the public message of a table is; None when it is gone.

        Raises:
            Declined: there is no such table, or saving failed.
        """
        columns: dict[str, Any] = {"message_id": message_id, "placed_at": self._now() if message_id else None}
        if channel_id is not None:
            columns["channel_id"] = channel_id
        await self._place(table_id, columns)

    async def nudge_placed(self, table_id: int, message_id: int | None) -> None:
        """Note which message reminds the player on turn; None when it is gone.

        Raises:
            Declined: there is no such table, or saving failed.
        """
        await self._place(table_id, {"nudge_id": message_id})

    async def _place(self, table_id: int, columns: dict[str, Any]) -> None:
        async with self._cache.lock(table_id):
            loaded = await self._cache.load(table_id)
            with asking():
                await self._store.tables.place(loaded.table, **columns)
            self._cache.keep(replace(loaded, table=loaded.table.model_copy(update=columns)))

    async def drawn(self, snapshot: list[Table]) -> None:
        """Note that the public messages of tables show them as they are here; what cannot be noted is drawn again."""
        try:
            await self._store.tables.mark_drawn(snapshot)
        except UnavailableError as error:
            _log.warning("could not note what was drawn", tables=len(snapshot), error=str(error))

    async def pause(self, table_id: int, *, paused: bool) -> None:
        """Stop the clock of a table that cannot be shown, or let it run again with a full turn.

        Raises:
            Declined: there is no such table, or saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition | None:
            table, now = loaded.table, self._now()
            if not table.is_open or table.paused == paused:
                return None
            changes: dict[str, Any] = {"paused": paused}
            if not paused:
                phase = loaded.state.frame.phase if loaded.state else ""
                time = LOBBY if table.status == "lobby" else time_for(table, phase)
                changes |= {"turn_since": now, "deadline": now + time, "nudged": False, "overdue": False}
            return self._noted(loaded, now, **changes)

        await self._change(table_id, None, decide)


def _abandoned(step: Transition, now: datetime) -> Transition:
    """The same step at a table where nobody is left who plays: it ends unless somebody comes back in time."""
    waiting = {"turn_since": None, "deadline": now + idle(step.loaded.table), "nudged": True, "overdue": True}
    table = step.loaded.table.model_copy(update=waiting)
    return Transition(replace(step.loaded, table=table), step.change.model_copy(update={"after": table}))
