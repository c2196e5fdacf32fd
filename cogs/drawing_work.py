"""The jobs of the drawing processes: a table, its end, its film, faces of cards.

These processes import this module and the types of its arguments, none of which may import discord.py, the database or
asyncio. Pillow is imported inside the functions, so only where something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogs.pictures.scene import FaceSet, Scene, ScenePlayer
from cogs.screens.formatter import Formatter
from tables.snapshots import TableSnapshot, Watched


def table_picture(scene: Scene, faces: FaceSet) -> bytes:
    """Draw a table as a PNG."""
    from cogs.pictures.table_picture import table_picture as draw  # noqa: PLC0415

    return draw(scene, faces)


def emoji_set(names: Sequence[str]) -> dict[str, bytes]:
    """Draw these faces as PNGs, by emoji name."""
    from cogs.pictures.card_faces import emoji_set as draw  # noqa: PLC0415

    return draw(names)


def end_picture(t: Formatter, snapshot: TableSnapshot) -> bytes | None:
    """Draw the end of a game or a match as a PNG; None if it cannot be drawn."""
    from cogs.end_drawing import drawn_end  # noqa: PLC0415

    return drawn_end(t, snapshot)


def game_film(t: Formatter, watched: Watched, players: Sequence[ScenePlayer], faces: FaceSet) -> bytes:
    """Draw the film of a game as a GIF: the table after each move, with a caption that says what happened."""
    from cogs.pictures.film import FilmFrame, film  # noqa: PLC0415 - imported only for a film
    from cogs.pictures.highlights import highlights  # noqa: PLC0415
    from cogs.pictures.text import legible_or  # noqa: PLC0415
    from cogs.screens.event_words import retold  # noqa: PLC0415
    from cogs.screens.replay_screens import end_words  # noqa: PLC0415
    from cogs.screens.wording import at_table  # noqa: PLC0415

    moments = {each.move for each in highlights(watched.told, watched.piles)}

    def name_of(seat: int) -> str:
        return legible_or(players[seat].name, players[seat].fallback)

    in_words = at_table(replace(t, text=True), watched.table.rules)  # the typefaces have no suit symbols
    captions = [retold(in_words, events, name_of) for events in watched.told]
    captions[-1] = " · ".join(filter(None, (end_words(t, watched, name_of), captions[-1])))  # long captions are cut
    views = [view for view, _ in watched.seen]
    frames = [FilmFrame(view, captions[n], is_moment=n in moments) for n, view in enumerate(views)]
    return film(frames, players, faces)
