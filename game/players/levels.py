"""The computer players: four levels, all of which judge moves with a small network.

`choose` picks a move, and `estimate` says what every move costs. Players are given a view and a memory, never a state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import log
from random import Random
from typing import Final, NamedTuple

from game.cards import card_of, face_rank
from game.moves import Follow, Interrupt, Move, PickUp, Play, sequence_cards
from game.players import LevelName, quick_player
from game.players.inputs import move_rows, state_rows
from game.players.knowledge import bound_move, knowledge_of
from game.players.memory import Memory
from game.players.network import network, softmax
from game.players.search import Budget, average_costs, holding_out
from game.view import SeatView


class Style(NamedTuple):
    """The settings of a level.

    `temperature` is that of the softmax that picks a move, 0 for the best move, and `margin` how far below the
    best score a move may be. `remembers` says whether the level knows who took which cards, `budget` how far it looks
    ahead. `weights` names those of its network (`game.players.network`).
    """

    temperature: float = 0.0
    margin: float = 0.0
    remembers: bool = True
    budget: Budget | None = None
    weights: str = "player"


STYLES: Final[Mapping[LevelName, Style]] = {
    "easy": Style(temperature=8.0, margin=16.0, remembers=False, weights="player-pupil"),
    "fair": Style(temperature=4.0, margin=12.0, weights="player-pupil"),
    "strong": Style(weights="player-pupil"),
    "master": Style(budget=Budget(2500, 10)),
}


class Estimate(NamedTuple):
    """A move, and its average cost, from 0 to 1 (the game)."""

    move: Move
    cost: float


PATIENCE: Final = 100
"""After this many moves without a card from the stock every level varies its play; else two could go round for ever."""
RESTLESS: Final = Style(temperature=1.5, margin=6.0)
"""How they play then; temperature and margin grow with the number of such moves."""


class Trust(NamedTuple):
    """How far a search trusts the network, so that noise does not decide.

    It tries only the `favourites` best moves, and only those to which the policy gives at least the probability
    `least`. `weight` is the cost that one unit of the network's score makes up for.
    """

    favourites: int
    least: float
    weight: float


BETWEEN_TWO: Final = Trust(5, 0.003, 0.01)
AT_THE_END: Final = Trust(9, 0.0, 0.005)
AMONG_MORE: Final = Trust(8, 0.0, 0.002)
"""Measured (docs/computer-players.md): between two players the policy is reliable while there is a stock; otherwise it
is worth trying more moves."""


def choose(view: SeatView, memory: Memory, rng: Random, level: LevelName) -> Move:
    """Choose the move of a seat as a level would; raises `ValueError` if the seat has none now."""
    moves = candidates(view)
    if len(moves) <= 1:
        return moves[0] if moves else quick_player.choose(view, rng)
    style = STYLES[level]
    if memory.idle > PATIENCE:
        patiences = memory.idle / PATIENCE
        style = Style(RESTLESS.temperature * patiences, RESTLESS.margin * patiences, weights=style.weights)
    memory = memory if style.remembers else memory.faded()
    moves = holding_out(view, memory, moves)
    scores = policy(view, memory, moves, style.weights)
    if style.budget:
        return _best_by_search(view, memory, moves, softmax(scores), style.budget, rng)
    if not style.temperature:
        return moves[scores.index(max(scores))]
    least = max(scores) - style.margin
    good = [index for index, score in enumerate(scores) if score >= least]
    varied_chances = softmax([scores[index] / style.temperature for index in good])
    return moves[rng.choices(good, varied_chances)[0]]


def estimate(view: SeatView, memory: Memory, rng: Random, budget: Budget) -> list[Estimate]:
    """Estimate what each of the `options` costs on average; the best first."""
    moves = options(view)
    costs = average_costs(view, memory, moves, budget, rng)
    return sorted(map(Estimate, moves, costs), key=lambda each: each.cost)


def candidates(view: SeatView) -> list[Move]:
    """The moves that a player considers: its options, without pick-ups where no network has learned to judge them.

    A play that goes out is the only candidate, because networks met it too rarely to rate it above all others. No
    weights were learned with hands refilled only at the opening; those of other games pick up far too often there
    (docs/computer-players.md).
    """
    moves = options(view)
    winning = next((move for wins in (goes_out, burns_and_goes_out) for move in moves if wins(view, move)), None)
    if winning is not None:
        return [winning]
    if view.table.rules.play.refill == "always":
        return moves
    return [move for move in moves if not isinstance(move, PickUp)] or moves


def options(view: SeatView) -> list[Move]:
    """The distinct moves on turn (`look_key`); empty off turn, on duty (R46) and with interrupts or follow-ups."""
    if view.table.phase != "play" or view.table.turn != view.seat or view.table.asked.kind == "red-jack":
        return []
    by_look: dict[object, Move] = {}
    for move in _unbroken_first(view) if view.table.rules.suits_matter else view.moves:
        by_look.setdefault(look_key(move), move)
    return [] if Interrupt in by_look or Follow in by_look else list(by_look.values())


def _unbroken_first(view: SeatView) -> list[Move]:
    """The moves, beginning with those that break no sequence; else they keep their order."""
    kept = sequence_cards(view.table.rules, view.hand or chain(*view.up))
    return sorted(view.moves, key=lambda move: len(kept.intersection(move.cards)) if isinstance(move, Play) else 0)


def goes_out(view: SeatView, move: Move) -> bool:
    """Whether a move plays the last cards of its seat, with none left to draw."""
    held = len(view.hand) + sum(map(len, view.up))
    return isinstance(move, Play) and len(move.cards) == held and not _gets_more(view)


def _gets_more(view: SeatView) -> bool:
    """Whether the seat will draw, or has face-down cards."""
    return bool(view.table.to_draw or view.table.seats[view.seat].down)


def burns_and_goes_out(view: SeatView, move: Move) -> bool:
    """Whether a move burns the pile and its seat can go out with the next play, whatever the others hold."""
    if not isinstance(move, Play) or move not in view.burning or not view.table.rules.play.burn_again:
        return False
    if _gets_more(view):
        return False
    ups = view.up_cards
    rest = Counter(view.hand or ups) - Counter(map(card_of, move.cards))
    if view.hand and ups:
        if rest:
            return False
        rest = Counter(ups)
    return len({card >> 2 for card in rest}) == 1


def look_key(move: Move) -> object:
    """A key that is equal for moves that look alike: it leaves out suits and flip numbers."""
    if isinstance(move, Play):
        return tuple(map(face_rank, move.cards)), move.word
    return tuple([card >> 2 for card in move.cards]) if isinstance(move, PickUp) else type(move)


def policy(view: SeatView, memory: Memory, moves: Sequence[Move], weights: str = "player") -> list[float]:
    """The scores of moves on turn by the network alone; `weights` names those it plays by."""
    known = knowledge_of(view, memory)
    rows = [move_rows(known, bound_move(known, move)) for move in moves]
    return network(weights, known.book, len(view.table.seats)).scores(state_rows(known), rows)


def trust_in_policy(view: SeatView) -> Trust:
    left = sum(seat.place is None for seat in view.table.seats)
    if left > 2:  # noqa: PLR2004 - the last two
        return AMONG_MORE
    return BETWEEN_TWO if view.table.stock else AT_THE_END


def _best_by_search(
    view: SeatView, memory: Memory, moves: Sequence[Move], chances: Sequence[float], budget: Budget, rng: Random
) -> Move:
    """The candidate that costs least in a search, with the score of the policy taken into account (`Trust`)."""
    trust = trust_in_policy(view)
    likeliest = sorted(zip(chances, moves, strict=True), key=lambda each: -each[0])[: trust.favourites]
    favourites = [(chance, move) for chance, move in likeliest if chance >= trust.least]
    tried = [move for _, move in favourites]
    if len(tried) == 1:
        return tried[0]
    penalties = [-trust.weight * log(max(chance, 1e-9)) for chance, _ in favourites]
    expected = average_costs(view, memory, tried, budget, rng)
    costs = [cost + penalty for cost, penalty in zip(expected, penalties, strict=True)]
    return tried[costs.index(min(costs))]
