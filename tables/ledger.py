"""The doorway to the tea: marking a debt served or forgiven, taking that back, correcting it, reminding of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import structlog

from data.errors import ConflictError, DoubledError
from data.tea import DebtState, TeaDebt
from tables.asking import asking
from tables.debts import REMIND, check_reminder, correct, forgive, serve, undo, withdraw
from tables.doorway import to_the_end
from tables.snapshots import Decline, Declined
from tables.teabooks import TeaBooks

Settle: TypeAlias = Callable[[TeaDebt], TeaDebt]

_TRIES: Final = 12
"""A debt has at most so many creditors who may all press at once."""
_log = structlog.get_logger(__name__)


class Ledger(TeaBooks):
    """Debts of lost games. What was done once is not done again when it is delivered a second time."""

    async def serve(self, guild_id: int, debt_id: int, user_id: int, *, interaction_id: int) -> TeaDebt:
        """Mark a debt served; for any of its creditors.

        Raises:
            Declined: no such debt, not its creditor, settled already, saving failed.
        """
        return await self._settle(
            guild_id, debt_id, user_id, interaction_id, lambda debt: serve(debt, user_id, self._now())
        )

    async def forgive(self, guild_id: int, debt_id: int, user_id: int, *, interaction_id: int) -> TeaDebt:
        """Note that a creditor forgives a debt; it is settled when all of them do.

        Raises:
            Declined: no such debt, not its creditor, settled or forgiven by them already, saving failed.
        """
        return await self._settle(
            guild_id, debt_id, user_id, interaction_id, lambda debt: forgive(debt, user_id, self._now())
        )

    async def withdraw(self, guild_id: int, debt_id: int, user_id: int, *, interaction_id: int) -> TeaDebt:
        """Note that a creditor does not forgive an open debt after all.

        Raises:
            Declined: no such debt, not its creditor, settled already, not forgiven by them, saving failed.
        """
        return await self._settle(guild_id, debt_id, user_id, interaction_id, lambda debt: withdraw(debt, user_id))

    async def undo(
        self, guild_id: int, user_id: int, *, debt_id: int = 0, seen: int = 0, interaction_id: int
    ) -> TeaDebt:
        """Take back what creditors settled, for any of them, within `debts.UNDO`.

        `debt_id` 0 is the last one that was owed to the asker; `seen` as in `debts.undo`.

        Raises:
            Declined: nothing to undo, too late, no such debt, not its creditor, saving failed.
        """
        if not debt_id:
            with asking():
                last = await self._store.tea.settled_last(guild_id, user_id)
            if last is None:
                raise Declined(Decline.NOTHING_TO_UNDO)
            debt_id = last.id
        return await self._settle(
            guild_id, debt_id, user_id, interaction_id, lambda debt: undo(debt, user_id, self._now(), seen=seen)
        )

    async def correct(
        self,
        guild_id: int,
        debt_id: int,
        state: DebtState,
        *,
        user_id: int,
        moderator: bool,
        seen: int,
        interaction_id: int,
    ) -> TeaDebt:
        """Put a debt right, for moderators, at any time; `seen` is the number of changes that they saw.

        Raises:
            Declined: not a moderator, no such debt, so already, changed meanwhile, saving failed.
        """
        if not moderator:
            raise Declined(Decline.NOT_A_MODERATOR)
        return await self._settle(
            guild_id,
            debt_id,
            user_id,
            interaction_id,
            lambda debt: correct(debt, state, user_id, self._now(), seen=seen),
        )

    async def remind(self, guild_id: int, debt_id: int, user_id: int, *, interaction_id: int) -> TeaDebt:
        """Note that a creditor has the debtor reminded, once in `debts.REMIND`; what to say is the caller's.

        Raises:
            Declined: no such debt, not its creditor, settled, reminded of or unwanted, saving failed.
        """
        if self.closing:
            raise Declined(Decline.CLOSING)
        debt, now = await self.debt(guild_id, debt_id), self._now()
        check_reminder(debt, user_id, now)
        with asking():
            if (await self._store.people.get(guild_id, debt.debtor_id)).quiet:
                raise Declined(Decline.WANTS_NO_REMINDER)
            try:
                await self._store.tea.remind(debt, now, not_since=now - REMIND, interaction_id=interaction_id)
            except (ConflictError, DoubledError):
                raise Declined(Decline.REMINDED_ALREADY) from None
        return debt.model_copy(update={"reminded_at": now})

    async def _settle(self, guild_id: int, debt_id: int, user_id: int, interaction_id: int, settle: Settle) -> TeaDebt:
        """Store what `settle` makes of a debt; thought over again where somebody else was faster."""
        if self.closing:
            raise Declined(Decline.CLOSING)
        for _ in range(_TRIES):
            before = await self.debt(guild_id, debt_id)
            with asking():
                try:
                    after = settle(before)
                except Declined:
                    # What was done already may look forbidden when it is delivered a second time.
                    if await self._store.tables.was_applied(guild_id, interaction_id):
                        return before
                    raise
                try:
                    await to_the_end(self._committed_debt(before, after, user_id, interaction_id))
                except DoubledError:
                    return await self.debt(guild_id, debt_id)
                except ConflictError:
                    continue
            return after
        raise Declined(Decline.SAVING_FAILED)

    async def _committed_debt(self, before: TeaDebt, after: TeaDebt, user_id: int, interaction_id: int) -> None:
        await self._store.tea.save(before, after, user_id, self._now(), interaction_id=interaction_id)
        if after.state != before.state:
            await self._show_settled(after)

    async def _show_settled(self, debt: TeaDebt) -> None:
        """Have the end of the game say what became of its debt."""
        self._cache.learn(debt.table_id, debt.guild_id)
        try:
            async with self._cache.lock(debt.table_id):
                loaded = await self._cache.load(debt.table_id)
                if loaded.debt is None or loaded.debt.id != debt.id:
                    return
                if loaded.debt.changes < debt.changes:
                    loaded = replace(loaded, debt=debt)
                    self._cache.keep(loaded)
                if loaded.table.message_id is not None:  # else it is not posted anew for the sake of the debt
                    self._publish(loaded)
        except Declined as declined:
            _log.warning("the end of a game does not show its debt", table=debt.table_id, why=declined.why.value)
