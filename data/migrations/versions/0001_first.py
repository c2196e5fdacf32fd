"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "clicks",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("interaction_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "interaction_id", name=op.f("pk_clicks")),
    )
    op.create_table(
        "counters",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "kind", name=op.f("pk_counters")),
    )
    op.create_table(
        "guilds",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("locale", sa.Text(), nullable=True),
        sa.Column("polite", sa.Boolean(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("four_colours", sa.Boolean(), nullable=False),
        sa.Column("nudge_seconds", sa.Integer(), nullable=False),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_guilds")),
    )
    op.create_table(
        "notes",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "name", name=op.f("pk_notes")),
    )
    op.create_table(
        "players",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("quiet", sa.Boolean(), nullable=False),
        sa.Column("four_colours", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "user_id", name=op.f("pk_players")),
    )
    op.create_table(
        "tables",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("placed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("nudge_id", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("host_id", sa.BigInteger(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("rules", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column("stretch", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("forfeit", sa.Text(), nullable=False),
        sa.Column("players", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("dealer", sa.Integer(), nullable=True),
        sa.Column("last_winner", sa.Integer(), nullable=True),
        sa.Column("last_shithead", sa.Integer(), nullable=True),
        sa.Column("seal", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("next_seal", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("turn_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("nudged", sa.Boolean(), nullable=False),
        sa.Column("overdue", sa.Boolean(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("stop_votes", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", "id", name=op.f("pk_tables")),
    )
    op.create_index("ix_tables_channel", "tables", ["guild_id", "channel_id", "id"], unique=False)
    op.create_index(
        "ix_tables_undrawn",
        "tables",
        ["guild_id"],
        unique=False,
        sqlite_where=sa.text("drawn < revision"),
        postgresql_where=sa.text("drawn < revision"),
    )
    op.create_index(
        "uq_tables_open_in_channel",
        "tables",
        ["guild_id", "channel_id"],
        unique=True,
        sqlite_where=sa.text("status IN ('lobby', 'playing')"),
        postgresql_where=sa.text("status IN ('lobby', 'playing')"),
    )
    op.create_table(
        "games",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("rules", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("pack", sa.Text(), nullable=True),
        sa.Column("seats", sa.Integer(), nullable=True),
        sa.Column("dealer", sa.Integer(), nullable=True),
        sa.Column("last_winner", sa.Integer(), nullable=True),
        sa.Column("last_shithead", sa.Integer(), nullable=True),
        sa.Column("joiners", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("dealt_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["guild_id", "table_id"], ["tables.guild_id", "tables.id"], name=op.f("fk_games_tables"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("guild_id", "table_id", "game", name=op.f("pk_games")),
    )
    op.create_table(
        "moves",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("move", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("interaction_id", sa.BigInteger(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["guild_id", "table_id"], ["tables.guild_id", "tables.id"], name=op.f("fk_moves_tables"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("guild_id", "table_id", "game", "n", name=op.f("pk_moves")),
        sa.UniqueConstraint("guild_id", "interaction_id", name=op.f("uq_moves_guild_id_interaction_id")),
    )
    op.create_table(
        "places",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["guild_id", "table_id"],
            ["tables.guild_id", "tables.id"],
            name=op.f("fk_places_tables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("guild_id", "table_id", "game", "place", name=op.f("pk_places")),
    )
    op.create_index("ix_places_user", "places", ["guild_id", "user_id"], unique=False)
    op.create_table(
        "results",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("shithead", sa.Integer(), nullable=True),
        sa.Column("winner", sa.Integer(), nullable=True),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["guild_id", "table_id"],
            ["tables.guild_id", "tables.id"],
            name=op.f("fk_results_tables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("guild_id", "table_id", "game", name=op.f("pk_results")),
    )
    op.create_table(
        "tea_debts",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("debtor_id", sa.BigInteger(), nullable=False),
        sa.Column("forfeit", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("settled_by", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["guild_id", "table_id"],
            ["tables.guild_id", "tables.id"],
            name=op.f("fk_tea_debts_tables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("guild_id", "id", name=op.f("pk_tea_debts")),
        sa.UniqueConstraint("guild_id", "table_id", "game", name=op.f("uq_tea_debts_guild_id_table_id_game")),
    )
    op.create_index("ix_tea_debts_state", "tea_debts", ["guild_id", "state", "id"], unique=False)
    op.create_table(
        "tea_creditors",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("debt_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("forgives", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["guild_id", "debt_id"],
            ["tea_debts.guild_id", "tea_debts.id"],
            name=op.f("fk_tea_creditors_tea_debts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("guild_id", "debt_id", "user_id", name=op.f("pk_tea_creditors")),
    )
    op.create_index("ix_tea_creditors_user", "tea_creditors", ["guild_id", "user_id"], unique=False)
    op.create_table(
        "tea_history",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("debt_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["guild_id", "debt_id"],
            ["tea_debts.guild_id", "tea_debts.id"],
            name=op.f("fk_tea_history_tea_debts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("guild_id", "debt_id", "n", name=op.f("pk_tea_history")),
    )
