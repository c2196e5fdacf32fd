"""Counting games: shares with their confidence, runs, and what a player did in one game. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import sqrt
from typing import Final

from data.ended import Feat, PastGame, Played, Standing
from game.moves import apply
from game.moves import parse_move
from game.views import table_view
from tables.history import Rank, Score
from tables.progress import state_of

CONFIDENCE: Final = 1.959964
"""How many standard deviations hold 95 % of a normal distribution."""


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Wilson's interval for a share: where the true one lies with 95 % confidence."""
    if whole == 0:
        return 0.0, 1.0
    share, square = part / whole, CONFIDENCE**2
    middle = share + square / (2 * whole)
    reach = CONFIDENCE * sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    scale = 1 + square / whole
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def score_of(played: Sequence[Played]) -> Score:
    """What the games of a person, oldest first, come to."""
    lost = sum(each.lost for each in played)
    runs = [(value, sum(1 for _ in run)) for value, run in groupby(played, lambda each: each.lost)]
    low, high = wilson(lost, len(played))
    held = [each.most_held for each in played if each.most_held]
    turns = [each.turns for each in played if each.turns and not each.lost]
    return Score(
        games=len(played),
        lost=lost,
        low=low,
        high=high,
        unlost=max((length for value, length in runs if not value), default=0),
        losing=max((length for value, length in runs if value), default=0),
        most_held=max(held, default=None),
        fastest=min(turns, default=None),
        uncounted=sum(each.most_held is None for each in played),
    )


def ranked(standings: Iterable[Standing]) -> list[Rank]:
    """Who loses least, surest first: by the upper bound of the share of lost games."""
    ranks = [Rank(each.user_id, each.games, each.lost, *wilson(each.lost, each.games)) for each in standings]
    return sorted(ranks, key=lambda each: (each.high, -each.games, each.user_id))


def finishing_order(past: PastGame) -> list[int]:
    """The seats of a finished game in the order of their places."""
    return _played_out(past)[0]


def feats_of(past: PastGame) -> list[Feat]:
    """What each player of a finished game did; zeros where the record cannot be replayed."""
    try:
        order, held, turns = _played_out(past)
    except Exception:  # noqa: BLE001 - a damaged record is no reason to refuse statistics
        seats = range(1, past.deal.seats + 1)
        return [Feat(place, 0, 0) for place in seats]
    return [Feat(place, held[seat], turns[seat]) for place, seat in enumerate(order, start=1)]


def _played_out(past: PastGame) -> tuple[list[int], list[int], list[int]]:
    """Finishing order, the most cards in hand and the own turns of each seat."""
    state = state_of(past.deal)
    held = [seat.hand.bit_count() for seat in state.seats]
    turns = [0] * len(held)
    for made in past.moves:
        if made.seat is not None and state.frame.phase == "play":
            turns[made.seat] += 1
        state = apply(state, made.seat or 0, parse_move(made.move))
        held = [max(most, seat.hand.bit_count()) for most, seat in zip(held, state.seats, strict=True)]
    view = table_view(state)
    rest = [seat for seat in range(len(held)) if seat not in view.out and seat != view.shithead]
    return [*view.out, *rest, *([] if view.shithead is None else [view.shithead])], held, turns
