"""The private hand of the one on turn: play, flip, pick up, chance."""

from __future__ import annotations

from bot.shown import HandShown
from cogs.ui.arguments import as_pressed
from cogs.ui.components import Accent, Screen, Style, button, container, divider, h1, h2, lines, row, rows
from cogs.ui.faces import CARD_BACK, Pen, hand_order
from cogs.ui.handparts import MOST_LISTED, card_lines, foot, hand_lines, keyed, last_lines
from cogs.ui.plays import play_controls
from cogs.ui.ranks import position
from cogs.ui.textmode import may_words
from cogs.ui.wording import asked_in_full, continued, exceptions, small, time_up, your_heading
from game.moves import Chance, Flip, PickUp, Play, Word


def turn_screen(pen: Pen, hand: HandShown) -> Screen:
    """What the one on turn sees."""
    moves = hand.view.moves
    if any(isinstance(move, Flip) for move in moves):
        return _flip_screen(pen, hand)
    if any(isinstance(move, Play) for move in moves):
        return _play_screen(pen, hand)
    return _stuck_screen(pen, hand)


def _play_screen(pen: Pen, hand: HandShown) -> Screen:
    t, view, table = pen.t, hand.view, hand.shown.table
    heading = h2(your_heading(t, view.table, view.lead))
    also = exceptions(t, view.table)
    clock = time_up(t, table)
    asked = continued(also, clock) if also else small(clock)
    head = lines(heading, asked, may_words(pen, hand), *_held(pen, hand))
    parts = [head, *play_controls(pen, view, keyed(hand)), *_other_controls(pen, hand)]
    return container(Accent.GREEN, [*parts, divider(), *_below(pen, hand)])


def _held(pen: Pen, hand: HandShown) -> list[str]:
    if hand.view.hand:
        return hand_lines(pen, hand)
    cards = sorted((card for slot in hand.view.up for card in slot), key=hand_order)
    return card_lines(pen, cards, pen.t("Your face-up cards"))


def _below(pen: Pen, hand: HandShown) -> Screen:
    return [lines(*foot(pen, hand), *last_lines(pen, hand))]


def _stuck_screen(pen: Pen, hand: HandShown) -> Screen:
    t, view = pen.t, hand.view.table
    count = len(view.pile)
    heading = t.n("Nothing fits: pick up {count} card", "Nothing fits: pick up {count} cards", count)
    if not any(isinstance(move, PickUp) for move in hand.view.moves):
        heading = t("Nothing fits: chance a card")
    elif view.rules.play.stuck == "previous":
        heading = t("Nothing fits: the player before picks up {count}", count=count)
    asked = t("The pile asks {asked}", asked=asked_in_full(t, view))
    head = lines(h2(heading), small(asked), small(time_up(t, hand.shown.table)), *_held(pen, hand))
    return container(Accent.RED, [head, *_other_controls(pen, hand, alone=True), divider(), *_below(pen, hand)])


def _other_controls(pen: Pen, hand: HandShown, *, alone: bool = False) -> Screen:
    """Chance and pick-up: red where nothing else can be done, else grey and last."""
    chances = _chances(pen, hand)
    ups = [move for move in hand.view.moves if isinstance(move, PickUp)]
    if not ups:
        return chances
    style = Style.RED if alone and not chances else Style.GREY
    verb = "adding" if any(move.added for move in ups) else "pickup"
    return [*chances, row(button(keyed(hand)(verb), _pick_up_label(pen, hand), style))]


def _chance_label(pen: Pen, move: Chance) -> str:
    if move.word == "low":
        return pen.t("Chance a card, low")
    return pen.t("Chance a card, high") if move.word else pen.t("Chance a card")


def _pick_up_label(pen: Pen, hand: HandShown) -> str:
    count = len(hand.view.table.pile)
    if hand.view.table.rules.play.stuck == "previous" and not any(isinstance(move, Play) for move in hand.view.moves):
        return pen.t("They pick up {count}", count=count)
    return pen.t("Pick up {count}", count=count)


