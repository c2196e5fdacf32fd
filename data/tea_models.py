"""Debts as plain values: a debt, a line of its history, the tally of a person.

Ids of people are Discord's, or below 0 for former players. Times are aware and in UTC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, TypedDict, Unpack

from pydantic import BaseModel

DebtState: TypeAlias = Literal["owed", "served", "forgiven", "cancelled"]
Deed: TypeAlias = Literal["made", "served", "forgiven", "withdrawn", "undone", "corrected"]
"""What was done to a debt. `forgiven`: one creditor forgave it; `withdrawn`: they took that back; `undone`: a creditor
took a settlement back; `corrected`: a manager of the server set the state."""

Forfeits: TypeAlias = Mapping[int, Counter[str]]
"""How many of each forfeit, by person."""


class DebtChanges(TypedDict, total=False):
    """The fields of `TeaDebt` that can change."""

    forfeit: str
    state: DebtState
    settled_at: datetime | None
    settled_by: int | None
    forgiven_by: tuple[int, ...]
    reminded_at: datetime | None
    changes: int
    deed: Deed


class TeaDebt(BaseModel, frozen=True):
    """One lost game: the debtor owes each of `creditor_ids` the forfeit. `id` is 0 until it is stored.

    `forgiven_by` are the creditors who forgive it, even while others do not yet. `reminded_at` is when a creditor last
    had the debtor reminded. `changes` counts the lines of its history, `deed` is what the latest one records.
    """

    id: int
    guild_id: int
    table_id: int
    debtor_id: int
    creditor_ids: tuple[int, ...]
    forfeit: str
    made_at: datetime
    state: DebtState = "owed"
    settled_at: datetime | None = None
    settled_by: int | None = None
    forgiven_by: tuple[int, ...] = ()
    reminded_at: datetime | None = None
    changes: int = 1
    deed: Deed = "made"

    @property
    def awaited(self) -> tuple[int, ...]:
        """The creditors who have not forgiven yet; former players (ids below 0) cannot be asked any more."""
        return tuple(user for user in self.creditor_ids if user > 0 and user not in self.forgiven_by)

    def but(self, **changes: Unpack[DebtChanges]) -> TeaDebt:
        """A copy with some fields changed."""
        return self.model_copy(update=changes)


@dataclass(frozen=True, slots=True)
class DebtPage:
    """One of the `pages` of open debts to a person, counted from 0.

    `forfeit` is one that is no tea, of a debt on whatever page; empty if all are tea.
    """

    debts: Sequence[TeaDebt] = ()
    page: int = 0
    pages: int = 1
    forfeit: str = ""


@dataclass(frozen=True, slots=True)
class Owing:
    """What a person owes: how many of each forfeit, how many of these debts to each creditor, and since when."""

    user_id: int
    forfeits: Counter[str]
    creditors: Counter[int]
    since: datetime


@dataclass(frozen=True, slots=True)
class DebtLine:
    """A line of a debt's history: what was done, by whom (None for losing the game), and the state it led to.

    `number` counts the lines of the debt from 1.
    """

    debt_id: int
    number: int
    debtor_id: int
    creditor_ids: tuple[int, ...]
    forfeit: str
    deed: Deed
    state: DebtState
    user_id: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Tally:
    """The totals of a person's debts, without cancelled ones.

    `received` counts the debts of others to this person that were served.
    """

    user_id: int
    owed: int = 0
    served: int = 0
    forgiven: int = 0
    received: int = 0

    @property
    def lost(self) -> int:
        """How many lost games led to a debt."""
        return self.owed + self.served + self.forgiven
