"""What is owed to the reader: marking it served, forgiving it, having the debtor reminded, taking it back.

And what all screens of the tea share: people, what is owed, what became of it, in words. A forfeit that is not tea is
never called tea.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from cogs.screens.components import (
    Accent,
    Component,
    Screen,
    Style,
    button,
    container,
    divider,
    h2,
    lines,
    row,
    section,
    small,
    stamp,
)
from cogs.screens.formatter import NBSP, Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark, mark_c
from cogs.screens.names import escaped, fitted
from cogs.screens.wording import forfeit_words, mention
from data.tea import DebtState, TeaDebt

A_PAGE: Final = 5
"""Debts on a page."""
MOST_PEOPLE: Final = 6
MOST_FORFEITS: Final = 3
NARROW: Final = 24
"""Columns of a forfeit that stands in a line with others."""
CUP: Final = "🍵"
Way: TypeAlias = Literal["serve", "forgive", "remind"]
"""What the buttons beside the debts do."""
WAYS: Final[tuple[Way, ...]] = get_args(Way)
T = TypeVar("T")
_LABELS: Final[Mapping[Way, str]] = {
    "serve": mark("Mark served"),
    "forgive": mark("Forgive one"),
    "remind": mark("Remind one"),
}
_HINTS: Final[Mapping[Way, str]] = {
    "serve": mark("Any of those who are owed may mark it"),
    "forgive": mark("Forgiven once all who are owed agree"),
    "remind": mark("One message here that mentions them, once a day for each debt"),
}
_STATES: Final[Mapping[DebtState, str]] = {
    "owed": mark_c("state of a debt", "owed"),
    "served": mark_c("state of a debt", "served"),
    "forgiven": mark_c("state of a debt", "forgiven"),
    "cancelled": mark_c("state of a debt", "struck out"),
}


# -- words


def state_words(t: Formatter, state: DebtState) -> str:
    """What became of a debt."""
    return t.c("state of a debt", _STATES[state])


def people(t: Formatter, users: Iterable[int], reader: int = 0) -> str:
    """Some people, the reader first and as "you"; of many the first ones, and how many more."""
    ordered = sorted(users, key=lambda user: user != reader)
    named = [t.c("one of those who are owed", "you") if user == reader else mention(t, user) for user in ordered]
    return t.listing(_first(t, named, MOST_PEOPLE))


def _first(t: Formatter, said: Sequence[str], most: int) -> list[str]:
    more = len(said) - most
    return [*said[:most], t.n("{count} more", "{count} more", more)] if more > 0 else list(said)


def amounts(t: Formatter, forfeits: Counter[str]) -> str:
    """What is owed in all: `2 🍵 and a pizza`, in text mode `2 cups of tea and a pizza`."""
    tea = forfeits[""]
    drink = t.n("{count} cup of tea", "{count} cups of tea", tea) if t.text else f"{tea}{NBSP}{CUP}"
    others = Counter({what: count for what, count in forfeits.items() if what and count > 0}).most_common()
    named = [(escaped(fitted(what, NARROW)), count) for what, count in others[:MOST_FORFEITS]]
    said = [drink] if tea else []
    said += [what if count == 1 else f"{what}{NBSP}×{count}" for what, count in named]
    if more := sum(count for _, count in others[MOST_FORFEITS:]):
        said.append(t.n("{count} more", "{count} more", more))
    return t.listing(said)


def forgiving_words(t: Formatter, debt: TeaDebt) -> str:
    """Who forgives an open debt and who has not yet; empty where nobody does."""
    if not debt.forgiven_by or debt.state != "owed":
        return ""
    given, missing = people(t, debt.forgiven_by), people(t, debt.awaited)
    done = t.n("{names} forgives", "{names} forgive", len(debt.forgiven_by), names=given)
    if not missing:
        return done
    others = t.n("{names} has not yet", "{names} have not yet", len(debt.awaited), names=missing)
    return t("{they}; {you}", they=done, you=others)


def turned(
    t: Formatter, verb: str, items: Sequence[T], page: int, most: int, rest: str = ""
) -> tuple[int, Sequence[T], Screen]:
    """The page, or the last one where there are not so many; its items; buttons to the pages beside it."""
    pages = max(1, -(-len(items) // most))
    page = min(page, pages - 1)
    return page, items[page * most : (page + 1) * most], turning(t, verb, page, pages, rest)


def turning(t: Formatter, verb: str, page: int, pages: int, rest: str = "") -> Screen:
    """Buttons to the pages before and after; none where there is one page. `rest` follows the page in the ids."""
    if pages <= 1:
        return []
    back, on = (format_id(verb, argument=f"{to}{rest}", nth=nth) for nth, to in ((1, max(0, page - 1)), (2, page + 1)))
    return [row(button(back, t("Back"), disabled=page <= 0), button(on, t("Next"), disabled=page >= pages - 1))]


# -- screens


@dataclass(frozen=True, slots=True)
class Claims:
    """What is owed to the reader: which page, and what can be taken back until when."""

    debts: Sequence[TeaDebt]
    reader: int
    way: Way = "serve"
    page: int = 0
    undoable: TeaDebt | None = None
    until: datetime | None = None


def claims_screen(t: Formatter, claims: Claims, notice: str = "") -> Screen:
    """What is owed to the reader, oldest first, each with a button."""
    debts, way = claims.debts, claims.way
    title = h2(t("Owed to you") if any(debt.forfeit for debt in debts) else t("Tea owed to you"))
    page, shown, ways = turned(t, "claims", debts, claims.page, A_PAGE, f".{way}")
    listed = [_claim(t, claims, page, debt) for debt in shown] or [lines(t("Nobody owes you anything."))]
    others: list[Way] = [each for each in WAYS if each != way and (debts or each == "serve")]
    buttons = [button(format_id("claims", argument=f"0.{each}"), t(_LABELS[each])) for each in others]
    head = lines(small(notice), title, small(t(_HINTS[way])) if debts else "")
    last = row(*buttons[:1], undo_button(t, claims.undoable), *buttons[1:])
    return container(Accent.TEA, [head, *listed, *ways, divider(), lines(_undoable(t, claims)), last])


def _claim(t: Formatter, claims: Claims, page: int, debt: TeaDebt) -> Component:
    head = t("**{name}** · {forfeit}", name=mention(t, debt.debtor_id), forfeit=forfeit_words(t, debt.forfeit))
    whom = t("to {names}", names=people(t, debt.creditor_ids, claims.reader))
    reminded = t("reminded {when}", when=stamp(debt.reminded_at)) if debt.reminded_at else ""
    told = (head, small(whom, stamp(debt.made_at)), small(forgiving_words(t, debt)), small(reminded))
    return section("\n".join(filter(None, told)), _press(t, claims, page, debt))


def _press(t: Formatter, claims: Claims, page: int, debt: TeaDebt) -> Component:
    at = f"{debt.id}.{page}"
    if claims.way == "remind":
        return button(format_id("remind", debt.table_id, 0, at), t("Remind"), disabled=debt.debtor_id < 0)
    if claims.way == "serve":
        return button(format_id("serve", debt.table_id, 0, at), t("Served"), Style.GREEN)
    if claims.reader in debt.forgiven_by and debt.awaited:
        return button(format_id("withdraw", debt.table_id, 0, at), t("Take back"))
    return button(format_id("forgive", debt.table_id, 0, at), t("Forgive"), Style.GREEN)


def _undoable(t: Formatter, claims: Claims) -> str:
    debt = claims.undoable
    if debt is None or claims.until is None:
        return ""
    owed, name, state = forfeit_words(t, debt.forfeit), mention(t, debt.debtor_id), state_words(t, debt.state)
    last = t("Last: {forfeit} of {name}, {state}", forfeit=owed, name=name, state=state)
    return small(last, t("undo until {time}", time=stamp(claims.until, "t")))


def undo_button(t: Formatter, debt: TeaDebt | None) -> Component:
    """Takes back what was done to a debt, or what was done last."""
    if debt is None:
        return button(format_id("undo"), t("Undo last"))
    return button(format_id("undo", debt.table_id, debt.changes, str(debt.id)), t("Undo last"))


def served_screen(t: Formatter, debt: TeaDebt) -> Screen:
    """What was just marked on the end of a game, and the way back."""
    owed, name = forfeit_words(t, debt.forfeit), mention(t, debt.debtor_id)
    said = lines(t("Served: {forfeit}. {name} owes it no more.", forfeit=owed, name=name))
    return container(Accent.GREEN, [said, row(undo_button(t, debt))])


def reminder_screen(t: Formatter, debt: TeaDebt, asked_by: int) -> Screen:
    """The message to the debtor, for all to read. Without a container, so that it stays short."""
    name, names, owed = mention(t, debt.debtor_id), people(t, debt.creditor_ids), forfeit_words(t, debt.forfeit)
    asked = t("{name} asked me to remind you", name=mention(t, asked_by))
    why = small(asked, t("lost on {date}", date=stamp(debt.made_at, "d")))
    said = t("{name}, you still owe {names} {forfeit}", name=name, names=names, forfeit=owed)
    return [lines(said, why), row(button(format_id("claims"), t("Mark served"), Style.GREEN))]
