"""Queries about people: their preferences, an export of all their data, and forgetting them.

A person who is forgotten becomes a former player: their id is replaced by one below 0, different in each server, which
leads to nobody. So the games and debts of others stay complete.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from data.database import Rows
from data.errors import UnavailableError
from data.guild_models import GuildFiles, Preferences
from data.guild_rows import choices_in, insert_guild
from data.models import Table
from data.packed import unpack
from data.schema import (
    FINISHED,
    GAME_KEY,
    IN_USE,
    WITH_DIGEST,
    UtcTime,
    feats,
    games,
    guilds,
    house_rules,
    moves,
    of_debt,
    of_table,
    places,
    players,
    preferences,
    results,
    same,
    standings,
    tables,
    tea_creditors,
    tea_debts,
    tea_history,
)
from data.tea_rows import is_owed_to, lock_debts

PERSONAL: Final = (
    preferences.c.user_id,
    tables.c.host_id,
    players.c.user_id,
    standings.c.user_id,
    places.c.user_id,
    tea_debts.c.debtor_id,
    tea_debts.c.settled_by,
    tea_creditors.c.user_id,
    tea_history.c.user_id,
    house_rules.c.saved_by,
)
"""All columns that contain the id of a person."""
_CLEARED: Final = {"players": {"name": "", "left": True, "away": False}, "standings": {"name": ""}}
"""What else changes in the rows of a person who is forgotten, by table."""
_HIDDEN: Final = frozenset(
    {"guild_id", "user_id", "debtor_id", "settled_by", "saved_by", "revision", "joiners", "clicked"}
)
"""Columns left out of an export: ids of servers and people, and columns that are no personal data."""
_TABLE: Final = (
    *("id", "channel_id", "status", "variant", "game", "match"),
    *("created_at", "started_at", "ended_at", "forfeit"),
)


class PeopleRows(Rows):
    """People and what is stored about them, in one server or in all."""

    async def get(self, guild_id: int, user_id: int) -> Preferences:
        """The preferences of a person in a server; the defaults if none are stored."""
        own = sa.select(preferences).filter_by(guild_id=guild_id, user_id=user_id)
        rows = await self._database.read(lambda connection: _rows(connection, own, hidden=()))
        return choices_in(Preferences, rows[0]) if rows else Preferences(guild_id=guild_id, user_id=user_id)

    async def put(self, before: Preferences, chosen: Preferences, *, first_digest: datetime) -> None:
        """Store what differs from `before`, the preferences that the person saw.

        Anything else stays as it is: what was chosen meanwhile, and a field that this version cannot read. If they turn
        the digest on, and it was off, the first is due at `first_digest`.
        """
        usual = Preferences(guild_id=chosen.guild_id, user_id=chosen.user_id)
        insert = self._database.insert_new(preferences).values(usual.model_dump())
        changed = {name: value for name, value in chosen if name != "refused_at" and value != getattr(before, name)}
        own = sa.update(preferences).filter_by(guild_id=chosen.guild_id, user_id=chosen.user_id)
        begin_digest = own.where(preferences.c.digest_at.is_(None)).values(digest_at=first_digest)
        end_digest = own.values(digest_at=None, refused_at=None)
        change = [own.values(changed)] if changed else []
        if "digest" in changed:
            change.append(begin_digest if chosen.digest else end_digest)
        try:
            await self._execute(insert_guild(self._database, chosen.guild_id), insert, *change)
        except UnavailableError:  # it may be stored nevertheless
            if not change or not changed.items() <= dict(await self.get(chosen.guild_id, chosen.user_id)).items():
                raise

    async def digests_due(self, now: datetime) -> dict[int, datetime]:
        """The people whose digest is due, each with the time since when it has been."""
        since = sa.func.min(preferences.c.digest_at)
        due = sa.select(preferences.c.user_id, since).where(WITH_DIGEST, preferences.c.digest_at <= now)
        return {row[0]: row[1] for row in await self._slow_tuples(due.group_by(preferences.c.user_id))}

    async def claim_digest(self, user_id: int, now: datetime, then: datetime) -> list[Preferences]:
        """Claim a person's due digest and put the next off until `then`; return their preferences where it is on.

        Empty if it is not due, so of all processes that claim a digest only one gets it.
        """
        own = WITH_DIGEST & (preferences.c.user_id == user_id)
        later = sa.update(preferences).values(digest_at=then)

        def work(connection: Connection) -> list[Preferences]:
            if not connection.execute(later.where(own, preferences.c.digest_at <= now)).rowcount:
                return []
            connection.execute(later.where(own))
            rows = connection.execute(sa.select(preferences).where(own).order_by(preferences.c.guild_id))
            return [choices_in(Preferences, row) for row in rows.mappings()]

        return await self._database.write(work)

    async def digest_refused(self, user_id: int, at: datetime | None) -> None:
        """Record when Discord refused to deliver a person's digest; None: it was delivered."""
        own = WITH_DIGEST & (preferences.c.user_id == user_id)
        await self._execute(sa.update(preferences).where(own).values(refused_at=at))

    async def slow_tables(self, user_id: int) -> list[tuple[int, int]]:
        """The slow games that a person plays, but for paused ones, as (server, table); the nearest deadline first."""
        mine = sa.exists().where(of_table(players, user_id), ~players.c.left, ~players.c.away)
        running = sa.select(tables.c.guild_id, tables.c.id).where(IN_USE, tables.c.status == "playing", mine)
        slow = running.where(tables.c.pace == "slow", ~tables.c.paused).order_by(tables.c.deadline, tables.c.id)
        return [(guild_id, table_id) for guild_id, table_id in await self._slow_tuples(slow)]

    async def stored(self, user_id: int) -> Mapping[int, GuildFiles]:
        """Everything that is stored about a person, by server."""

        def work(connection: Connection) -> Mapping[int, GuildFiles]:
            return {each: _files_of(connection, each, user_id) for each in _guilds_of(connection, user_id)}

        # Unpacked in a thread: with PostgreSQL `work` runs in the event loop, and thousands of games take seconds.
        return await asyncio.to_thread(_with_packed_moves, await self._database.read(work, slow=True))

    async def forget(self, user_id: int, *, is_confirmed: bool = True) -> Sequence[tuple[int, int]] | Table | None:
        """Replace a person by a former player everywhere; return the tables that changed, as (server, table).

        Nothing changes unless it `is_confirmed`, nor at a table in use: that is returned, with only its place set.
        """
        sits, is_ranked = (sa.exists().where(of_table(rows, user_id)) for rows in (players, standings))
        is_at = (tables.c.host_id == user_id) | sits | is_ranked

        def work(connection: Connection) -> Sequence[tuple[int, int]] | Table | None:
            own = _guilds_of(connection, user_id) if is_confirmed else ()
            changed = [(each, row["id"]) for each in own for row in _tables(connection, _tables_of(each, user_id))]
            if in_use := _tables(connection, IN_USE, is_at):  # only now, when no rematch can begin any more
                return Table.model_construct(**in_use[0])
            if not is_confirmed:
                return None
            for guild_id in own:
                lock_debts(connection, guild_id, (tea_debts.c.debtor_id == user_id) | is_owed_to(guild_id, user_id))
                former = -self._database.next_number(connection, guild_id, "former")
                connection.execute(sa.delete(preferences).filter_by(guild_id=guild_id, user_id=user_id))
                _replace(connection, guild_id, user_id, former)
            return changed

        forgotten = await self._database.write(work)
        if forgotten and not isinstance(forgotten, Table):  # else nothing held a name
            await self._database.purge()
        return forgotten


