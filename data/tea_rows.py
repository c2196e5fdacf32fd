"""Queries about debts: who owes whom, who settled what and when.

Every change of a debt adds a numbered line to its history. It is stored only if the debt is still as it was read, which
is compared under a lock: so of two concurrent changes only one is stored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from data.database import Rows
from data.errors import ConflictError
from data.models import LARGEST_ID, Table
from data.schema import of_debt, preferences, tables, tea_creditors, tea_debts, tea_history
from data.tea_models import DebtLine, DebtPage, Forfeits, Owing, Tally, TeaDebt

_AT_ONCE: Final = 1_000  # debts that are read together
_LINES: Final = sa.select(tea_history.c.n).where(of_debt(tea_history)).order_by(tea_history.c.n.desc()).limit(1)
_CHANGES: Final = _LINES.correlate(tea_debts).scalar_subquery()
_DEED: Final = _LINES.with_only_columns(tea_history.c.deed).correlate(tea_debts).scalar_subquery()
_OWED: Final = tea_debts.c.state == "owed"
_SHOWS_FORFEIT: Final = tables.c.status.in_(("lobby", "over")) & tables.c.message_id.is_not(None)
_SETTLED: Final = {"state", "settled_at", "settled_by", "forfeit"}  # what settling a debt changes in its row
_DEBTOR, _FORFEIT, _CREDITOR = tea_debts.c.debtor_id, tea_debts.c.forfeit, tea_creditors.c.user_id


class TeaRows(Rows):
    """Debts of tea, or of another forfeit that the table agreed on."""

    async def get(self, guild_id: int, debt_id: int) -> TeaDebt | None:
        """The debt with this id in a server."""
        if not 0 < debt_id <= LARGEST_ID:
            return None
        debts = await self._database.read(partial(_debts, guild_id, tea_debts.c.id == debt_id))
        return debts[0] if debts else None

    async def of_game(self, table: Table, game: int) -> TeaDebt | None:
        """The debt that a game led to."""
        where = (tea_debts.c.table_id == table.id) & (tea_debts.c.game == game)
        debts = await self._database.read(partial(_debts, table.guild_id, where))
        return debts[0] if debts else None

    async def owing(self, guild_id: int) -> list[Owing]:
        """What everybody in a server owes: first who owes most; if several do, who has for the longest time."""
        since = sa.func.min(tea_debts.c.made_at)
        debtors = sa.select(_DEBTOR, since).where(tea_debts.c.guild_id == guild_id, _OWED).group_by(_DEBTOR)
        in_order = debtors.order_by(sa.func.count().desc(), since, sa.func.min(tea_debts.c.id))

        def work(connection: Connection) -> list[Owing]:
            forfeits = _counted(guild_id, _DEBTOR, _FORFEIT, sa.true(), connection)
            creditors = _counted(guild_id, _DEBTOR, _CREDITOR, sa.true(), connection)
            return [Owing(user, forfeits[user], creditors[user], at) for user, at in connection.execute(in_order)]

        return await self._database.read(work, slow=True)

    async def between(self, guild_id: int, user_id: int) -> tuple[Forfeits, Forfeits]:
        """How many of each forfeit the others owe a person, and how many the person owes each of them."""
        theirs = partial(_counted, guild_id, _DEBTOR, _FORFEIT, tea_creditors.c.user_id == user_id)
        mine = partial(_counted, guild_id, _CREDITOR, _FORFEIT, tea_debts.c.debtor_id == user_id)
        return await self._database.read(lambda connection: (theirs(connection), mine(connection)), slow=True)

    async def owed_to(self, guild_id: int, user_id: int, *, page: int, most: int) -> DebtPage:
        """A page with `most` of the open debts to a person, oldest first, or the last page if there are fewer."""
        theirs = _OWED & is_owed_to(guild_id, user_id)
        counted = sa.select(sa.func.count(), sa.func.max(_FORFEIT)).where(tea_debts.c.guild_id == guild_id, theirs)

        def work(connection: Connection) -> DebtPage:
            count, forfeit = connection.execute(counted).one()
            pages = max(1, -(-count // most))
            shown = min(page, pages - 1)
            debts = _debts(guild_id, theirs, connection, limit=most, skip=shown * most)
            return DebtPage(debts, shown, pages, forfeit or "")

        return await self._database.read(work)

    async def settled_last(self, guild_id: int, user_id: int) -> TeaDebt | None:
        """Of the debts that were owed to a person, the one that creditors (not managers of the server) settled last."""
        settled = ~_OWED & _DEED.in_(("served", "forgiven")) & is_owed_to(guild_id, user_id)
        order = (tea_debts.c.settled_at.desc(), tea_debts.c.id.desc())
        debts = await self._database.read(partial(_debts, guild_id, settled, order=order, limit=1))
        return debts[0] if debts else None

    async def newest(self, guild_id: int, limit: int, *, skip: int = 0) -> list[TeaDebt]:
        """All debts of a server, newest first, leaving out the first `skip`; at most `limit`."""
        order = (tea_debts.c.id.desc(),)
        return await self._database.read(partial(_debts, guild_id, sa.true(), order=order, limit=limit, skip=skip))

    async def all(self, guild_id: int) -> list[TeaDebt]:
        """All debts of a server, oldest first; read in parts, so that others need not wait for thousands."""
        debts, last = list[TeaDebt](), 0
        while some := await self._database.read(partial(_debts, guild_id, tea_debts.c.id > last, limit=_AT_ONCE)):
            debts += some
            last = some[-1].id
        return debts

    async def save(self, before: TeaDebt, after: TeaDebt, user_id: int, at: datetime, *, interaction_id: int) -> bool:
        """Store a person's change of a debt, with a line of its history; whether a message must be redrawn for it.

        Raises:
            DoubledError: the interaction was applied before.
            ConflictError: the debt was changed after `before` was read.
        """
        key = {"guild_id": after.guild_id, "debt_id": after.id}
        line = {**key, "n": after.changes, "state": after.state, "user_id": user_id, "at": at, "deed": after.deed}

        def work(connection: Connection) -> bool:
            self._database.apply_click(connection, after.guild_id, interaction_id, at)
            table = sa.update(tables).filter_by(guild_id=after.guild_id, id=after.table_id)
            is_shown = False
            if before.state != after.state:  # first, as it locks the table; it is redrawn even after a crash
                is_shown = connection.execute(table.where(_shows(before, after)).values(drawn=-1)).rowcount > 0
            if before.forfeit != after.forfeit:
                connection.execute(table.values(forfeit=after.forfeit))
            this = tea_debts.c.id == after.id
            lock_debts(connection, after.guild_id, this)
            # The history does not tell that somebody was forgotten, whose id must not be written down again.
            if _debts(after.guild_id, this, connection) != [before]:
                raise ConflictError
            connection.execute(_update(after).values(after.model_dump(include=_SETTLED)))
            connection.execute(sa.insert(tea_history), line)
            creditors = sa.update(tea_creditors).filter_by(**key)
            connection.execute(creditors.values(forgives=_CREDITOR.in_(after.forgiven_by)))
            return is_shown

        return await self._database.write(work)

    async def remind(self, debt: TeaDebt, at: datetime, *, interaction_id: int) -> None:
        """Record a reminder to the debtor of an open debt, unless there was one after `debt` was read.

        Raises:
            DoubledError: the interaction was applied before.
            ConflictError: there was one, or the debt is no longer open.
        """
        is_last = tea_debts.c.reminded_at.is_not_distinct_from(debt.reminded_at)

        def work(connection: Connection) -> None:
            self._database.apply_click(connection, debt.guild_id, interaction_id, at)
            if connection.execute(_update(debt).where(_OWED & is_last).values(reminded_at=at)).rowcount != 1:
                raise ConflictError

        await self._database.write(work)

    async def history(
        self, guild_id: int, limit: int, *, skip: int = 0, user_id: int | None = None, debt_id: int | None = None
    ) -> list[DebtLine]:
        """The history of a server's debts, newest line first, leaving out the first `skip`; at most `limit` lines.

        `user_id` selects the lines of debts that this person owes or is owed, and lines of theirs; `debt_id` one debt.
        """
        own = (tea_history.c[name] for name in ("debt_id", "deed", "state", "user_id", "at"))
        lines = sa.select(*own, tea_history.c.n.label("number"), _DEBTOR, _FORFEIT)
        select = lines.join(tea_debts, of_debt(tea_history)).where(tea_history.c.guild_id == guild_id)
        if user_id is not None:
            mine = (tea_debts.c.debtor_id == user_id) | (tea_history.c.user_id == user_id)
            select = select.where(mine | is_owed_to(guild_id, user_id))
        if debt_id is not None:
            select = select.where(tea_history.c.debt_id == debt_id)
        order = (tea_history.c.at.desc(), tea_history.c.debt_id.desc(), tea_history.c.n.desc())
        select = select.order_by(*order).limit(limit).offset(skip)
        rows, creditors = await self._database.read(lambda connection: _fetch(connection, guild_id, select, "debt_id"))
        return [DebtLine(**row, creditor_ids=tuple(creditors[row["debt_id"]])) for row in rows]

    async def tallies(self, guild_id: int) -> list[Tally]:
        """The tallies of everybody who has not opted out of statistics; former players have none."""
        of_guild, state = tea_debts.c.guild_id == guild_id, tea_debts.c.state
        known = state.in_(("owed", "served", "forgiven"))  # those that `Tally` counts
        owes = sa.select(_DEBTOR, state, sa.func.count()).where(of_guild, known).group_by(_DEBTOR, state)
        receives = sa.select(_CREDITOR, sa.literal("received"), sa.func.count()).where(of_guild, state == "served")
        receives = receives.join(tea_debts, of_debt(tea_creditors)).group_by(_CREDITOR)
        hidden = sa.select(preferences.c.user_id).where(preferences.c.guild_id == guild_id, preferences.c.uncounted)
        uncounted = {user for (user,) in await self._slow_tuples(hidden)}
        counted: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for user, what, count in await self._slow_tuples(sa.union_all(owes, receives)):
            counted[user][what] = count
        return [Tally(user, **counts) for user, counts in counted.items() if user > 0 and user not in uncounted]


def insert_debt(connection: Connection, id_: int, game: int, new: TeaDebt) -> TeaDebt:
    """Store the debt that a game has led to, with the first line of its history."""
    debt, key = TeaDebt.model_validate(dict(new) | {"id": id_}), {"guild_id": new.guild_id, "debt_id": id_}
    values = debt.model_dump(include={"id", "guild_id", "table_id", "debtor_id", "forfeit", "made_at", "state"})
    connection.execute(sa.insert(tea_debts), {**values, "game": game})
    creditors = [{**key, "user_id": user, "forgives": False} for user in debt.creditor_ids]
    connection.execute(sa.insert(tea_creditors), creditors)
    line = {**key, "n": 1, "state": debt.state, "user_id": None, "at": debt.made_at, "deed": debt.deed}
    connection.execute(sa.insert(tea_history), line)
    return debt


def lock_debts(connection: Connection, guild_id: int, which: sa.ColumnElement[bool]) -> None:
    """Lock debts on PostgreSQL before they are changed: until then, what is read may be about to be overwritten."""
    select = sa.select(tea_debts.c.id).where(tea_debts.c.guild_id == guild_id, which)
    connection.execute(select.order_by(tea_debts.c.id).with_for_update())


def is_owed_to(guild_id: int, user_id: int) -> sa.ColumnElement[bool]:
    """A condition for the debts that are owed to a person."""
    return tea_debts.c.id.in_(sa.select(tea_creditors.c.debt_id).filter_by(guild_id=guild_id, user_id=user_id))


def _shows(before: TeaDebt, after: TeaDebt) -> sa.ColumnElement[bool]:
    """Which message of the table shows the change: that of the game; if words are deleted, also that of a later one."""
    game = sa.select(tea_debts.c.game).filter_by(guild_id=after.guild_id, id=after.id).scalar_subquery()
    return _SHOWS_FORFEIT & (sa.true() if before.forfeit != after.forfeit else tables.c.game == game)


def _update(debt: TeaDebt) -> sa.Update:
    return sa.update(tea_debts).filter_by(guild_id=debt.guild_id, id=debt.id)


def _fetch(
    connection: Connection, guild_id: int, question: sa.Executable, debt_id: str
) -> tuple[Sequence[RowMapping], defaultdict[int, dict[int, bool]]]:
    """Run a query; return its rows, and for each debt in its column `debt_id` the creditors and who forgives."""
    rows = connection.execute(question).mappings().all()
    creditors_of: defaultdict[int, dict[int, bool]] = defaultdict(dict)
    wanted = tea_creditors.c.debt_id.in_(sorted({row[debt_id] for row in rows}))
    select = sa.select(tea_creditors.c.debt_id, _CREDITOR, tea_creditors.c.forgives)
    select = select.where(tea_creditors.c.guild_id == guild_id, wanted)
    for debt, user_id, forgives in sorted(connection.execute(select)):  # in SQL it would read those of all debts
        creditors_of[debt][user_id] = forgives
    return rows, creditors_of


def _debts(
    guild_id: int,
    where: sa.ColumnElement[bool],
    connection: Connection,
    *,
    order: Sequence[sa.ColumnElement[Any]] = (tea_debts.c.id,),
    limit: int | None = None,
    skip: int = 0,
) -> list[TeaDebt]:
    """The debts of a server for which a condition holds; `connection` follows what `partial` fills in."""
    # Not joined: PostgreSQL would join all debts to their lines before it takes those of a page.
    select = sa.select(tea_debts, _CHANGES.label("changes"), _DEED.label("deed"))
    select = select.where(tea_debts.c.guild_id == guild_id, where).order_by(*order).limit(limit).offset(skip)
    rows, creditors = _fetch(connection, guild_id, select, "id")
    return [_debt(row, creditors[row["id"]]) for row in rows]


def _counted(
    guild_id: int,
    person: sa.ColumnElement[int],
    what: sa.ColumnElement[Any],
    where: sa.ColumnElement[bool],
    connection: Connection,
) -> Mapping[int, Counter[Any]]:
    """By person in one column, how many open debts there are with each value of another; oldest debts first."""
    select = sa.select(person, what, sa.func.count(tea_debts.c.id.distinct()))
    select = select.join_from(tea_debts, tea_creditors, of_debt(tea_creditors))
    select = select.where(tea_debts.c.guild_id == guild_id, _OWED, where).group_by(person, what)
    counts: defaultdict[int, Counter[Any]] = defaultdict(Counter)
    for one, each, count in connection.execute(select.order_by(sa.func.min(tea_debts.c.id), what)):
        counts[one][each] = count
    return counts


def _debt(row: RowMapping, creditors: Mapping[int, bool]) -> TeaDebt:  # unvalidated, for states of newer versions
    forgiven_by = tuple(user for user, forgives in creditors.items() if forgives)
    return TeaDebt.model_construct(**row, creditor_ids=tuple(creditors), forgiven_by=forgiven_by)
