"""Builds views from states by allow-list: the only place where a state becomes something that may be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import prod
from typing import Final

from game.cards import JOKER, Card
from game.compiled import DUTY, RuleBook, by_book
from game.events import Event, redact
from game.moves import BoundPlay, Move, legal_moves, must_lead_rank, other_taker, split_listed, would_burn
from game.state import Seat, State, seat_or_none
from game.view import Asked, SeatFace, SeatView, TableView

MOST_SETS: Final = (208, 832)
"""The most different sets in a hand for which a view lists every legal play, without and with wild jokers: a pack's."""


def unseen(state: State) -> bool:
    """Whether chosen face-up cards are still hidden from the other seats (R32)."""
    is_choosing = state.frame.phase == "exchange" and state.book.rules.deal.method == "choose"
    return is_choosing and state.frame.chosen & state.alive != state.alive


def redacted(events: Iterable[Event], after: State, seat: int | None = None) -> tuple[Event, ...]:
    """The events of the move that led to this state, as a seat may know them; with None, as everybody may."""
    hidden = unseen(after)
    return tuple(redact(each, seat, unseen=hidden) for each in events)


@by_book
def asked_of(book: RuleBook, code: int, jokers: int) -> Asked:
    """What a code asks, and which ranks are exceptions to it; the joker is listed only if the table has jokers."""
    kind, rank = book.asked[code]
    ranks = sorted(range(13), key=book.values.__getitem__)
    able = (*ranks, JOKER) if jokers else tuple(ranks)
    going = {each for each in able if book.answers[code] & book.masks[each]}
    barred = tuple(each for each in able if book.rank_satisfies(code, each) and each not in going)
    if code == DUTY or kind == "anything":
        return Asked(kind, rank, barred=barred)
    also = tuple(each for each in able if not book.rank_satisfies(code, each) and each in going)
    return Asked(kind, rank, also, barred, all_fit=len(going) == len(able))


def table_view(state: State) -> TableView:
    frame, rules = state.frame, state.book.rules
    # Built value by value, never by copying a state and removing things: a field added to the state later stays hidden
    # until it is listed here.
    return TableView(
        rules=rules,
        phase=frame.phase,
        turn=seat_or_none(state.turn),
        direction=state.direction,
        dealer=frame.dealer,
        pile=state.pile,
        stock=len(state.stock),
        burned=state.burned.bit_count(),
        seats=tuple(_face(state, at, seat) for at, seat in enumerate(state.seats)),
        asked=asked_of(state.book, state.top, rules.jokers_with(len(state.seats))),
        out=frame.out,
        calling=frame.calling,
        started=frame.phase in {"play", "clear", "over"} and not frame.opening,
        flush=seat_or_none(frame.flush),
        tribute_from=frame.tribute[1] if frame.tribute else None,
        shithead=seat_or_none(frame.shithead),
        winner=seat_or_none(frame.winner),
        next_dealer=state.next_dealer() if frame.phase == "over" else None,
        stands_still=frame.stands_still,
    )


def _face(state: State, at: int, seat: Seat) -> SeatFace:
    frame = state.frame
    return SeatFace(
        hand=seat.hand.bit_count(),
        up=None if unseen(state) else _slots(state.book, seat),
        down=seat.places,
        ready=bool(frame.ready >> at & 1),
        chosen=bool(frame.chosen >> at & 1),
        place=frame.out.index(at) + 1 if at in frame.out else None,
    )


def _slots(book: RuleBook, seat: Seat) -> tuple[tuple[Card, ...], ...]:
    return tuple(tuple(book.cards(slot)) for slot in seat.slots)


def listed_moves(state: State, seat: int) -> list[Move]:
    """The legal moves; for a hand with very many sets, plays that differ only in suits are listed once."""
    # Eight kings of two packs can be played in eighty ways that differ only in suits, but mostly only their number
    # matters. With sixteen wild jokers, sixteen kings have fifty thousand.
    book, hand = state.book, state.seats[seat].hand
    jokers = hand & book.joker_mask if book.wild else 0
    groups = [book.cards(hand & rank | jokers) for rank in book.rank_masks] if book.copies > 1 else []
    sets = sum(prod(count + 1 for count in Counter(group).values()) for group in groups)  # that do not look the same
    return legal_moves(state.but(book=book.brief) if sets > MOST_SETS[book.wild] else state, seat)


def seat_view(state: State, seat: int, table: TableView | None = None) -> SeatView:
    """The table as one seat sees it: in addition to what everybody sees, its own hand and its moves.

    `table` saves work if the view for everybody was already built from the same state.
    """
    mine, book = state.seats[seat], state.book
    choosing = state.frame.phase == "exchange" and book.rules.deal.method == "choose"
    moves, may_swap, may_lay = split_listed(listed_moves(state, seat))
    burning = frozenset(move for move in moves if isinstance(move, BoundPlay) and would_burn(book, state.pile, move))
    return SeatView(
        table=table or table_view(state),
        seat=seat,
        hand=tuple(book.cards(mine.hand)),
        up=_slots(book, mine),
        moves=moves,
        burning=burning,
        may_swap=may_swap,
        may_lay=may_lay,
        may_choose=choosing and not state.frame.chosen >> seat & 1,
        lead=must_lead_rank(state) if seat == state.turn else None,
        taker=other_taker(state, seat) if seat == state.turn and state.frame.phase == "play" else None,
    )
