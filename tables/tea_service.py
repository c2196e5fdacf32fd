"""Tea debts: list them, mark one served or forgiven, undo that, correct it, remind the debtor.

A debt is settled as a whole: one creditor can mark it served, but all must agree to forgive it. Whoever manages the
server can correct it at any time. How a debt changes is decided by the pure functions below the service.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeAlias

import structlog

from data.errors import ConflictError, DoubledError, UnavailableError
from data.tea_models import DebtState, Deed, TeaDebt
from tables.doorway import Doorway, uncancellable
from tables.loaded import LoadedTable
from tables.snapshots import Decline, Declined, Request, Undoable, declines, declining

Decide: TypeAlias = Callable[[TeaDebt, datetime], TeaDebt]
Save: TypeAlias = Callable[[TeaDebt, TeaDebt, datetime], Awaitable[None]]
UNDO: Final = timedelta(minutes=10)
"""How long creditors can undo that a debt was served or forgiven."""
REMIND: Final = timedelta(hours=24)
"""The shortest time between two reminders of a debt."""
_TRIES: Final = 12
"""How often to try when changes conflict. A debt has at most this many creditors, who may all press at once."""
_log = structlog.get_logger(__name__)


@declining
class TeaService:
    """Debts of lost games. A click that is delivered twice is applied once.

    All methods raise `Declined` with SAVING_FAILED. Those that change a debt are for its creditors, unless the
    docstring says otherwise, and raise it also with UNKNOWN_DEBT, OWN_DEBT or NOT_A_CREDITOR, ALREADY_SETTLED and
    CLOSING. The docstring of each method lists its other reasons.
    """

    def __init__(self, doorway: Doorway) -> None:
        """Debts need no lock of the doorway: the store compares them with what was read."""
        self._doorway, self._rows, self._clicks = doorway, doorway.store.tea, doorway.store.clicks
        # What is owed, and what was done about it: the queries of the store.
        self.owing = declines(self._rows.owing)
        self.owed_to = declines(self._rows.owed_to)
        self.between = declines(self._rows.between)
        self.tallies = declines(self._rows.tallies)
        self.newest = declines(self._rows.newest)
        self.all = declines(self._rows.all)
        self.history = declines(self._rows.history)

    async def debt(self, guild_id: int, debt_id: int) -> TeaDebt:
        """One debt. Declined: UNKNOWN_DEBT."""
        debt = await self._rows.get(guild_id, debt_id)
        if debt is None:
            raise Declined(Decline.UNKNOWN_DEBT)
        return debt

    async def undoable(self, guild_id: int, user_id: int) -> Undoable | None:
        """The settlement that a creditor can undo now, if any."""
        debt = await self._rows.settled_last(guild_id, user_id)
        if debt is None or debt.settled_at is None or self._doorway.now() - debt.settled_at > UNDO:
            return None
        return Undoable(debt, debt.settled_at + UNDO)

    # -- settling

    async def serve(self, request: Request, debt_id: int) -> TeaDebt:
        """Mark a debt served."""
        return await self._change(request, debt_id, lambda debt, now: serve(debt, request.user.id, now))

    async def forgive(self, request: Request, debt_id: int) -> TeaDebt:
        """Forgive a debt for one creditor; it is settled when all of them have. Declined: ALREADY_FORGIVEN."""
        return await self._change(request, debt_id, lambda debt, now: forgive(debt, request.user.id, now))

    async def withdraw(self, request: Request, debt_id: int) -> TeaDebt:
        """Take back that a creditor forgives an open debt. Declined: NOT_FORGIVEN."""
        return await self._change(request, debt_id, lambda debt, _now: withdraw(debt, request.user.id))

    async def undo(self, request: Request, debt_id: int, *, seen: int = 0) -> TeaDebt:
        """Undo what the creditors of a debt settled, within `UNDO`. `seen`: how many changes they saw, 0 for any.

        Declined: ALREADY_UNDONE, NOTHING_TO_UNDO, TOO_LATE.
        """
        return await self._change(request, debt_id, lambda debt, now: undo(debt, request.user.id, now, seen=seen))

    async def correct(self, request: Request, debt_id: int, state: DebtState, *, seen: int) -> TeaDebt:
        """Set the state of a debt, for a manager of the server, at any time. `seen`: how many changes they saw.

        The caller checks that it is a manager. Declined: ALREADY_SO, DEBT_CHANGED.
        """
        user_id = request.user.id
        return await self._change(request, debt_id, lambda debt, now: correct(debt, state, user_id, now, seen=seen))

    async def remind(self, request: Request, debt_id: int) -> TeaDebt:
        """Record a reminder by a creditor, at most one in `REMIND`. The caller sends it to the debtor.

        Declined: REMINDED_ALREADY, NOBODY_TO_REMIND, WANTS_NO_REMINDER.
        """

        async def save(before: TeaDebt, _after: TeaDebt, now: datetime) -> None:
            if (await self._doorway.store.people.get(request.guild_id, before.debtor_id)).quiet:
                raise Declined(Decline.WANTS_NO_REMINDER)
            noting = self._rows.remind(before, now, interaction_id=request.id)
            await self._clicks.confirm(noting, request.guild_id, request.id, unsaid=None)

        return await self._change(request, debt_id, lambda debt, now: remind(debt, request.user.id, now), save)

    async def _change(self, request: Request, debt_id: int, decide: Decide, save: Save | None = None) -> TeaDebt:
        """Save a debt as changed by `decide`, which is called again if somebody else was faster."""
        self._doorway.require_not_closing()
        for _ in range(_TRIES):
            before = await self.debt(request.guild_id, debt_id)
            if request.table_id not in {0, before.table_id}:  # after a return to an older copy, numbers are given again
                raise Declined(Decline.UNKNOWN_DEBT)
            now = self._doorway.now()
            try:
                after = decide(before, now)
            except Declined:
                # A redelivered click may look illegal because it already succeeded.
                if await self._doorway.was_applied(request):
                    return before
                raise
            try:
                await (save or partial(self._committed, request))(before, after, now)
            except DoubledError:
                return await self.debt(request.guild_id, debt_id)
            except ConflictError:
                continue
            return after
        raise Declined(Decline.SAVING_FAILED)

    @uncancellable
    async def _committed(self, request: Request, before: TeaDebt, after: TeaDebt, now: datetime) -> None:
        saving = self._rows.save(before, after, request.user.id, now, interaction_id=request.id)
        is_shown = await self._clicks.confirm(saving, request.guild_id, request.id, unsaid=True)
        if after.state != before.state:
            await self._show_settled(after, is_shown=is_shown)

    async def _show_settled(self, debt: TeaDebt, *, is_shown: bool) -> None:
        """Show a debt's new state at its table, without words that were deleted. A message that is gone stays gone."""

        async def settled(loaded: LoadedTable) -> LoadedTable:
            known = loaded.debt
            newer = known is not None and known.id == debt.id and known.changes < debt.changes
            table = loaded.table.but(forfeit=debt.forfeit) if debt.state == "cancelled" else loaded.table
            return loaded.but(debt=debt if newer else known, table=table)

        self._doorway.learn(debt.guild_id, debt.table_id)
        try:
            loaded = await self._doorway.refresh(debt.table_id, settled)
        except (Declined, UnavailableError) as error:
            _log.warning("the end of a game could not be redrawn with its debt", table=debt.table_id, why=str(error))
            return
        if is_shown and loaded.table.message_id is not None:
            self._doorway.publish(loaded)


