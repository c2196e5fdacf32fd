"""The tables of the database, one schema for SQLite and PostgreSQL.

Owns names and types; asks and answers nothing.

`guild_id` leads every primary key and every index, so all rows of a server lie together and the schema can be spread
by it. A table of the game has the id of the click that opened it, which Discord makes unique everywhere.
The players of a table and what their match stands at are JSON in its row: they are at most twelve, always read and
written with the row, and so guarded by its `revision`; who ended where is kept apart, in `places`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from data.moments import Moment

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _guild() -> sa.Column[int]:
    return sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False)


def _key(name: str, type_: Any = sa.BigInteger) -> sa.Column[Any]:
    return sa.Column(name, type_, primary_key=True, autoincrement=False)


def _big(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _small(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _json(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(none_as_null=True), nullable=nullable)


def _moment(name: str, *, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, Moment, nullable=nullable)


def _of_table() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["guild_id", "table_id"], ["tables.guild_id", "tables.id"], ondelete="CASCADE")


OPEN: Final = ("lobby", "playing")
"""Statuses of a table that is in use; there is at most one such in a channel."""

guilds = sa.Table(
    "guilds",
    metadata,
    _guild(),
    _text("locale", nullable=True),
    _flag("polite"),
    _text("variant"),
    _flag("four_colours"),
    _small("nudge_seconds"),
    _moment("left_at", nullable=True),
)

counters = sa.Table("counters", metadata, _guild(), _key("kind", sa.Text), _big("last"))

tables = sa.Table(
    "tables",
    metadata,
    _guild(),
    _key("id"),
    _big("channel_id"),
    _big("message_id", nullable=True),
    _moment("placed_at", nullable=True),
    _big("nudge_id", nullable=True),
    _text("status"),
    _small("revision"),
    _small("drawn"),
    _big("host_id"),
    _text("variant"),
    _text("title"),
    _json("rules"),
    _text("pace"),
    _small("stretch"),
    _small("seats"),
    _text("forfeit"),
    _json("players"),
    _small("game"),
    _json("match", nullable=True),
    _json("standings"),
    _small("dealer", nullable=True),
    _small("last_winner", nullable=True),
    _small("last_shithead", nullable=True),
    _text("seal"),
    _text("secret"),
    _text("next_seal"),
    _moment("created_at"),
    _moment("started_at", nullable=True),
    _moment("ended_at", nullable=True),
    _moment("turn_since", nullable=True),
    _moment("deadline", nullable=True),
    _flag("nudged"),
    _flag("overdue"),
    _flag("paused"),
    _json("stop_votes"),
)
sa.Index(
    "uq_tables_open_in_channel",
    tables.c.guild_id,
    tables.c.channel_id,
    unique=True,
    sqlite_where=tables.c.status.in_(OPEN),
    postgresql_where=tables.c.status.in_(OPEN),
)
sa.Index("ix_tables_channel", tables.c.guild_id, tables.c.channel_id, tables.c.id)
_UNDRAWN: Final = tables.c.drawn < tables.c.revision
sa.Index("ix_tables_undrawn", tables.c.guild_id, sqlite_where=_UNDRAWN, postgresql_where=_UNDRAWN)

games = sa.Table(
    "games",
    metadata,
    _guild(),
    _key("table_id"),
    _key("game", sa.Integer),
    _text("secret"),
    _json("rules", nullable=True),
    _text("pack", nullable=True),
    _small("seats", nullable=True),
    _small("dealer", nullable=True),
    _small("last_winner", nullable=True),
    _small("last_shithead", nullable=True),
    _json("joiners", nullable=True),
    _moment("dealt_at", nullable=True),
    _of_table(),
)

moves = sa.Table(
    "moves",
    metadata,
    _guild(),
    _key("table_id"),
    _key("game", sa.Integer),
    _key("n", sa.Integer),
    _small("seat", nullable=True),
    _text("move"),
    _small("revision"),
    _big("interaction_id", nullable=True),
    _moment("made_at"),
    sa.UniqueConstraint("guild_id", "interaction_id"),
    _of_table(),
)

clicks = sa.Table("clicks", metadata, _guild(), _key("interaction_id"), _moment("made_at"))

results = sa.Table(
    "results",
    metadata,
    _guild(),
    _key("table_id"),
    _key("game", sa.Integer),
    _text("variant"),
    _small("shithead", nullable=True),
    _small("winner", nullable=True),
    _small("moves"),
    _moment("started_at"),
    _moment("ended_at"),
    _of_table(),
)

places = sa.Table(
    "places",
    metadata,
    _guild(),
    _key("table_id"),
    _key("game", sa.Integer),
    _key("place", sa.Integer),
    _big("user_id", nullable=True),
    _of_table(),
)
sa.Index("ix_places_user", places.c.guild_id, places.c.user_id)

tea_debts = sa.Table(
    "tea_debts",
    metadata,
    _guild(),
    _key("id"),
    _big("table_id"),
    _small("game"),
    _big("debtor_id"),
    _text("forfeit"),
    _moment("made_at"),
    _text("state"),
    _moment("settled_at", nullable=True),
    _big("settled_by", nullable=True),
    _moment("reminded_at", nullable=True),
    sa.UniqueConstraint("guild_id", "table_id", "game"),
    _of_table(),
)
sa.Index("ix_tea_debts_state", tea_debts.c.guild_id, tea_debts.c.state, tea_debts.c.id)

tea_creditors = sa.Table(
    "tea_creditors",
    metadata,
    _guild(),
    _key("debt_id"),
    _key("user_id"),
    _flag("forgives"),
    sa.ForeignKeyConstraint(["guild_id", "debt_id"], ["tea_debts.guild_id", "tea_debts.id"], ondelete="CASCADE"),
)
sa.Index("ix_tea_creditors_user", tea_creditors.c.guild_id, tea_creditors.c.user_id)

tea_history = sa.Table(
    "tea_history",
    metadata,
    _guild(),
    _key("debt_id"),
    _key("n", sa.Integer),
    _text("state"),
    _big("user_id", nullable=True),
    _moment("at"),
    _text("deed"),
    sa.ForeignKeyConstraint(["guild_id", "debt_id"], ["tea_debts.guild_id", "tea_debts.id"], ondelete="CASCADE"),
)
sa.Index("ix_tea_history_at", tea_history.c.guild_id, tea_history.c.at)

notes = sa.Table("notes", metadata, _guild(), _key("name", sa.Text), _text("text"))

players = sa.Table(
    "players",
    metadata,
    _guild(),
    _key("user_id"),
    _flag("quiet"),
    _flag("four_colours"),
    _flag("text_mode"),
    _flag("uncounted"),
)

feats = sa.Table(
    "feats",
    metadata,
    _guild(),
    _key("table_id"),
    _key("game", sa.Integer),
    _key("place", sa.Integer),
    _small("most_held"),
    _small("turns"),
    _of_table(),
)

house_rules = sa.Table(
    "house_rules",
    metadata,
    _guild(),
    _key("id"),
    _text("name"),
    _text("variant"),
    _json("rules"),
    _big("saved_by"),
    _moment("saved_at"),
)

leases = sa.Table(
    "leases",
    metadata,
    _guild(),
    _key("holder", sa.Text),
    _small("shard_count"),
    _json("shard_ids"),
    _big("epoch"),
    sa.Column("until", sa.Float, nullable=False),
)
