"""Ended games: a step of a replay as one seat saw it, the shuffle worked out again, the transcript to download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cogs.screens.components as ui
from cogs.screens.end_screens import shithead_words
from cogs.screens.formatter import Formatter, hand_order
from cogs.screens.hand_parts import card_lines
from cogs.screens.ids import format_id, parse_number
from cogs.screens.language import mark
from cogs.screens.lobby_screens import heading
from cogs.screens.wording import counts_words, last_doings, person_name, phase_heading, pile_words, player_name
from data.game_models import GameLine
from data.models import Table
from game.fairness import Verdict
from game.view import TableView
from tables.snapshots import Checked, Rewound

_LARGEST: Final = 10**9


@dataclass(frozen=True, slots=True)
class Spot:
    """Where in an ended game somebody looks: the number of the game, whose eyes, after how many moves."""

    game: int
    seat: int = 0
    step: int = 0

    def __str__(self) -> str:
        """The same as the argument of an id."""
        return f"{self.game}.{self.seat}.{self.step}"


def spot_of(argument: str) -> Spot:
    """What the argument of an id says; the very beginning where it says nothing sensible."""
    parts = [number for part in argument.split(".") if (number := parse_number(part)) is not None and number < _LARGEST]
    return Spot(*parts[:3]) if parts else Spot(1)


def replay_screen(t: Formatter, seen: Rewound, user_id: int) -> ui.Screen:
    """A step of a replay."""
    view, table = seen.hand.view, seen.hand.snapshot.table
    eyes = person_name(t, table, view.seat)
    at = t("Move {step} of {steps}, seen by {name}", step=seen.step, steps=seen.steps, name=eyes)
    doings = last_doings(t, seen.hand.snapshot.recent, lambda seat: person_name(t, table, seat)) if seen.step else ""
    held = sorted(view.hand, key=hand_order)
    cards = card_lines(t, held, t("Hand")) if held else [ui.small(t("no cards in hand"))]
    pile = [pile_words(t, view.table.pile)] if view.table.pile else []
    seats = [_seat(t, view.table, table, seat) for seat in range(len(table.players))]
    verify = ui.button(format_id("verify", table.id, argument=str(table.game)), t("Verify the shuffle"))
    parts: list[ui.Component] = [
        ui.lines(ui.h2(heading(t, table)), ui.small(at)),
        ui.lines(ui.h3(_phase(t, view.table, table)), ui.continued(doings)),
        ui.divider(),
        ui.lines(*cards),
        ui.lines(*pile, counts_words(t, view.table), *seats),
        ui.divider(),
        _eyes(t, seen, user_id),
        _steps(t, seen),
        ui.row(_transcript(t, table.id, table.game), verify),
    ]
    return ui.container(ui.Accent.BLUE, parts)


def _spot(seen: Rewound) -> Spot:
    return Spot(seen.hand.snapshot.table.game, seen.hand.view.seat, seen.step)


def _steps(t: Formatter, seen: Rewound) -> ui.Component:
    table, spot, last = seen.hand.snapshot.table.id, _spot(seen), seen.steps
    wanted = ((t("First"), 0), (t("Back"), seen.step - 1), (t("Next"), seen.step + 1), (t("Last"), last))
    made: list[ui.Component] = []
    for nth, (label, step) in enumerate(wanted, 1):
        there = replace(spot, step=max(0, min(step, last)))
        made.append(ui.button(format_id("step", table, 0, str(there), nth), label, disabled=there == spot))
    return ui.row(*made)


def _eyes(t: Formatter, seen: Rewound, user_id: int) -> ui.Component:
    table, options = seen.hand.snapshot.table, list[ui.Component]()
    for seat, player in enumerate(table.players):
        name = player_name(t, player, seat)
        said = t("{name} · you", name=name) if player.user_id == user_id else name
        options.append(ui.option(said, str(seat), default=seat == seen.hand.view.seat))
    return ui.select(format_id("eyes", table.id, argument=str(_spot(seen))), options, t("Whose eyes"))


def _transcript(t: Formatter, table: int, game: int) -> ui.Component:
    return ui.button(format_id("transcript", table, argument=str(game)), t("Transcript"))


def _phase(t: Formatter, view: TableView, table: Table) -> str:
    if view.phase == "over" and view.shithead is not None:
        return shithead_words(t, person_name(t, table, view.shithead))
    if view.phase == "exchange":
        return t("Before play")
    return phase_heading(t, view, lambda seat: person_name(t, table, seat))


def _seat(t: Formatter, view: TableView, table: Table, seat: int) -> str:
    face, name = view.seats[seat], person_name(t, table, seat)
    if face.place is not None:
        return t("{name} · out, {place} 🏁", name=name, place=t.place(face.place))
    name = f"▸ {name}" if view.turn == seat and view.phase in {"play", "tribute"} else name
    counts = t("{name} · hand {hand} · {down} down", name=name, hand=face.hand, down=len(face.down))
    up = t.slots(slot for slot in face.up or () if slot)
    return f"{counts} · {up}" if up else counts


_VERDICTS: Final = {
    Verdict.VERIFIED: mark(
        "All {cards} cards follow from the secret that was sealed before anyone joined, and from {joiners} clicks."
    ),
    Verdict.SEAL_DIFFERS: mark("The secret is not the one that was sealed: this shuffle must not be trusted."),
    Verdict.PACK_DIFFERS: mark("Secret and clicks give another pack: this shuffle must not be trusted."),
}


def verified_screen(t: Formatter, which: tuple[int, int], checked: Checked) -> ui.Screen:
    """What working a shuffle out again has shown, and all that a person needs to do it too."""
    good = checked.verdict is Verdict.VERIFIED
    title = t("The shuffle is verified ✓") if good else t("The shuffle does not verify ×")
    said = t(_VERDICTS[checked.verdict], cards=checked.cards, joiners=checked.joiners)
    return ui.container(
        ui.Accent.GREEN if good else ui.Accent.RED,
        [
            ui.lines(ui.h2(title), said),
            ui.lines(
                t("**Seal** `{seal}`", seal=checked.seal),
                t("**Secret** `{secret}`", secret=checked.secret),
                t("**Table** `{name}`", name=checked.name),
            ),
            ui.lines(
                ui.small(t("Compare all 64 digits with the seal that you were shown when you joined.")),
                ui.small(t("`docs/verify_shuffle.py` checks the transcript without the bot.")),
            ),
            ui.row(_transcript(t, *which)),
        ],
    )


def transcript_screen(t: Formatter, file: str) -> ui.Screen:
    """The transcript, to download."""
    said = t("The whole game as text: the pack, every move, and what verifies the shuffle.")
    return ui.container(ui.Accent.BLUE, [ui.lines(said), ui.attached(file)])


def game_words(t: Formatter, titled: str, line: GameLine) -> str:
    """An ended game in a list that opens while somebody types; Discord draws no times there, so it is UTC."""
    ended = t("stopped") if line.moves is None else t.n("{count} move", "{count} moves", line.moves)
    players = t.n("{count} player", "{count} players", line.seats)
    return f"{titled} · {line.dealt_at:%Y-%m-%d %H:%M} · {players} · {ended}"


# -- the fair shuffle


def _fair_lines(t: Formatter, table: Table, user_id: int) -> Sequence[str]:
    """The seal in full, the own click, the name of the shuffle: what somebody must note to verify it later."""
    seat = table.seat_of(user_id)
    own = "" if seat is None else t("**Your click** `{id}`", id=table.players[seat].joined_by)
    name = t("**Table** `{name}`", name=f"{table.id}.{table.game}")
    return t("**Seal** `{seal}`", seal=table.seal), own, name


def fair_screen(t: Formatter, table: Table, user_id: int) -> ui.Screen:
    """The page about the fair shuffle of a table that is not over yet."""
    why = t("A secret was drawn and sealed before anyone could join. Secret and clicks together make the pack.")
    note = t("Note these. When the game has ended, the secret is opened.")
    then = t("Then {command} works the pack out again.", command=t.command("verify"))
    parts = [
        ui.lines(ui.h2(t("Fair shuffle")), why),
        ui.lines(*_fair_lines(t, table, user_id)),
        ui.lines(ui.small(note), ui.small(then)),
    ]
    return ui.container(ui.Accent.BLUE, parts)


def joined_screen(t: Formatter, table: Table, user_id: int) -> ui.Screen:
    """The private answer to somebody who sat down."""
    said = t("When the game starts, **My hand** shows your cards, to you alone.")
    fair = ui.lines(*(ui.small(each) for each in _fair_lines(t, table, user_id)))
    return ui.container(ui.Accent.GREEN, [ui.lines(ui.h3(t("You are in")), said), fair])