def _flip_screen(pen: Pen, hand: HandShown) -> Screen:
    t, view = pen.t, hand.view
    down = view.table.seats[view.seat].down
    needs = t("needs {asked}", asked=asked_in_full(t, view.table)) if view.table.asked.kind != "anything" else ""
    backs = pen.faces.named(CARD_BACK) * len(down)
    count = t.n("{count} face-down, nobody knows it", "{count} face-down, nobody knows them", len(down))
    asked = h2(t("Your turn: flip one blind"))
    head = lines(asked, continued(needs), may_words(pen, hand), h1(backs) if backs else "", small(count))
    parts: Screen = [head, *_flips(pen, hand, down)]
    if any(isinstance(move, PickUp) for move in view.moves):
        label = t("Pick up {count} instead", count=len(view.table.pile))
        parts.append(row(button(keyed(hand)("pickup"), label)))
    parts += _chances(pen, hand)
    warning = small(t("If it does not fit, you take the pile")) if view.table.pile else ""
    return container(
        Accent.GREEN, [*parts, lines(warning, small(time_up(t, hand.shown.table)), *last_lines(pen, hand))]
    )


def _flips(pen: Pen, hand: HandShown, down: tuple[int, ...]) -> Screen:
    """A back for each card; two where the table knows cards that are named high or low (R44)."""
    words: tuple[Word, ...] = ("high", "low") if _names_cards(hand) else ("",)
    flips = [Flip(move.number, word) for move in hand.view.moves if isinstance(move, Flip) for word in words]
    icon, key = pen.faces.icon(CARD_BACK), keyed(hand)
    labels = [_flip_label(pen, move, down) for move in flips]
    made = [
        button(key(*as_pressed(move)), label, Style.BLURPLE, emoji=icon)
        for move, label in zip(flips, labels, strict=True)
    ]
    return rows(made, 3 if len(words) == 1 else 2)


def _names_cards(hand: HandShown) -> bool:
    return any(power.asks == "named" for power in hand.view.table.rules.powers.values())


def _chances(pen: Pen, hand: HandShown) -> Screen:
    if not any(isinstance(move, Chance) for move in hand.view.moves):
        return []
    words: tuple[Word, ...] = ("high", "low") if _names_cards(hand) else ("",)
    key = keyed(hand)
    return [row(*(button(key("chance", word), _chance_label(pen, Chance(word)), Style.BLURPLE) for word in words))]


def _flip_label(pen: Pen, move: Flip, down: tuple[int, ...]) -> str:
    label = position(pen.t, down[move.number - 1])
    label = pen.t("Flip the {place}", place=label) if pen.text else label
    if not move.word:
        return label
    return pen.t("{cards} low", cards=label) if move.word == "low" else pen.t("{cards} high", cards=label)


def adding_screen(pen: Pen, hand: HandShown) -> Screen:
    """Which face-up card goes along with the pile (R13)."""
    t, view, key = pen.t, hand.view, keyed(hand)
    ups = [move for move in view.moves if isinstance(move, PickUp)]
    pile = sorted(view.table.pile, key=hand_order)
    heading = t("Pick up {count} and add one", count=len(pile))
    question = t("Which face-up card goes with them? It has no effect.")
    buttons = [
        button(key(*as_pressed(move)), pen.label(*move.added), Style.RED, emoji=pen.icon(move.added[-1]))
        for move in ups
        if move.added
    ]
    cards = pen.cards(pile) if len(pile) <= MOST_LISTED else pen.counted(pile)
    named = small(t("The pile, yours afterwards: {cards}", cards=cards))
    below = lines(named, pen.grouped(pile))
    return container(
        Accent.RED,
        [lines(h2(heading), question), *rows(buttons), divider(), below, row(button(key("hand"), t("Back")))],
    )
