"""What people chose for themselves, and what their statistics are counted from."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    for name in ("text_mode", "uncounted"):
        op.add_column("players", sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "feats",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("most_held", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["guild_id", "table_id"],
            ["tables.guild_id", "tables.id"],
            name=op.f("fk_feats_tables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("guild_id", "table_id", "game", "place", name=op.f("pk_feats")),
    )
