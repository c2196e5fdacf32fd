"""Everything that is stored of a person in a server, as plain data for a file: one list for each kind of row.

Cards of others, packs and secrets are not among it: they are no data of the person.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.schema import (
    feats,
    games,
    house_rules,
    moves,
    places,
    players,
    preferences,
    results,
    standings,
    tables,
    tea_creditors,
    tea_debts,
    tea_history,
)

Rows: TypeAlias = list[dict[str, Any]]
GuildFiles: TypeAlias = dict[str, Rows]

_HIDDEN: Final = frozenset(
    {"guild_id", "user_id", "debtor_id", "settled_by", "saved_by", "revision", "joiners", "clicked"}
)
"""Ids of servers and people, the others' and the person's own, and what is nobody's."""
_TABLE: Final = (
    *("id", "channel_id", "status", "variant", "game", "match"),
    *("created_at", "started_at", "ended_at", "forfeit"),
)


def tables_of(guild_id: int, user_id: int) -> sa.ColumnElement[bool]:
    """Whether a table of a server names somebody: as host, at a seat, or in the standings of a match."""
    hosted = sa.select(tables.c.id).filter_by(guild_id=guild_id, host_id=user_id)
    seated = sa.select(players.c.table_id).filter_by(guild_id=guild_id, user_id=user_id)
    ranked = sa.select(standings.c.table_id).filter_by(guild_id=guild_id, user_id=user_id)
    return (tables.c.guild_id == guild_id) & tables.c.id.in_(sa.union(hosted, seated, ranked))


async def files_of(connection: AsyncConnection, guild_id: int, user_id: int) -> GuildFiles:
    """What is stored of a person in a server. Part of the caller's transaction."""
    who = {"guild_id": guild_id, "user_id": user_id}
    saved = sa.select(house_rules).filter_by(guild_id=guild_id, saved_by=user_id)
    debts = sa.select(tea_debts).filter_by(guild_id=guild_id).order_by(tea_debts.c.id)
    owed = (tea_creditors.c.guild_id == tea_debts.c.guild_id) & (tea_creditors.c.debt_id == tea_debts.c.id)
    claims = sa.select(tea_debts, tea_creditors.c.forgives).join(tea_creditors, owed).order_by(tea_debts.c.id)
    claimed = (tea_creditors.c.guild_id == guild_id) & (tea_creditors.c.user_id == user_id)
    kinds = {
        "chosen": sa.select(preferences).filter_by(**who),
        "tables": _tables(guild_id, user_id),
        "moves": _moves(guild_id, user_id),
        "results": _results(guild_id, user_id),
        "owes": debts.where(tea_debts.c.debtor_id == user_id),
        "is_owed": claims.where(claimed),
        "settled": debts.where(tea_debts.c.settled_by == user_id),
        "house_rules": saved,
        "tea_history": sa.select(tea_history).filter_by(**who),
    }
    return {kind: await _rows(connection, select) for kind, select in kinds.items()}


async def _rows(connection: AsyncConnection, select: sa.Select[Any]) -> Rows:
    found = await connection.stream(select)
    return [_told(row) async for row in found.mappings() if _is_own(row)]


def _is_own(row: Mapping[Any, Any]) -> bool:
    """Of the moves at a table those are the person's whose seat was taken by the click that seated the person."""
    return "joiners" not in row or (row["seat"] is not None and row["joiners"][row["seat"]] == row["clicked"])


def _told(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in row.items() if name not in _HIDDEN}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _tables(guild_id: int, user_id: int) -> sa.Select[Any]:
    seated = (players.c.guild_id == tables.c.guild_id) & (players.c.table_id == tables.c.id)
    ranked = (standings.c.guild_id == tables.c.guild_id) & (standings.c.table_id == tables.c.id)
    joined = tables.outerjoin(players, seated & (players.c.user_id == user_id))
    joined = joined.outerjoin(standings, ranked & (standings.c.user_id == user_id))
    seat = (players.c[name] for name in ("seat", "name", "joined_by", "left", "away"))
    select = sa.select(
        *(tables.c[name] for name in _TABLE),
        (tables.c.host_id == user_id).label("host"),
        *seat,
        players.c.wants_stop.label("voted_to_stop"),
        standings.c.places.label("match_places"),
        standings.c.lost.label("match_lost"),
    )
    return select.select_from(joined).where(tables_of(guild_id, user_id)).order_by(tables.c.id)


def _moves(guild_id: int, user_id: int) -> sa.Select[Any]:
    game = sa.and_(*(games.c[name] == moves.c[name] for name in ("guild_id", "table_id", "game")))
    seated = (players.c.guild_id == moves.c.guild_id) & (players.c.table_id == moves.c.table_id)
    select = (
        sa.select(moves, games.c.joiners, players.c.joined_by.label("clicked")).join(games, game).join(players, seated)
    )
    select = select.where(players.c.guild_id == guild_id, players.c.user_id == user_id)
    return select.order_by(moves.c.table_id, moves.c.game, moves.c.n)


def _results(guild_id: int, user_id: int) -> sa.Select[Any]:
    same = [results.c[name] == places.c[name] for name in ("guild_id", "table_id", "game")]
    counted = [feats.c[name] == places.c[name] for name in ("guild_id", "table_id", "game", "place")]
    joined = places.join(results, sa.and_(*same)).outerjoin(feats, sa.and_(*counted))
    select = sa.select(results, places.c.place, feats.c.most_held, feats.c.turns).select_from(joined)
    mine = (places.c.guild_id == guild_id) & (places.c.user_id == user_id)
    return select.where(mine).order_by(results.c.ended_at)
