"""The private hand before play: exchange, choosing, stacking, calling, tribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Final

from cogs.screens.arguments import as_pressed, format_slots
from cogs.screens.components import (
    MOST_OPTIONS,
    Accent,
    Component,
    Screen,
    Style,
    button,
    container,
    divider,
    h2,
    h3,
    lines,
    option,
    row,
    rows,
    select,
)
from cogs.screens.faces import Formatter, hand_order
from cogs.screens.handparts import card_lines, face_down_run, foot, hand_lines, keyed
from cogs.screens.ids import apart
from cogs.screens.ranks import number, one_card
from cogs.screens.wording import small, time_up
from game.cards import Card, format_card, rank_of
from game.moves import Call, Lay, Ready, Tribute
from tables.snapshots import HandSnapshot

MOST_CARD_BUTTONS: Final = 12
HAND, UP = "h", "u"


def exchange_screen(t: Formatter, hand: HandSnapshot, chosen: str = "") -> Screen:
    """Tap a card of the hand and one that lies face up. `chosen` is `h` or `u` and the card that was tapped first.

    A card that is not there cannot be chosen, whatever the id of a button says.
    """
    view, key = hand.view, keyed(hand)
    held, up = sorted(view.hand, key=hand_order), [card for slot in view.up for card in slot]
    there = {side + format_card(card) for side, cards in ((HAND, held), (UP, up)) for card in cards}
    chosen = chosen if chosen in there else ""
    side, card = chosen[:1], chosen[1:]
    clock = time_up(t, hand.snapshot.table)
    head = lines(h2(_exchange_heading(t, hand)), small(_exchange_hint(t, hand)), small(clock))
    parts: list[Component] = [head]
    if view.may_swap:
        parts.append(lines(h3(_question(t, side == HAND, card, t("Hand"), held, asked=side == UP))))
        parts += rows(_cards(t, hand, HAND, held[:MOST_CARD_BUTTONS], chosen))
        parts.append(lines(h3(_question(t, side == UP, card, t("Face-up"), up, asked=side == HAND))))
        parts += rows(_cards(t, hand, UP, up[:MOST_CARD_BUTTONS], chosen))
    else:
        parts.append(lines(*hand_lines(t, hand), *foot(t, hand)[:1]))
    parts += [*_laying(t, hand), divider()]
    steps = [button(key("ready"), t("Ready"), Style.GREEN)] if Ready() in view.moves else []
    if view.may_swap:
        steps.append(button(key("best"), _best_label(t, len(view.up))))
    return container(Accent.GREEN, [*parts, *([row(*steps)] if steps else []), lines(_readiness(t, hand))])


def _best_label(t: Formatter, slots: int) -> str:
    count = number(t, slots)
    return t.n("Best card up", "Best {count} up", slots, count=count)


def _exchange_heading(t: Formatter, hand: HandSnapshot) -> str:
    if hand.view.may_swap:
        return t("Swap before we start")
    return t("Lay equal cards, or say ready") if hand.view.may_lay else t("Ready?")


def _exchange_hint(t: Formatter, hand: HandSnapshot) -> str:
    if not hand.view.may_swap:
        return t("Play starts when everybody is ready")
    if hand.view.table.rules.deal.exchange == "one":
        return t("One swap: tap a hand card, then a face-up card")
    return t("Tap a hand card, then a face-up card")


def _question(t: Formatter, is_chosen: bool, card: str, title: str, cards: Sequence[Card], *, asked: bool) -> str:  # noqa: FBT001
    if is_chosen:
        found = next((each for each in cards if format_card(each) == card), None)
        return t("{zone}: {card} chosen", zone=title, card="" if found is None else t.card(found))
    return t("{zone}: which one goes there?", zone=title) if asked else title


def _cards(t: Formatter, hand: HandSnapshot, side: str, cards: Sequence[Card], chosen: str) -> list[Component]:
    key, names = keyed(hand), [format_card(card) for card in cards]
    made: list[Component] = []
    for card, name in zip(cards, apart(names), strict=True):
        plain, _, nth = name.partition("~")
        label, icon = t.label(card), t.icon(card)
        if chosen == side + plain and not nth:
            made.append(button(key("hand"), _chosen_label(t, card), Style.GREEN, emoji=icon))
        elif chosen and chosen[0] != side:
            pair = chosen[1:] + plain if side == UP else plain + chosen[1:]
            made.append(button(key("swap", pair, int(nth or 1)), label, Style.BLURPLE, emoji=icon))
        else:
            made.append(button(key("pick", side + plain, int(nth or 1)), label, emoji=icon))
    return made


def _chosen_label(t: Formatter, card: Card) -> str:
    return t("{card}, chosen", card=t.label(card)) if t.text else f"{t.card(card)} ✓"


def _laying(t: Formatter, hand: HandSnapshot) -> Screen:
    cards = list(dict.fromkeys(hand.view.may_lay))
    buttons = [
        button(keyed(hand)(*as_pressed(Lay(card))), t("Stack {card}", card=t.words(card)), emoji=t.icon(card))
        for card in cards[:MOST_CARD_BUTTONS]
    ]
    return rows(buttons) if buttons else []


def _readiness(t: Formatter, hand: HandSnapshot) -> str:
    view = hand.view.table
    down = len(view.seats[hand.view.seat].down)
    done = t("{ready} of {seats} ready", ready=sum(seat.ready for seat in view.seats), seats=len(view.seats))
    face_down = t.n("{count} face-down", "{count} face-down", down)
    return f"{small(done, face_down)}  {face_down_run(t, down)}".rstrip()


def choose_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    """Choose the face-up cards from all that are held (R32), stacked where that is played (R33)."""
    view, key = hand.view, keyed(hand)
    slots = slots_to_choose(hand)
    head = lines(
        h2(t.n("Choose {count} face-up card", "Choose {count} face-up cards", slots)),
        small(t("Nobody sees them before all have chosen")),
        small(time_up(t, hand.snapshot.table)),
        *hand_lines(t, hand),
    )
    best = button(key("best"), _best_label(t, slots), Style.GREEN)
    parts = [head, row(best), _choices(t, hand, slots)]
    if view.table.rules.deal.stacking:
        parts.append(lines(small(t("Choose more, and equal cards share a slot"))))
    return container(Accent.GREEN, [*parts, divider(), lines(_chosen_by(t, hand))])


def slots_to_choose(hand: HandSnapshot) -> int:
    """How many face-up slots a seat fills."""
    view = hand.view.table
    return view.rules.sizes_with(len(view.seats))[1]


def _choices(t: Formatter, hand: HandSnapshot, slots: int) -> Component:
    held, key = sorted(hand.view.hand, key=hand_order), keyed(hand)
    stacking = hand.view.table.rules.deal.stacking
    if not stacking and comb(len(held), slots) <= MOST_OPTIONS:
        sets = list(combinations(reversed(held), slots))
        values = apart([format_slots((card,) for card in cards) for cards in sets])
        options = [option(t.label(*cards), value) for cards, value in zip(sets, values, strict=True)]
        return select(key("chosen"), options, t("Which cards go face up?"))
    values = apart([format_card(card) for card in held])
    options = [option(t.label(card), value, emoji=t.icon(card)) for card, value in zip(held, values, strict=True)][
        :MOST_OPTIONS
    ]
    most = len(options) if stacking else slots
    return select(key("chosen"), options, t("Which cards go face up?"), fewest=slots, most=most)


def stacked(cards: Iterable[Card], slots: int) -> tuple[tuple[Card, ...], ...] | None:
    """Chosen cards in `slots` slots, equal ones sharing; None where they do not fit."""
    ranks: dict[int, list[Card]] = {}
    for card in cards:
        ranks.setdefault(rank_of(card), []).append(card)
    found = list(ranks.values())
    while len(found) < slots:
        largest = max(found, key=len) if found else list[Card]()
        if len(largest) <= 1:
            return None
        found.append([largest.pop()])
    return tuple(map(tuple, found)) if len(found) == slots else None


def _chosen_by(t: Formatter, hand: HandSnapshot) -> str:
    seats = hand.view.table.seats
    chosen = sum(seat.chosen for seat in seats)
    return small(t("{chosen} of {seats} have chosen", chosen=chosen, seats=len(seats)))


def call_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    """One big button for whoever holds the rank that is looked for."""
    view = hand.view
    rank = view.table.calling or 0
    card = next((card for card in view.hand if rank_of(card) == rank), None)
    one = one_card(t, rank)
    head = lines(
        h2(t("You hold {card}: call it!", card=one)),
        small(t("First to call starts"), time_up(t, hand.snapshot.table)),
        *hand_lines(t, hand),
    )
    label = t("Call my {card}", card=one if card is None else t.words(card))
    icon = None if card is None else t.icon(card)
    press = row(button(keyed(hand)(*as_pressed(Call())), label, Style.GREEN, emoji=icon))
    why = t("Nobody was dealt {card} face up. If nobody calls, the holder nearest the dealer’s left starts.", card=one)
    return container(Accent.GREEN, [head, press, lines(small(why))])


def tribute_screen(t: Formatter, hand: HandSnapshot, chosen: str = "") -> Screen:
    """The last winner may swap a face-up card with the last shithead (R42): tap the own one, then theirs."""
    view, key = hand.view, keyed(hand)
    own = [card for slot in view.up for card in slot]
    other = view.table.tribute_from
    theirs = [] if other is None else [card for slot in view.table.seats[other].up or () for card in slot]
    head = lines(
        h2(t("You won: take tribute?")),
        small(t("Tap the card you give, then the one you take")),
        small(time_up(t, hand.snapshot.table)),
    )
    give = [_tribute_button(t, hand, card, chosen) for card in own[:MOST_CARD_BUTTONS]]
    parts: list[Component] = [head, lines(h3(t("You give"))), *rows(give), lines(h3(t("You take")))]
    given = next((card for card in own if format_card(card) == chosen), None)
    if given is None:
        parts.append(lines(*card_lines(t, theirs, t("Theirs"))))
    else:
        moves = [(card, as_pressed(Tribute(given, card))) for card in theirs[:MOST_CARD_BUTTONS]]
        parts += rows(
            [button(key(*pressed), t.label(card), Style.BLURPLE, emoji=t.icon(card)) for card, pressed in moves]
        )
    return container(Accent.GREEN, [*parts, divider(), row(button(key("tribute"), t("No, thanks"), Style.GREY))])


def _tribute_button(t: Formatter, hand: HandSnapshot, card: Card, chosen: str) -> Component:
    name, icon = format_card(card), t.icon(card)
    if name == chosen:
        return button(keyed(hand)("hand"), _chosen_label(t, card), Style.GREEN, emoji=icon)
    return button(keyed(hand)("give", name), t.label(card), emoji=icon)
