"""The film of an ended game: one at a time for each server, drawn aside."""

from __future__ import annotations

from functools import partial
from typing import Final

from cogs.drawing_pool import drawn_film
from cogs.film_drawing import game_film
from cogs.screens.formatter import Formatter
from cogs.table_pictures import face_set, seated
from tables.snapshots import Watched

FILM: Final = "film.gif"
_servers: Final = set[int]()
"""Those for which a film is being drawn."""


class BusyError(Exception):
    """A film is being drawn for this server already."""


async def film_of(t: Formatter, watched: Watched) -> bytes | None:
    """The film of a game as a GIF, None if it cannot be drawn.

    Raises:
        BusyError: another one is being drawn for the server.
    """
    server = watched.table.guild_id
    if server in _servers:
        raise BusyError
    _servers.add(server)
    try:
        return await drawn_film(partial(game_film, t, watched, seated(t, watched.table), face_set(t)), watched.table.id)
    finally:
        _servers.remove(server)
