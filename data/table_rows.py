"""Queries about tables and their players, and the transaction that stores a change.

The revision guard is here: a change is stored only if the stored table is still at the revision the change was made
from. A table that is no longer in use is stored without names (PRIVACY.md): players are known by id only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar, Unpack

import sqlalchemy as sa
from pydantic import BaseModel
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from data.database import Database, Rows, executing
from data.errors import ChannelTakenError, ConflictError, DoubledError, UnavailableError
from data.game_models import Result, StoredMove, shared_rules
from data.guild_models import GuildSettings
from data.guild_rows import insert_guild
from data.models import LARGEST_ID, Change, MatchLine, Placement, Player, Table, is_posted
from data.packed import pack_away
from data.schema import IN_USE, clicks, games, guilds, moves, of_table, places, players, results, standings, tables
from data.tea_models import TeaDebt
from data.tea_rows import insert_debt

T = TypeVar("T")
_COLUMNS: Final = frozenset(column.name for column in tables.columns) - {"guild_id", "id", "drawn"}
_NUDGE: Final = sa.func.coalesce(guilds.c.nudge_seconds, GuildSettings(guild_id=0).nudge_seconds).label("nudge_seconds")
_CLOCK: Final = (
    *("guild_id", "id", "status", "pace", "stretch", "turn_since", "deadline"),
    *("nudged", "warned", "overdue", "paused"),
)

# Built once, because building a statement takes longer than running it. The parameters name the columns to set.
_UPDATE: Final = sa.update(tables).filter_by(guild_id=sa.bindparam("at_guild"), id=sa.bindparam("at_table"))
_UPDATE_UNCHANGED: Final = _UPDATE.where(tables.c.revision == sa.bindparam("at_revision"))
_KEY: Final[dict[str, Any]] = {"guild_id": sa.bindparam("guild_id"), "table_id": sa.bindparam("table_id")}
_SEATED: Final = sa.select(players).filter_by(**_KEY).order_by(players.c.seat)
_LINES: Final = sa.select(standings).filter_by(**_KEY).order_by(standings.c.line)
_FORGET: Final = sa.delete(clicks).filter_by(guild_id=sa.bindparam("of_guild"), interaction_id=sa.bindparam("of_click"))
_MARK_DRAWN: Final = _UPDATE.where(tables.c.drawn < sa.bindparam("at_revision"))


def game_key(table: Table, number: int | None = None) -> dict[str, int]:
    """The key with which all rows of a game begin; by default that of the table's current game."""
    return {"guild_id": table.guild_id, "table_id": table.id, "game": table.game if number is None else number}


def read_table(connection: Connection, id_: int, guild_id: int | None) -> Table | None:
    """Read a table with its players and the standings of its match; raises `ValueError` if it is damaged.

    Without `guild_id` all servers are searched, which is slow if there are many.
    """
    if not 0 < id_ <= LARGEST_ID:
        return None
    where = tables.c.id == id_ if guild_id is None else (tables.c.guild_id == guild_id) & (tables.c.id == id_)
    try:
        row = connection.execute(sa.select(tables).where(where)).mappings().one_or_none()
        if row is None:
            return None
        key = {"guild_id": row["guild_id"], "table_id": row["id"]}
        seated = connection.execute(_SEATED, key).mappings()
        lines = connection.execute(_LINES, key).mappings()
        people = {"players": list(map(dict, seated)), "standings": list(map(dict, lines))}
        return Table.model_validate({**row, **people, "rules": shared_rules(row["rules"])})
    except TypeError as error:  # a time that is stored as a number
        raise ValueError("a column of the table holds another type") from error


