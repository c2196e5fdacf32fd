"""The one message that pings: it is your turn, and has been for a while. Deleted once the turn is played."""

from __future__ import annotations

from cogs.screens.components import Screen, Style, button, lines, row
from cogs.screens.faces import Formatter
from cogs.screens.ids import format_id
from cogs.screens.plays import key_of
from cogs.screens.wording import asked_words, seat_name, small, time_up
from game.view import TableView
from tables.snapshots import TableSnapshot


def nudge_screen(t: Formatter, snapshot: TableSnapshot, user_id: int) -> Screen:
    """Without a container, so that it stays two lines. Whoever is late may be played for."""
    table = snapshot.table
    seat = _awaited(snapshot.view)
    told = lines(_your_turn(t, f"<@{user_id}>", snapshot.view), small(time_up(t, table), t("deleted once you play")))
    buttons = [button(key_of(table)("hand"), t("My hand"), Style.BLURPLE)]
    if table.overdue and seat is not None:
        buttons.append(button(key_of(table)("playfor"), t("Play for {name}", name=seat_name(t, table, seat))))
    else:
        buttons.append(button(format_id("noping", 0, 0), t("Don’t ping me")))
    return [told, row(*buttons)]


def _awaited(view: TableView | None) -> int | None:
    if view is None:
        return None
    return view.flush if view.phase == "clear" else view.turn


def _your_turn(t: Formatter, who: str, view: TableView | None) -> str:
    if view is None or view.phase != "play" or view.asked.kind == "anything":
        return t("{name} your turn.", name=who)
    return t("{name} your turn: **{asked}**.", name=who, asked=asked_words(t, view.asked))
