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


def table_screen(fmt: Formatter, snapshot: TableSnapshot, view: TableView) -> Screen:
    """The running game as everybody sees it; without pictures where they would not fit."""
    screen = _screen(fmt, snapshot, view)
    if fmt.faces.emojis and characters(screen) > MOST_CHARACTERS - 100:
        screen = _screen(fmt.plain(), snapshot, view)
    return screen


def _screen(fmt: Formatter, snapshot: TableSnapshot, view: TableView) -> Screen:
    parts: list[Component] = [lines(*_head(fmt, snapshot, view), *_pile(fmt, view)), divider()]
    parts += [lines(*_seat(fmt, snapshot, view, seat)) for seat in range(len(view.seats))]
    parts += [divider(), lines(*_last(fmt, snapshot)), _buttons(fmt, snapshot, view)]
    return container(_accent(snapshot), parts)


def _accent(snapshot: TableSnapshot) -> Accent:
    if last_burned(snapshot.recent):
        return Accent.GOLD
    return Accent.RED if last_picked_up(snapshot.recent) else Accent.GREY


def _head(fmt: Formatter, snapshot: TableSnapshot, view: TableView) -> list[str]:
    t, table = fmt.t, snapshot.table
    clock = time_up(t, table)
    if view.phase == "play" and view.turn is not None:
        also = exceptions(t, view)
        anything = t("Anything goes") if view.asked.kind == "anything" and not view.pile else ""
        return [
            h2(turn_heading(fmt, seat_name(t, table, view.turn), view)),
            continued(also, clock) if also else small(anything, clock),
        ]
    return [h2(_phase_heading(fmt, snapshot, view)), small(_progress(fmt, view)), small(clock)]


def _phase_heading(fmt: Formatter, snapshot: TableSnapshot, view: TableView) -> str:
    t, table = fmt.t, snapshot.table
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


def _progress(fmt: Formatter, view: TableView) -> str:
    t = fmt.t
    if view.phase == "exchange":
        ready = t("{ready} of {seats} ready", ready=sum(seat.ready for seat in view.seats), seats=len(view.seats))
        return t("Press My hand · {ready}", ready=ready)
    return t("Press My hand") if view.phase in {"call", "clear", "tribute"} else ""


def _pile(fmt: Formatter, view: TableView) -> list[str]:
    t = fmt.t
    turning = t("clockwise ↻") if view.direction == 1 else t("anticlockwise ↺")
    counts = small(
        t("Stock {count}", count=view.stock), t("burned {count}", count=view.burned) if view.burned else "", turning
    )
    if not view.pile:
        empty = t.n("Pile empty, {count} card burned 🔥", "Pile empty, {count} cards burned 🔥", view.burned)
        return [h3(empty), counts] if view.burned and view.phase == "play" else [counts]
    top = top_run(view.pile)
    run = fmt.run(view.pile[-MOST_PILE:])
    beneath = view.pile[-MOST_PILE : -len(top)] if len(top) < MOST_PILE else ()
    named = h3(t("Pile {count}, on top {cards}", count=len(view.pile), cards=fmt.cards(top[-MOST_TOP:])))
    snapshot = (
        h1(run) if run else continued(t("under it {cards}", cards=fmt.cards(reversed(beneath)))) if beneath else ""
    )
    return [named, snapshot, counts]


def top_run(pile: Sequence[Face]) -> Sequence[Face]:
    """The cards of one rank on top of the pile."""
    same = sum(1 for _ in takewhile(lambda face: face_rank(face) == face_rank(pile[-1]), reversed(pile)))
    return pile[-same:]


def _seat(fmt: Formatter, snapshot: TableSnapshot, view: TableView, seat: int) -> list[str]:
    t, face, player = fmt.t, view.seats[seat], snapshot.table.players[seat]
    name = seat_name(t, snapshot.table, seat)
    if face.place is not None:
        return [t("**{name}** · out, {place} 🏁", name=name, place=place(t, face.place))]
    on_turn = view.turn == seat and view.phase in {"play", "tribute"}
    name = f"**▸ {name}**" if on_turn else f"**{name}**"
    counts = t("{name} · hand {hand} · {down} down", name=name, hand=face.hand, down=len(face.down))
    robot = " 🤖" if player.is_computer or player.left else ""
    return [f"{counts}{_preparing(fmt, view, face)}{robot}", _face_up(fmt, face)]


def _preparing(fmt: Formatter, view: TableView, face: SeatFace) -> str:
    ready = fmt.t("ready")
    return f" · {ready} ✓" if view.phase == "exchange" and face.ready else ""


def _face_up(fmt: Formatter, face: SeatFace) -> str:
    if face.up is None:
        return small(fmt.t("face-up cards not shown yet"))
    slots = [slot for slot in face.up if slot]
    run = fmt.run([card for slot in slots for card in slot]) + fmt.faces.named(FACE_DOWN) * len(face.down)
    return f"{fmt.slots(slots)}  {run}".strip()


def _last(fmt: Formatter, snapshot: TableSnapshot) -> list[str]:
    t = fmt.t
    doings = last_doings(fmt, snapshot.recent, lambda seat: seat_name(t, snapshot.table, seat))
    said = [continued(doings)]
    for seat, player in enumerate(snapshot.table.players):
        if player.left:
            said.append(continued(t("{name} left, the computer plays on", name=seat_name(t, snapshot.table, seat))))
        elif player.away:
            said.append(continued(t("{name} is away 💤", name=seat_name(t, snapshot.table, seat))))
    votes = snapshot.table.stop_votes
    said.append(small(t.n("{count} vote to stop", "{count} votes to stop", votes)) if votes else "")
    return [*said, small(match_foot(t, snapshot.table))]


def _buttons(fmt: Formatter, snapshot: TableSnapshot, view: TableView) -> Component:
    t, key = fmt.t, key_of(snapshot.table)
    buttons = [button(key("hand"), t("My hand"), Style.BLURPLE)]
    if view.rules.play.interrupt and view.phase == "play" and view.pile:
        buttons.append(button(key("cutin"), t("Interrupt"), Style.GREEN))
    return row(*buttons, button(key("rules"), t("Rules")), button(key("more"), t("More")))
