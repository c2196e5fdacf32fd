"""The private hand: what one player sees and can press. `prepare_screens` draws it before play begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import cogs.screens.components as ui
from cogs.screens.computer_words import hint_words
from cogs.screens.end_screens import out_words, stopped_hand_screen, your_end_screen
from cogs.screens.event_words import played_for_reader, plays_again, retold
from cogs.screens.formatter import FACE_DOWN, Formatter, hand_order
from cogs.screens.hand_parts import (
    MOST_LISTED,
    card_lines,
    distinct_plays,
    hand_lines,
    kinds_with_several,
    last_lines,
    may_words,
    out_of_turn,
    pick_up_size,
    pile_line,
    play_button,
    play_controls,
    table_card_lines,
    table_words,
    top_in_words,
)
from cogs.screens.ids import key_of
from cogs.screens.prepare_screens import call_screen, choose_screen, exchange_screen, tribute_screen
from cogs.screens.wording import (
    NARROW_NAME,
    asked_in_full,
    bare_name,
    exceptions,
    has_move,
    phase_heading,
    seat_name,
    with_word,
    your_heading,
    your_time_words,
)
from game.cards import Card, Word
from game.events import Readied, Swapped
from game.moves import Call, Chance, Clear, Flip, Follow, PickUp, Play
from game.players.hints import Hint
from game.players.memory import Memory
from tables.snapshots import HandSnapshot


def hand_screen(t: Formatter, hand: HandSnapshot, notice: str = "", chosen: str = "") -> ui.Screen:
    """The hand of a player. Above it in small print: `notice`, or else what was done for them; and what they swapped.

    `chosen` is the card that was tapped first, before play, as in the id of its button; then there is no small print.
    """
    above = notice if chosen else t.sentences(notice or _late_words(t, hand), _swapped_words(t, hand))
    explains = not (t.text and (above or chosen))  # a listener who has tapped something knows how
    screen = _screen(t, hand, chosen, explains=explains)
    return with_table(t, hand, screen, above, says_pile=_says_pile(hand))


def _says_pile(hand: HandSnapshot) -> bool:
    """Whether the hand itself says what is on the pile (`pile_line`): while cards are being played."""
    return hand.view.table.phase == "play" and hand.snapshot.table.is_open


def with_table(t: Formatter, hand: HandSnapshot, screen: ui.Screen, notice: str = "", *, says_pile: bool) -> ui.Screen:
    """A screen with a notice above and, in text mode, the table in words below; with the pile unless it `says_pile`."""
    if not t.text and not notice:
        return screen
    parts, view = [ui.lines(ui.small(notice)), *screen[0]["components"]], hand.view.table
    if t.text:
        others = [(hand.view.seat + view.direction * step) % len(view.seats) for step in range(1, len(view.seats))]
        pile = "" if says_pile else top_in_words(t, view)
        parts += [ui.divider(), ui.lines(pile, *table_words(t, hand.snapshot, view, others))]
    return ui.container(ui.Accent(screen[0]["accent_color"]), parts)


def hinted_screen(t: Formatter, hand: HandSnapshot, hint: Hint) -> ui.Screen:
    """The hand with a hint above its buttons. The button of the advised move is green; a play without one gets one."""
    screen = with_table(t, hand, _screen(t, hand), says_pile=_says_pile(hand))
    key, can_play = key_of(hand.snapshot.table), has_move(hand.view, Play)
    words = hint_words(t, hint, can_play=can_play, suitless=t.text and not hand.view.table.rules.suits_matter)
    advice = [ui.lines(ui.small(words))]
    advised_ids = {key.move(hint.move)}
    if isinstance(hint.move, PickUp):
        advised_ids.add(key("adding"))
    buttons = [each for each in ui.walk(screen) if each.get("custom_id") in advised_ids]
    if not buttons and isinstance(hint.move, Play) and ui.count(screen) < ui.MOST_COMPONENTS - 2:
        buttons = [play_button(t, hand.view, key, hint.move, kinds_with_several(distinct_plays(hand.view)))]
        advice.append(ui.row(*buttons))
    for each in buttons:
        each["style"] = int(ui.Style.GREEN)
    parts = screen[0]["components"]
    first_row = next((nth for nth, each in enumerate(parts) if each["type"] == ui.ACTION_ROW), len(parts))
    return ui.container(ui.Accent(screen[0]["accent_color"]), [*parts[:first_row], *advice, *parts[first_row:]])


def _late_words(t: Formatter, hand: HandSnapshot) -> str:
    """Tell a reader who left or was late what the computer does, and how to play on; empty for all others."""
    table, seat = hand.snapshot.table, hand.view.seat
    if not table.is_open or table.paused or hand.view.table.seats[seat].place is not None:
        return ""
    if not table.players[seat].away:
        made = played_for_reader(hand)
        if isinstance(made, Readied):
            return t("You are back. The computer pressed **Ready** for you.")
        return t("You are back. The computer played for you.") if made else ""
    if table.is_abandoned:
        return t("Your time was up: the game waits until you press a button here.")
    return t("Your time was up: the computer plays for you until you press a button here.")


def _swapped_words(t: Formatter, hand: HandSnapshot) -> str:
    """In text mode, the last few swaps of a reader who may still swap: a screen reader does not say what changed."""
    view, seat = hand.view, hand.view.seat
    if not (t.text and view.up and view.table.phase == "exchange") or view.table.seats[seat].ready:
        return ""
    swaps = [each for each in hand.snapshot.recent if isinstance(each, Swapped) and each.seat == seat]
    return retold(t, swaps[-len(view.up) :], lambda _: "", seat)


def _screen(t: Formatter, hand: HandSnapshot, chosen: str = "", *, explains: bool = True) -> ui.Screen:
    view, table = hand.view, hand.view.table
    on_turn = table.turn == view.seat
    if table.phase != "over" and not hand.snapshot.table.is_open:
        return stopped_hand_screen(t, hand.snapshot.table)
    match table.phase:
        case "tribute" if on_turn and view.moves:
            return tribute_screen(t, hand, chosen)
        case "exchange" if view.may_choose:
            return choose_screen(t, hand)
        case "exchange" if not table.seats[view.seat].ready:
            return exchange_screen(t, hand, chosen, explains=explains)
        case "call" if Call() in view.moves:
            return call_screen(t, hand)
        case "clear" if Clear() in view.moves:
            return _clear_screen(t, hand)
        case "play" if on_turn and has_move(view, Flip):
            return _flip_screen(t, hand)
        case "play" if on_turn and view.moves:
            return _play_screen(t, hand) if has_move(view, Play) else _stuck_screen(t, hand)
        case "over":
            return your_end_screen(t, hand, last_lines(t, hand))
        case _:
            return _waiting_screen(t, hand)


def _waiting_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    """The hand of somebody who cannot act now, except out of turn."""
    view, key = hand.view.table, key_of(hand.snapshot.table)
    also = exceptions(t, view) if view.phase == "play" and view.seats[hand.view.seat].place is None else ""
    head = [ui.h3(_heading(t, hand)), ui.continued(also), _status(t, hand), pile_line(t, hand), may_words(t, hand)]
    buttons = out_of_turn(t, hand) if hand.view.moves else []
    parts: list[ui.Component] = [ui.lines(*head, *hand_lines(t, hand)), *buttons]
    below = last_lines(t, hand, table_card_lines(t, hand))
    if any(below):
        parts += [ui.divider(), ui.lines(*below)]
    table, awaited = hand.snapshot.table, hand.snapshot.awaited
    may_remind = view.phase == "exchange" and not table.nudged
    is_heard = may_remind and any(table.players[seat] in table.present for seat in awaited)  # not by a computer
    remind = [ui.button(key("poke"), t("Remind them"))] if is_heard else []
    refresh = ui.button(key("refresh"), t("Refresh"))
    if table.players[hand.view.seat].away:
        remind, refresh = [], ui.button(key("refresh"), t("I’m back"), ui.Style.GREEN)
    parts.append(ui.row(*remind, refresh, *_known(t, hand)))
    return ui.container(ui.Accent.GREEN if buttons else ui.Accent.GREY, parts)


def _heading(t: Formatter, hand: HandSnapshot) -> str:
    view = hand.view.table
    if view.phase == "exchange":
        names = [seat_name(t, hand.snapshot.table, seat) for seat in view.awaited]
        return t("Waiting for {names}", names=t.listing(names))
    return out_words(t, view, hand.view.seat) or _phase(t, hand)


def _phase(t: Formatter, hand: HandSnapshot) -> str:
    return phase_heading(t, hand.view.table, partial(seat_name, t, hand.snapshot.table))


def _status(t: Formatter, hand: HandSnapshot) -> str:
    view, seat = hand.view.table, hand.view.seat
    clock = your_time_words(t, hand)
    if view.seats[seat].place is not None:
        return ui.continued(_phase(t, hand), clock)
    if view.phase != "play" or view.turn is None:
        return ui.small(clock, t("You have none: wait") if view.phase == "call" else "")
    away = _turns_away(hand)
    if away == 1:
        return ui.small(clock, t("You are next"))
    return ui.small(clock, t.n("{count} turn until yours", "{count} turns until yours", away))


def _turns_away(hand: HandSnapshot) -> int:
    """How many turns from now the reader's is."""
    view = hand.view.table
    seat, away = view.turn or 0, 0
    while seat != hand.view.seat and away < len(view.seats):
        seat = (seat + view.direction) % len(view.seats)
        away += view.seats[seat].place is None
    return away


