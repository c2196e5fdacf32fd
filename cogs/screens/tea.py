"""What is owed to the reader: marking it served, forgiving it, having the debtor reminded, taking it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

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
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark
from cogs.screens.teawords import pages_of, people, state_words, turning
from cogs.screens.wording import forfeit_words, mention
from data.tea import TeaDebt

A_PAGE: Final = 5
"""Debts on a page."""
Way: TypeAlias = Literal["serve", "forgive", "remind"]
"""What the buttons beside the debts do."""
WAYS: Final[tuple[Way, ...]] = get_args(Way)
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
    debts = claims.debts
    title = t("Owed to you") if any(debt.forfeit for debt in debts) else t("Tea owed to you")
    parts: list[Component] = [lines(small(notice), h2(title), small(t(_HINTS[claims.way])) if debts else "")]
    pages = pages_of(debts, A_PAGE)
    page = min(claims.page, pages - 1)
    if debts:
        parts += [_claim(t, claims, page, debt) for debt in debts[page * A_PAGE : (page + 1) * A_PAGE]]
        parts += turning(t, "claims", page, pages, f".{claims.way}")
    else:
        parts.append(lines(t("Nobody owes you anything.")))
    return container(Accent.TEA, [*parts, divider(), lines(_undoable(t, claims)), _ways_on(t, claims)])


def _claim(t: Formatter, claims: Claims, page: int, debt: TeaDebt) -> Component:
    head = t("**{name}** · {forfeit}", name=mention(t, debt.debtor_id), forfeit=forfeit_words(t, debt.forfeit))
    whom = t("to {names}", names=people(t, debt.creditor_ids, claims.reader))
    reminded = t("reminded {when}", when=stamp(debt.reminded_at)) if debt.reminded_at else ""
    told = (head, small(whom, stamp(debt.made_at)), small(forgiving_words(t, debt)), small(reminded))
    return section("\n".join(filter(None, told)), _press(t, claims, page, debt))


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
    last = t(
        "Last: {forfeit} of {name}, {state}",
        forfeit=forfeit_words(t, debt.forfeit),
        name=mention(t, debt.debtor_id),
        state=state_words(t, debt.state),
    )
    return small(last, t("undo until {time}", time=stamp(claims.until, "t")))


def _ways_on(t: Formatter, claims: Claims) -> Component:
    others: list[Way] = [way for way in WAYS if way != claims.way and (claims.debts or way == "serve")]
    buttons = [button(format_id("claims", argument=f"0.{way}"), t(_LABELS[way])) for way in others]
    return row(*buttons[:1], undo_button(t, claims.undoable), *buttons[1:])


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
    owed = t(
        "{name}, you still owe {names} {forfeit}",
        name=mention(t, debt.debtor_id),
        names=people(t, debt.creditor_ids),
        forfeit=forfeit_words(t, debt.forfeit),
    )
    why = small(
        t("{name} asked me to remind you", name=mention(t, asked_by)),
        t("lost on {date}", date=stamp(debt.made_at, "d")),
    )
    return [lines(owed, why), row(button(format_id("claims"), t("Mark served"), Style.GREEN))]
