"""The end of a game or a match: who is the shithead, who owes what to whom, the order, the opened seal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from cogs.screens.components import Accent, Component, Screen, Style, button, container, h1, lines, row
from cogs.screens.faces import Formatter
from cogs.screens.language import mark
from cogs.screens.lobby import heading, seal_words
from cogs.screens.match import again_label, crown_words, line_name, match_title, ranking_words, standing_words
from cogs.screens.names import bold
from cogs.screens.plays import key_of
from cogs.screens.ranks import place
from cogs.screens.wording import forfeit_words, mention, player_name, small
from data.models import Table
from data.tea import DebtState
from tables.match import is_between_games, is_match_over, played
from tables.snapshots import TableSnapshot

NameOf = Callable[[int], str]


def end_screen(t: Formatter, snapshot: TableSnapshot, image: Component | None = None) -> Screen:
    """The public end of a game that was played out, with its picture where there is one."""
    table = snapshot.table

    def plain(seat: int) -> str:
        return _name(t, table, seat).replace("**", "")

    debt = debt_words(
        t, snapshot, lambda seat: _name(t, table, seat), partial(_person, t, table), partial(forfeit_words, t)
    )
    title, length = end_title(t, snapshot, plain), small(_length(t, snapshot), _next_dealer(t, snapshot))
    gallery = [image] if image else []
    if is_match_over(table):
        last = lines(t("**Last game:** {how}", how=title), debt, length)
        parts = [lines(*_match_head(t, table)), *gallery, lines(*_match_ranking(t, table)), last]
    else:
        order = order_words(t, snapshot, lambda seat: _name(t, table, seat))
        parts = [lines(h1(title), debt), *gallery, lines(order, small(standing_words(t, table)), length)]
    parts.append(_buttons(t, snapshot))
    if snapshot.table.secret:
        parts.append(lines(small(t("Seal opened: {seal} ✓", seal=seal_words(snapshot.table.seal)))))
    return container(Accent.TEA, parts)


def _match_head(t: Formatter, table: Table) -> list[str]:
    title = match_title(t, table, lambda line: line_name(t, table, line).replace("**", ""))
    return [h1(title), crown_words(t, table, partial(line_name, t, table))]


def _match_ranking(t: Formatter, table: Table) -> list[str]:
    return ranking_words(t, table, partial(line_name, t, table))


def stopped_screen(t: Formatter, snapshot: TableSnapshot) -> Screen:
    """The public end of a table that was stopped, given up or never started."""
    table = snapshot.table
    match table.status:
        case "expired":
            title, why = t("Closed"), t("Nobody did anything for a while.")
        case "aborted":
            title, why = t("Stopped"), _why_aborted(t, table)
        case _ if table.started_at is None:
            left = t("The host closed the table.") if table.players else t("Everybody left the table.")
            title, why = t("Closed"), left
        case _:
            title, why = t("Stopped"), t("No tea.")
    parts = [lines(h1(title), small(heading(t, table)), why)]
    if is_match_over(table) and played(table.standings):
        parts += [lines(*_match_head(t, table)), lines(*_match_ranking(t, table))]
    elif is_between_games(table):
        goes_on = t("This game does not count, the match goes on")
        parts.append(lines(small(goes_on), small(standing_words(t, table))))
    if table.started_at is not None and table.status == "stopped":
        key = key_of(table)
        again = button(key("rematch"), again_label(t, table), Style.GREEN)
        parts.append(row(again, button(key("replay"), t("Replay"))))
    return container(Accent.GREY, parts)


def _why_aborted(t: Formatter, table: Table) -> str:
    if any(not (player.is_computer or player.left or player.away) for player in table.players):
        return t("Something went wrong with this game, sorry. No tea.")
    return t("Nobody was left to play. No tea.")


def _name(t: Formatter, table: Table, seat: int) -> str:
    player = table.players[seat]
    if not player.name and player.user_id is not None:
        return mention(t, player.user_id)
    return bold(player_name(t, player, seat))


def _seat_of(table: Table, user_id: int | None) -> int | None:
    return next((seat for seat, player in enumerate(table.players) if user_id and player.user_id == user_id), None)


def _person(t: Formatter, table: Table, user_id: int) -> str:
    seat = _seat_of(table, user_id)
    return mention(t, user_id) if seat is None else _name(t, table, seat)


def end_title(t: Formatter, snapshot: TableSnapshot, name_of: NameOf) -> str:
    """How the game ended."""
    view = snapshot.view
    if view is None:
        return t("The game is over")
    if view.shithead is not None:
        name = name_of(view.shithead)
        return t("{name} is last in", name=name) if t.polite else t("{name} is the shithead", name=name)
    if view.winner is not None:
        return t("{name} wins", name=name_of(view.winner))
    return t("A draw")


def debt_words(
    t: Formatter, snapshot: TableSnapshot, name_of: NameOf, person_of: NameOf, forfeit_of: Callable[[str], str]
) -> str:
    """Who owes what to whom; seats are called by `name_of`, people by `person_of`."""
    debt = snapshot.debt
    won = snapshot.view.winner if snapshot.view else None
    crown = t("{name} won.", name=name_of(won)) if won is not None and _has_both(snapshot) else ""
    if debt is None:
        drawn = bool(snapshot.view and snapshot.view.drawn)
        nobody = t("Nobody can get on: nobody owes anything.") if drawn else t("Nobody owes anything.")
        return t.sentences(crown, nobody)
    people = t.listing([person_of(user) for user in debt.creditor_ids])
    owed = forfeit_of(debt.forfeit)
    return t.sentences(crown, t(_DEBTS[debt.state], names=people, forfeit=owed))


_DEBTS: Final[Mapping[DebtState, str]] = {
    "owed": mark("Owes {names} {forfeit}"),
    "served": mark("Owed {names} {forfeit}: served ✓"),
    "forgiven": mark("Owed {names} {forfeit}: forgiven ✓"),
    "cancelled": mark("Owed {names} {forfeit}: struck out, nothing is owed"),
}


def _has_both(snapshot: TableSnapshot) -> bool:
    return bool(snapshot.view and snapshot.view.shithead is not None and snapshot.view.rules.end.aim == "both")


def order_words(t: Formatter, snapshot: TableSnapshot, name_of: NameOf) -> str:
    """Who came in where."""
    view = snapshot.view
    if view is None:
        return ""
    said = [t("{place} {name}", place=place(t, nth), name=name_of(seat)) for nth, seat in enumerate(view.out, 1)]
    if view.shithead is not None:
        said.append(t("last {name}", name=name_of(view.shithead)))
    return " · ".join(said)


def _length(t: Formatter, snapshot: TableSnapshot) -> str:
    table = snapshot.table
    moves = t.n("{count} move", "{count} moves", snapshot.moves)
    if not table.started_at or not table.ended_at:
        return moves
    minutes = max(1, round((table.ended_at - table.started_at).total_seconds() / 60))
    return t.n("{moves} in {count} minute", "{moves} in {count} minutes", minutes, moves=moves)


def _next_dealer(t: Formatter, snapshot: TableSnapshot) -> str:
    dealer = snapshot.view.next_dealer if snapshot.view else None
    if dealer is None:
        return ""
    name = _name(t, snapshot.table, dealer).replace("**", "")
    return t("{name} deals next", name=name)


def _buttons(t: Formatter, snapshot: TableSnapshot) -> Component:
    key = key_of(snapshot.table)
    again = again_label(t, snapshot.table)
    buttons = [button(key("rematch"), again, Style.GREEN), button(key("replay"), t("Replay"))]
    owed = snapshot.debt is not None and snapshot.debt.state == "owed"
    last = button(key("served"), t("Served")) if owed else button(key("rules"), t("Rules"))
    return row(*buttons, last)
