"""Tables and how they change, as plain values: what the store reads and writes and all other layers pass on.

Ids of people, servers, channels and messages are Discord's (64 bits). Times are aware and in UTC. Names are what people
were called when they sat down; the store drops them when a game ends (PRIVACY.md). Records are frozen. `but` makes a
copy with some fields changed; its keywords are typed, so that the type checker finds a misspelt or mistyped field.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypedDict, TypeGuard, Unpack

from pydantic import BaseModel, Field

from data.game_models import DealColumns, LevelName, Result, StoredGame, StoredMove
from data.tea_models import DebtDraft
from game.rules import Rules

LARGEST_ID: Final = 2**63 - 1
"""What a column of the database holds; an id in a button that somebody forged may be larger."""

Status: TypeAlias = Literal["lobby", "playing", "over", "stopped", "aborted", "expired"]
"""People `stopped` it; it is `aborted` without them, or without channel or cards; a lobby `expired` with its time."""
Pace: TypeAlias = Literal["quick", "normal", "slow"]
Stretch: TypeAlias = Literal[1, 2, 4]


def is_posted(message_id: int | None) -> TypeGuard[int]:
    """Whether it is the id of a message, not what a table keeps while one is being posted."""
    return message_id is not None and message_id > 0


def call_by(seat: int) -> int:
    """What stands for the message that tells of a deal until it is posted: the seat that asked for the deal."""
    return -1 - seat


class Person(BaseModel, frozen=True):
    """Somebody on Discord: `name` is the display name, already cleaned."""

    id: int
    name: str


class PlayerChanges(TypedDict, total=False):
    """What may change of a player."""

    name: str
    level: LevelName | None
    joined_by: int
    left: bool
    away: bool
    wants_stop: bool


class Player(BaseModel, frozen=True):
    """Who sits at a table, in seat order.

    `user_id` is None for a computer player, whose `level` says how well it plays; None is the quick player, which also
    plays on for people. `joined_by` is the interaction that seated the player (part of the shuffle). A player who
    `left` stays in the list: the computer plays the seat on, and the loss still counts. `away` marks a player who let
    the time run out, or took back a yes to a rematch; `wants_stop` one who voted for stopping the game or stopped it.
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
        """Whether nobody ever sat here but the computer."""
        return self.user_id is None

    def but(self, **changes: Unpack[PlayerChanges]) -> Player:
        """A copy with some fields changed."""
        return self.model_copy(update=changes)


class Match(BaseModel, frozen=True):
    """How a match is played: `games` ends after `target` games, `first-to` when somebody has `target` (2 to 100).

    What is counted is points by finishing order (`order`) or lost games (`losses`, the fewest win). `variants` are
    played in turn, by id; empty if every game is played by the table's rules.
    """

    kind: Literal["games", "first-to"] = "games"
    target: int = Field(ge=2, le=100)
    scoring: Literal["order", "losses"] = "order"
    variants: tuple[str, ...] = ()

    def with_variants(self, variants: tuple[str, ...]) -> Match:
        """The same match, played by these variants in turn."""
        return Match(kind=self.kind, target=self.target, scoring=self.scoring, variants=variants)


class MatchLine(BaseModel, frozen=True):
    """A player of a match, in the seat order of its first game.

    `places` has an entry for each game that counted: the place from 1, or 0 if the player was not there any more.
    `lost` are the games that the player lost, counted from 1. A player who `left` between games keeps it, with `name`.
    """

    user_id: int | None
    name: str = ""
    left: bool = False
    places: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()

    def departed(self, name: str) -> MatchLine:
        """The line of somebody who is not dealt to any more."""
        return MatchLine(user_id=self.user_id, name=name, left=True, places=self.places, lost=self.lost)

    def with_game(self, place: int, *, lost: bool) -> MatchLine:
        """The line after one more game."""
        places, those = (*self.places, place), (*self.lost, len(self.places) + 1) if lost else self.lost
        return MatchLine(user_id=self.user_id, name=self.name, left=self.left, places=places, lost=those)


class Placement(TypedDict, total=False):
    """Where a table and its messages are."""

    channel_id: int
    message_id: int | None
    placed_at: datetime | None
    nudge_id: int | None
    call_id: int | None


class TableChanges(Placement, total=False):
    """What may change of a table: everything but where, when and by which command it was opened."""

    parent_id: int | None
    status: Status
    revision: int
    host_id: int
    variant: str
    title: str
    rules: Rules
    pace: Pace
    stretch: Stretch
    seats: int
    forfeit: str
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
    hints: bool


