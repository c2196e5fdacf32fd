"""A table with its game as it is held in memory, and the views of it that may be shown. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property
from typing import Final, Literal, TypeAlias, TypedDict, Unpack

from data.game_models import DealColumns, Result, StoredMove
from data.guild_models import GuildSettings
from data.models import Change, Table
from data.tea_models import TeaDebt
from game.events import Drew, Event
from game.fairness import seal
from game.players.memory import Memory
from game.state import State
from game.view import SeatView, TableView, value
from tables.snapshots import RECENT, Decline, Declined, HandSnapshot, Request, TableSnapshot

Due: TypeAlias = Literal["computer", "obvious", "hard", "preparing", "away"]
"""Why a seat moves automatically: a player is `away`, or a computer is `preparing` in the exchange, or chooses among at
most one card (`obvious`), some (`computer`) or many (`hard`)."""
Reader: TypeAlias = int | Literal["everybody"] | None
"""Whose open hands are to be drawn in another way from now on: one person's, everybody's or nobody's."""
HARD: Final = 8
"""From this many cards on a choice is `hard`."""


class NotConservedError(Exception):
    """A card is missing or duplicated, so the game must not go on. Names no card."""


class DamagedGameError(Exception):
    """The record of a game cannot be replayed. Says which error that was, but nothing of the record."""


def name_of(error: Exception) -> str:
    """The name of an error for the log, that of the original one for `DamagedGameError`; messages may name cards."""
    return str(error) if isinstance(error, DamagedGameError) else type(error).__name__


class Views:
    """The views of one state, each built on first use and shared by all who draw.

    The functions that build them are passed in, so that this module need not know how a game is played.
    """

    def __init__(
        self,
        state: State,
        build_table: Callable[[State], TableView],
        build_seat: Callable[[State, int, TableView], SeatView],
    ) -> None:
        self.state = state
        self._build_table, self._build_seat = build_table, build_seat
        self._seats: dict[int, SeatView] = {}

    @cached_property
    def table(self) -> TableView:
        """What everybody may see."""
        return self._build_table(self.state)

    def seat(self, seat: int) -> SeatView:
        """What one seat may see."""
        if seat not in self._seats:
            self._seats[seat] = self._build_seat(self.state, seat, self.table)
        return self._seats[seat]


def seal_of(secret: str) -> str:
    """The seal of a secret, both in hex."""
    return seal(bytes.fromhex(secret))


class LoadedChanges(TypedDict, total=False):
    """The fields of `LoadedTable` that can change."""

    table: Table
    settings: GuildSettings
    secret: str
    views: Views | None
    moves: int
    recent: tuple[Event, ...]
    played_for: tuple[tuple[Event, int | None], ...]
    hands_revision: int
    phase_revision: int
    seat_revisions: tuple[int, ...]
    memory: Memory | None
    drew: Mapping[int, Drew]
    debt: TeaDebt | None
    removed: Mapping[int, datetime]


