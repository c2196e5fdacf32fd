"""What happened in a move, and what of that another seat may know (scenarios.md).

The order within one move and the names are normative: `Event.name` is the word that scenario files use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from game.cards import Card, Face, Rank

StartedBy: TypeAlias = Literal[
    "face-up-then-call", "chosen", "called", "call-nearest", "most", "lowest", "left", "thrown"
]


@dataclass(frozen=True, slots=True)
class Dealt:
    """The cards are dealt."""

    name: ClassVar[str] = "dealt"
    dealer: int


@dataclass(frozen=True, slots=True, repr=False)
class Swapped:
    """A hand card went face up, a face-up card to the hand; both are seen by all."""

    name: ClassVar[str] = "swapped"
    seat: int
    laid: Card
    taken: Card


@dataclass(frozen=True, slots=True, repr=False)
class Chosen:
    """A seat chose its face-up cards; `slots` is empty while they are unseen (R32)."""

    name: ClassVar[str] = "chosen"
    seat: int
    slots: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Laid:
    """A hand card was laid on an equal face-up slot; None while the slots are unseen (R32, R33)."""

    name: ClassVar[str] = "laid"
    seat: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class Readied:
    """A seat said ready."""

    name: ClassVar[str] = "ready"
    seat: int


@dataclass(frozen=True, slots=True)
class Called:
    """A seat called the rank that was looked for."""

    name: ClassVar[str] = "called"
    seat: int
    rank: Rank


@dataclass(frozen=True, slots=True)
class Started:
    """Play started with this seat; `rank` found it, if any, as nobody has `missing`; `why` is `start.by`, or a call."""

    name: ClassVar[str] = "started"
    seat: int
    rank: Rank | None
    why: StartedBy
    missing: Rank | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Played:
    """Cards were played from hand or face-up cards."""

    name: ClassVar[str] = "played"
    seat: int
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Flipped:
    """A face-down card was turned; all see it."""

    name: ClassVar[str] = "flipped"
    seat: int
    face: Face


@dataclass(frozen=True, slots=True, repr=False)
class Chanced:
    """The top stock card was turned; all see it."""

    name: ClassVar[str] = "chanced"
    seat: int
    face: Face


@dataclass(frozen=True, slots=True)
class PickedUp:
    """A seat took the pile and what was just put on it, `count` cards; `by` is the other seat that made it do so."""

    name: ClassVar[str] = "picked-up"
    seat: int
    count: int
    by: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Added:
    """A face-up slot was put on the pile before picking it up (R13)."""

    name: ClassVar[str] = "added"
    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Burned:
    """The pile left the game; `four` if as four of a kind (R12, R39), not by a power of the cards (R25)."""

    name: ClassVar[str] = "burned"
    seat: int
    count: int
    four: bool = False


@dataclass(frozen=True, slots=True)
class Cleared:
    """The flush seat cleared the pile (R36)."""

    name: ClassVar[str] = "cleared"
    seat: int


@dataclass(frozen=True, slots=True, repr=False)
class Drew:
    """A seat drew from the stock; only it sees `cards`."""

    name: ClassVar[str] = "drew"
    seat: int
    count: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Reversed:
    """The direction changed; 1 is clockwise now, -1 anticlockwise."""

    name: ClassVar[str] = "reversed"
    direction: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Seats were passed over, in order; one may be named twice."""

    name: ClassVar[str] = "skipped"
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Interrupted:
    """A seat completed four of a kind out of turn (R39)."""

    name: ClassVar[str] = "interrupted"
    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Followed:
    """A seat added cards just drawn to its set (R40)."""

    name: ClassVar[str] = "followed"
    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True, repr=False)
class PaidTribute:
    """The last winner took a face-up card of the last shithead for one of its own (R42)."""

    name: ClassVar[str] = "paid-tribute"
    winner: int
    shithead: int
    given: Card
    taken: Card


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat has no cards any more; `place` counts from 1."""

    name: ClassVar[str] = "went-out"
    seat: int
    place: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over; None if there is no shithead or no winner."""

    name: ClassVar[str] = "ended"
    shithead: int | None
    winner: int | None


Event: TypeAlias = (
    Dealt
    | Swapped
    | Chosen
    | Laid
    | Readied
    | Called
    | Started
    | Played
    | Flipped
    | Chanced
    | PickedUp
    | Added
    | Burned
    | Cleared
    | Drew
    | Reversed
    | Skipped
    | Interrupted
    | Followed
    | PaidTribute
    | WentOut
    | Ended
)


def tell_draw(seat: int, cards: tuple[Card, ...]) -> list[Event]:
    """A `Drew` event for these cards; no event if there are none."""
    return [Drew(seat, len(cards), cards)] if cards else []


def redact(event: Event, seat: int | None, *, unseen: bool = False) -> Event:
    """The event as `seat` may know it; None stands for everybody.

    `unseen` says that chosen face-up cards are still hidden (R32): it is a property of the state after the event. Total
    over the union: every event is either public in all its fields or made so here.
    """
    match event:
        case Drew() if event.seat != seat:
            return replace(event, cards=())
        case Chosen() if unseen and event.seat != seat:
            return replace(event, slots=())
        case Laid() if unseen and event.seat != seat:
            return replace(event, card=None)
        case _:
            return event
