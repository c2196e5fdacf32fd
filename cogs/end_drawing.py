"""Turns the end of a game or a match into the title and the rows that `cogs.pictures.final` draws.

A name that no typeface covers becomes `Player 3`. This module loads Pillow: import it only where something is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from cogs.pictures.final import MatchRow, Row, final_picture, match_picture, titled
from cogs.pictures.text import NotDrawableError, legible, legible_or
from cogs.screens.end_screens import cards_left, debt_words, end_title
from cogs.screens.formatter import FACE_DOWN, Formatter, face_name
from cogs.screens.match_words import crown_words, match_title, plain_line_name
from cogs.screens.wording import bare_name
from data.models import Table
from game.cards import rank_of
from game.view import SeatFace, TableView
from tables.match import extremes, is_match_over, ranked_at
from tables.snapshots import TableSnapshot


def drawn_end(t: Formatter, snapshot: TableSnapshot) -> bytes | None:
    """Draw the end as a PNG: of the match if that is over, otherwise of the game. None if it cannot be drawn."""
    if is_match_over(snapshot.table) or snapshot.view is None:
        return _drawn_match(t, snapshot.table)
    title = titled(partial(end_title, t, snapshot), partial(_drawn_name, t, snapshot), len(snapshot.table.players))
    return final_picture(title, _debt_line(t, snapshot), list(_rows(t, snapshot, snapshot.view)))


def _drawn_match(t: Formatter, table: Table) -> bytes | None:
    def name(line: int) -> str:
        return legible_or(plain_line_name(t, table, line), t("Player {number}", number=line + 1))

    winners, losers = extremes(table)
    rows: list[MatchRow] = []
    for each in ranked_at(table):
        line, is_marked = table.standings[each.line], each.line in (losers or winners)
        rows.append(MatchRow(each.rank, name(each.line), line.places, each.score, line.lost, marked=is_marked))
    return match_picture(titled(partial(match_title, t, table), name, len(rows)), crown_words(t, table, name), rows)


def _drawn_name(t: Formatter, snapshot: TableSnapshot, seat: int) -> str:
    return legible_or(bare_name(t, snapshot.table, seat), t("Player {number}", number=seat + 1))


def _debt_line(t: Formatter, snapshot: TableSnapshot) -> str:
    """Who owes what. Empty if a creditor is not at the table any more, or if the forfeit cannot be drawn."""
    seats = {player.user_id: seat for seat, player in enumerate(snapshot.table.players)}
    if snapshot.debt is None or not all(user in seats for user in snapshot.debt.creditor_ids):
        return ""
    name_of, tea = partial(_drawn_name, t, snapshot), t("a cup of tea")
    try:
        line = debt_words(t, snapshot, lambda user: name_of(seats[user]), lambda owed: legible(owed or tea))
        return legible(line)
    except NotDrawableError:
        return ""


def _rows(t: Formatter, snapshot: TableSnapshot, view: TableView) -> Iterator[Row]:
    """Seats that are out, in that order; then the others, fewest cards first, the shithead last."""
    others = [seat for seat in range(len(view.seats)) if seat not in view.out]
    others.sort(key=lambda seat: (seat == view.shithead, cards_left(view.seats[seat])))
    for nth, seat in enumerate([*view.out, *others], 1):
        cards = tuple(_cards(t, view.seats[seat]))
        is_ranked = seat in view.out or view.shithead is not None  # without a loser only those who are out
        place = nth if is_ranked else 0
        yield Row(place, _drawn_name(t, snapshot, seat), cards, marked=seat == view.shithead)


def _cards(t: Formatter, face: SeatFace) -> Iterator[str]:
    for slot in face.up or ():
        for card in slot:
            yield face_name(card, four_colours=t.faces.four_colours, letter=t.letter(rank_of(card)))
    yield from [FACE_DOWN] * (face.hand + len(face.down))  # last, because cards that find no room are only counted
