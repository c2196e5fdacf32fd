"""The engine: a state and a move give the next state. Pure, and without any randomness.

`apply` checks and moves; `advance` moves only, for callers that took the move from `legal_moves` of the same state.
Each kind of move is one small function. What happened is told by `events`, separately, so that whoever only wants the
next state pays nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from game.asking import FREE, GLASS
from game.cards import is_low, make_face
from game.compiled import FOUR
from game.deal import deal
from game.legality import bind, chance_laid, check, flip_laid, is_stuck, previous_can_take
from game.moves import (
    Call,
    Chance,
    Choose,
    Clear,
    Flip,
    Follow,
    Interrupt,
    Lay,
    PickUp,
    Play,
    Ready,
    Swap,
    Timeout,
    Tribute,
)
from game.plays import Laid
from game.preparing import choose, lay, pay_tribute, replaced, swap
from game.refusals import IllegalMove
from game.slots import pick_from_zone, pick_slot
from game.starter import call, ready, timeout
from game.state import NOBODY, Seat, State, ring_of
from game.story import events
from game.taking import lead_after_pick_up, take_pile
from game.turns import put

if TYPE_CHECKING:
    from collections.abc import Callable

    from game.cards import Card, Rank
    from game.moves import Move

__all__ = ["advance", "apply", "deal", "events"]


def apply(state: State, seat: int, move: Move) -> State:
    """The state after `seat` made `move`.

    Raises:
        IllegalMove: the rules refuse it; `state` is unchanged, as always.
    """
    refusal = check(state, seat, move)
    if refusal is not None:
        raise IllegalMove(refusal)
    return advance(state, seat, move)


def advance(state: State, seat: int, move: Move) -> State:
    """The state after a move that is known to be legal; nonsense after any other."""
    if isinstance(move, Play):
        return play(state, seat, move if type(move) is Laid else bind(state, seat, move))
    return _RARE[type(move)](state, seat, move)


def play(state: State, who: int, laid: Laid) -> State:
    """Put cards of the hand or face-up cards on the pile (R6), refill from the stock (R8)."""
    seats = state.seats
    seat = seats[who]
    hand, mask, stock = seat.hand, laid.mask, state.stock
    if not hand:
        after = _without_slots(seat, mask)
        return put(state, who, laid, (*seats[:who], after, *seats[who + 1 :]), stock)
    drawn = 0
    hand &= ~mask
    if stock and (state.book.refills or state.frame.opening):
        missing = state.frame.hand_size - hand.bit_count()
        if missing == 1:
            drawn = stock[0]
            stock = stock[1:]
        elif missing > 0:
            drawn = sum(stock[:missing])
            stock = stock[missing:]
        hand |= drawn
    after = (
        Seat(hand, seat.up, seat.slots, seat.down, seat.at) if not mask & seat.up else _without_slots(seat, mask, hand)
    )
    return put(state, who, laid, (*seats[:who], after, *seats[who + 1 :]), stock, drawn)


def _without_slots(seat: Seat, mask: int, hand: int = 0) -> Seat:
    slots = tuple(slot for slot in seat.slots if not slot & mask)
    return Seat(hand, seat.up & ~mask, slots, seat.down, seat.at)


def _flip(state: State, who: int, move: Flip) -> State:
    seat = state.seats[who]
    index = move.number - 1
    bit = seat.down[index]
    left = Seat(0, 0, (), seat.down[:index] + seat.down[index + 1 :], seat.at[:index] + seat.at[index + 1 :])
    seats = replaced(state, who, left)
    laid = flip_laid(state, bit, move.word)
    if laid is not None:
        return put(state, who, laid, seats, state.stock)
    after = take_pile(state, who, lead_after_pick_up(state, who), seats=seats, extra=bit)
    return after.but(frame=after.frame.but(opening=False)) if after.frame.opening else after


def _pick_up(state: State, who: int, move: PickUp) -> State:
    if state.book.stuck_previous and previous_can_take(state, who) and is_stuck(state, who):
        return take_pile(state, state.last, who)
    leads = state.ring[who] if state.frame.duty else lead_after_pick_up(state, who)
    if not move.added:
        return take_pile(state, who, leads)
    seat = state.seats[who]
    bits = pick_slot(state.book, seat, move.added) or 0
    return take_pile(state, who, leads, seats=replaced(state, who, _without_slots(seat, bits)), extra=bits)


def _chance(state: State, who: int, move: Chance) -> State:
    bit, stock = state.stock[0], state.stock[1:]
    laid = chance_laid(state, move.word)
    if laid is not None:
        after = put(state, who, laid, state.seats, stock)
        return after.but(frame=after.frame.but(opening=True)) if state.frame.opening else after
    return take_pile(state, who, lead_after_pick_up(state, who), extra=bit, stock=stock)


def _clear(state: State, _who: int, _move: Clear) -> State:
    return state.but(frame=state.frame.but(phase="play"), burned=state.burned | state.held, pile=(), held=0, top=FREE)


def _interrupt(state: State, who: int, move: Interrupt) -> State:
    mask = pick_from_zone(state.book, state.seats[who], move.cards) or 0
    return _complete(state, who, mask, move.cards, reverses=True)


def _complete(state: State, who: int, mask: int, cards: tuple[Card, ...], *, reverses: bool) -> State:
    """Four of a kind completed out of turn: it burns, an interrupt also turns the direction (R39, R40)."""
    laid = state.book.laid(mask, cards)
    seats, stock, _ = _out_of_turn(state, who, mask)
    burning = _silenced(laid)
    burning.reverses, burning.burns = laid.reverses if reverses else 0, True
    after = put(state.but(idle=0, frame=state.frame.but(duty=False)), who, burning, seats, stock)
    opening = state.frame.opening and not after.frame.opening
    after = after.but(frame=after.frame.but(opening=True)) if opening else after
    return after.but(idle=0 if stock is not state.stock else state.idle)


def _out_of_turn(state: State, who: int, mask: int) -> tuple[tuple[Seat, ...], tuple[int, ...], int]:
    """The seats and the stock after the seat gave these cards and drew again; last the mask it drew."""
    seat = state.seats[who]
    if not seat.hand:
        return replaced(state, who, _without_slots(seat, mask)), state.stock, 0
    hand, stock, drawn = seat.hand & ~mask, state.stock, 0
    missing = state.frame.hand_size - hand.bit_count()
    if stock and missing > 0 and state.book.refills:
        drawn, stock = sum(stock[:missing]), stock[missing:]
    return replaced(state, who, Seat(hand | drawn, seat.up, seat.slots, seat.down, seat.at)), stock, drawn


def _silenced(laid: Laid) -> Laid:
    """The same cards without any power, not shared."""
    other = Laid(laid.cards)
    for name in Laid.__slots__:
        setattr(other, name, getattr(laid, name))
    other.faces, other.gone, other.top, other.reverses, other.skips = laid.cards, 0, GLASS, 0, 0
    other.burns = other.beneath = other.again = other.gives = other.answer = other.two_left = other.simple = False
    return other


def _follow(state: State, who: int, move: Follow) -> State:
    book = state.book
    _, may_add, rank = cast("tuple[int, int, Rank]", state.frame.follow)
    mask = book.pick(move.cards, may_add) or 0
    low = is_low(state.pile[-1])
    faces = tuple(make_face(card, low=low) for card in move.cards)
    if book.four and book.run(state.pile, rank) + len(faces) >= FOUR:
        return _complete(state, who, mask, move.cards, reverses=False)
    seats, stock, drawn = _out_of_turn(state, who, mask)
    left = may_add & ~mask | drawn & book.rank_masks[rank]
    frame = state.frame.but(follow=(who, left, rank))
    idle = 0 if stock is not state.stock else state.idle
    after = state.but(frame=frame, seats=seats, stock=stock, pile=state.pile + faces, held=state.held | mask, idle=idle)
    return _went_out(after, who) if seats[who].is_out() else after


def _went_out(state: State, who: int) -> State:
    """A seat got rid of its last cards without being on turn: the order of play stays what it was."""
    alive = state.alive & ~(1 << who)
    ring = ring_of(len(state.seats), alive, state.direction)
    out = (*state.frame.out, who)
    aim, left = state.book.rules.end.aim, alive.bit_count()
    turn = ring[who] if state.turn == who else state.turn
    frame = state.frame.but(out=out, follow=None, winner=out[0] if aim != "loser" else NOBODY)
    if aim == "winner" or left == 1:
        turn = NOBODY
        loser = alive.bit_length() - 1 if aim != "winner" else NOBODY
        frame = frame.but(phase="over", shithead=loser)
    return state.but(frame=frame, alive=alive, ring=ring, turn=turn)


_RARE: dict[type[Move], Callable[[State, int, Any], State]] = {
    Flip: _flip, PickUp: _pick_up, Chance: _chance, Clear: _clear, Interrupt: _interrupt, Follow: _follow,
    Swap: swap, Choose: choose, Lay: lay, Ready: ready, Call: call, Tribute: pay_tribute, Timeout: timeout,
}  # fmt: skip
