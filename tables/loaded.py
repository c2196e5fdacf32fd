"""A table with its game as it is held in memory, and what of it may be shown to whom. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from data.models import Change, Player, Result, Table
from data.tea import TeaDebt
from game.events import Event
from game.moves import legal_moves
from game.moves import Call
from game.state import NOBODY, State
from game.views import seat_view, table_view
from tables.snapshots import HandSnapshot, TableSnapshot

Due: TypeAlias = Literal["computer", "preparing", "away"]
"""Who is to play without being asked: a computer's seat in a turn, one that still prepares, or an absent player's."""


@dataclass(frozen=True, slots=True, repr=False)
class LoadedTable:
    """A table and its game.

    `state` is None before the deal and where the record cannot be replayed. `secret` is that of the game now or next.
    `since` is the revision of the last move (or the deal), `own` that of each seat's last one.
    """

    table: Table
    secret: str
    state: State | None = None
    moves: int = 0
    recent: tuple[Event, ...] = ()
    since: int = 0
    own: tuple[int, ...] = ()
    result: Result | None = None
    debt: TeaDebt | None = None

    def snapshot(self) -> TableSnapshot:
        """What everybody may see."""
        view = table_view(self.state) if self.state else None
        return TableSnapshot(self.table, view, self.recent, self.moves, self.result, self.debt)

    def hand(self, seat: int) -> HandSnapshot:
        """What one seat may see; the game has been dealt."""
        if self.state is None:
            raise ValueError("there is no hand before the deal")
        return HandSnapshot(self.snapshot(), seat_view(self.state, seat))

    def is_fresh(self, seat: int, seen: int) -> bool:
        """Whether a message drawn at revision `seen` still shows this seat what matters to it.

        While all prepare at once only the seat's own moves make its message old; afterwards anybody's do. Reminders,
        votes and the like make none old.
        """
        preparing = self.state is not None and self.state.frame.phase in {"exchange", "call"}
        return (self.own[seat] if preparing else self.since) <= seen <= self.table.revision

    def is_attended(self) -> bool:
        """Whether anybody plays who is a person, has not left and is not away."""
        return any(not (player.is_computer or player.left or player.away) for player in self.table.players)

    def waiting(self) -> tuple[int, ...]:
        """The seats for whose move the game waits."""
        state = self.state
        if state is None or self.table.status != "playing":
            return ()
        match state.frame.phase:
            case "exchange":
                return tuple(at for at, face in enumerate(table_view(state).seats) if not face.ready)
            case "call":
                return tuple(at for at in range(len(state.seats)) if Call() in legal_moves(state, at))
            case "clear":
                return (state.frame.flush,)
            case "over":
                return ()
            case _:
                return () if state.turn == NOBODY else (state.turn,)

    def due(self) -> tuple[int, Due] | None:
        """The seat that is to be played without being asked, and why; None where a person is to play."""
        if not self.is_attended():
            return None
        for seat in self.waiting():
            kind = _kind(self.table.players[seat])
            if kind == "computer" and self.state is not None and self.state.frame.phase == "exchange":
                return seat, "preparing"
            if kind:
                return seat, kind
        return None


def _kind(player: Player) -> Due | None:
    if player.is_computer or player.left:
        return "computer"
    return "away" if player.away else None


@dataclass(frozen=True, slots=True, repr=False)
class Transition:
    """What a table will be, and what to store so that it is."""

    loaded: LoadedTable
    change: Change


@dataclass(frozen=True, slots=True)
class Changed:
    """Told to whoever listens, after the change was stored.

    `look_at` is when the clock must look at the table again.
    """

    table: Table
    due: Due | None
    look_at: datetime | None = None
    bottom: bool = False
