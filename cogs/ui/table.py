"""The public table: whose turn it is, what is asked, the pile, the seats, what happened last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from bot.shown import TableShown
from cogs.ui.components import (
    MOST_CHARACTERS,
    Accent,
    Component,
    Screen,
    Style,
    button,
    characters,
    container,
    divider,
    h1,
    h2,
    h3,
    lines,
    row,
)
from cogs.ui.faces import FACE_DOWN, Pen
from cogs.ui.happenings import last_burned, last_doings, last_picked_up
from cogs.ui.match import match_foot
from cogs.ui.plays import key_of
from cogs.ui.ranks import one_card, place
from cogs.ui.wording import continued, exceptions, seat_name, small, time_up, turn_heading
from game.cards import Face, face_rank
from game.view import SeatFace, TableView

MOST_PILE: Final = 5
MOST_TOP: Final = 8


def table_screen(pen: Pen, shown: TableShown, view: TableView) -> Screen:
    """The running game as everybody sees it; without pictures where they would not fit."""
    screen = _screen(pen, shown, view)
    if pen.faces.emojis and characters(screen) > MOST_CHARACTERS - 100:
        screen = _screen(pen.plain(), shown, view)
    return screen


def _screen(pen: Pen, shown: TableShown, view: TableView) -> Screen:
    parts: list[Component] = [lines(*_head(pen, shown, view), *_pile(pen, view)), divider()]
    parts += [lines(*_seat(pen, shown, view, seat)) for seat in range(len(view.seats))]
    parts += [divider(), lines(*_last(pen, shown)), _buttons(pen, shown, view)]
    return container(_accent(shown), parts)


def _accent(shown: TableShown) -> Accent:
    if last_burned(shown.recent):
        return Accent.GOLD
    return Accent.RED if last_picked_up(shown.recent) else Accent.GREY


def _head(pen: Pen, shown: TableShown, view: TableView) -> list[str]:
    t, table = pen.t, shown.table
    clock = time_up(t, table)
    if view.phase == "play" and view.turn is not None:
        also = exceptions(t, view)
        anything = t("Anything goes") if view.asked.kind == "anything" and not view.pile else ""
        return [
            h2(turn_heading(pen, seat_name(t, table, view.turn), view)),
            continued(also, clock) if also else small(anything, clock),
        ]
    return [h2(_phase_heading(pen, shown, view)), small(_progress(pen, view)), small(clock)]


def _phase_heading(pen: Pen, shown: TableShown, view: TableView) -> str:
    t, table = pen.t, shown.table
    match view.phase:
        case "tribute" if view.turn is not None:
            return t("{name} may take tribute", name=seat_name(t, table, view.turn))
        case "exchange" if view.rules.deal.method == "choose" and not all(seat.chosen for seat in view.seats):
            return t("Choose your face-up cards")
        case "exchange":
            return t("Swap before we start") if view.rules.deal.exchange != "none" else t("Ready?")
        case "call":
            return t("Who holds {card}? First to call starts", card=one_card(t, view.calling or 0))
        case "clear" if view.flush is not None:
            return t("{name} must clear the pile", name=seat_name(t, table, view.flush))
        case _:
            return t("The game is over")


def _progress(pen: Pen, view: TableView) -> str:
    t = pen.t
    if view.phase == "exchange":
        ready = t("{ready} of {seats} ready", ready=sum(seat.ready for seat in view.seats), seats=len(view.seats))
        return t("Press My hand · {ready}", ready=ready)
    return t("Press My hand") if view.phase in {"call", "clear", "tribute"} else ""


def _pile(pen: Pen, view: TableView) -> list[str]:
    t = pen.t
    turning = t("clockwise ↻") if view.direction == 1 else t("anticlockwise ↺")
    counts = small(
        t("Stock {count}", count=view.stock), t("burned {count}", count=view.burned) if view.burned else "", turning
    )
    if not view.pile:
        empty = t.n("Pile empty, {count} card burned 🔥", "Pile empty, {count} cards burned 🔥", view.burned)
        return [h3(empty), counts] if view.burned and view.phase == "play" else [counts]
    top = top_run(view.pile)
    run = pen.run(view.pile[-MOST_PILE:])
    beneath = view.pile[-MOST_PILE : -len(top)] if len(top) < MOST_PILE else ()
    named = h3(t("Pile {count}, on top {cards}", count=len(view.pile), cards=pen.cards(top[-MOST_TOP:])))
    shown = h1(run) if run else continued(t("under it {cards}", cards=pen.cards(reversed(beneath)))) if beneath else ""
    return [named, shown, counts]


def top_run(pile: Sequence[Face]) -> Sequence[Face]:
    """The cards of one rank on top of the pile."""
    same = sum(1 for _ in takewhile(lambda face: face_rank(face) == face_rank(pile[-1]), reversed(pile)))
    return pile[-same:]


def _seat(pen: Pen, shown: TableShown, view: TableView, seat: int) -> list[str]:
    t, face, player = pen.t, view.seats[seat], shown.table.players[seat]
    name = seat_name(t, shown.table, seat)
    if face.place is not None:
        return [t("**{name}** · out, {place} 🏁", name=name, place=place(t, face.place))]
    on_turn = view.turn == seat and view.phase in {"play", "tribute"}
    name = f"**▸ {name}**" if on_turn else f"**{name}**"
    counts = t("{name} · hand {hand} · {down} down", name=name, hand=face.hand, down=len(face.down))
    robot = " 🤖" if player.is_computer or player.left else ""
    return [f"{counts}{_preparing(pen, view, face)}{robot}", _face_up(pen, face)]


def _preparing(pen: Pen, view: TableView, face: SeatFace) -> str:
    ready = pen.t("ready")
    return f" · {ready} ✓" if view.phase == "exchange" and face.ready else ""


def _face_up(pen: Pen, face: SeatFace) -> str:
    if face.up is None:
        return small(pen.t("face-up cards not shown yet"))
    slots = [slot for slot in face.up if slot]
    run = pen.run([card for slot in slots for card in slot]) + pen.faces.named(FACE_DOWN) * len(face.down)
    return f"{pen.slots(slots)}  {run}".strip()


def _last(pen: Pen, shown: TableShown) -> list[str]:
    t = pen.t
    doings = last_doings(pen, shown.recent, lambda seat: seat_name(t, shown.table, seat))
    said = [continued(doings)]
    for seat, player in enumerate(shown.table.players):
        if player.left:
            said.append(continued(t("{name} left, the computer plays on", name=seat_name(t, shown.table, seat))))
        elif player.away:
            said.append(continued(t("{name} is away 💤", name=seat_name(t, shown.table, seat))))
    votes = len(shown.table.stop_votes)
    said.append(small(t.n("{count} vote to stop", "{count} votes to stop", votes)) if votes else "")
    return [*said, small(match_foot(t, shown.table))]


def _buttons(pen: Pen, shown: TableShown, view: TableView) -> Component:
    t, key = pen.t, key_of(shown.table)
    buttons = [button(key("hand"), t("My hand"), Style.BLURPLE)]
    if view.rules.play.interrupt and view.phase == "play" and view.pile:
        buttons.append(button(key("cutin"), t("Interrupt"), Style.GREEN))
    return row(*buttons, button(key("rules"), t("Rules")), button(key("more"), t("More")))
