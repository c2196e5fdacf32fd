"""Ended games: a step of a replay as one seat saw it, the shuffle worked out again, the transcript to download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cogs.screens.components import (
    Accent,
    Component,
    Screen,
    attached,
    button,
    container,
    divider,
    h2,
    h3,
    lines,
    option,
    row,
    select,
)
from cogs.screens.faces import Formatter, hand_order
from cogs.screens.handparts import card_lines
from cogs.screens.happenings import last_doings
from cogs.screens.ids import format_id
from cogs.screens.language import Translator, mark
from cogs.screens.lobby import heading
from cogs.screens.names import bold
from cogs.screens.ranks import one_card, place
from cogs.screens.table import top_run
from cogs.screens.wording import continued, mention, player_name, small, turn_heading
from data.ended import GameLine
from data.models import Table
from game.fairness import Verdict
from game.view import SeatFace, TableView
from tables.history import Checked, Rewound

_LONGEST_NUMBER: Final = 9
_MOST_TOP: Final = 8


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
    parts = [int(part) for part in argument.split(".") if _is_number(part)]
    return Spot(*parts[:3]) if parts else Spot(1)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER


def person(t: Translator, table: Table, seat: int) -> str:
    """Who sat there, for a text: the name while it is known, else as Discord shows them."""
    player = table.players[seat]
    if not player.name and player.user_id is not None:
        return mention(t, player.user_id)
    return bold(player_name(t, player, seat))


def replay_screen(t: Formatter, seen: Rewound, user_id: int) -> Screen:
    """A step of a replay."""
    view, table = seen.hand.view, seen.hand.snapshot.table
    eyes = person(t, table, view.seat)
    at = t("Move {step} of {steps}, seen by {name}", step=seen.step, steps=seen.steps, name=eyes)
    doings = last_doings(t, seen.hand.snapshot.recent, lambda seat: person(t, table, seat)) if seen.step else ""
    held = sorted(view.hand, key=hand_order)
    cards = card_lines(t, held, t("Hand")) if held else [small(t("no cards in hand"))]
    parts: list[Component] = [
        lines(h2(heading(t, table)), small(at)),
        lines(h3(_phase(t, view.table, table)), continued(doings)),
        divider(),
        lines(*cards),
        lines(*_pile(t, view.table), *(_seat(t, view.table, table, seat) for seat in range(len(table.players)))),
        divider(),
        _eyes(t, seen, user_id),
        _steps(t, seen),
        row(_transcript(t, table), button(format_id("verify", table.id, 0, str(table.game)), t("Verify the shuffle"))),
    ]
    return container(Accent.BLUE, parts)


def _spot(seen: Rewound) -> Spot:
    return Spot(seen.hand.snapshot.table.game, seen.hand.view.seat, seen.step)


def _steps(t: Translator, seen: Rewound) -> Component:
    table, spot = seen.hand.snapshot.table.id, _spot(seen)
    wanted = ((t("First"), 0), (t("Back"), seen.step - 1), (t("Next"), seen.step + 1), (t("Last"), seen.steps))
    return row(
        *(
            button(
                format_id("step", table, 0, str(replace(spot, step=max(0, min(step, seen.steps)))), nth),
                label,
                disabled=seen.step == (0, 0, seen.steps, seen.steps)[nth - 1],
            )
            for nth, (label, step) in enumerate(wanted, 1)
        )
    )


def _eyes(t: Translator, seen: Rewound, user_id: int) -> Component:
    table = seen.hand.snapshot.table
    options: list[Component] = []
    for seat, player in enumerate(table.players):
        name = player_name(t, player, seat)
        said = t("{name} · you", name=name) if player.user_id == user_id else name
        options.append(option(said, str(seat), default=seat == seen.hand.view.seat))
    return select(format_id("eyes", table.id, 0, str(_spot(seen))), options, t("Whose eyes"))


def _transcript(t: Translator, table: Table) -> Component:
    return button(format_id("transcript", table.id, 0, str(table.game)), t("Transcript"))


def _phase(t: Formatter, view: TableView, table: Table) -> str:
    if view.phase == "over":
        if view.shithead is None:
            return t("The game is over")
        name = person(t, table, view.shithead)
        return t("{name} is last in", name=name) if t.polite else t("{name} is the shithead", name=name)
    if view.phase == "exchange":
        return t("Before play")
    if view.phase == "call":
        return t("Who holds {card}? First to call starts", card=one_card(t, view.calling or 0))
    who = view.flush if view.phase == "clear" else view.turn
    name = "" if who is None else person(t, table, who)
    if view.phase == "clear":
        return t("{name} must clear the pile", name=name)
    return t("{name} may take tribute", name=name) if view.phase == "tribute" else turn_heading(t, name, view)


def _pile(t: Formatter, view: TableView) -> list[str]:
    turning = t("clockwise ↻") if view.direction == 1 else t("anticlockwise ↺")
    burned = t("burned {count}", count=view.burned) if view.burned else ""
    counts = small(t("Stock {count}", count=view.stock), burned, turning)
    if not view.pile:
        return [counts]
    top = t.cards(top_run(view.pile)[-_MOST_TOP:])
    return [t("Pile {count}, on top {cards}", count=len(view.pile), cards=top), counts]


def _seat(t: Formatter, view: TableView, table: Table, seat: int) -> str:
    face = view.seats[seat]
    name = person(t, table, seat)
    if face.place is not None:
        return t("{name} · out, {place} 🏁", name=name, place=place(t, face.place))
    name = f"▸ {name}" if view.turn == seat and view.phase in {"play", "tribute"} else name
    counts = t("{name} · hand {hand} · {down} down", name=name, hand=face.hand, down=len(face.down))
    return f"{counts} · {_up(t, face)}" if _up(t, face) else counts


def _up(t: Formatter, face: SeatFace) -> str:
    return "" if face.up is None else t.slots(slot for slot in face.up if slot)


_VERDICTS: Final = {
    Verdict.VERIFIED: mark(
        "All {cards} cards follow from the secret that was sealed before anyone joined, and from {joiners} clicks."
    ),
    Verdict.SEAL_DIFFERS: mark("The secret is not the one that was sealed: this shuffle must not be trusted."),
    Verdict.PACK_DIFFERS: mark("Secret and clicks give another pack: this shuffle must not be trusted."),
}


def verified_screen(t: Formatter, which: tuple[int, int], checked: Checked) -> Screen:
    """What working a shuffle out again has shown, and all that a person needs to do it too."""
    good = checked.verdict is Verdict.VERIFIED
    said = t(_VERDICTS[checked.verdict], cards=checked.cards, joiners=checked.joiners)
    return container(
        Accent.GREEN if good else Accent.RED,
        [
            lines(h2(t("The shuffle is verified ✓") if good else t("The shuffle does not verify ×")), said),
            lines(
                t("**Seal** `{seal}`", seal=checked.seal),
                t("**Secret** `{secret}`", secret=checked.secret),
                t("**Table** `{name}`", name=checked.name),
            ),
            lines(
                small(t("Compare all 64 digits with the seal that you were shown when you joined.")),
                small(t("`docs/verify_shuffle.py` checks the transcript without the bot.")),
            ),
            row(button(format_id("transcript", which[0], 0, str(which[1])), t("Transcript"))),
        ],
    )


def transcript_screen(t: Formatter, file: str) -> Screen:
    """The transcript, to download."""
    said = t("The whole game as text: the pack, every move, and what verifies the shuffle.")
    return container(Accent.BLUE, [lines(said), attached(file)])


def game_words(t: Translator, titled: str, line: GameLine) -> str:
    """An ended game in a list that opens while somebody types; Discord draws no times there, so it is UTC."""
    ended = t("stopped") if line.moves is None else t.n("{count} move", "{count} moves", line.moves)
    players = t.n("{count} player", "{count} players", line.seats)
    return f"{titled} · {line.dealt_at:%Y-%m-%d %H:%M} · {players} · {ended}"


def fair_lines(t: Translator, table: Table, user_id: int) -> Sequence[str]:
    """The seal in full, the own click, the name of the shuffle: what somebody must note to verify it later."""
    seat = table.seat_of(user_id)
    own = "" if seat is None else t("**Your click** `{id}`", id=table.players[seat].joined_by)
    return (
        t("**Seal** `{seal}`", seal=table.seal),
        own,
        t("**Table** `{name}`", name=f"{table.id}.{table.game}"),
    )


def fair_screen(t: Formatter, table: Table, user_id: int) -> Screen:
    """The page about the fair shuffle of a table that is not over yet."""
    command = t.command("verify")
    return container(
        Accent.BLUE,
        [
            lines(
                h2(t("Fair shuffle")),
                t("A secret was drawn and sealed before anyone could join. Secret and clicks together make the pack."),
            ),
            lines(*fair_lines(t, table, user_id)),
            lines(
                small(t("Note these. When the game has ended, the secret is opened.")),
                small(t("Then {command} works the pack out again.", command=command)),
            ),
        ],
    )


def joined_screen(t: Formatter, table: Table, user_id: int) -> Screen:
    """The private answer to whoever sat down."""
    said = t("When the game starts, **My hand** shows your cards, to you alone.")
    return container(
        Accent.GREEN,
        [lines(h3(t("You are in")), said), lines(*(small(each) for each in fair_lines(t, table, user_id)))],
    )
