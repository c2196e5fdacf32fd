"""Who owes tea: the board, the totals, and the balance between two people.

A debt is owed in full to each of its creditors. In a balance it counts once for each of them, on the board only once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import NBSP, Formatter
from cogs.screens.ids import format_id
from cogs.screens.tea_screens import CUP, MOST_PEOPLE, amounts, turned
from cogs.screens.wording import mention
from data.tea_models import Tally, TeaDebt

PER_PAGE: Final = 8
"""People per page."""
MOST_CUPS: Final = 8


def board_screen(
    t: Formatter, debts: Sequence[TeaDebt], tallies: Sequence[Tally] = (), page: int = 0, at: datetime | None = None
) -> ui.Screen:
    """Whose round it is, who owes how much, then those who owe nothing, as of `at`."""
    debts_of = defaultdict[int, list[TeaDebt]](list)
    for debt in sorted(debts, key=lambda each: (each.made_at, each.id)):
        debts_of[debt.debtor_id].append(debt)
    debtors = sorted(debts_of, key=lambda user: -len(debts_of[user]))
    tally_of = {each.user_id: each for each in tallies}
    paid_up = [each for each in tallies if each.user_id not in debts_of and (each.served or each.received)]
    paid_up.sort(key=lambda each: (-each.served, -each.received, each.user_id))
    head = t("Nobody owes anything. Time for a game.")
    if debtors:
        name, most = mention(t, debtors[0]), [len(debts_of[user]) for user in debtors]
        head = t("**{name}** owes the most and makes the next round", name=name)
        if most[:1] == most[1:2]:
            head = t("**{name}** makes the next round: several owe as much, but nobody for longer", name=name)
    everybody = [*debtors, *(each.user_id for each in paid_up)]
    title = ui.lines(ui.h2(t("Tea board")), head, ui.small(t("as of {when}", when=ui.stamp(at)) if at else ""))
    if not everybody:
        return ui.container(ui.Accent.TEA, [title])
    page, shown, ways = turned(t, "board", everybody, page, PER_PAGE)
    listed = [_person(t, user, debts_of[user], tally_of.get(user)) for user in shown]
    ways += _ways_on(t, debts, page)
    return ui.container(ui.Accent.TEA, [title, ui.divider(), *listed, ui.divider(), *ways])


def _ways_on(t: Formatter, debts: Sequence[TeaDebt], page: int) -> ui.Screen:
    served = [ui.button(format_id("claims"), t("Mark served"), ui.Style.GREEN)] if debts else []
    balance = ui.button(format_id("balance", argument="0"), t("My balance"))
    history = ui.button(format_id("deeds", argument="0"), t("History"))
    whole = ui.button(format_id("alltime", argument="0"), t("All time"))
    redraw = "board" if t.public else "reboard"  # a reader's own page, or the board that everybody sees
    anew = ui.button(format_id(redraw, argument=str(page), nth=3), t("Refresh"))
    return [ui.row(*served, balance), ui.row(history, whole, anew)]


def _person(t: Formatter, user: int, debts: Sequence[TeaDebt], tally: Tally | None) -> ui.Component:
    name = mention(t, user)
    if not debts:
        served, received = (tally.served, tally.received) if tally else (0, 0)
        paid = t("{served} served, {received} received", served=served, received=received)
        return ui.lines(t("**{name}** · owes nothing", name=name), ui.small(paid))
    owed = Counter(debt.forfeit for debt in debts)
    head = t("**{name}** · owes {things}", name=name, things=amounts(t, owed))
    if owed[""] == len(debts) <= MOST_CUPS and not t.text:
        head = f"{t('**{name}** · owes {count}', name=name, count=len(debts))} {CUP * len(debts)}"
    if tally and not tally.served and len(debts) > 1:  # not right after the first loss
        head = f"{head} · {t('has never paid')}"
    to = Counter(creditor for debt in debts for creditor in debt.creditor_ids).most_common()
    is_for_all = {times for _, times in to} == {len(debts)}  # then how often would read as so many cups for each
    whom = [mention(t, one) if is_for_all else f"{mention(t, one)}{NBSP}{times}" for one, times in to[:MOST_PEOPLE]]
    if more := len(to[MOST_PEOPLE:]):
        whom.append(t.n("{count} more", "{count} more", more))
    date = ui.stamp(debts[0].made_at, "d")
    since = t("oldest from {date}", date=date) if len(debts) > 1 else t("since {date}", date=date)
    return ui.lines(head, ui.small(t("to {people}", people=t.enumerated(whom)), since))


def tallies_screen(t: Formatter, tallies: Sequence[Tally], page: int = 0) -> ui.Screen:
    """The totals of everybody's debts."""
    title = ui.h2(t("Tea, all time"))
    lost = sorted((each for each in tallies if each.lost), key=lambda each: (-each.lost, -each.owed, each.user_id))
    if not lost:
        nothing = t("Nothing to count. People who were forgotten, or turned statistics off, are left out.")
        return ui.container(ui.Accent.TEA, [ui.lines(title, nothing)])
    _, shown, ways = turned(t, "alltime", lost, page, PER_PAGE)
    why = ui.lines(ui.small(t("Without cancelled debts, and without people who turned statistics off")))
    listed = [_tally(t, each) for each in shown]
    return ui.container(ui.Accent.TEA, [ui.lines(title), ui.divider(), *listed, why, *ways])