class TableRows(Rows):
    """Tables from lobby to end."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._new_move = database.insert_new(moves, "guild_id", "interaction_id")

    async def open(self, table: Table, secret: str, interaction_id: int) -> None:
        """Store a new table and the secret of its first game.

        Raises:
            DoubledError: the interaction was applied before.
            ChannelTakenError: another table is open in the channel.
        """

        def work(connection: Connection) -> None:
            self._database.apply_click(connection, table.guild_id, interaction_id, table.created_at)
            connection.execute(insert_guild(self._database, table.guild_id))
            row = {"guild_id": table.guild_id, "id": table.id, "drawn": -1}
            row |= {name: _column(table, name) for name in _COLUMNS}
            try:
                connection.execute(sa.insert(tables), row)
            except IntegrityError as error:
                raise ChannelTakenError from error
            _write_people(connection, None, table)
            connection.execute(sa.insert(games), {**game_key(table), "secret": secret})

        await self._database.write(work)

    async def save(self, change: Change) -> TeaDebt | None:
        """Store a change as a whole or not at all; return the debt that it led to, if any.

        Raises:
            ConflictError: the stored table is no longer at the revision of `change.before`.
            DoubledError: the interaction was applied before; a move is sought among moves, anything else elsewhere.
            ChannelTakenError: a table cannot be reopened while another is open in its channel.
        """
        return await self._database.write(lambda connection: self._save(connection, change))

    def _save(self, connection: Connection, change: Change) -> TeaDebt | None:
        self._update(connection, change)
        _write_people(connection, change.before, change.after)
        if change.move is not None:
            self._insert_move(connection, change, change.move)
        if change.interaction_id is not None and not (change.move and change.move.own):
            self._database.apply_click(connection, change.before.guild_id, change.interaction_id, change.at)
        if change.new_secret is not None:
            key = game_key(change.after, change.after.game + 1)
            connection.execute(sa.insert(games), {**key, "secret": change.new_secret})
        if change.deal is not None:
            joiners = [player.joined_by for player in change.after.players]
            dealt = {**change.deal, "joiners": joiners, "dealt_at": change.at}
            connection.execute(sa.update(games).filter_by(**game_key(change.after)).values(dealt))
        if change.result is not None:
            _insert_result(connection, change, change.result)
        has_ended = change.before.status == "playing" and change.after.status != "playing"
        if has_ended:
            pack_away(connection, game_key(change.before))
        if change.debt is None:
            return None
        number = self._database.next_number(connection, change.after.guild_id, "debt")
        return insert_debt(connection, number, change.after.game, change.debt)

    def _update(self, connection: Connection, change: Change) -> None:
        """Write the columns that differ; raises `ConflictError` if the stored table has changed since it was read."""
        before, after = change.before, change.after
        old, new = vars(before), vars(after)
        # What was not changed is mostly the same object, and rules are slow to compare.
        differing = [name for name in _COLUMNS if new[name] is not old[name] and new[name] != old[name]]
        changed = {name: _column(after, name) for name in differing}
        if after.revision == before.revision:  # it looks different all the same: draw it again after a restart
            changed["drawn"] = -1
        try:
            done = self._database.execute(connection, _UPDATE_UNCHANGED, {**_parameters(before), **changed})
        except IntegrityError as error:
            raise ChannelTakenError from error
        if done.rowcount != 1:
            raise ConflictError

    def _insert_move(self, connection: Connection, change: Change, move: StoredMove) -> None:
        row = {**game_key(change.before), "n": move.number, "seat": move.seat, "move": move.move}
        click = change.interaction_id if move.own else None
        row |= {"revision": move.revision, "interaction_id": click, "made_at": move.made_at}
        if self._database.execute(connection, self._new_move, row).rowcount != 1:
            raise DoubledError

    async def remove(self, table: Table) -> None:
        """Delete a table that nobody has seen, with all its rows."""
        await self._execute(sa.delete(tables).filter_by(guild_id=table.guild_id, id=table.id))

    async def close_unread(self, guild_id: int, table_id: int) -> None:
        """Abort a table in use that cannot be read, without reading it; like any end this removes names."""
        key = {"guild_id": guild_id, "table_id": table_id}
        close = sa.update(tables).where(tables.c.guild_id == guild_id, tables.c.id == table_id, IN_USE)
        people = [sa.update(rows).filter_by(**key).where(rows.c.user_id.is_not(None)) for rows in (players, standings)]
        remove_names = [update.values(name="") for update in people]
        await self._execute(*remove_names, close.values(status="aborted", drawn=tables.c.revision))

    async def in_channel(
        self, guild_id: int, channel_id: int, *, in_use: bool = False, dealt: bool = False
    ) -> int | None:
        """The id of the table in use in a channel; else, unless `in_use`, of the latest, or of the latest one dealt."""
        in_channel = sa.select(tables.c.id).filter_by(guild_id=guild_id, channel_id=channel_id)
        newest = in_channel.order_by(tables.c.id.desc()).limit(1)
        if dealt:
            newest = newest.where(tables.c.started_at.is_not(None) | (tables.c.game > 1))  # or a rematch never dealt

        def work(connection: Connection) -> int | None:
            table_id = connection.execute(in_channel.where(IN_USE)).scalar_one_or_none()
            return table_id if table_id or in_use else connection.execute(newest).scalar_one_or_none()

        return await self._database.read(work)

    async def open_in(self, guild_id: int, host_id: int | None = None) -> tuple[int, ...]:
        """The ids of the tables in use in a server, all or those of one host; oldest first."""
        # Few, so filtered and sorted here: for a host or an order SQLite would use an index of all tables ever opened.
        here = sa.select(tables.c.id, tables.c.host_id).where(tables.c.guild_id == guild_id, IN_USE)
        return tuple(sorted(row["id"] for row in await self._mappings(here) if host_id in {None, row["host_id"]}))

    async def at_which_sits(self, guild_id: int, user_id: int) -> tuple[tuple[int, int], ...]:
        """The tables in use in a server at which a person has a seat, or left one, as (server, table); oldest first."""
        seat = sa.exists().where(of_table(players, user_id))
        return tuple(sorted(await self._ids((tables.c.guild_id == guild_id) & IN_USE & seat)))

    async def count_unfinished(self, table: Table, within: timedelta) -> int:
        """How many tables that its host opened in its server `within` that time before it ended without any result."""
        count = sa.select(sa.func.count()).select_from(tables).where(~IN_USE, ~sa.exists().where(of_table(results)))
        count = count.filter_by(guild_id=table.guild_id, host_id=table.host_id)
        count = count.where(tables.c.created_at > table.created_at - within, tables.c.created_at <= table.created_at)
        return await self._database.read(lambda connection: connection.execute(count).scalar_one())

    async def undealt_messages(self, table: Table) -> dict[int, int]:
        """The public messages, by table id, of other tables in this one's channel that were closed without a game."""
        undealt = sa.select(tables.c.id, tables.c.message_id).where(tables.c.started_at.is_(None), ~IN_USE)
        here = undealt.filter_by(guild_id=table.guild_id, channel_id=table.channel_id)
        others = here.where(tables.c.id != table.id, tables.c.message_id != 0)  # neither none nor none yet
        return {row["id"]: row["message_id"] for row in await self._mappings(others)}

    async def open_ids(self) -> tuple[tuple[int, int], ...]:
        """The tables in use in all servers, as (server, table)."""
        return await self._ids(IN_USE)

    async def resting(self, until: datetime) -> list[tuple[Table, int]]:
        """Lobbies, and running games in which only people play, that began before `until` but are not due before it.

        Only the fields of its clock are filled in for each table; with it comes its server's `nudge_seconds`.
        """
        automatic = players.c.user_id.is_(None) | players.c.left | players.c.away
        select = sa.select(*(tables.c[name] for name in _CLOCK), _NUDGE)
        select = select.outerjoin(guilds, guilds.c.guild_id == tables.c.guild_id)
        select = select.where(IN_USE, (tables.c.status == "lobby") | ~sa.exists().where(of_table(players), automatic))
        began = sa.func.coalesce(tables.c.turn_since, tables.c.created_at)
        rows = await self._mappings(select.where(tables.c.deadline >= until, began <= until))
        return [(Table.model_construct(**row), row["nudge_seconds"]) for row in rows]

    async def undrawn_ids(self) -> tuple[tuple[int, int], ...]:
        """The tables whose public message does not show their current revision, as (server, table)."""
        return await self._ids(tables.c.drawn < tables.c.revision)

    async def _ids(self, where: sa.ColumnElement[bool]) -> tuple[tuple[int, int], ...]:
        rows = await self._mappings(sa.select(tables.c.guild_id, tables.c.id).where(where))
        return tuple((row["guild_id"], row["id"]) for row in rows)

    async def mark_drawn(self, drawn: Iterable[Table]) -> None:
        """Record that the public messages show these tables, of which there is one or more, at their revisions."""
        in_order = sorted(drawn, key=lambda table: (table.guild_id, table.id))  # else two may deadlock
        rows = [{**_parameters(table), "drawn": table.revision} for table in in_order]
        await self._database.write(executing(_MARK_DRAWN, rows))

    async def place(self, table: Table, **where: Unpack[Placement]) -> None:
        """Record where a table and its messages are, without a new revision.

        A table whose public message is gone is marked as undrawn, so that it is drawn after a restart.
        """
        is_gone = "message_id" in where and not is_posted(where["message_id"])
        row = {**_parameters(table), **where, **({"drawn": -1} if is_gone else {})}
        await self._database.write(executing(_UPDATE, row))


