"""The private hand before play: exchange, choosing, stacking, calling, tribute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Final

from bot.shown import HandShown
from cogs.ui.arguments import as_pressed, format_slots
from cogs.ui.components import (
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
from cogs.ui.faces import Pen, hand_order
from cogs.ui.handparts import card_lines, face_down_run, foot, hand_lines, keyed
from cogs.ui.ids import apart
from cogs.ui.ranks import number, one_card
from cogs.ui.wording import small, time_up
from game.cards import Card, format_card, rank_of
from game.moves import Call, Lay, Ready, Tribute

MOST_CARD_BUTTONS: Final = 12
HAND, UP = "h", "u"


def exchange_screen(pen: Pen, hand: HandShown, chosen: str = "") -> Screen:
    """Tap a card of the hand and one that lies face up. `chosen` is `h` or `u` and the card that was tapped first.

    A card that is not there cannot be chosen, whatever the id of a button says.
    """
    t, view, key = pen.t, hand.view, keyed(hand)
    held, up = sorted(view.hand, key=hand_order), [card for slot in view.up for card in slot]
    there = {side + format_card(card) for side, cards in ((HAND, held), (UP, up)) for card in cards}
    chosen = chosen if chosen in there else ""
    side, card = chosen[:1], chosen[1:]
    clock = time_up(t, hand.shown.table)
    head = lines(h2(_exchange_heading(pen, hand)), small(_exchange_hint(pen, hand)), small(clock))
    parts: list[Component] = [head]
    if view.may_swap:
        parts.append(lines(h3(_question(pen, side == HAND, card, t("Hand"), held, asked=side == UP))))
        parts += rows(_cards(pen, hand, HAND, held[:MOST_CARD_BUTTONS], chosen))
        parts.append(lines(h3(_question(pen, side == UP, card, t("Face-up"), up, asked=side == HAND))))
        parts += rows(_cards(pen, hand, UP, up[:MOST_CARD_BUTTONS], chosen))
    else:
        parts.append(lines(*hand_lines(pen, hand), *foot(pen, hand)[:1]))
    parts += [*_laying(pen, hand), divider()]
    steps = [button(key("ready"), t("Ready"), Style.GREEN)] if Ready() in view.moves else []
    if view.may_swap:
        steps.append(button(key("best"), _best_label(pen, len(view.up))))
    return container(Accent.GREEN, [*parts, *([row(*steps)] if steps else []), lines(_readiness(pen, hand))])


def _best_label(pen: Pen, slots: int) -> str:
    count = number(pen.t, slots)
    return pen.t.n("Best card up", "Best {count} up", slots, count=count)


def _exchange_heading(pen: Pen, hand: HandShown) -> str:
    if hand.view.may_swap:
        return pen.t("Swap before we start")
    return pen.t("Lay equal cards, or say ready") if hand.view.may_lay else pen.t("Ready?")


def _exchange_hint(pen: Pen, hand: HandShown) -> str:
    t = pen.t
    if not hand.view.may_swap:
        return t("Play starts when everybody is ready")
    if hand.view.table.rules.deal.exchange == "one":
        return t("One swap: tap a hand card, then a face-up card")
    return t("Tap a hand card, then a face-up card")


def _question(pen: Pen, is_chosen: bool, card: str, title: str, cards: Sequence[Card], *, asked: bool) -> str:  # noqa: FBT001
    t = pen.t
    if is_chosen:
        found = next((each for each in cards if format_card(each) == card), None)
        return t("{zone}: {card} chosen", zone=title, card="" if found is None else pen.card(found))
    return t("{zone}: which one goes there?", zone=title) if asked else title


def _cards(pen: Pen, hand: HandShown, side: str, cards: Sequence[Card], chosen: str) -> list[Component]:
    key, names = keyed(hand), [format_card(card) for card in cards]
    made: list[Component] = []
    for card, name in zip(cards, apart(names), strict=True):
        plain, _, nth = name.partition("~")
        label, icon = pen.label(card), pen.icon(card)
        if chosen == side + plain and not nth:
            made.append(button(key("hand"), _chosen_label(pen, card), Style.GREEN, emoji=icon))
        elif chosen and chosen[0] != side:
            pair = chosen[1:] + plain if side == UP else plain + chosen[1:]
            made.append(button(key("swap", pair, int(nth or 1)), label, Style.BLURPLE, emoji=icon))
        else:
            made.append(button(key("pick", side + plain, int(nth or 1)), label, emoji=icon))
    return made


def _chosen_label(pen: Pen, card: Card) -> str:
    return pen.t("{card}, chosen", card=pen.label(card)) if pen.text else f"{pen.card(card)} ✓"


def _laying(pen: Pen, hand: HandShown) -> Screen:
    cards = list(dict.fromkeys(hand.view.may_lay))
    buttons = [
        button(keyed(hand)(*as_pressed(Lay(card))), pen.t("Stack {card}", card=pen.words(card)), emoji=pen.icon(card))
        for card in cards[:MOST_CARD_BUTTONS]
    ]
    return rows(buttons) if buttons else []


def _readiness(pen: Pen, hand: HandShown) -> str:
    t, view = pen.t, hand.view.table
    down = len(view.seats[hand.view.seat].down)
    done = t("{ready} of {seats} ready", ready=sum(seat.ready for seat in view.seats), seats=len(view.seats))
    face_down = t.n("{count} face-down", "{count} face-down", down)
    return f"{small(done, face_down)}  {face_down_run(pen, down)}".rstrip()


def choose_screen(pen: Pen, hand: HandShown) -> Screen:
    """Choose the face-up cards from all that are held (R32), stacked where that is played (R33)."""
    t, view, key = pen.t, hand.view, keyed(hand)
    slots = slots_to_choose(hand)
    head = lines(
        h2(t.n("Choose {count} face-up card", "Choose {count} face-up cards", slots)),
        small(t("Nobody sees them before all have chosen")),
        small(time_up(t, hand.shown.table)),
        *hand_lines(pen, hand),
    )
    best = button(key("best"), _best_label(pen, slots), Style.GREEN)
    parts = [head, row(best), _choices(pen, hand, slots)]
    if view.table.rules.deal.stacking:
        parts.append(lines(small(t("Choose more, and equal cards share a slot"))))
    return container(Accent.GREEN, [*parts, divider(), lines(_chosen_by(pen, hand))])


def slots_to_choose(hand: HandShown) -> int:
    """How many face-up slots a seat fills."""
    view = hand.view.table
    return view.rules.sizes_with(len(view.seats))[1]


def _choices(pen: Pen, hand: HandShown, slots: int) -> Component:
    held, key = sorted(hand.view.hand, key=hand_order), keyed(hand)
    stacking = hand.view.table.rules.deal.stacking
    if not stacking and comb(len(held), slots) <= MOST_OPTIONS:
        sets = list(combinations(reversed(held), slots))
        values = apart([format_slots((card,) for card in cards) for cards in sets])
        options = [option(pen.label(*cards), value) for cards, value in zip(sets, values, strict=True)]
        return select(key("chosen"), options, pen.t("Which cards go face up?"))
    values = apart([format_card(card) for card in held])
    options = [option(pen.label(card), value, emoji=pen.icon(card)) for card, value in zip(held, values, strict=True)][
        :MOST_OPTIONS
    ]
    most = len(options) if stacking else slots
    return select(key("chosen"), options, pen.t("Which cards go face up?"), fewest=slots, most=most)


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


def _chosen_by(pen: Pen, hand: HandShown) -> str:
    seats = hand.view.table.seats
    chosen = sum(seat.chosen for seat in seats)
    return small(pen.t("{chosen} of {seats} have chosen", chosen=chosen, seats=len(seats)))


def call_screen(pen: Pen, hand: HandShown) -> Screen:
    """One big button for whoever holds the rank that is looked for."""
    t, view = pen.t, hand.view
    rank = view.table.calling or 0
    card = next((card for card in view.hand if rank_of(card) == rank), None)
    one = one_card(t, rank)
    head = lines(
        h2(t("You hold {card}: call it!", card=one)),
        small(t("First to call starts"), time_up(t, hand.shown.table)),
        *hand_lines(pen, hand),
    )
    label = t("Call my {card}", card=one if card is None else pen.words(card))
    icon = None if card is None else pen.icon(card)
    press = row(button(keyed(hand)(*as_pressed(Call())), label, Style.GREEN, emoji=icon))
    why = t("Nobody was dealt {card} face up. If nobody calls, the holder nearest the dealer’s left starts.", card=one)
    return container(Accent.GREEN, [head, press, lines(small(why))])


def tribute_screen(pen: Pen, hand: HandShown, chosen: str = "") -> Screen:
    """The last winner may swap a face-up card with the last shithead (R42): tap the own one, then theirs."""
    t, view, key = pen.t, hand.view, keyed(hand)
    own = [card for slot in view.up for card in slot]
    other = view.table.tribute_from
    theirs = [] if other is None else [card for slot in view.table.seats[other].up or () for card in slot]
    head = lines(
        h2(t("You won: take tribute?")),
        small(t("Tap the card you give, then the one you take")),
        small(time_up(t, hand.shown.table)),
    )
    give = [_tribute_button(pen, hand, card, chosen) for card in own[:MOST_CARD_BUTTONS]]
    parts: list[Component] = [head, lines(h3(t("You give"))), *rows(give), lines(h3(t("You take")))]
    given = next((card for card in own if format_card(card) == chosen), None)
    if given is None:
        parts.append(lines(*card_lines(pen, theirs, t("Theirs"))))
    else:
        moves = [(card, as_pressed(Tribute(given, card))) for card in theirs[:MOST_CARD_BUTTONS]]
        parts += rows(
            [button(key(*pressed), pen.label(card), Style.BLURPLE, emoji=pen.icon(card)) for card, pressed in moves]
        )
    return container(Accent.GREEN, [*parts, divider(), row(button(key("tribute"), t("No, thanks"), Style.GREY))])


def _tribute_button(pen: Pen, hand: HandShown, card: Card, chosen: str) -> Component:
    name, icon = format_card(card), pen.icon(card)
    if name == chosen:
        return button(keyed(hand)("hand"), _chosen_label(pen, card), Style.GREEN, emoji=icon)
    return button(keyed(hand)("give", name), pen.label(card), emoji=icon)
