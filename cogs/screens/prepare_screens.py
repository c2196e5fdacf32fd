"""The private hand before play: exchange, choosing, stacking, calling, tribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from math import comb
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter, capital, hand_order
from cogs.screens.hand_parts import card_lines, hand_lines, table_card_lines
from cogs.screens.ids import apart, format_button, key_of
from cogs.screens.wording import ready_words, your_time_words
from game.cards import Card, format_card, rank_of
from game.moves import Call, Choose, Lay, Tribute
from tables.snapshots import HandSnapshot

MOST_CARD_BUTTONS: Final = 12
HAND, UP = "h", "u"


def exchange_screen(t: Formatter, hand: HandSnapshot, chosen: str = "", *, explains: bool = True) -> ui.Screen:
    """Tap a hand card and a face-up card to swap them. `chosen` is `h` or `u` and the card that was tapped first.

    It comes from the id of a button, so it is ignored if that card is not there. `explains` says how it is done.
    """
    view, key = hand.view, key_of(hand.snapshot.table)
    held = sorted(view.hand, key=hand_order)
    up = view.up_cards
    cards_by_tap = {HAND + format_card(card): card for card in held} | {UP + format_card(card): card for card in up}
    chosen = chosen if chosen in cards_by_tap else ""
    parts: list[ui.Component] = [_exchange_head(t, hand, explains=explains)]
    if view.may_swap:
        for side, zone, cards in ((HAND, t("Hand"), held), (UP, t("Face-up"), up)):
            heading = swap_heading(t, side, zone, cards, tapped=chosen[:1], card=cards_by_tap.get(chosen))
            parts += [ui.lines(ui.h3(heading)), *ui.rows(_cards(t, hand, side, cards[:MOST_CARD_BUTTONS], chosen))]
    else:
        parts.append(ui.lines(*hand_lines(t, hand), *table_card_lines(t, hand)))
    steps = [ui.button(key("ready"), t("Ready"), ui.Style.GREEN)]
    if view.may_swap:
        has_one_swap = view.table.rules.deal.exchange == "one"
        steps.append(ui.button(key("best"), t("Best swap") if has_one_swap else _best_label(t, len(view.up))))
    if t.text:  # the others may swap meanwhile
        steps.append(ui.button(key("refresh"), t("Refresh")))
    parts += [*_laying(t, hand), ui.divider(), ui.row(*steps)]
    seen = ""
    if t.text and explains and view.table.awaited != [view.seat]:
        seen = t("You see the others as of your last click: **Refresh** shows them as they are now.")
    if t.text or any(seat.ready for seat in view.table.seats):
        parts.append(ui.lines(ui.small(ready_words(t, hand.snapshot.table, view.table, view.seat)), seen))
    return ui.container(ui.Accent.GREEN, parts)


def _best_label(t: Formatter, slots: int) -> str:
    return capital(t.n("Best card up", "Best {count} up", slots, count=t.number(slots)))


def _exchange_head(t: Formatter, hand: HandSnapshot, *, explains: bool) -> ui.Component:
    if hand.view.may_swap:
        title, hint = t("Swap before play"), t("Tap a strong hand card, then one face-up")
        if hand.view.table.rules.deal.exchange == "one":
            hint = t("One swap: tap a strong hand card, then one face-up")
    else:
        title = t("Stack cards of one rank, or press Ready") if hand.view.may_lay else t("Ready?")
        hint = t("Play starts when everybody is ready")
    return ui.lines(ui.h2(title), ui.small(hint if explains else ""), ui.small(your_time_words(t, hand)))


def swap_heading(t: Formatter, side: str, zone: str, cards: Sequence[Card], *, tapped: str, card: Card | None) -> str:
    """The heading of one side's `cards`: its name, or the question once a `card` of the side `tapped` was tapped."""
    if card is None:
        return t("{title}: {cards}", title=zone, cards=t.cards(cards)) if t.text else zone
    if tapped == side:
        return t("{zone}: {card} chosen", zone=zone, card=t.card(card))
    if side == UP:
        return t("Swap {card} with which face-up card?", card=t.card(card))
    return t("Swap {card} with which hand card?", card=t.card(card))


