"""How long things may take. Pure: durations by pace, and when a running clock acts.

For accessibility the host can stretch all times by 2 or 4, except those of new lobbies and of games nobody attends.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from data.models import Table, is_posted

LOBBY: Final = timedelta(minutes=15)
"""How long a lobby stays open without any change."""
LAST_REMINDER: Final = timedelta(hours=4)
"""How long before the end of a slow turn the last reminder comes; people with a digest get it, too."""
PAUSED: Final = timedelta(days=7)
"""How long after its deadline a paused table, which cannot be shown, is ended; else its names would stay for ever."""
REPOST: Final = timedelta(seconds=30)
"""How long the message of a table stays before somebody may have another one posted."""
_SECOND, _MINUTE, _HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)

# By pace; the functions below say what each is for.
_TURN: Final = {"quick": 45 * _SECOND, "normal": 3 * _MINUTE, "slow": 24 * _HOUR}
_EXCHANGE: Final = {"quick": 90 * _SECOND, "normal": 5 * _MINUTE, "slow": 24 * _HOUR}
_CALL: Final = {"quick": 20 * _SECOND, "normal": 45 * _SECOND, "slow": 12 * _HOUR}
_GRACE: Final = {"quick": 15 * _SECOND, "normal": _MINUTE, "slow": 6 * _HOUR}
_KEPT: Final = {"quick": 15 * _MINUTE, "normal": 15 * _MINUTE, "slow": 24 * _HOUR}
_ANSWER: Final = {"quick": 30 * _SECOND, "normal": _MINUTE, "slow": 15 * _MINUTE}


def time_for(table: Table, phase: str) -> timedelta:
    """How long a phase (during play: a turn) may take, a lobby stays open, or a rematch waits for answers."""
    if table.status == "lobby":
        return time_to_answer(table) if table.is_rematch_pending else LOBBY
    by_pace = {"exchange": _EXCHANGE, "call": _CALL}.get(phase, _TURN)
    return by_pace[table.pace] * table.stretch


def grace(table: Table) -> timedelta:
    """How long after its deadline a turn waits for others to have it played, before the clock plays it."""
    return _GRACE[table.pace] * table.stretch


def time_to_answer(table: Table) -> timedelta:
    """How long people have to answer before a rematch is dealt."""
    return _ANSWER[table.pace] * table.stretch


def has_enough_for_rematch(table: Table) -> bool:
    """Whether the game will be dealt when the time to answer is up.

    One person and computers are enough only if nobody else has yet to answer.
    """
    return table.rules.can_seat(len(table.seated)) and (len(table.people) > 1 or not table.unanswered)


def was_just_posted(table: Table, now: datetime) -> bool:
    """Whether the message of a table was posted less than `REPOST` ago, so another one would only be in the way."""
    return is_posted(table.message_id) and table.placed_at is not None and abs(now - table.placed_at) < REPOST


def kept_for(table: Table) -> timedelta:
    """How long a lobby stays open, or a game is kept after its last person has left or gone away."""
    return LOBBY if table.status == "lobby" else _KEPT[table.pace]


def nudge_at(table: Table, nudge_seconds: int) -> datetime | None:
    """When the player on turn is to be reminded; None if reminders are off, or after the reminder or the deadline.

    At the latest after two thirds of the time, so that the reminder leaves time to play.
    """
    if table.nudged or table.overdue or nudge_seconds <= 0 or table.is_rematch_pending:
        return None
    if table.turn_since is None or table.deadline is None:
        return None
    time = table.deadline - table.turn_since
    return table.turn_since + min(timedelta(seconds=nudge_seconds), time * 2 / 3)


def warn_at(table: Table, nudge_seconds: int) -> datetime | None:
    """When the last reminder of a slow turn is due; None in other games, if reminders are off, or if it was sent."""
    if nudge_seconds <= 0:
        return None
    if table.pace != "slow" or table.status != "playing" or table.warned or table.overdue or table.deadline is None:
        return None
    return table.deadline - LAST_REMINDER


def next_check(table: Table, nudge_seconds: int) -> datetime | None:
    """When the clock must look at a table again; None if there is nothing to wait for."""
    if not table.is_open or table.deadline is None:
        return None
    if table.paused:
        return table.deadline + PAUSED
    if table.status == "lobby":
        return table.deadline
    is_waiting_for_others = table.overdue and not table.is_abandoned
    time_up = table.deadline + grace(table) if is_waiting_for_others else table.deadline
    moments = (time_up, nudge_at(table, nudge_seconds), warn_at(table, nudge_seconds))
    return min(moment for moment in moments if moment is not None)
