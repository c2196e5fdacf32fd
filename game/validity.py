"""Finds options that exclude each other, and options that have no effect beside others.

`Rules` accepts both, so that every record can be read; the doorway checks rules with this module before people play.
The texts here are for people who write scenario files; the screens have sentences for players.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from game.rules import Power, Rules


class Clash(Enum):
    """Why rules cannot be played."""

    CHOOSE_AND_THROWN = "deal.method = choose and start.by = thrown: too few cards might be left to choose from (R37)"
    CHOOSE_FROM_NONE = "deal.method = choose and deal.face_up = 0: there is nothing to choose (R32)"
    PACK_TOO_SMALL = "the pack is too small for any number of seats"


class Idle(Enum):
    """An option that has no effect beside others, or makes no sense with them."""

    TRIBUTE_WITHOUT_DEALT_CARDS = "end.tribute where no face-up cards are dealt (R42)"
    TRIBUTE_WITHOUT_SHITHEAD = "end.tribute where nobody loses (R42)"
    MUST_LEAD_WITHOUT_SEARCH = "start.must_lead where no rank finds the starter (R45)"
    TURN_UP_ON_THROWN = "start.turn_up where thrown cards start the pile (R37, R47)"
    BURN_WITH_MORE = "a burn voids all else but reverse (R26)"
    SKIP_TWICE = "skip and skip-beneath"
    AGAIN_AND_PASSING = "again, and the turn passes on"
    BENEATH_WITHOUT_GLASS = "skip-beneath without asks = under"
    BURNS_ON_WITHOUT_BURN = "burns_on without a burn (R49)"


def clashes(rules: Rules) -> tuple[Clash, ...]:
    """Why these rules cannot be played; empty if they can."""
    chooses = rules.deal.method == "choose"
    applying = {
        Clash.CHOOSE_AND_THROWN: chooses and rules.start.by == "thrown",
        Clash.CHOOSE_FROM_NONE: chooses and not rules.deal.face_up,
        Clash.PACK_TOO_SMALL: not rules.most_seats(),
    }
    return tuple(clash for clash, applies in applying.items() if applies)


def options_without_effect(rules: Rules) -> tuple[tuple[Idle, str], ...]:
    """The options without effect, each with the key of the power it belongs to, or `""` if it is not part of one."""
    applying = {
        Idle.TRIBUTE_WITHOUT_DEALT_CARDS: rules.end.tribute and not rules.deals_face_up(),
        Idle.TRIBUTE_WITHOUT_SHITHEAD: rules.end.tribute and rules.end.aim == "winner",
        Idle.MUST_LEAD_WITHOUT_SEARCH: rules.start.must_lead and rules.start.by in {"left", "thrown"},
        Idle.TURN_UP_ON_THROWN: rules.start.turn_up and rules.start.by == "thrown",
    }
    general = [(idle, "") for idle, applies in applying.items() if applies]
    return (*general, *((idle, key) for key, power in rules.powers.items() for idle in _idle_in_power(power)))


def inert_options(rules: Rules, seats: int) -> set[str]:
    """The keys of the options that make no difference at a table of `seats`, whatever their value."""
    idle = {idle for idle, _ in options_without_effect(rules)}
    powers = [power for key, power in rules.powers.items() if key != "joker" or rules.jokers_with(seats)]
    fours = rules.play.four_of_a_kind or rules.play.interrupt
    face_up = rules.sizes_with(seats).up > 0
    numbers = set(range(rules.seats[0], seats + 1))  # of players: fewer than the seats may play
    applying = {
        ("deal.face_down", "deal.face_up", "deal.hand"): rules.deal.by_seats.keys() >= numbers,
        ("deal.exchange",): not (rules.deals_face_up() and face_up),
        ("deal.stacking", "play.face_up_pickup", "play.combo"): not face_up,
        ("play.burn_again", "play.flush"): not (fours or any("burn" in power.does for power in powers)),
        ("play.runs_through_glass",): not (fours and any(power.asks == "under" for power in powers)),
        ("start.must_lead",): Idle.MUST_LEAD_WITHOUT_SEARCH in idle,
        ("end.tribute",): not face_up or bool(idle & {Idle.TRIBUTE_WITHOUT_DEALT_CARDS, Idle.TRIBUTE_WITHOUT_SHITHEAD}),
        ("end.next_dealer",): rules.end.aim == "winner",
    }
    return {key for keys, applies in applying.items() if applies for key in keys}


def _idle_in_power(power: Power) -> Iterator[Idle]:
    does = set(power.does)
    if "burn" in does and not power.burns_on and (does - {"burn", "reverse"} or power.bare_gives):
        yield Idle.BURN_WITH_MORE
    if {"skip", "skip-beneath"} <= does:
        yield Idle.SKIP_TWICE
    if "again" in does and {"skip", "skip-beneath", "give-pile"} & does:
        yield Idle.AGAIN_AND_PASSING
    if "skip-beneath" in does and power.asks != "under":
        yield Idle.BENEATH_WITHOUT_GLASS
    if power.burns_on and "burn" not in does:
        yield Idle.BURNS_ON_WITHOUT_BURN
