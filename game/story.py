"""What happened between two states, in the order of scenarios.md; apart from the engine, so that only who asks pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from game import events as told
from game.choices import chance_laid, flip_laid
from game.legality import bind
from game.moves import (
    Call,
    Chance,
    Choose,
    Clear,
    Flip,
    Follow,
    Interrupt,
    Lay,
    PickUp,
    Play,
    Ready,
    Swap,
    Timeout,
    Tribute,
)
from game.plays import Laid
from game.state import preparation, seat_or_none
from game.turns import passed_over

if TYPE_CHECKING:
    from collections.abc import Callable

    from game.cards import Rank
    from game.events import Event
    from game.moves import Move
    from game.state import State


def events(before: State, seat: int, move: Move, after: State) -> tuple[Event, ...]:
    """The events of `move`, made by `seat` on `before` and leading to `after`, in their normative order."""
    if isinstance(move, Play):
        laid = move if type(move) is Laid else bind(before, seat, move)
        return tuple(_after_cards(before, seat, laid, after, [told.Played(seat, laid.shown)]))
    return tuple(_TELLERS[type(move)](before, seat, move, after))


def _after_cards(before: State, who: int, laid: Laid, after: State, said: list[Event]) -> list[Event]:
    """What follows cards on the pile: burned or picked up, drew, reversed, skipped, went out, ended."""
    kept = len(laid.faces)
    if not after.pile:
        if after.burned != before.burned | laid.gone:
            said.append(told.Burned(who, len(before.pile) + kept))
        elif before.pile or kept:
            said.append(told.PickedUp(_picker(before, laid, after), len(before.pile) + kept))
    if before.stock is not after.stock:
        _tell_draw(before, who, after, said)
    if laid.simple and before.frame is after.frame:
        return said
    if before.direction != after.direction:
        said.append(told.Reversed(after.direction))
    _tell_skips(before, who, laid, after, said)
    return _tell_end(before, after, said)


def _picker(before: State, laid: Laid, after: State) -> int:
    """Who holds the pile now, with what was played on it."""
    return next(seat for seat, chair in enumerate(after.seats) if chair.hand & (before.held | laid.mask))


def _tell_draw(before: State, who: int, after: State, said: list[Event]) -> None:
    count = len(before.stock) - len(after.stock)
    drawn = before.stock[:count]
    if drawn:
        said.append(told.Drew(who, len(drawn), tuple(after.book.card(bit) for bit in drawn)))


def _tell_skips(before: State, who: int, laid: Laid, after: State, said: list[Event]) -> None:
    burned = after.frame.phase == "clear" or after.burned != before.burned | laid.gone
    given = laid.gives and (before.pile or laid.faces)
    if burned or before.frame.duty or given or after.frame.phase == "over":
        return
    skipped = passed_over(before, who, laid, after.ring)
    if skipped:
        said.append(told.Skipped(skipped))


def _tell_end(before: State, after: State, said: list[Event]) -> list[Event]:
    if len(after.frame.out) > len(before.frame.out):
        said.append(told.WentOut(after.frame.out[-1], len(after.frame.out)))
    if after.frame.phase == "over":
        said.append(told.Ended(seat_or_none(after.frame.shithead), seat_or_none(after.frame.winner)))
    return said


# -- one teller for each kind of move


def _flip(before: State, who: int, move: Flip, after: State) -> list[Event]:
    bit = before.seats[who].down[move.number - 1]
    laid = flip_laid(before, bit, move.word)
    if laid is None:
        said: list[Event] = [told.Flipped(who, before.book.card(bit)), told.PickedUp(who, len(before.pile) + 1)]
        return _tell_end(before, after, said)
    return _after_cards(before, who, laid, after, [told.Flipped(who, laid.shown[0])])


def _chance(before: State, who: int, move: Chance, after: State) -> list[Event]:
    laid = chance_laid(before, move.word)
    if laid is None:
        said: list[Event] = [
            told.Chanced(who, before.book.card(before.stock[0])),
            told.PickedUp(who, len(before.pile) + 1),
        ]
        return said
    said = [told.Chanced(who, laid.shown[0])]
    return [event for event in _after_cards(before, who, laid, after, said) if not isinstance(event, told.Drew)]


def _pick_up(before: State, who: int, move: PickUp, after: State) -> list[Event]:
    picker = next(seat for seat, chair in enumerate(after.seats) if chair.hand & before.held)
    said: list[Event] = [told.Added(who, move.added)] if move.added else []
    said.append(told.PickedUp(picker, len(before.pile) + len(move.added)))
    return _tell_end(before, after, said)


def _clear(before: State, who: int, _move: Clear, _after: State) -> list[Event]:
    return [told.Cleared(who), told.Burned(who, len(before.pile))]


def _out_of_turn(before: State, who: int, move: Interrupt | Follow, after: State) -> list[Event]:
    cards = move.cards
    said: list[Event] = [told.Interrupted(who, cards) if isinstance(move, Interrupt) else told.Followed(who, cards)]
    if after.burned != before.burned:
        said.append(told.Burned(who, len(before.pile) + len(cards)))
    if before.stock is not after.stock:
        _tell_draw(before, who, after, said)
    if before.direction != after.direction:
        said.append(told.Reversed(after.direction))
    return _tell_end(before, after, said)


def _swap(_before: State, who: int, move: Swap, _after: State) -> list[Event]:
    return [told.Swapped(who, move.hand, move.up)]


def _choose(before: State, who: int, move: Choose, after: State) -> list[Event]:
    said: list[Event] = [told.Chosen(who, move.slots)]
    _tell_draw(before, who, after, said)
    return said


def _lay(before: State, who: int, move: Lay, after: State) -> list[Event]:
    said: list[Event] = [told.Laid(who, move.card)]
    _tell_draw(before, who, after, said)
    return said


def _ready(_before: State, who: int, _move: Ready, after: State) -> list[Event]:
    return [told.Readied(who), *_started(after)]


def _call(before: State, who: int, _move: Call, after: State) -> list[Event]:
    rank = cast("Rank", before.frame.calling)
    return [told.Called(who, rank), *_started(after)]


def _timeout(_before: State, _who: int, _move: Timeout, after: State) -> list[Event]:
    return _started(after)


def _started(after: State) -> list[Event]:
    return [told.Started(after.turn, after.frame.found)] if after.frame.phase == "play" else []


def _tribute(before: State, _who: int, move: Tribute, _after: State) -> list[Event]:
    if move.own is None or move.theirs is None:
        return []
    winner, shithead = cast("tuple[int, int]", preparation(before).tribute)
    return [told.PaidTribute(winner, shithead, move.own, move.theirs)]


_TELLERS: dict[type[Move], Callable[[State, int, Any, State], list[Event]]] = {
    Flip: _flip, Chance: _chance, PickUp: _pick_up, Clear: _clear, Interrupt: _out_of_turn, Follow: _out_of_turn,
    Swap: _swap, Choose: _choose, Lay: _lay, Ready: _ready, Call: _call, Timeout: _timeout, Tribute: _tribute,
}  # fmt: skip
