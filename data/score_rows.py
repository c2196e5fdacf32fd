"""What is asked for statistics. Who wants none is in none; former players (ids below 0) and computers neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import sqlalchemy as sa

from data.connect import Database
from data.ended import Feat, Played, Standing
from data.ended_rows import of_game
from data.schema import feats, places, players, results

_IN_RESULT: Final = (
    (places.c.guild_id == results.c.guild_id)
    & (places.c.table_id == results.c.table_id)
    & (places.c.game == results.c.game)
)
_DONE: Final = (
    (feats.c.guild_id == places.c.guild_id)
    & (feats.c.table_id == places.c.table_id)
    & (feats.c.game == places.c.game)
    & (feats.c.place == places.c.place)
)
_LOST: Final = sa.case((places.c.place == results.c.shithead, 1), else_=0)


class ScoreRows:
    """Who played how often and how, by server."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def standings(self, guild_id: int) -> Sequence[Standing]:
        """Everybody who finished a game in a server and wants statistics."""
        uncounted = sa.exists().where(
            players.c.guild_id == guild_id, players.c.user_id == places.c.user_id, players.c.uncounted
        )
        select = sa.select(places.c.user_id, sa.func.count(), sa.func.sum(_LOST)).join(results, _IN_RESULT)
        select = select.where(places.c.guild_id == guild_id, places.c.user_id > 0, ~uncounted)
        async with self._database.reading() as connection:
            rows = await connection.execute(select.group_by(places.c.user_id))
            return [Standing(user, games, int(lost)) for user, games, lost in rows]

    async def played(self, guild_id: int, user_id: int) -> Sequence[Played]:
        """The finished games of a person in a server, oldest first."""
        select = sa.select(_LOST, feats.c.most_held, feats.c.turns).select_from(
            places.join(results, _IN_RESULT).outerjoin(feats, _DONE)
        )
        select = select.where(places.c.guild_id == guild_id, places.c.user_id == user_id)
        async with self._database.reading() as connection:
            rows = await connection.execute(select.order_by(results.c.ended_at, results.c.game))
            return [Played(bool(lost), held, turns) for lost, held, turns in rows]

    async def unfeated(self, guild_id: int, user_id: int, limit: int) -> Sequence[tuple[int, int]]:
        """The newest games of a person whose feats are not counted yet: table and number of each."""
        joined = places.join(results, _IN_RESULT).outerjoin(feats, _DONE)
        select = sa.select(places.c.table_id, places.c.game).select_from(joined)
        select = select.where(places.c.guild_id == guild_id, places.c.user_id == user_id, feats.c.place.is_(None))
        async with self._database.reading() as connection:
            rows = await connection.execute(select.order_by(results.c.ended_at.desc()).limit(limit))
            return [(table_id, game) for table_id, game in rows]

    async def put_feats(self, guild_id: int, table_id: int, game: int, counted: Iterable[Feat]) -> None:
        """Keep the feats of all players of a game, in place of what was there."""
        key = {"guild_id": guild_id, "table_id": table_id, "game": game}
        rows = [{**key, "place": each.place, "most_held": each.most_held, "turns": each.turns} for each in counted]
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(feats).where(of_game(feats, guild_id, table_id, game)))
            if rows:
                await connection.execute(sa.insert(feats), rows)
