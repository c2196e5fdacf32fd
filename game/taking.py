"""Taking the pile: who leads afterwards, and the stand-still that ends a game nobody can win (R9, R14, R18)."""

from __future__ import annotations

from game.asking import FREE
from game.state import NOBODY, STAND_STILL, Seat, State


def lead_after_pick_up(state: State, picker: int) -> int:
    """Who leads after a pick-up: the next seat, or who played last (`play.lead_after_pickup`)."""
    previous = state.book.rules.play.lead_after_pickup == "previous"
    if previous and state.last not in {NOBODY, picker} and state.alive >> state.last & 1:
        return state.last
    return state.ring[picker]


def take_pile(
    state: State,
    picker: int,
    leads: int,
    *,
    seats: tuple[Seat, ...] | None = None,
    extra: int = 0,
    stock: tuple[int, ...] | None = None,
) -> State:
    """The state after `picker` took the pile and `extra` cards; `leads` plays next."""
    chairs = list(seats or state.seats)
    seat = chairs[picker]
    chairs[picker] = Seat(seat.hand | state.held | extra, seat.up, seat.slots, seat.down, seat.at)
    frame = state.frame
    if frame.duty or frame.follow:
        frame = frame.but(duty=False, follow=None)
    idle = state.idle + 1 if stock is None else 0
    book, ring, left = state.book, state.ring, state.stock if stock is None else stock
    burned, last, alive, direction = state.burned, state.last, state.alive, state.direction
    after = State(book, frame, tuple(chairs), leads, ring, (), 0, FREE, left, burned, idle, last, alive, direction)
    return stand_still(after) if idle >= STAND_STILL else after


def stand_still(state: State) -> State:
    """The game ended as a draw between the seats left (R18)."""
    aims_at_winner = state.book.rules.end.aim != "loser"
    out = state.frame.out
    frame = state.frame.but(
        phase="over", drawn=True, duty=False, follow=None, winner=out[0] if out and aims_at_winner else NOBODY
    )
    return state.but(frame=frame, turn=NOBODY)
