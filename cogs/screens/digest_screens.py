"""The direct message that lists the slow games which wait for somebody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.lobby_screens import heading
from cogs.screens.names import escaped
from cogs.screens.wording import player_name, time_words
from tables.snapshots import TableSnapshot

MOST: Final = 15


def digest_screen(t: Formatter, waiting: Sequence[TableSnapshot]) -> ui.Screen:
    """All tables at which it is somebody's turn, with the way there and how long is left."""
    title = t.n("It is your turn at {count} table", "It is your turn at {count} tables", len(waiting))
    lines = [_line(t, each) for each in waiting[:MOST]]
    more = len(waiting) - MOST
    rest = ui.small(t.n("and {count} more", "and {count} more", more) if more > 0 else "")
    how = ui.small(t("Once a day at most; {me} in the server turns it off", me=t.command("me")))
    return ui.container(ui.Accent.BLUE, [ui.lines(ui.h3(title)), ui.lines(*lines, rest), ui.lines(how)])


def _line(t: Formatter, snapshot: TableSnapshot) -> str:
    """`Shithead · Classic`, which leads there · whose table it is · how long is left."""
    table = snapshot.table
    place = f"{table.guild_id}/{table.channel_id}/{abs(table.message_id or 0)}"
    name = heading(replace(t, polite=table.polite), table)
    host = next((seat for seat, who in enumerate(table.players) if who.user_id == table.host_id), 0)
    whose = t("{name}’s table", name=escaped(player_name(t, table.players[host], host)))
    return " · ".join(filter(None, (f"[{name}](https://discord.com/channels/{place})", whose, time_words(t, snapshot))))
