"""Who may change what: a second opinion, written from the documented rules and not from the code under test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from data.models import Table
from tables.match import is_between_games
from tables.snapshots import TableSnapshot

HOSTS: Final = frozenset(
    "start alone computer nocomputer kick variant pace match seats hints set chip unhouse houseread".split()  # noqa: SIM905 - a list of words
)
MOVES: Final = frozenset(
    "play flip pickup chance swap choose lay tribute interrupt follow ready call clear select chosen".split()  # noqa: SIM905
)
AT_ANY_TIME: Final = frozenset({"best", "cutin"})
"""Verbs that mean what is possible now, whatever the revision of their button."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One interaction, as far as rights are concerned."""

    user: int
    guild: int
    channel: int
    moderator: bool
    verb: str
    table: int
    revision: int


def may_change(asked: Asked, snapshot: TableSnapshot) -> bool:
    """Whether an interaction may change a table, which was as in `snapshot` before."""
    table = snapshot.table
    if asked.verb == "forget":
        return not table.is_open and any(player.user_id == asked.user for player in table.players)
    if (asked.table, asked.guild, asked.channel) != (table.id, table.guild_id, table.channel_id):
        return False
    seated = table.seat_of(asked.user) is not None
    match table.status:
        case "lobby":
            return _in_lobby(asked, table, seated=seated)
        case "playing":
            return _in_game(asked, snapshot, seated=seated)
        case "over" | "stopped":
            of_match = table.match is not None
            if asked.verb == "return":
                return of_match and _has_left(asked, table)
            if asked.verb == "rematch":
                return seated or (_has_left(asked, table) and not is_between_games(table))
            return seated and asked.verb == "leave" and of_match
        case _:
            return False


def _in_lobby(asked: Asked, table: Table, *, seated: bool) -> bool:
    if asked.verb in {"join", "rematch"}:
        return not seated and sum(not player.left for player in table.players) < table.seats
    if asked.verb == "sayno":
        return any(each.user_id == asked.user and (each.has_not_answered or not each.left) for each in table.players)
    if asked.verb in {"leave", "leaving"}:
        return seated
    if asked.verb == "stop":
        return asked.moderator or (seated and asked.user == table.host_id)
    return asked.verb in HOSTS and seated and asked.user == table.host_id


def _has_left(asked: Asked, table: Table) -> bool:
    return any(player.left and player.user_id == asked.user for player in table.players)


def _in_game(asked: Asked, snapshot: TableSnapshot, *, seated: bool) -> bool:
    if asked.verb in {"stop", "stopping"}:
        return asked.moderator or seated
    if asked.verb == "unvote":
        return any(player.wants_stop and player.user_id == asked.user for player in snapshot.table.players)
    if asked.verb == "return":
        return not seated and _has_left(asked, snapshot.table)
    if asked.verb in MOVES and snapshot.view is not None and snapshot.view.phase not in {"exchange", "call"}:
        return seated and asked.revision <= snapshot.table.revision
    return seated and asked.verb in MOVES | AT_ANY_TIME | {"leave", "playfor"}
