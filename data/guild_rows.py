"""Settings and saved rules of servers, and forgetting servers; and notes of the process itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.engine import Connection

from data.database import Database, Rows
from data.errors import FullError, NameTakenError
from data.guild_models import MOST_HOUSE_RULES, USUAL_VARIANT, GuildSettings, HouseRule, house_key
from data.schema import guilds, house_rules, metadata, notes

NOBODYS: Final = 0
"""What belongs to the process itself stands under this server, which does not exist."""


def insert_guild(database: Database, guild_id: int) -> Any:
    """A statement that gives a server its row, if it has none yet."""
    return database.insert_new(guilds, ("guild_id",)).values(GuildSettings(guild_id=guild_id).model_dump())


class GuildRows(Rows):
    """Servers and their settings."""

    async def get(self, guild_id: int) -> GuildSettings:
        """What a server chose; the defaults if it chose nothing."""
        rows = await self._rows(sa.select(guilds).filter_by(guild_id=guild_id))
        return GuildSettings.model_validate(dict(rows[0])) if rows else GuildSettings(guild_id=guild_id)

    async def put(self, before: GuildSettings, after: GuildSettings) -> None:
        """Store what differs; all else stays as others have chosen it meanwhile."""
        changed = {name: value for name, value in after if value != getattr(before, name)}
        update = [sa.update(guilds).filter_by(guild_id=after.guild_id).values(changed)] if changed else []
        await self._do(insert_guild(self._database, after.guild_id), *update)

    async def set_left(self, guild_id: int, at: datetime | None) -> None:
        """Note since when the bot is not in a server, as far as it was there; or None, that it is there."""
        before = guilds.c.left_at.is_(None) if at else guilds.c.left_at.is_not(None)
        await self._do(sa.update(guilds).where(guilds.c.guild_id == guild_id, before).values(left_at=at))

    async def known(self, left_before: datetime | None = None) -> dict[int, datetime | None]:
        """The servers of which anything is stored, or which the bot left before a moment; and when it left each."""
        select = sa.select(guilds.c.guild_id, guilds.c.left_at).order_by(guilds.c.guild_id)
        select = select if left_before is None else select.where(guilds.c.left_at < left_before)
        return {row["guild_id"]: row["left_at"] for row in await self._rows(select)}

    async def forget(self, guild_id: int, before: datetime) -> bool:
        """Delete every row of a server, if the bot left it before a moment; whether it did."""
        left = sa.delete(guilds).where(guilds.c.guild_id == guild_id, guilds.c.left_at < before)

        def work(connection: Connection) -> bool:
            if not connection.execute(left).rowcount:
                return False
            for table in reversed(metadata.sorted_tables):
                connection.execute(sa.delete(table).filter_by(guild_id=guild_id))
            return True

        return await self._database.write(work)


class HouseRuleRows(Rows):
    """Saved house rules: full options, so that what variants say later changes none of them."""

    async def all(self, guild_id: int) -> Sequence[HouseRule]:
        """Those of a server, the oldest first. One that this program cannot read is left out."""
        select = sa.select(house_rules).filter_by(guild_id=guild_id).order_by(house_rules.c.id)
        readable: list[HouseRule] = []
        for row in await self._rows(select):
            try:
                readable.append(HouseRule.model_validate(dict(row)))
            except ValidationError:
                continue
        return readable

    async def save(self, draft: HouseRule, *, replace: bool = False) -> HouseRule:
        """Store one under its name, which gives it its id; one of the same name is replaced if that is wanted.

        Raises:
            NameTakenError: there is one of this name, and it is not to be replaced.
            FullError: the server has as many as it may.
        """
        names = sa.select(house_rules.c.name, house_rules.c.id).filter_by(guild_id=draft.guild_id)

        def work(connection: Connection) -> HouseRule:
            # Counting makes all others that save in this server wait until this is done.
            number = self._database.next_number(connection, draft.guild_id, "house")
            connection.execute(insert_guild(self._database, draft.guild_id))
            named = {name.casefold(): rule_id for name, rule_id in connection.execute(names)}
            same = named.get(draft.name.casefold())
            if same is not None and not replace:
                raise NameTakenError
            if same is None and len(named) >= MOST_HOUSE_RULES:
                raise FullError
            row = {**draft.model_dump(), "id": same or number, "rules": draft.rules.model_dump(mode="json")}
            connection.execute(self._database.insert_or_update(house_rules, ("guild_id", "id"), row))
            return HouseRule.model_validate(row)

        return await self._database.write(work)

    async def delete(self, guild_id: int, rule_id: int) -> bool:
        """Delete one; a server that usually plays by it plays the usual variant again. False if there is none."""
        usual = sa.update(guilds).filter_by(guild_id=guild_id, variant=house_key(rule_id))
        gone = sa.delete(house_rules).filter_by(guild_id=guild_id, id=rule_id)
        return bool(await self._do(usual.values(variant=USUAL_VARIANT), gone))


class NoteRows(Rows):
    """Short texts by name that the process needs again after a restart."""

    async def get(self, name: str) -> str | None:
        """The text under a name."""
        rows = await self._rows(sa.select(notes.c.text).filter_by(guild_id=NOBODYS, name=name))
        return rows[0]["text"] if rows else None

    async def put(self, name: str, text: str) -> None:
        """Keep a text in place of the last of this name."""
        values = {"guild_id": NOBODYS, "name": name, "text": text}
        await self._do(self._database.insert_or_update(notes, ("guild_id", "name"), values))