class Table(BaseModel, frozen=True):
    """A table in a channel, from lobby to end; `revision` counts the accepted changes.

    `id` is Discord's id of the click that opened it. `players` are in seat order. `deadline` is when time is up (the
    lobby closes, nobody may call any more, others may play the turn); `turn_since` is when the present turn began,
    `nudged` whether its player was reminded, `overdue` whether the deadline has passed, `warned` whether that of a slow
    game is near. `paused` stops the clock while the table cannot be shown. `hints` says whether players may ask for
    one, `polite` whether the table was opened with the polite name of the game. `game` counts the games of a series
    from 1. `message_id` is the public message, `placed_at` when it was posted last, `nudge_id` the reminder below it,
    `call_id` the message that tells people of the deal; if not posted (`is_posted`), they are None or negative: minus
    the message that is replaced, minus the second in which the turn began, `call_by`. `parent_id` is the channel where
    a thread was opened for the table. `seal` is the SHA-256 of the shuffle's secret in hex; `secret` is filled when it
    is opened, and `next_seal` is then the seal of a rematch. `forfeit` is free text, cleaned; empty means a cup of tea.
    `title` is the name of the saved house rules that are played unchanged, empty for others. `match` is None for single
    games; `standings` has a line for each player of the match from its first deal on.
    """

    id: int
    guild_id: int
    channel_id: int
    parent_id: int | None = None
    message_id: int | None = None
    placed_at: datetime | None = None
    nudge_id: int | None = None
    call_id: int | None = None
    status: Status = "lobby"
    revision: int = 0
    host_id: int
    variant: str = "classic"
    title: str = ""
    rules: Rules
    pace: Pace = "normal"
    stretch: Stretch = 1
    seats: int
    forfeit: str = ""
    players: tuple[Player, ...] = ()
    game: int = 1
    match: Match | None = None
    standings: tuple[MatchLine, ...] = ()
    dealer: int | None = None
    last_winner: int | None = None
    last_shithead: int | None = None
    seal: str = ""
    secret: str = ""
    next_seal: str = ""
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None
    turn_since: datetime | None = None
    deadline: datetime | None = None
    nudged: bool = False
    warned: bool = False
    overdue: bool = False
    paused: bool = False
    hints: bool = True
    polite: bool = False

    @property
    def is_open(self) -> bool:
        """Whether the table is in use: a lobby or a running game."""
        return self.status in {"lobby", "playing"}

    @property
    def lacks_thread(self) -> bool:
        """Whether its thread is still to be opened; until then, `channel_id` is its own id, negative."""
        return self.channel_id < 0

    @property
    def is_asking(self) -> bool:
        """Whether others are being asked for a rematch: a lobby in which time runs as in a turn."""
        return self.status == "lobby" and self.turn_since is not None

    @property
    def seated(self) -> tuple[Player, ...]:
        """The players who have not left; in the lobby of a rematch those who have said yes."""
        return tuple(player for player in self.players if not player.left)

    @property
    def asked(self) -> tuple[Player, ...]:
        """The people who have not said yes to a rematch that they were asked for."""
        return tuple(who for who in self.players if self.is_asking and who.left and not (who.away or who.is_computer))

    @property
    def stop_votes(self) -> int:
        """How many want to stop the game."""
        return sum(player.wants_stop for player in self.players)

    def seat_of(self, user_id: int) -> int | None:
        """The seat of a person who is still at the table, None for anybody else."""
        return next((seat for seat, who in enumerate(self.players) if who.user_id == user_id and not who.left), None)

    def seat_left_by(self, user_id: int) -> int | None:
        """The seat that a person has left to the computer, None for anybody else."""
        return next((seat for seat, who in enumerate(self.players) if who.user_id == user_id and who.left), None)

    def but(self, **changes: Unpack[TableChanges]) -> Table:
        """A copy with some fields changed; the revision only if it is named."""
        return self.model_copy(update=changes)

    def with_player(self, seat: int, **changes: Unpack[PlayerChanges]) -> Table:
        """A copy with one player changed."""
        changed = self.players[seat].but(**changes)
        return self.but(players=(*self.players[:seat], changed, *self.players[seat + 1 :]))


@dataclass(frozen=True, slots=True, repr=False)
class PastGame:
    """The game of this `number` at a table, which may have gone on to later games."""

    table: Table
    number: int
    game: StoredGame


@dataclass(frozen=True, slots=True, repr=False)
class Change:
    """One accepted change of a table: all of it is stored, or nothing.

    `after.revision` is one more than `before.revision`, or the same for a note that makes no message old (a
    reminder). `new_secret` (hex) is that of the game that `after` has or will have next, if it was just drawn.
    `deal` is what a game was just dealt from.
    """

    before: Table
    after: Table
    at: datetime
    interaction_id: int | None = None
    new_secret: str | None = None
    deal: DealColumns | None = None
    move: StoredMove | None = None
    result: Result | None = None
    debt: DebtDraft | None = None
