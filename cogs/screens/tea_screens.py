"""Debts to the reader: marking them served, forgiving them, reminding the debtor, undoing the last change.

Also the wording that all screens about tea share: people, amounts, the state of a debt. A forfeit that is not tea is
never called tea.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypeVar, get_args

import cogs.screens.components as ui
from cogs.screens.formatter import NBSP, Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import mark_c, marks
from cogs.screens.names import escaped, fitted
from cogs.screens.wording import forfeit_words, mention
from data.tea_models import DebtState, TeaDebt

PER_PAGE: Final = 5
"""Debts per page."""
MOST_PEOPLE: Final = 6
MOST_FORFEITS: Final = 3
NARROW: Final = 24
"""Columns of a forfeit that shares a line with others."""
CUP: Final = "🍵"
Way: TypeAlias = Literal["serve", "forgive", "remind"]
"""What the buttons beside the debts do."""
WAYS: Final[tuple[Way, ...]] = get_args(Way)
T = TypeVar("T")
_WAYS: Final[Mapping[Way, Sequence[str]]] = {
    "serve": marks("Mark served", "**Served** settles a debt with everybody it is owed to"),
    "forgive": marks("Forgive one", "Forgiven when everybody who is owed agrees"),
    "remind": marks("Remind one", "**Remind** mentions them here, at most once a day for each debt"),
}
"""The label of the button that leads to each way, and what is said above its own buttons."""
_STATES: Final[Mapping[DebtState, str]] = {
    "owed": mark_c("state of a debt", "owed"),
    "served": mark_c("state of a debt", "served"),
    "forgiven": mark_c("state of a debt", "forgiven"),
    "cancelled": mark_c("state of a debt", "cancelled"),
}


def state_words(t: Formatter, state: DebtState) -> str:
    """What became of a debt."""
    return t.c("state of a debt", _STATES[state])


def people(t: Formatter, users: Iterable[int], reader: int = 0) -> str:
    """Mentions of people, the reader first and as "you"; of more than six, the first six and the number of others."""
    ordered = sorted(users, key=lambda user: user != reader)
    named = [t.c("one of those who are owed", "you") if user == reader else mention(t, user) for user in ordered]
    more = len(named) - MOST_PEOPLE
    return t.listing([*named[:MOST_PEOPLE], t.n("{count} more", "{count} more", more)] if more > 0 else named)


def amounts(t: Formatter, forfeits: Counter[str]) -> str:
    """The sum of forfeits: `2 🍵 and a pizza`, in text mode `2 cups of tea and a pizza`."""
    tea = forfeits[""]
    drink = t.n("{count} cup of tea", "{count} cups of tea", tea) if t.text else f"{tea}{NBSP}{CUP}"
    others = Counter({what: count for what, count in forfeits.items() if what and count > 0}).most_common()
    named = [(escaped(fitted(what, NARROW)), count) for what, count in others[:MOST_FORFEITS]]
    parts = [drink] if tea else []
    parts += [what if count == 1 else f"{what}{NBSP}×{count}" for what, count in named]
    if more := sum(count for _, count in others[MOST_FORFEITS:]):
        parts.append(t.n("{count} more", "{count} more", more))
    return t.listing(parts)


def forgiving_words(t: Formatter, debt: TeaDebt) -> str:
    """Who has forgiven an open debt and who has not yet; empty if nobody has."""
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
) -> tuple[int, Sequence[T], ui.Screen]:
    """The number of the page, at most that of the last one; its items; buttons to the pages before and after."""
    pages = max(1, -(-len(items) // most))
    page = min(page, pages - 1)
    return page, items[page * most : (page + 1) * most], turning(t, verb, page, pages, rest)


def turning(t: Formatter, verb: str, page: int, pages: int, rest: str = "") -> ui.Screen:
    """Buttons to the pages before and after; none for a single page. `rest` follows the page number in the ids."""
    if pages <= 1:
        return []
    before = format_id(verb, argument=f"{max(0, page - 1)}{rest}")
    after = format_id(verb, argument=f"{page + 1}{rest}", nth=2)
    previous = ui.button(before, t("Previous"), disabled=page <= 0)
    return [ui.row(previous, ui.button(after, t("Next"), disabled=page >= pages - 1))]


@dataclass(frozen=True, slots=True)
class Claims:
    """Debts to the reader: the page to show, what its buttons do, and which change can be undone until when."""

    debts: Sequence[TeaDebt]
    reader: int
    way: Way = "serve"
    page: int = 0
    undoable: TeaDebt | None = None
    until: datetime | None = None


def claims_screen(t: Formatter, claims: Claims, notice: str = "") -> ui.Screen:
    """What is owed to the reader, oldest first, each with a button."""
    debts, way = claims.debts, claims.way
    title = ui.h2(t("Owed to you") if any(debt.forfeit for debt in debts) else t("Tea owed to you"))
    page, shown, ways = turned(t, "claims", debts, claims.page, PER_PAGE, f".{way}")
    listed = [_claim(t, claims, page, debt) for debt in shown] or [_nothing(t, way)]
    others: list[Way] = [each for each in WAYS if each != way and debts]
    buttons = [ui.button(format_id("claims", argument=f"0.{each}"), t(_WAYS[each][0])) for each in others]
    undo = [undo_button(t, claims.undoable)] if claims.undoable else []
    head = ui.lines(ui.small(notice), title, ui.small(t(_WAYS[way][1])) if debts else "")
    buttons = [*buttons[:1], *undo, *buttons[1:]]
    parts = [head, *listed, *ways]
    if buttons:
        parts += [ui.divider(), ui.lines(_undoable(t, claims)), ui.row(*buttons)]
    return ui.container(ui.Accent.TEA, parts)


def _nothing(t: Formatter, way: Way) -> ui.Component:
    # The debtor, too, sees the button *Mark served* and may press it.
    who = t("Only somebody to whom a debt is owed can mark it as served.") if way == "serve" else ""
    return ui.lines(t("Nobody owes you anything."), ui.small(who))


def _claim(t: Formatter, claims: Claims, page: int, debt: TeaDebt) -> ui.Component:
    head = t("**{name}** · {forfeit}", name=mention(t, debt.debtor_id), forfeit=forfeit_words(t, debt.forfeit))
    whom = t("to {names}", names=people(t, debt.creditor_ids, claims.reader))
    reminded = t("reminded {when}", when=ui.stamp(debt.reminded_at)) if debt.reminded_at else ""
    lines = (head, ui.small(whom, ui.stamp(debt.made_at)), ui.small(forgiving_words(t, debt)), ui.small(reminded))
    return ui.section("\n".join(filter(None, lines)), _press(t, claims, page, debt))


def _press(t: Formatter, claims: Claims, page: int, debt: TeaDebt) -> ui.Component:
    at = f"{debt.id}.{page}"
    if claims.way == "remind":
        return ui.button(format_id("remind", debt.table_id, 0, at), t("Remind"), disabled=debt.debtor_id < 0)
    if claims.way == "serve":
        return ui.button(format_id("serve", debt.table_id, 0, at), t("Served"), ui.Style.GREEN)
    if claims.reader in debt.forgiven_by and debt.awaited:
        return ui.button(format_id("withdraw", debt.table_id, 0, at), t("Take back"))
    return ui.button(format_id("forgive", debt.table_id, 0, at), t("Forgive"), ui.Style.GREEN)


def _undoable(t: Formatter, claims: Claims) -> str:
    debt = claims.undoable
    if debt is None or claims.until is None:
        return ""
    owed, name, state = forfeit_words(t, debt.forfeit), mention(t, debt.debtor_id), state_words(t, debt.state)
    last = t("Last: {forfeit} from {name}, {state}", forfeit=owed, name=name, state=state)
    return ui.small(last, t("undo until {time}", time=ui.stamp(claims.until, "t")))


def undo_button(t: Formatter, debt: TeaDebt) -> ui.Component:
    """Undoes the last change of this debt."""
    return ui.button(format_id("undo", debt.table_id, debt.changes, str(debt.id)), t("Undo last"))


def served_screen(t: Formatter, debt: TeaDebt) -> ui.Screen:
    """Confirms a debt that was marked served at the end of a game, with a button to undo it."""
    owed = t("**{name}** · {forfeit}", name=mention(t, debt.debtor_id), forfeit=forfeit_words(t, debt.forfeit))
    others = [each for each in debt.creditor_ids if each != debt.settled_by]
    settled = t("You settled it for {names}, too.", names=people(t, others)) if others else ""
    early = ui.small(t("Too early? {button} takes it back within 10 minutes.", button=f"**{t('Undo last')}**"))
    text = ui.lines(t("{owed}: served ✓", owed=owed), settled, early)
    return ui.container(ui.Accent.GREEN, [text, ui.row(undo_button(t, debt))])


def reminder_screen(t: Formatter, debt: TeaDebt, asked_by: int) -> ui.Screen:
    """The public message that reminds a debtor. It has no container, so that it stays short."""
    name, names, owed = mention(t, debt.debtor_id), people(t, debt.creditor_ids), forfeit_words(t, debt.forfeit)
    asked = t("{name} asked me to remind you", name=mention(t, asked_by))
    why = ui.small(asked, t("lost on {date}", date=ui.stamp(debt.made_at, "d")))
    asking = t("{name}, you still owe {names} {forfeit}", name=name, names=names, forfeit=owed)
    return [ui.lines(asking, why), ui.row(ui.button(format_id("claims"), t("Mark served"), ui.Style.GREEN))]