def _clear_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    clock, key = your_time_words(t, hand), key_of(hand.snapshot.table)
    head = ui.lines(ui.h2(t("You burned first: clear the pile")), ui.small(t("Nobody can play until you do"), clock))
    label = t.n("Clear {count} card", "Clear {count} cards", len(hand.view.table.pile))
    press = ui.row(ui.button(key("clear"), label, ui.Style.GREEN))
    held, below = ui.lines(*hand_lines(t, hand)), ui.lines(*table_card_lines(t, hand))
    return ui.container(ui.Accent.GREEN, [head, held, press, ui.divider(), below])


def _play_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    view, table = hand.view, hand.snapshot.table
    also, clock = exceptions(t, view.table), your_time_words(t, hand)
    if view.table.asked.kind == "red-jack":
        also = t("a red jack passes the pile to the next player")
    asked = ui.continued(also, clock) if also else ui.small(clock)
    first = ui.h2(your_heading(t, view.table, view.lead, again=plays_again(hand)))
    head = ui.lines(first, asked, pile_line(t, hand), *_held(t, hand))
    parts = [head, *play_controls(t, view, key_of(table)), *_other_controls(t, hand)]
    below = ui.lines(*last_lines(t, hand, table_card_lines(t, hand)))
    return ui.container(ui.Accent.GREEN, [*parts, ui.divider(), below])


