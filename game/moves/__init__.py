"""The moves: what a seat may do, what state it leads to, and the events it causes.

Every kind of move has a row in `KINDS`, and the functions below the table reach a kind only through its row. `check`
says why a move is refused, `legal_moves` lists the moves that are not, `apply` checks a move and makes it, `advance`
makes it without checking, and `events` tells what happened. All are pure functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from game.cards import NotAMoveError, folded
from game.events import Event
from game.moves import aftermath, blind, exchange, opening, out_of_turn, pick_up, play
from game.moves.blind import Chance, Flip
from game.moves.bound_plays import BoundPlay, Play, as_listed, play_of, would_burn
from game.moves.exchange import Choose, Lay, Swap, Tribute, split_listed
from game.moves.move import IllegalMove, Move, Refusal
from game.moves.opening import Call, Ready, Timeout
from game.moves.out_of_turn import Clear, Follow, Interrupt
from game.moves.pick_up import PickUp, other_taker
from game.moves.play import must_lead_rank, sets_of_four
from game.moves.sequences import sequence_cards
from game.state import State

__all__ = [
    "KINDS", "BoundPlay", "Call", "Chance", "Choose", "Clear", "Flip", "Follow", "IllegalMove", "Interrupt", "Lay",
    "Move", "PickUp", "Play", "Ready", "Refusal", "Swap", "Timeout", "Tribute", "advance", "apply", "as_listed",
    "check", "events", "format_move", "legal_moves", "must_lead_rank", "other_moves", "other_taker", "parse_move",
    "play_of", "sequence_cards", "sets_of_four", "split_listed", "turn_moves", "would_burn",
]  # fmt: skip


class Kind(NamedTuple):
    """The functions of one kind of move; `Any` stands for a move of that kind.

    `check` is called only if form, option, phase and turn are in order. `candidates` returns moves that may be legal;
    they are listed if they pass the check. Plays, choices and the timeout have no candidates: `turn_moves` lists the
    plays, and the other two are never listed.
    """

    check: Callable[[State, int, Any], Refusal | None]
    candidates: Callable[[State, int], Iterable[Move]]
    apply: Callable[[State, int, Any], State]
    tell: Callable[[State, int, Any, State], list[Event]]


def _constant(*moves: Move) -> Callable[[State, int], Iterable[Move]]:
    return lambda _state, _who: moves


KINDS: Final[Mapping[type[Move], Kind]] = {
    Play: Kind(play.check, _constant(), aftermath.play, aftermath.tell_play),
    Flip: Kind(blind.check_flip, blind.flips, blind.flip, blind.tell_flip),
    PickUp: Kind(pick_up.check, pick_up.candidates, pick_up.pick_up, pick_up.tell),
    Chance: Kind(blind.check_chance, blind.chances, blind.chance, blind.tell_chance),
    Interrupt: Kind(
        out_of_turn.check_interrupt, out_of_turn.interrupts, out_of_turn.interrupt, out_of_turn.tell_interrupt
    ),
    Follow: Kind(out_of_turn.check_follow, out_of_turn.follows, out_of_turn.follow, out_of_turn.tell_follow),
    Clear: Kind(out_of_turn.check_clear, _constant(Clear()), out_of_turn.clear, out_of_turn.tell_clear),
    Ready: Kind(opening.check_ready, _constant(Ready()), opening.ready, opening.tell_ready),
    Call: Kind(opening.check_call, _constant(Call()), opening.call, opening.tell_call),
    Lay: Kind(exchange.check_lay, exchange.lays, exchange.lay, exchange.tell_lay),
    Swap: Kind(exchange.check_swap, exchange.swaps, exchange.swap, exchange.tell_swap),
    Choose: Kind(exchange.check_choose, _constant(), exchange.choose, exchange.tell_choose),
    Tribute: Kind(exchange.check_tribute, exchange.tributes, exchange.pay_tribute, exchange.tell_tribute),
    Timeout: Kind(opening.check_timeout, _constant(), opening.timeout, opening.tell_timeout),
}
_ROWS: Final[Mapping[type[Move], Kind]] = {**KINDS, BoundPlay: KINDS[Play]}
_BY_NAME: Final = {kind.name: kind for kind in KINDS}
_ON_TURN: Final = [(row.candidates, row.check) for kind, row in KINDS.items() if kind.on_turn and kind is not Play]
_ONLY_MOVES: Final[Mapping[str, Sequence[Move]]] = {"clear": (Clear(),), "call": (Call(),)}
"""The only move on turn in phases in which nothing is played."""
_APPLY: Final = {kind: row.apply for kind, row in _ROWS.items()}
_TELL: Final = {kind: row.tell for kind, row in _ROWS.items()}


# -- checking, making, telling, listing


def check(state: State, seat: int, move: Move) -> Refusal | None:
    """Why `seat` may not make `move` now, or None; of several reasons, the first in the order of docs/rules.md."""
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
    """Check the move and return the state after it; `state` never changes. Raises `IllegalMove` if it is refused."""
    if refusal := check(state, seat, move):
        raise IllegalMove(refusal)
    return advance(state, seat, move)


def advance(state: State, seat: int, move: Move) -> State:
    """The state after a move that is known to be legal; for any other move the result is undefined."""
    if type(move) is Play:
        move = play.bind(state, seat, move)
    return _APPLY[type(move)](state, seat, move)


def events(before: State, seat: int, move: Move, after: State) -> tuple[Event, ...]:
    """The events of the move that led from `before` to `after`, in the order of docs/scenarios.md."""
    if type(move) is Play:
        move = play.bind(before, seat, move)
    return tuple(_TELL[type(move)](before, seat, move, after))


def legal_moves(state: State, seat: int) -> list[Move]:
    """Every move the seat may make now, on turn or not, except choices of face-up cards (R32).

    Flips and chance cards are listed without a word (R44).
    """
    phase = state.frame.phase
    moves = turn_moves(state) if phase == "play" and seat == state.turn else []
    for kind, row in KINDS.items():
        if kind.phase == phase and not kind.on_turn:
            moves += [move for move in row.candidates(state, seat) if check(state, seat, move) is None]
    return moves


def other_moves(state: State, seat: int) -> list[Move]:
    """The moves of a seat that it may make out of turn, in phase `play` (`others` in docs/scenarios.md)."""
    return [move for move in legal_moves(state, seat) if not move.on_turn] if state.frame.phase == "play" else []


def turn_moves(state: State) -> list[Move]:
    """The moves on turn in phase `play`; `Clear` in phase `clear`, `Call` in `call` (`legal` in docs/scenarios.md)."""
    frame, book, who = state.frame, state.book, state.turn
    if frame.phase != "play":
        return [*_ONLY_MOVES.get(frame.phase, ())]
    # Random play and search spend their time here, so almost every turn takes a fast path that does not call `check`;
    # test_agreement.py compares the two. With an option that is not in `LISTED`, the moves are checked after all.
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
            except KeyError:  # the first time in this book: `sets_of` caches the group
                moves += play.sets_of(book, group)
            fitting ^= group
        if not book.ordinary_plays:
            moves += play.uncommon_plays(state, book.fits[state.top])
    # With face-up cards it may depend on being stuck whether one is added (R13), so those are checked.
    if (seat.hand or (zone and not book.asks_if_stuck)) and book.ordinary_pick_up and not frame.duty:
        if state.pile and not (moves and book.plays_if_it_can):
            moves += pick_up.WITHOUT_A_CARD if seat.hand or not book.add_one else pick_up.with_slots(book, seat.slots)
        return moves
    return _with_other_moves(state, moves)


def _with_other_moves(state: State, plays: list[Move]) -> list[Move]:
    """These plays, checked if necessary, and the other moves of the seat on turn; for turns off the fast path."""
    book, who = state.book, state.turn
    if book.checks_each:
        plays = [each for each in plays if check(state, who, each) is None]
    if plays and book.plays_if_it_can and not state.frame.duty:
        return plays
    moves = [*plays]
    for candidates, refusal in _ON_TURN:
        moves += [move for move in candidates(state, who) if refusal(state, who, move) is None]
    return moves


# -- the notation (docs/rules.md section 6)


def parse_move(text: str) -> Move:
    """Parse a move without checking it: `play` without a card is a move too, though a malformed one.

    Raises `NotAMoveError` if the text is not a move, and `NotACardError` if a card in it is not one.
    """
    name, *words = folded(text).split() or [""]
    if name not in _BY_NAME:
        raise NotAMoveError(text)
    return _BY_NAME[name].read(words)


def format_move(move: Move) -> str:
    return f"{move.name} {move.words()}".rstrip()
