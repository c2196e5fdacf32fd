"""What happened in a move, and how much of it other seats may know (docs/scenarios.md).

The names and the order of the events of one move are fixed: scenario files use `Event.name` and rely on the order.
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
    """The cards were dealt."""

    name: ClassVar[str] = "dealt"
    dealer: int


@dataclass(frozen=True, slots=True, repr=False)
class Swapped:
    """A hand card was exchanged for a face-up one; everybody sees both."""

    name: ClassVar[str] = "swapped"
    seat: int
    laid: Card
    taken: Card


@dataclass(frozen=True, slots=True, repr=False)
class Chosen:
    """A seat chose its face-up cards; `slots` is empty for the others while they are unseen (R32)."""

    name: ClassVar[str] = "chosen"
    seat: int
    slots: tuple[tuple[Card, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Laid:
    """A hand card was laid on a slot of its rank; `card` is None for the others while slots are unseen (R32, R33)."""

    name: ClassVar[str] = "laid"
    seat: int
    card: Card | None


@dataclass(frozen=True, slots=True)
class Readied:
    """A seat said that it is ready."""

    name: ClassVar[str] = "ready"
    seat: int


@dataclass(frozen=True, slots=True)
class Called:
    """A seat called the rank that decides who starts (R4)."""

    name: ClassVar[str] = "called"
    seat: int
    rank: Rank


@dataclass(frozen=True, slots=True)
class Started:
    """Play started with this seat.

    `why` is how it was found, `rank` the rank that decided it, `missing` the rank to search for first if nobody had it.
    """

    name: ClassVar[str] = "started"
    seat: int
    rank: Rank | None
    why: StartedBy
    missing: Rank | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Played:
    """Cards were played from the hand or the face-up cards."""

    name: ClassVar[str] = "played"
    seat: int
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Flipped:
    """A face-down card was turned over; everybody sees it."""

    name: ClassVar[str] = "flipped"
    seat: int
    face: Face


@dataclass(frozen=True, slots=True, repr=False)
class Chanced:
    """The top card of the stock was turned over; everybody sees it (R35)."""

    name: ClassVar[str] = "chanced"
    seat: int
    face: Face


@dataclass(frozen=True, slots=True)
class PickedUp:
    """A seat took the pile, `count` cards with those just put on it; `by` is another seat whose move made it do so."""

    name: ClassVar[str] = "picked-up"
    seat: int
    count: int
    by: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Added:
    """A seat put a face-up slot on the pile before picking it up (R13)."""

    name: ClassVar[str] = "added"
    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Burned:
    """The pile left the game; `four` tells four of a kind (R12, R39) from a power of the cards (R25)."""

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
    """A seat drew `count` cards from the stock; for the others `cards` is empty."""

    name: ClassVar[str] = "drew"
    seat: int
    count: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Reversed:
    """The direction changed: from now on 1 is clockwise, -1 anticlockwise."""

    name: ClassVar[str] = "reversed"
    direction: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """Seats were passed over, in this order; a seat may occur twice."""

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
    """The last winner exchanged a face-up card, `given`, for one of the last shithead's, `taken` (R42)."""

    name: ClassVar[str] = "paid-tribute"
    winner: int
    shithead: int
    given: Card
    taken: Card


@dataclass(frozen=True, slots=True)
class WentOut:
    """A seat has no cards left; `place` counts from 1."""

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
    Dealt | Swapped | Chosen | Laid | Readied | Called | Started | Played
    | Flipped | Chanced | PickedUp | Added | Burned | Cleared | Drew | Reversed
    | Skipped | Interrupted | Followed | PaidTribute | WentOut | Ended
)  # fmt: skip


def tell_draw(seat: int, cards: tuple[Card, ...]) -> list[Event]:
    """A `Drew` event for these cards, or no event if there are none."""
    return [Drew(seat, len(cards), cards)] if cards else []


def redact(event: Event, seat: int | None, *, unseen: bool = False) -> Event:
    """The event as `seat` may know it; with None, as everybody may.

    `unseen` says that chosen face-up cards are still hidden (R32) in the state after the move. Only the three kinds of
    event below have fields that are not public.
    """
    match event:
        case Drew() if event.seat != seat:
            return Drew(event.seat, event.count, ())
        case Chosen() if unseen and event.seat != seat:
            return replace(event, slots=())
        case Laid() if unseen and event.seat != seat:
            return replace(event, card=None)
        case _:
            return event
