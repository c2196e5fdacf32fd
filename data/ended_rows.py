"""What is asked of games that have ended. A game that still runs is never among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database
from data.ended import GameLine, PastGame
from data.models import Result, StoredMove
from data.rows import read_deal, read_result, read_table
from data.schema import OPEN, games, moves, places, results, tables

_HAS_ENDED: Final = games.c.dealt_at.is_not(None) & ((games.c.game < tables.c.game) | tables.c.status.not_in(OPEN))
_AT_TABLE: Final = (games.c.guild_id == tables.c.guild_id) & (games.c.table_id == tables.c.id)


def of_game(rows: sa.Table, guild_id: int, table_id: int, game: int) -> sa.ColumnElement[bool]:
    """The rows of a game in any of its tables."""
    return (rows.c.guild_id == guild_id) & (rows.c.table_id == table_id) & (rows.c.game == game)


def at_table(user_id: int) -> sa.ColumnElement[bool]:
    """Whether somebody is in the list of a table's players."""
    return sa.cast(tables.c.players, sa.Text).like(f'%"user_id": {user_id},%')


def in_match(user_id: int) -> sa.ColumnElement[bool]:
    """Whether somebody has a line in what a table's match stands at; also who left it long ago."""
    return sa.cast(tables.c.standings, sa.Text).like(f'%"user_id": {user_id},%')


class PastRows:
    """Ended games, newest first."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def latest(self, guild_id: int, channel_id: int, user_id: int, limit: int) -> Sequence[GameLine]:
        """The last games of a channel, and those elsewhere in the server in which a person played."""
        same = (results.c[name] == games.c[name] for name in ("guild_id", "table_id", "game"))
        joined = games.join(tables, _AT_TABLE).outerjoin(results, sa.and_(*same))
        columns = (games.c.table_id, games.c.game, tables.c.channel_id, tables.c.variant, tables.c.title)
        select = sa.select(*columns, games.c.seats, games.c.dealt_at, results.c.moves).select_from(joined)
        may_see = (tables.c.channel_id == channel_id) | _played(guild_id, user_id)
        select = select.where(games.c.guild_id == guild_id, _HAS_ENDED, may_see)
        newest = (games.c.dealt_at.desc(), games.c.table_id.desc(), games.c.game.desc())
        async with self._database.reading() as connection:
            rows = await connection.execute(select.order_by(*newest).limit(limit))
            return [GameLine(*row) for row in rows]

    async def get(self, guild_id: int, table_id: int, game: int) -> PastGame | None:
        """An ended game of a server.

        Raises:
            pydantic.ValidationError: what is stored is damaged.
        """
        here = of_game(games, guild_id, table_id, game)
        async with self._database.reading() as connection:
            dealt = sa.select(games).join(tables, _AT_TABLE).where(here, _HAS_ENDED)
            row = (await connection.execute(dealt)).mappings().one_or_none()
            if row is None:
                return None
            at = (tables.c.guild_id == guild_id) & (tables.c.id == table_id)
            table = (await connection.execute(sa.select(tables).where(at))).mappings().one()
            made = await _moves(connection, of_game(moves, guild_id, table_id, game))
            result = await _result(connection, guild_id, table_id, game)
        return PastGame(read_table(table), game, row["secret"], read_deal(row), made, result)


async def _moves(connection: AsyncConnection, where: sa.ColumnElement[bool]) -> tuple[StoredMove, ...]:
    select = sa.select(moves.c.n, moves.c.seat, moves.c.move, moves.c.revision).where(where).order_by(moves.c.n)
    rows = await connection.execute(select)
    return tuple(StoredMove(number=n, seat=seat, move=move, revision=revision) for n, seat, move, revision in rows)


async def _result(connection: AsyncConnection, guild_id: int, table_id: int, game: int) -> Result | None:
    over = sa.select(results).where(of_game(results, guild_id, table_id, game))
    row = (await connection.execute(over)).mappings().one_or_none()
    ranked = sa.select(places.c.user_id).where(of_game(places, guild_id, table_id, game)).order_by(places.c.place)
    return read_result(row, tuple((await connection.execute(ranked)).scalars())) if row else None


def _played(guild_id: int, user_id: int) -> sa.ColumnElement[bool]:
    own = (places.c.guild_id == guild_id) & (places.c.user_id == user_id)
    placed = sa.select(places.c.table_id, places.c.game).where(own)
    return sa.tuple_(games.c.table_id, games.c.game).in_(placed) | at_table(user_id)
