"""What passes through the doorway: requests go in, snapshots of tables come out, for everybody or for one player.

Snapshots hold views, never a `State`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import field
from datetime import datetime
from enum import Enum
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from data.errors import FullError, NameTakenError, StoreError, UnavailableError
from data.guild_models import GuildSettings
from data.models import LevelName, Person, Table
from data.tea_models import TeaDebt
from game.events import Drew, Event
from game.fairness import Shuffle, Verdict
from game.players.hints import Mistake
from game.view import SeatView, TableView, value

P = ParamSpec("P")
T = TypeVar("T")

RECENT: Final = 48
"""How many of the latest public events a snapshot carries."""


@value
class Request:
    """A request of a person, made by a click, a choice, a form or a command.

    - `id`: Discord's id of the interaction, new in all servers and larger than those before it. The same interaction is
      not applied twice.
    - `table_id`: the table that the request is about, which must be in this channel; 0 for none.
    - `seen`: the revision of that table that the person saw.
    - `moderator`: whether the person may manage the channel's messages.
    - `polite`: whether a command was given by the polite name.
    """

    id: int
    user: Person
    guild_id: int
    channel_id: int
    table_id: int = 0
    seen: int = 0
    moderator: bool = False
    polite: bool = False


@value
class TableSnapshot:
    """A table as everybody may see it.

    - `view`: None in the lobby.
    - `recent`: the latest public events, oldest first.
    - `moves`: how many the game has so far.
    - `debt`: that of an ended game; None if nobody owes.
    - `settings`: those of its server.
    - `played_for`: those of the recent events that came from moves the bot made for people who were not there; the
      first event of a move has the seat that asked for it, or that of the move itself if nobody did.
    - `unfollowed`: the person on turn has opened no hand since the bot was restarted, and older ones are not updated.
    """

    table: Table
    view: TableView | None = None
    recent: tuple[Event, ...] = ()
    moves: int = 0
    debt: TeaDebt | None = None
    settings: GuildSettings = field(default_factory=lambda: GuildSettings(guild_id=0))
    played_for: tuple[tuple[Event, int | None], ...] = ()
    unfollowed: bool = False

    @property
    def awaited(self) -> list[int]:
        """The seats that the table waits for (`TableView.awaited`)."""
        is_running = self.table.status == "playing" and not self.table.is_abandoned
        return self.view.awaited if self.view and is_running else []


@value
class HandSnapshot:
    """A table as one seated player may see it; `drew` is what they drew after their own last move, if anything."""

    snapshot: TableSnapshot
    view: SeatView
    drew: Drew | None = None


@value
class ReplayStep:
    """An ended game after `step` of its `steps` moves, as one seat saw it.

    `game` is the whole of it, as everybody saw it.
    """

    hand: HandSnapshot
    step: int
    steps: int
    game: Watched


@value
class Watched:
    """A whole ended game as everybody or one seat saw it: the views after the deal and each move, with the events."""

    table: Table
    seen: Sequence[tuple[TableView | SeatView, tuple[Event, ...]]]

    @property
    def told(self) -> tuple[tuple[Event, ...], ...]:
        """The public events of the deal and then of each move."""
        return tuple(events for _, events in self.seen)

    @property
    def piles(self) -> tuple[int, ...]:
        """How many cards lay on the pile after the deal and then after each move."""
        return tuple(len((view if isinstance(view, TableView) else view.table).pile) for view, _ in self.seen)


@value
class Reviewed:
    """An ended game with the moves that cost a seat most, the costliest first; `told` is as in `Watched`."""

    table: Table
    seat: int
    mistakes: Sequence[Mistake]
    told: tuple[tuple[Event, ...], ...]


@value
class Verification:
    """The shuffle of an ended game, whether it is verified, and the table."""

    table: Table
    shuffle: Shuffle
    verdict: Verdict


@value
class Undoable:
    """A debt that creditors have just settled, and until when they can undo that."""

    debt: TeaDebt
    until: datetime


@value
class Score:
    """A person's finished games in a server.

    `low` and `high` bound the share of lost games: with 95 % confidence the true one is between them. `unbeaten` and
    `losing` are the longest streaks without and with losses. `most_held` (cards in hand) and `fastest` (own turns until
    out) are None if unknown; `to_count` games have yet to be replayed for these two.
    """

    games: int
    lost: int
    low: float
    high: float
    unbeaten: int
    losing: int
    most_held: int | None = None
    fastest: int | None = None
    to_count: int = 0


@value
class Strength:
    """How well a person, or the computers of a level, play, judged by the finishing orders of games.

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
    SERVER_FULL = "server-full"
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
    TOO_FEW_SEATS = "too-few-seats"
    NO_ROOM_IN_PACK = "no-room-in-pack"
    CLASHING_RULES = "clashing-rules"
    NO_COMPUTER = "no-computer"
    NO_SHITHEAD = "no-shithead"
    STALE = "stale"
    NOT_YET = "not-yet"
    OWN_DEBT = "own-debt"
    NOT_A_CREDITOR = "not-a-creditor"
    UNKNOWN_DEBT = "unknown-debt"
    ALREADY_SETTLED = "already-settled"
    ALREADY_FORGIVEN = "already-forgiven"
    NOT_FORGIVEN = "not-forgiven"
    ALREADY_UNDONE = "already-undone"
    NOTHING_TO_UNDO = "nothing-to-undo"
    TOO_LATE = "too-late"
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
    JUST_POSTED = "just-posted"
    COLLECTING = "collecting"
    FILMING = "filming"
    SAVING_FAILED = "saving-failed"
    CLOSING = "closing"


