"""The end of a game or a match: who is the shithead, who owes what to whom, the order, the opened seal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter, capital
from cogs.screens.ids import key_of
from cogs.screens.language import mark
from cogs.screens.match_words import (
    again_label,
    crown_words,
    line_name,
    match_title,
    ranking_words,
    standing_words,
    tie_words,
)
from cogs.screens.wording import (
    NameOf,
    forfeit_words,
    heading,
    mention,
    outcome_words,
    person_name,
    seal_words,
    stop_voters,
)
from data.models import Table
from data.tea_models import DebtState
from game.view import SeatFace, TableView
from tables.match import dealer_or_next, ended_early, is_between_games, is_match_over, is_voted_off, played, staying
from tables.snapshots import HandSnapshot, TableSnapshot

_SETTLED: Final[Mapping[DebtState, str]] = {
    "served": mark("{owed}: served ✓"),
    "forgiven": mark("{owed}: forgiven ✓"),
    "cancelled": mark("{owed}: cancelled"),
}
_HOUR, _DAY = 60, 24 * 60  # in minutes


def end_screen(t: Formatter, snapshot: TableSnapshot, image: ui.Component | None = None) -> ui.Screen:
    """The public end of a game that was played out, with its picture if there is one."""
    table = snapshot.table
    name_of = partial(person_name, t, table)
    debt = debt_words(t, snapshot, partial(_person, t, table), partial(forfeit_words, t))
    title = _unmarked(end_title(t, snapshot, name_of))
    length = ui.small(_length(t, snapshot), _next_dealer(t, snapshot))
    gallery = [image] if image else []
    if is_match_over(table):
        last = ui.lines(t("**Last game:** {how}", how=title), debt, length)
        parts = [*_match_end(t, table, gallery), last]
    else:
        order = " · ".join(places_words(t, snapshot, name_of))
        parts = [ui.lines(ui.h1(title), debt), *gallery, ui.lines(order, ui.small(standing_words(t, table)), length)]
    seal, command = seal_words(table.seal), t.command("verify")
    fair = t("Fair shuffle {seal} · check it with {command}", seal=seal, command=command) if table.secret else ""
    served = ui.lines(ui.small(_who_serves(t, snapshot)))  # above the button that settles it
    parts += [served, *ui.rows(_buttons(t, snapshot), 2), ui.lines(ui.small(fair))]
    return ui.container(ui.Accent.TEA, parts)


def _who_serves(t: Formatter, snapshot: TableSnapshot) -> str:
    """Who presses *Mark served*, and for whom; empty where nothing is owed."""
    if snapshot.debt is None or snapshot.debt.state != "owed":
        return ""
    if len(snapshot.debt.creditor_ids) == 1:
        return t("Once the debt is paid, whoever is owed presses **Mark served**")
    return t("Once the debt is paid, one of those who are owed presses **Mark served**, for all of them")


def your_end_screen(t: Formatter, hand: HandSnapshot, last: Sequence[str] = ()) -> ui.Screen:
    """The end in the private hand: the result, the `last` moves, what is owed, and a button for another game."""
    snapshot, view, seat = hand.snapshot, hand.view.table, hand.view.seat
    table, player = snapshot.table, snapshot.table.players[seat]
    name_of, key = partial(person_name, t, table), key_of(table)
    title = _unmarked(end_title(t, snapshot, name_of))
    your_result = out_words(t, view, seat)
    ways = [ui.button(key("rematch"), again_label(t, table), ui.Style.GREEN)]
    ways.append(ui.button(key("replay", str(table.game)), t("Replay")))
    if view.shithead == seat:
        title = t("You come last") if t.polite else t("You are the shithead")
        ways.append(ui.button(key("review", str(table.game)), t("My costliest moves")))
    elif view.shithead is None and view.winner == seat:
        title, your_result = t("You win"), ""
    won = ""
    if view.shithead is not None and view.winner is not None and view.winner != seat:  # then the title names the loser
        won = t("{name} won", name=_unmarked(name_of(view.winner)))
    left = t("you left before the end") if player.left and not ended_early(table) else ""  # else perhaps after it
    about = (title, left, won) if your_result else (capital(left), won)  # a name keeps its first letter
    result = [ui.h2(your_result or title), ui.continued(*about)]
    rest = [_your_debt(t, snapshot, player.user_id), *_match_words(t, table, seat), _early_end(t, table)]
    return ui.container(ui.Accent.TEA, [ui.lines(*result, *rest, *last), ui.row(*ways)])


def _match_words(t: Formatter, table: Table, seat: int) -> list[str]:
    """How a match stands, and who is first and last if it is over, told to the player of a seat."""
    standing, name_of = ui.small(standing_words(t, table)), partial(line_name, t, table)
    if not is_match_over(table):
        return [standing]
    reader = staying(table.standings)[seat]
    title = _unmarked(match_title(t, table, name_of, reader))
    crown = crown_words(t, table, lambda line: t.c("the grand winner", "you") if line == reader else name_of(line))
    return [f"**{title}**", crown, standing, ui.small(tie_words(t, table))]


def out_words(t: Formatter, view: TableView, seat: int) -> str:
    """Tell a player who is out that they have won or are safe; empty for those who are still playing."""
    place = view.seats[seat].place
    if place is None:
        return ""
    if place > 1 or (view.stands_still and view.winner is None):
        return t("You are safe: out {place}", place=t.place(place))
    return t("You won: first out")


def _your_debt(t: Formatter, snapshot: TableSnapshot, user_id: int | None) -> str:
    debt = snapshot.debt
    if debt is None:
        return _nobody_owes(t, snapshot)
    person = partial(_person, t, snapshot.table)
    is_open = debt.state == "owed"
    name, names = person(debt.debtor_id), t.listing([*map(person, debt.creditor_ids)])
    if user_id == debt.debtor_id:
        words = mark("You owe {names} {forfeit}") if is_open else mark("You owed {names} {forfeit}")
    elif user_id in debt.creditor_ids:
        words = mark("{name} owes you {forfeit}") if is_open else mark("{name} owed you {forfeit}")
    else:
        words = mark("{name} owes {names} {forfeit}") if is_open else mark("{name} owed {names} {forfeit}")
    said = t(words, name=name, names=names, forfeit=forfeit_words(t, debt.forfeit))
    return said if is_open else t(_SETTLED.get(debt.state, "{owed}"), owed=said)


def _unmarked(words: str) -> str:
    """Words without the bold marks of names, for a heading, which is bold anyway."""
    return words.replace("**", "")


def _match_end(t: Formatter, table: Table, gallery: Sequence[ui.Component] = ()) -> ui.Screen:
    """Who is first and last in a match, its picture if there is one, and the ranking."""
    name_of = partial(line_name, t, table)
    title = ui.h1(_unmarked(match_title(t, table, name_of)))
    head = ui.lines(title, crown_words(t, table, name_of), _early_end(t, table))
    return [head, *gallery, ui.lines(*ranking_words(t, table, name_of), ui.small(tie_words(t, table)))]


def _early_end(t: Formatter, table: Table) -> str:
    return ui.small(t("The match ends early, because too few players stayed.")) if ended_early(table) else ""


def stopped_screen(t: Formatter, snapshot: TableSnapshot) -> ui.Screen:
    """The public end of a table that was stopped, given up or never started."""
    table, key = snapshot.table, key_of(snapshot.table)
    title, why = _how_stopped(t, table)
    parts = [ui.lines(ui.h1(title), ui.small(heading(t, table)), why)]
    if is_match_over(table) and played(table.standings):
        parts += _match_end(t, table)
    elif is_between_games(table):
        goes_on = t("This game does not count, the match goes on")
        parts.append(ui.lines(ui.small(goes_on), ui.small(standing_words(t, table))))
    replay = [ui.button(key("replay", str(table.game)), t("Replay"))] if table.started_at is not None else []
    if replay and table.status == "stopped":
        again = ui.button(key("rematch"), again_label(t, table), ui.Style.GREEN)
        parts.append(ui.row(again, *replay))
    else:
        parts += [ui.lines(ui.small(t("Open a new table with {start}", start=t.command("start")))), *ui.rows(replay)]
    return ui.container(ui.Accent.GREY, parts)


def stopped_hand_screen(t: Formatter, table: Table) -> ui.Screen:
    """Replaces a hand whose game ended before anybody had won or lost; nothing in it can be played any more."""
    title, why = _how_stopped(t, table)
    return ui.container(ui.Accent.GREY, [ui.lines(ui.h3(title), why)])


def _how_stopped(t: Formatter, table: Table) -> tuple[str, str]:
    match table.status:
        case "expired" | "aborted" if table.started_at is None:
            was_left = table.status == "expired" or not table.present  # else the bot itself was gone
            return t("Closed"), t("Nobody played for a while.") if was_left else ""
        case "aborted" if table.present:
            return t("Stopped"), t("This game could not go on, sorry. Nobody owes anything for it.")
        case "aborted":
            return t("Stopped"), t("Nobody played on, so the game has ended. Nobody owes anything for it.")
        case _ if table.started_at is None:
            who = stop_voters(t, table)
            closed = t("{name} closed the table.", name=who) if who else t("A moderator closed the table.")
            return t("Closed"), closed if table.people else t("Everybody left the table.")
        case _:
            who, nothing = stop_voters(t, table), t("Nobody owes anything for this game.")
            if table.stop_votes > 1 and is_voted_off(table):
                return t("Stopped"), t.sentences(t("{names} voted for it.", names=who), nothing)
            title = t("{name} stopped the game", name=who) if who else t("A moderator stopped the game")
            return title, nothing


def _person(t: Formatter, table: Table, user_id: int) -> str:
    # Includes seats of people who left: what is owed to them stays.
    seat = next((seat for seat, player in enumerate(table.players) if player.user_id == user_id), None)
    return mention(t, user_id) if seat is None else person_name(t, table, seat)


def end_title(t: Formatter, snapshot: TableSnapshot, name_of: NameOf) -> str:
    """How the game ended."""
    return outcome_words(t, snapshot.view, name_of) if snapshot.view else t("The game is over")


def debt_words(t: Formatter, snapshot: TableSnapshot, person_of: NameOf, forfeit_of: Callable[[str], str]) -> str:
    """Who owes what to whom; `person_of` names people, `forfeit_of` words the forfeit."""
    debt = snapshot.debt
    if debt is None:
        return _nobody_owes(t, snapshot)
    names, owed = t.listing([person_of(user) for user in debt.creditor_ids]), forfeit_of(debt.forfeit)
    if debt.state == "owed":
        return t("Owes {names} {forfeit}", names=names, forfeit=owed)  # the heading above names the debtor
    return t(_SETTLED.get(debt.state, "{owed}"), owed=t("Owed {names} {forfeit}", names=names, forfeit=owed))


def _nobody_owes(t: Formatter, snapshot: TableSnapshot) -> str:
    """Why a game left no debt."""
    view, players = snapshot.view, snapshot.table.players
    if view is None or view.shithead is None:
        if view is not None and view.stands_still:
            return t("The game is stuck. Nobody owes anything for it.")
        return t("Nobody owes anything for this game.")
    somebody_left = any(player.left for seat, player in enumerate(players) if seat != view.shithead)
    if somebody_left and not players[view.shithead].is_computer:
        return t("Nobody owes anything: whoever leaves a game collects nothing.")
    return t("Nobody owes anything: computers neither pay nor collect.")


def places_words(t: Formatter, snapshot: TableSnapshot, name_of: NameOf) -> list[str]:
    """The finishing order, without those whom the title names; in text mode without a sign."""
    view = snapshot.view
    if view is None or (view.shithead is None and view.winner is not None):
        return []
    places = [t("{place} {name}", place=t.place(nth), name=name_of(seat)) for nth, seat in enumerate(view.out, 1)]
    if view.shithead is not None:
        name = name_of(view.out[0])
        places[:1] = [t("{name} won", name=name) if t.text else t("{name} won 🏆", name=name)]
    return places


def _length(t: Formatter, snapshot: TableSnapshot) -> str:
    table, moves = snapshot.table, t.n("{count} move", "{count} moves", snapshot.moves)
    if not table.started_at or not table.ended_at:
        return moves
    minutes = max(1, round((table.ended_at - table.started_at).total_seconds() / 60))
    if minutes >= 2 * _DAY:
        return t.n("{moves} in {count} day", "{moves} in {count} days", round(minutes / _DAY), moves=moves)
    if minutes >= 2 * _HOUR:
        return t.n("{moves} in {count} hour", "{moves} in {count} hours", round(minutes / _HOUR), moves=moves)
    return t.n("{moves} in {count} minute", "{moves} in {count} minutes", minutes, moves=moves)


def _next_dealer(t: Formatter, snapshot: TableSnapshot) -> str:
    table = snapshot.table
    dealer = snapshot.view.next_dealer if snapshot.view else None
    if dealer is None:
        return ""
    return t("{name} deals next", name=_unmarked(person_name(t, table, dealer_or_next(table, dealer))))


def _buttons(t: Formatter, snapshot: TableSnapshot) -> ui.Screen:
    """The ids name the game and the debt, because the message stays when another game begins."""
    key, debt, game = key_of(snapshot.table), snapshot.debt, str(snapshot.table.game)
    last = ui.button(key("rules"), t("Rules"))
    if debt is not None and debt.state == "owed":
        last = ui.button(key("served", str(debt.id)), t("Mark served"))
    again = ui.button(key("rematch"), again_label(t, snapshot.table), ui.Style.GREEN)
    past = [ui.button(key("replay", game), t("Replay")), ui.button(key("highlights", game), t("Highlights"))]
    return [again, *past, last]


def cards_left(face: SeatFace) -> int:
    """How many cards a seat has left."""
    return face.hand + sum(map(len, face.up or ())) + len(face.down)
