"""How play begins: all seats are ready, a card is turned up, the starter is found or called (R3, R4, R29, R37, R47)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from game.cards import SEARCH, Rank
from game.compiled import FIRST_READING, FREE
from game.events import Called, Event, Readied, Started, StartedBy
from game.moves.move import Move, Refusal
from game.rules import PLAIN, Rules
from game.state import NOBODY, State

_HEART: Final = 2


@dataclass(frozen=True, slots=True)
class Ready(Move):
    """Say that the seat is done with preparing (R3)."""

    name = "ready"
    phase = "exchange"


def check_ready(state: State, who: int, _move: Ready) -> Refusal | None:
    return None if state.may_prepare(who) else Refusal.WRONG_PHASE


def ready(state: State, who: int, _move: Ready) -> State:
    """Note that the seat is ready; start play once all seats are."""
    done = state.frame.ready | 1 << who
    after = state.but(frame=state.frame.but(ready=done))
    if done & state.alive != state.alive:
        return after
    after = _find_starter(after)
    frame = after.frame.but(dealt=(), ready=0, swapped=0, chosen=0, thrown=None, thrower=NOBODY)
    return after.but(frame=frame)


def tell_ready(before: State, who: int, _move: Ready, after: State) -> list[Event]:
    rules = after.book.rules
    a_card_decided = after.frame.start_rank is not None or before.frame.thrown is not None
    why: StartedBy = rules.start.by if a_card_decided else "left"
    # R4 asks who was dealt the first such card; chosen cards (R32) have no deal order, so the event says "chosen".
    if why == "face-up-then-call" and rules.deal.method == "choose":
        why = "chosen"
    return [Readied(who), *_tell_start(after, why)]


@dataclass(frozen=True, slots=True)
class Call(Move):
    """Call the rank that is asked for, and so become the starter (R4 b)."""

    name = "call"
    phase = "call"

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.start.by == "face-up-then-call"


def check_call(state: State, who: int, _move: Call) -> Refusal | None:
    return None if who in _holders(state) else Refusal.NOT_HELD


def call(state: State, who: int, _move: Call) -> State:
    return _begin_play(state, who, state.frame.calling)


def tell_call(before: State, who: int, _move: Call, after: State) -> list[Event]:
    return [Called(who, cast("Rank", before.frame.calling)), *_tell_start(after, "called")]


@dataclass(frozen=True, slots=True)
class Timeout(Move):
    """The time to call has run out (R4); made by the clock, never by a seat, so any seat may be passed with it."""

    name = "timeout"
    phase = "call"
    by_clock = True

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.start.by == "face-up-then-call"


def check_timeout(_state: State, _who: int, _move: Timeout) -> None:
    """The clock may always make it."""


def timeout(state: State, _who: int, _move: Timeout) -> State:
    """Let the first seat that could have called start, counted from the dealer's left."""
    return _begin_play(state, _holders(state)[0], state.frame.calling)


def tell_timeout(_before: State, _who: int, _move: Timeout, after: State) -> list[Event]:
    return _tell_start(after, "call-nearest")


# -- finding the starter


def _holders(state: State) -> list[int]:
    """The seats that may call (R4 b), in order from the dealer's left."""
    rank = state.frame.calling
    mask = 0 if rank is None else state.book.rank_masks[rank]
    return [seat for seat in state.from_dealer() if state.seats[seat].hand & mask]


def _begin_play(state: State, starter: int, rank: Rank | None) -> State:
    frame = state.frame.but(phase="play", calling=None, opening=True, start_rank=rank, starter=starter)
    return state.but(frame=frame, turn=starter)


def _tell_start(after: State, why: StartedBy) -> list[Event]:
    if after.frame.phase != "play":
        return []
    rank, first_rank = after.frame.start_rank, after.book.search_order[0]
    is_usual = rank in {None, first_rank} or why == "lowest"  # `lowest` does not ask for a certain rank
    return [Started(after.turn, rank, why, missing=None if is_usual else first_rank)]


def _find_starter(state: State) -> State:
    """Turn up a card if the rules say so (R47) and find the starter, once all seats are ready."""
    if state.book.rules.start.turn_up:
        state = _turned_up(state)
    order = state.from_dealer()
    by = state.book.rules.start.by
    if by == "thrown":
        thrower = state.frame.thrower
        starter = state.ring[thrower] if thrower != NOBODY else order[0]
        return _begin_play(state.but(top=FREE), starter, None)
    if by == "left":
        return _begin_play(state, order[0], None)
    # The lowest card starts whatever `start.rank` says (R29); the first version began the search at that rank.
    ranks = SEARCH if by == "lowest" and state.book.reading != FIRST_READING else state.book.search_order
    for rank in ranks:
        dealt = _first_dealt(state, order, rank) if by == "face-up-then-call" else None
        if dealt is not None:
            return _begin_play(state, dealt, rank)
        holding = [seat for seat in order if state.seats[seat].hand & state.book.rank_masks[rank]]
        if holding and by == "face-up-then-call":
            return state.but(frame=state.frame.but(phase="call", calling=rank))
        if holding:
            return _begin_play(state, _pick_starter(state, holding, rank), rank)
    return _begin_play(state, order[0], None)


def _first_dealt(state: State, order: list[int], rank: Rank) -> int | None:
    """The seat that was dealt the first face-up card of a rank (R4 a), or the first in order that chose one (R32)."""
    if state.book.rules.deal.method == "choose":
        mask = state.book.rank_masks[rank]
        return next((seat for seat in order if state.seats[seat].up & mask), None)
    return next((seat for seat, dealt in state.frame.dealt if dealt == rank), None)


def _pick_starter(state: State, holding: list[int], rank: Rank) -> int:
    """The holder that starts: the one with most of the rank (R51) or its heart (R29), else the first in order."""
    if state.book.rules.start.by == "most":  # R51
        return max(holding, key=lambda seat: (state.seats[seat].hand & state.book.rank_masks[rank]).bit_count())
    heart = state.book.copies_of(rank * 4 + _HEART) if state.book.rules.start.by == "lowest" else 0  # R29
    return next((seat for seat in holding if state.seats[seat].hand & heart), holding[0])


def _turned_up(state: State) -> State:
    """Start the pile with the first stock card without a power; put those before it under the stock (R47)."""
    stock = state.stock
    for _ in range(len(stock)):
        bit, stock = stock[0], stock[1:]
        card = state.book.card(bit)
        if state.book.powers[card >> 2] == PLAIN:
            pile = (*state.pile, card)
            return state.but(stock=stock, pile=pile, held=state.held | bit, top=state.book.top_of(pile))
        stock = (*stock, bit)
    return state
