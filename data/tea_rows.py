"""Queries about debts: who owes whom, who settled what and when.

Every change of a debt adds a numbered line to its history, which guards it: a second line with the same number is
rejected, so of two concurrent changes only one is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from data.database import Database, Rows
from data.errors import ConflictError
from data.models import Change, Table
from data.schema import of_debt, preferences, tables, tea_creditors, tea_debts, tea_history
from data.tea_models import DebtDraft, DebtLine, Tally, TeaDebt

_AT_ONCE: Final = 500
"""For how many debts one statement reads the creditors."""

_LAST_N: Final = (
    sa.select(sa.func.max(tea_history.c.n)).where(of_debt(tea_history)).correlate(tea_debts).scalar_subquery()
)
_NEWEST: Final = tea_history.alias()
_WITH_NEWEST: Final = tea_debts.join(_NEWEST, of_debt(_NEWEST) & (_NEWEST.c.n == _LAST_N))
_OWED: Final = tea_debts.c.state == "owed"


class TeaRows(Rows):
    """Debts of tea, or of another forfeit that the table agreed on."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._new_line = database.insert_new(tea_history, ("guild_id", "debt_id", "n"))

    async def get(self, guild_id: int, debt_id: int) -> TeaDebt | None:
        """The debt with this id in a server."""
        debts = await self._debts(guild_id, tea_debts.c.id == debt_id)
        return debts[0] if debts else None

    async def of_game(self, table: Table, game: int) -> TeaDebt | None:
        """The debt that a game led to."""
        where = (tea_debts.c.table_id == table.id) & (tea_debts.c.game == game)
        debts = await self._debts(table.guild_id, where)
        return debts[0] if debts else None

    async def owed(self, guild_id: int) -> list[TeaDebt]:
        """All open debts of a server, oldest first."""
        return await self._debts(guild_id, _OWED)

    async def owed_to(self, guild_id: int, user_id: int) -> list[TeaDebt]:
        """The open debts owed to a person, oldest first."""
        return await self._debts(guild_id, _OWED & _is_owed_to(guild_id, user_id))

    async def of_person(self, guild_id: int, user_id: int) -> list[TeaDebt]:
        """The open debts that a person owes or is owed, oldest first."""
        mine = (tea_debts.c.debtor_id == user_id) | _is_owed_to(guild_id, user_id)
        return await self._debts(guild_id, _OWED & mine)

    async def settled_last(self, guild_id: int, user_id: int) -> TeaDebt | None:
        """Of the debts that were owed to a person, the one that creditors (not managers of the server) settled last."""
        settled = ~_OWED & _NEWEST.c.deed.in_(("served", "forgiven")) & _is_owed_to(guild_id, user_id)
        order = (tea_debts.c.settled_at.desc(), tea_debts.c.id.desc())
        debts = await self._debts(guild_id, settled, order=order, limit=1)
        return debts[0] if debts else None

    async def newest(self, guild_id: int, limit: int | None = None, *, skip: int = 0) -> list[TeaDebt]:
        """All debts of a server, newest first, leaving out the first `skip`; at most `limit`."""
        return await self._debts(guild_id, sa.true(), order=(tea_debts.c.id.desc(),), limit=limit, skip=skip)

    async def save(self, before: TeaDebt, after: TeaDebt, user_id: int, at: datetime, *, interaction_id: int) -> None:
        """Store a person's change of a debt, with a line of its history; a new state marks its message for redrawing.

        Raises:
            DoubledError: the interaction was applied before.
            ConflictError: the debt was changed after `before` was read.
        """
        key = {"guild_id": after.guild_id, "debt_id": after.id}
        line = {**key, "n": after.changes, "state": after.state, "user_id": user_id, "at": at, "deed": after.deed}
        settled = {"state": after.state, "settled_at": after.settled_at, "settled_by": after.settled_by}

        def work(connection: Connection) -> None:
            self._database.apply_click(connection, after.guild_id, interaction_id, at)
            if connection.execute(_update(after).values(settled)).rowcount != 1:
                raise ConflictError
            if connection.execute(self._new_line, line).rowcount != 1:
                raise ConflictError
            for user in set(before.forgiven_by) ^ set(after.forgiven_by):
                given = sa.update(tea_creditors).filter_by(**key, user_id=user)
                connection.execute(given.values(forgives=user in after.forgiven_by))
            if before.state != after.state:
                connection.execute(_mark_undrawn(after))

        await self._database.write(work)

    async def remind(self, debt: TeaDebt, at: datetime, *, not_since: datetime, interaction_id: int) -> None:
        """Record a reminder to the debtor of an open debt, unless there was one after `not_since`.

        Raises:
            DoubledError: the interaction was applied before.
            ConflictError: there was one, or the debt is no longer open.
        """
        due = tea_debts.c.reminded_at.is_(None) | (tea_debts.c.reminded_at <= not_since)

        def work(connection: Connection) -> None:
            self._database.apply_click(connection, debt.guild_id, interaction_id, at)
            if connection.execute(_update(debt).where(_OWED & due).values(reminded_at=at)).rowcount != 1:
                raise ConflictError

        await self._database.write(work)

    async def history(
        self, guild_id: int, limit: int, *, skip: int = 0, user_id: int | None = None, debt_id: int | None = None
    ) -> list[DebtLine]:
        """The history of a server's debts, newest line first, leaving out the first `skip`; at most `limit` lines.

        `user_id` selects the lines of debts that this person owes or is owed, and lines of theirs; `debt_id` one debt.
        """
        select = sa.select(tea_history, tea_debts.c.debtor_id, tea_debts.c.forfeit)
        select = select.join(tea_debts, of_debt(tea_history))
        select = select.where(tea_history.c.guild_id == guild_id)
        if user_id is not None:
            mine = (tea_debts.c.debtor_id == user_id) | (tea_history.c.user_id == user_id)
            select = select.where(mine | _is_owed_to(guild_id, user_id))
        if debt_id is not None:
            select = select.where(tea_history.c.debt_id == debt_id)
        order = (tea_history.c.at.desc(), tea_history.c.debt_id.desc(), tea_history.c.n.desc())
        select = select.order_by(*order).limit(limit).offset(skip)
        rows, creditors = await self._database.read(lambda connection: _fetch(connection, guild_id, select, "debt_id"))
        return [_line(row, tuple(creditors[row["debt_id"]])) for row in rows]

    async def tallies(self, guild_id: int) -> list[Tally]:
        """The tallies of everybody who has not opted out of statistics; former players have none."""
        owes = sa.select(tea_debts.c.debtor_id, tea_debts.c.state, sa.func.count())
        owes = owes.where(tea_debts.c.guild_id == guild_id).group_by(tea_debts.c.debtor_id, tea_debts.c.state)
        receives = sa.select(tea_creditors.c.user_id, sa.literal("received"), sa.func.count())
        receives = receives.join(tea_debts, of_debt(tea_creditors)).where(
            tea_debts.c.guild_id == guild_id, tea_debts.c.state == "served"
        )
        hidden = sa.select(preferences.c.user_id).where(preferences.c.guild_id == guild_id, preferences.c.uncounted)
        counted: defaultdict[int, dict[str, int]] = defaultdict(dict)
        questions = (hidden, owes, receives.group_by(tea_creditors.c.user_id))
        hidden_rows, owed_rows, received_rows = await self._database.read(
            lambda connection: [connection.execute(question).all() for question in questions]
        )
        uncounted = {user for (user,) in hidden_rows}
        for user, what, count in (*owed_rows, *received_rows):
            counted[user][what] = count
        wanted = ("owed", "served", "forgiven", "received")
        return [
            Tally(user, **{name: counts.get(name, 0) for name in wanted})
            for user, counts in counted.items()
            if user > 0 and user not in uncounted and counts.keys() & set(wanted)
        ]

    async def _debts(
        self,
        guild_id: int,
        where: sa.ColumnElement[bool],
        *,
        order: Sequence[sa.ColumnElement[Any]] = (tea_debts.c.id,),
        limit: int | None = None,
        skip: int = 0,
    ) -> list[TeaDebt]:
        select = sa.select(tea_debts, _NEWEST.c.n.label("changes"), _NEWEST.c.deed).select_from(_WITH_NEWEST)
        select = select.where(tea_debts.c.guild_id == guild_id, where).order_by(*order).limit(limit).offset(skip)
        rows, creditors = await self._database.read(lambda connection: _fetch(connection, guild_id, select, "id"))
        return [_debt(row, creditors[row["id"]]) for row in rows]


