"""Looks ahead: estimates what each move costs on average in worlds that agree with what the seat knows.

In each world every candidate is made, the roll-out player continues for some moves, and a network estimates the chance
of losing. All candidates are tried in the same worlds, so that luck affects them alike. The budget is a number of
moves, not a time: the same view, memory and random numbers give the same choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from game.moves import Clear, Move, advance
from game.players.inputs import state_rows
from game.players.memory import Memory
from game.players.network import Network, network
from game.players.reflex import Reflex, reflex
from game.players.worlds import Sampler, World, knowledge_in
from game.view import SeatView


class Budget(NamedTuple):
    """How far a search looks: `moves` in all, and `depth` moves in each world before the network judges it."""

    moves: int
    depth: int


def losses(view: SeatView, memory: Memory, moves: Sequence[Move], budget: Budget, rng: Random) -> list[float]:
    """The average cost of each move, from 0 to 1 (the game)."""
    sampler = Sampler(view, memory)
    judge = Judge(sampler, view.seat, budget.depth, rng)
    bound = [sampler.own_move(move) for move in moves]
    worlds = max(budget.moves // (budget.depth * len(moves)), 1)
    lost = [0.0] * len(moves)
    for _ in range(worlds):
        world = sampler.world(rng)
        for at, move in enumerate(bound):
            lost[at] += judge.play_on(advance(world, view.seat, move))
    return [each / worlds for each in lost]


class Judge:
    """Continues worlds with the roll-out player and estimates what they cost one seat."""

    def __init__(self, sampler: Sampler, seat: int, depth: int, rng: Random) -> None:
        self.seat, self.depth, self.chance = seat, depth, rng.random
        self.critic: Network = network("critic", sampler.book, sampler.seats)
        self.reflex: Reflex = reflex(sampler.book, sampler.seats)

    def play_on(self, world: World) -> float:
        """Play up to `depth` moves and estimate what the world then costs the seat."""
        seat = self.seat
        for _ in range(self.depth):
            if world.frame.phase == "over" or not world.alive >> seat & 1:
                return cost(world, seat)
            move = self.reflex.choose(world, self.chance)
            world = advance(world, world.frame.flush if isinstance(move, Clear) else world.turn, move)
        if world.frame.phase == "over" or not world.alive >> seat & 1:
            return cost(world, seat)
        return self.critic.value(state_rows(knowledge_in(world, seat)))


def cost(world: World, seat: int) -> float:
    """The cost, from 0 to 1, for a seat that is out or whose game is over (`end.aim`); a draw is shared by the rest."""
    frame = world.frame
    if frame.stands_still:
        return 0.0 if seat in frame.out else 1 / world.alive.bit_count()
    aim = world.book.rules.end.aim
    last = float(frame.shithead == seat)
    not_first = float(not frame.out or frame.out[0] != seat)
    return last if aim == "loser" else not_first if aim == "winner" else (last + not_first) / 2