# -- decisions: pure functions that take a debt and return it changed


def serve(debt: TeaDebt, user_id: int, at: datetime) -> TeaDebt:
    """Mark a debt served, for a creditor."""
    _check_open(debt, user_id)
    return _changed(debt, "served", state="served", settled=(user_id, at))


def forgive(debt: TeaDebt, user_id: int, at: datetime) -> TeaDebt:
    """Forgive a debt for a creditor; it is settled once all creditors have, leaving out former players."""
    _check_open(debt, user_id)
    given = debt.but(forgiven_by=tuple(sorted({*debt.forgiven_by, user_id})))
    if not given.awaited:
        return _changed(given, "forgiven", state="forgiven", settled=(user_id, at))
    if user_id in debt.forgiven_by:
        raise Declined(Decline.ALREADY_FORGIVEN)
    return _changed(given, "forgiven", state="owed")


def withdraw(debt: TeaDebt, user_id: int) -> TeaDebt:
    """Take back that a creditor forgives an open debt."""
    _check_open(debt, user_id)
    if user_id not in debt.forgiven_by:
        raise Declined(Decline.NOT_FORGIVEN)
    return _changed(_unforgiven_by(debt, user_id), "withdrawn", state="owed")


def undo(debt: TeaDebt, user_id: int, at: datetime, *, seen: int) -> TeaDebt:
    """Undo what creditors settled last, for one of them; this person then no longer forgives the debt."""
    _check_creditor(debt, user_id)
    if debt.deed == "undone":
        raise Declined(Decline.ALREADY_UNDONE)
    if debt.state == "owed" or debt.deed not in {"served", "forgiven"} or seen not in {0, debt.changes}:
        raise Declined(Decline.NOTHING_TO_UNDO)
    if debt.settled_at is None or at - debt.settled_at > UNDO:
        raise Declined(Decline.TOO_LATE)
    reopened = _unforgiven_by(debt, user_id) if debt.state == "forgiven" else debt
    return _changed(reopened, "undone", state="owed")


