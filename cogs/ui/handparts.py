"""Parts that the screens of a hand share: the cards held, the table cards, what may be done out of turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.shown import HandShown
from cogs.ui.arguments import as_pressed
from cogs.ui.components import Component, Screen, Style, button, h1, h3, rows
from cogs.ui.faces import FACE_DOWN, Pen, hand_order
from cogs.ui.happenings import last_doings
from cogs.ui.plays import Key, key_of
from cogs.ui.ranks import some_cards
from cogs.ui.wording import continued, seat_name, small
from game.cards import Face, face_rank
from game.moves import Follow, Interrupt

MOST_BIG: Final = 8
"""Cards that fit into one line of big faces."""
MOST_LISTED: Final = 12
MOST_PICTURES: Final = 54
"""With more cards than that (several packs) the text alone is clearer."""
MOST_OUT_OF_TURN: Final = 6


def keyed(hand: HandShown) -> Key:
    """Writes the ids of this hand."""
    return key_of(hand.shown.table)


def name_of(pen: Pen, hand: HandShown, seat: int) -> str:
    """The name of a seat for a heading."""
    return seat_name(pen.t, hand.shown.table, seat)


def hand_lines(pen: Pen, hand: HandShown) -> list[str]:
    """The cards in hand, big, and named in text; nothing for an empty hand."""
    held = sorted(hand.view.hand, key=hand_order)
    return card_lines(pen, held, pen.t("Your hand")) if held else []


def card_lines(pen: Pen, held: Sequence[Face], title: str) -> list[str]:
    """A run of cards: big faces up to eight, smaller ones above, and all of them in text."""
    t = pen.t
    if len(held) <= MOST_LISTED:
        named = t("{title}: {cards}", title=title, cards=pen.cards(held))
    else:
        counted = pen.counted(held)
        named = t("{title}, {count} cards: {cards}", title=title, count=len(held), cards=counted)
    run = pen.run(held) if len(held) <= MOST_BIG else pen.grouped(held)
    if not run or len(held) > MOST_PICTURES:
        return [h3(named) if len(held) <= MOST_BIG else named]
    return [h1(run) if len(held) <= MOST_BIG else run, f"-# {named}"]


def foot(pen: Pen, hand: HandShown) -> list[str]:
    """The own table cards: those face up with their faces, how many lie face down."""
    t, view = pen.t, hand.view
    up, down = [slot for slot in view.up if slot], len(view.table.seats[view.seat].down)
    face_down = t.n("{count} face-down", "{count} face-down", down)
    if not up:
        return [small(face_down)] if down else []
    if view.zone == "face-up" and view.table.phase == "play" and view.table.turn == view.seat:
        return [small(face_down)] if down else []
    named = t("**Face-up** {cards}", cards=pen.slots(up))
    run = pen.run([card for slot in up for card in slot])
    also = t.n("and {count} face-down", "and {count} face-down", down)
    return [f"{named}  {run}".rstrip(), continued(also) if down else ""]


def last_lines(pen: Pen, hand: HandShown) -> list[str]:
    """What happened last, in small print."""
    told = last_doings(pen, hand.shown.recent, lambda seat: name_of(pen, hand, seat))
    return [continued(told)]


def out_of_turn(pen: Pen, hand: HandShown) -> Screen:
    """Buttons for interrupting and following up, where that is possible."""
    found: list[Component] = []
    for move in hand.view.moves:
        if isinstance(move, Interrupt):
            label = pen.t("Interrupt: {cards}", cards=_set(pen, move.cards))
            verb = "interrupt"
        elif isinstance(move, Follow):
            label = pen.t("Add {cards}", cards=_set(pen, move.cards))
            verb = "follow"
        else:
            continue
        argument = as_pressed(move)[1]
        found.append(button(keyed(hand)(verb, argument), label, Style.GREEN, emoji=pen.icon(move.cards[-1])))
    return rows(found[:MOST_OUT_OF_TURN])


def _set(pen: Pen, cards: Sequence[Face]) -> str:
    return some_cards(pen.t, face_rank(cards[0]), len(cards)) if pen.text else pen.cards(cards)


def face_down_run(pen: Pen, count: int) -> str:
    """As many quiet backs."""
    return pen.faces.named(FACE_DOWN) * count
