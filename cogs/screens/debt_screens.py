"""The history of debts; one debt, for a manager of the server to correct; all debts as a file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter, capital
from cogs.screens.ids import format_id
from cogs.screens.tea_screens import EVERY_STATE, forgiving_words, people, state_words, turning
from cogs.screens.wording import forfeit_words, mention
from data.tea_models import DebtLine, DebtState, TeaDebt

HISTORY_PAGE: Final = 8
"""Lines of the history per page."""
DEBTS_LISTED: Final = 25
"""Debts to choose from per page."""
SHOWN_LINES: Final = 6
TEA_FILE: Final = "tea.csv"
_COLUMNS: Final = ("id", "date", "debtor", "creditors", "forfeit", "state", "settled_at", "settled_by")
_FORMULAS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def history_screen(t: Formatter, deeds: Sequence[DebtLine], page: int, user: int, *, more: bool = False) -> ui.Screen:
    """A page of the history, newest first; of one person if `user` is their id, of everybody if it is 0."""
    head = ui.lines(ui.h2(t("Tea history")), ui.small(t("Only {name}", name=mention(t, user))) if user else "")
    nothing = t("Nobody has owed anything here yet.") if not user else t("No debts and no payments yet.")
    lines = [ui.lines(_line(t, each)) for each in deeds] or [ui.lines(nothing)]
    wrong = t("If a debt is wrong, a server manager can correct it with {command}", command=t.typed("tea", "correct"))
    ways = turning(t, "deeds", page, page + 1 + more, f".{user}" if user else "")
    return ui.container(ui.Accent.TEA, [head, *lines, ui.lines(ui.small(wrong if deeds else "")), *ways])


def _line(t: Formatter, line: DebtLine) -> str:
    number = t("{date} · debt {number}", date=ui.stamp(line.at, "d"), number=line.debt_id)
    return f"{_deed(t, line)}\n{ui.small(number)}"


def _deed(t: Formatter, line: DebtLine) -> str:
    names = {
        "name": mention(t, line.user_id) if line.user_id else "",
        "debtor": mention(t, line.debtor_id),
        "forfeit": forfeit_words(t, line.forfeit),
    }
    match line.deed:
        case "made":
            return t("**{debtor}** lost and owes {names} {forfeit}", names=people(t, line.creditor_ids), **names)
        case "served":
            return t("**{name}** marked {forfeit} from {debtor} as served", **names)
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
            return t("**{name}**, a server manager, set {forfeit} from {debtor} to: {state}", state=state, **names)


def debts_screen(t: Formatter, debts: Sequence[TeaDebt], page: int = 0, *, more: bool = False) -> ui.Screen:
    """A page of debts to correct, newest first."""
    title, known, choice = ui.h2(t("Correct a debt")), list[str](), list[ui.Component]()
    if not debts:
        return ui.container(ui.Accent.TEA, [ui.lines(title, t("Nobody has owed anything here yet."))])
    for each in debts:
        state, numbered = state_words(t, each.state), t("debt {number}", number=each.id)
        known.append(" · ".join((numbered, mention(t, each.debtor_id), ui.stamp(each.made_at, "d"), state)))
        forfeit = each.forfeit or forfeit_words(t, "")  # in a list nothing needs to be escaped
        choice.append(ui.option(t("debt {number} · {forfeit}", number=each.id, forfeit=forfeit), str(each.id), state))
    head = ui.lines(title, ui.small(t("What you change is kept in the history with your name")))
    which = ui.select(format_id("debt"), choice, t("Which debt…"))
    return ui.container(ui.Accent.TEA, [head, ui.lines(*known), which, *turning(t, "debts", page, page + 1 + more)])


def debt_screen(t: Formatter, debt: TeaDebt, done: Sequence[DebtLine], notice: str = "") -> ui.Screen:
    """One debt with the last lines of its history, and what it can be set to."""
    choices: list[ui.Component] = []
    for state in EVERY_STATE:
        id_ = format_id("correct", debt.table_id, debt.changes, f"{debt.id}.{state}")
        choices.append(ui.button(id_, capital(state_words(t, state)), disabled=state == debt.state))
    head = ui.lines(ui.small(notice), ui.h2(t("Debt {number}", number=debt.id)), *_whole(t, debt))
    parts = [ui.divider(), *(ui.lines(_line(t, each)) for each in done)] if done else []
    others = ui.row(ui.button(format_id("debts", argument="0"), t("Other debts")))
    parts += [ui.divider(), ui.lines(ui.h3(t("New state"))), ui.row(*choices[:2]), ui.row(*choices[2:]), others]
    return ui.container(ui.Accent.TEA, [head, *parts])


def _whole(t: Formatter, debt: TeaDebt) -> list[str]:
    name, forfeit = mention(t, debt.debtor_id), forfeit_words(t, debt.forfeit)
    owed = t("**{name}** · {forfeit}, to {names}", name=name, forfeit=forfeit, names=people(t, debt.creditor_ids))
    state = state_words(t, debt.state)
    if debt.settled_by:
        state = t("{state} ({name})", state=state, name=mention(t, debt.settled_by))
    return [owed, ui.small(ui.stamp(debt.made_at, "d"), state, forgiving_words(t, debt))]


def correcting_screen(t: Formatter, debt: TeaDebt, state: DebtState) -> ui.Screen:
    """Asks before a correction is made."""
    before, after = state_words(t, debt.state), state_words(t, state)
    question = t("**Set debt {number} from {before} to {after}?**", number=debt.id, before=before, after=after)
    asked = t("Whoever forgave it is asked again.") if state == "owed" and debt.forgiven_by else ""
    deleted = t("What was typed as the forfeit is deleted for good.") if state == "cancelled" and debt.forfeit else ""
    note = t.sentences(t("It is kept in the history with your name."), asked, deleted)
    sure = format_id("setdebt", debt.table_id, debt.changes, f"{debt.id}.{state}")
    back = format_id("debt", debt.table_id, 0, str(debt.id))
    ways = ui.row(ui.button(sure, t("Correct it"), ui.Style.RED), ui.button(back, t("Leave it")))
    return ui.container(ui.Accent.RED, [ui.lines(question, *_whole(t, debt), ui.small(note)), ways])


# -- the file: CSV (RFC 4180, UTF-8 with a byte order mark for spreadsheets), with ids and no names of people


def file_screen(t: Formatter, count: int, file: ui.Component) -> ui.Screen:
    """The file with all debts, to download."""
    what = t.n("{count} debt, as a table for a spreadsheet.", "{count} debts, as a table for a spreadsheet.", count)
    note = t("People are listed by Discord ID: names are not stored. Import those columns as text.")
    return ui.container(ui.Accent.TEA, [ui.lines(what, ui.small(note)), file])


def debts_file(debts: Iterable[TeaDebt]) -> bytes:
    """The debts as CSV, a row for each, in the order given."""
    out = StringIO(newline="")
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(_COLUMNS)
    table.writerows(_row(debt) for debt in debts)
    return out.getvalue().encode("utf-8-sig")


def _row(debt: TeaDebt) -> list[str]:
    forfeit = debt.forfeit or "tea"
    return [
        str(debt.id),
        debt.made_at.isoformat(timespec="seconds"),
        _person(debt.debtor_id),
        " ".join(map(_person, debt.creditor_ids)),
        f"'{forfeit}" if forfeit.startswith(_FORMULAS) else forfeit,  # keeps spreadsheets from running it as a formula
        debt.state,
        debt.settled_at.isoformat(timespec="seconds") if debt.settled_at else "",
        _person(debt.settled_by) if debt.settled_by else "",
    ]


def _person(user_id: int) -> str:
    """A person's id on Discord, or `former-` and a number for somebody who was forgotten."""
    return str(user_id) if user_id > 0 else f"former-{-user_id}"
