"""All debts as a CSV file (RFC 4180, UTF-8 with a mark that spreadsheets know it by). People by number: no names."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from datetime import datetime
from io import StringIO
from typing import Final

from data.tea_models import TeaDebt

FILE: Final = "tea.csv"
COLUMNS: Final = ("id", "date", "debtor", "creditors", "forfeit", "state", "settled_at", "settled_by")
TEA: Final = "tea"
_MARK: Final = "\ufeff"
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def debts_file(debts: Iterable[TeaDebt]) -> bytes:
    """A row for each debt, in the order given."""
    out = StringIO(newline="")
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(COLUMNS)
    table.writerows(_row(debt) for debt in debts)
    return (_MARK + out.getvalue()).encode()


def _row(debt: TeaDebt) -> list[str]:
    return [
        str(debt.id),
        _moment(debt.made_at),
        _person(debt.debtor_id),
        " ".join(map(_person, debt.creditor_ids)),
        _text(debt.forfeit or TEA),
        debt.state,
        _moment(debt.settled_at) if debt.settled_at else "",
        _person(debt.settled_by) if debt.settled_by else "",
    ]


def _person(user_id: int) -> str:
    """Discord's number of a person; who was forgotten has none."""
    return str(user_id) if user_id > 0 else f"former-{-user_id}"


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="seconds")


def _text(free: str) -> str:
    """Free text that no spreadsheet takes for a formula."""
    return f"'{free}" if free.startswith(_FORMULAS) else free
