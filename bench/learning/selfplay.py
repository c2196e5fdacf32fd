"""Games of a network against itself, with what each choice looks like to the network.

A real player works out what it knows from what it saw; here the same knowledge is cut from the whole table, which is
faster. A test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from game.compiled import by_book
from game.deal import deal, full_pack
from game.moves import Chance, Clear, Flip, advance, turn_moves
from game.players import quick_player
from game.players.inputs import move_rows, state_rows
from game.players.knowledge import Holding, Knowledge
from game.players.levels import look_key
from game.players.search import ROLLOUT_WEIGHTS, RolloutPlayer, cost
from game.players.worlds import knowledge_in
from game.showing import seat_view

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from game.compiled import RuleBook
    from game.moves import Move
    from game.players.worlds import World
    from game.rules import Rules

PATIENCE: Final = 300
"""Actions without a card from the stock after which a game is given up as drawn: it would not teach much more."""


class Choice(NamedTuple):
    """What a choice looks like: the rows of the position as it is and as its seat sees it, and those of its moves."""

    seat: int
    whole: list[int]
    seen: list[int]
    moves: list[list[int]]


def play(rules: Rules, seats: int, decide: Callable[[Choice], int], rng: Random, *, whole: bool = False) -> World:
    """A game to its end, in which `decide` says by its number which move is made.

    `whole` says that it is to be told what the roll-out player looks at, who sees all cards.
    """
    look = _rollout_choice if whole else _choice
    world, shown = dealt(rules, seats, rng), [0] * seats
    while world.frame.phase != "over" and world.idle < PATIENCE:
        moves = list({look_key(move): move for move in turn_moves(world)}.values())
        move = moves[decide(look(world, shown, moves)) if len(moves) > 1 else 0]
        seat = world.frame.flush if isinstance(move, Clear) else world.turn
        before, world = world, advance(world, seat, move)
        shown = shown_after(shown, before, seat, move, world)
    return world


def loss(world: World, seat: int) -> float:
    """What a game that ended so cost a seat, from 0 to 1; one that was given up is a draw."""
    if world.frame.phase == "over" or not world.alive >> seat & 1:
        return cost(world, seat)
    return 1 / world.alive.bit_count()


def dealt(rules: Rules, seats: int, rng: Random) -> World:
    """A shuffled pack, dealt and prepared as a computer player does it, with the opening lead due."""
    pack = list(full_pack(rules, seats))
    rng.shuffle(pack)
    state = deal(rules, seats, pack, rng.randrange(seats))
    seat = 0
    while state.frame.phase in {"tribute", "exchange", "call"}:
        view = seat_view(state, seat)
        if view.moves or view.may_choose:
            state = advance(state, seat, quick_player.choose(view, rng))
        else:
            seat = (seat + 1) % seats
    return state.but(book=state.book.brief)


def _choice(world: World, shown: Sequence[int], moves: Sequence[Move]) -> Choice:
    known = as_seen(world, shown)
    rows = [move_rows(known, move) for move in moves]
    return Choice(world.turn, state_rows(knowledge_in(world, world.turn)), state_rows(known), rows)


def _rollout_choice(world: World, _shown: Sequence[int], moves: Sequence[Move]) -> Choice:
    return Choice(world.turn, state_rows(knowledge_in(world, world.turn)), [], looked_at(world, moves))


def as_seen(world: World, shown: Sequence[int]) -> Knowledge:
    """What the seat on turn knows: of the hands of others only the cards in the masks of `shown`."""
    everything, seat, seats = knowledge_in(world, world.turn), world.turn, list[Holding]()
    unknown = everything.unknown
    for each in everything.seats:
        known = each.known & shown[seat] if seats else each.known
        hidden = each.known ^ known
        seats.append(Holding(known, hidden.bit_count(), each.up, each.down))
        unknown |= hidden | each.below
        seat = world.ring[seat]
    about_the_pile = everything.pile, everything.lying, everything.code
    return Knowledge(world.book, tuple(seats), 0, *about_the_pile, everything.stock, unknown)


def looked_at(world: World, moves: Sequence[Move]) -> list[list[int]]:
    """For each move of the seat on turn the numbers of the rows that the roll-out player adds up."""
    return [list(numbers) for numbers in _row_lister(world.book).scores(world, moves)]


class RowLister(RolloutPlayer):
    """The roll-out player with the tuple `(n,)` as row `n`: to add rows up is to join their numbers."""

    def __init__(self, book: RuleBook) -> None:
        """It needs no weights."""
        super().__init__(book, [0.0] * ROLLOUT_WEIGHTS)
        self.rows: list[Any] = [(number,) for number in range(len(self.rows))]

    def scores(self, world: World, moves: Sequence[Move]) -> list[Any]:
        """For each move the joined numbers."""
        return super().scores(world, moves)


@by_book
def _row_lister(book: RuleBook) -> RowLister:
    return RowLister(book)


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
