"""What passes through the doorway: requests go in; views of tables come out, for everybody or for one player.

Holds views, never the state.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from data.errors import FullError, NameTakenError, StoreError, UnavailableError
from data.guild_models import GuildSettings
from data.models import LevelName, Person, Table
from data.tea_models import TeaDebt
from game.events import Drew, Event
from game.fairness import Verdict
from game.players.hints import Mistake
from game.view import SeatView, TableView

P = ParamSpec("P")
T = TypeVar("T")

RECENT: Final = 48
"""How many of the last public events a snapshot carries."""


def clock_of(table: Table) -> int:
    """What a table shows of its clock: 0 time is left, 1 time is up, 2 it will close because nobody plays."""
    return 2 if table.overdue and table.turn_since is None else int(table.overdue)


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody asks for something, by a click, a choice, a form or a command.

    `id` is Discord's id of the interaction: what was applied once by it is not applied again. `table_id` is the table
    that is meant, which must be in this channel; 0 for what is about no table. `seen` is the revision of it that the
    person saw. `moderator` is somebody who may manage the channel's messages. `polite` came by the command with the
    polite name.
    """

    id: int
    user: Person
    guild_id: int
    channel_id: int
    table_id: int = 0
    seen: int = 0
    moderator: bool = False
    polite: bool = False


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table as everybody may see it.

    `view` is None in the lobby; `recent` are the last public events, oldest first; `moves` counts the moves of the game
    so far; `debt` belongs to an ended game, None if nobody owes. `settings` are its server's. `unfollowed` says that
    the person on turn has opened no hand since the bot was restarted: an older one shows nothing new any more.
    `played_for` are those of the recent events that the bot brought about for people who were not there, the first
    of a move with the seat that asked for it, if one did.
    """

    table: Table
    view: TableView | None = None
    recent: tuple[Event, ...] = ()
    moves: int = 0
    debt: TeaDebt | None = None
    settings: GuildSettings = field(default_factory=lambda: GuildSettings(guild_id=0))
    unfollowed: bool = False
    played_for: tuple[tuple[Event, int | None], ...] = ()

    @property
    def awaited(self) -> list[int]:
        """The seats for whose turn, or whose *ready*, the table waits; none in a call, which anybody may make."""
        if self.table.status != "playing" or self.view is None or self.table.turn_since is None:
            return []
        if self.view.phase == "exchange":
            return [seat for seat, face in enumerate(self.view.seats) if not face.ready]
        seat = self.view.waits_for
        return [seat] if seat is not None and self.view.phase in {"play", "clear", "tribute"} else []


@dataclass(frozen=True, slots=True)
class HandSnapshot:
    """A table as one seated player may see it; `drew` is what they drew after their own last move, if anything."""

    snapshot: TableSnapshot
    view: SeatView
    drew: Drew | None = None


@dataclass(frozen=True, slots=True)
class Rewound:
    """An ended game after `step` of its `steps` moves, as one seat saw it.

    `told` is what everybody was told of the deal and then of each move, to the end of the game.
    """

    hand: HandSnapshot
    step: int
    steps: int
    told: tuple[tuple[Event, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Watched:
    """A whole ended game as everybody or one seat saw it: after the deal and each move, with what was told of it."""

    table: Table
    seen: Sequence[tuple[TableView | SeatView, tuple[Event, ...]]]

    @property
    def told(self) -> tuple[tuple[Event, ...], ...]:
        """What everybody was told of the deal and then of each move."""
        return tuple(events for _, events in self.seen)


@dataclass(frozen=True, slots=True, repr=False)
class Reviewed:
    """An ended game with the moves that cost a seat most, the dearest first; `told` as in `Rewound`."""

    table: Table
    seat: int
    mistakes: Sequence[Mistake]
    told: tuple[tuple[Event, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Checked:
    """The shuffle of an ended game, worked out again: `name` is what it is called in the transcript."""

    name: str
    seal: str
    secret: str
    joiners: int
    cards: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Score:
    """A person's finished games in a server.

    `low` and `high` bound the share of lost games: with 95 % confidence the true one is between them. `unlost` and
    `losing` are the longest runs; `most_held` and `fastest` (own turns until out) are None if nothing is known.
    `uncounted` games are still to be looked at for these two.
    """

    games: int
    lost: int
    low: float
    high: float
    unlost: int
    losing: int
    most_held: int | None = None
    fastest: int | None = None
    uncounted: int = 0


@dataclass(frozen=True, slots=True)
class Strength:
    """How well somebody plays, judged by the order in which games ended: a person, or the computers of a level.

    With 95 % confidence the true strength is at most `doubt` from `points`; a newcomer has about 1,000.
    """

    user_id: int | None
    level: LevelName | None
    games: int
    points: float
    doubt: float


class Decline(Enum):
    """Why the doorway turns a request down; refusals by the rules are in `game.moves.Refusal`."""

    NO_TABLE = "no-table"
    UNKNOWN_TABLE = "unknown-table"
    UNKNOWN_VARIANT = "unknown-variant"
    TABLE_IN_CHANNEL = "table-in-channel"
    NO_THREAD = "no-thread"
    THREAD_LATER = "thread-later"
    TOO_MANY_TABLES = "too-many-tables"
    TOO_OFTEN = "too-often"
    NOT_A_LOBBY = "not-a-lobby"
    NOT_PLAYING = "not-playing"
    NOT_OVER = "not-over"
    OLD_RESULT = "old-result"
    TABLE_FULL = "table-full"
    ALREADY_SEATED = "already-seated"
    NOT_SEATED = "not-seated"
    REMOVED = "removed"
    NOT_HOST = "not-host"
    TOO_FEW = "too-few"
    NO_ROOM_IN_PACK = "no-room-in-pack"
    CLASHING_RULES = "clashing-rules"
    NO_COMPUTER = "no-computer"
    NO_SHITHEAD = "no-shithead"
    STALE = "stale"
    NOT_YET = "not-yet"
    NOT_A_CREDITOR = "not-a-creditor"
    UNKNOWN_DEBT = "unknown-debt"
    ALREADY_SETTLED = "already-settled"
    ALREADY_FORGIVEN = "already-forgiven"
    NOT_FORGIVEN = "not-forgiven"
    NOTHING_TO_UNDO = "nothing-to-undo"
    TOO_LATE = "too-late"
    NOT_A_MODERATOR = "not-a-moderator"
    DEBT_CHANGED = "debt-changed"
    ALREADY_SO = "already-so"
    REMINDED_ALREADY = "reminded-already"
    WANTS_NO_REMINDER = "wants-no-reminder"
    NOBODY_TO_REMIND = "nobody-to-remind"
    ALREADY_VOTED = "already-voted"
    BAD_FORFEIT = "bad-forfeit"
    BAD_NAME = "bad-name"
    NAME_TAKEN = "name-taken"
    TOO_MANY_HOUSE_RULES = "too-many-house-rules"
    TOO_FAST = "too-fast"
    SAVING_FAILED = "saving-failed"
    CLOSING = "closing"


class Declined(Exception):  # noqa: N818 - it is no error of the program: somebody asked for what cannot be had
    """The doorway declined. Nothing changed, except that after SAVING_FAILED only reading again tells what happened.

    `snapshot` is the table as it is now if there is one, `table_id` the table that the sentence leads to.
    """

    def __init__(self, why: Decline, snapshot: TableSnapshot | None = None, table_id: int | None = None) -> None:
        """Keep the reason and what helps to word it."""
        super().__init__(why.value)
        self.why = why
        self.snapshot = snapshot
        self.table_id = table_id


_DECLINES: Final[Mapping[type[StoreError], Decline]] = {
    UnavailableError: Decline.SAVING_FAILED,
    NameTakenError: Decline.NAME_TAKEN,
    FullError: Decline.TOO_MANY_HOUSE_RULES,
}


def declining(service: type[T]) -> type[T]:
    """Make every public coroutine method of a service raise `Declined` where the store raises an error.

    A class decorator, so that no method can forget it. Callers of a service need to catch only one exception.
    """
    for name, method in list(vars(service).items()):
        if inspect.iscoroutinefunction(method) and not name.startswith("_"):
            setattr(service, name, _raising_declined(method))
    return service


def _raising_declined(method: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """The method; a `StoreError` that has no reason in `_DECLINES` is not for callers, and leaves it as it is."""

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except StoreError as error:
            why = _DECLINES.get(type(error))
            if why is None:
                raise
            raise Declined(why) from None

    return call
