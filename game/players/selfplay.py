"""Games of a network against itself, kept as what each choice looked like.

What a seat looks at is the same as in a real game (a test holds the two equal), only made from the whole table in less
time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from game.deal import deal, full_pack
from game.moves import Chance, Clear, Flip, advance, turn_moves
from game.players import baseline
from game.players.inputs import move_rows, state_rows
from game.players.levels import look_of
from game.players.network import softmax
from game.players.search import cost
from game.players.worlds import knowledge_in
from game.views import seat_view

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from game.moves import Move
    from game.players.network import Network
    from game.players.worlds import World
    from game.rules import Rules

PATIENCE: Final = 300
"""Actions without a card from the stock after which a game is given up as drawn: it would not teach much more."""


@dataclass(slots=True)
class Step:
    """A choice: the rows of the position as its seat sees it and as it is, those of its moves, and the one taken."""

    seat: int
    seen: list[int]
    whole: list[int]
    moves: list[list[int]]
    taken: int


@dataclass(slots=True)
class Game:
    """A game and its choices."""

    world: World
    steps: list[Step] = field(default_factory=list)

    def loss(self, seat: int) -> float:
        """What the game cost a seat, from 0 to 1; one that was given up is a draw."""
        if self.world.frame.phase == "over" or not self.world.alive >> seat & 1:
            return cost(self.world, seat)
        return 1 / self.world.alive.bit_count()


def play(rules: Rules, seats: int, player: Network, rng: Random) -> Game:
    """A game to its end, every seat played by the network, every move drawn by its chances."""
    world, shown = dealt(rules, seats, rng), [0] * seats
    game = Game(world)
    while world.frame.phase != "over" and world.idle < PATIENCE:
        moves = list({look_of(move): move for move in turn_moves(world)}.values())
        move = moves[0]
        if len(moves) > 1:
            game.steps.append(_choice(world, shown, moves, player, rng))
            move = moves[game.steps[-1].taken]
        seat = world.frame.flush if isinstance(move, Clear) else world.turn
        before, world = world, advance(world, seat, move)
        shown = shown_after(shown, before, seat, move, world)
    game.world = world
    return game


def dealt(rules: Rules, seats: int, rng: Random) -> World:
    """A shuffled pack, dealt and prepared as a computer player does it, with the opening lead due."""
    pack = list(full_pack(rules, seats))
    rng.shuffle(pack)
    state = deal(rules, seats, pack, rng.randrange(seats))
    while state.frame.phase in {"tribute", "exchange", "call"}:
        views = (seat_view(state, seat) for seat in range(seats))
        view = next(view for view in views if view.moves or view.may_choose)
        state = advance(state, view.seat, baseline.choose(view, rng))
    return state.but(book=state.book.brief)


def _choice(world: World, shown: Sequence[int], moves: Sequence[Move], player: Network, rng: Random) -> Step:
    seat = world.turn
    known = knowledge_in(world, seat, shown)
    seen, rows = state_rows(known), [move_rows(known, move) for move in moves]
    chances = softmax(player.scores(seen, rows))
    taken = rng.choices(range(len(moves)), chances)[0]
    return Step(seat, seen, state_rows(knowledge_in(world, seat)), rows, taken)


def shown_after(shown: Sequence[int], before: World, seat: int, move: Move, after: World) -> list[int]:
    """The masks of those cards in each hand that everybody has seen, after a move."""
    mover = before.seats[seat]
    public = before.held | (mover.held() & ~after.seats[seat].held())
    for chair in before.seats:
        public |= chair.up
    if isinstance(move, Flip):
        public |= mover.down[move.number - 1]
    elif isinstance(move, Chance):
        public |= before.stock[0]
    return [chair.hand & (known | public) for chair, known in zip(after.seats, shown, strict=True)]
