"""What is asked of people: what they chose, everything that is stored of them, and forgetting them.

Who is forgotten becomes a former player: an id below 0, another one in each server, that leads to nobody. Games and
debts of the others keep their shape by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database
from data.ended_rows import at_table, in_match
from data.models import Preferences
from data.person_files import GuildFiles, files_of
from data.schema import OPEN, house_rules, places, players, tables, tea_creditors, tea_debts, tea_history

HELD: Final = (
    places.c.user_id,
    tea_debts.c.debtor_id,
    tea_debts.c.settled_by,
    tea_creditors.c.user_id,
    tea_history.c.user_id,
    players.c.user_id,
    house_rules.c.saved_by,
)
"""Columns that name a person by id; those of `tables` come on top."""


def at_tables(user_id: int) -> sa.ColumnElement[bool]:
    """The tables that name somebody in any way."""
    voted = sa.cast(tables.c.stop_votes, sa.Text).like(f"%{user_id}%")
    return at_table(user_id) | in_match(user_id) | (tables.c.host_id == user_id) | voted


class PeopleRows:
    """People, by server or in all of them."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def get(self, guild_id: int, user_id: int) -> Preferences:
        """What a person chose in a server; the defaults where they chose nothing."""
        where = (players.c.guild_id == guild_id) & (players.c.user_id == user_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(sa.select(players).where(where))).mappings().one_or_none()
            return Preferences.model_validate(dict(row)) if row else Preferences(guild_id=guild_id, user_id=user_id)

    async def put(self, chosen: Preferences) -> None:
        """Store what a person chose."""
        statement = self._database.insert_or_update(players, ("guild_id", "user_id"), chosen.model_dump())
        async with self._database.writing() as connection:
            await connection.execute(statement)

    async def guilds_of(self, user_id: int) -> Sequence[int]:
        """The servers in which anything is stored of a person."""
        async with self._database.reading() as connection:
            return await _guilds_of(connection, user_id)

    async def stored(self, user_id: int) -> Mapping[int, GuildFiles]:
        """Everything that is stored of a person, by server."""
        async with self._database.reading() as connection:
            return {each: await files_of(connection, each, user_id) for each in await _guilds_of(connection, user_id)}

    async def open_tables(self, user_id: int) -> Sequence[int]:
        """The tables in use at which a person sits or sat, of all servers."""
        async with self._database.reading() as connection:
            return await _open_tables(connection, user_id)

    async def forget(self, user_id: int) -> Sequence[tuple[int, int]] | None:
        """Put a former player in the place of a person, everywhere; the tables that changed, as server and id.

        None, and nothing is done, while the person is at a table in use.
        """
        changed: list[tuple[int, int]] = []
        async with self._database.writing() as connection:
            if await _open_tables(connection, user_id):
                return None
            for guild_id in await _guilds_of(connection, user_id):
                former = -await self._database.next_number(connection, guild_id, "former")
                await _rename(connection, guild_id, user_id, former)
                changed += [(guild_id, each) for each in await _leave_tables(connection, guild_id, user_id, former)]
        return changed


async def _guilds_of(connection: AsyncConnection, user_id: int) -> Sequence[int]:
    found = {row[0] for row in await connection.execute(sa.select(tables.c.guild_id).where(at_tables(user_id)))}
    for column in HELD:
        select = sa.select(column.table.c.guild_id).where(column == user_id).distinct()
        found.update((await connection.execute(select)).scalars())
    return sorted(found)


async def _open_tables(connection: AsyncConnection, user_id: int) -> Sequence[int]:
    select = sa.select(tables.c.id).where(tables.c.status.in_(OPEN), at_tables(user_id))
    return list((await connection.execute(select)).scalars())


async def _rename(connection: AsyncConnection, guild_id: int, user_id: int, former: int) -> None:
    mine = (players.c.guild_id == guild_id) & (players.c.user_id == user_id)
    await connection.execute(sa.delete(players).where(mine))
    for column in HELD:
        here = (column.table.c.guild_id == guild_id) & (column == user_id)
        if column.table is not players:
            await connection.execute(sa.update(column.table).where(here).values({column.name: former}))


async def _leave_tables(connection: AsyncConnection, guild_id: int, user_id: int, former: int) -> Sequence[int]:
    """The ended tables of a server without a person. Their revision goes on, so that no copy of them is written."""
    columns = (tables.c.id, tables.c.host_id, tables.c.players, tables.c.standings, tables.c.stop_votes)
    here = (tables.c.guild_id == guild_id) & at_tables(user_id)
    found = (await connection.execute(sa.select(*columns).where(here))).mappings().all()
    for row in found:
        values: dict[str, Any] = {
            "host_id": former if row["host_id"] == user_id else row["host_id"],
            "players": [_former(each, user_id, former) for each in row["players"]],
            "standings": [_without_person(each, user_id, former) for each in row["standings"]],
            "stop_votes": [former if each == user_id else each for each in row["stop_votes"]],
            "revision": tables.c.revision + 1,
            "drawn": tables.c.drawn + 1,
        }
        at = (tables.c.guild_id == guild_id) & (tables.c.id == row["id"])
        await connection.execute(sa.update(tables).where(at).values(values))
    return [row["id"] for row in found]


def _former(player: Mapping[str, Any], user_id: int, former: int) -> dict[str, Any]:
    if player["user_id"] != user_id:
        return dict(player)
    return {**_without_person(player, user_id, former), "left": True, "away": False}


def _without_person(who: Mapping[str, Any], user_id: int, former: int) -> dict[str, Any]:
    return {**who, "user_id": former, "name": ""} if who["user_id"] == user_id else dict(who)
