"""The layout of the picture of a table: no overlaps, everything inside, seats in order."""

from itertools import combinations, pairwise

import pytest

from cogs.pictures.layout import CARD_SHAPE, HEAD, MARGIN, PADDING, PEEK, SLOT_GAP, WIDTH, Layout, layout_of

SIZES = [(seats, slots) for seats in range(2, 13) for slots in range(7)]
PHONE = 340


def boxes(layout: Layout):
    return [*layout.seats, layout.pile, layout.stock, layout.burned]


def overlap(one, other):
    left, top, across, down = one
    x, y, wide, high = other
    return left < x + wide and x < left + across and top < y + high and y < top + down


@pytest.mark.parametrize(("seats", "slots"), SIZES)
def test_nothing_overlaps_or_lies_outside(seats, slots):
    layout = layout_of(seats, slots)
    assert len(layout.seats) == seats
    for one, other in combinations(boxes(layout), 2):
        assert not overlap(one, other), (one, other)
    for left, top, across, down in boxes(layout):
        assert MARGIN <= left < left + across <= WIDTH - MARGIN + 0.01
        assert MARGIN <= top < top + down <= layout.height - MARGIN + 0.01


@pytest.mark.parametrize(("seats", "slots"), SIZES)
def test_the_cards_of_every_seat_fit_into_it(seats, slots):
    layout = layout_of(seats, slots)
    in_a_row = -(-slots // layout.rows)
    for _, _, across, down in layout.seats:
        assert in_a_row * (layout.card + SLOT_GAP) - SLOT_GAP + 2 * PADDING <= across + 0.01
        assert HEAD + PADDING + layout.rows * (PEEK + layout.card * CARD_SHAPE) <= down


@pytest.mark.parametrize(("seats", "slots"), SIZES)
def test_table_cards_are_readable_on_a_phone(seats, slots):
    """They have at least the sixteen pixels of an emoji in small print."""
    assert layout_of(seats, slots).card * PHONE / WIDTH >= 16


@pytest.mark.parametrize(("seats", "slots"), SIZES)
def test_pile_and_heaps_have_room_for_cards_and_numbers(seats, slots):
    layout = layout_of(seats, slots)
    assert layout.pile[2] >= 480
    assert layout.pile[3] >= 190
    for _, _, across, down in (layout.stock, layout.burned):
        assert across >= 200
        assert down >= 90


@pytest.mark.parametrize("seats", range(2, 13))
def test_with_three_slots_discord_shows_the_picture_at_full_width(seats):
    """That is up to a shape of 11 to 7; slightly higher ones lose little."""
    height = layout_of(seats, 3).height
    assert height >= WIDTH * 7 / 11
    assert height <= WIDTH * 0.73


@pytest.mark.parametrize("seats", range(3, 13))
def test_seats_go_round_the_pile_clockwise(seats):
    """Seen from the middle of the pile, each seat is a little further round than the one before."""
    layout = layout_of(seats, 3)
    left, top, across, down = layout.pile
    middle = (left + across / 2, top + down / 2)
    spots = [(x + wide / 2 - middle[0], y + high / 2 - middle[1]) for x, y, wide, high in layout.seats]
    for (x, y), (u, v) in pairwise([*spots, spots[0]]):
        assert x * v - y * u > 0
