"""What is legal: one check behind three doors (`check`, `legal_moves`, and `apply` in `game.engine`).

Refusals come in the order of rules.md section 4: the form of the move, the phase and the turn, then what the cards
themselves lack.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from game.asking import DUTY
from game.cards import JOKER, Face, card_of, face_rank
from game.choices import chance_laid, flip_laid, is_stuck, must_lead_rank, turn_moves
from game.compiled import FOUR
from game.form import is_switched_off, is_well_formed
from game.moves import (
    Call,
    Chance,
    Choose,
    Clear,
    Flip,
    Follow,
    Interrupt,
    Lay,
    Move,
    PickUp,
    Play,
    Ready,
    Swap,
    Timeout,
    Tribute,
)
from game.out_of_turn import check_clear, check_follow, check_interrupt, other_moves
from game.preparing import check_preparing
from game.refusals import Refusal
from game.rows import as_row
from game.slots import pick_from_zone, pick_slot, pick_slots
from game.state import NOBODY, Seat, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from game.cards import Card
    from game.compiled import RuleBook
    from game.plays import Laid

__all__ = ["bind", "chance_laid", "check", "flip_laid", "is_stuck", "legal_moves", "other_moves", "turn_moves"]

_PREPARING = (Swap, Choose, Lay, Ready, Call, Tribute, Timeout)


def check(state: State, seat: int, move: Move) -> Refusal | None:
    """Why `seat` may not make `move` now, or None when it may. The first reason in the order of rules.md is given."""
    if not is_well_formed(state, move) or not 0 <= seat < len(state.seats):
        return Refusal.MALFORMED
    if state.frame.phase == "over":
        return Refusal.GAME_OVER
    if is_switched_off(state, move):
        return Refusal.NOT_ALLOWED
    if isinstance(move, _PREPARING):
        return check_preparing(state, seat, move)
    if isinstance(move, Clear):
        return check_clear(state, seat)
    if state.frame.phase != "play":
        return Refusal.WRONG_PHASE
    if isinstance(move, Interrupt):
        return check_interrupt(state, seat, move)
    if isinstance(move, Follow):
        return check_follow(state, seat, move)
    if seat != state.turn:
        return Refusal.NOT_YOUR_TURN
    return _ON_TURN[Play if isinstance(move, Play) else type(move)](state, seat, move)


# -- plays


def bind(state: State, who: int, move: Play) -> Laid:
    """The play bound to the physical cards of the seat. The move must be legal."""
    seat, book = state.seats[who], state.book
    cards = book.named(move.cards)
    plain_cards = tuple(card_of(face) for face in cards)
    mask = pick_from_zone(book, seat, plain_cards)
    if mask is None:  # a combo: the hand and face-up slots (R41)
        mask = seat.hand | (pick_slots(book, seat, _beyond_hand(book, seat, plain_cards)) or 0)
    return book.laid(mask, Play(cards).cards, move.word)


def _beyond_hand(book: RuleBook, seat: Seat, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """What of a play is not in the hand; empty when the play leaves some of the hand behind."""
    more = Counter(cards)
    more.subtract(book.cards(seat.hand))
    return () if min(more.values()) < 0 else tuple(more.elements())


def _check_play(state: State, who: int, move: Play) -> Refusal | None:
    book, seat = state.book, state.seats[who]
    cards = tuple(card_of(face) for face in move.cards)
    if book.pick(cards, seat.hand | seat.up) is None:
        return Refusal.NOT_HELD
    if book.pick(cards, seat.hand or seat.up) is None:
        return _check_combo(state, seat, move)
    if pick_from_zone(book, seat, cards) is None:
        return Refusal.NOT_ALLOWED
    return _check_cards(state, move, in_hand=len(move.cards) if seat.hand else 0)


def _check_combo(state: State, seat: Seat, move: Play) -> Refusal | None:
    """A play that takes in face-up slots with the whole hand (R41)."""
    book = state.book
    named = book.named(move.cards)
    ranks = {face_rank(face) for face in named}
    beyond = _beyond_hand(book, seat, tuple(card_of(face) for face in named))
    if not (book.combo and not state.stock and len(ranks) == 1 and JOKER not in ranks and beyond):
        return Refusal.WRONG_ZONE
    if pick_slots(book, seat, beyond) is None:
        return Refusal.NOT_ALLOWED
    return _check_cards(state, move, in_hand=seat.hand.bit_count())


def _check_cards(state: State, move: Play, *, in_hand: int) -> Refusal | None:
    """Whether the cards may go on the pile; `in_hand` of them come from the hand."""
    book = state.book
    named = book.named(move.cards)
    if len({face_rank(face) for face in named}) > 1:
        row = as_row(named) if book.sequences else None
        return _check_row(state, row) if row else Refusal.MIXED_RANKS
    if state.frame.duty:
        return Refusal.NOT_ON if len(named) != 1 or not book.face_fits(DUTY, named[0]) else None
    rank = face_rank(named[0])
    if must_lead_rank(state) not in {None, rank}:
        return Refusal.NOT_ON
    if book.four_on_anything and in_hand >= FOUR and rank != JOKER:
        return None
    return next((refusal for face in named if (refusal := _refused(book, state.top, face)) is not None), None)


def _check_row(state: State, row: tuple[Face, ...]) -> Refusal | None:
    """A sequence, card by card, each on the one before (R34)."""
    book = state.book
    if any("burn" in book.powers[face_rank(face)].does for face in row[:-1]):
        return Refusal.MIXED_RANKS
    if state.frame.duty or must_lead_rank(state) is not None:
        return Refusal.NOT_ON
    top, pile = state.top, state.pile
    for face in row:
        refusal = _refused(book, top, face)
        if refusal is not None:
            return refusal
        pile = (*pile, face)
        top = book.top_of(pile)
    return None


def _refused(book: RuleBook, code: int, face: Face) -> Refusal | None:
    if book.face_fits(code, face):
        return None
    asked_low = book.asked[code][0] == "at-least" and face_rank(face) != JOKER
    return Refusal.TOO_LOW if asked_low and not book.is_barred(code, card_of(face) >> 2) else Refusal.NOT_ON


# -- the other moves on turn


def _check_pick_up(state: State, who: int, move: PickUp) -> Refusal | None:
    book, seat = state.book, state.seats[who]
    if not state.pile:
        return Refusal.EMPTY_PILE
    if book.must_play and not state.frame.duty and not is_stuck(state, who):
        return Refusal.MUST_PLAY
    adds = (
        book.add_one
        and not seat.hand
        and seat.up
        and not (book.stuck_previous and previous_can_take(state, who) and is_stuck(state, who))
    )
    if not move.added:
        return Refusal.ADD_ONE if adds else None
    if not adds:
        return Refusal.NOT_ALLOWED
    if pick_slot(book, seat, move.added) is not None:
        return None
    if book.pick(move.added, seat.up) is not None:
        return Refusal.NOT_ALLOWED
    return Refusal.NOT_HELD


def previous_can_take(state: State, who: int) -> bool:
    """Whether somebody else played last and still has cards (`play.stuck = "previous"`)."""
    return state.last not in {NOBODY, who} and bool(state.alive >> state.last & 1)


def _check_flip(state: State, who: int, move: Flip) -> Refusal | None:
    seat = state.seats[who]
    if seat.hand or seat.up:
        return Refusal.WRONG_ZONE
    return Refusal.NOT_HELD if move.number > len(seat.down) else None


def _check_chance(state: State, who: int, _move: Chance) -> Refusal | None:
    if not state.stock:
        return Refusal.EMPTY_STOCK
    if state.frame.duty:
        return Refusal.NOT_ON
    return Refusal.MUST_PLAY if state.book.chance == "stuck" and not is_stuck(state, who) else None


_ON_TURN: dict[type[Move], Callable[..., Refusal | None]] = {
    Play: _check_play,
    PickUp: _check_pick_up,
    Flip: _check_flip,
    Chance: _check_chance,
}


# -- all moves of a seat


def preparing_moves(state: State, who: int) -> list[Move]:
    """Swaps, lays, ready, call and tributes of a seat; choices of face-up cards (R32) are too many to list."""
    book, seat = state.book, state.seats[who]
    ups, hand = book.cards(seat.up), book.cards(seat.hand)
    wanted: list[Move] = [
        Ready(),
        Call(),
        Tribute(),
        *(Lay(card) for card in hand),
        *(Swap(card, up) for card in hand for up in ups),
    ]
    prepared = state.frame.preparation
    if prepared and prepared.tribute:
        theirs = book.cards(state.seats[prepared.tribute[1]].up)
        wanted += [Tribute(own, their) for own in ups for their in theirs]
    return [move for move in dict.fromkeys(wanted) if check(state, who, move) is None]


def legal_moves(state: State, who: int) -> list[Move]:
    """Every move the seat may make now, in turn or out of it, choices of face-up cards (R32) excepted."""
    if state.frame.phase in {"exchange", "tribute", "call"}:
        return preparing_moves(state, who)
    mine = who == (state.frame.flush if state.frame.phase == "clear" else state.turn)
    return (turn_moves(state) if mine else []) + other_moves(state, who)
