"""The private hand: what one player sees and can press, whatever the moment.

Waiting is drawn here; playing, flipping and picking up are in `turn`, everything before play in `prepare`.
"""

from __future__ import annotations

from cogs.screens.components import Accent, Component, Screen, Style, button, container, divider, h2, h3, lines, row
from cogs.screens.faces import Formatter
from cogs.screens.handparts import foot, hand_lines, keyed, last_lines, name_of, out_of_turn
from cogs.screens.prepare import call_screen, choose_screen, exchange_screen, tribute_screen
from cogs.screens.ranks import one_card, place
from cogs.screens.textmode import may_words, with_table
from cogs.screens.turn import turn_screen
from cogs.screens.wording import small, time_up, turn_heading
from game.moves import Call, Clear
from tables.snapshots import HandSnapshot


def hand_screen(t: Formatter, hand: HandSnapshot, notice: str = "") -> Screen:
    """What a player is shown; `notice` stands above it in small print."""
    screen = _screen(t, hand)
    if t.faces.emojis and _is_heavy(screen):
        screen = _screen(t.plain(), hand)
    screen = with_table(t, hand, screen)
    if notice:
        screen[0]["components"].insert(0, lines(small(notice)))
    return screen


def _is_heavy(screen: Screen) -> bool:
    return any(each.get("content", "").endswith("…") for each in screen[0]["components"])


def _screen(t: Formatter, hand: HandSnapshot) -> Screen:
    view, table = hand.view, hand.view.table
    on_turn = table.turn == view.seat
    match table.phase:
        case "tribute" if on_turn and view.moves:
            return tribute_screen(t, hand)
        case "exchange" if view.may_choose:
            return choose_screen(t, hand)
        case "exchange" if not table.seats[view.seat].ready:
            return exchange_screen(t, hand)
        case "call" if Call() in view.moves:
            return call_screen(t, hand)
        case "clear" if Clear() in view.moves:
            return _clear_screen(t, hand)
        case "play" if on_turn and view.moves:
            return turn_screen(t, hand)
        case _:
            return waiting_screen(t, hand)


def waiting_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    """The hand of somebody who cannot do anything just now, but for what may be done out of turn."""
    cards = hand_lines(t, hand) if hand.view.table.phase != "over" else []
    extra = out_of_turn(t, hand)
    head = [h3(_heading(t, hand)), *map(small, _where(t, hand)), may_words(t, hand)]
    parts: list[Component] = [lines(*head, *cards), *extra]
    parts += [divider(), lines(*foot(t, hand), *last_lines(t, hand))] if foot(t, hand) or hand.snapshot.recent else []
    if hand.view.table.phase != "over":
        parts.append(row(button(keyed(hand)("refresh"), t("Refresh"))))
    return container(Accent.GREEN if extra else Accent.GREY, parts)


def _heading(t: Formatter, hand: HandSnapshot) -> str:
    view = hand.view.table
    match view.phase:
        case "tribute":
            name = "" if view.turn is None else name_of(t, hand, view.turn)
            return t("{name} may take tribute", name=name)
        case "exchange":
            ready, seats = sum(seat.ready for seat in view.seats), len(view.seats)
            return t("Ready: {ready} of {seats}. Play starts when all are", ready=ready, seats=seats)
        case "call":
            card = "" if view.calling is None else one_card(t, view.calling)
            return t("Who holds {card}? First to call starts", card=card)
        case "clear":
            return t("{name} must clear the pile", name="" if view.flush is None else name_of(t, hand, view.flush))
        case "over":
            return t("The game is over")
        case "play":
            return turn_heading(t, "" if view.turn is None else name_of(t, hand, view.turn), view)


def _where(t: Formatter, hand: HandSnapshot) -> list[str]:
    view, seat = hand.view.table, hand.view.seat
    clock = time_up(t, hand.snapshot.table)
    if (nth := view.seats[seat].place) is not None:
        return [t("You are out, {place}", place=place(t, nth))]
    if view.phase != "play" or view.turn is None:
        return [clock]
    away = _seats_away(hand)
    if away == 1:
        return [t("You are next"), clock]
    return [t("You are next but one") if away == 2 else t("{count} seats before you", count=away), clock]  # noqa: PLR2004


def _seats_away(hand: HandSnapshot) -> int:
    view, seat, away = hand.view.table, hand.view.table.turn or 0, 0
    while seat != hand.view.seat and away < len(view.seats):
        seat = (seat + view.direction) % len(view.seats)
        away += view.seats[seat].place is None
    return away


def _clear_screen(t: Formatter, hand: HandSnapshot) -> Screen:
    pile = len(hand.view.table.pile)
    head = lines(
        h2(t("You are flush: clear the pile")), small(t("Nobody can play before"), time_up(t, hand.snapshot.table))
    )
    press = row(button(keyed(hand)("clear"), t.n("Clear {count} card", "Clear {count} cards", pile), Style.GREEN))
    return container(Accent.GREEN, [head, lines(*hand_lines(t, hand)), press, divider(), lines(*foot(t, hand))])
