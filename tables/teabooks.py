"""The doorway to the books of the tea: what is owed, what was done, what it all comes to. Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from data.tea import DebtLine, Tally, TeaDebt
from tables.asking import asking
from tables.debts import UNDO
from tables.doorway import Doorway
from tables.snapshots import Decline, Declined

_LARGEST = 1 << 63


@dataclass(frozen=True, slots=True)
class Undoable:
    """A debt that creditors settled a moment ago, and until when they can take that back."""

    debt: TeaDebt
    until: datetime


class TeaBooks(Doorway):
    """Questions about the debts of lost games."""

    async def owed(self, guild_id: int) -> list[TeaDebt]:
        """All open debts of a server, oldest first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.tea.owed(guild_id)

    async def debts_to(self, guild_id: int, user_id: int) -> list[TeaDebt]:
        """The open debts of which somebody is a creditor, oldest first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.tea.owed_to(guild_id, user_id)

    async def debts_of(self, guild_id: int, user_id: int) -> list[TeaDebt]:
        """The open debts of which somebody is debtor or creditor, oldest first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.tea.of_person(guild_id, user_id)

    async def all_debts(self, guild_id: int, limit: int | None = None, *, skip: int = 0) -> list[TeaDebt]:
        """All debts of a server, settled ones too, the newest first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.tea.newest(guild_id, limit, skip=skip)

    async def debt(self, guild_id: int, debt_id: int) -> TeaDebt:
        """One of them.

        Raises:
            Declined: there is none of this number, or the store does not answer.
        """
        with asking():
            debt = await self._store.tea.get(guild_id, debt_id) if 0 < debt_id < _LARGEST else None
        if debt is None:
            raise Declined(Decline.UNKNOWN_DEBT)
        return debt

    async def debt_history(
        self, guild_id: int, limit: int, *, skip: int = 0, user_id: int | None = None, debt_id: int | None = None
    ) -> list[DebtLine]:
        """What was done to the debts of a server, newest first; to those of one person or to one debt, if asked.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.tea.history(guild_id, limit, skip=skip, user_id=user_id, debt_id=debt_id)

    async def tallies(self, guild_id: int) -> list[Tally]:
        """What the debts of everybody come to who wants statistics.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.tea.tallies(guild_id)

    async def undoable(self, guild_id: int, user_id: int) -> Undoable | None:
        """What a creditor can take back now.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            debt = await self._store.tea.settled_last(guild_id, user_id)
        if debt is None or debt.settled_at is None or self._now() - debt.settled_at > UNDO:
            return None
        return Undoable(debt, debt.settled_at + UNDO)
