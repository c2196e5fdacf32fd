"""The end of a game or a match with its picture: the places, and the cards that are left.

The picture says what the text says, so it is left out if it cannot be drawn in time or at all. A name that no
typeface covers is `Player 3` there; the text and the words behind the picture have the name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.drawing_pool import drawn_picture
from cogs.screens.end_screens import cards_left, end_screen, end_title, order_words, plain_name
from cogs.screens.formatter import Formatter
from cogs.screens.match_words import crown_words, match_title, plain_line_name, ranking_words
from data.models import Table
from tables.match import is_match_over
from tables.snapshots import TableSnapshot

PICTURE: Final = "table.png"
MATCH_PICTURE: Final = "match.png"


async def portrayed(t: Formatter, snapshot: TableSnapshot) -> tuple[ui.Screen, Mapping[str, bytes]]:
    """The screen and the pictures it shows, by name."""
    if is_match_over(snapshot.table):
        name, words = MATCH_PICTURE, match_in_words(t, snapshot.table)
    elif snapshot.view is not None:
        name, words = PICTURE, in_words(t, snapshot)
    else:
        return end_screen(t, snapshot), {}
    png = await drawn_picture(partial(_drawn, t, snapshot), snapshot.table.id)
    if png is None:
        return end_screen(t, snapshot), {}
    return end_screen(t, snapshot, ui.picture(name, words)), {name: png}


def _drawn(t: Formatter, snapshot: TableSnapshot) -> bytes | None:
    from cogs.end_drawing import drawn_end  # noqa: PLC0415 - Pillow only where it draws

    return drawn_end(t, snapshot)


def match_in_words(t: Formatter, table: Table) -> str:
    """What the picture of a match shows: who is first and last, and of everybody the places and what they come to."""

    def name(line: int) -> str:
        return plain_line_name(t, table, line)

    said = (match_title(t, table, name), crown_words(t, table, name), *ranking_words(t, table, name))
    return " · ".join(filter(None, said))


def in_words(t: Formatter, snapshot: TableSnapshot) -> str:
    """What the picture shows: how it ended, the order, the cards that are left."""
    view = snapshot.view
    seats = () if view is None else [(seat, cards_left(face)) for seat, face in enumerate(view.seats)]
    left = [
        t.n("{name} has {count} card left", "{name} has {count} cards left", count, name=plain_name(t, snapshot, seat))
        for seat, count in seats
        if count
    ]
    order = order_words(t, snapshot, lambda seat: plain_name(t, snapshot, seat))
    title = end_title(t, snapshot, lambda seat: plain_name(t, snapshot, seat))
    return " · ".join(filter(None, (title, order, *left)))
