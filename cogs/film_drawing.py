"""What the film of a game shows: the table after each move, and what happened in words.

As `cogs.drawing_work` this is loaded by a process that draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cogs.pictures.highlights import highlights
from cogs.pictures.scene import FaceSet, ScenePlayer
from cogs.screens.event_words import sentences
from cogs.screens.formatter import Formatter
from cogs.screens.replay_screens import end_words
from tables.snapshots import Watched


def game_film(t: Formatter, watched: Watched, players: Sequence[ScenePlayer], faces: FaceSet) -> bytes:
    """The film of a game as a GIF."""
    from cogs.pictures.film import Frame, film  # noqa: PLC0415 - Pillow only where it draws
    from cogs.pictures.text import legible_or  # noqa: PLC0415

    moments = {each.move for each in highlights(watched.told)}

    def name_of(seat: int) -> str:
        return legible_or(players[seat].name, players[seat].fallback)

    in_words = replace(t, text=True)  # the typefaces have no signs for suits
    captions = [t.sentences(*sentences(in_words, events, name_of)) for events in watched.told]
    captions[-1] = t.sentences(captions[-1], end_words(t, watched, name_of))
    views = [view for view, _ in watched.seen]
    frames = [Frame(view, captions[n], is_moment=n in moments) for n, view in enumerate(views)]
    return film(frames, players, faces)
