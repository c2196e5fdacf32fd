"""What is behind More while a game runs: leave, stop, play for somebody who is too slow, move the table down."""

from __future__ import annotations

from bot.shown import TableShown
from cogs.ui.components import Accent, Component, Screen, Style, button, container, h3, lines, row
from cogs.ui.faces import Pen
from cogs.ui.lobby import heading
from cogs.ui.plays import key_of
from cogs.ui.wording import seat_name, small, time_up


def running_screen(pen: Pen, shown: TableShown, user_id: int, *, moderator: bool, notice: str = "") -> Screen:
    """The private page of one reader."""
    t, table, key = pen.t, shown.table, key_of(shown.table)
    seated = table.seat_of(user_id) is not None
    parts: list[Component] = [lines(small(notice), h3(heading(pen, table)), small(time_up(t, table)))]
    first = [button(key("down"), t("Move table down")), button(key("fair"), t("Fair shuffle"))]
    if seated:
        first.insert(0, button(key("leave"), t("Leave the game")))
    parts.append(row(*first))
    if user_id == table.host_id or moderator:
        parts += [row(button(key("stop"), t("Stop the game"), Style.RED)), lines(small(t("Stopped games owe no tea")))]
    elif seated:
        parts += [row(button(key("stop"), t("Vote to stop"))), lines(small(_votes(pen, shown)))]
    if seated and shown.view is not None and shown.view.turn is not None:
        name = seat_name(t, table, shown.view.turn)
        if shown.view.turn != table.seat_of(user_id):
            parts.append(row(button(key("playfor"), t("Play for {name}", name=name))))
            parts.append(lines(small(t("Only when their time is up: the computer plays one move"))))
    return container(Accent.BLUE, parts)


def _votes(pen: Pen, shown: TableShown) -> str:
    humans = sum(not player.is_computer and not player.left for player in shown.table.players)
    votes = pen.t("{votes} of {players} want to stop", votes=len(shown.table.stop_votes), players=humans)
    return pen.t("{votes}; more than half decides, and nobody owes tea", votes=votes)
