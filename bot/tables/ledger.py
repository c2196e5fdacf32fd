"""The doorway to the tea: who owes whom, and marking it served."""

from __future__ import annotations

from dataclasses import replace

from bot.shown import Decline, Declined
from bot.tables.doorway import Doorway
from data.errors import ConflictError, DoubledError, UnavailableError
from data.models import TeaDebt


class Ledger(Doorway):
    """Debts of lost games."""

    async def owed(self, guild_id: int) -> list[TeaDebt]:
        """All open debts of a server, oldest first.

        Raises:
            Declined: the store does not answer.
        """
        try:
            return await self._store.tea.owed(guild_id)
        except UnavailableError:
            raise Declined(Decline.SAVING_FAILED) from None

    async def debts_to(self, guild_id: int, user_id: int) -> list[TeaDebt]:
        """The open debts of which somebody is a creditor, oldest first.

        Raises:
            Declined: the store does not answer.
        """
        try:
            return await self._store.tea.owed_to(guild_id, user_id)
        except UnavailableError:
            raise Declined(Decline.SAVING_FAILED) from None

    async def history(self, guild_id: int, limit: int) -> list[TeaDebt]:
        """The debts that changed last, newest first, at most `limit`.

        Raises:
            Declined: the store does not answer.
        """
        try:
            return await self._store.tea.latest(guild_id, limit)
        except UnavailableError:
            raise Declined(Decline.SAVING_FAILED) from None

    async def serve(self, guild_id: int, debt_id: int, user_id: int, *, interaction_id: int) -> TeaDebt:
        """Mark a debt served; for any of its creditors.

        Raises:
            Declined: no such debt, not its creditor, settled already, saving failed.
        """
        if self.closing:
            raise Declined(Decline.CLOSING)
        try:
            return await self._served(guild_id, debt_id, user_id, interaction_id)
        except UnavailableError:
            raise Declined(Decline.SAVING_FAILED) from None

    async def _served(self, guild_id: int, debt_id: int, user_id: int, interaction_id: int) -> TeaDebt:
        debt = await self._store.tea.get(guild_id, debt_id) if 0 < debt_id < 1 << 63 else None
        if debt is None:
            raise Declined(Decline.UNKNOWN_DEBT)
        if user_id not in debt.creditor_ids:
            raise Declined(Decline.NOT_A_CREDITOR)
        if debt.state != "owed":
            if await self._store.tables.was_applied(guild_id, interaction_id):
                return debt
            raise Declined(Decline.ALREADY_SETTLED)
        try:
            settled = await self._store.tea.settle(debt, "served", user_id, self._now(), interaction_id=interaction_id)
        except DoubledError:
            return await self._store.tea.get(guild_id, debt_id) or debt
        except ConflictError:
            raise Declined(Decline.ALREADY_SETTLED) from None
        await self._show_settled(settled)
        return settled

    async def _show_settled(self, debt: TeaDebt) -> None:
        async with self._lives.lock(debt.table_id):
            live = self._lives.peek(debt.table_id)
            if live is None or live.debt is None or live.debt.id != debt.id:
                return
            live = replace(live, debt=debt)
            self._lives.keep(live)
            self._publish(live)
