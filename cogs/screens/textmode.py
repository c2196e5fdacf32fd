"""What a hand adds in text mode: what may be done, and the whole table in short lines, all in words.

Somebody who has the screen read aloud, or sees no pictures, need not look for the public message to know where the game
stands. No sign, colour or picture says anything that the words do not.
"""

from __future__ import annotations

from typing import Final

from cogs.screens.components import Accent, Screen, container, divider, lines
from cogs.screens.faces import Formatter
from cogs.screens.ranks import place
from cogs.screens.refused import could_words
from cogs.screens.table import top_run
from cogs.screens.wording import seat_name
from game.moves import Flip, PickUp, Play
from game.view import TableView
from tables.snapshots import HandSnapshot, TableSnapshot

MOST_TOP: Final = 8


def may_words(t: Formatter, hand: HandSnapshot) -> str:
    """What the reader may do now, as a sentence; empty where the heading says it, or out of text mode."""
    view = hand.view
    if not t.text or view.table.phase != "play":
        return ""
    ups = any(isinstance(move, PickUp) for move in view.moves)
    if not any(isinstance(move, (Play, Flip)) for move in view.moves):
        return "" if ups or view.moves or view.table.turn == view.seat else t("You can only wait.")
    instead = t.n("Or pick up {count} card.", "Or pick up {count} cards.", len(view.table.pile)) if ups else ""
    return t.sentences(could_words(t, view), instead)


def with_table(t: Formatter, hand: HandSnapshot, screen: Screen) -> Screen:
    """The screen of a hand, in text mode with the table in words beneath it."""
    if not t.text:
        return screen
    parts = screen[0]["components"]
    below = [divider(), lines(*table_words(t, hand.snapshot, hand.view.table, hand.view.seat))]
    return container(Accent(screen[0]["accent_color"]), [*parts, *below])


def table_words(t: Formatter, snapshot: TableSnapshot, view: TableView, reader: int) -> list[str]:
    """The pile, the stock, the direction, and the other seats in turn, beginning after the reader's."""
    others = [(reader + view.direction * step) % len(view.seats) for step in range(1, len(view.seats))]
    turning = t("Play goes clockwise.") if view.direction == 1 else t("Play goes anticlockwise.")
    return [
        *(_pile(t, view) if view.phase in {"play", "clear"} else []),
        *(line for seat in others for line in _seat(t, snapshot, view, seat)),
        turning if len(others) > 1 else "",
    ]


def _pile(t: Formatter, view: TableView) -> list[str]:
    stock = t("Stock {count}", count=view.stock)
    burned = t.n("{count} card burned.", "{count} cards burned.", view.burned) if view.burned else ""
    if not view.pile:
        return [t("The pile is empty."), stock, burned]
    top = t.cards(top_run(view.pile)[-MOST_TOP:])
    return [t("Pile {count}, on top {cards}", count=len(view.pile), cards=top), stock, burned]


def _seat(t: Formatter, snapshot: TableSnapshot, view: TableView, seat: int) -> list[str]:
    face, player = view.seats[seat], snapshot.table.players[seat]
    name = f"**{seat_name(t, snapshot.table, seat)}**"
    what = [
        t("out, {place}", place=place(t, face.place)) if face.place is not None else "",
        t("on turn") if view.turn == seat and view.phase in {"play", "tribute"} else "",
        t("ready") if view.phase == "exchange" and face.ready else "",
        t("computer") if player.is_computer or player.left else "",
        t("away") if player.away and not player.left else "",
    ]
    counts = "" if face.place is not None else t("hand {hand}, {down} down", hand=face.hand, down=len(face.down))
    line = " · ".join(part for part in (name, counts, *what) if part)
    up = [slot for slot in face.up or () if slot]
    return [line, t("Face-up: {cards}", cards=t.slots(up)) if up else ""]
