"""The same position with other cards where somebody cannot look; what they are shown of both must be equal."""

from __future__ import annotations

import random

from game.cards import bits
from game.showing import unseen
from game.state import Seat, State


def disguised(state: State, rng: random.Random, seat: int | None = None, keep: int = 0) -> State:
    """The position with the cards that a seat (None: everybody) cannot see shuffled, except those in `keep`."""
    strangers = [n for n in range(len(state.seats)) if n != seat]
    hides_up = [n for n in strangers if unseen(state)]
    hidden = [*state.stock, *(bit for each in state.seats for bit in each.down)]
    hidden += [bit for n in strangers for bit in bits(state.seats[n].hand)]
    hidden += [bit for n in hides_up for bit in bits(state.seats[n].up)]
    hidden = [bit for bit in hidden if not bit & keep]
    rng.shuffle(hidden)
    left = iter(hidden)

    def other(mask: int) -> int:
        return mask & keep | sum(next(left) for _ in bits(mask & ~keep))

    stock = tuple(map(other, state.stock))
    seats = [
        Seat(
            other(each.hand) if n in strangers else each.hand,
            0,
            tuple(map(other, each.slots)) if n in hides_up else each.slots,
            tuple(map(other, each.down)),
            each.places,
        )
        for n, each in enumerate(state.seats)
    ]
    for each in seats:
        each.up = sum(each.slots)
    return state.but(seats=tuple(seats), stock=stock)
