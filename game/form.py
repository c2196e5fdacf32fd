"""The first two reasons to refuse a move: it is malformed, or its option is off at this table (rules.md section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game.cards import card_of, face_rank, is_joker, named_rank
from game.moves import Call, Chance, Choose, Clear, Flip, Follow, Interrupt, Lay, Move, Play, Swap, Timeout, Tribute
from game.rows import as_row

if TYPE_CHECKING:
    from game.compiled import RuleBook
    from game.rules import Rules
    from game.state import State


def is_well_formed(state: State, move: Move) -> bool:
    """Whether the move makes sense by itself, whoever asks for it and whenever."""
    match move:
        case Play():
            return _is_well_formed_play(state.book, move)
        case Flip():
            return move.number >= 1
        case Interrupt() | Follow():
            return bool(move.cards)
        case Tribute():
            return (move.own is None) == (move.theirs is None)
        case Choose():
            up = state.book.rules.sizes_with(len(state.seats))[1]
            return len(move.slots) == up and all(move.slots)
        case _:
            return True


def _is_well_formed_play(book: RuleBook, move: Play) -> bool:
    cards = move.cards
    if not cards or (move.word and not any(book.names)):
        return False
    ranks = {face_rank(face) if book.wild else card_of(face) >> 2 for face in cards if not book.is_unnamed(face)}
    if not ranks:
        return False
    if any(named_rank(face) is not None and not is_joker(card_of(face)) for face in cards):
        return False
    is_set, is_row = len(ranks) == 1, book.sequences and as_row(cards) is not None
    if not is_set and not is_row:
        return not move.word or any(book.names[rank] for rank in ranks)
    last = ranks.pop() if is_set else face_rank((as_row(cards) or cards)[-1])
    return bool(move.word) == book.names[last]


def is_switched_off(state: State, move: Move) -> bool:
    """Whether the move belongs to an option that this table does not play with."""
    book, rules = state.book, state.book.rules
    match move:
        case Play():
            return not book.wild and any(named_rank(face) is not None for face in move.cards)
        case Chance():
            return rules.play.chance == "never"
        case Interrupt():
            return not rules.play.interrupt
        case Follow():
            return not rules.play.follow_up
        case Clear():
            return not rules.play.flush
        case Call() | Timeout():
            return rules.start.by != "face-up-then-call"
        case _:
            return _is_switched_off_before_play(rules, move)


def _is_switched_off_before_play(rules: Rules, move: Move) -> bool:
    choosing = rules.deal.method == "choose"
    match move:
        case Lay():
            return not rules.deal.stacking
        case Tribute():
            return not rules.end.tribute or choosing
        case Choose():
            return not choosing or (not rules.deal.stacking and any(len(slot) > 1 for slot in move.slots))
        case Swap():
            return rules.deal.exchange == "none" or choosing
        case _:
            return False
