"""The end of a game or a match with its picture: who came in where, and who sits there with cards left.

The picture says what the text says, so it is left out where it cannot be drawn in time or at all. A name that no
typeface covers is `Player 3` there; the text and the words behind the picture have the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

import cogs.screens.components as ui
from cogs.drawing_pool import drawn_picture
from cogs.pictures.final import MatchRow, Row, final_picture, match_picture
from cogs.pictures.text import legible_or
from cogs.screens.end_screens import debt_words, end_screen, end_title, order_words
from cogs.screens.formatter import CARD_BACK, FACE_DOWN, Formatter, face_name
from cogs.screens.match_words import crown_words, match_title, plain_line_name, ranking_words
from cogs.screens.wording import player_name
from data.models import Table
from game.view import SeatFace, TableView
from tables.match import counts_points, extremes, is_match_over, ranking
from tables.snapshots import TableSnapshot

PICTURE: Final = "table.png"
MATCH_PICTURE: Final = "match.png"


async def portrayed(t: Formatter, snapshot: TableSnapshot) -> tuple[ui.Screen, Mapping[str, bytes]]:
    """The screen and the pictures it shows, by name."""
    if is_match_over(snapshot.table):
        name, words, draw = MATCH_PICTURE, match_in_words(t, snapshot.table), _match_drawing(t, snapshot.table)
    elif snapshot.view is not None:
        rows = list(_rows(t, snapshot, snapshot.view))
        name, words = PICTURE, in_words(t, snapshot)
        title = end_title(t, snapshot, partial(_drawn_name, t, snapshot))
        draw = partial(final_picture, title, _line(t, snapshot), rows)
    else:
        return end_screen(t, snapshot), {}
    png = await drawn_picture(draw, snapshot.table.id)
    if png is None:
        return end_screen(t, snapshot), {}
    return end_screen(t, snapshot, ui.picture(name, words)), {name: png}


def _match_drawing(t: Formatter, table: Table) -> Callable[[], bytes | None]:
    def name(line: int) -> str:
        return legible_or(plain_line_name(t, table, line), t("Player {number}", number=line + 1))

    winners, losers = extremes(table)
    rows = [
        MatchRow(
            place=each.rank,
            name=name(each.line),
            places=table.standings[each.line].places,
            score=each.points if counts_points(table) else each.losses,
            lost=table.standings[each.line].lost,
            marked=each.line in (losers or winners),
        )
        for each in (ranking(table.match, table.standings) if table.match else ())
    ]
    return partial(match_picture, match_title(t, table, name), crown_words(t, table, name), rows)


def match_in_words(t: Formatter, table: Table) -> str:
    """What the picture of a match shows: who is first and last, and of everybody the places and what they come to."""

    def name(line: int) -> str:
        return plain_line_name(t, table, line)

    said = (match_title(t, table, name), crown_words(t, table, name), *ranking_words(t, table, name))
    return " · ".join(filter(None, said))


def in_words(t: Formatter, snapshot: TableSnapshot) -> str:
    """What the picture shows: how it ended, the order, the cards that are left."""
    view = snapshot.view
    seats = () if view is None else [(seat, _left(face)) for seat, face in enumerate(view.seats)]
    left = [
        t.n("{name} has {count} card left", "{name} has {count} cards left", count, name=_name(t, snapshot, seat))
        for seat, count in seats
        if count
    ]
    order = order_words(t, snapshot, lambda seat: _name(t, snapshot, seat))
    title = end_title(t, snapshot, lambda seat: _name(t, snapshot, seat))
    return " · ".join(filter(None, (title, order, *left)))


def _name(t: Formatter, snapshot: TableSnapshot, seat: int) -> str:
    return player_name(t, snapshot.table.players[seat], seat)


def _drawn_name(t: Formatter, snapshot: TableSnapshot, seat: int) -> str:
    return legible_or(_name(t, snapshot, seat), t("Player {number}", number=seat + 1))


def _line(t: Formatter, snapshot: TableSnapshot) -> str:
    """Who owes what; empty where somebody of those is not at the table, or what is owed cannot be drawn."""
    seats = {player.user_id: seat for seat, player in enumerate(snapshot.table.players)}
    if snapshot.debt is None or not all(user in seats for user in snapshot.debt.creditor_ids):
        return ""
    owed = debt_words(
        t,
        snapshot,
        partial(_drawn_name, t, snapshot),
        lambda user: _drawn_name(t, snapshot, seats[user]),
        lambda forfeit: forfeit or t("a cup of tea 🍵"),
    )
    return legible_or(owed, "")


def _rows(t: Formatter, snapshot: TableSnapshot, view: TableView) -> Iterator[Row]:
    """Those who are out as they came out, then those with the fewest cards, the loser last."""
    others = [seat for seat in range(len(view.seats)) if seat not in view.out]
    others.sort(key=lambda seat: (seat == view.shithead, _left(view.seats[seat])))
    for nth, seat in enumerate([*view.out, *others], 1):
        cards = tuple(_cards(t, view.seats[seat]))
        yield Row(nth, _drawn_name(t, snapshot, seat), cards, marked=seat == view.shithead)


def _left(face: SeatFace) -> int:
    return face.hand + sum(map(len, face.up or ())) + len(face.down)


def _cards(t: Formatter, face: SeatFace) -> Iterator[str]:
    yield from [CARD_BACK] * face.hand
    yield from [face_name(card, four_colours=t.faces.four_colours) for slot in face.up or () for card in slot]
    yield from [FACE_DOWN] * len(face.down)
