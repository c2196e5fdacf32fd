"""Debts in words: people, what is owed, what became of it. A forfeit that is not tea is never called tea."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from cogs.screens.components import Component, button, row
from cogs.screens.formatter import NBSP, Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark_c
from cogs.screens.names import escaped, fitted
from cogs.screens.wording import mention
from data.tea import DebtState

CUP: Final = "🍵"
MOST_CUPS: Final = 8
MOST_PEOPLE: Final = 6
MOST_FORFEITS: Final = 3
NARROW: Final = 24
"""Columns of a forfeit that stands in a line with others."""
_STATES: Final[Mapping[DebtState, str]] = {
    "owed": mark_c("state of a debt", "owed"),
    "served": mark_c("state of a debt", "served"),
    "forgiven": mark_c("state of a debt", "forgiven"),
    "cancelled": mark_c("state of a debt", "struck out"),
}


def state_words(t: Formatter, state: DebtState) -> str:
    """What became of a debt."""
    return t.c("state of a debt", _STATES[state])


def people(t: Formatter, users: Iterable[int], reader: int = 0) -> str:
    """Some people, the reader first and as "you"; of many the first ones, and how many more."""
    ordered = sorted(users, key=lambda user: user != reader)
    named = [t.c("one of those who are owed", "you") if user == reader else mention(t, user) for user in ordered]
    if more := len(named) - MOST_PEOPLE:
        named = [*named[:MOST_PEOPLE], t.n("{count} more", "{count} more", more)] if more > 0 else named
    return t.listing(named)


def amounts(t: Formatter, forfeits: Counter[str]) -> str:
    """What is owed in all: `2 🍵 and a pizza`, in text mode `2 cups of tea and a pizza`."""
    tea = forfeits[""]
    drink = t.n("{count} cup of tea", "{count} cups of tea", tea) if t.text else f"{tea}{NBSP}{CUP}"
    said = [drink] if tea else []
    others = Counter({what: count for what, count in forfeits.items() if what and count > 0}).most_common()
    said += [_several(what, count) for what, count in others[:MOST_FORFEITS]]
    if more := sum(count for _, count in others[MOST_FORFEITS:]):
        said.append(t.n("{count} more", "{count} more", more))
    return t.listing(said)


def _several(what: str, count: int) -> str:
    named = escaped(fitted(what, NARROW))
    return named if count == 1 else f"{named}{NBSP}×{count}"


def cups(forfeits: Counter[str]) -> str:
    """As many cups as are owed, where nothing else is and they fit."""
    count = forfeits[""]
    return CUP * count if count == forfeits.total() <= MOST_CUPS else ""


def turning(t: Formatter, verb: str, page: int, pages: int, rest: str = "") -> Sequence[Component]:
    """Buttons to the pages before and after; none where there is one page. `rest` follows the page in the ids."""
    if pages <= 1:
        return []
    back, on = (
        format_id(verb, argument=f"{max(0, to)}{rest}", nth=nth) for nth, to in enumerate((page - 1, page + 1), 1)
    )
    return [row(button(back, t("Back"), disabled=page <= 0), button(on, t("Next"), disabled=page >= pages - 1))]


def pages_of(items: Sequence[object], most: int) -> int:
    """How many pages of so many items; at least one."""
    return max(1, -(-len(items) // most))