def _cards(t: Formatter, hand: HandSnapshot, side: str, cards: Sequence[Card], chosen: str) -> list[ui.Component]:
    key, slots = key_of(hand.snapshot.table), [[*map(format_card, slot)] for slot in hand.view.up]
    buttons: list[ui.Component] = []
    for at, card in enumerate(cards):
        name, nth = format_card(card), cards[: at + 1].count(card)  # with two packs there may be a second such card
        held, up = (chosen[1:], name) if side == UP else (name, chosen[1:])
        label, icon = t.label(card), t.icon(card)
        if chosen == side + name and nth == 1:
            buttons.append(_chosen_button(t, hand, card))
        elif chosen and chosen[0] != side and ([up] in slots or held[0] == up[0]):  # a stack stays of one rank (R33)
            buttons.append(ui.button(key("swap", held + up, nth), label, ui.Style.BLURPLE, emoji=icon))
        else:
            buttons.append(ui.button(key("pick", side + name, nth), label, emoji=icon))
    return buttons


def _chosen_button(t: Formatter, hand: HandSnapshot, card: Card) -> ui.Component:
    """The card that was tapped first; pressing it again undoes the choice."""
    return ui.button(key_of(hand.snapshot.table)("hand"), chosen_label(t, card), ui.Style.GREEN, emoji=t.icon(card))


def chosen_label(t: Formatter, card: Card) -> str:
    """A card that was tapped first: `10♣ ✓`."""
    return t("{card}, chosen", card=t.label(card)) if t.text else f"{t.card(card)} ✓"


