"""What may be seen: one view for everybody, one for each seat.

Neither type can hold a card that its reader must not know.

Views are built by allow-list in `game.showing`, with counts in place of other players' cards. This module holds only
the types, so that code that draws a view never has to import the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from game.cards import Card, Face, Rank
from game.moves.move import Move
from game.rules import AskedKind, Phase, Rules

Zone: TypeAlias = Literal["hand", "face-up", "face-down"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the next play must be.

    `rank` is None for *anything* and *red-jack* (R46). `also` names the ranks (`JOKER` among them) that may be put on
    the pile whatever is asked, although their rank alone would not do: "or a 2, or a 10". `barred` names those that
    may not, although it would (R48).
    """

    kind: AskedKind
    rank: Rank | None = None
    also: tuple[Rank, ...] = ()
    barred: tuple[Rank, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class SeatFace:
    """A seat as everybody sees it.

    `up` is None while chosen cards are unseen (R32); `down` names the places, from 1, that still hold a face-down card;
    `place` is the finishing place from 1, None while it has cards.
    """

    hand: int
    up: tuple[tuple[Card, ...], ...] | None
    down: tuple[int, ...]
    ready: bool
    chosen: bool
    place: int | None


@dataclass(frozen=True, slots=True, repr=False)
class TableView:
    """The table as everybody sees it.

    `turn` is None if nobody is on turn; in phase `clear` it is the seat that plays after the clearing, and `flush`
    the one that clears; in `tribute` the last winner, and `tribute_from` the last shithead. `direction` is 1 for
    clockwise, else -1. `pile` lies bottom to top. `calling` is the rank that may be called (R4). `started` tells
    whether the opening lead was made. `drawn` marks a stand-still (R18).
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
    drawn: bool

    @property
    def waits_for(self) -> int | None:
        """The seat that must act: the one that clears the pile, or else the one on turn."""
        return self.flush if self.phase == "clear" else self.turn


@dataclass(frozen=True, slots=True, repr=False)
class SeatView:
    """The table as one seat sees it.

    `moves` are all moves it may make now, except swaps, lays and choices of face-up cards, for which the booleans
    stand: `may_swap`, `may_lay` (hand cards that fit a slot), `may_choose`. Of a hand with more cards than one pack
    has, plays that differ only in suits are listed once. Interrupts and follow-ups (R39, R40) are among `moves`.
    `burning` are those of the plays that would burn the pile. `zone` is where it would play from now, None when it is
    out. `up` are its own slots, also while others do not see them. `lead` is the rank its opening lead must have (R45).
    """

    table: TableView
    seat: int
    hand: tuple[Card, ...]
    up: tuple[tuple[Card, ...], ...]
    zone: Zone | None
    moves: tuple[Move, ...]
    burning: frozenset[Move]
    may_swap: bool
    may_lay: tuple[Card, ...]
    may_choose: bool
    lead: Rank | None
