"""What the screens of a hand share: the cards held, the table cards, and the whole table in words for text mode.

Somebody who has the screen read aloud, or sees no pictures, need not look for the public message to know where the game
stands. No sign, colour or picture says anything that the words do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter, hand_order
from cogs.screens.happenings import last_doings
from cogs.screens.ids import key_of
from cogs.screens.refused import could_words
from cogs.screens.wording import pile_words, seat_name
from game.cards import Face, face_rank
from game.moves import Flip, Follow, Interrupt, PickUp, Play
from game.view import TableView
from tables.snapshots import HandSnapshot, TableSnapshot

MOST_BIG: Final = 8
"""Cards that fit into one line of big faces."""
MOST_LISTED: Final = 12
MOST_PICTURES: Final = 54
"""With more cards than that (several packs) the text alone is clearer."""
MOST_OUT_OF_TURN: Final = 6


def hand_lines(t: Formatter, hand: HandSnapshot) -> list[str]:
    """The cards in hand, big, and named in text; nothing for an empty hand."""
    held = sorted(hand.view.hand, key=hand_order)
    return card_lines(t, held, t("Your hand")) if held else []


def card_lines(t: Formatter, held: Sequence[Face], title: str) -> list[str]:
    """A run of cards: big faces up to eight, smaller ones above, and all of them in text."""
    if len(held) <= MOST_LISTED:
        named = t("{title}: {cards}", title=title, cards=t.cards(held))
    else:
        named = t("{title}, {count} cards: {cards}", title=title, count=len(held), cards=t.counted(held))
    run = t.run(held) if len(held) <= MOST_BIG else t.grouped(held)
    if not run or len(held) > MOST_PICTURES:
        return [ui.h3(named) if len(held) <= MOST_BIG else named]
    return [ui.h1(run) if len(held) <= MOST_BIG else run, f"-# {named}"]


def foot(t: Formatter, hand: HandSnapshot) -> list[str]:
    """The own table cards: those face up with their faces, how many lie face down."""
    view = hand.view
    up, down = [slot for slot in view.up if slot], len(view.table.seats[view.seat].down)
    face_down = ui.small(t.n("{count} face-down", "{count} face-down", down)) if down else ""
    plays_them = view.zone == "face-up" and view.table.phase == "play" and view.table.turn == view.seat
    if not up or plays_them:
        return [face_down] if down else []
    named = t("**Face-up** {cards}", cards=t.slots(up))
    run = t.run([card for slot in up for card in slot])
    also = ui.continued(t.n("and {count} face-down", "and {count} face-down", down)) if down else ""
    return [f"{named}  {run}".rstrip(), also]


def last_lines(t: Formatter, snapshot: TableSnapshot) -> list[str]:
    """What happened last, in small print."""
    return [ui.continued(last_doings(t, snapshot.recent, lambda seat: seat_name(t, snapshot.table, seat)))]


def out_of_turn(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    """Buttons for interrupting and following up, where that is possible."""
    key, found = key_of(hand.snapshot.table), list[ui.Component]()
    for move in hand.view.moves:
        if isinstance(move, Interrupt | Follow):
            cards = t.some_cards(face_rank(move.cards[0]), len(move.cards)) if t.text else t.cards(move.cards)
            label = (
                t("Interrupt: {cards}", cards=cards) if isinstance(move, Interrupt) else t("Add {cards}", cards=cards)
            )
            found.append(ui.button(key.move(move), label, ui.Style.GREEN, emoji=t.icon(move.cards[-1])))
    return ui.rows(found[:MOST_OUT_OF_TURN])


# -- text mode


def may_words(t: Formatter, hand: HandSnapshot) -> str:
    """What the reader may do now, as a sentence; empty where the heading says it, or out of text mode."""
    view = hand.view
    if not t.text or view.table.phase != "play":
        return ""
    ups = any(isinstance(move, PickUp) for move in view.moves)
    if not any(isinstance(move, Play | Flip) for move in view.moves):
        return "" if ups or view.moves or view.table.turn == view.seat else t("You can only wait.")
    instead = t.n("Or pick up {count} card.", "Or pick up {count} cards.", len(view.table.pile)) if ups else ""
    return t.sentences(could_words(t, view), instead)


def with_table(t: Formatter, hand: HandSnapshot, screen: ui.Screen) -> ui.Screen:
    """The screen of a hand, in text mode with the table in words beneath it."""
    if not t.text:
        return screen
    below = [ui.divider(), ui.lines(*_table_words(t, hand.snapshot, hand.view.table, hand.view.seat))]
    return ui.container(ui.Accent(screen[0]["accent_color"]), [*screen[0]["components"], *below])


def _table_words(t: Formatter, snapshot: TableSnapshot, view: TableView, reader: int) -> list[str]:
    """The pile, the stock, the direction, and the other seats in turn, beginning after the reader's."""
    others = [(reader + view.direction * step) % len(view.seats) for step in range(1, len(view.seats))]
    turning = t("Play goes clockwise.") if view.direction == 1 else t("Play goes anticlockwise.")
    return [
        *(_pile(t, view) if view.phase in {"play", "clear"} else []),
        *(line for seat in others for line in _seat(t, snapshot, view, seat)),
        turning if len(others) > 1 else "",
    ]


def _pile(t: Formatter, view: TableView) -> list[str]:
    burned = t.n("{count} card burned.", "{count} cards burned.", view.burned) if view.burned else ""
    top = pile_words(t, view.pile) if view.pile else t("The pile is empty.")
    return [top, t("Stock {count}", count=view.stock), burned]


def _seat(t: Formatter, snapshot: TableSnapshot, view: TableView, seat: int) -> list[str]:
    face, player = view.seats[seat], snapshot.table.players[seat]
    what = [
        f"**{seat_name(t, snapshot.table, seat)}**",
        t("hand {hand}, {down} down", hand=face.hand, down=len(face.down)) if face.place is None else "",
        t("out, {place}", place=t.place(face.place)) if face.place is not None else "",
        t("on turn") if view.turn == seat and view.phase in {"play", "tribute"} else "",
        t("ready") if view.phase == "exchange" and face.ready else "",
        t("computer") if player.is_computer or player.left else "",
        t("away") if player.away and not player.left else "",
    ]
    up = [slot for slot in face.up or () if slot]
    return [" · ".join(filter(None, what)), t("Face-up: {cards}", cards=t.slots(up)) if up else ""]
