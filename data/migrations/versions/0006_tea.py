"""Tea: what was done to a debt, and when its debtor was last reminded."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("tea_debts", sa.Column("reminded_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("tea_history", sa.Column("deed", sa.Text(), nullable=False, server_default="made"))
    op.execute("UPDATE tea_history SET deed = CASE state WHEN 'owed' THEN 'undone' ELSE state END WHERE n > 1")
    op.create_index("ix_tea_history_at", "tea_history", ["guild_id", "at"], unique=False)