@value
class LoadedTable:
    """A table and its game.

    - `settings`: those of its server.
    - `secret`: that of the current game, or of the next one if none is running.
    - `views`, `memory`: what is and was to be seen; None before the deal, and if the record cannot be replayed.
    - `moves`: how many the game has.
    - `recent`, `played_for`: as in `TableSnapshot`.
    - `hands_revision`: the revision of the last move or deal, or of an answer to a rematch that hands show.
    - `phase_revision`: that of the move that began the phase; `seat_revisions`: those of each seat's last move.
    - `drew`: what each seat drew after its last move.
    - `removed`: until when a person may not sit down again; it is not stored.
    """

    table: Table
    settings: GuildSettings
    secret: str
    views: Views | None = None
    moves: int = 0
    recent: tuple[Event, ...] = ()
    played_for: tuple[tuple[Event, int | None], ...] = ()
    hands_revision: int = 0
    phase_revision: int = 0
    seat_revisions: tuple[int, ...] = ()
    memory: Memory | None = None
    drew: Mapping[int, Drew] = field(default_factory=dict[int, Drew])
    debt: TeaDebt | None = None
    removed: Mapping[int, datetime] = field(default_factory=dict[int, datetime])

    @property
    def state(self) -> State | None:
        """The position of the game, None before the deal and if the record cannot be replayed."""
        return self.views.state if self.views else None

    def but(self, **changes: Unpack[LoadedChanges]) -> LoadedTable:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def as_played_for(self, before: LoadedTable, by_seat: int) -> LoadedTable:
        """Mark the events since `before` as made by the bot for a person, at the request of `by_seat` or for that seat.

        The marks are not stored, so a restart forgets them.
        """
        known = {id(event) for event in before.recent}  # by identity: the same may have happened twice
        new = [event for event in self.recent if id(event) not in known]
        marked = ((event, by_seat if event is new[0] else None) for event in new)
        return self.but(played_for=(*before.played_for, *marked)[-RECENT:])

    def snapshot(self) -> TableSnapshot:
        """What everybody may see."""
        view = self.views.table if self.views else None
        return TableSnapshot(self.table, view, self.recent, self.moves, self.debt, self.settings, self.played_for)

    def hand(self, seat: int) -> HandSnapshot:
        """What one seat may see. Declined: NOT_PLAYING before the deal."""
        if self.views is None:
            raise Declined(Decline.NOT_PLAYING, self.snapshot())
        return HandSnapshot(self.snapshot(), self.views.seat(seat), self.drew.get(seat))

    def seat_of(self, user_id: int) -> int:
        """The seat of a person who is still at the table. Declined: NOT_SEATED."""
        seat = self.table.seat_of(user_id)
        if seat is None:
            raise Declined(Decline.NOT_SEATED, self.snapshot())
        return seat

    def hand_of(self, user_id: int) -> HandSnapshot:
        """What a person may see. Declined: NOT_SEATED, NOT_PLAYING before the deal."""
        return self.hand(self.seat_of(user_id))

    def require_welcome(self, user_id: int, now: datetime) -> None:
        """Decline somebody whom the host removed from the lobby a short time ago. Declined: REMOVED."""
        until = self.removed.get(user_id, now)
        if now < until and self.table.status == "lobby":
            raise Declined(Decline.REMOVED, self.snapshot(), until=until)

    def is_at(self, request: Request) -> bool:
        """Whether a request comes from the channel of the table, or from the one in which its thread was opened."""
        table = self.table
        return table.guild_id == request.guild_id and request.channel_id in {table.channel_id, table.parent_id}

    def is_fresh(self, seat: int, seen: int) -> bool:
        """Whether a message drawn at revision `seen` still shows everything that matters to this seat.

        While everybody prepares at once, these are only the seat's own moves and a new phase; later, anybody's moves.
        Reminders, votes and the like make no message stale.
        """
        preparing = self.state is not None and self.state.frame.phase in {"exchange", "call"}
        if preparing and seat in self.waiting():
            return max(self.seat_revisions[seat], self.phase_revision) <= seen <= self.table.revision
        return self.hands_revision <= seen <= self.table.revision

    def waiting(self) -> tuple[int, ...]:
        """The seats that the game waits for."""
        views = self.views
        if views is None or self.table.status != "playing":
            return ()
        if views.table.phase == "call":
            return tuple(seat for seat in range(len(views.table.seats)) if views.seat(seat).moves)
        return tuple(views.table.awaited)

    def due(self) -> tuple[int, Due] | None:
        """The seat that is to move automatically, and why; None if a person is to move, or nobody is there."""
        if self.views is None or not self.table.present:
            return None
        for seat in (*self._reacting(self.views), *self.waiting()):
            player = self.table.players[seat]
            if player.is_computer or player.left:
                return seat, _difficulty(self.views.table, seat)
            if player.away:
                return seat, "away"
        return None

    def _reacting(self, views: Views) -> Iterator[int]:
        """The seats of the computers that can move out of turn (R39, R40); `easy` overlooks that it can."""
        phase, turn, play = views.table.phase, views.table.turn, views.table.rules.play
        if self.table.status == "playing" and phase == "play" and (play.interrupt or play.follow_up):
            for seat, player in enumerate(self.table.players):
                if seat != turn and player.is_computer and player.level != "easy" and views.seat(seat).moves:
                    yield seat


def _difficulty(table: TableView, seat: int) -> Due:
    """How hard the choice of a computer looks to everybody; by its moves, the pause would tell of its hand."""
    if table.phase == "exchange":
        return "preparing"
    face = table.seats[seat]
    cards = face.hand or sum(map(len, face.up or ()))
    if cards <= 1:
        return "obvious"
    return "hard" if cards >= HARD else "computer"


@value
class Transition:
    """The table after a change, and what is stored with it: a deal, a move, a result, a debt."""

    after: LoadedTable
    deal: DealColumns | None = None
    move: StoredMove | None = None
    result: Result | None = None
    debt: TeaDebt | None = None

    def change_of(self, before: LoadedTable, now: datetime, request: Request | None) -> Change:
        """The change to be stored, from the table before it; `request` is None if no person requested it."""
        after = self.after
        return Change(
            before=before.table,
            after=after.table,
            at=now,
            interaction_id=request.id if request else None,
            new_secret=after.secret if after.secret != before.secret else None,
            deal=self.deal,
            move=self.move,
            result=self.result,
            debt=self.debt,
        )


@value
class NewGame:
    """A decision to deal; `table` is as it will be, except for status, times, votes and `call_id`.

    User `by_user` asked for it, by default the last to sit down.
    """

    before: LoadedTable
    table: Table
    by_user: int | None = None


@value
class Changed:
    """The notification that listeners get after a change was stored.

    - `due`: why a seat is to move automatically; None if none is.
    - `check_at`: when the clock must look at the table again.
    - `bottom`: a new public message is wanted, below all others.
    - `news`: False if the public message shows everything, as when the table is taken up again after a restart.
    - `reader`: whose open hand is to be drawn anew, although nothing new has happened.
    """

    table: Table
    due: Due | None
    check_at: datetime | None = None
    bottom: bool = False
    news: bool = True
    reader: Reader = None
