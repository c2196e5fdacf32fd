"""What is asked of the debts: who owes whom, who settled what and when.

Every change of a debt is kept in its history.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from data.connect import Database
from data.errors import ConflictError, DoubledError
from data.models import DebtDraft, DebtState, Table, TeaDebt
from data.rows import Row, read_debt
from data.schema import clicks, tea_creditors, tea_debts, tea_history


async def insert_debt(connection: AsyncConnection, id_: int, table: Table, draft: DebtDraft, at: datetime) -> None:
    """Store the debt of the game that a table just ended. Part of the caller's transaction."""
    guild_id = table.guild_id
    where_from = {"table_id": table.id, "game": table.game}
    owed = {"debtor_id": draft.debtor_id, "forfeit": draft.forfeit, "made_at": at, "state": "owed"}
    await connection.execute(sa.insert(tea_debts).values(guild_id=guild_id, id=id_, **where_from, **owed))
    creditors = [
        {"guild_id": guild_id, "debt_id": id_, "user_id": user, "forgives": False} for user in draft.creditor_ids
    ]
    await connection.execute(sa.insert(tea_creditors), creditors)
    history = {"guild_id": guild_id, "debt_id": id_, "n": 1, "state": "owed", "user_id": None, "at": at}
    await connection.execute(sa.insert(tea_history).values(history))


class TeaRows:
    """Debts of tea, or of what the table agreed on."""

    def __init__(self, database: Database) -> None:
        """Ask this database."""
        self._database = database

    async def get(self, guild_id: int, debt_id: int) -> TeaDebt | None:
        """The debt with this id in a server."""
        found = await self._debts(guild_id, tea_debts.c.id == debt_id)
        return found[0] if found else None

    async def of_game(self, table: Table, game: int) -> TeaDebt | None:
        """The debt that a game made."""
        where = (tea_debts.c.table_id == table.id) & (tea_debts.c.game == game)
        found = await self._debts(table.guild_id, where)
        return found[0] if found else None

    async def owed(self, guild_id: int) -> list[TeaDebt]:
        """All debts of a server that are open, oldest first."""
        return await self._debts(guild_id, tea_debts.c.state == "owed")

    async def owed_to(self, guild_id: int, user_id: int) -> list[TeaDebt]:
        """The open debts of which somebody is a creditor, oldest first."""
        mine = (tea_creditors.c.guild_id == guild_id) & (tea_creditors.c.user_id == user_id)
        ids = sa.select(tea_creditors.c.debt_id).where(mine)
        return await self._debts(guild_id, (tea_debts.c.state == "owed") & tea_debts.c.id.in_(ids))

    async def latest(self, guild_id: int, limit: int) -> list[TeaDebt]:
        """The debts that changed last, newest first, at most `limit`."""
        changed = sa.func.coalesce(tea_debts.c.settled_at, tea_debts.c.made_at)
        return await self._debts(guild_id, sa.true(), order=(changed.desc(), tea_debts.c.id.desc()), limit=limit)

    async def settle(
        self, debt: TeaDebt, state: DebtState, user_id: int, at: datetime, *, interaction_id: int | None
    ) -> TeaDebt:
        """Bring a debt from the state it was read in to another one.

        Raises:
            DoubledError: the interaction was applied before.
            ConflictError: the debt is not in that state any more.
            UnavailableError: see there.
        """
        settled: dict[str, Any] = {"state": state, "settled_at": at, "settled_by": user_id}
        if state == "owed":
            settled |= {"settled_at": None, "settled_by": None}
        async with self._database.writing() as connection:
            await self._insert_click(connection, debt.guild_id, interaction_id, at)
            here = (tea_debts.c.guild_id == debt.guild_id) & (tea_debts.c.id == debt.id)
            update = sa.update(tea_debts).where(here, tea_debts.c.state == debt.state).values(settled)
            if (await connection.execute(update)).rowcount != 1:
                raise ConflictError
            await _insert_history(connection, debt, state, user_id, at)
        return debt.model_copy(update=settled)

    async def _insert_click(
        self, connection: AsyncConnection, guild_id: int, interaction_id: int | None, at: datetime
    ) -> None:
        if interaction_id is None:
            return
        insert = self._database.insert_new(clicks, ("guild_id", "interaction_id"))
        values = {"guild_id": guild_id, "interaction_id": interaction_id, "made_at": at}
        if (await connection.execute(insert.values(values))).rowcount != 1:
            raise DoubledError

    async def _debts(
        self,
        guild_id: int,
        where: sa.ColumnElement[bool],
        *,
        order: Sequence[sa.ColumnElement[Any]] = (tea_debts.c.id,),
        limit: int | None = None,
    ) -> list[TeaDebt]:
        select = sa.select(tea_debts).where(tea_debts.c.guild_id == guild_id, where).order_by(*order).limit(limit)
        async with self._database.reading() as connection:
            rows = (await connection.execute(select)).mappings().all()
            return await _with_creditors(connection, guild_id, rows)


async def _with_creditors(connection: AsyncConnection, guild_id: int, rows: Sequence[Row]) -> list[TeaDebt]:
    wanted = tea_creditors.c.debt_id.in_([row["id"] for row in rows])
    select = sa.select(tea_creditors.c.debt_id, tea_creditors.c.user_id)
    select = select.where(tea_creditors.c.guild_id == guild_id, wanted).order_by(tea_creditors.c.user_id)
    creditors: defaultdict[int, list[int]] = defaultdict(list)
    for debt_id, user_id in await connection.execute(select):
        creditors[debt_id].append(user_id)
    return [read_debt(row, tuple(creditors[row["id"]])) for row in rows]


async def _insert_history(
    connection: AsyncConnection, debt: TeaDebt, state: DebtState, user_id: int, at: datetime
) -> None:
    here = (tea_history.c.guild_id == debt.guild_id) & (tea_history.c.debt_id == debt.id)
    last = (await connection.execute(sa.select(sa.func.max(tea_history.c.n)).where(here))).scalar_one()
    row = {"guild_id": debt.guild_id, "debt_id": debt.id, "n": (last or 0) + 1}
    await connection.execute(sa.insert(tea_history).values(**row, state=state, user_id=user_id, at=at))
