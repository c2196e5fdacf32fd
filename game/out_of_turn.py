"""Moves out of turn: which interrupts and follow-ups a seat has, and why one is refused (R36, R39, R40)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.asking import GLASS
from game.cards import JOKER, Rank, face_rank, is_joker
from game.compiled import FOUR
from game.moves import Follow, Interrupt
from game.refusals import Refusal
from game.slots import pick_from_zone, unions

if TYPE_CHECKING:
    from game.cards import Card
    from game.compiled import RuleBook
    from game.moves import Move
    from game.state import Seat, State


def runs_to_complete(state: State) -> frozenset[tuple[Rank, int]]:
    """The ranks whose run on top of the pile lacks one, two or three cards, with how many (R39, R43)."""
    book = state.book
    found: set[tuple[Rank, int]] = set()
    for face in reversed(state.pile):
        rank = face_rank(face)
        if rank != JOKER:
            lacking = FOUR - book.run(state.pile, rank)
            if 1 <= lacking < FOUR:
                found.add((rank, lacking))
        if not (book.through_glass and book.code(face) == GLASS):
            break
    return frozenset(found)


def other_moves(state: State, who: int) -> list[Move]:
    """The interrupts and follow-ups of a seat (scenarios.md `others`)."""
    book, seat, frame = state.book, state.seats[who], state.frame
    if frame.phase != "play":
        return []
    found: list[Move] = []
    if book.rules.play.interrupt and who != state.turn:
        for rank, count in sorted(runs_to_complete(state)):
            masks = _held_sets(book, seat, book.rank_masks[rank])
            found += [Interrupt(tuple(book.cards(mask))) for mask in masks if mask.bit_count() == count]
    if frame.follow and frame.follow[0] == who:
        held = _held_sets(book, seat, frame.follow[1])
        found += [Follow(tuple(book.cards(mask))) for mask in held]
    return list(dict.fromkeys(found))


def _held_sets(book: RuleBook, seat: Seat, wanted: int) -> list[int]:
    if seat.hand:
        return book.subsets(seat.hand & wanted)
    return [mask for mask in unions(seat.slots) if mask & wanted == mask]


def check_clear(state: State, seat: int) -> Refusal | None:
    """Why the pile may not be cleared (R36), or None."""
    if state.frame.phase != "clear":
        return Refusal.WRONG_PHASE
    return None if seat == state.frame.flush else Refusal.NOT_YOUR_TURN


def check_interrupt(state: State, who: int, move: Interrupt) -> Refusal | None:
    """Why an interrupt is refused (R39), or None."""
    if who == state.turn:
        return Refusal.NOT_ALLOWED
    refusal = _check_holding(state, who, move.cards)
    if refusal is not None:
        return refusal
    rank = move.cards[0] >> 2
    return None if (rank, len(move.cards)) in runs_to_complete(state) else Refusal.NOT_ON


def _check_holding(state: State, who: int, cards: tuple[Card, ...]) -> Refusal | None:
    """Cards of one rank, no jokers, from the zone the seat would play from, whole slots (R39, R40)."""
    book, seat = state.book, state.seats[who]
    if book.pick(cards, seat.hand | seat.up) is None:
        return Refusal.NOT_HELD
    if book.pick(cards, seat.hand or seat.up) is None:
        return Refusal.WRONG_ZONE
    if pick_from_zone(book, seat, cards) is None:
        return Refusal.NOT_ALLOWED
    if len({card >> 2 for card in cards}) > 1:
        return Refusal.MIXED_RANKS
    return Refusal.NOT_ON if is_joker(cards[0]) else None


def check_follow(state: State, who: int, move: Follow) -> Refusal | None:
    """Why a follow-up is refused (R40), or None."""
    follow = state.frame.follow
    if follow is None or follow[0] != who:
        return Refusal.NOT_YOUR_TURN
    refusal = _check_holding(state, who, move.cards)
    if refusal is not None:
        return Refusal.MIXED_RANKS if refusal is Refusal.NOT_ON else refusal
    book = state.book
    if move.cards[0] >> 2 != follow[2]:
        return Refusal.MIXED_RANKS
    return None if book.pick(move.cards, follow[1]) is not None else Refusal.NOT_ALLOWED
