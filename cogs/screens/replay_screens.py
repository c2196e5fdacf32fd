"""Ended games: a step of a replay as one seat saw it, the reader's costliest moves, highlights, films."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Final

import cogs.screens.components as ui
from cogs.pictures.highlights import MomentKind, highlights
from cogs.screens.computer_words import mistake_words
from cogs.screens.event_words import actor, last_actions, retold
from cogs.screens.formatter import Formatter, capital
from cogs.screens.hand_parts import hand_lines, table_words, top_in_words
from cogs.screens.ids import format_id, key_of, parse_number
from cogs.screens.language import mark, mark_n
from cogs.screens.names import isolated
from cogs.screens.wording import (
    NameOf,
    at_table,
    bare_name,
    heading,
    outcome_words,
    person_name,
    phase_heading,
    played_by,
    result_words,
    seal_words,
)
from data.game_models import GameLine
from data.models import Table
from game.events import Ended
from game.fairness import Verdict
from game.view import SeatView, TableView
from tables.snapshots import ReplayStep, Reviewed, Verification, Watched

_LARGEST: Final = 10**9
_LEAP: Final = 10
_WHY: Final[Mapping[MomentKind, tuple[str, str]]] = {
    "burned": mark_n("{count} card burned", "{count} cards burned"),
    "picked-up": mark_n("the largest pick-up", "the largest pick-up"),
    "saved": mark_n(
        "a blind flip that fitted on a pile of {count} card", "a blind flip that fitted on a pile of {count} cards"
    ),
    "ended": mark_n("the end", "the end"),
}


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in an ended game: the game's number, the seat whose view is shown, and how many moves were made."""

    game: int
    seat: int = 0
    step: int = 0

    def __str__(self) -> str:
        """The spot as the argument of an id; `parse_spot` parses it."""
        return f"{self.game}.{self.seat}.{self.step}"


def parse_spot(argument: str) -> Spot:
    """Parse the argument of an id; the beginning of game 1 if it makes no sense."""
    numbers = [parse_number(part) for part in argument.split(".")]
    known = [number for number in numbers if number is not None and number < _LARGEST]
    return Spot(*known[:3]) if known else Spot(1)


def replay_screen(
    t: Formatter, seen: ReplayStep, user_id: int, image: ui.Component | None = None, *, films: bool = True
) -> ui.Screen:
    """A step of a replay; without an `image`, words show pile and seats. `films` offers the game as a film."""
    view, table = seen.hand.view, seen.hand.snapshot.table
    viewer = person_name(t, table, view.seat)
    at = t("Move {step} of {steps}, seen by {name}", step=seen.step, steps=seen.steps, name=viewer)
    recent = seen.hand.snapshot.recent if seen.step else ()
    actions = last_actions(at_table(t, table.rules), recent, partial(person_name, t, table))
    cards = hand_lines(t, seen.hand) or [ui.small(t("no cards in hand"))]
    laid, everybody = view.seen_table, range(len(table.players))
    parts: list[ui.Component] = [
        ui.lines(ui.h2(heading(t, table)), ui.small(at)),
        ui.lines(ui.h3(_phase(t, view.table, table)), ui.continued(t.sentences(*actions))),
        image or ui.divider(),
        ui.lines(*cards),
        *([] if image else [ui.lines(top_in_words(t, laid), *table_words(t, seen.hand.snapshot, laid, everybody))]),
        ui.divider(),
        _steps(t, seen),
        *_moments(t, seen.game, _spot(seen), seen.steps),
        _view_select(t, seen, user_id),
        _ways(t, seen, user_id, films=films),
    ]
    return ui.container(ui.Accent.BLUE, parts)


