"""The public table: whose turn it is, what is asked, the pile, the seats, what happened last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from cogs.screens.components import (
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
from cogs.screens.faces import FACE_DOWN, Formatter
from cogs.screens.happenings import last_burned, last_doings, last_picked_up
from cogs.screens.match import match_foot
from cogs.screens.plays import key_of
from cogs.screens.ranks import one_card, place
from cogs.screens.wording import continued, exceptions, seat_name, small, time_up, turn_heading
from game.cards import Face, face_rank
from game.view import SeatFace, TableView
from tables.snapshots import TableSnapshot

MOST_PILE: Final = 5
MOST_TOP: Final = 8


def table_screen(t: Formatter, snapshot: TableSnapshot, view: TableView) -> Screen:
    """The running game as everybody sees it; without pictures where they would not fit."""
    screen = _screen(t, snapshot, view)
    if t.faces.emojis and characters(screen) > MOST_CHARACTERS - 100:
        screen = _screen(t.plain(), snapshot, view)
    return screen


def _screen(t: Formatter, snapshot: TableSnapshot, view: TableView) -> Screen:
    parts: list[Component] = [lines(*_head(t, snapshot, view), *_pile(t, view)), divider()]
    parts += [lines(*_seat(t, snapshot, view, seat)) for seat in range(len(view.seats))]
    parts += [divider(), lines(*_last(t, snapshot)), _buttons(t, snapshot, view)]
    return container(_accent(snapshot), parts)


def _accent(snapshot: TableSnapshot) -> Accent:
    if last_burned(snapshot.recent):
        return Accent.GOLD
    return Accent.RED if last_picked_up(snapshot.recent) else Accent.GREY


def _head(t: Formatter, snapshot: TableSnapshot, view: TableView) -> list[str]:
    table = snapshot.table
    clock = time_up(t, table)
    if view.phase == "play" and view.turn is not None:
        also = exceptions(t, view)
        anything = t("Anything goes") if view.asked.kind == "anything" and not view.pile else ""
        return [
            h2(turn_heading(t, seat_name(t, table, view.turn), view)),
            continued(also, clock) if also else small(anything, clock),
        ]
    return [h2(_phase_heading(t, snapshot, view)), small(_progress(t, view)), small(clock)]


def _phase_heading(t: Formatter, snapshot: TableSnapshot, view: TableView) -> str:
    table = snapshot.table
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


def _progress(t: Formatter, view: TableView) -> str:
    if view.phase == "exchange":
        ready = t("{ready} of {seats} ready", ready=sum(seat.ready for seat in view.seats), seats=len(view.seats))
        return t("Press My hand · {ready}", ready=ready)
    return t("Press My hand") if view.phase in {"call", "clear", "tribute"} else ""


def _pile(t: Formatter, view: TableView) -> list[str]:
    turning = t("clockwise ↻") if view.direction == 1 else t("anticlockwise ↺")
    counts = small(
        t("Stock {count}", count=view.stock), t("burned {count}", count=view.burned) if view.burned else "", turning
    )
    if not view.pile:
        empty = t.n("Pile empty, {count} card burned 🔥", "Pile empty, {count} cards burned 🔥", view.burned)
        return [h3(empty), counts] if view.burned and view.phase == "play" else [counts]
    top = top_run(view.pile)
    run = t.run(view.pile[-MOST_PILE:])
    beneath = view.pile[-MOST_PILE : -len(top)] if len(top) < MOST_PILE else ()
    named = h3(t("Pile {count}, on top {cards}", count=len(view.pile), cards=t.cards(top[-MOST_TOP:])))
    snapshot = h1(run) if run else continued(t("under it {cards}", cards=t.cards(reversed(beneath)))) if beneath else ""
    return [named, snapshot, counts]


def top_run(pile: Sequence[Face]) -> Sequence[Face]:
    """The cards of one rank on top of the pile."""
    same = sum(1 for _ in takewhile(lambda face: face_rank(face) == face_rank(pile[-1]), reversed(pile)))
    return pile[-same:]


def _seat(t: Formatter, snapshot: TableSnapshot, view: TableView, seat: int) -> list[str]:
    face, player = view.seats[seat], snapshot.table.players[seat]
    name = seat_name(t, snapshot.table, seat)
    if face.place is not None:
        return [t("**{name}** · out, {place} 🏁", name=name, place=place(t, face.place))]
    on_turn = view.turn == seat and view.phase in {"play", "tribute"}
    name = f"**▸ {name}**" if on_turn else f"**{name}**"
    counts = t("{name} · hand {hand} · {down} down", name=name, hand=face.hand, down=len(face.down))
    robot = " 🤖" if player.is_computer or player.left else ""
    return [f"{counts}{_preparing(t, view, face)}{robot}", _face_up(t, face)]


def _preparing(t: Formatter, view: TableView, face: SeatFace) -> str:
    ready = t("ready")
    return f" · {ready} ✓" if view.phase == "exchange" and face.ready else ""


def _face_up(t: Formatter, face: SeatFace) -> str:
    if face.up is None:
        return small(t("face-up cards not shown yet"))
    slots = [slot for slot in face.up if slot]
    run = t.run([card for slot in slots for card in slot]) + t.faces.named(FACE_DOWN) * len(face.down)
    return f"{t.slots(slots)}  {run}".strip()


def _last(t: Formatter, snapshot: TableSnapshot) -> list[str]:
    doings = last_doings(t, snapshot.recent, lambda seat: seat_name(t, snapshot.table, seat))
    said = [continued(doings)]
    for seat, player in enumerate(snapshot.table.players):
        if player.left:
            said.append(continued(t("{name} left, the computer plays on", name=seat_name(t, snapshot.table, seat))))
        elif player.away:
            said.append(continued(t("{name} is away 💤", name=seat_name(t, snapshot.table, seat))))
    votes = len(snapshot.table.stop_votes)
    said.append(small(t.n("{count} vote to stop", "{count} votes to stop", votes)) if votes else "")
    return [*said, small(match_foot(t, snapshot.table))]


def _buttons(t: Formatter, snapshot: TableSnapshot, view: TableView) -> Component:
    key = key_of(snapshot.table)
    buttons = [button(key("hand"), t("My hand"), Style.BLURPLE)]
    if view.rules.play.interrupt and view.phase == "play" and view.pile:
        buttons.append(button(key("cutin"), t("Interrupt"), Style.GREEN))
    return row(*buttons, button(key("rules"), t("Rules")), button(key("more"), t("More")))
