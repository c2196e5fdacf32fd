"""The state of one deal.

Immutable by convention: every move makes a new state and shares what did not change (engine.md in docs).

Plain slotted classes, because making one is what the engine does most. What changes with every play stands in `State`,
what changes seldom in `Frame`, what matters before play only in `Preparation`. Holds every card: nothing above the
doorway may import this module.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self, cast

if TYPE_CHECKING:
    from game.cards import Card, Face, Rank
    from game.compiled import RuleBook
    from game.view import Phase

NOBODY: Final = -1
"""The seat where there is none; a plain int, so that the engine compares ints only."""

STAND_STILL: Final = 1000
"""Actions in a row without a card leaving the stock that end a game as a draw (R18)."""


class Seat:
    """The cards of a seat: masks of the hand and of all face-up cards, the slots, the face-down cards, their places."""

    __slots__ = ("at", "down", "hand", "slots", "up")

    def __init__(self, hand: int, up: int, slots: tuple[int, ...], down: tuple[int, ...], at: tuple[int, ...]) -> None:
        """`down` are masks of one card, `at` their places counted from 1, which do not move when one is gone."""
        self.hand = hand
        self.up = up
        self.slots = slots
        self.down = down
        self.at = at

    def held(self) -> int:
        """The mask of all cards of the seat."""
        return self.hand | self.up | sum(self.down)

    def is_out(self) -> bool:
        """Whether the seat has no cards at all."""
        return not (self.hand or self.up or self.down)


class _Copied:
    __slots__ = ()

    def but(self, **changes: Any) -> Self:
        """A copy with some fields changed (slow: for rare moves)."""
        other = object.__new__(type(self))
        for name in type(self).__slots__:
            setattr(other, name, changes[name] if name in changes else getattr(self, name))
        return other


class Preparation(_Copied):
    """What matters until play starts.

    `dealt` lists (seat, rank) of the face-up cards in deal order (R4 a); `ready`, `swapped`, `chosen` are masks of
    seats; `thrown` is the rank being thrown (R37) and `thrower` the owner of the last one; `tribute` is the last winner
    and shithead while R42 waits, else None.
    """

    __slots__ = ("chosen", "dealt", "ready", "swapped", "thrower", "thrown", "tribute")

    def __init__(self, dealt: tuple[tuple[int, Rank], ...], tribute: tuple[int, int] | None = None) -> None:
        """Nobody is ready yet."""
        self.dealt = dealt
        self.ready = 0
        self.swapped = 0
        self.chosen = 0
        self.thrown: Rank | None = None
        self.thrower = NOBODY
        self.tribute = tribute


class Frame(_Copied):
    """What changes seldom.

    `found` is the rank that found the starter; `opening` is true until the first accepted play or flip; `follow` is
    (seat, mask of the cards it may add, their rank) (R40); `duty` says that the seat on turn must answer or pick up
    (R46); `hand_size` is what a hand is refilled to.
    """

    __slots__ = (
        "calling",
        "dealer",
        "drawn",
        "duty",
        "flush",
        "follow",
        "found",
        "hand_size",
        "opening",
        "out",
        "phase",
        "preparation",
        "shithead",
        "starter",
        "winner",
    )

    def __init__(self, phase: Phase, dealer: int, hand_size: int) -> None:
        """A frame at the beginning of a phase with nothing special about it."""
        self.phase: Phase = phase
        self.dealer = dealer
        self.hand_size = hand_size
        self.out: tuple[int, ...] = ()
        self.flush = NOBODY
        self.opening = False
        self.found: Rank | None = None
        self.starter = NOBODY
        self.calling: Rank | None = None
        self.follow: tuple[int, int, Rank] | None = None
        self.duty = False
        self.preparation: Preparation | None = None
        self.shithead = NOBODY
        self.winner = NOBODY
        self.drawn = False


class State(_Copied):
    """A position.

    `ring` names the next seat for every seat in today's direction; `held` is the mask of the pile's cards; `top` the
    code of what is asked; `stock` holds one-card masks, top first; `burned` is the mask of what left the game; `idle`
    counts for R18; `last` is the seat that played last; `alive` is the mask of seats with cards.
    """

    __slots__ = (
        "alive",
        "book",
        "burned",
        "direction",
        "frame",
        "held",
        "idle",
        "last",
        "pile",
        "ring",
        "seats",
        "stock",
        "top",
        "turn",
    )

    def __init__(  # noqa: PLR0913, PLR0917 - made millions of times: positional arguments are what is fast
        self,
        book: RuleBook,
        frame: Frame,
        seats: tuple[Seat, ...],
        turn: int,
        ring: tuple[int, ...],
        pile: tuple[Face, ...],
        held: int,
        top: int,
        stock: tuple[int, ...],
        burned: int,
        idle: int,
        last: int,
        alive: int,
        direction: int,
    ) -> None:
        """All fields in order."""
        self.book, self.frame, self.seats = book, frame, seats
        self.turn, self.ring = turn, ring
        self.pile, self.held, self.top = pile, held, top
        self.stock = stock
        self.burned = burned
        self.idle = idle
        self.last = last
        self.alive = alive
        self.direction = direction

    def __eq__(self, other: object) -> bool:
        """Equal positions: every card in the same place and the same things about to happen."""
        return isinstance(other, State) and _key(self) == _key(other)

    def __hash__(self) -> int:
        """Hash of what is compared but the rules, which hold tables."""
        return hash(_key(self)[1:])


def _key(state: State) -> tuple[object, ...]:
    frame = state.frame
    prepared = frame.preparation
    seats = tuple((seat.hand, seat.slots, seat.down, seat.at) for seat in state.seats)
    rest = tuple(getattr(frame, name) for name in Frame.__slots__ if name != "preparation")
    early = tuple(getattr(prepared, name) for name in Preparation.__slots__) if prepared else None
    return (
        state.book.rules,
        seats,
        state.turn,
        state.pile,
        state.held,
        state.top,
        state.stock,
        state.burned,
        state.idle,
        state.last,
        state.direction,
        rest,
        early,
    )


@cache
def ring_of(count: int, alive: int, direction: int) -> tuple[int, ...]:
    """For each of `count` seats the next one with cards in a direction; itself when no other has."""
    return tuple(
        next((at for step in range(1, count + 1) if alive >> (at := (seat + direction * step) % count) & 1), seat)
        for seat in range(count)
    )


def preparation(state: State) -> Preparation:
    """What is remembered until play starts; there is one in the phases before it."""
    return cast("Preparation", state.frame.preparation)


def seat_or_none(seat: int) -> int | None:
    """A seat as it is shown: None instead of `NOBODY`."""
    return None if seat == NOBODY else seat


def cards_in(book: RuleBook, bits: tuple[int, ...]) -> tuple[Card, ...]:
    """The cards of one-card masks, in order."""
    return tuple(book.card(bit) for bit in bits)
