"""Everything that is stored of a person in a server, as plain data for a file: one list for each kind of row.

Cards of others, packs and secrets are not among it: they are no data of the person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.ended_rows import at_table, in_match
from data.schema import (
    feats,
    games,
    house_rules,
    moves,
    places,
    players,
    results,
    tables,
    tea_creditors,
    tea_debts,
    tea_history,
)

GuildFiles: TypeAlias = dict[str, list[dict[str, Any]]]

_AT_ONCE: Final = 200
_TABLE = ("id", "channel_id", "status", "variant", "game", "match", "created_at", "started_at", "ended_at")
_SEAT = ("name", "joined_by", "left", "away")


async def files_of(connection: AsyncConnection, guild_id: int, user_id: int) -> GuildFiles:
    """What is stored of a person in a server. Part of the caller's transaction."""
    at = await _tables(connection, guild_id, user_id)
    mine = await _rows(connection, sa.select(players).where(_is(players.c.user_id, guild_id, user_id)))
    return {
        "chosen": [_without(row, "guild_id", "user_id") for row in mine],
        "tables": at,
        "moves": await _moves(connection, guild_id, at),
        "results": await _results(connection, guild_id, user_id),
        "owes": await _debts(connection, _is(tea_debts.c.debtor_id, guild_id, user_id)),
        "is_owed": await _claims(connection, guild_id, user_id),
        "settled": await _debts(connection, _is(tea_debts.c.settled_by, guild_id, user_id)),
        "house_rules": [
            _without(row, "guild_id", "saved_by")
            for row in await _rows(
                connection, sa.select(house_rules).where(_is(house_rules.c.saved_by, guild_id, user_id))
            )
        ],
        "tea_history": [
            _without(row, "guild_id", "user_id")
            for row in await _rows(
                connection, sa.select(tea_history).where(_is(tea_history.c.user_id, guild_id, user_id))
            )
        ],
    }


def _is(column: sa.Column[Any], guild_id: int, user_id: int) -> sa.ColumnElement[bool]:
    return (column.table.c.guild_id == guild_id) & (column == user_id)


async def _rows(connection: AsyncConnection, select: sa.Select[Any]) -> list[dict[str, Any]]:
    found = (await connection.execute(select)).mappings().all()
    return [{name: _plain(value) for name, value in row.items()} for row in found]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


async def _tables(connection: AsyncConnection, guild_id: int, user_id: int) -> list[dict[str, Any]]:
    here = (tables.c.guild_id == guild_id) & (at_table(user_id) | in_match(user_id) | (tables.c.host_id == user_id))
    columns = (tables.c[name] for name in (*_TABLE, "host_id", "forfeit", "players", "standings", "stop_votes"))
    found = await _rows(connection, sa.select(*columns).where(here).order_by(tables.c.id))
    told: list[dict[str, Any]] = []
    for row in found:
        seat = next((n for n, each in enumerate(row["players"]) if each["user_id"] == user_id), None)
        own: dict[str, Any] = {} if seat is None else {name: row["players"][seat][name] for name in _SEAT}
        kept = {name: row[name] for name in _TABLE}
        voted = user_id in row["stop_votes"]
        host = row["host_id"] == user_id
        line = next((each for each in row["standings"] if each["user_id"] == user_id), None)
        ranked: dict[str, Any] = {} if line is None else {"match_places": line["places"], "match_lost": line["lost"]}
        said = {"host": host, "forfeit": row["forfeit"], "seat": seat, **own, "voted_to_stop": voted, **ranked}
        told.append({**kept, **said})
    return told


async def _moves(connection: AsyncConnection, guild_id: int, at: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The own moves: in games where the click that took the seat tells which seat it was."""
    clicked = {table["id"]: table["joined_by"] for table in at if "joined_by" in table}
    told: list[dict[str, Any]] = []
    for start in range(0, len(at), _AT_ONCE):
        some = list(clicked)[start : start + _AT_ONCE]
        dealt = sa.select(games.c.table_id, games.c.game, games.c.joiners)
        dealt = dealt.where(games.c.guild_id == guild_id, games.c.table_id.in_(some), games.c.dealt_at.is_not(None))
        seats = {
            (table, game): joiners.index(clicked[table])
            for table, game, joiners in (await connection.execute(dealt)).all()
            if clicked[table] in joiners
        }
        made = sa.select(moves).where(moves.c.guild_id == guild_id, moves.c.table_id.in_(some))
        rows = await _rows(connection, made.order_by(moves.c.table_id, moves.c.game, moves.c.n))
        own = [row for row in rows if seats.get((row["table_id"], row["game"])) == row["seat"] is not None]
        told += [_without(row, "guild_id", "revision") for row in own]
    return told


async def _results(connection: AsyncConnection, guild_id: int, user_id: int) -> list[dict[str, Any]]:
    same = [results.c[name] == places.c[name] for name in ("guild_id", "table_id", "game")]
    counted = [feats.c[name] == places.c[name] for name in ("guild_id", "table_id", "game", "place")]
    select = sa.select(results, places.c.place, feats.c.most_held, feats.c.turns).select_from(
        places.join(results, sa.and_(*same)).outerjoin(feats, sa.and_(*counted))
    )
    rows = await _rows(connection, select.where(_is(places.c.user_id, guild_id, user_id)).order_by(results.c.ended_at))
    return [_without(row, "guild_id") for row in rows]


async def _debts(connection: AsyncConnection, where: sa.ColumnElement[bool]) -> list[dict[str, Any]]:
    """Debts without the ids of the others."""
    rows = await _rows(connection, sa.select(tea_debts).where(where).order_by(tea_debts.c.id))
    return [_without(row, "guild_id", "debtor_id", "settled_by") for row in rows]


async def _claims(connection: AsyncConnection, guild_id: int, user_id: int) -> list[dict[str, Any]]:
    """The debts to a person, and whether they forgive them."""
    same = (tea_creditors.c.guild_id == tea_debts.c.guild_id) & (tea_creditors.c.debt_id == tea_debts.c.id)
    select = sa.select(tea_debts, tea_creditors.c.forgives).join(tea_creditors, same)
    mine = _is(tea_creditors.c.user_id, guild_id, user_id)
    rows = await _rows(connection, select.where(mine).order_by(tea_debts.c.id))
    return [_without(row, "guild_id", "debtor_id", "settled_by") for row in rows]
