"""What may be done to a debt, by whom and until when. Pure: a debt in, the debt as it is then out.

A debt is settled as a whole: served by the word of one creditor, forgiven by the word of all. Only a moderator is bound
by neither word nor time.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from data.tea_models import DebtState, Deed, TeaDebt
from tables.snapshots import Decline, Declined

UNDO: Final = timedelta(minutes=10)
"""For how long creditors can take back that a debt is served or forgiven."""
REMIND: Final = timedelta(hours=24)
"""How long after a reminder of a debt there may be another."""


def serve(debt: TeaDebt, user_id: int, at: datetime) -> TeaDebt:
    """A creditor says that it is paid. Declined: not their debt, or settled already."""
    _check_open(debt, user_id)
    return _done(debt, "served", "served", (user_id, at))


def forgive(debt: TeaDebt, user_id: int, at: datetime) -> TeaDebt:
    """A creditor gives it up; it is forgiven once nobody who can be asked is missing.

    Declined: not their debt, settled already, or they have said so.
    """
    _check_open(debt, user_id)
    given = debt.but(forgiven_by=tuple(sorted({*debt.forgiven_by, user_id})))
    if not given.awaited:
        return _done(given, "forgiven", "forgiven", (user_id, at))
    if user_id in debt.forgiven_by:
        raise Declined(Decline.ALREADY_FORGIVEN)
    return _done(given, "forgiven", "owed")


def withdraw(debt: TeaDebt, user_id: int) -> TeaDebt:
    """A creditor does not forgive it after all.

    Declined: not their debt, settled already, or they have not forgiven it.
    """
    _check_open(debt, user_id)
    if user_id not in debt.forgiven_by:
        raise Declined(Decline.NOT_FORGIVEN)
    return _done(_without(debt, user_id), "withdrawn", "owed")


def undo(debt: TeaDebt, user_id: int, at: datetime, *, seen: int = 0) -> TeaDebt:
    """Any creditor takes back what creditors settled last; who does so does not forgive it any more.

    `seen` is the number of changes that the debt had when this was asked for, 0 for whatever it has.

    Declined: not their debt, too late, or settled by nobody, a moderator or somebody else meanwhile.
    """
    _check_creditor(debt, user_id)
    if debt.state == "owed" or debt.deed not in {"served", "forgiven"} or seen not in {0, debt.changes}:
        raise Declined(Decline.NOTHING_TO_UNDO)
    if debt.settled_at is None or at - debt.settled_at > UNDO:
        raise Declined(Decline.TOO_LATE)
    return _done(_without(debt, user_id) if debt.state == "forgiven" else debt, "undone", "owed")


def correct(debt: TeaDebt, state: DebtState, user_id: int, at: datetime, *, seen: int) -> TeaDebt:
    """A moderator puts it right, whatever it was; who forgave it is asked anew.

    `seen` is the number of changes that the moderator saw.

    Declined: it is so already, or was changed since it was seen.
    """
    if seen != debt.changes:
        raise Declined(Decline.DEBT_CHANGED)
    if state == debt.state:
        raise Declined(Decline.ALREADY_SO)
    return _done(debt.but(forgiven_by=()), "corrected", state, (user_id, at))


def check_reminder(debt: TeaDebt, user_id: int, at: datetime) -> None:
    """Whether a creditor may have the debtor reminded now.

    Declined: not their debt, settled already, done within a day, or nobody is there to remind.
    """
    _check_open(debt, user_id)
    if debt.debtor_id < 0:
        raise Declined(Decline.NOBODY_TO_REMIND)
    if debt.reminded_at is not None and at - debt.reminded_at < REMIND:
        raise Declined(Decline.REMINDED_ALREADY)


def _check_creditor(debt: TeaDebt, user_id: int) -> None:
    if user_id not in debt.creditor_ids:
        raise Declined(Decline.NOT_A_CREDITOR)


def _check_open(debt: TeaDebt, user_id: int) -> None:
    _check_creditor(debt, user_id)
    if debt.state != "owed":
        raise Declined(Decline.ALREADY_SETTLED)


def _without(debt: TeaDebt, user_id: int) -> TeaDebt:
    return debt.but(forgiven_by=tuple(each for each in debt.forgiven_by if each != user_id))


def _done(debt: TeaDebt, deed: Deed, state: DebtState, settled: tuple[int, datetime] | None = None) -> TeaDebt:
    by, at = settled if settled and state != "owed" else (None, None)
    return debt.but(deed=deed, state=state, settled_by=by, settled_at=at, changes=debt.changes + 1)
