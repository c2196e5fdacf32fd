"""The tea: who owes whom, what is owed to the reader, what was served."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from cogs.ui.components import Accent, Component, Screen, Style, button, container, divider, h2, lines, row, section
from cogs.ui.faces import NBSP, Pen
from cogs.ui.ids import format_id
from cogs.ui.wording import forfeit_words, mention, small, stamp
from data.tea import TeaDebt

MOST_PEOPLE: Final = 8
MOST_CLAIMS: Final = 5
MOST_PAST: Final = 12
MOST_CUPS: Final = 8
MOST_CREDITORS: Final = 6


def board_screen(pen: Pen, debts: Sequence[TeaDebt]) -> Screen:
    """Who owes how much, whose round it is."""
    t = pen.t
    owing: dict[int, list[TeaDebt]] = {}
    for debt in sorted(debts, key=lambda each: each.made_at):
        owing.setdefault(debt.debtor_id, []).append(debt)
    ranked = sorted(owing.items(), key=lambda each: -len(each[1]))
    if not ranked:
        return container(Accent.TEA, [lines(h2(t("Tea board")), t("Nobody owes anything. Time for a game."))])
    top = t("**{name}**’s round: owes most, and longest", name=mention(t, ranked[0][0]))
    parts: list[Component] = [lines(h2(t("Tea board")), top), divider()]
    parts += [_debtor(pen, person, theirs) for person, theirs in ranked[:MOST_PEOPLE]]
    if more := len(ranked) - MOST_PEOPLE:
        parts.append(lines(small(t.n("and {count} more", "and {count} more", more)) if more > 0 else ""))
    parts.append(row(button(format_id("claims", 0, 0), t("Mark served"), Style.GREEN)))
    return container(Accent.TEA, parts)


def _debtor(pen: Pen, person: int, debts: Sequence[TeaDebt]) -> Component:
    t, count = pen.t, len(debts)
    cups = "🍵" * count if count <= MOST_CUPS else ""
    owed = Counter(creditor for debt in debts for creditor in debt.creditor_ids).most_common(MOST_CREDITORS)
    whom = t.c("between the items of a list", ", ").join(
        f"{mention(t, creditor)}{NBSP}{times}" for creditor, times in owed
    )
    oldest = t("oldest from {date}", date=stamp(debts[0].made_at, "d"))
    head = t("**{name}** · owes {count}", name=mention(t, person), count=count)
    return lines(f"{head}  {cups}".rstrip(), small(f"{whom}", oldest))


def claims_screen(pen: Pen, debts: Sequence[TeaDebt], notice: str = "") -> Screen:
    """What is owed to the reader, each with a button."""
    t = pen.t
    head = lines(
        small(notice), h2(t("Tea owed to you")), small(t("Any of those who are owed may mark it")) if debts else ""
    )
    if not debts:
        return container(Accent.TEA, [head, lines(t("Nobody owes you anything."))])
    shown = sorted(debts, key=lambda each: each.made_at)[:MOST_CLAIMS]
    parts: list[Component] = [head, *(_claim(pen, debt) for debt in shown)]
    more = len(debts) - len(shown)
    return container(
        Accent.TEA, [*parts, lines(small(t.n("and {count} more", "and {count} more", more)) if more else "")]
    )


def _claim(pen: Pen, debt: TeaDebt) -> Component:
    t = pen.t
    whom = t("to {names}", names=t.listing([mention(t, creditor) for creditor in debt.creditor_ids[:MOST_CREDITORS]]))
    head = t("**{name}** · {forfeit}", name=mention(t, debt.debtor_id), forfeit=forfeit_words(t, debt.forfeit))
    press = button(format_id("serve", debt.table_id, 0, str(debt.id)), t("Served"), Style.GREEN)
    return section("\n".join((head, small(whom, stamp(debt.made_at)))), press)


def history_screen(pen: Pen, debts: Sequence[TeaDebt]) -> Screen:
    """The last debts, newest first, with what became of them."""
    t = pen.t
    if not debts:
        return container(Accent.TEA, [lines(h2(t("Tea history")), t("No game has been lost here yet."))])
    newest = sorted(debts, key=lambda each: each.made_at, reverse=True)[:MOST_PAST]
    return container(Accent.TEA, [lines(h2(t("Tea history"))), lines(*(_past(pen, debt) for debt in newest))])


def _past(pen: Pen, debt: TeaDebt) -> str:
    t = pen.t
    whom = t.listing([mention(t, creditor) for creditor in debt.creditor_ids[:MOST_CREDITORS]])
    said = t("{date}: {name} for {names}", date=stamp(debt.made_at, "d"), name=mention(t, debt.debtor_id), names=whom)
    match debt.state:
        case "served":
            by = mention(t, debt.settled_by) if debt.settled_by else ""
            state = t("served, marked by {name} ✓", name=by)
        case "forgiven":
            state = t("forgiven")
        case "owed":
            state = t("still owed")
        case "cancelled":
            state = t("struck out")
    return f"{said} · {state}"
