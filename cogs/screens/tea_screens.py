"""Who owes tea: debts to the reader, with what can be done about them; the board, the totals, and the balances.

Also the wording that all screens about tea share: people, amounts, the state of a debt. A forfeit that is not tea is
never called tea. A debt is owed in full to each of its creditors: in a balance it counts once for each of them, on the
board only once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypeVar

import cogs.screens.components as ui
from cogs.screens.formatter import NBSP, Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import marks, marks_c
from cogs.screens.names import escaped, fitted
from cogs.screens.wording import forfeit_words, mention
from data.tea_models import DebtPage, DebtState, Forfeits, Owing, Tally, TeaDebt
from tables.snapshots import Undoable

DEBTS_PER_PAGE, PEOPLE_PER_PAGE = 5, 8
MOST_PEOPLE: Final = 6
MOST_FORFEITS: Final = 3
NARROW: Final = 24
"""Columns of a forfeit that shares a line with others."""
MOST_CUPS: Final = 8
Way: TypeAlias = Literal["serve", "forgive", "remind"]
"""What the buttons beside the debts do."""
T = TypeVar("T")
WAYS: Final[Mapping[Way, Sequence[str]]] = {
    "serve": marks("Mark served", "**Served** settles a debt for everybody who is owed"),
    "forgive": marks("Forgive one", "Forgiven if all who are owed agree; a server manager can do it if one is gone"),
    "remind": marks("Remind one", "**Remind** mentions them here, at most once a day for each debt"),
}
"""The label of the button that leads to each way, and what is said above its own buttons."""
EVERY_STATE: Final[tuple[DebtState, ...]] = marks_c("state of a debt", "owed", "served", "forgiven", "cancelled")


def state_words(t: Formatter, state: DebtState) -> str:
    """What became of a debt."""
    return t.c("state of a debt", state)


def people(t: Formatter, users: Iterable[int], reader: int = 0) -> str:
    """Mentions of people, the reader first and as "you"; of more than six, the first six and the number of others."""
    ordered = sorted(users, key=lambda user: user != reader)
    named = [t.c("one of those who are owed", "you") if user == reader else mention(t, user) for user in ordered]
    more = len(named) - MOST_PEOPLE
    return t.listing([*named[:MOST_PEOPLE], t.n("{count} more", "{count} more", more)] if more > 0 else named)


def amounts(t: Formatter, forfeits: Counter[str]) -> str:
    """The sum of forfeits: `2 cups of tea and a pizza`."""
    tea = forfeits[""]
    others = Counter({what: count for what, count in forfeits.items() if what and count > 0}).most_common()
    named = [(escaped(fitted(what, NARROW)), count) for what, count in others[:MOST_FORFEITS]]
    parts = [t.n("{count} cup of tea", "{count} cups of tea", tea)] if tea else []
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


def paged(t: Formatter, verb: str, items: Sequence[T], page: int) -> tuple[int, Sequence[T], ui.Screen]:
    """Of one or more items: the number of the page, at most the last; its items; buttons to the pages beside it."""
    pages = ui.batches(items, PEOPLE_PER_PAGE)
    page = min(page, len(pages) - 1)
    return page, pages[page], turning(t, verb, page, len(pages))


def turning(t: Formatter, verb: str, page: int, pages: int, rest: str = "") -> ui.Screen:
    """Buttons to the pages before and after; none for a single page. `rest` follows the page number in the ids."""
    if pages <= 1:
        return []
    before = format_id(verb, argument=f"{max(0, page - 1)}{rest}")
    after = format_id(verb, argument=f"{page + 1}{rest}", nth=2)
    previous = ui.button(before, t("Previous"), disabled=page <= 0)
    return [ui.row(previous, ui.button(after, t("Next"), disabled=page >= pages - 1))]


def claims_screen(
    t: Formatter, owed: DebtPage, reader: int, way: Way, last: Undoable | None = None, notice: str = ""
) -> ui.Screen:
    """A page of debts to the reader, oldest first, each with a button; of several debts a button names its own.

    `way` is what the buttons do, `last` the last change if it can be undone.
    """
    title = ui.h2(t("Owed to you") if owed.forfeit else t("Tea owed to you"))
    ways = turning(t, "claims", owed.page, owed.pages, f".{way}")
    listed = [_claim(t, owed, debt, reader, way) for debt in owed.debts] or [_nothing(t, way)]
    others: list[Way] = [each for each in WAYS if each != way and owed.debts]
    buttons = [ui.button(format_id("claims", argument=f"0.{each}"), t(WAYS[each][0])) for each in others]
    undo = [undo_button(t, last.debt)] if last else []
    undoable = _undoable(t, last) if last else ""
    head = ui.lines(ui.small(notice), title, ui.small(t(WAYS[way][1])) if owed.debts else "")
    buttons = [*buttons[:1], *undo, *buttons[1:]]
    parts = [head, *listed, *ways]
    if buttons:
        parts += [ui.divider(), ui.lines(undoable), ui.row(*buttons)]
    return ui.container(ui.Accent.TEA, parts)


def _nothing(t: Formatter, way: Way) -> ui.Component:
    # The debtor, too, sees the button *Mark served* and may press it.
    who = t("Only somebody to whom a debt is owed can mark it as served.") if way == "serve" else ""
    wrong = t("If a debt is wrong, a server manager can correct it with {command}", command=t.typed("tea", "correct"))
    return ui.lines(t("Nobody owes you anything."), ui.small(who), ui.small(wrong))


def _claim(t: Formatter, owed: DebtPage, debt: TeaDebt, reader: int, way: Way) -> ui.Component:
    head = t("**{name}** · {forfeit}", name=mention(t, debt.debtor_id), forfeit=forfeit_words(t, debt.forfeit))
    whom = t("to {names}", names=people(t, debt.creditor_ids, reader))
    reminded = t("reminded {when}", when=ui.stamp(debt.reminded_at)) if debt.reminded_at else ""
    several = len(owed.debts) > 1
    what = ui.small(whom, ui.stamp(debt.made_at), t("debt {number}", number=debt.id) if several else "")
    lines = (head, what, ui.small(forgiving_words(t, debt)), ui.small(reminded))
    button = _press(t, debt, reader, way, f"{debt.id}.{owed.page}")
    if several:  # a screen reader announces a button by its label alone
        button["label"] += f" #{debt.id}"
    return ui.section(button, *lines)


def _press(t: Formatter, debt: TeaDebt, reader: int, way: Way, at: str) -> ui.Component:
    if way == "remind":
        return ui.button(format_id("remind", debt.table_id, 0, at), t("Remind"), disabled=debt.debtor_id < 0)
    if way == "serve":
        return ui.button(format_id("serve", debt.table_id, 0, at), t("Served"), ui.Style.GREEN)
    if reader in debt.forgiven_by and debt.awaited:
        return ui.button(format_id("withdraw", debt.table_id, 0, at), t("Take back"))
    return ui.button(format_id("forgive", debt.table_id, 0, at), t("Forgive"), ui.Style.GREEN)


def _undoable(t: Formatter, undoable: Undoable) -> str:
    debt = undoable.debt
    owed, name, state = forfeit_words(t, debt.forfeit), mention(t, debt.debtor_id), state_words(t, debt.state)
    last = t("Last: {forfeit} from {name}, {state}", forfeit=owed, name=name, state=state)
    return ui.small(last, t("undo until {time}", time=ui.stamp(undoable.until, "t")))


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
    served = ui.button(format_id("claims"), t("Mark served"), ui.Style.GREEN)
    return [ui.lines(asking, why), ui.row(served, ui.button(format_id("noping"), t("Don’t ping me")))]


# -- the board, the totals, the balances


def board_screen(t: Formatter, owing: Sequence[Owing], tallies: Sequence[Tally], page: int, at: datetime) -> ui.Screen:
    """Whose round it is, who owes how much, then those who owe nothing, as of `at`."""
    owing_of, tally_of = {each.user_id: each for each in owing}, {each.user_id: each for each in tallies}
    paid_up = [each for each in tallies if each.user_id not in owing_of and (each.served or each.received)]
    paid_up.sort(key=lambda each: (-each.served, -each.received, each.user_id))
    head = t("Nobody owes anything. Time for a game.")
    if owing:
        name, most = mention(t, owing[0].user_id), [each.forfeits.total() for each in owing]
        head = t("**{name}** owes the most and makes the next round", name=name)
        if most[:1] == most[1:2]:
            head = t("**{name}** makes the next round: several owe as much, but nobody for longer", name=name)
    everybody = [each.user_id for each in (*owing, *paid_up)]
    title = ui.lines(ui.h2(t("Tea board")), head, ui.small(t("as of {when}", when=ui.stamp(at))))
    if not everybody:
        return ui.container(ui.Accent.TEA, [title])
    page, shown, ways = paged(t, "board", everybody, page)
    listed = [_person(t, user, owing_of.get(user), tally_of.get(user)) for user in shown]
    ways += _ways_on(t, page, owes=bool(owing))
    return ui.container(ui.Accent.TEA, [title, ui.divider(), *listed, ui.divider(), *ways])


def _ways_on(t: Formatter, page: int, *, owes: bool) -> ui.Screen:
    served = [ui.button(format_id("claims"), t("Mark served"), ui.Style.GREEN)] if owes else []
    balance = ui.button(format_id("balance", argument="0"), t("My balance"))
    history = ui.button(format_id("deeds", argument="0"), t("History"))
    whole = ui.button(format_id("alltime", argument="0"), t("All time"))
    redraw = "board" if t.public else "reboard"  # a reader's own page, or the board that everybody sees
    anew = ui.button(format_id(redraw, argument=str(page), nth=3), t("Refresh"))
    return [ui.row(*served, balance), ui.row(history, whole, anew)]


def _person(t: Formatter, user: int, owing: Owing | None, tally: Tally | None) -> ui.Component:
    name = mention(t, user)
    if owing is None:
        served, received = (tally.served, tally.received) if tally else (0, 0)
        paid = t("{served} served, {received} received", served=served, received=received)
        return ui.lines(t("**{name}** · owes nothing", name=name), ui.small(paid))
    count, to = owing.forfeits.total(), owing.creditors.most_common()
    head = t("**{name}** · owes {things}", name=name, things=amounts(t, owing.forfeits))
    if owing.forfeits[""] == count <= MOST_CUPS and not t.text:
        head = f"{head} {'🍵' * count}"
    if tally and not tally.served and count > 1:  # not right after the first loss
        head = f"{head} · {t('has never paid')}"
    is_for_all = {times for _, times in to} == {count}  # then how often would read as so many cups for each
    whom = [mention(t, one) if is_for_all else f"{mention(t, one)}{NBSP}{times}" for one, times in to[:MOST_PEOPLE]]
    if more := len(to[MOST_PEOPLE:]):
        whom.append(t.n("{count} more", "{count} more", more))
    date = ui.stamp(owing.since, "d")
    since = t("oldest from {date}", date=date) if count > 1 else t("since {date}", date=date)
    return ui.lines(head, ui.small(t("to {people}", people=t.enumerated(whom)), since))


def tallies_screen(t: Formatter, tallies: Sequence[Tally], page: int = 0) -> ui.Screen:
    """The totals of everybody's debts."""
    title = ui.h2(t("Tea, all time"))
    counted = [each for each in tallies if each.lost or each.received]
    counted.sort(key=lambda each: (-each.lost, -each.owed, -each.received, each.user_id))
    if not counted:
        nothing = t("Nothing to count. People who were forgotten, or turned statistics off, are left out.")
        return ui.container(ui.Accent.TEA, [ui.lines(title, nothing)])
    _, shown, ways = paged(t, "alltime", counted, page)
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


def balance_screen(t: Formatter, theirs: Forfeits, mine: Forfeits, page: int = 0) -> ui.Screen:
    """What the reader and each of the others owe one another; a balance is shown, but settles nothing."""
    none = Counter[str]()
    pairs = [(each, theirs.get(each, none), mine.get(each, none)) for each in mine.keys() | theirs.keys()]
    pairs.sort(key=lambda each: (-each[1].total() - each[2].total(), each[0]))
    title = ui.h2(t("Between you and others"))
    if not pairs:
        return ui.container(ui.Accent.TEA, [ui.lines(title, t("You owe nothing, and nobody owes you anything."))])
    _, shown, ways = paged(t, "balance", pairs, page)
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