class ClickRows(Rows):
    """The ids of interactions that changed something, so that one that Discord delivers twice is applied once.

    A move stores the id of its interaction in its own row; the ids of all other interactions are rows of `clicks`.
    """

    async def was_applied(self, guild_id: int, interaction_id: int) -> bool:
        """Whether an interaction has already changed something."""
        key = {"guild_id": guild_id, "interaction_id": interaction_id}
        selects = [sa.select(table.c.guild_id).filter_by(**key) for table in (moves, clicks)]
        return await self._database.read(lambda connection: any(connection.execute(each).first() for each in selects))

    async def confirm(self, saving: Awaitable[T], guild_id: int, interaction_id: int, *, unsaid: T) -> T:
        """What saving an interaction's change returns; `unsaid` if it is saved, but the database did not say so."""
        try:
            return await saving
        except UnavailableError:
            if not await self.was_applied(guild_id, interaction_id):
                raise
            return unsaid

    async def forget(self, before: datetime) -> None:
        """Delete the ids of clicks made before this time: in parts, because all other changes wait for each."""
        some = sa.select(clicks.c.guild_id, clicks.c.interaction_id).where(clicks.c.made_at < before).limit(250)
        while found := await self._slow_tuples(some):
            keys = [{"of_guild": guild_id, "of_click": interaction_id} for guild_id, interaction_id in found]
            await self._database.write(executing(_FORGET, keys))