def _held(t: Formatter, hand: HandSnapshot) -> list[str]:
    if hand.view.hand:
        return hand_lines(t, hand)
    return card_lines(t, sorted(hand.view.up_cards, key=hand_order), t("Face-up"))


def _stuck_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    why = t("The pile asks for {asked}", asked=asked_in_full(t, hand.view.table))
    if hand.view.lead is not None:  # then the seat holds such a card (R45)
        why = t("You must play {card} first, and it does not go here", card=t.one_card(hand.view.lead))
    said = ui.continued(why), ui.small(your_time_words(t, hand))
    head = ui.lines(ui.h2(t("Your turn: nothing fits")), *said, pile_line(t, hand), *_held(t, hand))
    below = ui.lines(*last_lines(t, hand, table_card_lines(t, hand)))
    return ui.container(ui.Accent.RED, [head, *_other_controls(t, hand, is_stuck=True), ui.divider(), below])


def _other_controls(t: Formatter, hand: HandSnapshot, *, is_stuck: bool = False) -> ui.Screen:
    """Buttons below the plays: cards to add to the last one, chance card, pick-up, hint, known cards.

    A pick-up is red if it is the only move.
    """
    table, key = hand.snapshot.table, key_of(hand.snapshot.table)
    others = [*out_of_turn(t, hand), *_chances(t, hand)]
    has_hint = table.hints and len(hand.view.moves) > 1 and not has_move(hand.view, Follow)
    hint = [ui.button(key("hint"), t("Hint"))] if has_hint else []
    helps = [*hint, *_known(t, hand)]
    pick_ups = [move for move in hand.view.moves if isinstance(move, PickUp)]
    if not pick_ups:
        return [*others, ui.row(*helps)] if helps else others
    count = pick_up_size(t, hand.view)
    label = t("Pick up {count}", count=count)
    if hand.view.taker is not None:
        label = t("{name} takes {count}", name=bare_name(t, table, hand.view.taker, NARROW_NAME), count=count)
    which = key("adding") if len(pick_ups) > 1 else key.move(pick_ups[0])
    style = ui.Style.RED if is_stuck and not others else ui.Style.GREY
    return [*others, ui.row(ui.button(which, label, style), *helps)]


def _known(t: Formatter, hand: HandSnapshot) -> list[ui.Component]:
    """The button for known cards. Like hints it is a help, so it is missing if the host forbids hints."""
    view = hand.view.table
    is_help = hand.snapshot.table.hints and view.phase == "play" and view.started
    return [ui.button(key_of(hand.snapshot.table)("known"), t("Known cards"))] if is_help else []


