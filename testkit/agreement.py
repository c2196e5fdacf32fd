"""Invariants of states and moves: no card is lost, `check`, `legal_moves` and `apply` agree, and events are true.

Each function that checks raises an `AssertionError` that says what is wrong.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Final

from game import events as ev
from game.cards import card_of
from game.moves import (
    Chance,
    Choose,
    Flip,
    IllegalMove,
    Move,
    PickUp,
    Play,
    Ready,
    apply,
    check,
    events,
    format_move,
    legal_moves,
    parse_move,
)
from game.moves.bound_plays import named
from game.state import NOBODY, STAND_STILL, State
from testkit.random_games import choices, every_idea, moves_of, other_ideas

ORDER: Final = (
    ("swapped", "chosen", "laid", "ready", "called", "paid-tribute", "cleared", "added"),
    ("started", "played", "flipped", "chanced", "interrupted", "followed"),
    ("burned", "picked-up"),
    ("drew",),
    ("reversed",),
    ("skipped",),
    ("went-out",),
    ("ended",),
)
"""The events in the order in which they may come, each at most once."""
PLACE: Final = {name: place for place, names in enumerate(ORDER) for name in names}


def whole_pack(state: State) -> list[int]:
    """The cards in all places, lowest first; every physical card must be in exactly one of them."""
    places = [state.held, state.burned, *state.stock]
    for seat in state.seats:
        places += [seat.hand, *seat.slots, *seat.down]
        assert seat.up == sum(seat.slots), "`up` has the cards in the slots"
        assert all(seat.slots), "no slot is empty"
        assert len(seat.places) == len(seat.down), "each face-down card has its place"
    assert sum(places).bit_count() == sum(place.bit_count() for place in places), "no card is in two places"
    return state.book.cards(sum(places))


def check_state(state: State, pack: list[int]) -> None:
    """Check that the pack, given lowest first, is complete and the state consistent."""
    assert whole_pack(state) == pack, "no card is lost"
    assert sorted(map(card_of, state.pile)) == state.book.cards(state.held), "the pile shows what it holds"
    frame = state.frame
    alive = sum(1 << who for who, seat in enumerate(state.seats) if not seat.is_out())
    assert alive == state.alive, "`alive` is right"
    assert sorted(frame.out) == [who for who, seat in enumerate(state.seats) if seat.is_out()], "`out` is right"
    assert state.idle <= STAND_STILL, "a stand-still ends the game"
    assert (state.turn == NOBODY) == (frame.phase in {"exchange", "call", "over"}), "somebody is on turn in play"
    assert state.turn == NOBODY or not state.seats[state.turn].is_out(), "nobody is on turn without cards"
    assert frame.phase == "over" or moves_of(state), "somebody can go on"


def _canonical(state: State, move: Move) -> Move:
    """The form in which `legal_moves` lists a move: wild jokers named, no word with a flip or a chance card."""
    match move:
        case Play():
            return named(state.book, move)
        case Flip():
            return Flip(move.number)
        case Chance():
            return Chance()
        case _:
            return move


def check_agreement(rng: random.Random, state: State) -> int:
    """Check that `check`, `legal_moves` and `apply` agree on every move tried; returns how many those were."""
    tried, before, pack = 0, hash(state), whole_pack(state)
    for who in range(len(state.seats)):
        listed = legal_moves(state, who)
        legal = set(listed)
        assert len(legal) == len(listed), "no move is listed twice"
        written = [parse_move(format_move(move)) for move in listed]
        assert written == listed, "a move is the same when written and read again"
        for move, again in zip(listed, written, strict=True):
            assert apply(state, who, move) == apply(state, who, again), f"listed and written differ: {move!r}"
        for move in [*listed, *choices(state, who), *dict.fromkeys(other_ideas(rng, state, who))]:
            _check_move(state, who, move, legal, pack)
            tried += 1
    nobody = (check(state, who, move) for who in (-1, len(state.seats)) for move in (Ready(), PickUp()))
    assert None not in nobody, "only seats at the table can move"
    assert hash(state) == before, "a state does not change"
    return tried


def check_exhaustively(state: State) -> int:
    """Check that of all conceivable moves in a small position, exactly those that `check` accepts are listed.

    Returns how many moves were tried.
    """
    tried = 0
    for who in range(len(state.seats)):
        ideas = list(dict.fromkeys(every_idea(state, who)))
        passed = {_canonical(state, move) for move in ideas if check(state, who, move) is None}
        listed = legal_moves(state, who)
        missing, surplus = passed - set(listed), set(listed) - passed
        assert not missing, f"not listed: {list(map(format_move, missing))}"
        untried = surplus - set(map(partial(_canonical, state), ideas))
        assert not untried, f"`every_idea` (testkit/random_games.py) does not try: {list(map(format_move, untried))}"
        assert not surplus, f"listed, but refused: {list(map(format_move, surplus))}"
        assert len(listed) == len(set(listed)), "no move is listed twice"
        tried += len(ideas)
    return tried


def _check_move(state: State, who: int, move: Move, legal: set[Move], pack: list[int]) -> None:
    refusal = check(state, who, move)
    allowed = refusal is None
    assert isinstance(move, Choose) or allowed == (_canonical(state, move) in legal), f"check says {refusal}: {move!r}"
    try:
        after = apply(state, who, move)
    except IllegalMove as error:
        given = error.refusal
    else:
        given = None
        assert whole_pack(after) == pack, f"no card is lost by {move!r}"
    assert given is refusal, f"apply says {given}, check {refusal}: {move!r}"


def check_events(before: State, who: int, move: Move, after: State) -> None:
    """Check that the events come in their order, each at most once, and tell what changed."""
    said = events(before, who, move, after)
    names = [event.name for event in said]
    assert [PLACE[name] for name in names] == sorted({PLACE[name] for name in names}), names
    assert ("reversed" in names) == (before.direction != after.direction), names
    assert ("ended" in names) == (after.frame.phase == "over"), names
    assert ("went-out" in names) == (before.frame.out != after.frame.out), names
    thrown = before.frame.thrown is not None
    if not thrown and "started" not in names and after.frame.phase != "call":
        _check_counts(before, after, said)


def _check_counts(before: State, after: State, said: Sequence[ev.Event]) -> None:
    """Check that the cards in the events are those that seats, pile and stock gained and lost."""
    held = Counter({who: seat.held().bit_count() for who, seat in enumerate(before.seats)})
    pile, stock, taken = len(before.pile), len(before.stock), 0
    for event in said:
        match event:
            case ev.Played() | ev.Flipped() | ev.Interrupted() | ev.Followed() | ev.Added():
                put = 1 if isinstance(event, ev.Flipped) else len(_cards_put(event))
                held[event.seat] -= put
                pile += put
            case ev.Chanced():
                stock, pile = stock - 1, pile + 1
            case ev.Drew():
                held[event.seat] += event.count
                stock -= event.count
            case ev.PickedUp() | ev.Burned():
                taken = event.count
                held[event.seat] += event.count if isinstance(event, ev.PickedUp) else 0
            case _:
                pass
    gone = 0 if any(event.name == "burned" for event in said) else (after.burned & ~before.burned).bit_count()
    assert held == Counter({who: seat.held().bit_count() for who, seat in enumerate(after.seats)}), "seats"
    assert stock == len(after.stock), "stock"
    assert len(after.pile) == (0 if taken else pile - gone), "pile"


def _cards_put(event: ev.Played | ev.Interrupted | ev.Followed | ev.Added) -> tuple[int, ...]:
    return event.faces if isinstance(event, ev.Played) else event.cards
