"""The tables of the database: one schema for SQLite and PostgreSQL. Names and types only, no queries.

`guild_id` comes first in every primary key and every index, so the rows of a server are stored together and the
database could be sharded by it. Every server with stored data has a row in `guilds`: to find a person in all servers,
the index of each server is searched. A row of `tables` has the id of the click that opened it, unique across servers.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeDecorator


class UtcTime(TypeDecorator[datetime]):
    """An aware time in UTC. SQLite stores no time zone, so it is added on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's name
        """Convert an aware time to UTC; raises `ValueError` for a naive one."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("times must be aware")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's name
        """Make a stored time aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

NO_GUILD: Final = 0
"""The id, of no real server, under which the process stores rows of its own."""
OPEN: Final = ("lobby", "playing")
"""The statuses of a table in use, of which a channel has at most one."""


def _table(name: str, *rest: SchemaItem) -> sa.Table:
    return sa.Table(name, metadata, _key("guild_id"), *rest)


def _key(name: str, type_: Any = sa.BigInteger) -> sa.Column[Any]:
    return sa.Column(name, type_, primary_key=True, autoincrement=False)


def _columns(type_: Any, *names: str, nullable: bool = False) -> list[sa.Column[Any]]:
    return [sa.Column(name, type_, nullable=nullable) for name in names]


_big = partial(_columns, sa.BigInteger)
_small = partial(_columns, sa.Integer)
_text = partial(_columns, sa.Text)
_flag = partial(_columns, sa.Boolean)
_json = partial(_columns, sa.JSON(none_as_null=True))
_time = partial(_columns, UtcTime)


def _only(where: sa.ColumnElement[bool]) -> dict[str, Any]:
    """Arguments for a partial index of the rows that match."""
    return {"sqlite_where": where, "postgresql_where": where}


def _of(parent: str, column: str) -> sa.ForeignKeyConstraint:
    """A foreign key to a table or debt; the row is deleted with it."""
    return sa.ForeignKeyConstraint(["guild_id", column], [f"{parent}.guild_id", f"{parent}.id"], ondelete="CASCADE")


def _rows_of_table(name: str, *rest: SchemaItem) -> sa.Table:
    """Rows that belong to a row of `tables`: they begin with its key, and are deleted with it."""
    return _table(name, _key("table_id"), *rest, _of("tables", "table_id"))


guilds = _table(
    "guilds",
    *_text("locale", nullable=True),
    *_text("variant"),
    *_flag("polite", "four_colours", "pictures"),
    *_small("nudge_seconds"),
    *_time("left_at", nullable=True),
)

preferences = _table(
    "preferences",
    _key("user_id"),
    *_flag("quiet", "called", "digest", "four_colours", "text_mode", "uncounted"),
    *_text("locale", nullable=True),
    *_time("digest_at", "refused_at", nullable=True),
)
WITH_DIGEST: Final = preferences.c.digest.is_(True)
sa.Index("ix_preferences_digest", preferences.c.guild_id, preferences.c.user_id, **_only(WITH_DIGEST))

house_rules = _table(
    "house_rules", _key("id"), *_text("name", "variant"), *_json("rules"), *_big("saved_by"), *_time("saved_at")
)

tables = _table(
    "tables",
    _key("id"),
    *_big("channel_id", "host_id"),
    *_big("parent_id", "message_id", "nudge_id", "call_id", nullable=True),
    *_text("status", "variant", "title", "pace", "forfeit", "seal", "secret", "next_seal"),
    *_small("revision", "drawn", "stretch", "seats", "game"),
    *_small("dealer", "last_winner", "last_shithead", nullable=True),
    *_json("rules"),
    *_json("match", nullable=True),
    *_flag("nudged", "warned", "overdue", "paused", "hints", "polite"),
    *_time("created_at"),
    *_time("placed_at", "started_at", "ended_at", "turn_since", "deadline", nullable=True),
)
IN_USE: Final = tables.c.status.in_([sa.literal_column(f"'{each}'") for each in OPEN])
"""With literals, not parameters: otherwise the databases could not use the partial index for such a query."""
sa.Index("uq_tables_open_in_channel", tables.c.guild_id, tables.c.channel_id, unique=True, **_only(IN_USE))
sa.Index("ix_tables_channel", tables.c.guild_id, tables.c.channel_id, tables.c.id)
sa.Index("ix_tables_host", tables.c.guild_id, tables.c.host_id)
sa.Index("ix_tables_undrawn", tables.c.guild_id, **_only(tables.c.drawn < tables.c.revision))

players = _rows_of_table(
    "players",
    _key("seat", sa.Integer),
    *_big("user_id", nullable=True),
    *_text("name"),
    *_text("level", nullable=True),
    *_big("joined_by"),
    *_flag("left", "away", "wants_stop"),
)
sa.Index("ix_players_user", players.c.guild_id, players.c.user_id)

