"""The ids of interactions that changed something, so that one that Discord delivers twice is applied once.

A move stores the id of its interaction in its own row; the ids of all other interactions are stored here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from data.database import Database, Rows
from data.errors import DoubledError
from data.schema import clicks, moves


def insert_click(database: Database) -> Any:
    """The statement that `apply_click` runs. Build it once and keep it: building takes longer than running it."""
    return database.insert_new(clicks, ("guild_id", "interaction_id"))


def apply_click(connection: Connection, insert: Any, guild_id: int, interaction_id: int, at: datetime) -> None:
    """Record in the caller's transaction that an interaction is applied; raises `DoubledError` if it was before."""
    values = {"guild_id": guild_id, "interaction_id": interaction_id, "made_at": at}
    if connection.execute(insert, values).rowcount != 1:
        raise DoubledError


class ClickRows(Rows):
    """Queries about interactions that were applied."""

    async def was_applied(self, guild_id: int, interaction_id: int) -> bool:
        """Whether an interaction has already changed something."""
        key = {"guild_id": guild_id, "interaction_id": interaction_id}
        selects = [sa.select(table.c.guild_id).filter_by(**key) for table in (moves, clicks)]
        return await self._database.read(lambda connection: any(connection.execute(each).first() for each in selects))

    async def forget(self, before: datetime) -> int:
        """Delete the ids of clicks made before this time; return how many were deleted."""
        return await self._execute(sa.delete(clicks).where(clicks.c.made_at < before))