def _parameters(table: Table) -> dict[str, int]:
    """The parameters by which the prepared updates find a row."""
    return {"at_guild": table.guild_id, "at_table": table.id, "at_revision": table.revision}


def _column(table: Table, name: str) -> Any:
    value = getattr(table, name)
    return value.model_dump(mode="json", exclude_defaults=name == "rules") if isinstance(value, BaseModel) else value


def _write_people(connection: Connection, before: Table | None, after: Table) -> None:
    """Replace all rows of players and standings if any changed: there are few, and they seldom change."""
    # Names are stored only while a table is open, so at its beginning and at its end every row changes.
    comparable = before if before is not None and before.is_open == after.is_open else None
    if comparable is None or comparable.players != after.players:
        _replace(connection, players, after, "seat", after.players)
    if comparable is None or comparable.standings != after.standings:
        _replace(connection, standings, after, "line", after.standings)


def _replace(
    connection: Connection, rows: sa.Table, table: Table, numbered: str, people: Sequence[Player | MatchLine]
) -> None:
    """Replace a table's rows by those of other people, numbered in the column `numbered`."""
    key = {"guild_id": table.guild_id, "table_id": table.id}
    connection.execute(sa.delete(rows).filter_by(**key))
    if people:
        written = [{**key, numbered: number, **_person(who, named=table.is_open)} for number, who in enumerate(people)]
        connection.execute(sa.insert(rows), written)


def _person(who: Player | MatchLine, *, named: bool) -> dict[str, Any]:
    """The columns of a player or a line. Unless `named`, people lose their name; a computer keeps its own."""
    return who.model_dump() | ({} if named or who.user_id is None else {"name": ""})


def _insert_result(connection: Connection, change: Change, result: Result) -> None:
    after, key = change.after, game_key(change.after)
    values = {"variant": result.variant, "shithead": result.shithead, "winner": result.winner, "moves": result.moves}
    times = {"started_at": after.started_at or change.at, "ended_at": change.at}
    connection.execute(sa.insert(results), {**key, **values, **times, "rated": not after.hints})
    ranked = enumerate(zip(result.places, result.levels, strict=True), start=1)
    rows = [{**key, "place": place, "user_id": user_id, "level": level} for place, (user_id, level) in ranked]
    connection.execute(sa.insert(places), rows)
