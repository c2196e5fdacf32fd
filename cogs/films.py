"""The film of an ended game: one at a time for each server, drawn aside."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from cogs.drawing_pool import drawn_film
from cogs.pictures.highlights import highlights
from cogs.screens.doings import sentences
from cogs.screens.formatter import Formatter
from cogs.screens.replay_screens import end_words
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
        return await drawn_film(partial(_film, t, watched), watched.table.id)
    finally:
        _servers.remove(server)


def _film(t: Formatter, watched: Watched) -> bytes:
    from cogs.pictures.film import Frame, film  # noqa: PLC0415 - Pillow only where it draws
    from cogs.pictures.text import legible_or  # noqa: PLC0415

    players = seated(t, watched.table)
    moments = {each.move for each in highlights(watched.told)}

    def name_of(seat: int) -> str:
        return legible_or(players[seat].name, players[seat].fallback)

    in_words = replace(t, text=True)  # the typefaces have no signs for suits
    said = [t.sentences(*sentences(in_words, told, name_of)) for told in watched.told]
    said[-1] = t.sentences(said[-1], end_words(t, watched, name_of))
    views = [view for view, _ in watched.seen]
    frames = [Frame(view, said[n], is_moment=n in moments) for n, view in enumerate(views)]
    return film(frames, players, face_set(t))
