"""The types of views, which show what may be seen: one view for everybody, one for each seat.

Neither type can hold a card that its reader must not know: other players' cards are only counted. `game.showing` builds
views by allow-list. The types have a module of their own, so that code that draws a view need not import the state.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar, dataclass_transform

from game.cards import Card, Face, Rank
from game.moves.move import Move
from game.rules import AskedKind, Phase, Rules, Sizes

T = TypeVar("T")
Zone: TypeAlias = Literal["hand", "face-up", "face-down"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(made: type[T]) -> type[T]:
    """A dataclass that only the type checker keeps frozen: a frozen one takes five times as long to make."""
    return dataclass(slots=True, unsafe_hash=True, repr=False)(made)


@value
class Asked:
    """What the next play must be.

    `rank` is None for *anything* and *red-jack* (R46). `also` lists the ranks, perhaps `JOKER`, that may go on the pile
    although their rank alone would not do ("or a 2, or a 10"). `barred` lists those that may not, although their rank
    would do (R48). `all_fit` is set if a rank is asked for and yet every card of the table may go on the pile, as on a
    3 where only a 2 is lower and a 2 goes on anything; it is False where *anything* is asked.
    """

    kind: AskedKind
    rank: Rank | None = None
    also: tuple[Rank, ...] = ()
    barred: tuple[Rank, ...] = ()
    all_fit: bool = False


@value
class SeatFace:
    """A seat as everybody sees it.

    `up` has no empty slots; it is None while chosen cards are unseen (R32). `down` lists the places, from 1, that still
    have a face-down card. `place` is the order in which the seat went out, from 1, or None while it has cards.
    """

    hand: int
    up: tuple[tuple[Card, ...], ...] | None
    down: tuple[int, ...]
    ready: bool
    chosen: bool
    place: int | None


@value
class TableView:
    """The table as everybody sees it.

    `turn` is None if nobody is on turn. In phase `clear` it is the seat that plays after the clearing, and `flush` is
    the seat that clears. In `tribute` it is the last winner, and `tribute_from` is the last shithead. `direction` is 1
    for clockwise, else -1. `pile` is listed bottom to top. `calling` is the rank that may be called (R4). `started`
    tells whether the opening lead was made. `stands_still` marks a stand-still (R18).
    """

    rules: Rules
    phase: Phase
    turn: int | None
    direction: int
    dealer: int
    pile: tuple[Face, ...]
    stock: int
    burned: int
    seats: tuple[SeatFace, ...]
    asked: Asked
    out: tuple[int, ...]
    calling: Rank | None
    started: bool
    flush: int | None
    tribute_from: int | None
    shithead: int | None
    winner: int | None
    next_dealer: int | None
    stands_still: bool

    @property
    def sizes(self) -> Sizes:
        """How many cards each seat was dealt."""
        return self.rules.sizes_with(len(self.seats))

    @property
    def waits_for(self) -> int | None:
        """The seat that must act: the one that clears the pile, or else the one on turn."""
        return self.flush if self.phase == "clear" else self.turn

    @property
    def to_draw(self) -> int:
        """How many stock cards will still be drawn; none after the opening lead if hands are refilled only then."""
        return self.stock if self.rules.play.refill == "always" or not self.started else 0

    @property
    def awaited(self) -> list[int]:
        """The seats whose turn or *ready* the game waits for; none in a call, which anybody may make."""
        if self.phase == "exchange":
            return [seat for seat, face in enumerate(self.seats) if not face.ready]
        return [] if self.waits_for is None else [self.waits_for]

    @property
    def finishing_order(self) -> list[int]:
        """The seats of a finished game in the order of their places, the shithead last."""
        last = [] if self.shithead is None else [self.shithead]
        others = [seat for seat in range(len(self.seats)) if seat not in {*self.out, *last}]
        return [*self.out, *others, *last]


@value
class SeatView:
    """The table as one seat sees it.

    `moves` are all moves it may make now, interrupts and follow-ups (R39, R40) included. Three kinds are not listed one
    by one: swaps (`may_swap`), lays (`may_lay` has the hand cards that fit a slot) and choices of face-up cards
    (`may_choose`). For a hand with very many sets, plays that differ only in suits are listed once. `burning` are the
    plays that would burn the pile. `up` are its own slots, even while others cannot see them. `lead` is the rank its
    opening lead must have (R45). `taker` is another seat that would take the pile if this one, on turn and stuck,
    picked up (`play.stuck`).
    """

    table: TableView
    seat: int
    hand: tuple[Card, ...]
    up: tuple[tuple[Card, ...], ...]
    moves: tuple[Move, ...]
    burning: frozenset[Move]
    may_swap: bool
    may_lay: tuple[Card, ...]
    may_choose: bool
    lead: Rank | None
    taker: int | None

    @property
    def zone(self) -> Zone | None:
        """The zone that the seat must play from (R7); None if it is out."""
        if self.hand:
            return "hand"
        if self.up:
            return "face-up"
        return "face-down" if self.table.seats[self.seat].down else None

    @property
    def up_cards(self) -> list[Card]:
        """The cards of all its slots."""
        return [card for slot in self.up for card in slot]

    @property
    def seen_table(self) -> TableView:
        """The table with this seat's own face-up cards, even while others cannot see them (R32)."""
        seats = [replace(face, up=self.up) if seat == self.seat else face for seat, face in enumerate(self.table.seats)]
        return replace(self.table, seats=tuple(seats))
