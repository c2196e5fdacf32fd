"""What is asked of servers: what they chose, when the bot left them, and forgetting them."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from data.connect import Database
from data.models import GuildSettings
from data.rows import read_settings
from data.schema import clicks, guilds, metadata, notes, tables


class GuildRows:
    """Settings of servers."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def get(self, guild_id: int) -> GuildSettings:
        """What a server chose; the defaults where it chose nothing."""
        async with self._database.reading() as connection:
            found = await connection.execute(sa.select(guilds).where(guilds.c.guild_id == guild_id))
            row = found.mappings().one_or_none()
            return read_settings(row) if row else GuildSettings(guild_id=guild_id)

    async def put(self, settings: GuildSettings) -> None:
        """Store what a server chose."""
        async with self._database.writing() as connection:
            await connection.execute(self._database.insert_or_update(guilds, ("guild_id",), settings.model_dump()))

    async def known(self) -> tuple[int, ...]:
        """The servers of which there is anything, and which the bot has not left as far as is known."""
        left = sa.select(guilds.c.guild_id).where(guilds.c.left_at.is_not(None))
        mine = sa.union(sa.select(tables.c.guild_id), sa.select(guilds.c.guild_id)).subquery()
        async with self._database.reading() as connection:
            select = sa.select(mine.c.guild_id).where(mine.c.guild_id.not_in(left)).order_by(mine.c.guild_id)
            return tuple((await connection.execute(select)).scalars())

    async def left_before(self, moment: datetime) -> tuple[int, ...]:
        """The servers that the bot left before a moment."""
        async with self._database.reading() as connection:
            select = sa.select(guilds.c.guild_id).where(guilds.c.left_at < moment)
            return tuple((await connection.execute(select)).scalars())

    async def forget(self, guild_id: int) -> None:
        """Delete every row of a server."""
        async with self._database.writing() as connection:
            for table in reversed(metadata.sorted_tables):
                await connection.execute(sa.delete(table).where(table.c.guild_id == guild_id))

    async def forget_clicks(self, before: datetime) -> int:
        """Delete the ids of clicks that were made before a moment; how many there were."""
        async with self._database.writing() as connection:
            return (await connection.execute(sa.delete(clicks).where(clicks.c.made_at < before))).rowcount


NOBODYS = 0
"""Notes of the process itself stand under this server, which does not exist."""


class NoteRows:
    """What the process wants to find again after a restart: short texts by name."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def get(self, name: str) -> str | None:
        """The text under a name."""
        where = (notes.c.guild_id == NOBODYS) & (notes.c.name == name)
        async with self._database.reading() as connection:
            return (await connection.execute(sa.select(notes.c.text).where(where))).scalar_one_or_none()

    async def put(self, name: str, text: str) -> None:
        """Keep a text in place of the last of this name."""
        values = {"guild_id": NOBODYS, "name": name, "text": text}
        async with self._database.writing() as connection:
            await connection.execute(self._database.insert_or_update(notes, ("guild_id", "name"), values))
