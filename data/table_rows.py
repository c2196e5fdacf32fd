"""What is asked of tables, games and moves.

Owns the revision guard: a change is stored only on the revision it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database
from data.errors import ChannelTakenError, ConflictError, DoubledError
from data.models import Change, Deal, DebtDraft, Made, Result, Table
from data.rows import changed_values, read_deal, read_result, read_table, result_values, table_values
from data.schema import OPEN, clicks, games, moves, places, results, tables
from data.tea_rows import insert_debt

_LARGEST: Final = 2**63 - 1


def _at(table: Table) -> sa.ColumnElement[bool]:
    return (tables.c.guild_id == table.guild_id) & (tables.c.id == table.id)


def _of(rows: sa.Table, table: Table, game: int) -> sa.ColumnElement[bool]:
    return (rows.c.guild_id == table.guild_id) & (rows.c.table_id == table.id) & (rows.c.game == game)


def _key(table: Table, game: int) -> dict[str, int]:
    return {"guild_id": table.guild_id, "table_id": table.id, "game": game}


class TableRows:
    """Tables from lobby to end, their games and moves."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def open(self, table: Table, secret: str, interaction_id: int) -> None:
        """Store a new table and the secret of its first game.

        Raises:
            DoubledError: the interaction was applied before.
            ChannelTakenError: another table is open in the channel.
            UnavailableError: see there.
        """
        async with self._database.writing() as connection:
            await self._insert_click(connection, table.guild_id, interaction_id, table.created_at)
            row = {"guild_id": table.guild_id, "id": table.id, "drawn": -1, **table_values(table)}
            try:
                await connection.execute(sa.insert(tables).values(row))
            except IntegrityError as error:
                raise ChannelTakenError from error
            await connection.execute(sa.insert(games).values(**_key(table, table.game), secret=secret))

    async def get(self, id_: int, guild_id: int | None = None) -> Table | None:
        """The table with this id. Without its server all servers are searched, which is slow where they are many."""
        if not 0 < id_ <= _LARGEST:
            return None
        where = tables.c.id == id_ if guild_id is None else (tables.c.guild_id == guild_id) & (tables.c.id == id_)
        async with self._database.reading() as connection:
            row = (await connection.execute(sa.select(tables).where(where))).mappings().one_or_none()
            return read_table(row) if row else None

    async def save(self, change: Change) -> None:
        """Store a change with all that belongs to it, or nothing.

        Raises:
            ConflictError: the stored table is not at the revision of `change.before`.
            DoubledError: the interaction was applied before.
            ChannelTakenError: the table comes into use again while another is open in its channel.
            UnavailableError: see there.
        """
        async with self._database.writing() as connection:
            await self._guarded_update(connection, change)
            await self._insert_move_or_click(connection, change)
            await self._insert_game(connection, change)
            if change.result:
                await _insert_result(connection, change.result)
            if change.debt:
                await self._insert_debt(connection, change, change.debt)

    async def _guarded_update(self, connection: AsyncConnection, change: Change) -> None:
        update = sa.update(tables).where(_at(change.before), tables.c.revision == change.before.revision)
        values = changed_values(change.before, change.after)
        if change.after.revision == change.before.revision:
            values["drawn"] = -1
        try:
            done = await connection.execute(update.values(values))
        except IntegrityError as error:
            raise ChannelTakenError from error
        if done.rowcount != 1:
            raise ConflictError

    async def _insert_click(
        self, connection: AsyncConnection, guild_id: int, interaction_id: int, at: datetime
    ) -> None:
        insert = self._database.insert_new(clicks, ("guild_id", "interaction_id"))
        values = {"guild_id": guild_id, "interaction_id": interaction_id, "made_at": at}
        if (await connection.execute(insert.values(values))).rowcount != 1:
            raise DoubledError

    async def _insert_move_or_click(self, connection: AsyncConnection, change: Change) -> None:
        made, table = change.made, change.before
        if made is None:
            if change.interaction_id is not None:
                await self._insert_click(connection, table.guild_id, change.interaction_id, change.at)
            return
        insert = self._database.insert_new(moves, ("guild_id", "interaction_id"))
        written = {"n": made.number, "seat": made.seat, "move": made.move, "revision": made.revision}
        row = {**_key(table, table.game), **written, "interaction_id": change.interaction_id, "made_at": change.at}
        if (await connection.execute(insert.values(row))).rowcount != 1:
            raise DoubledError

    async def _insert_game(self, connection: AsyncConnection, change: Change) -> None:
        if change.sealed is not None:
            game = change.after.game + (not change.after.is_open)
            await connection.execute(sa.insert(games).values(**_key(change.after, game), secret=change.sealed))
        if change.deal is not None:
            dealt = change.deal.model_dump(mode="json") | {"dealt_at": change.at}
            where = _of(games, change.after, change.after.game)
            await connection.execute(sa.update(games).where(where).values(dealt))

    async def _insert_debt(self, connection: AsyncConnection, change: Change, draft: DebtDraft) -> None:
        number = await self._database.next_number(connection, change.before.guild_id, "debt")
        await insert_debt(connection, number, change.after, draft, change.at)

    async def was_applied(self, guild_id: int, interaction_id: int) -> bool:
        """Whether an interaction has changed anything."""
        async with self._database.reading() as connection:
            for table in (moves, clicks):
                where = (table.c.guild_id == guild_id) & (table.c.interaction_id == interaction_id)
                if (await connection.execute(sa.select(table.c.guild_id).where(where))).first():
                    return True
        return False

    async def deal_of(self, table: Table, game: int) -> Deal | None:
        """What a game was dealt from, None before the deal."""
        async with self._database.reading() as connection:
            select = sa.select(games).where(_of(games, table, game), games.c.dealt_at.is_not(None))
            row = (await connection.execute(select)).mappings().one_or_none()
            return read_deal(row) if row else None

    async def moves_of(self, table: Table, game: int) -> tuple[Made, ...]:
        """The accepted moves of a game in order."""
        async with self._database.reading() as connection:
            select = sa.select(moves.c.n, moves.c.seat, moves.c.move, moves.c.revision)
            rows = await connection.execute(select.where(_of(moves, table, game)).order_by(moves.c.n))
            return tuple(Made(number=n, seat=seat, move=move, revision=revision) for n, seat, move, revision in rows)

    async def secret_of(self, table: Table, game: int) -> str:
        """The secret of a game's shuffle in hex; empty where there is none.

        To be shown to nobody before the game has ended.
        """
        async with self._database.reading() as connection:
            select = sa.select(games.c.secret).where(_of(games, table, game))
            return (await connection.execute(select)).scalar_one_or_none() or ""

    async def result_of(self, table: Table, game: int) -> Result | None:
        """How a game ended, None unless it was played to its end."""
        async with self._database.reading() as connection:
            found = await connection.execute(sa.select(results).where(_of(results, table, game)))
            row = found.mappings().one_or_none()
            if row is None:
                return None
            select = sa.select(places.c.user_id).where(_of(places, table, game)).order_by(places.c.place)
            return read_result(row, tuple((await connection.execute(select)).scalars()))

    async def in_channel(self, guild_id: int, channel_id: int) -> int | None:
        """The id of the table that is in use in a channel, else of the last one there."""
        here = (tables.c.guild_id == guild_id) & (tables.c.channel_id == channel_id)
        newest = sa.case((tables.c.status.in_(OPEN), 0), else_=1), tables.c.id.desc()
        async with self._database.reading() as connection:
            select = sa.select(tables.c.id).where(here).order_by(*newest).limit(1)
            return (await connection.execute(select)).scalar_one_or_none()

    async def count_open(self, guild_id: int, host_id: int | None = None) -> int:
        """How many tables are in use in a server, all or those of one host."""
        here = (tables.c.guild_id == guild_id) & tables.c.status.in_(OPEN)
        if host_id is not None:
            here &= tables.c.host_id == host_id
        async with self._database.reading() as connection:
            return (await connection.execute(sa.select(sa.func.count()).where(here))).scalar_one()

    async def open_ids(self) -> tuple[tuple[int, int], ...]:
        """The tables in use, of all servers: server and id of each."""
        return await self._ids(tables.c.status.in_(OPEN))

    async def undrawn_ids(self) -> tuple[tuple[int, int], ...]:
        """The tables whose message does not show their present revision: server and id of each."""
        return await self._ids(tables.c.drawn < tables.c.revision)

    async def _ids(self, where: sa.ColumnElement[bool]) -> tuple[tuple[int, int], ...]:
        async with self._database.reading() as connection:
            rows = await connection.execute(sa.select(tables.c.guild_id, tables.c.id).where(where))
            return tuple((guild_id, id_) for guild_id, id_ in rows)

    async def mark_drawn(self, drawn: Iterable[Table]) -> None:
        """Note that the messages of tables show them as they are here."""
        async with self._database.writing() as connection:
            for table in drawn:
                where = _at(table) & (tables.c.drawn < table.revision)
                await connection.execute(sa.update(tables).where(where).values(drawn=table.revision))

    async def place(self, table: Table, **columns: Any) -> None:
        """Note where the messages of a table are: `channel_id`, `message_id`, `placed_at`, `nudge_id`. No revision."""
        async with self._database.writing() as connection:
            await connection.execute(sa.update(tables).where(_at(table)).values(**columns))


async def _insert_result(connection: AsyncConnection, result: Result) -> None:
    await connection.execute(sa.insert(results).values(result_values(result)))
    key = {"guild_id": result.guild_id, "table_id": result.table_id, "game": result.game}
    rows = [{**key, "place": place, "user_id": user_id} for place, user_id in enumerate(result.places, start=1)]
    await connection.execute(sa.insert(places), rows)
