"""The end of the time before play: all are ready, a card is turned up, the starter is found (R3, R4, R29, R37, R47)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from game.asking import FREE
from game.cards import SEARCH, Rank, parse_rank
from game.rules import PLAIN
from game.state import NOBODY, preparation

if TYPE_CHECKING:
    from game.compiled import RuleBook
    from game.moves import Call, Ready, Timeout
    from game.state import State

_HEART: Final = 2


def search_order(book: RuleBook) -> tuple[Rank, ...]:
    """The ranks in the order in which a starter is looked for (R4, `start.rank`)."""
    first = SEARCH.index(parse_rank(book.rules.start.rank))
    return SEARCH[first:] + SEARCH[:first]


def seats_from_dealer(state: State) -> list[int]:
    """The seats with cards, clockwise from the dealer's left."""
    count = len(state.seats)
    around = [(state.frame.dealer + step) % count for step in range(1, count + 1)]
    return [seat for seat in around if state.alive >> seat & 1]


def holders(state: State) -> list[int]:
    """The seats that may call (R4 b), the dealer's left first."""
    rank = state.frame.calling
    mask = 0 if rank is None else state.book.rank_masks[rank]
    return [seat for seat in seats_from_dealer(state) if state.seats[seat].hand & mask]


def ready(state: State, who: int, _move: Ready) -> State:
    """The seat is ready; play starts when all are (R3)."""
    prepared = preparation(state)
    done = prepared.ready | 1 << who
    after = state.but(frame=state.frame.but(preparation=prepared.but(ready=done)))
    return _start(after) if done & state.alive == state.alive else after


def call(state: State, who: int, _move: Call) -> State:
    """A holder called (R4 b)."""
    return _begin(state, who, state.frame.calling)


def timeout(state: State, _who: int, _move: Timeout) -> State:
    """Nobody called in time: the first holder left of the dealer starts (R4)."""
    return _begin(state, holders(state)[0], state.frame.calling)


def _begin(state: State, starter: int, rank: Rank | None) -> State:
    frame = state.frame.but(phase="play", calling=None, preparation=None, opening=True, found=rank, starter=starter)
    return state.but(frame=frame, turn=starter)


def _start(state: State) -> State:
    """All are ready: turn up a card (R47) and find the starter."""
    if state.book.rules.start.turn_up:
        state = _turned_up(state)
    order = seats_from_dealer(state)
    by = state.book.rules.start.by
    if by == "thrown":
        thrower = preparation(state).thrower
        starter = state.ring[thrower] if thrower != NOBODY else order[0]
        return _begin(state.but(top=FREE), starter, None)
    if by == "left":
        return _begin(state, order[0], None)
    for rank in search_order(state.book):
        dealt = _first_dealt(state, order, rank) if by == "face-up-then-call" else None
        if dealt is not None:
            return _begin(state, dealt, rank)
        holding = [seat for seat in order if state.seats[seat].hand & state.book.rank_masks[rank]]
        if holding and by == "face-up-then-call":
            return state.but(frame=state.frame.but(phase="call", calling=rank, preparation=None))
        if holding:
            return _begin(state, _among_equals(state, holding, rank) if by == "lowest" else holding[0], rank)
    return _begin(state, order[0], None)


def _first_dealt(state: State, order: list[int], rank: Rank) -> int | None:
    """Who received the first card of a rank face up (R4 a), or was first to choose one (R32)."""
    if state.book.rules.deal.method == "choose":
        mask = state.book.rank_masks[rank]
        return next((seat for seat in order if state.seats[seat].up & mask), None)
    return next((seat for seat, dealt in preparation(state).dealt if dealt == rank), None)


def _among_equals(state: State, holding: list[int], rank: Rank) -> int:
    """The holder of the heart, else the nearest left of the dealer (R29)."""
    copies = state.book.copies
    heart = ((1 << copies) - 1) << (rank * 4 + _HEART) * copies
    return next((seat for seat in holding if state.seats[seat].hand & heart), holding[0])


def _turned_up(state: State) -> State:
    """The first stock card without a power starts the pile, those before it go under the stock (R47)."""
    stock = state.stock
    for _ in range(len(stock)):
        bit, stock = stock[0], stock[1:]
        card = state.book.card(bit)
        if state.book.powers[card >> 2] == PLAIN:
            pile = (*state.pile, card)
            return state.but(stock=stock, pile=pile, held=state.held | bit, top=state.book.top_of(pile))
        stock = (*stock, bit)
    return state
