"""Positions that differ only in what a seat cannot see, to try that nobody sees it."""

from game.state import Seat
from game.views import unseen


def hidden_places(state, viewer):
    """Where the viewer cannot look, as (kind, seat, mask): hands of others, face-down cards, unseen choices, stock."""
    places = [("stock", 0, sum(state.stock))]
    for who, seat in enumerate(state.seats):
        places.append(("down", who, sum(seat.down)))
        if who != viewer:
            places.append(("hand", who, seat.hand))
            if unseen(state):
                places.append(("up", who, seat.up))
    return places


def bits(mask):
    """The one-card masks of a mask."""
    found = []
    while mask:
        found.append(mask & -mask)
        mask &= mask - 1
    return found


def disguised(state, viewer, rng, keep=0):
    """The position with all cards that the viewer cannot see dealt anew among the places where they lie.

    Cards of `keep` stay. Each place keeps its number of cards, a face-up slot its size.
    """
    moved = [bit for _, _, mask in hidden_places(state, viewer) for bit in bits(mask & ~keep)]
    rng.shuffle(moved)
    left = iter(moved)

    def other(bit):
        return bit if bit & keep else next(left)

    stock = tuple(other(bit) for bit in state.stock)
    seats = []
    for who, seat in enumerate(state.seats):
        down = tuple(other(bit) for bit in seat.down)
        hand = seat.hand if who == viewer else sum(other(bit) for bit in bits(seat.hand))
        slots = seat.slots
        if who != viewer and unseen(state):
            slots = tuple(sum(other(bit) for bit in bits(slot)) for slot in slots)
        seats.append(Seat(hand, sum(slots), slots, down, seat.at))
    return state.but(seats=tuple(seats), stock=stock)