def _tally(t: Formatter, tally: Tally) -> ui.Component:
    head = t("**{name}** · lost {count}", name=mention(t, tally.user_id), count=tally.lost)
    counts = (
        t("{count} served", count=tally.served),
        t("{count} forgiven", count=tally.forgiven),
        t("{count} open", count=tally.owed),
        t("{count} received", count=tally.received),
    )
    return ui.lines(head, ui.small(*counts))


def balance_screen(t: Formatter, debts: Sequence[TeaDebt], reader: int, page: int = 0) -> ui.Screen:
    """What the reader and each of the others owe one another; a balance is shown, but settles nothing."""
    mine = defaultdict[int, Counter[str]](Counter)
    theirs = defaultdict[int, Counter[str]](Counter)
    for debt in debts:
        if debt.debtor_id == reader:
            for creditor in debt.creditor_ids:
                mine[creditor][debt.forfeit] += 1
        else:
            theirs[debt.debtor_id][debt.forfeit] += 1
    pairs = [(each, theirs[each], mine[each]) for each in mine.keys() | theirs.keys()]
    pairs.sort(key=lambda each: (-each[1].total() - each[2].total(), each[0]))
    title = ui.h2(t("Between you and others"))
    if not pairs:
        return ui.container(ui.Accent.TEA, [ui.lines(title, t("You owe nothing, and nobody owes you anything."))])
    _, shown, ways = turned(t, "balance", pairs, page, PER_PAGE)
    notes = ui.lines(
        ui.small(t("Each lost game counts once per person you owe")),
        ui.small(t("These are totals: only **Served** and **Forgive** settle a debt")),
    )
    listed = [_between(t, *each) for each in shown]
    return ui.container(ui.Accent.TEA, [ui.lines(title), ui.divider(), *listed, notes, *ways])


def _between(t: Formatter, other: int, theirs: Counter[str], mine: Counter[str]) -> ui.Component:
    name, to_you, from_you = mention(t, other), amounts(t, theirs), amounts(t, mine)
    if not mine:
        return ui.lines(t("**{name}** owes you {things}", name=name, things=to_you))
    if not theirs:
        return ui.lines(t("You owe **{name}** {things}", name=name, things=from_you))
    both = t("**{name}** owes you {things}, you owe {others}", name=name, things=to_you, others=from_you)
    return ui.lines(both, ui.small(_balance(t, name, theirs, mine) if theirs.keys() & mine.keys() else ""))


def _balance(t: Formatter, name: str, theirs: Counter[str], mine: Counter[str]) -> str:
    to_you, from_you = theirs - mine, mine - theirs
    if not to_you and not from_you:
        return t("overall, nobody owes anything")
    if not from_you:
        return t("overall, {name} owes you {things}", name=name, things=amounts(t, to_you))
    if not to_you:
        return t("overall, you owe {name} {things}", name=name, things=amounts(t, from_you))
    both = {"name": name, "things": amounts(t, to_you), "others": amounts(t, from_you)}
    return t("overall, {name} owes you {things}, and you owe {name} {others}", **both)
