"""What is asked of tables, games and moves.

Owns the revision guard: a change is stored only on the revision it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database
from data.errors import ChannelTakenError, ConflictError, DoubledError
from data.models import NUMBERS, Change, Deal, DebtDraft, Made, Result, Table, guild_of, number_of, table_id
from data.rows import changed_values, read_deal, read_result, read_table, result_values, table_values
from data.schema import OPEN, clicks, games, moves, places, results, tables
from data.tea_rows import insert_debt

_LARGEST: Final = 2**63 - 1
_EPOCH: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""Tables are numbered by the seconds since then: so no number comes again after a server was forgotten."""


def _at(table: sa.Table, id_: int, game: int | None = None) -> sa.ColumnElement[bool]:
    found = (table.c.guild_id == guild_of(id_)) & (table.c.number == number_of(id_))
    return found if game is None else found & (table.c.game == game)


def _key(id_: int, game: int) -> dict[str, int]:
    return {"guild_id": guild_of(id_), "number": number_of(id_), "game": game}


class TableRows:
    """Tables from lobby to end, their games and moves."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def open(self, table: Table, secret: str, interaction_id: int) -> Table:
        """Store a new table and the secret of its first game; the table returned has its id.

        Raises:
            DoubledError: the interaction was applied before.
            ChannelTakenError: another table is open in the channel.
            UnavailableError: see there.
        """
        async with self._database.writing() as connection:
            await self._insert_click(connection, table.guild_id, interaction_id, table.created_at)
            least = max(1, int((table.created_at - _EPOCH).total_seconds())) % NUMBERS
            number = await self._database.next_number(connection, table.guild_id, "table", least)
            opened = table.model_copy(update={"id": table_id(table.guild_id, number)})
            row = {"guild_id": table.guild_id, "number": number, "drawn": -1, **table_values(opened)}
            try:
                await connection.execute(sa.insert(tables).values(row))
            except IntegrityError as error:
                raise ChannelTakenError from error
            await connection.execute(sa.insert(games).values(**_key(opened.id, opened.game), secret=secret))
            return opened

    async def get(self, id_: int) -> Table | None:
        """The table with this id."""
        if not 0 < guild_of(id_) <= _LARGEST:
            return None
        async with self._database.reading() as connection:
            row = (await connection.execute(sa.select(tables).where(_at(tables, id_)))).mappings().one_or_none()
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
        update = sa.update(tables).where(_at(tables, change.before.id), tables.c.revision == change.before.revision)
        try:
            done = await connection.execute(update.values(changed_values(change.before, change.after)))
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
        row = {**_key(table.id, table.game), **written, "interaction_id": change.interaction_id, "made_at": change.at}
        if (await connection.execute(insert.values(row))).rowcount != 1:
            raise DoubledError

    async def _insert_game(self, connection: AsyncConnection, change: Change) -> None:
        if change.sealed is not None:
            game = change.after.game + (not change.after.is_open)
            await connection.execute(sa.insert(games).values(**_key(change.after.id, game), secret=change.sealed))
        if change.deal is not None:
            dealt = change.deal.model_dump(mode="json") | {"dealt_at": change.at}
            where = _at(games, change.after.id, change.after.game)
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

    async def deal_of(self, id_: int, game: int) -> Deal | None:
        """What a game was dealt from, None before the deal."""
        async with self._database.reading() as connection:
            select = sa.select(games).where(_at(games, id_, game), games.c.dealt_at.is_not(None))
            row = (await connection.execute(select)).mappings().one_or_none()
            return read_deal(row) if row else None

    async def moves_of(self, id_: int, game: int) -> tuple[Made, ...]:
        """The accepted moves of a game in order."""
        async with self._database.reading() as connection:
            select = sa.select(moves.c.n, moves.c.seat, moves.c.move, moves.c.revision)
            rows = await connection.execute(select.where(_at(moves, id_, game)).order_by(moves.c.n))
            return tuple(Made(number=n, seat=seat, move=move, revision=revision) for n, seat, move, revision in rows)

    async def secret_of(self, id_: int, game: int) -> str:
        """The secret of a game's shuffle in hex; empty where there is none.

        To be shown to nobody before the game has ended.
        """
        async with self._database.reading() as connection:
            select = sa.select(games.c.secret).where(_at(games, id_, game))
            return (await connection.execute(select)).scalar_one_or_none() or ""

    async def result_of(self, id_: int, game: int) -> Result | None:
        """How a game ended, None unless it was played to its end."""
        async with self._database.reading() as connection:
            found = await connection.execute(sa.select(results).where(_at(results, id_, game)))
            row = found.mappings().one_or_none()
            if row is None:
                return None
            select = sa.select(places.c.user_id).where(_at(places, id_, game)).order_by(places.c.place)
            return read_result(row, tuple((await connection.execute(select)).scalars()))

    async def in_channel(self, guild_id: int, channel_id: int) -> int | None:
        """The id of the table that is in use in a channel, else of the last one there."""
        here = (tables.c.guild_id == guild_id) & (tables.c.channel_id == channel_id)
        newest = sa.case((tables.c.status.in_(OPEN), 0), else_=1), tables.c.number.desc()
        async with self._database.reading() as connection:
            select = sa.select(tables.c.number).where(here).order_by(*newest).limit(1)
            number = (await connection.execute(select)).scalar_one_or_none()
            return None if number is None else table_id(guild_id, number)

    async def count_open(self, guild_id: int, host_id: int | None = None) -> int:
        """How many tables are in use in a server, all or those of one host."""
        here = (tables.c.guild_id == guild_id) & tables.c.status.in_(OPEN)
        if host_id is not None:
            here &= tables.c.host_id == host_id
        async with self._database.reading() as connection:
            return (await connection.execute(sa.select(sa.func.count()).where(here))).scalar_one()

    async def open_ids(self) -> tuple[int, ...]:
        """The tables in use, of all servers."""
        return await self._ids(tables.c.status.in_(OPEN))

    async def undrawn_ids(self) -> tuple[int, ...]:
        """The tables whose message does not show their present revision, of all servers."""
        return await self._ids(tables.c.drawn < tables.c.revision)

    async def _ids(self, where: sa.ColumnElement[bool]) -> tuple[int, ...]:
        async with self._database.reading() as connection:
            rows = await connection.execute(sa.select(tables.c.guild_id, tables.c.number).where(where))
            return tuple(table_id(guild_id, number) for guild_id, number in rows)

    async def mark_drawn(self, drawn: Iterable[tuple[int, int]]) -> None:
        """Note for tables (id, revision) that their messages show at least this revision."""
        async with self._database.writing() as connection:
            for id_, revision in drawn:
                where = _at(tables, id_) & (tables.c.drawn < revision)
                await connection.execute(sa.update(tables).where(where).values(drawn=revision))

    async def place(self, id_: int, **columns: Any) -> None:
        """Note where the messages of a table are: `channel_id`, `message_id`, `placed_at`, `nudge_id`. No revision."""
        async with self._database.writing() as connection:
            await connection.execute(sa.update(tables).where(_at(tables, id_)).values(**columns))


async def _insert_result(connection: AsyncConnection, result: Result) -> None:
    await connection.execute(sa.insert(results).values(result_values(result)))
    key = _key(result.table_id, result.game)
    rows = [{**key, "place": place, "user_id": user_id} for place, user_id in enumerate(result.places, start=1)]
    await connection.execute(sa.insert(places), rows)
