"""The state of one game, with every card in it: nothing above the doorway may import this module.

States are immutable by convention: every move makes a new one that shares what did not change (docs/engine.md). They
have slots and are not frozen, because the engine spends most of its time creating them. `State` holds what changes with
every play, `Frame` what rarely changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, NamedTuple, TypedDict, Unpack

from game.cards import Card, Face, Rank
from game.compiled import FREE, RuleBook
from game.rules import Phase

NOBODY: Final = -1
"""No seat; an int rather than None, so that the engine compares only ints."""

# Seats that take turns picking up could go on for ever. Only a card leaving the stock resets the count: hands and piles
# may grow again, the stock never does.
STAND_STILL: Final = 1000
"""The number of successive actions without a card leaving the stock after which the game is a draw (R18)."""


@dataclass(slots=True, unsafe_hash=True, repr=False)
class Seat:
    """The cards of a seat.

    `hand` and `up` are masks, `up` of all face-up cards; `slots` are the masks of the face-up slots. `down` are
    one-card masks, and `places` says where each of them lies, from 1; it stays there when another card is gone.
    """

    hand: int
    up: int
    slots: tuple[int, ...]
    down: tuple[int, ...]
    places: tuple[int, ...]

    def held(self) -> int:
        """The mask of all cards of the seat."""
        return self.hand | self.up | sum(self.down)

    def is_out(self) -> bool:
        return not (self.hand or self.up or self.down)

    def is_stacked(self) -> bool:
        """Whether a face-up slot holds several cards (R33)."""
        return len(self.slots) < self.up.bit_count()

    def with_hand(self, hand: int) -> Seat:
        return Seat(hand, self.up, self.slots, self.down, self.places)

    def without_slots(self, mask: int, hand: int = 0) -> Seat:
        """The seat without the slots that hold any of these cards, and with this hand."""
        slots = tuple(slot for slot in self.slots if not slot & mask)
        return Seat(hand, self.up & ~mask, slots, self.down, self.places)


class FollowUp(NamedTuple):
    """A seat that may add cards which it just drew to the set it played (R40); `may_add` is the mask of these cards."""

    seat: int
    may_add: int
    rank: Rank


class FrameFields(TypedDict, total=False):
    """The fields that `Frame.but` can change."""

    phase: Phase
    out: tuple[int, ...]
    flush: int
    opening: bool
    start_rank: Rank | None
    starter: int
    calling: Rank | None
    follow: FollowUp | None
    duty: bool
    dealt: tuple[tuple[int, Rank], ...]
    ready: int
    swapped: int
    chosen: int
    thrown: Rank | None
    thrower: int
    tribute: tuple[int, int] | None
    shithead: int
    winner: int
    stands_still: bool


@dataclass(slots=True, unsafe_hash=True, repr=False)
class Frame:
    """The fields that rarely change.

    `start_rank` is the rank that decided who starts. `opening` is true until the first accepted play or flip. With
    `duty` the seat on turn must answer or pick up (R46). Hands are refilled to `hand_size`. `stands_still` marks a
    stand-still (R18).

    The fields from `dealt` to `tribute` are set only before play. `dealt` lists (seat, rank) of the face-up cards in
    deal order (R4 a). `ready`, `swapped` and `chosen` are masks of seats. `thrown` is the rank to throw (R37), and
    `thrower` the seat whose card was thrown last. `tribute` holds the last winner and shithead until the tribute is
    settled (R42).
    """

    phase: Phase
    dealer: int
    hand_size: int
    out: tuple[int, ...] = ()
    flush: int = NOBODY
    opening: bool = False
    start_rank: Rank | None = None
    starter: int = NOBODY
    calling: Rank | None = None
    follow: FollowUp | None = None
    duty: bool = False
    dealt: tuple[tuple[int, Rank], ...] = ()
    ready: int = 0
    swapped: int = 0
    chosen: int = 0
    thrown: Rank | None = None
    thrower: int = NOBODY
    tribute: tuple[int, int] | None = None
    shithead: int = NOBODY
    winner: int = NOBODY
    stands_still: bool = False

    def but(self, **changes: Unpack[FrameFields]) -> Frame:
        """A copy with some fields changed; slow, so only for rare moves."""
        return replace(self, **changes)


class StateFields(TypedDict, total=False):
    """The fields that `State.but` can change."""

    book: RuleBook
    frame: Frame
    seats: tuple[Seat, ...]
    turn: int
    ring: tuple[int, ...]
    pile: tuple[Face, ...]
    held: int
    top: int
    stock: tuple[int, ...]
    burned: int
    idle: int
    last: int
    alive: int


@dataclass(slots=True, unsafe_hash=True, repr=False)
class State:
    """A position.

    `ring` gives for every seat the next one in the current direction. `held` is the mask of the pile's cards and `top`
    the code of what it asks. `stock` holds one-card masks, top first. `burned` is the mask of the cards that left the
    game. `idle` counts actions towards a stand-still (R18). `last` is the seat that played last. `alive` is the mask
    of the seats with cards.
    """

    book: RuleBook
    frame: Frame
    seats: tuple[Seat, ...]
    alive: int
    direction: int = 1
    ring: tuple[int, ...] = field(init=False)
    turn: int = NOBODY
    last: int = NOBODY
    pile: tuple[Face, ...] = ()
    held: int = 0
    top: int = FREE
    stock: tuple[int, ...] = ()
    burned: int = 0
    idle: int = 0

    def __post_init__(self) -> None:
        self.ring = ring_of(len(self.seats), self.alive, self.direction)

    def copied(self) -> State:
        """A copy from which a move builds the next state: its fields may be set until that state is returned."""
        # Called millions of times. Setting fields one by one is faster than a constructor with fourteen parameters, and
        # no two of them can be mixed up.
        other = object.__new__(State)
        other.book, other.frame, other.seats = self.book, self.frame, self.seats
        other.turn, other.ring, other.pile = self.turn, self.ring, self.pile
        other.held, other.top, other.stock = self.held, self.top, self.stock
        other.burned, other.idle, other.last = self.burned, self.idle, self.last
        other.alive, other.direction = self.alive, self.direction
        return other

    def but(self, **changes: Unpack[StateFields]) -> State:
        """A copy with some fields changed; slow, so only for rare moves."""
        other = self.copied()
        for name, value in changes.items():
            setattr(other, name, value)
        return other

    def seats_with(self, who: int, seat: Seat) -> tuple[Seat, ...]:
        """The seats with the one at `who` replaced."""
        return (*self.seats[:who], seat, *self.seats[who + 1 :])

    def drawn_since(self, before: State) -> tuple[Card, ...]:
        """The cards that have left the stock since the state `before`, the first one first."""
        return tuple(map(self.book.card, before.stock[: len(before.stock) - len(self.stock)]))

    def may_prepare(self, who: int) -> bool:
        """Whether a seat may still swap, lay and get ready (R3); if face-up cards are chosen, only after that (R32)."""
        if self.frame.ready >> who & 1 or not self.alive >> who & 1:
            return False
        return self.book.rules.deal.method != "choose" or bool(self.frame.chosen >> who & 1)

    def from_dealer(self) -> list[int]:
        """The seats with cards, clockwise from the dealer's left."""
        count = len(self.seats)
        around = [(self.frame.dealer + step) % count for step in range(1, count + 1)]
        return [seat for seat in around if self.alive >> seat & 1]

    def next_dealer(self) -> int:
        """The dealer of the next game (R16): the shithead, or the seat after the dealer."""
        if self.book.rules.end.next_dealer == "loser" and self.frame.shithead != NOBODY:
            return self.frame.shithead
        return (self.frame.dealer + 1) % len(self.seats)


@cache  # with up to twelve seats some 16,000 short tuples at most
def ring_of(count: int, alive: int, direction: int) -> tuple[int, ...]:
    """For each of `count` seats the next seat with cards in that direction; the seat itself if there is no other."""
    ring: list[int] = []
    for seat in range(count):
        following = ((seat + direction * step) % count for step in range(1, count + 1))
        ring.append(next((other for other in following if alive >> other & 1), seat))
    return tuple(ring)


def seat_or_none(seat: int) -> int | None:
    """A seat as views show it: None instead of `NOBODY`."""
    return None if seat == NOBODY else seat


def stacked(seat: Seat) -> int:
    """The mask of the face-up cards in slots with several cards (R33)."""
    return sum(slot for slot in seat.slots if slot & slot - 1)