def _ways(t: Formatter, seen: ReplayStep, user_id: int, *, films: bool) -> ui.Component:
    view, table = seen.hand.view, seen.hand.snapshot.table
    is_lost = any(isinstance(each, Ended) for told in seen.game.told for each in told)  # nobody loses a stopped game
    review = ui.button(_id("review", table, Spot(table.game)), t("My costliest moves"), ui.Style.BLURPLE)
    rest = [review] if is_lost and any(player.user_id == user_id for player in table.players) else []
    if films:
        as_seen = t("Film: {name}’s cards", name=bare_name(t, table, view.seat))
        rest += [_film(t, table), ui.button(_id("eyesfilm", table, _spot(seen)), as_seen)]
    return ui.row(*rest, ui.button(format_id("verify", table.id, argument=str(table.game)), t("Fair shuffle")))


def review_screen(t: Formatter, reviewed: Reviewed) -> ui.Screen:
    """The moves that cost the reader most, in the order of play, and a select that leads to each in the replay."""
    table = reviewed.table
    about = t("In the order of play, as the strongest computer judges them by what you could see then")
    parts = [ui.lines(ui.h2(t("Your costliest moves")), ui.small(heading(t, table)), ui.small(about))]
    options: list[ui.Component] = []
    in_words, name = at_table(t, table.rules), partial(person_name, t, table)
    for mistake in sorted(reviewed.mistakes):
        move = mistake.step + 1
        before, made = reviewed.told[move - 1 : move + 1]
        did = made if reviewed.seat in map(actor, before[:1]) else (*before, *made)
        told = retold(in_words, did, name, reviewed.seat)
        at = t("Move {move} of the replay", move=move)
        parts += [ui.divider(), ui.lines(f"**{at}**", t.sentences(told, mistake_words(t, mistake)))]
        options.append(ui.option(at, str(move)))
    if options:
        spot = Spot(table.game, reviewed.seat, _LARGEST)
        parts.append(ui.select(_id("moment", table, spot), options, t("Go to a moment")))
    else:
        parts += [ui.divider(), ui.lines(t("None of your moves cost you much."))]
    return ui.container(ui.Accent.BLUE, parts)


def _spot(seen: ReplayStep) -> Spot:
    return Spot(seen.hand.snapshot.table.game, seen.hand.view.seat, seen.step)


def _steps(t: Formatter, seen: ReplayStep) -> ui.Component:
    """Buttons that go some moves on or back: `+10`, in text mode `+10 moves`."""
    table, spot, made = seen.hand.snapshot.table, _spot(seen), list[ui.Component]()
    for nth, by in enumerate((-_LEAP, -1, 1, _LEAP), 1):
        there = replace(spot, step=max(0, min(seen.step + by, seen.steps)))
        many = t.n("{count} move", "{count} moves", abs(by)) if t.text else str(abs(by))
        label = f"{'−' if by < 0 else '+'}{many}"
        made.append(ui.button(format_id("step", table.id, 0, str(there), nth), label, disabled=there == spot))
    return ui.row(*made)


def _film(t: Formatter, table: Table) -> ui.Component:
    return ui.button(_id("film", table, Spot(table.game)), t("Film: table"))


def _id(verb: str, table: Table, spot: Spot) -> str:
    return format_id(verb, table.id, argument=str(spot))


def _moments(t: Formatter, watched: Watched, spot: Spot, last: int = 0) -> Sequence[ui.Component]:
    """A select of the moments of a game; in a replay (`last` > 0) also of its first and last step. Empty if none."""
    moments = {0: (t("Before play"), ""), last: (capital(t("stopped")), "")} if last else {}
    moments |= {move: (what, why) for move, what, why in _told_moments(t, watched, plain=True)}
    listed = sorted(moments.items())
    options = [ui.option(f"{at} · {what}", str(at), why, default=at == spot.step) for at, (what, why) in listed]
    return [ui.select(_id("moment", watched.table, spot), options, t("Go to a moment"))] if options else []


