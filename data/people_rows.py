"""What is asked of people: what they chose, everything that is stored of them, and forgetting them.

Whoever is forgotten becomes a former player: an id below 0, another one in each server, that leads to nobody. Games
and debts of the others keep their shape by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Rows
from data.guild_models import Preferences
from data.guild_rows import insert_guild
from data.person_files import GuildFiles, files_of, tables_of
from data.schema import (
    OPEN,
    guilds,
    house_rules,
    places,
    players,
    preferences,
    standings,
    tables,
    tea_creditors,
    tea_debts,
    tea_history,
)

PERSONAL: Final = (
    preferences.c.user_id,
    tables.c.host_id,
    players.c.user_id,
    standings.c.user_id,
    places.c.user_id,
    tea_debts.c.debtor_id,
    tea_debts.c.settled_by,
    tea_creditors.c.user_id,
    tea_history.c.user_id,
    house_rules.c.saved_by,
)
"""The columns that name a person by id; there are no others."""
_IN_USE: Final = tables.c.status.in_(OPEN)


class PeopleRows(Rows):
    """People, by server or in all of them."""

    async def get(self, guild_id: int, user_id: int) -> Preferences:
        """What a person chose in a server; the defaults where they chose nothing."""
        select = sa.select(preferences).filter_by(guild_id=guild_id, user_id=user_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(select)).mappings().one_or_none()
            return Preferences.model_validate(dict(row)) if row else Preferences(guild_id=guild_id, user_id=user_id)

    async def put(self, chosen: Preferences) -> None:
        """Store what a person chose."""
        statement = self._database.insert_or_update(preferences, ("guild_id", "user_id"), chosen.model_dump())
        async with self._database.writing() as connection:
            await connection.execute(insert_guild(self._database, chosen.guild_id))
            await connection.execute(statement)

    async def stored(self, user_id: int) -> Mapping[int, GuildFiles]:
        """Everything that is stored of a person, by server."""
        async with self._database.reading() as connection:
            return {each: await files_of(connection, each, user_id) for each in await _guilds_of(connection, user_id)}

    async def forget(self, user_id: int) -> Sequence[tuple[int, int]] | None:
        """Put a former player in the place of a person, everywhere; the tables that changed, as server and id.

        None, and nothing is done, while the person is at a table in use.
        """
        changed: list[tuple[int, int]] = []
        async with self._database.writing() as connection:
            guild_ids = await _guilds_of(connection, user_id)
            for guild_id in guild_ids:
                if await _tables(connection, guild_id, user_id, _IN_USE):
                    return None
            for guild_id in guild_ids:
                ended = await _tables(connection, guild_id, user_id)
                changed += [(guild_id, table_id) for table_id in ended]
                former = -await self._database.next_number(connection, guild_id, "former")
                await _rename(connection, guild_id, user_id, former)
                await _leave(connection, guild_id, former, ended)
        return changed


async def _tables(
    connection: AsyncConnection, guild_id: int, user_id: int, *where: sa.ColumnElement[bool]
) -> Sequence[int]:
    select = sa.select(tables.c.id).where(tables_of(guild_id, user_id), *where).order_by(tables.c.id)
    return list((await connection.execute(select)).scalars())


async def _guilds_of(connection: AsyncConnection, user_id: int) -> Sequence[int]:
    """The servers where any column names somebody: a look into the indexes of each server."""
    named = [
        sa.exists().where(column.table.c.guild_id == guilds.c.guild_id, column == user_id).correlate(guilds)
        for column in PERSONAL
    ]
    select = sa.select(guilds.c.guild_id).where(sa.or_(*named)).order_by(guilds.c.guild_id)
    return list((await connection.execute(select)).scalars())


async def _rename(connection: AsyncConnection, guild_id: int, user_id: int, former: int) -> None:
    await connection.execute(sa.delete(preferences).filter_by(guild_id=guild_id, user_id=user_id))
    for column in PERSONAL:
        rename = sa.update(column.table).where(column.table.c.guild_id == guild_id, column == user_id)
        await connection.execute(rename.values({column.name: former}))


async def _leave(connection: AsyncConnection, guild_id: int, former: int, table_ids: Sequence[int]) -> None:
    """A former player sits nowhere. The revision of the tables goes on, so that no copy of them is written back."""
    gone: dict[str, Any] = {"name": "", "left": True, "away": False, "wants_stop": False}
    await connection.execute(sa.update(players).filter_by(guild_id=guild_id, user_id=former).values(gone))
    await connection.execute(sa.update(standings).filter_by(guild_id=guild_id, user_id=former).values(name=""))
    after = {"revision": tables.c.revision + 1, "drawn": tables.c.drawn + 1}
    for table_id in table_ids:
        await connection.execute(sa.update(tables).filter_by(guild_id=guild_id, id=table_id).values(after))
