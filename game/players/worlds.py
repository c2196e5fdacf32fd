"""The sampler: makes up worlds, which are tables that agree with what a seat knows.

The cards that the seat cannot see are dealt anew to the places where they may be. No other module of the players may
import the state, so that code that chooses a move cannot be given the true one.
"""

from __future__ import annotations

from random import Random
from typing import Final, TypeAlias

from game.cards import bits
from game.compiled import DUTY
from game.moves.bound_plays import Play
from game.moves.move import Move
from game.moves.play import bind
from game.players.knowledge import Holding, Knowledge, SortedPack, code_like, code_of
from game.players.memory import Memory
from game.state import NOBODY, Frame, Seat, State
from game.view import SeatView

World: TypeAlias = State
"""A made-up table, with a card in every place."""

DOUBT: Final = 0.25
"""The probability of letting a seat have a card with which it could have beaten a pile that it took."""


class Sampler:
    """Makes worlds in which everything that one seat knows is true."""

    def __init__(self, view: SeatView, memory: Memory) -> None:
        self.pack, self.seat = SortedPack(view, memory), view.seat
        self.book = book = self.pack.book
        self.seats = len(view.table.seats)
        self.passed = memory.passed
        self.answers = [book.answers[code_like(book, passed.asked)] if passed else 0 for passed in self.passed]
        self.unknown = list(bits(self.pack.unknown))
        self.in_stock = view.table.stock
        self.blank = _blank(view, self.pack, memory)

    def world(self, rng: Random) -> World:
        """Make up a world; worlds in which seats hold cards that they would have played are rare."""
        # All unseen cards are shuffled together. Hands take theirs first, because something is known about them (what
        # they did not answer), then face-down cards, then the stock; the rest must have burned.
        rest = self.unknown.copy()
        rng.shuffle(rest)
        seats: list[Seat] = []
        for seat, chair in enumerate(self.blank.seats):
            hand = chair.hand | self._hidden_cards(seat, rest, rng)
            down = tuple(rest.pop() for _ in chair.places)
            seats.append(Seat(hand, chair.up, chair.slots, down, chair.places))
        stock, gone = rest[: self.in_stock], rest[self.in_stock :]
        return self.blank.but(seats=tuple(seats), burned=self.pack.burned + sum(gone), stock=tuple(stock))

    def own_move(self, move: Move) -> Move:
        """A move of the seat bound to the masks that its cards have in these worlds."""
        return bind(self.blank, self.seat, move) if isinstance(move, Play) else move

    def _hidden_cards(self, seat: int, rest: list[int], rng: Random) -> int:
        """Take the hidden cards of a hand from `rest`."""
        # A seat that took a pile probably held no card to beat it, but may have picked up by choice, so such cards are
        # dealt to it rarely. This holds for the cards that it had then; those drawn since may be anything.
        missing, passed = self.pack.hidden[seat], self.passed[seat]
        cards: list[int] = []
        if missing and passed and passed.cards:
            likely = [bit for bit in rest if not bit & self.answers[seat] or rng.random() < DOUBT]
            cards = likely[: min(passed.cards, missing)]
        for bit in cards:
            rest.remove(bit)
        return sum(cards) + sum(rest.pop() for _ in range(missing - len(cards)))


def knowledge_in(world: World, first: int) -> Knowledge:
    """What seat `first` would know if it saw every card of a world except the stock."""
    seats: list[Holding] = []
    turn, seat = 0, first
    while not seats or seat != first:
        chair = world.seats[seat]
        if seat == world.turn:
            turn = len(seats)
        seats.append(Holding(chair.hand, 0, chair.up, len(chair.down), sum(chair.down)))
        seat = world.ring[seat]
    stock = len(world.stock) if world.book.refills or world.frame.opening else 0
    return Knowledge(world.book, tuple(seats), turn, world.pile, world.held, world.top, stock, sum(world.stock))


def _blank(view: SeatView, pack: SortedPack, memory: Memory) -> State:
    """The state of a view with the cards that its seat knows, without face-down cards and stock."""
    table = view.table
    top = code_of(pack.book, table)
    alive = sum(1 << seat for seat, face in enumerate(table.seats) if face.place is None)
    known = zip(pack.hands, pack.slots, table.seats, strict=True)
    seats = tuple(Seat(hand, sum(slots), slots, (), face.down) for hand, slots, face in known)
    return State(pack.book.brief, _frame(view, top), seats, alive, table.direction).but(
        turn=NOBODY if table.turn is None else table.turn,
        pile=table.pile,
        held=pack.lying,
        top=top,
        idle=memory.idle,
        last=NOBODY if memory.last is None else memory.last,
    )


def _frame(view: SeatView, top: int) -> Frame:
    table = view.table
    frame = Frame(table.phase, table.dealer, table.sizes.hand)
    frame.out = table.out
    frame.flush = NOBODY if table.flush is None else table.flush
    frame.opening = not table.started
    frame.start_rank = view.lead
    frame.starter = view.seat if view.lead is not None else NOBODY
    frame.duty = top == DUTY
    return frame
