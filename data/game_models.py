"""Games as they are stored, as plain values: what one is dealt from, its moves, its result, its statistics.

Knows no table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypedDict

from game.rules import Rules

LevelName: TypeAlias = Literal["easy", "fair", "strong", "master"]


def shared_rules(written: Mapping[str, Any]) -> Rules:
    """Rules from what is stored of them; the same object for the same rules, because they are large.

    Raises:
        pydantic.ValidationError: they are damaged.
    """
    return _rules(json.dumps(written))


@lru_cache(1_000)
def _rules(written: str) -> Rules:
    return Rules.model_validate_json(written)


class DealColumns(TypedDict):
    """What a game is dealt from, as it is stored: the fields of its record, without the moves."""

    rules: dict[str, Any]
    seats: int
    dealer: int
    pack: str
    last_winner: int | None
    last_shithead: int | None


@dataclass(frozen=True, slots=True, repr=False)
class StoredMove:
    """An accepted move: its number in the game from 1, and the revision of the table that it led to.

    `seat` is None for what the clock does. `move` is text.
    """

    number: int
    seat: int | None
    move: str
    revision: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: `places` are the user ids (None for computers) in finishing order, the shithead last.

    `shithead` and `winner` are places, from 1; None if there is none, or a computer. `levels` are those of the
    computers, in the same order; None for people and the quick player.
    """

    places: tuple[int | None, ...]
    shithead: int | None
    winner: int | None
    moves: int
    levels: tuple[LevelName | None, ...]


@dataclass(frozen=True, slots=True, repr=False)
class StoredGame:
    """A game of a table as it is stored: what its record is made from.

    `joiners` are the clicks that took the seats. `secret` is the hex of the shuffle's secret: to be shown to nobody
    before the game has ended. `result` is None unless the game was played to its end.
    """

    secret: str
    deal: DealColumns
    joiners: tuple[int, ...]
    moves: tuple[StoredMove, ...] = ()
    result: Result | None = None


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


@dataclass(frozen=True, slots=True)
class Feat:
    """Statistics of one player in one finished game: the most cards in hand, and the number of turns."""

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
class Finish:
    """Who came where in a finished game: a person, or a computer of a level; neither if that is not known.

    `shithead` and `winner` are places of the game, as in `Result`.
    """

    table_id: int
    game: int
    shithead: int | None
    winner: int | None
    user_id: int | None
    level: LevelName | None


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game in the life of a person; the feats are None if they were not counted yet."""

    lost: bool
    most_held: int | None
    turns: int | None