def _tables(connection: Connection, *where: sa.ColumnElement[bool]) -> Sequence[RowMapping]:
    """Some tables, locked on PostgreSQL: whoever changes what belongs to a table must lock the table first."""
    place = (tables.c[name] for name in ("guild_id", "id", "channel_id", "parent_id", "message_id"))
    select = sa.select(*place).where(*where).order_by(tables.c.id)
    return connection.execute(select.with_for_update()).mappings().all()


def _guilds_of(connection: Connection, user_id: int) -> Sequence[int]:
    """The servers with any data that contains the person's id; looks into the indexes of each server."""
    named = [sa.exists().where(column.table.c.guild_id == guilds.c.guild_id, column == user_id) for column in PERSONAL]
    select = sa.select(guilds.c.guild_id).where(sa.or_(*named)).order_by(guilds.c.guild_id)
    return list(connection.execute(select).scalars())


def _replace(connection: Connection, guild_id: int, user_id: int, former: int) -> None:
    """Replace a person in a server. Tables get a new revision, so that no stale copy can be stored."""
    for column in PERSONAL:
        rename = sa.update(column.table).where(column.table.c.guild_id == guild_id, column == user_id)
        connection.execute(rename.values({column.name: former, **_CLEARED.get(column.table.name, {})}))
    after = {"revision": tables.c.revision + 1, "drawn": tables.c.drawn + 1}
    connection.execute(sa.update(tables).where(_tables_of(guild_id, former)).values(after))


# -- the export of a person's data; other players' cards, packs and secrets are not part of it


def _tables_of(guild_id: int, user_id: int) -> sa.ColumnElement[bool]:
    """A condition for tables that contain a person: as host, at a seat, or in the standings of a match."""
    hosted = sa.select(tables.c.id).filter_by(guild_id=guild_id, host_id=user_id)
    seated = sa.select(players.c.table_id).filter_by(guild_id=guild_id, user_id=user_id)
    ranked = sa.select(standings.c.table_id).filter_by(guild_id=guild_id, user_id=user_id)
    return (tables.c.guild_id == guild_id) & tables.c.id.in_(sa.union(hosted, seated, ranked))