standings = _rows_of_table(
    "standings",
    _key("line", sa.Integer),
    *_big("user_id", nullable=True),
    *_text("name"),
    *_flag("left"),
    *_json("places", "lost"),
)
sa.Index("ix_standings_user", standings.c.guild_id, standings.c.user_id)

games = _rows_of_table(
    "games",
    _key("game", sa.Integer),
    *_text("secret"),
    *_json("rules", "joiners", nullable=True),
    *_text("pack", "packed", nullable=True),
    *_small("seats", "dealer", "last_winner", "last_shithead", nullable=True),
    *_time("dealt_at", nullable=True),
)

moves = _rows_of_table(
    "moves",
    _key("game", sa.Integer),
    _key("n", sa.Integer),
    *_small("seat", nullable=True),
    *_text("move"),
    *_small("revision"),
    *_big("interaction_id", nullable=True),
    *_time("made_at"),
    sa.UniqueConstraint("guild_id", "interaction_id"),
)

clicks = _table("clicks", _key("interaction_id"), *_time("made_at"))

results = _rows_of_table(
    "results",
    _key("game", sa.Integer),
    *_text("variant"),
    *_small("shithead", "winner", nullable=True),
    *_small("moves"),
    *_flag("rated"),
    *_time("started_at", "ended_at"),
)

places = _rows_of_table(
    "places",
    _key("game", sa.Integer),
    _key("place", sa.Integer),
    *_big("user_id", nullable=True),
    *_text("level", nullable=True),
)
sa.Index("ix_places_user", places.c.guild_id, places.c.user_id)

feats = _rows_of_table("feats", _key("game", sa.Integer), _key("place", sa.Integer), *_small("most_held", "turns"))

tea_debts = _table(
    "tea_debts",
    _key("id"),
    *_big("table_id", "debtor_id"),
    *_small("game"),
    *_text("forfeit", "state"),
    *_time("made_at"),
    *_big("settled_by", nullable=True),
    *_time("settled_at", "reminded_at", nullable=True),
    sa.UniqueConstraint("guild_id", "table_id", "game"),
    _of("tables", "table_id"),
)
sa.Index("ix_tea_debts_state", tea_debts.c.guild_id, tea_debts.c.state, tea_debts.c.id)
sa.Index("ix_tea_debts_debtor", tea_debts.c.guild_id, tea_debts.c.debtor_id)
sa.Index("ix_tea_debts_settled_by", tea_debts.c.guild_id, tea_debts.c.settled_by)

tea_creditors = _table(
    "tea_creditors", _key("debt_id"), _key("user_id"), *_flag("forgives"), _of("tea_debts", "debt_id")
)
sa.Index("ix_tea_creditors_user", tea_creditors.c.guild_id, tea_creditors.c.user_id)

tea_history = _table(
    "tea_history",
    _key("debt_id"),
    _key("n", sa.Integer),
    *_text("state", "deed"),
    *_big("user_id", nullable=True),
    *_time("at"),
    _of("tea_debts", "debt_id"),
)
sa.Index("ix_tea_history_at", tea_history.c.guild_id, tea_history.c.at)
sa.Index("ix_tea_history_user", tea_history.c.guild_id, tea_history.c.user_id)


def same(one: sa.FromClause, other: sa.FromClause, *names: str) -> sa.ColumnElement[bool]:
    """The condition that rows of two tables belong together, because these columns are equal in both."""
    return sa.and_(*(one.c[name] == other.c[name] for name in names))


def of_table(rows: sa.FromClause, user_id: int | None = None) -> sa.ColumnElement[bool]:
    """The condition that rows belong to a row of `tables`, and to this person if one is given."""
    belong = (rows.c.guild_id == tables.c.guild_id) & (rows.c.table_id == tables.c.id)
    return belong if user_id is None else belong & (rows.c.user_id + 0 == user_id)  # by no index: it holds thousands


def of_debt(rows: sa.FromClause) -> sa.ColumnElement[bool]:
    """The condition that rows belong to a row of `tea_debts`."""
    return (rows.c.guild_id == tea_debts.c.guild_id) & (rows.c.debt_id == tea_debts.c.id)


GAME_KEY: Final = ("guild_id", "table_id", "game")
"""The columns with which all rows of a game begin."""
OF_RESULT: Final = same(results, places, *GAME_KEY)
FINISHED: Final = places.join(results, OF_RESULT).outerjoin(feats, same(feats, places, *GAME_KEY, "place"))
"""Places in finished games, with the result and, if they are counted, the feats."""

counters = _table("counters", _key("kind", sa.Text), *_big("last"))

notes = _table("notes", _key("name", sa.Text), *_text("text"))

leases = _table(
    "leases",
    _key("holder", sa.Text),
    *_small("shard_count"),
    *_json("shard_ids"),
    *_big("epoch"),
    sa.Column("until", sa.Float, nullable=False),
)

versions = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
"""The table with one row that names the schema; not part of the schema itself. It keeps the name that Alembic gave it,
so that every version of this program can tell which schema a database has."""
