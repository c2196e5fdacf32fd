"""The one message that pings: it is your turn, and has been for a while. Deleted once the turn is played."""

from __future__ import annotations

from bot.shown import TableShown
from cogs.ui.components import Screen, Style, button, lines, row
from cogs.ui.faces import Pen
from cogs.ui.plays import key_of
from cogs.ui.wording import asked_words, small, time_up
from game.view import TableView


def nudge_screen(pen: Pen, shown: TableShown, user_id: int) -> Screen:
    """Without a container, so that it stays two lines."""
    t, table = pen.t, shown.table
    who = f"<@{user_id}>"
    told = lines(_your_turn(pen, who, shown.view), small(time_up(t, table), t("deleted once you play")))
    return [told, row(button(key_of(table)("hand"), t("My hand"), Style.BLURPLE))]


def _your_turn(pen: Pen, who: str, view: TableView | None) -> str:
    if view is None or view.asked.kind == "anything":
        return pen.t("{name} your turn.", name=who)
    return pen.t("{name} your turn: **{asked}**.", name=who, asked=asked_words(pen.t, view.asked))
