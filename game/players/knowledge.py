"""What a seat knows about the table, as masks of cards: the basis of every computer player.

Knowledge is built from a view and a memory alone. In a made-up world all cards are known, so no hand has hidden cards.
Seats are in turn order, beginning with the one that looks; seats that are out are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from game.cards import Card, Face, card_of
from game.compiled import RuleBook, book_of, by_book
from game.deal import full_pack
from game.moves.bound_plays import Play, bound_play, named
from game.moves.move import Move
from game.players.memory import Memory
from game.view import Asked, SeatView, TableView


@dataclass(slots=True, eq=False, repr=False)
class Holding:
    """What is known about the cards of one seat.

    `known` is the mask of the known cards of its hand, `hidden` the number of the others. `up` is the mask of its
    face-up cards. `down` is the number of its face-down cards, and `below` their mask if they are known, else 0.
    """

    known: int
    hidden: int
    up: int
    down: int
    below: int = 0


@dataclass(slots=True, eq=False, repr=False)
class Knowledge:
    """What a seat knows.

    `turn` is the index in `seats` of the seat on turn. `pile` has the faces on the pile, `lying` is their mask and
    `code` what they ask. `stock` is the number of cards to be drawn, `unknown` the mask of cards that may be anywhere.
    """

    book: RuleBook
    seats: tuple[Holding, ...]
    turn: int
    pile: tuple[Face, ...]
    lying: int
    code: int
    stock: int
    unknown: int


class SortedPack:
    """The pack sorted by what a seat knows: masks of hands, slots, pile, burned cards and `unknown` cards.

    `hidden` is, for each seat, the number of cards in its hand that are not known.
    """

    def __init__(self, view: SeatView, memory: Memory) -> None:
        """Take every known card out of the pack; of equal cards, the lowest copy first."""
        table = view.table
        self.book = book_of(table.rules)
        self.unknown = whole_pack(self.book, len(table.seats))
        self.burned = self._take(memory.burned)
        self.lying = self._take(map(card_of, table.pile))
        self.slots = [tuple(self._take(slot) for slot in seat.up or ()) for seat in table.seats]
        self.hands = [self._take(view.hand if at == view.seat else cards) for at, cards in enumerate(memory.held)]
        self.hidden = [0 if at == view.seat else memory.hidden(at) for at in range(len(table.seats))]

    def _take(self, cards: Iterable[Card]) -> int:
        bits = self.book.pick(cards, self.unknown) or 0
        self.unknown &= ~bits
        return bits


def knowledge_of(view: SeatView, memory: Memory) -> Knowledge:
    """What the seat of a view knows, combined with what everybody has seen."""
    pack, table = SortedPack(view, memory), view.table
    order = turn_order(table, view.seat)
    seats = tuple(
        Holding(pack.hands[at], pack.hidden[at], sum(pack.slots[at]), len(table.seats[at].down)) for at in order
    )
    turn = 0 if table.turn is None else order.index(table.turn)
    code = code_of(pack.book, table)
    return Knowledge(pack.book, seats, turn, table.pile, pack.lying, code, table.to_draw, pack.unknown)


def turn_order(table: TableView, first: int) -> list[int]:
    """The seats with cards, in turn order from `first`."""
    count = len(table.seats)
    around = ((first + step * table.direction) % count for step in range(count))
    return [seat for seat in around if table.seats[seat].place is None]


@by_book
def whole_pack(book: RuleBook, seats: int) -> int:
    """The mask of all cards of a table with `seats` seats."""
    return sum(book.spread(full_pack(book.rules, seats)))


def bound_move(known: Knowledge, move: Move) -> Move:
    """Bind a play to cards of the seat, those of its hand first; other moves stay as they are."""
    if not isinstance(move, Play):
        return move
    book, own, play = known.book, known.seats[0], named(known.book, move)
    cards = tuple(map(card_of, play.cards))
    mask = book.pick(cards, own.known) or book.pick(cards, own.known | own.up) or 0
    return bound_play(book, mask, play.cards, play.word)


def code_of(book: RuleBook, table: TableView) -> int:
    """The code of what the pile of a table asks."""
    code, asked = book.top_of(table.pile), table.asked
    return code if book.asked[code] == (asked.kind, asked.rank) else code_like(book, asked)


def code_like(book: RuleBook, asked: Asked) -> int:
    """The first code that asks this, for piles that do not ask what their cards say (R24, R46)."""
    return book.asked.index((asked.kind, asked.rank))
