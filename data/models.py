"""What is remembered, as plain values: records that the store reads and writes and everybody above passes on.

Ids of people, servers, channels and messages are Discord's (64 bits). Times are aware and in UTC. Names are what a
person was called when they sat down; they are dropped when a game ends (PRIVACY.md).
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from game.rules import Rules

Status: TypeAlias = Literal["lobby", "playing", "over", "stopped", "aborted", "expired"]
Pace: TypeAlias = Literal["quick", "normal", "slow"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True)


class Person(_Record):
    """Somebody on Discord: `name` is the display name, cleaned by whoever made this."""

    id: int
    name: str


class Player(_Record):
    """Who sits at a table, in seat order.

    `user_id` is None for a computer player. `joined_by` is the interaction that seated the player (part of the
    shuffle). A player who `left` stays in the list: the computer plays the seat on, and the loss still counts. `away`
    marks a player who let the time run out.
    """

    user_id: int | None
    name: str
    joined_by: int
    left: bool = False
    away: bool = False

    @property
    def is_computer(self) -> bool:
        """Whether nobody ever sat here but the computer."""
        return self.user_id is None


class Match(_Record):
    """How a match is played: `games` ends after `target` games, `first-to` when somebody has `target` (2 to 100).

    What is counted is points by finishing order (`order`) or lost games (`losses`, the fewest win). `variants` are
    played in turn, by id; empty where every game is played by the table's rules.
    """

    kind: Literal["games", "first-to"] = "games"
    target: int = Field(ge=2, le=100)
    scoring: Literal["order", "losses"] = "order"
    variants: tuple[str, ...] = ()


class MatchLine(_Record):
    """A player of a match, in the seat order of its first game.

    `places` has an entry for each game that counted: the place from 1, or 0 where the player was not there any more.
    `lost` are those games in which the player was the shithead, counted from 1. Who `left` between games keeps the
    line; only then it has a `name`.
    """

    user_id: int | None
    name: str = ""
    left: bool = False
    places: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()


class Table(_Record):
    """A table in a channel, from lobby to end; `revision` counts the accepted changes.

    `id` is Discord's id of the click that opened it.

    `players` are in seat order. `deadline` is when time is up (the lobby closes, nobody may call any more, others may
    play the turn); `turn_since` is when the present turn began, `nudged` whether its player was reminded, `overdue`
    whether the deadline has passed. `paused` stops the clock while the table cannot be shown. `game` counts the games
    of a series from 1. `message_id` is the public message, None until it is sent, `placed_at` when that was;
    `nudge_id` the reminder that stands below it. `seal` is the SHA-256 of the shuffle's secret in hex; `secret` is
    filled when it is opened, and `next_seal` is then the seal of a rematch. `forfeit` is free text, cleaned; empty
    stands for a cup of tea. `stop_votes` are user ids. `title` is the name of the saved house rules that are played as
    they were saved, empty for others. `match` is None for single games; `standings` has a line for each player of the
    match from its first deal on.
    """

    id: int
    guild_id: int
    channel_id: int
    message_id: int | None = None
    placed_at: datetime | None = None
    nudge_id: int | None = None
    status: Status = "lobby"
    revision: int = 0
    host_id: int
    variant: str = "classic"
    title: str = ""
    rules: Rules
    pace: Pace = "normal"
    stretch: Literal[1, 2, 4] = 1
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
    overdue: bool = False
    paused: bool = False
    stop_votes: tuple[int, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the table is in use: a lobby or a running game."""
        return self.status in {"lobby", "playing"}

    def seat_of(self, user_id: int) -> int | None:
        """The seat of a person who is still at the table, None for anybody else."""
        return next((seat for seat, who in enumerate(self.players) if who.user_id == user_id and not who.left), None)


class DebtDraft(_Record):
    """A debt that is about to be made: it gets its id when it is stored."""

    debtor_id: int
    creditor_ids: tuple[int, ...]
    forfeit: str


class Deal(_Record):
    """What a game was dealt from: everything that its replay needs but the moves. `pack` is text, top first."""

    rules: Rules
    seats: int
    dealer: int
    pack: str
    joiners: tuple[int, ...]
    last_winner: int | None = None
    last_shithead: int | None = None

    def __repr__(self) -> str:
        """Holds no card."""
        return f"Deal({self.seats} seats)"

    __str__ = __repr__


class StoredMove(_Record):
    """An accepted move as text: its number in the game from 1, whose it is, the revision it led to.

    `seat` is None for what the clock does.
    """

    number: int
    seat: int | None
    move: str
    revision: int

    def __repr__(self) -> str:
        """Holds no card."""
        return f"Made(seat {self.seat}, revision {self.revision})"

    __str__ = __repr__


class Result(_Record):
    """How a game ended: `places` are the user ids (None for computers) in finishing order, the shithead last."""

    table_id: int
    guild_id: int
    game: int
    variant: str
    places: tuple[int | None, ...]
    shithead_id: int | None
    winner_id: int | None
    moves: int
    started_at: datetime
    ended_at: datetime


class Change(_Record):
    """One accepted change of a table: all of it is stored, or nothing.

    `after.revision` is one more than `before.revision`, or the same for a note that makes no message old (a
    reminder). `sealed` is the secret (hex) of the game that `after` has or will have next.
    """

    before: Table
    after: Table
    at: datetime
    interaction_id: int | None = None
    sealed: str | None = None
    deal: Deal | None = None
    made: StoredMove | None = None
    result: Result | None = None
    debt: DebtDraft | None = None

    def __repr__(self) -> str:
        """Holds neither card nor secret."""
        return f"Change(table {self.before.id}, revision {self.after.revision})"

    __str__ = __repr__


class GuildSettings(_Record):
    """What a server chose. `locale` None follows the server's own; `polite` is the name Palace everywhere.

    `variant` may also be the key of saved house rules.
    """

    guild_id: int
    locale: str | None = None
    polite: bool = False
    variant: str = "classic"
    four_colours: bool = False
    nudge_seconds: int = 60
    left_at: datetime | None = None


LONGEST_NAME: Final = 30
"""Characters in the name of saved house rules."""


def house_key(rule_id: int) -> str:
    """What stands for saved house rules where a variant is named."""
    return f"house:{rule_id}"


class HouseRule(_Record):
    """House rules that a server saved under a name: the full options, and the variant that they were made from.

    `id` is 0 until they are stored.
    """

    guild_id: int
    id: int = 0
    name: str
    variant: str
    rules: Rules
    saved_by: int
    saved_at: datetime

    @property
    def key(self) -> str:
        """What stands for these rules where a variant is named."""
        return house_key(self.id)


class Preferences(_Record):
    """What a person chose in a server.

    `quiet` wants no reminder that mentions them, `text_mode` no pictures, `uncounted` no statistics.
    """

    guild_id: int
    user_id: int
    quiet: bool = False
    four_colours: bool = False
    text_mode: bool = False
    uncounted: bool = False
