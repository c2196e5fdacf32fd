"""The players that ours are measured against, written from public descriptions of how the game is played well."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

from game.cards import JACK, JOKER, face_rank
from game.compiled import FOUR, RuleBook, by_book
from game.moves import BoundPlay, Clear, Move, PickUp, advance, turn_moves
from game.moves.aftermath import LAST_TWO
from game.moves.bound_plays import run_on_top
from game.players import LevelName, quick_player
from game.players.levels import STYLES, choose, options
from game.players.memory import Memory
from game.players.search import cost
from game.players.worlds import Sampler, World
from game.rules import PLAIN
from game.view import SeatView

Player: TypeAlias = Callable[[SeatView, Memory, Random], Move]
"""Chooses a move from what its seat may know."""

ROLL_OUTS: Final = 30
LONGEST: Final = 300
"""Moves after which a roll-out counts as a draw."""
GOOD: Final = 10
"""The worth from which on a card is worth picking up; special cards are above 20."""


def cheapest(view: SeatView, _memory: Memory, rng: Random) -> Move:
    """The cheapest set that goes, all of it; a pick-up when nothing does."""
    plays = [move for move in options(view) if isinstance(move, BoundPlay)]
    if not plays:
        return quick_player.choose(view, rng)
    rules = view.table.rules
    return min(plays, key=lambda play: (quick_player.worth(rules, play.cards[0] & 63), -len(play.cards)))


def today(view: SeatView, _memory: Memory, rng: Random) -> Move:
    """The player that the bot had before."""
    return quick_player.choose(view, rng)


def advised(view: SeatView, memory: Memory, rng: Random) -> Move:
    """What people who play well advise, as one rule of thumb for each move."""
    moves = options(view)
    return _advised(Sampler(view, memory).world(rng), moves, rng) if moves else quick_player.choose(view, rng)


def public(view: SeatView, memory: Memory, rng: Random) -> Move:
    """The same; with two seats left and no stock, what comes off best when 30 possible games are played out so."""
    moves = options(view)
    left = sum(seat.place is None for seat in view.table.seats)
    if len(moves) < LAST_TWO or left > LAST_TWO or view.table.stock:
        return advised(view, memory, rng)
    sampler = Sampler(view, memory)
    bound = [sampler.own_move(move) for move in moves]
    lost = [0.0] * len(moves)
    for _ in range(ROLL_OUTS):
        world = sampler.world(rng)
        for at, move in enumerate(bound):
            lost[at] += _played_out(advance(world, view.seat, move), view.seat, rng)
    return moves[lost.index(min(lost))]


def _played_out(world: World, seat: int, rng: Random) -> float:
    for _ in range(LONGEST):
        if world.frame.phase == "over" or not world.alive >> seat & 1:
            return cost(world, seat)
        move = _advised(world, turn_moves(world), rng)
        world = advance(world, world.frame.flush if isinstance(move, Clear) else world.turn, move)
    return 0.5


def _advised(world: World, moves: list[Move], rng: Random) -> Move:
    """The best advised move; now and then any, lest two such players go round for ever."""
    if world.idle > LONGEST // 6 and rng.random() < 0.3:  # noqa: PLR2004 - seldom enough
        return rng.choice([move for move in moves if isinstance(move, BoundPlay)] or moves)
    return min(moves, key=lambda move: _price(world, move)) if len(moves) > 1 else moves[0]


def _price(world: World, move: Move) -> float:
    book = world.book
    if isinstance(move, BoundPlay):
        return _price_of_play(world, move)
    if not isinstance(move, PickUp):
        return 0.0
    # Early in the game a small pile of good cards is worth having; later only what must be taken is.
    if move.cards:
        return 200.0 + _worth(book, move.cards[0] >> 2)
    early = len(world.stock) > 8 and len(world.pile) <= FOUR  # noqa: PLR2004 - about the first half of the stock
    values = [_worth(book, face_rank(face)) for face in world.pile]
    junk, good = sum(value < 5 for value in values), sum(value >= GOOD for value in values)  # noqa: PLR2004 - low cards
    return 10.5 + junk - 2.5 * good + len(values) / 2 if early else 100.0


def _price_of_play(world: World, play: BoundPlay) -> float:
    """Low cards first and all of them; special cards one at a time, late, and on a pile that is worth it."""
    book, seat = world.book, world.seats[world.turn]
    rank, count = face_rank(play.cards[0]), len(play.cards)
    value, special = _worth(book, rank), _is_special(book, rank)
    burns_by_rank = book.burning[rank]
    burns = burns_by_rank or (book.four and run_on_top(book, world.pile, rank) + count >= FOUR)
    price = 15.0 if burns_by_rank else 13.0 if special else float(value)
    if special:
        price += 6 * (count - 1)
    elif not burns:
        left = ((seat.hand or seat.up) & book.group_of[play.mask.bit_length()] & ~play.mask).bit_count()
        price += 2 * left if rank < JACK or not world.stock else count / 2
    if burns:
        lying = len(world.pile)
        return price - (20 if not burns_by_rank else 8 if lying >= 6 else 3 if lying >= FOUR else 0)  # noqa: PLR2004
    return price - _hinders(world, play)


def _hinders(world: World, play: BoundPlay) -> float:
    """What it is worth that the next seat, with few cards left, cannot answer; looks at its face-up cards only."""
    other = world.seats[world.ring[world.turn]]
    if other.hand.bit_count() + other.up.bit_count() + len(other.down) > FOUR:
        return 0.0
    fits = world.book.fits[play.top if play.top >= 0 else world.top]
    stuck = (
        not other.up & fits if other.up and not other.hand else 1 - fits.bit_count() / world.book.fits[0].bit_count()
    )
    return 3 * stuck * (1 + len(world.pile) / 4)


@by_book
def _worths(book: RuleBook) -> tuple[int, ...]:
    return tuple(quick_player.worth(book.rules, rank * 4) for rank in range(JOKER + 1))


def _worth(book: RuleBook, rank: int) -> int:
    return _worths(book)[rank]


def _is_special(book: RuleBook, rank: int) -> bool:
    return book.powers[rank] != PLAIN


def at_level(level: LevelName) -> Player:
    """One of our levels."""
    return lambda view, memory, rng: choose(view, memory, rng, level)


PLAYERS: Final[dict[str, Player]] = {
    "cheapest": cheapest,
    "today": today,
    "advised": advised,
    "public": public,
    **{level: at_level(level) for level in STYLES},
}
