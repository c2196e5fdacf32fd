"""Tables and changes to them as plain values, which the store reads and writes and all other layers pass on.

Ids of people, servers, channels and messages are Discord's (64 bits). Times are aware and in UTC. Names are people's
display names when they sat down; the store drops them when a table ends (PRIVACY.md). Models are frozen. `but` makes a
copy with some fields changed; its keywords are typed, so that the type checker finds a misspelt or mistyped field.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypedDict, TypeGuard, Unpack

from pydantic import BaseModel, Field

from data.game_models import DealColumns, LevelName, Result, StoredGame, StoredMove
from data.tea_models import TeaDebt
from game.rules import Rules

LARGEST_ID: Final = 2**63 - 1
"""The largest id that fits into a database column; a forged button may contain a larger one."""

Status: TypeAlias = Literal["lobby", "playing", "over", "stopped", "aborted", "expired"]
"""`stopped` by people; `aborted` because people, channel or cards are gone; `expired`: a lobby that timed out."""
Pace: TypeAlias = Literal["quick", "normal", "slow"]
Stretch: TypeAlias = Literal[1, 2, 4]
Posting: TypeAlias = int | None
"""A message: its id, or None; or, while it is being posted, a placeholder below 1, which is stored before Discord is
asked and says what the bot must know if it dies before Discord answers."""


def is_posted(posting: Posting) -> TypeGuard[int]:
    """Whether this is the id of a message, rather than None or a placeholder."""
    return posting is not None and posting > 0


def held_by(message_id: int) -> int:
    """The placeholder for a public message or a reminder: until it is posted, this other one holds its place, or 0."""
    return -message_id


def message_in_place(posting: Posting) -> int:
    """The id of a public message or, until that is posted, of the one that holds its place; 0 if there is none."""
    return abs(posting or 0)


def call_by(seat: int) -> int:
    """The placeholder for the message that announces a deal: the seat that asked for the deal."""
    return -1 - seat


def thread_of(table_id: int) -> int:
    """The placeholder for the channel of a table whose thread has yet to be opened."""
    return -table_id


class Person(BaseModel, frozen=True):
    """A Discord user: `name` is the display name, already sanitized."""

    id: int = Field(gt=0, le=LARGEST_ID)  # former players have ids below 0
    name: str


class PlayerChanges(TypedDict, total=False):
    """The fields of `Player` that can change."""

    name: str
    level: LevelName | None
    joined_by: int
    left: bool
    away: bool
    wants_stop: bool


class Player(BaseModel, frozen=True):
    """A person or the computer on a seat.

    `user_id` is None for a computer player, whose `level` says how well it plays, or 0 if not known. A `level` of None
    is the quick player, which also plays on for people. `joined_by` is the interaction that seated the player (part of
    the shuffle). A player who `left` stays in the list: the computer plays on, and a loss still counts. `away` marks
    one who ran out of time, or does not want a rematch; `wants_stop` one who voted to stop the game or did.
    """

    user_id: int | None
    name: str
    level: LevelName | None = None
    joined_by: int
    left: bool = False
    away: bool = False
    wants_stop: bool = False

    @property
    def is_computer(self) -> bool:
        """Whether this is a computer player, rather than a person for whom the computer plays on."""
        return self.user_id is None

    @property
    def has_not_answered(self) -> bool:
        """Whether this is a person who, in the lobby of a rematch, has neither joined nor declined."""
        return self.left and not (self.away or self.is_computer)

    def but(self, **changes: Unpack[PlayerChanges]) -> Player:
        """A copy with some fields changed."""
        return self.model_copy(update=changes)


class Match(BaseModel, frozen=True):
    """How a match is played: `games` ends after `target` games, `first-to` when somebody has `target` (2 to 100).

    The score is points by finishing order (`order`) or lost games (`losses`, the fewest win). `variants` are the ids
    of the variants played in turn; empty if every game is played by the table's rules.
    """

    kind: Literal["games", "first-to"] = "games"
    target: int = Field(ge=2, le=100)
    scoring: Literal["order", "losses"] = "order"
    variants: tuple[str, ...] = ()


class MatchLine(BaseModel, frozen=True):
    """A player of a match, in the seat order of its first game.

    `places` has an entry for each game that counted: the place from 1, or 0 if the player had left. `lost` holds the
    numbers, from 1, of the games the player lost. A player who `left` between games keeps the line, with their `name`.
    """

    user_id: int | None
    name: str = ""
    left: bool = False
    places: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()

    def with_departure(self, name: str) -> MatchLine:
        """The line of a player who is no longer dealt to."""
        return MatchLine(user_id=self.user_id, name=name, left=True, places=self.places, lost=self.lost)

    def with_game(self, place: int, *, lost: bool) -> MatchLine:
        """The line after one more game."""
        places = (*self.places, place)
        lost_games = (*self.lost, len(places)) if lost else self.lost
        return MatchLine(user_id=self.user_id, name=self.name, left=self.left, places=places, lost=lost_games)


class Placement(TypedDict, total=False):
    """Where a table and its messages are."""

    channel_id: int
    message_id: Posting
    placed_at: datetime | None
    nudge_id: Posting
    call_id: Posting


class TableChanges(Placement, total=False):
    """The fields of `Table` that can change: all but `id`, `guild_id`, `created_at` and `polite`."""

    status: Status
    revision: int
    parent_id: int | None
    host_id: int
    variant: str
    title: str
    rules: Rules
    pace: Pace
    stretch: Stretch
    hints: bool
    forfeit: str
    seats: int
    players: tuple[Player, ...]
    game: int
    match: Match | None
    standings: tuple[MatchLine, ...]
    dealer: int | None
    last_winner: int | None
    last_shithead: int | None
    seal: str
    secret: str
    next_seal: str
    started_at: datetime | None
    ended_at: datetime | None
    turn_since: datetime | None
    deadline: datetime | None
    nudged: bool
    warned: bool
    overdue: bool
    paused: bool


class Table(BaseModel, frozen=True):
    """A table in a channel, from lobby to end."""

    id: int = Field(gt=0, le=LARGEST_ID)  # Discord's id of the click that opened it
    guild_id: int
    created_at: datetime
    polite: bool = False  # opened with the polite name
    status: Status = "lobby"
    revision: int = 0  # counts the accepted changes

    # Where it is.
    channel_id: int  # `thread_of` until its thread is opened
    parent_id: int | None = None  # the channel in which a thread was opened for the table
    message_id: Posting = None  # the public message; `held_by` until it is posted
    placed_at: datetime | None = None  # when the public message was last posted
    nudge_id: Posting = None  # the reminder below the public message; below 0 until it is posted
    call_id: Posting = None  # the message that announces the deal; `call_by` until it is posted

    # What is played, and by whom.
    host_id: int
    variant: str = "classic"
    title: str = ""  # the name of the saved house rules if they are played unchanged
    rules: Rules
    pace: Pace = "normal"
    stretch: Stretch = 1
    hints: bool = True  # players may ask for a hint
    forfeit: str = ""  # free text, sanitized; empty means a cup of tea
    seats: int
    players: tuple[Player, ...] = ()  # in seat order

    # The series to which the game belongs.
    game: int = 1  # its number in the series
    match: Match | None = None  # None for single games
    standings: tuple[MatchLine, ...] = ()  # a line for each player of the match, from its first deal on
    dealer: int | None = None
    last_winner: int | None = None
    last_shithead: int | None = None

    # The shuffle.
    seal: str = ""  # the SHA-256 of the secret in hex
    secret: str = ""  # once it is opened
    next_seal: str = ""  # the seal of a rematch, once the secret is opened

    # The clock.
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turn_since: datetime | None = None  # when the current turn began, or people were asked for a rematch
    deadline: datetime | None = None  # when the lobby, the call or an answer is due, or others may have a turn played
    nudged: bool = False  # the player was reminded,
    warned: bool = False  # and once more, as the deadline of a slow game is near
    overdue: bool = False  # the deadline has passed
    paused: bool = False  # stopped while the table cannot be shown

    @property
    def is_open(self) -> bool:
        """Whether the table is in use: a lobby or a running game."""
        return self.status in {"lobby", "playing"}

    @property
    def lacks_thread(self) -> bool:
        """Whether its thread has yet to be opened; until then `channel_id` is the placeholder `thread_of`."""
        return self.channel_id < 0

    @property
    def is_rematch_pending(self) -> bool:
        """Whether answers to a rematch are awaited: only in such a lobby `turn_since` is set."""
        return self.status == "lobby" and self.turn_since is not None

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody plays any more: then the game waits until `deadline` for somebody to come back."""
        return self.status == "playing" and self.turn_since is None

    @property
    def seated(self) -> tuple[Player, ...]:
        """The players who have not left; in the lobby of a rematch, those who have said yes."""
        return tuple(player for player in self.players if not player.left)

    @property
    def people(self) -> tuple[Player, ...]:
        """Those of `seated` who are not computer players."""
        return tuple(player for player in self.seated if not player.is_computer)

    @property
    def present(self) -> tuple[Player, ...]:
        """Those of `people` who are not away, so that they play for themselves."""
        return tuple(who for who in self.players if not (who.left or who.away or who.is_computer))

    def free_seats(self, user_id: int = 0) -> int:
        """How many more can join, if this person is the next one: seats of the `unanswered` are kept for them."""
        is_asked = any(who.user_id == user_id for who in self.unanswered)
        return max(0, self.seat_limit - (len(self.seated) if is_asked else self.seats_needed))

    @property
    def seats_needed(self) -> int:
        """How many seats are taken or kept; no more than there are, if more people were asked than can sit."""
        return max(len(self.seated), min(self.seat_limit, len(self.seated) + len(self.unanswered)))

    @property
    def seat_limit(self) -> int:
        return min(self.seats, self.rules.most_seats())  # what the host wants, and what the rules allow

    @property
    def is_dealt_when_full(self) -> bool:
        return self.seats < self.rules.most_seats() and self.rules.can_seat(self.seats)  # the host said how many

    @property
    def unanswered(self) -> tuple[Player, ...]:
        """The people who have not yet answered whether they want a rematch; nobody once every seat is taken."""
        players = self.players if self.is_rematch_pending and len(self.seated) < self.seat_limit else ()
        return tuple(who for who in players if who.has_not_answered)

    @property
    def stop_votes(self) -> int:
        """How many want to stop the game."""
        return sum(player.wants_stop for player in self.players)

    def seat_of(self, user_id: int) -> int | None:
        """The seat of a person who is still at the table, None for anybody else."""
        return next((seat for seat, who in enumerate(self.players) if who.user_id == user_id and not who.left), None)

    def seat_left_by(self, user_id: int) -> int | None:
        """The seat of a person who left it to the computer, None for anybody else."""
        return next((seat for seat, who in enumerate(self.players) if who.user_id == user_id and who.left), None)

    def but(self, **changes: Unpack[TableChanges]) -> Table:
        """A copy with some fields changed. It keeps the revision unless `revision` is given."""
        return self.model_copy(update=changes)

    def with_player(self, seat: int, **changes: Unpack[PlayerChanges]) -> Table:
        """A copy with one player changed."""
        changed = self.players[seat].but(**changes)
        return self.but(players=(*self.players[:seat], changed, *self.players[seat + 1 :]))


@dataclass(frozen=True, slots=True, repr=False)
class PastGame:
    """The game with this `number` at a table, which may have played further games since."""

    table: Table
    number: int
    game: StoredGame


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """One accepted change of a table, stored as a whole or not at all.

    `after.revision` is `before.revision` + 1, or the same if no message becomes stale, as by a reminder. `new_secret`
    (hex), if one was just drawn, is of the game after the one that has ended, `deal` of a game just dealt.
    """

    before: Table
    after: Table
    at: datetime
    interaction_id: int | None = None
    new_secret: str | None = None
    deal: DealColumns | None = None
    move: StoredMove | None = None
    result: Result | None = None
    debt: TeaDebt | None = None
