"""What was done to the debts and by whom, line by line; and one debt as a moderator sees it who puts it right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, get_args

from cogs.ui.components import (
    Accent,
    Component,
    Screen,
    Style,
    button,
    container,
    cut,
    divider,
    h2,
    h3,
    lines,
    option,
    row,
    select,
)
from cogs.ui.faces import Pen
from cogs.ui.ids import format_id
from cogs.ui.language import mark
from cogs.ui.tea import forgiving_words
from cogs.ui.teawords import people, state_words, turning
from cogs.ui.wording import forfeit_words, mention, small, stamp
from data.tea import DebtLine, DebtState, TeaDebt

A_PAGE: Final = 8
"""Lines of the history on a page."""
A_LIST: Final = 25
"""Debts to choose from at once."""
SHOWN_LINES: Final = 6
EVERY_STATE: Final[tuple[DebtState, ...]] = get_args(DebtState)
_LONGEST: Final = 60
_BUTTONS: Final[Mapping[DebtState, str]] = {
    "owed": mark("Owed"),
    "served": mark("Served"),
    "forgiven": mark("Forgiven"),
    "cancelled": mark("Strike out"),
}


def history_screen(pen: Pen, found: Sequence[DebtLine], page: int = 0, user: int = 0, *, more: bool = False) -> Screen:
    """A page of the history, newest first; `user` is the person whose it is, 0 for everybody's."""
    t = pen.t
    head = lines(h2(t("Tea history")), small(t("Only {name}", name=mention(t, user))) if user else "")
    if not found:
        return container(Accent.TEA, [head, lines(t("No game has been lost here yet.")), *_turning(pen, page, user)])
    told = [lines(_line(pen, each)) for each in found]
    return container(Accent.TEA, [head, *told, *_turning(pen, page, user, more=more)])


def _turning(pen: Pen, page: int, user: int, *, more: bool = False) -> Sequence[Component]:
    return turning(pen.t, "deeds", page, page + 1 + more, f".{user}" if user else "")


def _line(pen: Pen, line: DebtLine) -> str:
    t = pen.t
    number = t("{date} · debt {number}", date=stamp(line.at, "d"), number=line.debt_id)
    return f"{_deed(pen, line)}\n{small(number)}"


def _deed(pen: Pen, line: DebtLine) -> str:
    t = pen.t
    names = {
        "name": mention(t, line.user_id) if line.user_id else "",
        "debtor": mention(t, line.debtor_id),
        "forfeit": forfeit_words(t, line.forfeit),
    }
    match line.deed:
        case "made":
            whom = people(t, line.creditor_ids)
            return t("**{debtor}** lost and owes {names} {forfeit}", names=whom, **names)
        case "served":
            return t("**{name}** marked {forfeit} of {debtor} served", **names)
        case "forgiven" if line.state == "forgiven":
            return t("**{name}** forgave {debtor} {forfeit}: forgiven by all", **names)
        case "forgiven":
            return t("**{name}** forgives {debtor} {forfeit}; not all do yet", **names)
        case "withdrawn":
            return t("**{name}** does not forgive {debtor} {forfeit} after all", **names)
        case "undone":
            return t("**{name}** undid that: {debtor} owes {forfeit} again", **names)
        case "corrected":
            state = state_words(t, line.state)
            return t("**{name}**, a moderator, set {forfeit} of {debtor} to: {state}", state=state, **names)


def debts_screen(pen: Pen, debts: Sequence[TeaDebt], page: int = 0, *, more: bool = False) -> Screen:
    """All debts to choose from, the newest first."""
    t, title = pen.t, h2(pen.t("Correct a debt"))
    if not debts:
        return container(Accent.TEA, [lines(title, t("No game has been lost here yet."))])
    known = [_short(pen, each) for each in debts]
    choice = [option(_title(pen, each), str(each.id), state_words(t, each.state)) for each in debts]
    return container(
        Accent.TEA,
        [
            lines(title, small(t("What you change is kept in the history with your name"))),
            lines(*known),
            select(format_id("debt", 0, 0), choice, t("Which debt …")),
            *turning(t, "debts", page, page + 1 + more),
        ],
    )


def _short(pen: Pen, debt: TeaDebt) -> str:
    t = pen.t
    numbered = t("debt {number}", number=debt.id)
    return " · ".join((numbered, mention(t, debt.debtor_id), stamp(debt.made_at, "d"), state_words(t, debt.state)))


def _title(pen: Pen, debt: TeaDebt) -> str:
    forfeit = cut(debt.forfeit, _LONGEST) or pen.t("a cup of tea 🍵")
    return pen.t("debt {number} · {forfeit}", number=debt.id, forfeit=forfeit)


def debt_screen(pen: Pen, debt: TeaDebt, done: Sequence[DebtLine], notice: str = "") -> Screen:
    """One debt with the last lines of its history, and what it can be set to."""
    t = pen.t
    choices = [
        button(
            format_id("correct", debt.table_id, debt.changes, f"{debt.id}.{state}"),
            t(_BUTTONS[state]),
            disabled=state == debt.state,
        )
        for state in EVERY_STATE
    ]
    return container(
        Accent.TEA,
        [
            lines(small(notice), h2(t("Debt {number}", number=debt.id)), *_whole(pen, debt)),
            divider(),
            *(lines(_line(pen, each)) for each in done[:SHOWN_LINES]),
            divider(),
            lines(h3(t("Set it to"))),
            row(*choices[:2]),
            row(*choices[2:]),
            row(button(format_id("debts", 0, 0, "0"), t("Other debts"))),
        ],
    )


def _whole(pen: Pen, debt: TeaDebt) -> list[str]:
    t = pen.t
    owed = t(
        "**{name}** · {forfeit}, to {names}",
        name=mention(t, debt.debtor_id),
        forfeit=forfeit_words(t, debt.forfeit),
        names=people(t, debt.creditor_ids),
    )
    state = state_words(t, debt.state)
    if debt.settled_by:
        state = t("{state}, by {name}", state=state, name=mention(t, debt.settled_by))
    return [owed, small(state, stamp(debt.made_at, "d"), forgiving_words(pen, debt))]


def correcting_screen(pen: Pen, debt: TeaDebt, state: DebtState) -> Screen:
    """Asks before a moderator's correction is made."""
    t = pen.t
    question = t(
        "**Set debt {number} from {before} to {after}?**",
        number=debt.id,
        before=state_words(t, debt.state),
        after=state_words(t, state),
    )
    note = t("It is kept in the history with your name. Whoever forgave it is asked anew.")
    sure = format_id("setdebt", debt.table_id, debt.changes, f"{debt.id}.{state}")
    return container(
        Accent.RED,
        [
            lines(question, *_whole(pen, debt), small(note)),
            row(
                button(sure, t("Correct it"), Style.RED),
                button(format_id("debt", debt.table_id, 0, str(debt.id)), t("Leave it")),
            ),
        ],
    )


def file_screen(pen: Pen, count: int, file: Component) -> Screen:
    """The file with all debts, to download."""
    t = pen.t
    said = t.n("{count} debt, as a table for a spreadsheet.", "{count} debts, as a table for a spreadsheet.", count)
    note = t("People stand there by Discord’s numbers: names are not kept. Import those columns as text.")
    return container(Accent.TEA, [lines(said, small(note)), file])
