"""Parts that the screens of a hand share: the cards held, the table cards, what may be done out of turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.arguments import as_pressed
from cogs.screens.components import Component, Screen, Style, button, h1, h3, rows
from cogs.screens.faces import FACE_DOWN, Formatter, hand_order
from cogs.screens.happenings import last_doings
from cogs.screens.plays import Key, key_of
from cogs.screens.ranks import some_cards
from cogs.screens.wording import continued, seat_name, small
from game.cards import Face, face_rank
from game.moves import Follow, Interrupt
from tables.snapshots import HandSnapshot

MOST_BIG: Final = 8
"""Cards that fit into one line of big faces."""
MOST_LISTED: Final = 12
MOST_PICTURES: Final = 54
"""With more cards than that (several packs) the text alone is clearer."""
MOST_OUT_OF_TURN: Final = 6


def keyed(hand: HandSnapshot) -> Key:
    """Writes the ids of this hand."""
    return key_of(hand.snapshot.table)


def name_of(t: Formatter, hand: HandSnapshot, seat: int) -> str:
    """The name of a seat for a heading."""
    return seat_name(t, hand.snapshot.table, seat)


def hand_lines(t: Formatter, hand: HandSnapshot) -> list[str]:
    """The cards in hand, big, and named in text; nothing for an empty hand."""
    held = sorted(hand.view.hand, key=hand_order)
    return card_lines(t, held, t("Your hand")) if held else []


def card_lines(t: Formatter, held: Sequence[Face], title: str) -> list[str]:
    """A run of cards: big faces up to eight, smaller ones above, and all of them in text."""
    if len(held) <= MOST_LISTED:
        named = t("{title}: {cards}", title=title, cards=t.cards(held))
    else:
        counted = t.counted(held)
        named = t("{title}, {count} cards: {cards}", title=title, count=len(held), cards=counted)
    run = t.run(held) if len(held) <= MOST_BIG else t.grouped(held)
    if not run or len(held) > MOST_PICTURES:
        return [h3(named) if len(held) <= MOST_BIG else named]
    return [h1(run) if len(held) <= MOST_BIG else run, f"-# {named}"]


def foot(t: Formatter, hand: HandSnapshot) -> list[str]:
    """The own table cards: those face up with their faces, how many lie face down."""
    view = hand.view
    up, down = [slot for slot in view.up if slot], len(view.table.seats[view.seat].down)
    face_down = t.n("{count} face-down", "{count} face-down", down)
    if not up:
        return [small(face_down)] if down else []
    if view.zone == "face-up" and view.table.phase == "play" and view.table.turn == view.seat:
        return [small(face_down)] if down else []
    named = t("**Face-up** {cards}", cards=t.slots(up))
    run = t.run([card for slot in up for card in slot])
    also = t.n("and {count} face-down", "and {count} face-down", down)
    return [f"{named}  {run}".rstrip(), continued(also) if down else ""]


def last_lines(t: Formatter, hand: HandSnapshot) -> list[str]:
    """What happened last, in small print."""
    told = last_doings(t, hand.snapshot.recent, lambda seat: name_of(t, hand, seat))
    return [continued(told)]


def out_of_turn(t: Formatter, hand: HandSnapshot) -> Screen:
    """Buttons for interrupting and following up, where that is possible."""
    found: list[Component] = []
    for move in hand.view.moves:
        if isinstance(move, Interrupt):
            label = t("Interrupt: {cards}", cards=_set(t, move.cards))
            verb = "interrupt"
        elif isinstance(move, Follow):
            label = t("Add {cards}", cards=_set(t, move.cards))
            verb = "follow"
        else:
            continue
        argument = as_pressed(move)[1]
        found.append(button(keyed(hand)(verb, argument), label, Style.GREEN, emoji=t.icon(move.cards[-1])))
    return rows(found[:MOST_OUT_OF_TURN])


def _set(t: Formatter, cards: Sequence[Face]) -> str:
    return some_cards(t, face_rank(cards[0]), len(cards)) if t.text else t.cards(cards)


def face_down_run(t: Formatter, count: int) -> str:
    """As many quiet backs."""
    return t.faces.named(FACE_DOWN) * count
