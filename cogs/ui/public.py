"""The one public message of a table, whatever its state."""

from __future__ import annotations

from bot.shown import TableShown
from cogs.ui.components import Screen
from cogs.ui.end import end_screen, stopped_screen
from cogs.ui.faces import Pen
from cogs.ui.lobby import lobby_screen
from cogs.ui.table import table_screen


def public_screen(pen: Pen, shown: TableShown) -> Screen:
    """Lobby, table or end."""
    match shown.table.status:
        case "lobby":
            return lobby_screen(pen, shown.table)
        case "playing" if shown.view is not None:
            return table_screen(pen, shown, shown.view)
        case "over":
            return end_screen(pen, shown)
        case _:
            return stopped_screen(pen, shown)
