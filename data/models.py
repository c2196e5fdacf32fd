"""Tables and changes to them as plain values, which the store reads and writes and all other layers pass on.

Ids of people, servers, channels and messages are Discord's (64 bits). Times are aware and in UTC. Names are people's
display names when they sat down; the store drops them when a game ends (PRIVACY.md). All models are frozen. `but` makes
a copy with some fields changed; its keywords are typed, so that the type checker finds a misspelt or mistyped field.
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
"""The largest id that fits into a database column; a forged button may contain a larger one."""

Status: TypeAlias = Literal["lobby", "playing", "over", "stopped", "aborted", "expired"]
"""`stopped` by people; `aborted` because people, channel or cards are gone; `expired`: a lobby that timed out."""
Pace: TypeAlias = Literal["quick", "normal", "slow"]
Stretch: TypeAlias = Literal[1, 2, 4]


def is_posted(message_id: int | None) -> TypeGuard[int]:
    """Whether this is the id of a message, rather than the placeholder of one that is still being posted."""
    return message_id is not None and message_id > 0


def call_by(seat: int) -> int:
    """The placeholder for the message that announces a deal: encodes the seat that asked for the deal."""
    return -1 - seat


class Person(BaseModel, frozen=True):
    """A Discord user: `name` is the display name, already sanitized."""

    id: int
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

    `user_id` is None for a computer player, whose `level` says how well it plays. A `level` of None is the quick
    player, which also plays on for people. `joined_by` is the interaction that seated the player (part of the shuffle).
    A player who `left` stays in the list: the computer plays on, and a loss still counts. `away` marks a player who let
    the time run out, or took back a yes to a rematch; `wants_stop` one who voted to stop the game or stopped it.
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

    def with_variants(self, variants: tuple[str, ...]) -> Match:
        """The same match, played by these variants in turn."""
        return Match(kind=self.kind, target=self.target, scoring=self.scoring, variants=variants)


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
    """The fields of `Table` that can change: all but `id`, `guild_id`, `created_at` and `polite`."""

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

    `id` is Discord's id of the click that opened it. `players` are in seat order. `game` numbers the games of a series
    from 1. `hints` says whether players may ask for one, `polite` whether the table was opened with the polite name.
    `forfeit` is free text, sanitized; empty means a cup of tea. `title` is the name of the saved house rules if they
    are played unchanged, otherwise empty. `match` is None for single games; `standings` has a line for each player of
    the match from its first deal on. `turn_since` is when the present turn began. At the `deadline` the lobby closes,
    the call ends, or others may have the turn played. `nudged`: the player was reminded; `warned`: once more, as the
    deadline of a slow game is near; `overdue`: it has passed. `paused` stops the clock while the table cannot be shown.
    `message_id` is the public message, `placed_at` when it was last posted, `nudge_id` the reminder below it, `call_id`
    the message that announces the deal. Until they are posted (`is_posted`), these ids are None or a negative
    placeholder: minus the id of the message to replace; minus the second in which the turn began; `call_by`.
    `parent_id` is the channel in which a thread was opened for the table. `seal` is the SHA-256 of the shuffle's secret
    in hex, `secret` that secret once it is opened, and `next_seal` then the seal of a rematch.
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
        """Whether its thread has yet to be opened; until then `channel_id` is the table's own id, negated."""
        return self.channel_id < 0

    @property
    def is_rematch_pending(self) -> bool:
        """Whether answers to a rematch are awaited: only in such a lobby `turn_since` is set."""
        return self.status == "lobby" and self.turn_since is not None

    @property
    def seated(self) -> tuple[Player, ...]:
        """The players who have not left; in the lobby of a rematch, those who have said yes."""
        return tuple(player for player in self.players if not player.left)

    @property
    def asked(self) -> tuple[Player, ...]:
        """The people who have not yet answered whether they want a rematch."""
        players = self.players if self.is_rematch_pending else ()
        return tuple(who for who in players if who.left and not (who.away or who.is_computer))

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

    `after.revision` is `before.revision` + 1, or the same for a change that makes no message stale, such as a
    reminder. `new_secret` (hex) is the secret, if one was just drawn, of the game that `after` has or will have next.
    `deal` is set if a game was just dealt.
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