def _told_moments(t: Formatter, watched: Watched, *, plain: bool) -> Iterator[tuple[int, str, str]]:
    """Each moment: how many moves were made by then, what happened, and why it counts; `plain` names for a select."""
    table, events = watched.table, watched.told
    name = partial(bare_name if plain else person_name, t, table)
    for move, moments in groupby(highlights(events, watched.piles), key=lambda each: each.move):
        why = [t.n(*_WHY[each.kind], each.cards) for each in moments if each.kind in _WHY]
        lost = [each.shithead for each in events[move] if isinstance(each, Ended) and each.shithead is not None]
        why += [result_words(t, name(seat)) for seat in lost]
        yield move, retold(at_table(t, table.rules), events[move], name), " · ".join(why)


def highlights_screen(t: Formatter, watched: Watched, *, films: bool) -> ui.Screen:
    """The moments of an ended game, with controls to look at them."""
    table, moments = watched.table, _told_moments(t, watched, plain=False)
    lines = [f"**{t('Move {move}', move=move)}** · {what}\n{ui.small(why)}".rstrip() for move, what, why in moments]
    parts = [
        ui.lines(ui.h2(t("Highlights")), ui.small(heading(t, table))),
        ui.lines(*(lines or [t("Nothing much happened.")])),
        *_moments(t, watched, Spot(table.game, step=_LARGEST)),
        *([ui.row(_film(t, table))] if films else []),
    ]
    return ui.container(ui.Accent.GOLD, parts)


def end_words(t: Formatter, watched: Watched, name_of: NameOf | None = None) -> str:
    """How a game ended, in a sentence for a film; empty if it was stopped. `name_of` replaces the bare names."""
    view, _ = watched.seen[-1]
    table = view if isinstance(view, TableView) else view.table
    name_of = name_of or partial(bare_name, t, watched.table)
    return outcome_words(t, table, name_of) if table.phase == "over" else ""


def film_screen(t: Formatter, watched: Watched, file: str) -> ui.Screen:
    """The film of a game, with its ending in words."""
    view, _ = watched.seen[-1]
    seat = view.seat if isinstance(view, SeatView) else None
    how = t("As everybody saw it") if seat is None else t("Seen by {name}", name=person_name(t, watched.table, seat))
    moves = t.n("{count} move", "{count} moves", len(watched.seen) - 1)
    alt = t("The game as a film: {moves}. {end}", moves=moves, end=end_words(t, watched))
    head = ui.lines(ui.h2(heading(t, watched.table)), ui.small(how, moves))
    return ui.container(ui.Accent.BLUE, [head, ui.picture(file, alt.strip())])


def _view_select(t: Formatter, seen: ReplayStep, user_id: int) -> ui.Component:
    table, options = seen.hand.snapshot.table, list[ui.Component]()
    for seat, player in enumerate(table.players):
        name = bare_name(t, table, seat)
        label = t("{name} · you", name=name) if player.user_id == user_id else name
        options.append(ui.option(label, str(seat), default=seat == seen.hand.view.seat))
    return ui.select(_id("eyes", table, _spot(seen)), options, t("View as"))


def _phase(t: Formatter, view: TableView, table: Table) -> str:
    name_of = partial(person_name, t, table)
    if view.phase == "over":
        return outcome_words(t, view, name_of)
    return t("Before play") if view.phase == "exchange" else phase_heading(t, view, name_of)


def game_words(t: Formatter, line: GameLine) -> str:
    """An ended game, for autocompletion; Discord does not render timestamps there, so the time is in UTC."""
    ended = t("stopped") if line.moves is None else t.n("{count} move", "{count} moves", line.moves)
    players = t.n("{count} player", "{count} players", line.seats)
    game, dealt = isolated(played_by(t, line.variant, line.title)), f"{line.dealt_at:%Y-%m-%d %H:%M:%S} UTC"
    return f"{game} · {dealt} · {players} · {ended}"


