"""What was done to the debts and by whom, line by line; and one debt as a moderator sees it who puts it right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, get_args

from cogs.screens.components import (
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
    small,
    stamp,
)
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark
from cogs.screens.tea import forgiving_words
from cogs.screens.teawords import people, state_words, turning
from cogs.screens.wording import forfeit_words, mention
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


def history_screen(
    t: Formatter, found: Sequence[DebtLine], page: int = 0, user: int = 0, *, more: bool = False
) -> Screen:
    """A page of the history, newest first; `user` is the person whose it is, 0 for everybody's."""
    head = lines(h2(t("Tea history")), small(t("Only {name}", name=mention(t, user))) if user else "")
    if not found:
        return container(Accent.TEA, [head, lines(t("No game has been lost here yet.")), *_turning(t, page, user)])
    told = [lines(_line(t, each)) for each in found]
    return container(Accent.TEA, [head, *told, *_turning(t, page, user, more=more)])


def _turning(t: Formatter, page: int, user: int, *, more: bool = False) -> Sequence[Component]:
    return turning(t, "deeds", page, page + 1 + more, f".{user}" if user else "")


def _line(t: Formatter, line: DebtLine) -> str:
    number = t("{date} · debt {number}", date=stamp(line.at, "d"), number=line.debt_id)
    return f"{_deed(t, line)}\n{small(number)}"


def _deed(t: Formatter, line: DebtLine) -> str:
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


def debts_screen(t: Formatter, debts: Sequence[TeaDebt], page: int = 0, *, more: bool = False) -> Screen:
    """All debts to choose from, the newest first."""
    title = h2(t("Correct a debt"))
    if not debts:
        return container(Accent.TEA, [lines(title, t("No game has been lost here yet."))])
    known = [_short(t, each) for each in debts]
    choice = [option(_title(t, each), str(each.id), state_words(t, each.state)) for each in debts]
    return container(
        Accent.TEA,
        [
            lines(title, small(t("What you change is kept in the history with your name"))),
            lines(*known),
            select(format_id("debt"), choice, t("Which debt …")),
            *turning(t, "debts", page, page + 1 + more),
        ],
    )


def _short(t: Formatter, debt: TeaDebt) -> str:
    numbered = t("debt {number}", number=debt.id)
    return " · ".join((numbered, mention(t, debt.debtor_id), stamp(debt.made_at, "d"), state_words(t, debt.state)))


def _title(t: Formatter, debt: TeaDebt) -> str:
    forfeit = cut(debt.forfeit, _LONGEST) or t("a cup of tea 🍵")
    return t("debt {number} · {forfeit}", number=debt.id, forfeit=forfeit)


def debt_screen(t: Formatter, debt: TeaDebt, done: Sequence[DebtLine], notice: str = "") -> Screen:
    """One debt with the last lines of its history, and what it can be set to."""
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
            lines(small(notice), h2(t("Debt {number}", number=debt.id)), *_whole(t, debt)),
            divider(),
            *(lines(_line(t, each)) for each in done[:SHOWN_LINES]),
            divider(),
            lines(h3(t("Set it to"))),
            row(*choices[:2]),
            row(*choices[2:]),
            row(button(format_id("debts", argument="0"), t("Other debts"))),
        ],
    )


def _whole(t: Formatter, debt: TeaDebt) -> list[str]:
    owed = t(
        "**{name}** · {forfeit}, to {names}",
        name=mention(t, debt.debtor_id),
        forfeit=forfeit_words(t, debt.forfeit),
        names=people(t, debt.creditor_ids),
    )
    state = state_words(t, debt.state)
    if debt.settled_by:
        state = t("{state}, by {name}", state=state, name=mention(t, debt.settled_by))
    return [owed, small(state, stamp(debt.made_at, "d"), forgiving_words(t, debt))]


def correcting_screen(t: Formatter, debt: TeaDebt, state: DebtState) -> Screen:
    """Asks before a moderator's correction is made."""
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
            lines(question, *_whole(t, debt), small(note)),
            row(
                button(sure, t("Correct it"), Style.RED),
                button(format_id("debt", debt.table_id, 0, str(debt.id)), t("Leave it")),
            ),
        ],
    )


def file_screen(t: Formatter, count: int, file: Component) -> Screen:
    """The file with all debts, to download."""
    said = t.n("{count} debt, as a table for a spreadsheet.", "{count} debts, as a table for a spreadsheet.", count)
    note = t("People stand there by Discord’s numbers: names are not kept. Import those columns as text.")
    return container(Accent.TEA, [lines(said, small(note)), file])
