"""The one public message of a table, whatever its state."""

from __future__ import annotations

from cogs.screens.components import Screen
from cogs.screens.end import end_screen, stopped_screen
from cogs.screens.faces import Formatter
from cogs.screens.lobby import lobby_screen
from cogs.screens.table import table_screen
from tables.snapshots import TableSnapshot


def public_screen(t: Formatter, snapshot: TableSnapshot) -> Screen:
    """Lobby, table or end."""
    match snapshot.table.status:
        case "lobby":
            return lobby_screen(t, snapshot.table)
        case "playing" if snapshot.view is not None:
            return table_screen(t, snapshot, snapshot.view)
        case "over":
            return end_screen(t, snapshot)
        case _:
            return stopped_screen(t, snapshot)