_VERDICTS: Final = {
    Verdict.VERIFIED: mark(
        "All {cards} cards follow from the secret that was sealed before anyone joined, and from {joiners} clicks."
    ),
    Verdict.SEAL_DIFFERS: mark("The secret is not the one that was sealed: don’t trust this shuffle."),
    Verdict.PACK_DIFFERS: mark("Secret and clicks give a different pack: don’t trust this shuffle."),
}


def verified_screen(t: Formatter, verification: Verification) -> ui.Screen:
    """The result of verifying the shuffle of a game, and what a person needs to repeat it."""
    good = verification.verdict is Verdict.VERIFIED
    title = t("The shuffle is verified ✓") if good else t("The shuffle fails the check ×")
    table, shuffle = verification.table, verification.shuffle
    verdict = t(_VERDICTS[verification.verdict], cards=len(shuffle.pack), joiners=len(table.players))
    seal, name = t("**Seal** `{seal}`", seal=shuffle.seal), t("**Table** `{name}`", name=shuffle.table)
    secret = t("**Secret** `{secret}`", secret=shuffle.secret.hex())
    players = enumerate(table.players)
    clicks = t.enumerated(f"{person_name(t, table, seat)} `{each.joined_by}`" for seat, each in players)
    next_one = t("**Seal of the next game** `{seal}`", seal=table.next_seal) if table.next_seal else ""
    how = t("To check it yourself, save the **Transcript** and run `docs/verify_shuffle.py` of my source on it.")
    parts = [
        ui.lines(ui.h2(title), verdict),
        ui.lines(seal, secret, name, t("**Clicks** {ids}", ids=clicks), next_one),
        ui.lines(
            ui.small(t("Compare your click and all 64 digits of the seal with what **Fair shuffle** showed you.")),
            ui.small(how),
        ),
        ui.row(ui.button(format_id("transcript", table.id, argument=str(table.game)), t("Transcript"))),
    ]
    return ui.container(ui.Accent.GREEN if good else ui.Accent.RED, parts)


def transcript_screen(t: Formatter, file: str) -> ui.Screen:
    """The transcript, to download."""
    what = t("The whole game as text: the pack, every move, and what verifies the shuffle.")
    return ui.container(ui.Accent.BLUE, [ui.lines(what), ui.attached(file)])


def fair_screen(t: Formatter, table: Table, user_id: int, *, noting: bool = False) -> ui.Screen:
    """The fair shuffle of a table before its game is over; with `noting`, what to write down to verify it later."""
    key, verify = key_of(table), t.command("verify")
    if noting:
        seat, seal = table.seat_of(user_id), t("**Seal** `{seal}`", seal=table.seal)
        own = "" if seat is None else t("**Your click** `{id}`", id=table.players[seat].joined_by)
        noted = ui.lines(seal, own, t("**Table** `{name}`", name=f"{table.id}.{table.game}"))
        how = t("Write these down before the game ends, and compare them with what {verify} shows then.", verify=verify)
        back = ui.row(ui.button(key("fair"), t("Back")))
        return ui.container(ui.Accent.BLUE, [ui.lines(ui.h2(t("What to write down")), how), noted, back])
    nobody = t("Nobody chooses the order of the cards, and after the game {verify} shows it.", verify=verify)
    how = t(
        "The order follows from a secret that was drawn before anyone joined, and from the clicks of those who joined."
    )
    seal = t("**Seal** `{seal}`", seal=seal_words(table.seal).strip("`"))
    doubt = t("The seal is the secret’s fingerprint. If you doubt me, note all 64 digits now: the button shows them.")
    head = ui.lines(ui.h2(t("Fair shuffle")), nobody, t("You need not do anything now."), ui.small(how))
    ways = [ui.button(key("fair", "note"), t("What to write down"))]
    if table.status != "lobby":  # there it is opened from the table itself
        ways.append(ui.button(key("more"), t("Back")))
    return ui.container(ui.Accent.BLUE, [head, ui.lines(seal, ui.small(doubt)), ui.row(*ways)])
