"""What a seat knows, and the tables that may be, given what it knows."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.deal import deal, full_pack
from game.moves import PickUp, advance, legal_moves, turn_moves
from game.players.inputs import ROWS, START, block_of, move_rows, state_rows, stuck_chance
from game.players.knowledge import bound, knowledge_of
from game.players.levels import look_of, options
from game.players.memory import first_memory
from game.players.recall import remembered
from game.players.selfplay import shown_after
from game.players.traits import CARDS
from game.players.worlds import DOUBT, Sampler, knowledge_in
from game.text.position import rules_from, set_up
from game.text.record import Step
from game.views import seat_view, table_view
from testkit.random_games import random_move, random_seats
from testkit.rule_sets import PRESETS, RULES

SEEDS = st.integers(0, 2**32 - 1)


def played(rng, rules, moves):
    """A table after some moves, its memory, and the masks of what all have seen of the hands."""
    seats = min(random_seats(rng, rules), 5)
    pack = list(full_pack(rules, seats))
    rng.shuffle(pack)
    state = deal(rules, seats, pack, rng.randrange(seats))
    memory, shown = first_memory(table_view(state)), [0] * seats
    for _ in range(moves):
        if state.frame.phase == "over":
            break
        seat, move = random_move(rng, state)
        after = advance(state, seat, move)
        memory = remembered(memory, Step(state, seat, move, after))
        shown = shown_after(shown, state, seat, move, after)
        state = after
    return state, memory, shown


def on_turn(rng, rules):
    """Such a table with a seat on turn in play, or None."""
    state, memory, shown = played(rng, rules, rng.choice((12, 30, 90)))
    if state.frame.phase != "play":
        return None
    view = seat_view(state, state.turn)
    return (state, memory, shown, view) if options(view) else None


@given(RULES | PRESETS, SEEDS)
@settings(max_examples=80)
def test_a_world_agrees_with_all_that_its_seat_knows(rules, seed):
    rng = random.Random(seed)
    found = on_turn(rng, rules)
    if not found:
        return
    state, memory, _, view = found
    world = Sampler(view, memory).world(rng)
    assert table_view(world).pile == view.table.pile
    assert (world.turn, world.direction, len(world.stock)) == (state.turn, state.direction, len(state.stock))
    assert sorted(world.book.cards(world.seats[view.seat].hand)) == sorted(view.hand)
    for seat, face in enumerate(view.table.seats):
        chair = world.seats[seat]
        assert (chair.hand.bit_count(), chair.at) == (face.hand, face.down)
        assert tuple(tuple(world.book.cards(slot)) for slot in chair.slots) == face.up
        assert world.book.pick(memory.held[seat], chair.hand) is not None
    everything = [card for seat in world.seats for card in world.book.cards(seat.held())]
    everything += [*world.book.cards(world.held), *world.book.cards(world.burned), *map(world.book.card, world.stock)]
    assert sorted(everything) == sorted(full_pack(rules, len(state.seats)))


@given(RULES | PRESETS, SEEDS)
@settings(max_examples=60)
def test_in_every_world_the_seat_has_the_moves_that_it_sees(rules, seed):
    rng = random.Random(seed)
    found = on_turn(rng, rules)
    if not found or found[3].table.asked.kind == "red-jack":
        return
    _, memory, _, view = found
    sampler = Sampler(view, memory)
    world = sampler.world(rng)
    able = {look_of(move) for move in turn_moves(world)}
    if not rules.play.must_play and rules.play.stuck == "self":
        assert {look_of(move) for move in options(view)} == able
    for move in options(view):
        advance(world, view.seat, sampler.bound(move))


@given(RULES | PRESETS, SEEDS)
@settings(max_examples=80)
def test_training_looks_at_a_table_as_a_player_does(rules, seed):
    rng = random.Random(seed)
    found = on_turn(rng, rules)
    if not found or rules.deal.packs > 1:
        return
    state, memory, shown, view = found
    seen, real = knowledge_in(state, view.seat, shown), knowledge_of(view, memory)
    assert sorted(state_rows(seen)) == sorted(state_rows(real))
    for move in options(view):
        one, other = (bound(known.book, known.seats[0].known | known.seats[0].up, move) for known in (seen, real))
        assert sorted(move_rows(seen, one)) == sorted(move_rows(real, other))


@given(RULES | PRESETS, SEEDS)
@settings(max_examples=60)
def test_rows_are_rows(rules, seed):
    rng = random.Random(seed)
    state, _, _ = played(rng, rules, 40)
    if state.frame.phase != "play":
        return
    known = knowledge_in(state, state.turn)
    rows = state_rows(known) + [row for move in legal_moves(state, state.turn) for row in move_rows(known, move)]
    assert all(0 <= row < ROWS for row in rows)
    assert {block_of(row) for row in rows} >= {"options", "asked", "stock", "turn"}


def position(**case):
    return set_up({"seats": ["2h 5c 9d | Kd | 3c", "4h 4s 8d | Td | 2c"], **case}, rules_from("classic"))


def test_the_seats_after_the_second_are_looked_at_together_and_nothing_is_added_to_their_cards():
    more = ["4h | Td | 5h", "4s | Jd | 6h", "7h | Qd | 7d", "8h | Qs | 8d"]
    state = position(seats=["2h 5c | Kd | 3c", *more])
    rows = state_rows(knowledge_of(seat_view(state, 0), first_memory(table_view(state))))
    lit = [row - START["other face-up"] for row in rows if block_of(row) == "other face-up"]
    most = CARDS["other face-up"]
    assert lit == [10 * most + 1]  # two queens
    assert not {"other hands", "other face-down"} & set(map(block_of, rows))


def test_a_seat_is_seldom_dealt_what_it_let_lie():
    state = position(pile="3d 4d", stock=" ".join(f"{rank}s" for rank in "56789TJQKA"), turn="B")
    memory = first_memory(table_view(state))
    after = advance(state, 1, PickUp())
    memory = remembered(memory, Step(state, 1, PickUp(), after))
    sampler, rng = Sampler(seat_view(after, 0), memory), random.Random(1)
    threes = fours = 0
    for _ in range(200):
        hidden = [card >> 2 for card in after.book.cards(sampler.world(rng).seats[1].hand)]
        threes += hidden.count(1)
        fours += sum(rank >= 2 for rank in hidden)
    unlucky = Sampler(seat_view(state, 0), first_memory(table_view(state)))
    without = sum(
        sum(card >> 2 >= 2 for card in state.book.cards(unlucky.world(rng).seats[1].hand)) for _ in range(200)
    )
    assert 0 < DOUBT < 1
    assert fours - 200 < without
    assert threes > 0


def test_a_seat_that_flips_is_stuck_as_often_as_its_cards_do_not_fit():
    state = position(seats=["2h 5c | Kd | 3c", "- | - | Tc 4c 6c"], pile="9c")
    known = knowledge_in(state, 0)
    assert stuck_chance(known, known.seats[1], state.top) == pytest.approx(2 / 3)


def test_cards_that_went_before_anybody_remembered_are_in_no_world():
    state = position(pile="9c", stock="7h")
    world = Sampler(seat_view(state, 0), first_memory(table_view(state))).world(random.Random(1))
    assert len(world.stock) == 1
    held = sum(seat.held().bit_count() for seat in world.seats)
    assert held + world.burned.bit_count() + 2 == 52
