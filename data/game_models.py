"""Stored games as plain values: the deal, the moves, the result, the statistics.

Must not depend on `data.models`, which imports this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypedDict

from game.players import LevelName
from game.rules import Rules


def shared_rules(written: Mapping[str, Any]) -> Rules:
    """Parse stored rules, which leave out defaults; raises `ValueError` if damaged. Equal rules are one object."""
    return _rules(json.dumps(written))


@lru_cache(1_000)
def _rules(written: str) -> Rules:
    return Rules.model_validate_json(written)


class DealColumns(TypedDict):
    """The stored deal of a game: the fields of its record, without the moves."""

    rules: dict[str, Any]
    seats: int
    dealer: int
    pack: str
    last_winner: int | None
    last_shithead: int | None


@dataclass(frozen=True, slots=True, repr=False)
class StoredMove:
    """An accepted move: its number in the game, from 1, the table's revision after it, and when it was made.

    `seat` is None for a move of the clock. `move` is in the notation of `game.moves.format_move`. `own` is whether the
    player of the seat made it by a click, rather than the computer; True in games that ended before this was stored.
    """

    number: int
    seat: int | None
    move: str
    revision: int
    made_at: datetime
    own: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: `places` are the user ids (None for computers) in finishing order, the shithead last.

    Where others were still in, after a stand-still or a win, they have the places after those who went out, by seat.
    `shithead` and `winner` are places, from 1; None if there is none. `levels` are in the same order as `places`; None
    for people and the quick player. `variant` is what the game was played by; later games of the table may differ.
    """

    places: tuple[int | None, ...]
    shithead: int | None
    winner: int | None
    moves: int
    levels: tuple[LevelName | None, ...]
    variant: str


@dataclass(frozen=True, slots=True, repr=False)
class StoredGame:
    """A stored game, from which its record is built.

    `joiners` are the ids of the clicks that took the seats. `secret` is the shuffle's secret in hex, which must not be
    shown before the game has ended. `variant` and `places` (as in `Result`) are empty unless it was played to its end.
    """

    secret: str
    deal: DealColumns
    joiners: tuple[int, ...]
    moves: tuple[StoredMove, ...] = ()
    variant: str = ""
    places: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class GameLine:
    """An ended game in a list; `moves` is the number of moves, None for a game that was not played to its end."""

    table_id: int
    game: int
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
class Losses:
    """A line of the leaderboard of a server: how many games a person finished, and how many of them they lost."""

    user_id: int
    games: int
    lost: int


@dataclass(frozen=True, slots=True)
class Finish:
    """A place in a finished game: a person, or a computer of a level; both None if that is not known.

    `shithead` and `winner` belong to the whole game, as in `Result`.
    """

    table_id: int
    game: int
    shithead: int | None
    winner: int | None
    user_id: int | None
    level: LevelName | None


@dataclass(frozen=True, slots=True)
class Played:
    """A finished game of one person; `most_held` and `turns` (see `Feat`) are None until they are counted."""

    lost: bool
    most_held: int | None
    turns: int | None