def _laying(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    key, cards = key_of(hand.snapshot.table), list(dict.fromkeys(hand.view.may_lay))
    labels = [(card, t("Stack {card}", card=t.card(card))) for card in cards[:MOST_CARD_BUTTONS]]
    stacks = ui.rows([ui.button(key.move(Lay(card)), label, emoji=t.icon(card)) for card, label in labels])
    why = ui.small(t("Stack: put a hand card on your face-up card of its rank, and draw another"))
    return [ui.lines(why), *stacks] if stacks else []


def choose_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    """Choose the face-up cards from the whole hand (R32), stacked if the rules allow it (R33)."""
    view, key, slots = hand.view, key_of(hand.snapshot.table), hand.view.table.sizes.up
    head = ui.lines(
        ui.h2(t.n("Choose {count} face-up card", "Choose {count} face-up cards", slots)),
        ui.small(t("Nobody sees them until everybody has chosen")),
        ui.small(your_time_words(t, hand)),
        *hand_lines(t, hand),
    )
    best = ui.row(ui.button(key("best"), _best_label(t, slots), ui.Style.GREEN))
    has_equal = len({rank_of(card) for card in view.hand}) < len(view.hand)
    can_stack = has_equal and view.table.rules.deal.stacking
    stacking = t("You may choose more: cards of one rank share a place") if can_stack else ""
    return ui.container(ui.Accent.GREEN, [head, best, _choices(t, hand, slots), ui.lines(ui.small(stacking))])


def _choices(t: Formatter, hand: HandSnapshot, slots: int) -> ui.Component:
    """A select of all combinations that differ in words, if they fit, else of as many single cards as have room."""
    held, key = sorted(hand.view.hand, key=hand_order), key_of(hand.snapshot.table)
    stacking, question = hand.view.table.rules.deal.stacking, t("Which cards go face up?")
    if not stacking and comb(len(held), slots) <= ui.MOST_OPTIONS:
        sets = {t.label(*cards): Choose(tuple((card,) for card in cards)) for cards in combinations(held[::-1], slots)}
        options = [ui.option(label, format_button(choice)[1]) for label, choice in sets.items()]
        return ui.select(key("chosen"), options, question)
    values = apart([format_card(card) for card in held])
    options = [ui.option(t.label(card), value, emoji=t.icon(card)) for card, value in zip(held, values, strict=True)]
    most = sum(sorted(Counter(map(rank_of, held)).values())[-slots:]) if stacking else slots
    return ui.select(key("chosen"), options, question, fewest=slots, most=most)


def stacked(cards: Iterable[Card], slots: int) -> tuple[tuple[Card, ...], ...] | None:
    """Distribute chosen cards over `slots` slots, cards of one rank sharing a slot; None if they do not fit."""
    ranks: dict[int, list[Card]] = {}
    for card in cards:
        ranks.setdefault(rank_of(card), []).append(card)
    groups = list(ranks.values())
    while len(groups) < slots:
        largest = max(groups, key=len) if groups else list[Card]()
        if len(largest) <= 1:
            return None
        groups.insert(groups.index(largest) + 1, [largest.pop()])
    return tuple(map(tuple, groups)) if len(groups) == slots else None


def call_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    """One big button for a player who holds the rank that is called for."""
    view, key = hand.view, key_of(hand.snapshot.table)
    card = next(card for card in view.hand if rank_of(card) == view.table.calling)
    one = t.one_card(rank_of(card))
    head = ui.lines(
        ui.h2(t("You hold {card}: call it!", card=one)),
        ui.small(t("The first to press the button starts"), your_time_words(t, hand)),
        *hand_lines(t, hand),
    )
    label = t("Call my {card}", card=t.card(card))
    press = ui.row(ui.button(key.move(Call()), label, ui.Style.GREEN, emoji=t.icon(card)))
    dealt = t("Nobody was dealt {card} face up.", card=one) if view.table.rules.deals_face_up() else ""
    why = ui.small(t.sentences(dealt, t("If nobody calls, somebody who holds one starts.")))
    return ui.container(ui.Accent.GREEN, [head, press, ui.lines(why), ui.lines(*table_card_lines(t, hand))])


def tribute_screen(t: Formatter, hand: HandSnapshot, chosen: str = "") -> ui.Screen:
    """The last winner may swap a face-up card with the last shithead (R42): tap your own card, then theirs."""
    view, key = hand.view, key_of(hand.snapshot.table)
    own = list(dict.fromkeys(chain(*view.up)))  # with several packs, equal cards may lie there
    other = view.table.tribute_from
    theirs = [] if other is None else list(dict.fromkeys(chain(*(view.table.seats[other].up or ()))))
    head = ui.lines(
        ui.h2(t("You won the last game: swap a card with the loser?")),
        ui.small(t("Tap the card you give, then the one you take")),
        ui.small(your_time_words(t, hand)),
    )
    give = [_tribute_button(t, hand, card, chosen) for card in own[:MOST_CARD_BUTTONS]]
    parts: list[ui.Component] = [head, ui.lines(ui.h3(t("You give"))), *ui.rows(give), ui.lines(ui.h3(t("You take")))]
    given = next((card for card in own if format_card(card) == chosen), None)
    if given is None:
        parts.append(ui.lines(*card_lines(t, theirs, t("The loser’s cards"))))
    else:
        taken = [(card, key.move(Tribute(given, card))) for card in theirs[:MOST_CARD_BUTTONS]]
        parts += ui.rows([ui.button(id_, t.label(card), ui.Style.BLURPLE, emoji=t.icon(card)) for card, id_ in taken])
    return ui.container(ui.Accent.GREEN, [*parts, ui.divider(), ui.row(ui.button(key("tribute"), t("No, thanks")))])


def _tribute_button(t: Formatter, hand: HandSnapshot, card: Card, chosen: str) -> ui.Component:
    name = format_card(card)
    if name == chosen:
        return _chosen_button(t, hand, card)
    return ui.button(key_of(hand.snapshot.table)("give", name), t.label(card), emoji=t.icon(card))
