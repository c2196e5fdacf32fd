"""The house rules that servers saved under a name: full options, so that what variants say later changes none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database
from data.errors import FullError, NameTakenError
from data.models import HouseRule, house_key
from data.rows import Row
from data.schema import guilds, house_rules

MOST: Final = 10
"""How many a server may save."""
_KIND: Final = "house"


class HouseRows:
    """Saved house rules, by server."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def all(self, guild_id: int) -> Sequence[HouseRule]:
        """Those of a server, the oldest first. One that this program cannot read is left out."""
        select = sa.select(house_rules).where(house_rules.c.guild_id == guild_id).order_by(house_rules.c.id)
        async with self._database.reading() as connection:
            rows = (await connection.execute(select)).mappings().all()
        return [found for row in rows if (found := _read(row)) is not None]

    async def save(self, draft: HouseRule, *, replace: bool = False) -> HouseRule:
        """Store one under its name, which gives it its id; one of the same name is replaced if that is wanted.

        Raises:
            NameTakenError: there is one of this name, and it is not to be replaced.
            FullError: the server has as many as it may.
        """
        async with self._database.writing() as connection:
            # Counting on makes whoever else saves in this server wait until this is done.
            number = await self._database.next_number(connection, draft.guild_id, _KIND)
            named = await _names(connection, draft.guild_id)
            same = named.get(draft.name.casefold())
            if same is not None and not replace:
                raise NameTakenError
            if same is None and len(named) >= MOST:
                raise FullError
            saved = draft.model_copy(update={"id": same or number})
            values = _values(saved)
            await connection.execute(self._database.insert_or_update(house_rules, ("guild_id", "id"), values))
        return saved

    async def delete(self, guild_id: int, rule_id: int, usual: str) -> bool:
        """Delete one; a server whose usual rules it was has the variant `usual` again. False where there is none."""
        here = (house_rules.c.guild_id == guild_id) & (house_rules.c.id == rule_id)
        default = (guilds.c.guild_id == guild_id) & (guilds.c.variant == house_key(rule_id))
        async with self._database.writing() as connection:
            await connection.execute(sa.update(guilds).where(default).values(variant=usual))
            return bool((await connection.execute(sa.delete(house_rules).where(here))).rowcount)


async def _names(connection: AsyncConnection, guild_id: int) -> dict[str, int]:
    select = sa.select(house_rules.c.name, house_rules.c.id).where(house_rules.c.guild_id == guild_id)
    return {name.casefold(): rule_id for name, rule_id in (await connection.execute(select)).all()}


def _values(saved: HouseRule) -> dict[str, Any]:
    return saved.model_dump() | {"rules": saved.rules.model_dump(mode="json")}


def _read(row: Row) -> HouseRule | None:
    try:
        return HouseRule.model_validate(dict(row))
    except ValidationError:
        return None
