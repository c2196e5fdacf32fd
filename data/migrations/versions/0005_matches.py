"""Matches: what a series of games is played for, and what it stands at."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("tables", sa.Column("match", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("tables", sa.Column("standings", sa.JSON(none_as_null=True), nullable=False, server_default="[]"))
