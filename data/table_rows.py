"""What is asked of tables, games and moves.

Owns the revision guard: a change is stored only on the revision it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from data.connect import Database
from data.errors import ChannelTakenError, ConflictError, DoubledError
from data.models import Change, Deal, DebtDraft, Result, StoredMove, Table
from data.rows import changed_values, read_deal, read_result, read_table, result_values, table_values
from data.schema import OPEN, clicks, games, moves, places, results, tables
from data.tea_rows import insert_debt

_LARGEST: Final = 2**63 - 1

_HERE: Final = sa.update(tables).where(
    tables.c.guild_id == sa.bindparam("at_guild"), tables.c.id == sa.bindparam("at_table")
)
"""Made once, because making statements takes longer than running them; what is set comes with the values."""
_UNCHANGED: Final = _HERE.where(tables.c.revision == sa.bindparam("at_revision"))
_DRAWN: Final = _HERE.where(tables.c.drawn < sa.bindparam("at_revision"))


def _of(rows: sa.Table, table: Table, game: int) -> sa.ColumnElement[bool]:
    return (rows.c.guild_id == table.guild_id) & (rows.c.table_id == table.id) & (rows.c.game == game)


def _key(table: Table, game: int) -> dict[str, int]:
    return {"guild_id": table.guild_id, "table_id": table.id, "game": game}


class TableRows:
    """Tables from lobby to end, their games and moves."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database
        self._new_move = database.insert_new(moves, ("guild_id", "interaction_id"))
        self._new_click = database.insert_new(clicks, ("guild_id", "interaction_id"))

    async def open(self, table: Table, secret: str, interaction_id: int) -> None:
        """Store a new table and the secret of its first game.

        Raises:
            DoubledError: the interaction was applied before.
            ChannelTakenError: another table is open in the channel.
            UnavailableError: see there.
        """

        def work(connection: Connection) -> None:
            self._insert_click(connection, table.guild_id, interaction_id, table.created_at)
            row = {"guild_id": table.guild_id, "id": table.id, "drawn": -1, **table_values(table)}
            try:
                connection.execute(sa.insert(tables), row)
            except IntegrityError as error:
                raise ChannelTakenError from error
            connection.execute(sa.insert(games), {**_key(table, table.game), "secret": secret})

        await self._database.write(work)

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
        await self._database.write(lambda connection: self._save(connection, change))

    def _save(self, connection: Connection, change: Change) -> None:
        _guarded_update(connection, change)
        self._insert_move_or_click(connection, change)
        _insert_game(connection, change)
        if change.result:
            _insert_result(connection, change.result)
        if change.debt:
            self._insert_debt(connection, change, change.debt)

    def _insert_click(self, connection: Connection, guild_id: int, interaction_id: int, at: datetime) -> None:
        values = {"guild_id": guild_id, "interaction_id": interaction_id, "made_at": at}
        if connection.execute(self._new_click, values).rowcount != 1:
            raise DoubledError

    def _insert_move_or_click(self, connection: Connection, change: Change) -> None:
        made, table = change.made, change.before
        if made is None:
            if change.interaction_id is not None:
                self._insert_click(connection, table.guild_id, change.interaction_id, change.at)
            return
        written = {"n": made.number, "seat": made.seat, "move": made.move, "revision": made.revision}
        row = {**_key(table, table.game), **written, "interaction_id": change.interaction_id, "made_at": change.at}
        if connection.execute(self._new_move, row).rowcount != 1:
            raise DoubledError

    def _insert_debt(self, connection: Connection, change: Change, draft: DebtDraft) -> None:
        counting = self._database.counting(change.before.guild_id, "debt")
        insert_debt(connection, connection.execute(counting).scalar_one(), change.after, draft, change.at)

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

    async def moves_of(self, table: Table, game: int) -> tuple[StoredMove, ...]:
        """The accepted moves of a game in order."""
        async with self._database.reading() as connection:
            select = sa.select(moves.c.n, moves.c.seat, moves.c.move, moves.c.revision)
            rows = await connection.execute(select.where(_of(moves, table, game)).order_by(moves.c.n))
            return tuple(
                StoredMove(number=n, seat=seat, move=move, revision=revision) for n, seat, move, revision in rows
            )

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

    async def open_in(self, guild_id: int, host_id: int | None = None) -> tuple[int, ...]:
        """The tables in use in a server, all or those of one host, the oldest first."""
        here = (tables.c.guild_id == guild_id) & tables.c.status.in_(OPEN)
        if host_id is not None:
            here &= tables.c.host_id == host_id
        async with self._database.reading() as connection:
            return tuple((await connection.execute(sa.select(tables.c.id).where(here).order_by(tables.c.id))).scalars())

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
        rows = [{**_where(table), "drawn": table.revision} for table in drawn]
        if rows:
            await self._database.write(lambda connection: connection.execute(_DRAWN, rows).close())

    async def place(self, table: Table, **columns: Any) -> None:
        """Note where the messages of a table are: `channel_id`, `message_id`, `placed_at`, `nudge_id`. No revision."""
        await self._database.write(lambda connection: connection.execute(_HERE, {**_where(table), **columns}).close())


def _where(table: Table) -> dict[str, int]:
    """What the prepared updates find a row by."""
    return {"at_guild": table.guild_id, "at_table": table.id, "at_revision": table.revision}


def _guarded_update(connection: Connection, change: Change) -> None:
    values = changed_values(change.before, change.after)
    if change.after.revision == change.before.revision:
        values["drawn"] = -1
    try:
        done = connection.execute(_UNCHANGED, {**_where(change.before), **values})
    except IntegrityError as error:
        raise ChannelTakenError from error
    if done.rowcount != 1:
        raise ConflictError


def _insert_game(connection: Connection, change: Change) -> None:
    if change.sealed is not None:
        game = change.after.game + (not change.after.is_open)
        connection.execute(sa.insert(games), {**_key(change.after, game), "secret": change.sealed})
    if change.deal is not None:
        dealt = change.deal.model_dump(mode="json") | {"dealt_at": change.at}
        where = _of(games, change.after, change.after.game)
        connection.execute(sa.update(games).where(where).values(dealt))


def _insert_result(connection: Connection, result: Result) -> None:
    connection.execute(sa.insert(results), result_values(result))
    key = {"guild_id": result.guild_id, "table_id": result.table_id, "game": result.game}
    rows = [{**key, "place": place, "user_id": user_id} for place, user_id in enumerate(result.places, start=1)]
    connection.execute(sa.insert(places), rows)
