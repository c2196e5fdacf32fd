"""What is behind More while a game runs: leave, stop, play for somebody who is too slow, move the table down."""

from __future__ import annotations

from cogs.screens.components import Accent, Component, Screen, Style, button, container, h3, lines, row
from cogs.screens.faces import Formatter
from cogs.screens.lobby import heading
from cogs.screens.plays import key_of
from cogs.screens.wording import seat_name, small, time_up
from tables.snapshots import TableSnapshot


def running_screen(t: Formatter, snapshot: TableSnapshot, user_id: int, *, moderator: bool, notice: str = "") -> Screen:
    """The private page of one reader."""
    table, key = snapshot.table, key_of(snapshot.table)
    seated = table.seat_of(user_id) is not None
    parts: list[Component] = [lines(small(notice), h3(heading(t, table)), small(time_up(t, table)))]
    first = [button(key("down"), t("Move table down")), button(key("fair"), t("Fair shuffle"))]
    if seated:
        first.insert(0, button(key("leave"), t("Leave the game")))
    parts.append(row(*first))
    if user_id == table.host_id or moderator:
        parts += [row(button(key("stop"), t("Stop the game"), Style.RED)), lines(small(t("Stopped games owe no tea")))]
    elif seated:
        parts += [row(button(key("stop"), t("Vote to stop"))), lines(small(_votes(t, snapshot)))]
    if seated and snapshot.view is not None and snapshot.view.turn is not None:
        name = seat_name(t, table, snapshot.view.turn)
        if snapshot.view.turn != table.seat_of(user_id):
            parts.append(row(button(key("playfor"), t("Play for {name}", name=name))))
            parts.append(lines(small(t("Only when their time is up: the computer plays one move"))))
    return container(Accent.BLUE, parts)


def _votes(t: Formatter, snapshot: TableSnapshot) -> str:
    humans = sum(not player.is_computer and not player.left for player in snapshot.table.players)
    votes = t("{votes} of {players} want to stop", votes=len(snapshot.table.stop_votes), players=humans)
    return t("{votes}; more than half decides, and nobody owes tea", votes=votes)
