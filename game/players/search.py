"""Looks ahead: estimates what each move costs on average in worlds that agree with what the seat knows.

In each world every candidate is made, the roll-out player continues for some moves, and a network estimates the chance
of losing. All candidates are tried in the same worlds, so that luck affects them alike. The budget is a number of
moves, not a time: the same view, memory and random numbers give the same choice.

The roll-out player sees all cards and chooses a move within microseconds. It scores each move with a sum of a few
weights, looked up in a list that is computed once for each set of rules. It does not play well, but the mean over many
worlds is good enough.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import log
from random import Random
from typing import Final, NamedTuple

from game.cards import JOKER, face_rank
from game.compiled import FOUR, GLASS, RuleBook
from game.moves import BoundPlay, Chance, Clear, Flip, Move, PickUp, advance, turn_moves, would_burn
from game.moves.aftermath import next_after
from game.players.inputs import state_rows
from game.players.memory import Memory
from game.players.network import PILE_SIZES, RANK_COUNT, TRAITS, Recipe, card_recipes, network, weights_of
from game.players.worlds import Sampler, World, knowledge_in
from game.view import SeatView, TableView


class Budget(NamedTuple):
    """How far a search looks: `moves` in all, and `depth` moves in each world before the network judges it."""

    moves: int
    depth: int

    def where(self, table: TableView) -> Budget:
        """Fewer worlds, and less far, where a hand has more plays than usual: each move then takes longer to choose."""
        # Suits aside, 54 cards of a pack with two wild jokers have some 162: each with both, one or none of them.
        jokers = table.rules.jokers_with(len(table.seats)) if table.rules.power(JOKER).wild else 0
        times = 1 + max(face.hand for face in table.seats) * (1 + jokers) // 170
        return Budget(self.moves // times**2, max(self.depth // times, 1))


def average_costs(view: SeatView, memory: Memory, moves: Sequence[Move], budget: Budget, rng: Random) -> list[float]:
    """The average cost of each move, from 0 to 1 (the game)."""
    sampler, seat, budget = Sampler(view, memory), view.seat, budget.where(view.table)
    player, critic = rollout_player(sampler.book, sampler.seats), network("critic", sampler.book, sampler.seats)
    bound = [sampler.own_move(move) for move in moves]
    worlds = max(budget.moves // (budget.depth * len(moves)), 1)
    totals = [0.0] * len(moves)
    for _ in range(worlds):
        world = sampler.world(rng)
        for at, move in enumerate(bound):
            after = _played_on(advance(world, seat, move), seat, budget.depth, player, rng)
            is_over = _is_over_for(after, seat)
            totals[at] += cost(after, seat) if is_over else critic.value(state_rows(knowledge_in(after, seat)))
    return [each / worlds for each in totals]


def _played_on(world: World, seat: int, depth: int, player: RolloutPlayer, rng: Random) -> World:
    """The world after `depth` more moves by the roll-out player, or fewer if it is over for the seat by then."""
    for _ in range(depth):
        if _is_over_for(world, seat):
            break
        move = player.choose(world, rng.random)
        world = advance(world, world.frame.flush if isinstance(move, Clear) else world.turn, move)
    return world


def _is_over_for(world: World, seat: int) -> bool:
    return world.frame.phase == "over" or not world.alive >> seat & 1


def cost(world: World, seat: int) -> float:
    """The cost, from 0 to 1, for a seat that is out or whose game is over (`end.aim`); a draw is shared by the rest."""
    frame = world.frame
    if frame.stands_still:
        return 0.0 if seat in frame.out else 1 / world.alive.bit_count()
    last = float(frame.shithead == seat)
    not_first = float(not frame.out or frame.out[0] != seat)
    by_aim = {"loser": last, "winner": not_first, "both": (last + not_first) / 2}
    return by_aim[world.book.rules.end.aim]


def holding_out(view: SeatView, memory: Memory, moves: Sequence[Move]) -> Sequence[Move]:
    """Leave out moves after which another seat, as everybody knows, can end the game at once; not if all are such.

    Networks rate such a move by what it keeps for later, though there is no later.
    """
    table = view.table
    rivals = [at for at, face in enumerate(table.seats) if face.place is None and at != view.seat]
    known = [at for at in rivals if not (table.seats[at].down or memory.hidden(at))]
    if not known or table.to_draw or (len(rivals) > 1 and table.rules.end.aim != "winner"):
        return moves
    sampler = Sampler(view, memory)
    world = sampler.world(Random(0))  # noqa: S311 - nothing that it makes up is looked at

    def loses(move: Move) -> bool:
        after = advance(world, view.seat, sampler.own_move(move))
        rival = after.turn
        return rival in known and any(rival in advance(after, rival, each).frame.out for each in turn_moves(after))

    return [move for move in moves if isinstance(move, Flip | Chance) or not loses(move)] or moves


# -- the roll-out player

STAGES: Final = 3
"""The stages of a game with weights of their own, in the order of `_stage`."""
ROLLOUT_CARDS: Final = {"play": 4, "added": 1}
"""The blocks with a row for each rank and number of cards, up to this number."""
ROLLOUT_FACTS: Final = {
    "stays": 4, "burns": 8, "blocks": 8, "pick up": 8, "chance": 1, "again": 1, "goes out": 1, "ends zone": 1,
    "flip": 1,
}  # fmt: skip
"""The other blocks, each with its number of rows."""
ROLLOUT_WEIGHTS: Final = STAGES * (sum(ROLLOUT_CARDS.values()) * len(TRAITS) + sum(ROLLOUT_FACTS.values()))
NOISE: Final = 0.5
"""How much chance decides between nearly equal moves: the temperature of a softmax."""
_LARGEST_SET: Final = ROLLOUT_CARDS["play"]
_SIZES: Final = {block: most * RANK_COUNT for block, most in ROLLOUT_CARDS.items()} | ROLLOUT_FACTS
_FIRST_ROWS: Final = tuple(
    dict(zip(_SIZES, accumulate(_SIZES.values(), initial=stage * sum(_SIZES.values())), strict=False))
    for stage in range(STAGES)
)
"""For each stage the first row of each block, by name (as `game.players.inputs.START` for the networks)."""


def rollout_recipes(book: RuleBook) -> list[Recipe]:
    """The recipe of each row, stage by stage."""
    recipes: list[Recipe] = []
    at = 0
    for _ in range(STAGES):
        for most in ROLLOUT_CARDS.values():
            recipes += card_recipes(book, most, at)
            at += most * len(TRAITS)
        facts = sum(ROLLOUT_FACTS.values())
        recipes += [[(place, 1.0)] for place in range(at, at + facts)]
        at += facts
    return recipes


class RolloutPlayer:
    """The roll-out player for one set of rules."""

    def __init__(self, book: RuleBook, learned: Sequence[float]) -> None:
        self.book = book
        self.rows = [sum(learned[at] * factor for at, factor in recipe) for recipe in rollout_recipes(book)]

    def choose(self, world: World, chance: Callable[[], float]) -> Move:
        """Choose the move of the seat on turn; `chance` returns random numbers from 0 to 1 to vary the choice."""
        moves = turn_moves(world)
        if len(moves) == 1:
            return moves[0]
        best, most = moves[0], -1e9
        for move, score in zip(moves, self.scores(world, moves), strict=True):
            noisy = score - NOISE * log(-log(chance() + 1e-12) + 1e-12)  # Gumbel noise: the maximum samples a softmax
            if noisy > most:
                best, most = move, noisy
        return best

    def scores(self, world: World, moves: Sequence[Move]) -> list[float]:
        """A score for each move of the seat on turn: the sum of the rows that apply to it."""
        seat = world.seats[world.turn]
        zone = seat.hand or seat.up
        first = _FIRST_ROWS[_stage(world)]
        pile = bisect_left(PILE_SIZES, len(world.pile))
        rows = self.rows
        scores: list[float] = []
        for move in moves:
            if isinstance(move, BoundPlay):
                scores.append(self._play(world, move, zone, first, pile))
            elif isinstance(move, PickUp):
                score = rows[first["pick up"] + pile]
                scores.append(score + rows[first["added"] + (move.cards[0] >> 2)] if move.cards else score)
            else:
                scores.append(rows[first["chance"] if isinstance(move, Chance) else first["flip"]])
        return scores

    def _play(self, world: World, play: BoundPlay, zone: int, first: dict[str, int], pile: int) -> float:
        book, rows = self.book, self.rows
        row_of_one, more = first["play"] + face_rank(play.cards[0]) * _LARGEST_SET, len(play.cards) - 1
        score = rows[row_of_one + (more if more < _LARGEST_SET else _LARGEST_SET - 1)]
        stays = zone & ~play.mask
        alike = (stays & book.group_of[play.mask.bit_length()]).bit_count()
        score += rows[first["stays"] + (alike if alike < FOUR else 3)]
        if not stays and not world.stock:
            seat = world.seats[world.turn]
            score += rows[first["ends zone"] if (seat.hand and seat.up) or seat.down else first["goes out"]]
        # At most one of these applies: the play burns, the seat plays again, or the next seat must take the pile.
        if would_burn(book, world.pile, play):
            return score + rows[first["burns"] + pile]
        nearest = next_after(world, world.turn, play)
        if nearest == world.turn:
            return score + rows[first["again"]]
        other = world.seats[nearest]
        fits = book.answers[world.top if play.top == GLASS else play.top]
        answers = other.hand or other.up or other.down[-1]
        return score if answers & fits or book.play.stuck == "previous" else score + rows[first["blocks"] + pile]


def _stage(world: World) -> int:
    """The stage of a game: 0 if the seat plays its hand with a stock, 1 without one, 2 if it plays table cards."""
    if not world.seats[world.turn].hand:
        return 2
    return 0 if world.stock else 1


@lru_cache(maxsize=128)
def rollout_player(book: RuleBook, seats: int) -> RolloutPlayer:
    """The roll-out player for tables with these rules and seats."""
    return RolloutPlayer(book, [row[0] for row in weights_of("rollout", book.rules, seats).rows])
