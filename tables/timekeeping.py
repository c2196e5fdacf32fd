"""The service for the clock and the painter: computer moves, expired deadlines, where messages are.

A method that changes a table has the doorway call a pure function below the class, mostly named like the method:
`decide_pause` decides what `pause` does. It takes the table and returns a transition, or None if nothing is to be done.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import Final

import structlog

from data.errors import UnavailableError
from data.models import Table
from game.moves import Move, Timeout
from tables.doorway import Decide, Doorway
from tables.gameplay import abandoned, aborted, carried_out, computer_move, make_move, reminded, with_full_time
from tables.loaded import Changed, LoadedTable, Transition
from tables.lobby_changes import next_revision
from tables.rematch import decide_time_to_answer_up
from tables.snapshots import declines, declining
from tables.thinking import Question, Thinking
from tables.timing import PAUSED, grace, kept_for, next_check, nudge_at, warn_at

SEEDS: Final = 2**32
_log = structlog.get_logger(__name__)


@declining
class Timekeeping:
    """Changes to tables as time passes, and records of where they are drawn, and up to which revision.

    All methods raise `Declined` with UNKNOWN_TABLE and SAVING_FAILED.
    """

    def __init__(self, doorway: Doorway, randomness: Random, thinking: Thinking | None) -> None:
        self._doorway, self._serves = doorway, doorway.serves
        self._randomness, self._thinking = randomness, thinking
        self._tried: dict[int, dict[datetime | None, timedelta]] = {}  # table → deadline → how much longer that made it
        self.undealt_messages = declines(doorway.store.tables.undealt_messages)
        self.place = declines(doorway.place)

    # -- the clock

    async def open_tables(self) -> tuple[int, ...]:
        """The ids of all tables in use that this process serves."""
        return self._ours(await self._doorway.store.tables.open_ids())

    async def resting(self, least: timedelta) -> list[Changed]:
        """Lobbies, and games in which only people play, whose deadline is at least `least` away, as `Changed`.

        They are not loaded: of each table only the fields of its clock are filled in. Empty if one cannot be read, so
        that each of them is loaded, and the others do not suffer from it.
        """
        try:
            resting = await self._doorway.store.tables.resting(self._doorway.now() + least)
            ours = [(table, nudge) for table, nudge in resting if self._serves(table.guild_id)]
            return [Changed(table, None, next_check(table, nudge), news=False) for table, nudge in ours]
        except (KeyError, TypeError, ValueError) as error:
            _log.error("the clock of a stored table cannot be read", error=type(error).__name__)
            return []

    def _ours(self, found: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
        """The ids of those tables, given as (server, table), whose servers this process serves."""
        mine = [(guild_id, table_id) for guild_id, table_id in found if self._serves(guild_id)]
        for guild_id, table_id in mine:
            self._doorway.learn(guild_id, table_id)
        return tuple(table_id for _, table_id in mine)

    async def wake(self, table_id: int, *, least: timedelta) -> None:
        """Publish a table after a restart, moving its deadline so that it is at least `least` away."""
        if not await self._change(table_id, lambda loaded, now: decide_wake(loaded, least, now)):
            self._doorway.publish(await self._doorway.get(table_id), news=False)

    async def extend_deadline(self, table_id: int, by: timedelta, until: datetime) -> None:
        """Extend a deadline `by` all it is owed for what lasted until this time. What a failed try stored counts."""

        def decide(loaded: LoadedTable, now: datetime) -> Transition | None:
            tried = self._tried.setdefault(table_id, {})
            missing = by - tried.get(loaded.table.deadline, timedelta())
            if extended := decide_extend_deadline(loaded, missing, until, now):
                tried[extended.after.table.deadline] = by
            return extended

        await self._change(table_id, decide)
        self._tried.pop(table_id, None)

    async def computer_turn(self, table_id: int) -> bool:
        """Make one move for a computer, or a player who has left or is away; False if no such move is due."""
        question = _question_of(await self._doorway.get(table_id))
        if question is None or self._thinking is None:
            return await self._change(table_id, lambda loaded, now: decide_computer_turn(loaded, now, self._randomness))
        # The table is not locked meanwhile, so nobody's click waits for a computer.
        move = await self._thinking.choose(question, self._randomness.randrange(SEEDS))
        return await self._change(
            table_id, lambda loaded, now: decide_chosen_move(loaded, question, move, now, self._randomness)
        )

    async def time_up(self, table_id: int) -> None:
        """Act on an expired deadline, or send a reminder before it."""
        await self._change(table_id, lambda loaded, now: decide_time_up(loaded, now, self._randomness))

    async def pause(self, table_id: int, *, paused: bool) -> None:
        """Stop the clock of a table that cannot be shown, or restart it with a full turn."""
        await self._change(table_id, lambda loaded, now: decide_pause(loaded, now, paused=paused))

    async def _change(self, table_id: int, decide: Decide) -> bool:
        """Change a table; return whether anything changed."""
        return await self._doorway.change_table(table_id, decide) is not None

    # -- the painter

    async def undrawn_tables(self) -> tuple[int, ...]:
        """The ids of all tables that this process serves and whose public message is not up to date."""
        return self._ours(await self._doorway.store.tables.undrawn_ids())

    async def threaded(self, table_id: int, channel_id: int) -> Table:
        """Record the thread that was opened for a table, and have the table drawn there; return the changed table."""
        if (await self._doorway.get(table_id)).table.lacks_thread:  # else a command was delivered twice
            await self._doorway.place(table_id, channel_id=channel_id, message_id=None)
        loaded = await self._doorway.get(table_id)
        self._doorway.publish(loaded)
        return loaded.table

    async def remove_unopened(self, table: Table) -> None:
        """Delete a table for which no thread can be opened, as if it had never existed."""
        loaded = await self._doorway.get(table.id)
        try:
            await self._doorway.store.tables.remove(table)
        finally:  # also if nobody knows whether it was deleted: it is read again then
            await self._doorway.drop(table.id)
        self._doorway.publish(loaded.but(table=table.but(status="stopped", deadline=None)), news=False)

    async def mark_drawn(self, tables: list[Table]) -> None:
        """Record that the public messages show the tables at these revisions. If that fails, they are drawn again."""
        try:
            await self._doorway.store.tables.mark_drawn(tables)
        except UnavailableError as error:
            _log.warning("could not record what was drawn", tables=len(tables), error=str(error))
        except Exception:  # noqa: BLE001 - nobody waits for this, and the painter must go on
            _log.exception("could not record what was drawn", tables=len(tables))


# -- decisions


def _question_of(loaded: LoadedTable) -> Question | None:
    """The question to ask at a table now; None if no computer has a choice to think about."""
    due, memory = loaded.due(), loaded.memory
    if due is None or loaded.views is None or memory is None or memory.table.phase != "play":
        return None
    seat, _ = due
    view, level = loaded.views.seat(seat), loaded.table.players[seat].level
    has_choice = len(view.moves) > 1
    return Question(loaded.table.revision, level, view, memory) if level and has_choice else None


def decide_chosen_move(
    loaded: LoadedTable, question: Question, move: Move, now: datetime, randomness: Random
) -> Transition | None:
    """Make the move that a computer chose; None if the table has changed meanwhile."""
    if loaded.table.revision != question.revision or loaded.table.paused or loaded.due() is None:
        return None
    return make_move(loaded, question.view.seat, move, now, randomness)


def decide_computer_turn(loaded: LoadedTable, now: datetime, randomness: Random) -> Transition | None:
    """Make one quick move for a seat that is to move automatically."""
    due = loaded.due()
    return computer_move(loaded, due[0], now, randomness) if due else None


def decide_wake(loaded: LoadedTable, least: timedelta, now: datetime) -> Transition | None:
    """Extend a deadline that is less than `least` away; of a paused table, that after which it is ended."""
    table = loaded.table
    if table.paused:
        least -= PAUSED
    if not table.is_open or table.deadline is None:
        return None
    if _began(table, table.deadline) > now + grace(table):  # by a clock that was fast
        return decide_extend_deadline(loaded, timedelta(), now, now)
    if table.deadline >= now + least:
        return None
    return Transition(loaded.but(table=table.but(deadline=now + least, overdue=table.is_abandoned)))


def decide_extend_deadline(loaded: LoadedTable, by: timedelta, until: datetime, now: datetime) -> Transition | None:
    """Shift the beginning and the deadline of a turn that began before `until`; it begins at most `grace` from now."""
    table = loaded.table
    if not table.is_open or table.deadline is None:
        return None
    began = _began(table, table.deadline)
    has_full_time = until <= began <= now  # it began after the outage
    by = timedelta() if has_full_time else min(by, now - began + grace(table))
    since = table.turn_since + by if table.turn_since else None
    return Transition(loaded.but(table=table.but(deadline=table.deadline + by, turn_since=since)))


def _began(table: Table, deadline: datetime) -> datetime:
    """When the time began that ends with the deadline: a turn's, a lobby's, or that of a game without people."""
    return table.turn_since or deadline - kept_for(table)


def decide_pause(loaded: LoadedTable, now: datetime, *, paused: bool) -> Transition | None:
    """Stop the clock, or restart it: with a full turn, or with the full time until the table closes if nobody plays."""
    table = loaded.table
    if not table.is_open or table.paused == paused:
        return None
    if not paused:
        table = with_full_time(table, loaded.state, now) if loaded.table.present else abandoned(table, now)
    return Transition(loaded.but(table=table.but(paused=paused)))


def decide_time_up(loaded: LoadedTable, now: datetime, randomness: Random) -> Transition | None:
    """Act on an expired deadline: close a lobby, let others play, play, or end an abandoned game. Before it: remind."""
    table = loaded.table
    if not table.is_open or table.deadline is None:
        return None
    if table.paused:  # whoever was on turn had all that time to click
        players = tuple(who.but(away=not who.is_computer) for who in table.players)
        away = loaded.but(table=table.but(players=players))
        return aborted(away, now, randomness) if now >= table.deadline + PAUSED else None
    if now < table.deadline:
        return _reminder(loaded, now)
    if table.is_rematch_pending:
        return carried_out(decide_time_to_answer_up(loaded, now), now)
    if table.status == "lobby":
        return Transition(loaded.but(table=next_revision(table, now, status="expired", ended_at=now, deadline=None)))
    if not loaded.table.present or loaded.state is None:
        return aborted(loaded, now, randomness)
    return _overdue_turn(loaded, now, table.deadline, randomness)


def _reminder(loaded: LoadedTable, now: datetime) -> Transition | None:
    """Remind the players that the table waits for: once during their time, and again shortly before it is up."""
    table, seconds = loaded.table, loaded.settings.nudge_seconds
    first_at, last_at = nudge_at(table, seconds), warn_at(table, seconds)
    is_first_due = first_at is not None and first_at <= now
    is_last_due = last_at is not None and last_at <= now
    if not loaded.table.present or not (is_first_due or is_last_due):
        return None
    return Transition(loaded.but(table=reminded(table).but(warned=table.warned or is_last_due)))


def _overdue_turn(loaded: LoadedTable, now: datetime, deadline: datetime, randomness: Random) -> Transition | None:
    """Act on the expired deadline of a running game."""
    table = loaded.table
    if loaded.state is not None and loaded.state.frame.phase == "call":
        return make_move(loaded, None, Timeout(), now, randomness)
    if not table.overdue:
        is_unreminded = loaded.settings.nudge_seconds > 0 and not table.nudged
        late = reminded(table) if is_unreminded else table
        return Transition(loaded.but(table=late.but(warned=True, overdue=True)))
    if now < deadline + grace(table):
        return None
    seat = loaded.waiting()[0]
    marked_away = loaded.but(table=table.with_player(seat, away=not table.players[seat].is_computer))
    if marked_away.table.present:
        return computer_move(marked_away, seat, now, randomness)
    return Transition(loaded.but(table=abandoned(next_revision(marked_away.table, now), now)))