def insert_debt(connection: Connection, id_: int, change: Change, draft: DebtDraft) -> TeaDebt:
    """Store the debt of a game that just ended, with the first line of its history."""
    after, creditors = change.after, tuple(sorted(draft.creditor_ids))
    key = {"guild_id": after.guild_id, "debt_id": id_}
    debt = TeaDebt(
        id=id_,
        guild_id=after.guild_id,
        table_id=after.id,
        debtor_id=draft.debtor_id,
        creditor_ids=creditors,
        forfeit=draft.forfeit,
        made_at=change.at,
    )
    values = debt.model_dump(include={"id", "guild_id", "table_id", "debtor_id", "forfeit", "made_at", "state"})
    connection.execute(sa.insert(tea_debts), {**values, "game": after.game})
    connection.execute(sa.insert(tea_creditors), [{**key, "user_id": user, "forgives": False} for user in creditors])
    line = {**key, "n": 1, "state": "owed", "user_id": None, "at": change.at, "deed": "made"}
    connection.execute(sa.insert(tea_history), line)
    return debt


def _is_owed_to(guild_id: int, user_id: int) -> sa.ColumnElement[bool]:
    return tea_debts.c.id.in_(sa.select(tea_creditors.c.debt_id).filter_by(guild_id=guild_id, user_id=user_id))


