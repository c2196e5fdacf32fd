"""What the processes that draw are asked for; `cogs.film_drawing` has the film.

They load this module and what it is asked with, so none of it may need Discord, the database or an event loop; Pillow
is loaded only where something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogs.pictures.scene import FaceSet, Scene
from cogs.screens.formatter import Formatter
from tables.snapshots import TableSnapshot


def table_picture(scene: Scene, faces: FaceSet) -> bytes:
    """A table as a PNG."""
    from cogs.pictures.table_picture import table_picture as draw  # noqa: PLC0415

    return draw(scene, faces)


def emoji_set(names: Sequence[str]) -> dict[str, bytes]:
    """These faces as PNG, by emoji name."""
    from cogs.pictures.card_faces import emoji_set as draw  # noqa: PLC0415

    return draw(names)


def end_picture(t: Formatter, snapshot: TableSnapshot) -> bytes | None:
    """The end of a game or a match as a PNG."""
    from cogs.end_drawing import drawn_end  # noqa: PLC0415

    return drawn_end(t, snapshot)
