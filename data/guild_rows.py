"""Queries about servers: settings, saved house rules, deleting a server; also the process's own notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa
import structlog
from pydantic import ValidationError
from sqlalchemy.engine import Connection

from data.database import Database, Rows
from data.errors import FullError, NameTakenError, UnavailableError
from data.guild_models import MOST_HOUSE_RULES, USUAL_VARIANT, GuildSettings, HouseRule, Preferences, house_key
from data.schema import NO_GUILD, guilds, house_rules, metadata, notes, tables

Choices = TypeVar("Choices", GuildSettings, Preferences)
_log = structlog.get_logger(__name__)


def insert_guild(database: Database, guild_id: int) -> Any:
    """A statement that inserts a server's row if it has none yet."""
    return database.insert_new(guilds).values(GuildSettings(guild_id=guild_id).model_dump())


def choices_in(kind: type[Choices], row: Mapping[Any, Any]) -> Choices:
    """The choices stored in a row; a field that is damaged, or that a newer version wrote, has its default value.

    A server or a person could not play at all otherwise.
    """
    try:
        return kind.model_validate(dict(row))
    except ValidationError as error:
        fields = sorted({str(problem["loc"][0]) for problem in error.errors()})
        _log.error("stored choices cannot be read: the defaults apply", guild=row["guild_id"], fields=fields)
        return kind.model_validate({name: value for name, value in row.items() if name not in fields})


class GuildRows(Rows):
    """Servers and their settings."""

    async def get(self, guild_id: int) -> GuildSettings:
        """The settings of a server; the defaults if none are stored."""
        own = (guilds.c[name] for name in GuildSettings.model_fields)  # no time, which may be any text in SQLite
        rows = await self._mappings(sa.select(*own).where(guilds.c.guild_id == guild_id))
        return choices_in(GuildSettings, rows[0]) if rows else GuildSettings(guild_id=guild_id)

    async def put(self, before: GuildSettings, after: GuildSettings) -> None:
        """Store only the fields that differ, so that other changes made in the meantime are kept."""
        changed = {name: value for name, value in after if value != getattr(before, name)}
        change = [sa.update(guilds).filter_by(guild_id=after.guild_id).values(changed)] if changed else []
        try:
            await self._execute(insert_guild(self._database, after.guild_id), *change)
        except UnavailableError:  # it may be stored nevertheless
            if not change or not changed.items() <= dict(await self.get(after.guild_id)).items():
                raise

    async def set_left(self, guild_id: int, at: datetime | None) -> None:
        """Record when the bot left a known server, unless that is recorded already; None: the bot is (back) in it."""
        is_news = guilds.c.left_at.is_(None) if at else guilds.c.left_at.is_not(None)
        await self._execute(sa.update(guilds).where(guilds.c.guild_id == guild_id, is_news).values(left_at=at))

    async def known(self, left_before: datetime | None = None) -> dict[int, datetime | None]:
        """All servers with stored data, each with the time the bot left it; or only those it left before a time."""
        select = sa.select(guilds.c.guild_id, guilds.c.left_at).order_by(guilds.c.guild_id)
        select = select if left_before is None else select.where(guilds.c.left_at < left_before)
        return {row["guild_id"]: row["left_at"] for row in await self._mappings(select)}

    async def forget(self, guild_id: int, before: datetime) -> bool:
        """Delete every row of a server that the bot left before this time; False if it is there, or comes back."""
        left = guilds.c.guild_id == guild_id, guilds.c.left_at < before
        oldest = sa.select(tables.c.id).filter_by(guild_id=guild_id).order_by(tables.c.id).limit(25)
        some = sa.delete(tables).where(tables.c.guild_id == guild_id, tables.c.id.in_(oldest), sa.exists().where(*left))
        while await self._execute(some):  # in parts, because all other changes wait for each
            pass

        def work(connection: Connection) -> bool:
            if not connection.execute(sa.delete(guilds).where(*left)).rowcount:
                return False
            for table in reversed(metadata.sorted_tables):
                connection.execute(sa.delete(table).filter_by(guild_id=guild_id))
            return True

        return await self._database.write(work)


class HouseRuleRows(Rows):
    """Saved house rules, stored by themselves, so that later changes to a variant do not affect them."""

    async def all(self, guild_id: int) -> Sequence[HouseRule]:
        """The house rules of a server, oldest first. Those that this version cannot read are left out."""
        select = sa.select(house_rules).filter_by(guild_id=guild_id).order_by(house_rules.c.id)
        readable: list[HouseRule] = []
        for row in await self._mappings(select):
            with suppress(ValidationError):
                readable.append(HouseRule.model_validate(dict(row)))
        return readable

    async def save(self, draft: HouseRule, *, replace: bool = False) -> HouseRule:
        """Store house rules under their name and return them with their id. Names are compared ignoring case.

        `NameTakenError` unless the name is free or `replace` given, `FullError` if there are `MOST_HOUSE_RULES`.
        """
        names = sa.select(house_rules.c.name, house_rules.c.id).filter_by(guild_id=draft.guild_id)

        def work(connection: Connection) -> HouseRule:
            # Drawing the number comes first: it makes others who save in this server wait for this transaction.
            number = self._database.next_number(connection, draft.guild_id, "house")
            connection.execute(insert_guild(self._database, draft.guild_id))
            named = {name.casefold(): rule_id for name, rule_id in connection.execute(names)}
            same = named.get(draft.name.casefold())
            if same is not None and not replace:
                raise NameTakenError
            if same is None and len(named) >= MOST_HOUSE_RULES:
                raise FullError
            rules = draft.rules.model_dump(mode="json", exclude_defaults=True)
            row = {**draft.model_dump(), "id": same or number, "rules": rules}
            connection.execute(self._database.insert_or_update(house_rules, row))
            return HouseRule.model_validate(row)

        try:
            return await self._database.write(work)
        except UnavailableError:  # it may be stored nevertheless
            for saved in await self.all(draft.guild_id):
                if dict(saved) | {"id": draft.id} == dict(draft):
                    return saved
            raise

    async def delete(self, guild_id: int, rule_id: int) -> bool:
        """Delete house rules; a server that has them as its default returns to `USUAL_VARIANT`. False if not found."""
        usual = sa.update(guilds).filter_by(guild_id=guild_id, variant=house_key(rule_id))
        this = {"guild_id": guild_id, "id": rule_id}
        gone = sa.delete(house_rules).filter_by(**this)
        try:
            return bool(await self._execute(usual.values(variant=USUAL_VARIANT), gone))
        except UnavailableError:  # they may be gone nevertheless
            if await self._mappings(sa.select(house_rules.c.id).filter_by(**this)):
                raise
            return True


class NoteRows(Rows):
    """Short texts, stored by name, that the process needs again after a restart."""

    async def get(self, name: str) -> str | None:
        """The text under a name, None if there is none."""
        rows = await self._mappings(sa.select(notes.c.text).filter_by(guild_id=NO_GUILD, name=name))
        return rows[0]["text"] if rows else None

    async def put(self, name: str, text: str) -> None:
        """Store a text under a name, replacing the previous one."""
        values = {"guild_id": NO_GUILD, "name": name, "text": text}
        await self._execute(self._database.insert_or_update(notes, values))
