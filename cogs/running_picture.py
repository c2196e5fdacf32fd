"""The running game as a picture with few words around it, and in words if the picture cannot be drawn in time."""

from __future__ import annotations

from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.asker import Prepared
from cogs.drawing_pool import drawn_picture, table_picture
from cogs.pictures.scene import FaceSet, ScenePlayer, players_of, scene_of
from cogs.pictures.scene_words import table_in_words
from cogs.screens.computer_words import LEVELS
from cogs.screens.formatter import Formatter
from cogs.screens.table_screens import table_screen
from data.models import Table
from game.cards import ACE, JACK
from game.view import TableView
from tables.snapshots import TableSnapshot

RUNNING_PICTURE: Final = "running.png"


def face_set(t: Formatter) -> FaceSet:
    """How the cards of a picture are drawn: with the letters of the language, in two colours or four."""
    jack, queen, king, ace = map(t.letter, range(JACK, ACE + 1))
    return FaceSet((jack, queen, king, ace), t.faces.four_colours)


def seated(t: Formatter, table: Table) -> tuple[ScenePlayer, ...]:
    """Who sits at a table, as a picture names them."""
    return players_of(table.players, lambda seat: t("Player {number}", number=seat + 1), lambda level: t(LEVELS[level]))


async def with_picture(t: Formatter, snapshot: TableSnapshot, view: TableView, shown: int | None) -> Prepared:
    """The running game with its picture.

    `shown` is the `shows` of the picture that the message has: if this one is the same, it is not drawn again.
    """
    scene, faces = scene_of(view, seated(t, snapshot.table)), face_set(t)
    image, shows = ui.picture(RUNNING_PICTURE, table_in_words(t, scene)), hash((scene, faces))
    if shows == shown:
        return Prepared(table_screen(t, snapshot, view, image), shows=shows, keeps=True)
    png = await drawn_picture(partial(table_picture, scene, faces), snapshot.table.id)
    if png is None:
        return Prepared(table_screen(t, snapshot, view))
    return Prepared(table_screen(t, snapshot, view, image), {RUNNING_PICTURE: png}, shows=shows)