class Declined(Exception):  # noqa: N818 - not an error of the program, but the answer to a request
    """The doorway declined. Nothing has changed, except perhaps after SAVING_FAILED: read again to find out.

    `snapshot` is the table as it is now, if there is one; `table_id` is the table that the answer should link to.
    `until` is when somebody who was REMOVED may sit down again, `seats` how many NO_ROOM_IN_PACK would leave, if known.
    """

    def __init__(
        self,
        why: Decline,
        snapshot: TableSnapshot | None = None,
        table_id: int | None = None,
        *,
        until: datetime | None = None,
        seats: int = 0,
    ) -> None:
        super().__init__(why.value)
        self.why, self.snapshot, self.table_id, self.until, self.seats = why, snapshot, table_id, until, seats

    @property
    def words(self) -> str:
        """The reason for the log, with the error of the store if that was the cause."""
        return f"{self.why.value}: {self.__cause__}" if self.__cause__ else self.why.value


class Ignoring(AbstractContextManager[None]):
    """Go on after the `with` block if what it asks for is declined for one of these reasons."""

    def __init__(self, *reasons: Decline) -> None:
        self._reasons = reasons

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> bool:
        return isinstance(error, Declined) and error.why in self._reasons


@contextmanager
def one_at_a_time(who: int, at_work: set[int], why: Decline = Decline.TOO_FAST) -> Generator[None]:
    """Decline a second request of a person or server in the block: each takes seconds, and many hold up the others."""
    if who in at_work:
        raise Declined(why)
    at_work.add(who)
    try:
        yield
    finally:
        at_work.discard(who)


_DECLINES: Final[Mapping[type[StoreError], Decline]] = {
    UnavailableError: Decline.SAVING_FAILED,
    NameTakenError: Decline.NAME_TAKEN,
    FullError: Decline.TOO_MANY_HOUSE_RULES,
}


def declining(service: type[T]) -> type[T]:
    """A class decorator: every public coroutine method raises `Declined` where the store raises an error.

    So no method can forget to, and the callers of a service need to catch only one exception.
    """
    for name, method in list(vars(service).items()):
        if inspect.iscoroutinefunction(method) and not name.startswith("_"):
            setattr(service, name, declines(method))
    return service


def declines(method: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A method of a service, or of the store, that raises `Declined` where the store raises an error.

    A `StoreError` that is not in `_DECLINES` is no answer to a request, and passes unchanged.
    """

    @wraps(method)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await method(*args, **kwargs)
        except tuple(_DECLINES) as error:
            raise Declined(next(why for kind, why in _DECLINES.items() if isinstance(error, kind))) from error

    return call