def _files_of(connection: Connection, guild_id: int, user_id: int) -> GuildFiles:
    """Collect what is stored about a person in a server, within the caller's transaction."""
    who = {"guild_id": guild_id, "user_id": user_id}
    debts = sa.select(tea_debts).filter_by(guild_id=guild_id).order_by(tea_debts.c.id)
    claims = sa.select(tea_debts, tea_creditors.c.forgives).join(tea_creditors, of_debt(tea_creditors))
    claims = claims.order_by(tea_debts.c.id)
    finished = sa.select(results, places.c.place, feats.c.most_held, feats.c.turns).select_from(FINISHED)
    finished = finished.order_by(results.c.ended_at)
    kinds = {
        "chosen": sa.select(preferences).filter_by(**who),
        "tables": _select_tables(guild_id, user_id),
        "moves": _select_moves(guild_id, user_id),
        "packed": _select_packed(guild_id, user_id),
        "results": finished.where(places.c.guild_id == guild_id, places.c.user_id == user_id),
        "owes": debts.where(tea_debts.c.debtor_id == user_id),
        "is_owed": claims.where(tea_creditors.c.guild_id == guild_id, tea_creditors.c.user_id == user_id),
        "settled": debts.where(tea_debts.c.settled_by == user_id),
        "house_rules": sa.select(house_rules).filter_by(guild_id=guild_id, saved_by=user_id),
        "tea_history": sa.select(tea_history).filter_by(**who),
    }
    return {kind: _rows(connection, select) for kind, select in kinds.items()}


def _with_packed_moves(stored: Mapping[int, GuildFiles]) -> Mapping[int, GuildFiles]:
    """The same files with the person's moves in ended games, which are packed, before those in running ones."""
    for files in stored.values():
        packed = sorted(files.pop("packed"), key=itemgetter("table_id", "game"))
        files["moves"] = [move for game in packed for move in _unpacked(**game)] + files["moves"]
    return stored


def _unpacked(table_id: int, game: int, packed: str, sat: Sequence[int], joined_by: int) -> Iterator[dict[str, Any]]:
    """The person's moves in one packed game; a single line without a number if the game cannot be read."""
    key = {"table_id": table_id, "game": game}
    try:
        moves_made = unpack(packed).moves
    except ValueError:
        yield {**key, "n": None, "seat": None, "move": "unreadable", "made_at": None}
        return
    for row in moves_made:
        if _sat_there(row.seat, sat, joined_by):
            yield {**key, "n": row.number, "seat": row.seat, "move": row.move, "made_at": row.made_at, "own": row.own}


def _rows(connection: Connection, select: sa.Select[Any], hidden: Collection[str] = _HIDDEN) -> list[dict[str, Any]]:
    """The rows; if a time in them cannot be read, which in SQLite may be any text, with the times as stored."""
    try:
        return _read_rows(connection, select, hidden)
    except (TypeError, ValueError):
        own = (sa.type_coerce(c, sa.Text) if isinstance(c.type, UtcTime) else c for c in select.selected_columns)
        return _read_rows(connection, select.with_only_columns(*own), hidden)


def _read_rows(connection: Connection, select: sa.Select[Any], hidden: Collection[str]) -> list[dict[str, Any]]:
    rows = connection.execute(select, execution_options={"yield_per": 500}).mappings()  # without joiners, no moves
    own = (row for row in rows if "joiners" not in row or _sat_there(row["seat"], row["joiners"], row["clicked"]))
    return [{name: value for name, value in row.items() if name not in hidden} for row in own]


def _sat_there(seat: int | None, joiners: Sequence[int], clicked: int) -> bool:
    """Whether the seat of a move, None for the clock's, was taken by the click that seated the person."""
    return seat is not None and isinstance(joiners, list) and (seat, clicked) in enumerate(joiners)  # or it is damaged


def _select_tables(guild_id: int, user_id: int) -> sa.Select[Any]:
    joined = tables.outerjoin(players, of_table(players, user_id)).outerjoin(standings, of_table(standings, user_id))
    seat = (players.c[name] for name in ("seat", "name", "joined_by", "left", "away"))
    select = sa.select(
        *(tables.c[name] for name in _TABLE),
        (tables.c.host_id == user_id).label("host"),
        *seat,
        players.c.wants_stop.label("voted_to_stop"),
        *(standings.c[name].label(f"match_{name}") for name in ("name", "left", "places", "lost")),
    )
    return select.select_from(joined).where(_tables_of(guild_id, user_id)).order_by(tables.c.id)


def _select_moves(guild_id: int, user_id: int) -> sa.Select[Any]:
    select = sa.select(moves, games.c.joiners, players.c.joined_by.label("clicked"))
    select = select.join(games, same(games, moves, *GAME_KEY))
    select = select.join(players, same(players, moves, "guild_id", "table_id"))
    mine = select.where(players.c.guild_id == guild_id, players.c.user_id + 0 == user_id)  # as in `of_table`
    return mine.order_by(moves.c.table_id, moves.c.game, moves.c.n)


def _select_packed(guild_id: int, user_id: int) -> sa.Select[Any]:
    # In no order, for which SQLite would go through all games of the server, and for each through the person's tables.
    game = (games.c[name] for name in ("table_id", "game", "packed"))
    select = sa.select(*game, games.c.joiners.label("sat"), players.c.joined_by)
    select = select.join_from(games, players, same(players, games, "guild_id", "table_id"))
    return select.where(players.c.guild_id == guild_id, players.c.user_id == user_id, games.c.packed.is_not(None))