def known_screen(t: Formatter, hand: HandSnapshot, memory: Memory) -> ui.Screen:
    """Which cards have burned, and which cards in other hands everybody saw being taken."""
    burned = sorted(memory.burned, key=hand_order)
    lines = [t("Burned: {cards}", cards=_listed(t, burned)) if burned else t("No card has burned yet.")]
    for seat, held in enumerate(memory.held):
        if held and seat != hand.view.seat:
            name = seat_name(t, hand.snapshot.table, seat)
            lines.append(t("**{name}** holds {cards}", name=name, cards=_listed(t, sorted(held, key=hand_order))))
    why = ui.small(t("Everybody could see this: what burned, and what was picked up or swapped."))
    back = ui.row(ui.button(key_of(hand.snapshot.table)("hand"), t("Back")))
    return ui.container(ui.Accent.GREY, [ui.lines(ui.h3(t("Known cards")), *lines), ui.lines(why), back])


def _listed(t: Formatter, cards: Sequence[Card]) -> str:
    return t.cards(cards) if len(cards) <= MOST_LISTED else t.counted(cards)


def _flip_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    view, clock = hand.view, your_time_words(t, hand)
    down = view.table.seats[view.seat].down
    asked = view.table.asked
    is_free = asked.all_fit or (asked.kind == "anything" and not asked.barred)
    needs = "" if is_free else t("The pile asks for {asked}", asked=asked_in_full(t, view.table))
    backs = t.faces.named(FACE_DOWN) * len(down)
    count = t.n("{count} face-down, nobody knows it", "{count} face-down, nobody knows them", len(down))
    heading = ui.h2(t("You play again: flip one blind") if plays_again(hand) else t("Your turn: flip one blind"))
    head = ui.lines(heading, ui.continued(needs), pile_line(t, hand), ui.h1(backs), ui.small(count))
    parts: ui.Screen = [head, *_flips(t, hand, down)]
    if has_move(view, PickUp):
        label = t("Pick up {count} instead", count=pick_up_size(t, view))
        parts.append(ui.row(ui.button(key_of(hand.snapshot.table)("pickup"), label)))
    warning = ui.small(t("If it does not fit, you take the pile")) if view.table.pile else ""
    last = ui.lines(warning, ui.small(clock), *last_lines(t, hand))
    return ui.container(ui.Accent.GREEN, [*parts, *_chances(t, hand), last])


def _flips(t: Formatter, hand: HandSnapshot, down: tuple[int, ...]) -> ui.Screen:
    """A button for each face-down card; two if the rules have cards that are named high or low (R44)."""
    icon, key, words = t.faces.icon(FACE_DOWN), key_of(hand.snapshot.table), _flip_words(hand)
    flips = [Flip(move.number, word) for move in hand.view.moves if isinstance(move, Flip) for word in words]
    made = [ui.button(key.move(move), _flip_label(t, move, down), ui.Style.BLURPLE, emoji=icon) for move in flips]
    return ui.rows(made, 3 if len(words) == 1 else 2)


def _flip_words(hand: HandSnapshot) -> tuple[Word, ...]:
    """The words to choose from for a card that nobody has seen yet."""
    named = any(power.asks == "named" for power in hand.view.table.rules.powers.values())
    return ("high", "low") if named else ("",)


def _flip_label(t: Formatter, move: Flip, down: tuple[int, ...]) -> str:
    place = t.position(down[move.number - 1])
    return with_word(t, t("Flip the {place}", place=place) if t.text else place, move.word)


def _chances(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    if not has_move(hand.view, Chance):
        return []
    key = key_of(hand.snapshot.table)
    labels = {
        "": t("Try a card from the stock"),
        "high": t("Try a card from the stock, high"),
        "low": t("Try a card from the stock, low"),
    }
    return [ui.row(*(ui.button(key("chance", word), labels[word], ui.Style.BLURPLE) for word in _flip_words(hand)))]


def adding_screen(t: Formatter, hand: HandSnapshot) -> ui.Screen:
    """Asks which face-up card to pick up along with the pile (R13)."""
    view, key = hand.view, key_of(hand.snapshot.table)
    pile = sorted(view.table.pile, key=hand_order)
    moves = [(move, move.cards) for move in view.moves if isinstance(move, PickUp) and move.cards]
    buttons = [ui.button(key.move(each), t.label(*up), ui.Style.RED, emoji=t.icon(up[-1])) for each, up in moves]
    heading = ui.h2(t("Pick up the pile plus a face-up card"))
    emojis = t.emojis(pile) if len(pile) <= MOST_LISTED else ""
    below = ui.lines(ui.small(t("You take the pile: {cards}", cards=_listed(t, pile))), emojis)
    back = ui.row(ui.button(key("hand"), t("Back")))
    return ui.container(ui.Accent.RED, [ui.lines(heading), *ui.rows(buttons), ui.divider(), below, back])
