"""The lobby: who is in and what is played; and the private page behind More, before and during a game."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.screens.computer_words import computer_words, level_options, with_robot
from cogs.screens.formatter import Formatter, capital
from cogs.screens.ids import key_of
from cogs.screens.joining_screens import asking_words, join_button, no_button, take_back_button
from cogs.screens.language import mark, mark_n
from cogs.screens.match_words import match_lines, match_options
from cogs.screens.rule_words import changed_options
from cogs.screens.rules_screens import choices, chosen_key, origin_words, summary, tutorial_button
from cogs.screens.wording import bare_name, base_rules, forfeit_words, heading, person_name, variant_title
from data.guild_models import HouseRule
from data.models import Pace, Player, Table

PACES: Final[dict[tuple[Pace, int], str]] = {
    ("quick", 1): mark("45 seconds a turn"),
    ("quick", 2): mark("90 seconds a turn"),
    ("quick", 4): mark("3 minutes a turn"),
    ("normal", 1): mark("3 minutes a turn"),
    ("normal", 2): mark("6 minutes a turn"),
    ("normal", 4): mark("12 minutes a turn"),
    ("slow", 1): mark("24 hours a turn"),
    ("slow", 2): mark("2 days a turn"),
    ("slow", 4): mark("4 days a turn"),
}
"""By pace and by the factor that stretches it. Of two with the same words, only the later one is offered."""
USUAL: Final = ("normal", 1)
"""The pace that the lobby does not mention."""


def lobby_screen(t: Formatter, table: Table) -> ui.Screen:
    """The public lobby."""
    key, why = key_of(table), _why_not_yet(t, table)
    head = ui.lines(ui.h2(heading(t, table)), _seats_taken(t, table))
    unanswered = any(player.has_not_answered for player in table.players) and not table.is_rematch_pending
    late = t("**Start** deals without those who have not answered") if unanswered else ""
    played = ui.lines(*_what_is_played(t, table), ui.small(why or late))
    join = join_button(t, table, disabled=not (table.free_seats() or table.unanswered))
    no = [no_button(t, table)] if table.unanswered else []
    start = ui.button(key("start"), t("Start"), ui.Style.BLURPLE, disabled=bool(why))
    is_alone = len(table.seated) == 1 and not table.unanswered
    alone = [ui.row(ui.button(key("alone"), t("Play against the computer")))] if is_alone else []
    learn = [ui.button(key("rules"), t("Rules")), tutorial_button(t)]
    ways = ui.rows([*learn, ui.button(key("fair"), t("Fair shuffle")), ui.button(key("more"), t("More"))], 2)
    seats = ui.lines(*(_seat(t, table, seat, can_start=not why) for seat in range(len(table.players))))
    parts = [head, ui.divider(), seats, ui.divider(), played]
    return ui.container(ui.Accent.GREEN, [*parts, ui.row(join, *no, start), *alone, *ways])


def _why_not_yet(t: Formatter, table: Table) -> str:
    """Why the game cannot start yet; empty if it can."""
    there = len(table.seated)
    missing = next((n for n in range(table.seat_limit + 1 - there) if table.rules.can_seat(there + n)), None)
    if missing is None:
        return t("Start needs a larger pack, or fewer cards for each player")
    return t.n("Start needs one more player", "Start needs {count} more players", missing) if missing else ""


def _seats_taken(t: Formatter, table: Table) -> str:
    taken = t("{taken} of {seats} seats", taken=len(table.seated), seats=table.seat_limit)
    if table.is_rematch_pending:
        return ui.small(t("Rematch"), taken, asking_words(t, table))
    too_few = len(table.people) <= 1 or len(table.seated) < table.rules.seats[0]
    if table.game > 1 and too_few:
        return ui.small(taken, t("too few joined in time"))
    return ui.small(taken, t("dealt when full") if table.is_dealt_when_full and table.free_seats() else "")


def _seat(t: Formatter, table: Table, seat: int, *, can_start: bool) -> str:
    """The player of a seat; empty for a computer that was removed."""
    player, name = table.players[seat], person_name(t, table, seat)
    if player.left:
        return "" if player.is_computer else ui.small(_answer(t, table, player, name))
    if player.is_computer:
        return _computer(t, table, seat)
    if player.user_id != table.host_id:
        return name
    says_start = can_start and not table.is_rematch_pending  # a rematch begins by itself
    return t("{name} · host, can start", name=name) if says_start else t("{name} · host", name=name)


def _answer(t: Formatter, table: Table, player: Player, name: str) -> str:
    """What somebody who is not in has said to a rematch."""
    if not player.has_not_answered:
        return t("{name} · not this time", name=name)
    may_answer = table.is_rematch_pending
    return t("{name} · no answer yet", name=name) if may_answer else t("{name} · did not answer", name=name)


def _computer(t: Formatter, table: Table, seat: int) -> str:
    return f"{person_name(t, table, seat)} · {with_robot(t, computer_words(t, table.players[seat]))}"


def _what_is_played(t: Formatter, table: Table) -> list[str]:
    changed = table.rules != base_rules(table.variant)  # then the summary names the variant
    origin = t("From {variant}", variant=variant_title(t, table.variant)) if table.title and not changed else ""
    pace = t(PACES[table.pace, table.stretch]) if (table.pace, table.stretch) != USUAL else ""
    lines = [
        *summary(t, table.variant, table.rules),
        ui.small(origin),
        ui.small(_more_jokers(t, table)),
        ui.small(_forfeit(t, table), pace),
    ]
    lost = "" if table.last_shithead is None else person_name(t, table, table.last_shithead)
    lines.append(ui.small(t("{name} lost the last game", name=lost)) if lost else "")
    return [*lines, *match_lines(t, table.match)]


def _forfeit(t: Formatter, table: Table) -> str:
    """What the shithead owes; in a match that of each game does."""
    if table.rules.end.aim == "winner":
        return t("There is no loser, so nobody owes anything")
    if not table.forfeit:
        return t("The loser of each game makes the tea 🍵") if table.match else t("The loser makes the tea 🍵")
    what = forfeit_words(t, table.forfeit)
    if table.match:
        return t("The loser of each game owes the others: {forfeit}", forfeit=what)
    return t("The loser owes the others: {forfeit}", forfeit=what)


def _more_jokers(t: Formatter, table: Table) -> str:
    """How many jokers the pack gets because of how many play (R30); empty if none."""
    seats = len(table.seated)
    more = table.rules.jokers_with(seats) - table.rules.deal.jokers
    added = mark_n("With {seats} players, {count} joker is added", "With {seats} players, {count} jokers are added")
    return t.n(*added, more, seats=seats) if more else ""


def more_screen(
    t: Formatter, table: Table, user_id: int, saved: Sequence[HouseRule], refusal: str = "", *, moderator: bool = False
) -> ui.Screen:
    """The page behind More in the lobby: settings for the host, closing for moderators, leaving for those who are in.

    `saved` are offered as variants. `refusal` says why a choice of the host was not made.
    """
    key = key_of(table)
    seat = table.seat_of(user_id)
    at_once = t("Changes apply at once") if user_id == table.host_id and not refusal else ""
    hints = "" if table.hints else t("no hints")
    closes = "" if table.is_rematch_pending else t("closes after 15 minutes without a change")
    pace = t(PACES[table.pace, table.stretch])
    state = [ui.small(pace, hints, closes), *match_lines(t, table.match), ui.small(at_once)]
    parts: ui.Screen = [ui.lines(*_head(t, table), *state, refusal)]
    if user_id == table.host_id:
        parts += _host_controls(t, table, saved)
    elif seat is None and table.free_seats(user_id):
        parts.append(ui.lines(t("Press {join} to take a seat.", **t.buttons())))
    else:
        parts.append(ui.lines(t("The host chooses the variant, the pace and the house rules.")))
    ways = [] if seat is None else [ui.button(key("leave"), t("Leave the table"))]
    if moderator:
        ways.append(ui.button(key("stopping"), t("Close the table"), ui.Style.RED))
    return ui.container(ui.Accent.BLUE, [*parts, *ui.rows(ways, 2)])


def _head(t: Formatter, table: Table) -> Sequence[str]:
    changed = changed_options(table.rules, base_rules(table.variant))
    return ui.h3(heading(t, table)), ui.small(origin_words(t, table.variant, table.rules) if changed else "")


def _host_controls(t: Formatter, table: Table, saved: Sequence[HouseRule]) -> ui.Screen:
    key, hints = key_of(table), "off" if table.hints else "on"
    there = [seat for seat, player in enumerate(table.players) if player.is_computer and not player.left]
    variant = table.match.variants[-1] if table.match and table.match.variants else table.variant
    chosen = chosen_key(saved, variant, table.title, table.rules)
    parts = [
        ui.row(
            *([ui.button(key("nocomputer"), t("Remove computer"))] if there else []),
            ui.button(key("house"), t("House rules")),
            ui.button(key("hints", hints), t("Forbid hints") if table.hints else t("Allow hints")),
        ),
        *ui.captioned(t("Variant"), *choices(t, partial(key, "variant", "rules"), saved, chosen)),
        *ui.captioned(t("Pace"), ui.select(key("pace"), _pace_options(t, table), t("Pace"))),
        *ui.captioned(t("Match"), ui.select(key("match"), match_options(t, table), t("Match"))),
    ]
    seats = filter(table.rules.can_seat, range(table.seats_needed, table.rules.most_seats() + 1))
    sizes = [ui.option(t.n("{count} seat", "{count} seats", n), str(n), default=n == table.seat_limit) for n in seats]
    # Only computers: this page is not drawn again when people join.
    adding: ui.Screen = [ui.lines(*(_computer(t, table, seat) for seat in there))] if there else []
    adding += [ui.select(key("computer"), level_options(t), t("Add a computer"))] if table.free_seats() else []
    room = ui.captioned(t("Seats"), ui.select(key("seats"), sizes, t("Seats"))) if sizes else []
    return [*adding, *parts, *room, *_removing(t, table)]


def _removing(t: Formatter, table: Table) -> ui.Screen:
    seats = [seat for seat, who in enumerate(table.players) if who in table.people and who.user_id != table.host_id]
    options = [ui.option(bare_name(t, table, seat), str(table.players[seat].user_id)) for seat in seats]
    return [ui.select(key_of(table)("kick"), options, t("Remove a player"))] if seats else []


def _pace_options(t: Formatter, table: Table) -> list[ui.Component]:
    options: list[ui.Component] = []
    for words, (pace, stretch) in {words: key for key, words in PACES.items()}.items():
        value, name = (pace, capital(t.c("choice", pace))) if stretch == 1 else (f"{pace}*{stretch}", "")
        options.append(ui.option(t(words), value, name, default=words == PACES[table.pace, table.stretch]))
    return options


def running_screen(t: Formatter, table: Table, user_id: int, *, moderator: bool) -> ui.Screen:
    """The page behind More during a game. It is not drawn again, so it says only what stays true."""
    key, seat = key_of(table), table.seat_of(user_id)
    ways = [
        ui.button(key("log"), t("What happened")),
        ui.button(key("down"), t("Bring table here")),
        ui.button(key("fair"), t("Fair shuffle")),
    ]
    if seat is not None:
        ways.append(ui.button(key("leaving"), t("Leave the game")))
    elif table.seat_left_by(user_id) is not None:
        ways.insert(0, take_back_button(t, table))
    parts: ui.Screen = [ui.lines(*_head(t, table)), *ui.rows(ways, 2)]
    if moderator or (seat is not None and user_id == table.host_id):  # a host who has left cannot stop it
        stop = ui.button(key("stopping"), t("Stop the game"), ui.Style.RED)
        parts += [ui.row(stop), ui.lines(ui.small(t("Nobody owes anything for a stopped game")))]
    elif seat is not None:
        voted = table.players[seat].wants_stop
        vote = ui.button(key("unvote" if voted else "stopping"), t("Take my vote back") if voted else t("Vote to stop"))
        how = t("If more than half of the players want it, the game stops and nobody owes anything")
        parts += [ui.row(vote), ui.lines(ui.small(how))]
        if voted:
            parts.insert(0, ui.lines(t("Vote counted: the table shows all votes.")))
    if seat is not None and any(each.user_id not in {None, user_id} for each in table.seated):
        parts.append(ui.row(ui.button(key("playfor"), t("Play for whoever is late"))))
        once = t("Once their time is up: the computer makes one move for them")
        then = t("No move can be undone, nobody removed; the computer plays for whoever stays away until they are back")
        parts.append(ui.lines(ui.small(once), ui.small(then)))
    return ui.container(ui.Accent.BLUE, parts)
