"""Queries about games: their deals, moves and results, and the statistics of finished games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from data.database import Rows
from data.game_models import DealColumns, Feat, Finish, GameLine, Losses, Played, StoredGame, StoredMove
from data.models import PastGame, Table
from data.packed import HAS_ENDED, MOVES, of_game, unpack
from data.schema import (
    FINISHED,
    GAME_KEY,
    OF_RESULT,
    feats,
    games,
    of_table,
    places,
    players,
    preferences,
    results,
    same,
    tables,
)
from data.table_rows import game_key, read_table

_SEARCHED: Final = 500  # the newest tables of a channel, and of a person, at which their latest games are looked for
_SECRET: Final = sa.select(games.c.secret).where(of_game(games))
_GAME: Final = sa.select(games).where(of_game(games))
_VARIANT: Final = sa.select(results.c.variant).where(of_game(results))
_PLACES: Final = sa.select(places.c.user_id).where(of_game(places)).order_by(places.c.place)
_LOST: Final = sa.case((places.c.place == results.c.shithead, 1), else_=0)


@dataclass(frozen=True, slots=True, repr=False)
class TableAndGame:
    """A table with its game, which is None before the deal, or an error if the stored game is damaged.

    `secret` (hex) is that of the current game or, if that has ended, of the next one; empty if there is none.
    """

    table: Table
    secret: str
    game: StoredGame | ValueError | None


class GameRows(Rows):
    """Running and ended games."""

    async def with_table(self, table_id: int, guild_id: int | None) -> TableAndGame | None:
        """Read a table with its game in one transaction; raises `ValueError` if the table is damaged.

        Without `guild_id` all servers are searched.
        """

        def work(connection: Connection) -> TableAndGame | None:
            table = read_table(connection, table_id, guild_id)
            if table is None:
                return None
            is_to_come = table.is_open or table.started_at is None  # also after the lobby of a rematch was closed
            current_or_next = game_key(table, table.game if is_to_come else table.game + 1)
            secret = connection.execute(_SECRET, current_or_next).scalar_one_or_none() or ""
            try:
                return TableAndGame(table, secret, _game(connection, game_key(table)))
            except (TypeError, ValueError) as error:  # a column may hold another type
                return TableAndGame(table, secret, ValueError(str(error)))

        return await self._database.read(work)

    async def past(self, guild_id: int, table_id: int, number: int) -> PastGame | None:
        """An ended game of a server, never a running one; raises `ValueError` if its table or the game is damaged."""

        def work(connection: Connection) -> PastGame | None:
            table = read_table(connection, table_id, guild_id)
            if table is None or not 0 < number <= table.game or (number == table.game and table.is_open):
                return None
            game = _game(connection, game_key(table, number))
            return PastGame(table, number, game) if game else None

        return await self._database.read(work)

    async def latest(self, guild_id: int, limit: int, *, channel_id: int = 0, user_id: int = 0) -> Sequence[GameLine]:
        """The latest games played in a channel, or by a person anywhere in the server; newest first. 0 is neither."""
        here = sa.select(tables.c.id).filter_by(guild_id=guild_id, channel_id=channel_id).order_by(tables.c.id.desc())
        # No index has the order of "-": with one SQLite would go through the tables of everybody.
        sat = sa.select(players.c.table_id).filter_by(guild_id=guild_id, user_id=user_id).order_by(-players.c.table_id)
        game = sa.select(*(games.c[name] for name in GAME_KEY)).where(games.c.guild_id == guild_id)
        at_tables = [game.where(games.c.table_id.in_(newest.limit(_SEARCHED))) for newest in (here, sat)]
        place = sa.select(*(places.c[name] for name in GAME_KEY)).filter_by(guild_id=guild_id, user_id=user_id)
        finished = place.order_by(-places.c.table_id, -places.c.game).limit(_SEARCHED)  # also where they sit no more
        found = sa.union(*at_tables, sa.select(finished.subquery())).subquery()
        # A result says what was played; the table itself names what it plays now.
        variant = sa.func.coalesce(results.c.variant, tables.c.variant)
        title = sa.case((variant == tables.c.variant, tables.c.title), else_="")
        columns = (games.c.table_id, games.c.game, variant, title, games.c.seats, games.c.dealt_at, results.c.moves)
        ended = found.join(games, same(games, found, *GAME_KEY)).join(tables, of_table(games) & HAS_ENDED)
        select = sa.select(*columns).select_from(ended.outerjoin(results, same(results, games, *GAME_KEY)))
        newest = (games.c.dealt_at.desc(), games.c.table_id.desc(), games.c.game.desc())
        return [GameLine(*row) for row in await self._slow_tuples(select.order_by(*newest).limit(limit))]


class ScoreRows(Rows):
    """Statistics by server. Former players (ids below 0) and computers are not listed, except in `finishes`."""

    async def losses(self, guild_id: int) -> Sequence[Losses]:
        """Everybody who finished a game in a server and has not opted out of statistics."""
        last = results.outerjoin(places, OF_RESULT & (places.c.place == results.c.shithead))  # one for each result
        count = sa.select(places.c.user_id, sa.func.count()).group_by(places.c.user_id)
        losers = count.select_from(last).where(results.c.guild_id == guild_id)
        lost = {row[0]: row[1] for row in await self._slow_tuples(losers)}
        uncounted = sa.select(preferences.c.user_id).where(preferences.c.guild_id == guild_id, preferences.c.uncounted)
        played = count.where(places.c.guild_id == guild_id, places.c.user_id > 0, places.c.user_id.not_in(uncounted))
        return [Losses(user, games, lost.get(user, 0)) for user, games in await self._slow_tuples(played)]

    async def rated(self, guild_id: int) -> Sequence[object]:
        """How many games of a server count towards strength (those without hints), and when the latest ended."""
        select = sa.select(sa.func.count(), sa.func.max(results.c.ended_at))
        return (await self._slow_tuples(select.where(results.c.guild_id == guild_id, results.c.rated)))[0]

    async def finishes(self, guild_id: int, limit: int) -> Sequence[Finish]:
        """The newest `limit` games that count towards strength, oldest first; one line for each place, best first."""
        newest = sa.select(results).where(results.c.guild_id == guild_id, results.c.rated)
        game = newest.order_by(results.c.ended_at.desc()).limit(limit).subquery()
        columns = (game.c.table_id, game.c.game, game.c.shithead, game.c.winner)
        select = sa.select(*columns, places.c.user_id, places.c.level).where(places.c.guild_id == guild_id)
        select = select.join_from(places, game, same(places, game, "table_id", "game"))
        in_order = select.order_by(game.c.ended_at, places.c.table_id, places.c.game, places.c.place)
        return [Finish(*row) for row in await self._slow_tuples(in_order)]

    async def played(self, guild_id: int, user_id: int) -> Sequence[Played]:
        """The finished games of a person in a server, oldest first."""
        select = sa.select(_LOST, feats.c.most_held, feats.c.turns).select_from(FINISHED)
        select = select.where(places.c.guild_id == guild_id, places.c.user_id == user_id)
        rows = await self._slow_tuples(select.order_by(results.c.ended_at, results.c.game))
        return [Played(bool(lost), held, turns) for lost, held, turns in rows]

    async def without_feats(self, guild_id: int, user_id: int, limit: int) -> Sequence[tuple[int, int, int]]:
        """The newest games of a person whose feats are not counted yet: table, number of the game, person's place."""
        select = sa.select(places.c.table_id, places.c.game, places.c.place).select_from(FINISHED)
        select = select.where(places.c.guild_id == guild_id, places.c.user_id == user_id, feats.c.place.is_(None))
        rows = await self._slow_tuples(select.order_by(results.c.ended_at.desc()).limit(limit))
        return [(table_id, game, place) for table_id, game, place in rows]

    async def put_feats(self, guild_id: int, table_id: int, game: int, counted: Iterable[Feat]) -> None:
        """Store the feats of all players of a game. Rows are overwritten, because two processes may count one game."""
        key = {"guild_id": guild_id, "table_id": table_id, "game": game}
        rows = [{**key, **asdict(each)} for each in counted]
        await self._execute(*(self._database.insert_or_update(feats, row) for row in rows))


def _game(connection: Connection, key: Mapping[str, int]) -> StoredGame | None:
    row = connection.execute(_GAME, key).mappings().one_or_none()
    if row is None or row["dealt_at"] is None:
        return None
    deal = {name: row[name] for name in DealColumns.__annotations__}
    if row["packed"] is None:
        stored_moves = tuple(StoredMove(*move) for move in connection.execute(MOVES, key))
    else:
        packed = unpack(row["packed"])
        stored_moves = packed.moves
        deal |= {"rules": packed.rules, "pack": packed.pack}
    return StoredGame(
        secret=row["secret"],
        deal=cast("DealColumns", deal),
        joiners=tuple(row["joiners"]),
        moves=stored_moves,
        variant=connection.execute(_VARIANT, key).scalar_one_or_none() or "",
        places=tuple(connection.execute(_PLACES, key).scalars()),
    )
