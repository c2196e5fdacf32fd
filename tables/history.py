"""What the doorway hands out of games that have ended, and of those who played them."""

from __future__ import annotations

from dataclasses import dataclass

from game.fairness import Verdict
from tables.snapshots import HandSnapshot


@dataclass(frozen=True, slots=True)
class Which:
    """A game that somebody asks for: who asks, in which channel of which server, table and number of the game."""

    guild_id: int
    channel_id: int
    user_id: int
    table_id: int
    game: int


@dataclass(frozen=True, slots=True)
class Rewound:
    """An ended game after `step` of its `steps` moves, as one seat saw it."""

    hand: HandSnapshot
    step: int
    steps: int


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
    `losing` are the longest runs; `most_held` and `fastest` (own turns until out) are None where nothing is known.
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
class Rank:
    """A line of a server's leaderboard."""

    user_id: int
    games: int
    lost: int
    low: float
    high: float
