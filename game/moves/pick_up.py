"""Picking up the pile (R9, R13, `play.stuck`, `play.must_play`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from game.cards import Card
from game.compiled import FIRST_READING, RuleBook, by_book
from game.events import Added, Event, PickedUp
from game.moves.aftermath import lead_after_pick_up, take_pile, tell_end
from game.moves.move import OfCards, Refusal
from game.moves.play import is_stuck
from game.state import NOBODY, State


class PickUp(OfCards):
    """Take the pile (R9); a seat that plays from face-up cards first adds a slot to it (R13)."""

    __slots__ = ()
    name = "pickup"
    on_turn = True


WITHOUT_A_CARD: Final = (PickUp(),)


def check(state: State, who: int, move: PickUp) -> Refusal | None:
    book, seat = state.book, state.seats[who]
    if not state.pile:
        return Refusal.EMPTY_PILE
    stuck = book.asks_if_stuck and is_stuck(state)
    if book.play.must_play and not state.frame.duty and not stuck:
        return Refusal.MUST_PLAY
    plays_face_up = seat.up and not seat.hand
    must_add = book.add_one and plays_face_up and not _is_given(state) and not (stuck and _previous_takes(state, who))
    if not move.cards:
        return Refusal.ADD_ONE if must_add else None
    if not must_add:
        return Refusal.NOT_ALLOWED
    if _slot_with(state, who, move.cards) is not None:
        return None
    return Refusal.NOT_ALLOWED if book.pick(move.cards, seat.up) is not None else Refusal.NOT_HELD


def candidates(state: State, who: int) -> Sequence[PickUp]:
    """A pick-up without a card and, from face-up cards, one with each slot."""
    seat = state.seats[who]
    slots = () if seat.hand or not state.book.add_one else with_slots(state.book, seat.slots)
    return (*WITHOUT_A_CARD, *slots)


@by_book
def with_slots(book: RuleBook, slots: tuple[int, ...]) -> tuple[PickUp, ...]:
    """A pick-up with each slot (R13); equal slots give one pick-up."""
    return tuple(dict.fromkeys(PickUp(tuple(book.cards(slot))) for slot in slots))


def _is_given(state: State) -> bool:
    """Whether the pile was given to the seat (R46), so that no card is added and nobody else can take it."""
    return state.frame.duty and state.book.reading != FIRST_READING


def _previous_takes(state: State, who: int) -> bool:
    """Whether the seat that played last takes the pile if the seat on turn is stuck (`play.stuck`)."""
    played_last = state.last not in {NOBODY, who} and bool(state.alive >> state.last & 1)
    return played_last and state.book.play.stuck == "previous"


def _slot_with(state: State, who: int, cards: tuple[Card, ...]) -> int | None:
    """The slot that holds exactly these cards, if any; of several, the one with the lowest copies."""
    return min((slot for slot in state.seats[who].slots if state.book.cards(slot) == list(cards)), default=None)


def other_taker(state: State, who: int) -> int | None:
    """The seat that played last, if it takes the pile when the one on turn picks up (`play.stuck`); else None."""
    may_take = state.book.asks_if_stuck and _previous_takes(state, who) and not _is_given(state)
    return state.last if may_take and is_stuck(state) else None


def pick_up(state: State, who: int, move: PickUp) -> State:
    """Give the pile to the seat, or to the one that played last; after a duty (R46) the next seat always leads."""
    taker = other_taker(state, who)
    if taker is not None:
        return take_pile(state, taker, who)
    leads = state.ring[who] if state.frame.duty else lead_after_pick_up(state, who)
    slot = _slot_with(state, who, move.cards) if move.cards else None
    if slot is None:
        return take_pile(state, who, leads)
    seats = state.seats_with(who, state.seats[who].without_slots(slot))
    return take_pile(state, who, leads, seats=seats, extra=slot)


def tell(before: State, who: int, move: PickUp, after: State) -> list[Event]:
    """The added slot, if any, then the pick-up."""
    added = [Added(who, move.cards)] if move.cards else []
    taker = other_taker(before, who)
    count = len(before.pile) + len(move.cards)
    picked_up = PickedUp(who, count) if taker is None else PickedUp(taker, count, by=who)
    return [*added, picked_up, *tell_end(before, after)]
