"""Before play: exchange, choosing, laying, throwing and tribute (R3, R32, R33, R37, R42)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from game.moves import Call, Choose, Lay, Move, Swap, Timeout, Tribute
from game.refusals import Refusal
from game.starter import holders
from game.state import NOBODY, Seat, State, preparation

if TYPE_CHECKING:
    from game.cards import Card
    from game.compiled import RuleBook


# -- may it be done


def check_preparing(state: State, who: int, move: Move) -> Refusal | None:
    """Why a move of the time before play is refused, or None."""
    phase = state.frame.phase
    match move:
        case Timeout():
            return None if phase == "call" else Refusal.WRONG_PHASE
        case Call() if phase == "call":
            return None if who in holders(state) else Refusal.NOT_HELD
        case Tribute() if phase == "tribute":
            return _check_tribute(state, who, move)
        case Call() | Tribute():
            return Refusal.WRONG_PHASE
        case _:
            return _check_exchange(state, who, move) if phase == "exchange" else Refusal.WRONG_PHASE


def _check_exchange(state: State, who: int, move: Move) -> Refusal | None:
    prepared = preparation(state)
    chosen = bool(prepared.chosen >> who & 1)
    if prepared.ready >> who & 1 or not state.alive >> who & 1:
        return Refusal.WRONG_PHASE
    if isinstance(move, Choose):
        return Refusal.NOT_ALLOWED if chosen else _check_choice(state.book, state.seats[who], move)
    if state.book.rules.deal.method == "choose" and not chosen:
        return Refusal.WRONG_PHASE
    if isinstance(move, Lay):
        return _check_lay(state.book, state.seats[who], move)
    if isinstance(move, Swap):
        if state.book.rules.deal.exchange == "one" and prepared.swapped >> who & 1:
            return Refusal.NOT_ALLOWED
        return _check_swap(state.book, state.seats[who], move)
    return None


def _where(book: RuleBook, card: Card, zone: int, other: int) -> Refusal | None:
    if book.pick((card,), zone) is not None:
        return None
    return Refusal.WRONG_ZONE if book.pick((card,), other) is not None else Refusal.NOT_HELD


def _check_swap(book: RuleBook, seat: Seat, move: Swap) -> Refusal | None:
    refusal = _where(book, move.hand, seat.hand, seat.up) or _where(book, move.up, seat.up, seat.hand)
    if refusal is not None:
        return refusal
    return Refusal.MIXED_RANKS if _slot_for(book, seat, move) is None else None


def _check_lay(book: RuleBook, seat: Seat, move: Lay) -> Refusal | None:
    refusal = _where(book, move.card, seat.hand, seat.up)
    if refusal is not None:
        return refusal
    return None if _slot_like(book, seat, move.card) is not None else Refusal.MIXED_RANKS


def _check_choice(book: RuleBook, seat: Seat, move: Choose) -> Refusal | None:
    if book.pick((card for slot in move.slots for card in slot), seat.hand) is None:
        return Refusal.NOT_HELD
    return Refusal.MIXED_RANKS if any(len({card >> 2 for card in slot}) > 1 for slot in move.slots) else None


def _check_tribute(state: State, who: int, move: Tribute) -> Refusal | None:
    first, last = cast("tuple[int, int]", preparation(state).tribute)
    if who != first:
        return Refusal.NOT_YOUR_TURN
    if move.own is None or move.theirs is None:
        return None
    winner, loser = state.seats[first], state.seats[last]
    return _where(state.book, move.own, winner.up, winner.hand) or _where(state.book, move.theirs, loser.up, 0)


# -- doing it


def _slot_for(book: RuleBook, seat: Seat, move: Swap) -> int | None:
    """The first slot with the card asked for that may take the other: a stack stays of one rank (R33)."""
    holding = (slot for slot in seat.slots if book.pick((move.up,), slot) is not None)
    return next((slot for slot in holding if not slot & slot - 1 or move.hand >> 2 == move.up >> 2), None)


def _slot_like(book: RuleBook, seat: Seat, card: Card) -> int | None:
    """The number of the first slot whose cards are equal to `card`."""
    return next((number for number, slot in enumerate(seat.slots) if book.cards(slot)[0] >> 2 == card >> 2), None)


def replaced(state: State, who: int, seat: Seat) -> tuple[Seat, ...]:
    """The seats with one of them exchanged."""
    return (*state.seats[:who], seat, *state.seats[who + 1 :])


def with_card(seat: Seat, old: int, new: int) -> Seat:
    """The seat with one card, in hand or in a slot, exchanged for another; `new` 0 takes it away."""
    if seat.hand & old:
        return Seat(seat.hand & ~old | new, seat.up, seat.slots, seat.down, seat.at)
    slots = tuple(slot for slot in (slot & ~old | new if slot & old else slot for slot in seat.slots) if slot)
    return Seat(seat.hand, seat.up & ~old | new, slots, seat.down, seat.at)


def swap(state: State, who: int, move: Swap) -> State:
    """Exchange a hand card with a face-up card (R3)."""
    book, seat = state.book, state.seats[who]
    mine = book.pick((move.hand,), seat.hand) or 0
    slot = _slot_for(book, seat, move) or 0
    theirs = book.pick((move.up,), slot) or 0
    slots = tuple(each & ~theirs | mine if each == slot else each for each in seat.slots)
    after = Seat(seat.hand & ~mine | theirs, seat.up & ~theirs | mine, slots, seat.down, seat.at)
    prepared = preparation(state)
    frame = state.frame.but(preparation=prepared.but(swapped=prepared.swapped | 1 << who))
    return state.but(frame=frame, seats=replaced(state, who, after))


def choose(state: State, who: int, move: Choose) -> State:
    """Lay the chosen cards face up (R32) and refill the hand (R33)."""
    book, seat = state.book, state.seats[who]
    left, slots = seat.hand, list[int]()
    for cards in move.slots:
        slot = book.pick(cards, left) or 0
        left &= ~slot
        slots.append(slot)
    prepared = preparation(state)
    frame = state.frame.but(preparation=prepared.but(chosen=prepared.chosen | 1 << who))
    after = Seat(left, sum(slots), tuple(slots), seat.down, seat.at)
    return _refilled(state.but(frame=frame, seats=replaced(state, who, after)), who)


def lay(state: State, who: int, move: Lay) -> State:
    """Lay a hand card on the first equal slot and refill the hand (R33)."""
    book, seat = state.book, state.seats[who]
    bit, number = book.pick((move.card,), seat.hand) or 0, _slot_like(book, seat, move.card)
    slots = tuple(slot | bit if at == number else slot for at, slot in enumerate(seat.slots))
    after = Seat(seat.hand & ~bit, seat.up | bit, slots, seat.down, seat.at)
    return _refilled(state.but(seats=replaced(state, who, after)), who)


def _refilled(state: State, who: int) -> State:
    """The hand drawn up to its size; thrown cards go to the pile as they come (R33, R37)."""
    while state.stock and state.seats[who].hand.bit_count() < state.frame.hand_size:
        seat, bit = state.seats[who], state.stock[0]
        drawn = Seat(seat.hand | bit, seat.up, seat.slots, seat.down, seat.at)
        state = state.but(seats=replaced(state, who, drawn), stock=state.stock[1:])
        state = throw(state, [(who, bit)])
    return state


def throw(state: State, cards: list[tuple[int, int]]) -> State:
    """Those of `cards`, (seat, bit) in deal order, that are thrown go to the pile and are replaced (R37)."""
    prepared = preparation(state)
    rank, book = prepared.thrown, state.book
    for who, first in cards:
        bit = first
        while bit and rank is not None and book.card(bit) >> 2 == rank:
            new, stock = (state.stock[0], state.stock[1:]) if state.stock else (0, ())
            seats = replaced(state, who, with_card(state.seats[who], bit, new))
            frame = state.frame.but(preparation=preparation(state).but(thrower=who))
            state = state.but(
                seats=seats, stock=stock, pile=(*state.pile, book.card(bit)), held=state.held | bit, frame=frame
            )
            bit = new
    return state


def pay_tribute(state: State, who: int, move: Tribute) -> State:
    """The swap between the last winner and the last shithead, or none (R42); the exchange follows."""
    prepared = preparation(state)
    frame = state.frame.but(phase="exchange", preparation=prepared.but(tribute=None))
    after = state.but(frame=frame, turn=NOBODY)
    if move.own is None or move.theirs is None:
        return after
    _, loser = cast("tuple[int, int]", prepared.tribute)
    mine = state.book.pick((move.own,), state.seats[who].up) or 0
    theirs = state.book.pick((move.theirs,), state.seats[loser].up) or 0
    seats = list(state.seats)
    seats[who], seats[loser] = with_card(seats[who], mine, theirs), with_card(seats[loser], theirs, mine)
    return after.but(seats=tuple(seats))
