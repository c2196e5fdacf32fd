"""The moves: what a seat may do, what it leads to, and the events it causes.

Every kind of move has one row in `KINDS`; the functions below it know a kind only through its row. `check` says why a
move is refused, `legal_moves` lists those that are not, `apply` checks a move and makes it, `advance` makes it without
checking, `events` tells what happened. All are pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from game.cards import NotAMoveError, folded
from game.events import Event
from game.moves import aftermath, blind, exchange, opening, out_of_turn, pick_up, play
from game.moves.blind import Chance, Flip
from game.moves.bound_plays import BoundPlay, Play, as_listed, play_of, would_burn
from game.moves.exchange import Choose, Lay, Swap, Tribute, listed_apart
from game.moves.move import IllegalMove, Move, Refusal
from game.moves.opening import Call, Ready, Timeout
from game.moves.out_of_turn import Clear, Follow, Interrupt
from game.moves.pick_up import PickUp
from game.moves.play import must_lead_rank
from game.state import State

__all__ = [
    "KINDS", "BoundPlay", "Call", "Chance", "Choose", "Clear", "Flip", "Follow", "IllegalMove", "Interrupt", "Lay",
    "Move", "PickUp", "Play", "Ready", "Refusal", "Swap", "Timeout", "Tribute", "advance", "apply", "as_listed",
    "check", "events", "format_move", "legal_moves", "listed_apart", "must_lead_rank", "other_moves", "parse_move",
    "play_of", "turn_moves", "would_burn",
]  # fmt: skip


class Kind(NamedTuple):
    """The functions of one kind of move; `Any` stands for a move of that kind.

    `check` gives the reasons that remain when form, option, phase and turn are in order. `candidates` are moves that
    may be legal, of which those are listed that the check lets pass. Plays are listed by `turn_moves` itself.
    """

    check: Callable[[State, int, Any], Refusal | None]
    candidates: Callable[[State, int], Iterable[Move]]
    apply: Callable[[State, int, Any], State]
    tell: Callable[[State, int, Any, State], list[Event]]


def _just(*moves: Move) -> Callable[[State, int], Iterable[Move]]:
    return lambda _state, _who: moves


KINDS: Final[Mapping[type[Move], Kind]] = {
    Play: Kind(play.check, _just(), aftermath.play, aftermath.tell_play),
    Flip: Kind(blind.check_flip, blind.flips, blind.flip, blind.tell_flip),
    PickUp: Kind(pick_up.check, pick_up.candidates, pick_up.pick_up, pick_up.tell),
    Chance: Kind(blind.check_chance, blind.chances, blind.chance, blind.tell_chance),
    Interrupt: Kind(
        out_of_turn.check_interrupt, out_of_turn.interrupts, out_of_turn.interrupt, out_of_turn.tell_interrupt
    ),
    Follow: Kind(out_of_turn.check_follow, out_of_turn.follows, out_of_turn.follow, out_of_turn.tell_follow),
    Clear: Kind(out_of_turn.check_clear, _just(Clear()), out_of_turn.clear, out_of_turn.tell_clear),
    Ready: Kind(opening.check_ready, _just(Ready()), opening.ready, opening.tell_ready),
    Call: Kind(opening.check_call, _just(Call()), opening.call, opening.tell_call),
    Lay: Kind(exchange.check_lay, exchange.lays, exchange.lay, exchange.tell_lay),
    Swap: Kind(exchange.check_swap, exchange.swaps, exchange.swap, exchange.tell_swap),
    Choose: Kind(exchange.check_choose, _just(), exchange.choose, exchange.tell_choose),
    Tribute: Kind(exchange.check_tribute, exchange.tributes, exchange.pay_tribute, exchange.tell_tribute),
    Timeout: Kind(opening.check_timeout, _just(), opening.timeout, opening.tell_timeout),
}
_ROWS: Final[Mapping[type[Move], Kind]] = {**KINDS, BoundPlay: KINDS[Play]}
_BY_NAME: Final = {kind.name: kind for kind in KINDS}
_ON_TURN: Final = [(row.candidates, row.check) for kind, row in KINDS.items() if kind.on_turn and kind is not Play]
_APPLY: Final = {kind: row.apply for kind, row in _ROWS.items()}
_TELL: Final = {kind: row.tell for kind, row in _ROWS.items()}


# -- checking, making, telling, listing


def check(state: State, seat: int, move: Move) -> Refusal | None:
    """Why `seat` may not make `move` now, or None when it may. The first reason in the order of rules.md is given."""
    rules, phase, seats = state.book.rules, state.frame.phase, len(state.seats)
    if not 0 <= seat < seats or not move.is_well_formed(rules, seats):
        return Refusal.MALFORMED
    if phase == "over":
        return Refusal.GAME_OVER
    if not move.is_switched_on(rules):
        return Refusal.NOT_ALLOWED
    if phase != move.phase:
        return Refusal.WRONG_PHASE
    if move.on_turn and seat != state.turn:
        return Refusal.NOT_YOUR_TURN
    return _ROWS[type(move)].check(state, seat, move)


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
    if type(move) is Play:
        move = play.bind(state, seat, move)
    return _APPLY[type(move)](state, seat, move)


def events(before: State, seat: int, move: Move, after: State) -> tuple[Event, ...]:
    """The events of `move`, made by `seat` on `before` and leading to `after`, in the order of scenarios.md."""
    if type(move) is Play:
        move = play.bind(before, seat, move)
    return tuple(_TELL[type(move)](before, seat, move, after))


def legal_moves(state: State, seat: int) -> list[Move]:
    """Every move the seat may make now, in turn or out of it, choices of face-up cards (R32) excepted."""
    phase = state.frame.phase
    moves = turn_moves(state) if phase == "play" and seat == state.turn else []
    kinds = (row for kind, row in KINDS.items() if kind.phase == phase and not kind.on_turn)
    return moves + [each for row in kinds for each in row.candidates(state, seat) if check(state, seat, each) is None]


def other_moves(state: State, seat: int) -> list[Move]:
    """The moves of a seat out of turn, in play (scenarios.md `others`)."""
    return [each for each in legal_moves(state, seat) if not each.on_turn] if state.frame.phase == "play" else []


def turn_moves(state: State) -> list[Move]:
    """All moves on turn: in play, or the flush seat's in phase `clear`, or the call (scenarios.md `legal`)."""
    frame, book, who = state.frame, state.book, state.turn
    if frame.phase != "play":
        return [Clear()] if frame.phase == "clear" else [Call()] if frame.phase == "call" else []
    # Random play and search spend their time here, so what nearly every turn has in common takes a short way, in which
    # no check is asked; tests compare the two (test_agreement.py). Under an option that is new to it moves are checked.
    seat = state.seats[who]
    zone = seat.hand or seat.up
    moves: list[Move] = []
    if frame.opening or frame.duty or (not seat.hand and seat.is_stacked()):
        moves += play.legal_plays(state)
    else:
        sets, groups = book.sets, book.group_of
        fitting = zone & book.fits[state.top]
        while fitting:
            group = fitting & groups[fitting.bit_length()]
            try:
                moves += sets[group]
            except KeyError:  # once for a group and a book: `sets_of` keeps it
                moves += play.sets_of(book, group)
            fitting ^= group
        if not book.ordinary_plays:
            moves += play.uncommon_plays(state, book, seat, book.fits[state.top])
    if zone and book.ordinary_pick_up and not frame.duty:
        if state.pile:
            moves += pick_up.WITHOUT_A_CARD if seat.hand or not book.add_one else pick_up.with_slots(book, seat.slots)
        return moves
    return _with_other_moves(state, moves)


def _with_other_moves(state: State, plays: list[Move]) -> list[Move]:
    """The legal ones of these plays, and what else the seat on turn may do, where that is not just picking up."""
    book, who = state.book, state.turn
    if book.checks_each:
        plays = [each for each in plays if check(state, who, each) is None]
    if plays and book.plays_if_it_can and not state.frame.duty:
        return plays
    return plays + [each for listed, why in _ON_TURN for each in listed(state, who) if why(state, who, each) is None]


# -- the notation (rules.md section 6)


def parse_move(text: str) -> Move:
    """The move that a text names.

    The move is not judged here: `play` without a card is a move too, a malformed one.

    Raises:
        NotAMoveError: the text is no move. NotACardError: it names something that is no card.
    """
    name, *words = folded(text).split() or [""]
    if name not in _BY_NAME:
        raise NotAMoveError(text)
    return _BY_NAME[name].read(words)


def format_move(move: Move) -> str:
    """The move as text."""
    return f"{move.name} {move.words()}".rstrip()