def correct(debt: TeaDebt, state: DebtState, user_id: int, at: datetime, *, seen: int) -> TeaDebt:
    """Set the state of a debt, for a manager of the server; creditors who forgave it are asked again."""
    if seen != debt.changes:
        raise Declined(Decline.DEBT_CHANGED)
    if state == debt.state:
        raise Declined(Decline.ALREADY_SO)
    settled = None if state == "owed" else (user_id, at)
    # What somebody typed may be why a debt is cancelled, so a sign takes the place of the words, also in its history.
    forfeit = "…" if state == "cancelled" and debt.forfeit else debt.forfeit
    return _changed(debt.but(forgiven_by=(), forfeit=forfeit), "corrected", state=state, settled=settled)


def remind(debt: TeaDebt, user_id: int, at: datetime) -> TeaDebt:
    """Have the debtor reminded, for a creditor."""
    _check_open(debt, user_id)
    if debt.debtor_id < 0:
        raise Declined(Decline.NOBODY_TO_REMIND)
    if debt.reminded_at is not None and abs(at - debt.reminded_at) < REMIND:
        raise Declined(Decline.REMINDED_ALREADY)
    return debt.but(reminded_at=at)


def _check_creditor(debt: TeaDebt, user_id: int) -> None:
    if user_id not in debt.creditor_ids:
        raise Declined(Decline.OWN_DEBT if user_id == debt.debtor_id else Decline.NOT_A_CREDITOR)


def _check_open(debt: TeaDebt, user_id: int) -> None:
    _check_creditor(debt, user_id)
    if debt.state != "owed":
        raise Declined(Decline.ALREADY_SETTLED)


def _unforgiven_by(debt: TeaDebt, user_id: int) -> TeaDebt:
    return debt.but(forgiven_by=tuple(creditor for creditor in debt.forgiven_by if creditor != user_id))


def _changed(debt: TeaDebt, deed: Deed, *, state: DebtState, settled: tuple[int, datetime] | None = None) -> TeaDebt:
    """The debt after a deed that led to this state. `settled`: by whom and when, None for an open debt."""
    settled_by, settled_at = settled or (None, None)
    return debt.but(deed=deed, state=state, settled_by=settled_by, settled_at=settled_at, changes=debt.changes + 1)