def _update(debt: TeaDebt) -> sa.Update:
    return sa.update(tea_debts).filter_by(guild_id=debt.guild_id, id=debt.id)


def _mark_undrawn(debt: TeaDebt) -> sa.Update:
    """Mark the message of an ended game as not showing its debt, so that it is redrawn even after a crash."""
    here = (tables.c.guild_id == debt.guild_id) & (tables.c.id == debt.table_id)
    shown = (tables.c.status == "over") & tables.c.message_id.is_not(None)
    return sa.update(tables).where(here, shown).values(drawn=-1)


def _fetch(
    connection: Connection, guild_id: int, question: sa.Executable, debt_id: str
) -> tuple[Sequence[RowMapping], defaultdict[int, dict[int, bool]]]:
    """Run a query; return its rows, and for each debt in its column `debt_id` the creditors and who forgives."""
    rows = connection.execute(question).mappings().all()
    creditors_of: defaultdict[int, dict[int, bool]] = defaultdict(dict)
    wanted = sorted({row[debt_id] for row in rows})
    for start in range(0, len(wanted), _AT_ONCE):
        some = tea_creditors.c.debt_id.in_(wanted[start : start + _AT_ONCE])
        select = sa.select(tea_creditors.c.debt_id, tea_creditors.c.user_id, tea_creditors.c.forgives)
        select = select.where(tea_creditors.c.guild_id == guild_id, some).order_by(tea_creditors.c.user_id)
        for debt, user_id, forgives in connection.execute(select):
            creditors_of[debt][user_id] = forgives
    return rows, creditors_of


def _debt(row: RowMapping, creditors: Mapping[int, bool]) -> TeaDebt:
    forgiven_by = tuple(user for user, forgives in creditors.items() if forgives)
    return TeaDebt.model_validate({**row, "creditor_ids": tuple(creditors), "forgiven_by": forgiven_by})


def _line(row: RowMapping, creditors: tuple[int, ...]) -> DebtLine:
    names = ("debt_id", "debtor_id", "forfeit", "deed", "state", "user_id", "at")
    return DebtLine(number=row["n"], creditor_ids=creditors, **{name: row[name] for name in names})
