"""Moves out of turn: interrupts, follow-ups, and clearing a burned pile (R36, R39, R40)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from game.cards import JOKER, Card, Rank, face_rank, has_all, is_joker, is_low, make_face, unions
from game.compiled import FOUR, FREE, GLASS
from game.events import Burned, Cleared, Event, Followed, Interrupted
from game.moves.aftermath import going_out, put, tell_drawn, tell_end, tell_put
from game.moves.bound_plays import BoundPlay, completing, run_on_top
from game.moves.move import Move, OfCards, Refusal
from game.rules import Rules
from game.state import NOBODY, FollowUp, Seat, State, ring_of


class Interrupt(OfCards):
    """Complete four of a kind out of turn (R39)."""

    __slots__ = ()
    name = "interrupt"

    def is_well_formed(self, _rules: Rules, _seats: int, /) -> bool:
        return bool(self.cards)

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.play.interrupt


class Follow(OfCards):
    """Add cards just drawn to the set just played (R40)."""

    __slots__ = ()
    name = "follow"

    def is_well_formed(self, _rules: Rules, _seats: int, /) -> bool:
        return bool(self.cards)

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.play.follow_up


@dataclass(frozen=True, slots=True)
class Clear(Move):
    """Let the flush seat take the burned pile out of the game (R36)."""

    name = "clear"
    phase = "clear"

    def is_switched_on(self, rules: Rules, /) -> bool:
        return rules.play.flush


# -- interrupts and follow-ups take cards of one rank, no jokers, in whole slots, from the zone the seat must play from


def _check_holding(state: State, who: int, cards: tuple[Card, ...]) -> Refusal | None:
    book, seat = state.book, state.seats[who]
    if book.pick(cards, seat.hand | seat.up) is None:
        return Refusal.NOT_HELD
    if book.pick(cards, seat.hand or seat.up) is None:
        return Refusal.WRONG_ZONE
    if not seat.hand and book.pick_slots(seat.slots, cards) is None:
        return Refusal.NOT_ALLOWED
    return Refusal.MIXED_RANKS if len({card >> 2 for card in cards}) > 1 else None


def _sets_held(state: State, who: int, wanted: int) -> Iterator[tuple[Card, ...]]:
    """The sets of `wanted` cards that the seat holds; of sets that look the same, only one."""
    book, seat = state.book, state.seats[who]
    if seat.hand:
        masks = book.subsets(seat.hand & wanted)
    else:
        masks = unions(slot for slot in seat.slots if has_all(wanted, slot))
    yield from dict.fromkeys(tuple(book.cards(mask)) for mask in masks)


def _take_cards(state: State, who: int, mask: int) -> tuple[tuple[Seat, ...], tuple[int, ...], int]:
    """Take cards from a seat and refill its hand (R8); return the seats, the stock and the mask of what it drew."""
    seat = state.seats[who]
    if not seat.hand:
        return state.seats_with(who, seat.without_slots(mask)), state.stock, 0
    hand, stock, drawn = seat.hand & ~mask, state.stock, 0
    missing = state.frame.hand_size - hand.bit_count()
    if stock and missing > 0 and state.book.refills:
        drawn, stock = sum(stock[:missing]), stock[missing:]
    return state.seats_with(who, seat.with_hand(hand | drawn)), stock, drawn


def _complete_four(state: State, who: int, play: BoundPlay) -> State:
    """Complete four of a kind out of turn, which counts neither as an action (R18) nor as the opening lead (R45)."""
    # `put` burns the pile, so that all rules of burning apply as they do on turn. It also counts an idle action and
    # ends the opening, which a move out of turn must not do: both are put back. Only a drawn card resets the count.
    seats, stock, _ = _take_cards(state, who, play.mask)
    after = put(state.but(idle=0), who, play, seats, stock)
    after = after.but(frame=after.frame.but(opening=True)) if state.frame.opening else after
    return after.but(idle=0 if stock is not state.stock else state.idle)


# -- interrupts


def runs_to_complete(state: State) -> frozenset[tuple[Rank, int]]:
    """The (rank, cards missing) of the runs on top of the pile that one to three cards would complete (R39, R43)."""
    book = state.book
    runs: set[tuple[Rank, int]] = set()
    for face in reversed(state.pile):
        rank = face_rank(face)
        if rank != JOKER:
            lacking = FOUR - run_on_top(book, state.pile, rank)
            if lacking > 0:
                runs.add((rank, lacking))
        if not (book.play.runs_through_glass and book.code(face) == GLASS):
            break
    return frozenset(runs)


def check_interrupt(state: State, who: int, move: Interrupt) -> Refusal | None:
    if who == state.turn:
        return Refusal.NOT_ALLOWED
    if refusal := _check_holding(state, who, move.cards):
        return refusal
    return None if (move.cards[0] >> 2, len(move.cards)) in runs_to_complete(state) else Refusal.NOT_ON


def interrupts(state: State, who: int) -> Iterator[Interrupt]:
    """The sets that the seat holds of the ranks on top of the pile."""
    for rank, _ in sorted(runs_to_complete(state)) if state.book.play.interrupt else ():
        yield from map(Interrupt, _sets_held(state, who, state.book.rank_masks[rank]))


def interrupt(state: State, who: int, move: Interrupt) -> State:
    """Burn the pile and let the seat lead; cards that reverse still do."""
    return _complete_four(state, who, _interrupting_play(state, who, move))


def tell_interrupt(before: State, who: int, move: Interrupt, after: State) -> list[Event]:
    play = _interrupting_play(before, who, move)
    return tell_put(before, who, play, after, Interrupted(who, move.cards), tell_drawn(before, who, after))


def _interrupting_play(state: State, who: int, move: Interrupt) -> BoundPlay:
    book, seat = state.book, state.seats[who]
    mask = book.pick(move.cards, seat.hand) if seat.hand else book.pick_slots(seat.slots, move.cards)
    return completing(book, mask or 0, move.cards, reverses=True)


# -- follow-ups


def check_follow(state: State, who: int, move: Follow) -> Refusal | None:
    follow_up = state.frame.follow
    if follow_up is None or follow_up.seat != who:
        return Refusal.NOT_YOUR_TURN
    if refusal := _check_holding(state, who, move.cards):
        return refusal
    if is_joker(move.cards[0]) or move.cards[0] >> 2 != follow_up.rank:
        return Refusal.MIXED_RANKS
    return None if state.book.pick(move.cards, follow_up.may_add) is not None else Refusal.NOT_ALLOWED


def follows(state: State, who: int) -> Iterator[Follow]:
    """The sets of the cards that the seat just drew and may add."""
    if follow_up := state.frame.follow:
        yield from map(Follow, _sets_held(state, who, follow_up.may_add))


def follow(state: State, who: int, move: Follow) -> State:
    """Add the cards to their set, changing neither the turn nor what is asked, unless they complete four of a kind."""
    if completing_play := _completing_play(state, move):
        return _complete_four(state, who, completing_play)
    book, follow_up = state.book, cast("FollowUp", state.frame.follow)
    added = book.pick(move.cards, follow_up.may_add) or 0
    # Added cards are played with the same word as the set: on a low card they are low (R44).
    faces = tuple(make_face(card, low=is_low(state.pile[-1])) for card in move.cards)
    seats, stock, drawn = _take_cards(state, who, added)
    may_add = follow_up.may_add & ~added | drawn & book.rank_masks[follow_up.rank]
    after = state.but(
        frame=state.frame.but(follow=follow_up._replace(may_add=may_add)),
        seats=seats,
        stock=stock,
        pile=state.pile + faces,
        held=state.held | added,
        idle=0 if stock is not state.stock else state.idle,
    )
    return _go_out(after, who) if seats[who].is_out() else after


def _completing_play(state: State, move: Follow) -> BoundPlay | None:
    """The play by which a follow-up completes four of a kind, or None if it does not."""
    book, follow_up = state.book, cast("FollowUp", state.frame.follow)
    if not book.four or run_on_top(book, state.pile, follow_up.rank) + len(move.cards) < FOUR:
        return None
    return completing(book, book.pick(move.cards, follow_up.may_add) or 0, move.cards, reverses=False)


def _go_out(state: State, who: int) -> State:
    """Let a seat go out by a move out of turn; the turn passes on only if it was this seat's."""
    alive = state.alive & ~(1 << who)
    ring = ring_of(len(state.seats), alive, state.direction)
    frame = state.frame.but(**(going_out(state, who, alive) | {"follow": None}))
    if frame.phase == "over":
        return state.but(frame=frame, alive=alive, ring=ring, turn=NOBODY)
    return state.but(frame=frame, alive=alive, ring=ring, turn=ring[who] if state.turn == who else state.turn)


def tell_follow(before: State, who: int, move: Follow, after: State) -> list[Event]:
    followed = Followed(who, move.cards)
    drew = tell_drawn(before, who, after)
    if completing_play := _completing_play(before, move):
        return tell_put(before, who, completing_play, after, followed, drew)
    return [followed, *drew, *tell_end(before, after)]


# -- clearing


def check_clear(state: State, who: int, _move: Clear) -> Refusal | None:
    return None if who == state.frame.flush else Refusal.NOT_YOUR_TURN


def clear(state: State, _who: int, _move: Clear) -> State:
    """Take the pile out of the game; the seat that burned it plays on."""
    return state.but(frame=state.frame.but(phase="play"), burned=state.burned | state.held, pile=(), held=0, top=FREE)


def tell_clear(before: State, who: int, _move: Clear, _after: State) -> list[Event]:
    return [Cleared(who), Burned(who, len(before.pile))]
