"""The private hand of the one on turn: play, flip, pick up, chance."""

from __future__ import annotations

from cogs.screens.arguments import as_pressed
from cogs.screens.components import Accent, Screen, Style, button, container, divider, h1, h2, lines, row, rows
from cogs.screens.faces import CARD_BACK, Formatter, hand_order
from cogs.screens.handparts import MOST_LISTED, card_lines, foot, hand_lines, keyed, last_lines
from cogs.screens.plays import play_controls
from cogs.screens.ranks import position
from cogs.screens.textmode import may_words
from cogs.screens.wording import asked_in_full, continued, exceptions, small, time_up, your_heading
from game.moves import Chance, Flip, PickUp, Play, Word
from tables.snapshots import HandSnapshot


def turn_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    """What the one on turn sees."""
    moves = hand.view.moves
    if any(isinstance(move, Flip) for move in moves):
        return _flip_screen(t, hand)
    if any(isinstance(move, Play) for move in moves):
        return _play_screen(t, hand)
    return _stuck_screen(t, hand)


def _play_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    view, table = hand.view, hand.snapshot.table
    heading = h2(your_heading(t, view.table, view.lead))
    also = exceptions(t, view.table)
    clock = time_up(t, table)
    asked = continued(also, clock) if also else small(clock)
    head = lines(heading, asked, may_words(t, hand), *_held(t, hand))
    parts = [head, *play_controls(t, view, keyed(hand)), *_other_controls(t, hand)]
    return container(Accent.GREEN, [*parts, divider(), *_below(t, hand)])


def _held(t: Formatter, hand: HandSnapshot) -> list[str]:
    if hand.view.hand:
        return hand_lines(t, hand)
    cards = sorted((card for slot in hand.view.up for card in slot), key=hand_order)
    return card_lines(t, cards, t("Your face-up cards"))


def _below(t: Formatter, hand: HandSnapshot) -> Screen:
    return [lines(*foot(t, hand), *last_lines(t, hand))]


def _stuck_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    view = hand.view.table
    count = len(view.pile)
    heading = t.n("Nothing fits: pick up {count} card", "Nothing fits: pick up {count} cards", count)
    if not any(isinstance(move, PickUp) for move in hand.view.moves):
        heading = t("Nothing fits: chance a card")
    elif view.rules.play.stuck == "previous":
        heading = t("Nothing fits: the player before picks up {count}", count=count)
    asked = t("The pile asks {asked}", asked=asked_in_full(t, view))
    head = lines(h2(heading), small(asked), small(time_up(t, hand.snapshot.table)), *_held(t, hand))
    return container(Accent.RED, [head, *_other_controls(t, hand, alone=True), divider(), *_below(t, hand)])


def _other_controls(t: Formatter, hand: HandSnapshot, *, alone: bool = False) -> Screen:
    """Chance and pick-up: red where nothing else can be done, else grey and last."""
    chances = _chances(t, hand)
    ups = [move for move in hand.view.moves if isinstance(move, PickUp)]
    if not ups:
        return chances
    style = Style.RED if alone and not chances else Style.GREY
    verb = "adding" if any(move.added for move in ups) else "pickup"
    return [*chances, row(button(keyed(hand)(verb), _pick_up_label(t, hand), style))]


def _chance_label(t: Formatter, move: Chance) -> str:
    if move.word == "low":
        return t("Chance a card, low")
    return t("Chance a card, high") if move.word else t("Chance a card")


def _pick_up_label(t: Formatter, hand: HandSnapshot) -> str:
    count = len(hand.view.table.pile)
    if hand.view.table.rules.play.stuck == "previous" and not any(isinstance(move, Play) for move in hand.view.moves):
        return t("They pick up {count}", count=count)
    return t("Pick up {count}", count=count)


def _flip_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    view = hand.view
    down = view.table.seats[view.seat].down
    needs = t("needs {asked}", asked=asked_in_full(t, view.table)) if view.table.asked.kind != "anything" else ""
    backs = t.faces.named(CARD_BACK) * len(down)
    count = t.n("{count} face-down, nobody knows it", "{count} face-down, nobody knows them", len(down))
    asked = h2(t("Your turn: flip one blind"))
    head = lines(asked, continued(needs), may_words(t, hand), h1(backs) if backs else "", small(count))
    parts: Screen = [head, *_flips(t, hand, down)]
    if any(isinstance(move, PickUp) for move in view.moves):
        label = t("Pick up {count} instead", count=len(view.table.pile))
        parts.append(row(button(keyed(hand)("pickup"), label)))
    parts += _chances(t, hand)
    warning = small(t("If it does not fit, you take the pile")) if view.table.pile else ""
    return container(
        Accent.GREEN, [*parts, lines(warning, small(time_up(t, hand.snapshot.table)), *last_lines(t, hand))]
    )


def _flips(t: Formatter, hand: HandSnapshot, down: tuple[int, ...]) -> Screen:
    """A back for each card; two where the table knows cards that are named high or low (R44)."""
    words: tuple[Word, ...] = ("high", "low") if _names_cards(hand) else ("",)
    flips = [Flip(move.number, word) for move in hand.view.moves if isinstance(move, Flip) for word in words]
    icon, key = t.faces.icon(CARD_BACK), keyed(hand)
    labels = [_flip_label(t, move, down) for move in flips]
    made = [
        button(key(*as_pressed(move)), label, Style.BLURPLE, emoji=icon)
        for move, label in zip(flips, labels, strict=True)
    ]
    return rows(made, 3 if len(words) == 1 else 2)


def _names_cards(hand: HandSnapshot) -> bool:
    return any(power.asks == "named" for power in hand.view.table.rules.powers.values())


def _chances(t: Formatter, hand: HandSnapshot) -> Screen:
    if not any(isinstance(move, Chance) for move in hand.view.moves):
        return []
    words: tuple[Word, ...] = ("high", "low") if _names_cards(hand) else ("",)
    key = keyed(hand)
    return [row(*(button(key("chance", word), _chance_label(t, Chance(word)), Style.BLURPLE) for word in words))]


def _flip_label(t: Formatter, move: Flip, down: tuple[int, ...]) -> str:
    label = position(t, down[move.number - 1])
    label = t("Flip the {place}", place=label) if t.text else label
    if not move.word:
        return label
    return t("{cards} low", cards=label) if move.word == "low" else t("{cards} high", cards=label)


def adding_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    """Which face-up card goes along with the pile (R13)."""
    view, key = hand.view, keyed(hand)
    ups = [move for move in view.moves if isinstance(move, PickUp)]
    pile = sorted(view.table.pile, key=hand_order)
    heading = t("Pick up {count} and add one", count=len(pile))
    question = t("Which face-up card goes with them? It has no effect.")
    buttons = [
        button(key(*as_pressed(move)), t.label(*move.added), Style.RED, emoji=t.icon(move.added[-1]))
        for move in ups
        if move.added
    ]
    cards = t.cards(pile) if len(pile) <= MOST_LISTED else t.counted(pile)
    named = small(t("The pile, yours afterwards: {cards}", cards=cards))
    below = lines(named, t.grouped(pile))
    return container(
        Accent.RED,
        [lines(h2(heading), question), *rows(buttons), divider(), below, row(button(key("hand"), t("Back")))],
    )
