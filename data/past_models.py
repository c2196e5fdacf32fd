"""Games that have ended, as plain values: for replays, for verifying the shuffle, for statistics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from data.models import StoredGame, Table


@dataclass(frozen=True, slots=True)
class GameLine:
    """An ended game in a list; `moves` is None for one that was stopped."""

    table_id: int
    game: int
    channel_id: int
    variant: str
    title: str
    seats: int
    dealt_at: datetime
    moves: int | None


@dataclass(frozen=True, slots=True, repr=False)
class PastGame:
    """The game of this `number` at a table, which may have gone on to later games."""

    table: Table
    number: int
    game: StoredGame


@dataclass(frozen=True, slots=True)
class Feat:
    """What is counted of one player in one finished game: the most cards in hand, and the own turns."""

    place: int
    most_held: int
    turns: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A person in the table of a server: games played to the end, and how many of them lost."""

    user_id: int
    games: int
    lost: int


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game in the life of a person; the feats are None where they were not counted yet."""

    lost: bool
    most_held: int | None
    turns: int | None
