"""What a seat knows, and the worlds that agree with what it knows."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.learning import selfplay
from bench.learning.selfplay import as_seen, shown_after
from game.deal import deal, full_pack
from game.moves import PickUp, Play, advance, format_move, legal_moves, parse_move, turn_moves
from game.players.coach import remembered
from game.players.inputs import (
    BLOCKS,
    ROWS,
    move_rows,
    state_rows,
    step_after,
)
from game.players.knowledge import bound_move, knowledge_of
from game.players.levels import look_key, options
from game.players.memory import first_memory
from game.players.worlds import Sampler, knowledge_in
from game.rules import Rules
from game.showing import seat_view, table_view
from game.text.notation import format_seat, parse_cards
from game.text.position import rules_from, set_up
from game.text.record import Step
from testkit.random_games import random_move, random_seats
from testkit.rule_sets import RULES, VARIANTS

SEEDS = st.integers(0, 2**32 - 1)


def played(rng, rules: Rules, moves):
    """A table after some moves, its memory, and for each hand the mask of the cards that everybody has seen."""
    seats = random_seats(rng, rules, 5)
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


def on_turn(rng, rules: Rules):
    """Such a table and the view of the seat on turn, if it is in play and that seat has options; else None."""
    state, memory, shown = played(rng, rules, rng.choice((12, 30, 90)))
    if state.frame.phase != "play":
        return None
    view = seat_view(state, state.turn)
    return (state, memory, shown, view) if options(view) else None


@given(RULES | VARIANTS, SEEDS)
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
    for name in ("phase", "dealer", "hand_size", "out", "flush", "opening", "duty"):
        assert getattr(world.frame, name) == getattr(state.frame, name)
    assert sorted(world.book.cards(world.seats[view.seat].hand)) == sorted(view.hand)
    for seat, face in enumerate(view.table.seats):
        chair = world.seats[seat]
        assert (chair.hand.bit_count(), chair.places) == (face.hand, face.down)
        assert tuple(tuple(world.book.cards(slot)) for slot in chair.slots) == face.up
        assert world.book.pick(memory.held[seat], chair.hand) is not None
    everything = [card for seat in world.seats for card in world.book.cards(seat.held())]
    everything += [*world.book.cards(world.held), *world.book.cards(world.burned), *map(world.book.card, world.stock)]
    assert sorted(everything) == sorted(full_pack(rules, len(state.seats)))


@pytest.mark.parametrize("must_lead", [False, True])
def test_in_a_world_before_the_first_card_the_opening_lead_is_due(must_lead):
    rules, rng = rules_from({"start": {"must_lead": must_lead}}), random.Random(2)
    state = selfplay.dealt(rules, 2, rng)
    assert state.frame.opening
    view = seat_view(state, state.turn)
    world = Sampler(view, first_memory(view.table)).world(rng)
    assert world.frame.opening
    assert {look_key(move) for move in turn_moves(world)} == {look_key(move) for move in turn_moves(state)}


@given(RULES | VARIANTS, SEEDS)
@settings(max_examples=60)
def test_in_every_world_the_seat_has_the_moves_that_it_sees(rules, seed):
    rng = random.Random(seed)
    found = on_turn(rng, rules)
    if not found or found[3].table.asked.kind == "red-jack":
        return
    _, memory, _, view = found
    sampler = Sampler(view, memory)
    world = sampler.world(rng)
    able = {look_key(move) for move in turn_moves(world)}
    if not rules.play.must_play and rules.play.stuck == "self":
        assert {look_key(move) for move in options(view)} == able
    for move in options(view):
        typed = parse_move(format_move(move))  # not bound to the masks of the real state: copies may be others there
        assert advance(world, view.seat, sampler.own_move(move)) == advance(world, view.seat, typed)


@pytest.mark.parametrize(
    ("own", "move", "left"),
    [
        ("9c 4d | 9c | 3c", "play 9c", "4d | 9c"),
        ("9c 4d | 9c+9d Td | 3c", "play 9c", "4d | 9c+9d Td"),
        ("- | 9c+9d 9d Td | 3c", "play 9d", "- | 9c+9d Td"),
    ],
)
def test_in_a_world_a_play_takes_the_card_that_the_seat_may_play_though_it_holds_another_such(own, move, left):
    rules = rules_from({"deal": {"packs": 2, "stacking": True}})
    state = set_up({"seats": [own, "4s Ts | Jd | 5h"], "pile": "8d"}, rules)
    view = seat_view(state, 0)
    sampler = Sampler(view, first_memory(view.table))
    after = seat_view(advance(sampler.world(random.Random(1)), 0, sampler.own_move(parse_move(move))), 0)
    assert format_seat(after.hand, after.table.seats[0].up, ()) == f"{left} | -"


@given(RULES | VARIANTS, SEEDS)
@settings(max_examples=80)
def test_training_looks_at_a_table_as_a_player_does(rules, seed):
    rng = random.Random(seed)
    found = on_turn(rng, rules)
    if not found or rules.deal.packs > 1:
        return
    state, memory, shown, view = found
    seen, real = as_seen(state, shown), knowledge_of(view, memory)
    assert sorted(state_rows(seen)) == sorted(state_rows(real))
    for move in options(view):
        one, other = (bound_move(known, move) for known in (seen, real))
        assert sorted(move_rows(seen, one)) == sorted(move_rows(real, other))


def test_a_stock_from_which_only_the_opening_lead_is_refilled_counts_until_then():
    case = {"seats": ["4c 4d 9h | Kd | 3c", "5c 8d 9d | Td | 2c"], "stock": "Qc 6d", "phase": "exchange"}
    state = set_up(case, rules_from({"preset": "classic", "play": {"refill": "opening"}, "start": {"by": "left"}}))
    for seat, text in ((0, "ready"), (1, "ready")):
        state = advance(state, seat, parse_move(text))
    assert knowledge_in(state, 0).stock == knowledge_of(seat_view(state, 0), first_memory(table_view(state))).stock == 2
    assert knowledge_in(advance(state, 0, parse_move("play 4c")), 1).stock == 0


@given(RULES | VARIANTS, SEEDS)
@settings(max_examples=60)
def test_every_row_is_in_range(rules, seed):
    rng = random.Random(seed)
    state, _, _ = played(rng, rules, 40)
    if state.frame.phase != "play":
        return
    known = knowledge_in(state, state.turn)
    assert [seat.hidden for seat in known.seats] == [0] * state.alive.bit_count()
    rows = state_rows(known) + [row for move in legal_moves(state, state.turn) for row in move_rows(known, move)]
    assert all(0 <= row < ROWS for row in rows)
    assert {BLOCKS[row] for row in rows} >= {"options", "asked", "stock", "turn"}


def position(**case):
    return set_up({"seats": ["2h 5c 9d | Kd | 3c", "4h 4s 8d | Td | 2c"], **case}, rules_from("classic"))


def test_during_the_exchange_each_seat_looks_as_if_it_were_on_turn():
    state = position(phase="exchange")
    known = [knowledge_of(seat_view(state, seat), first_memory(table_view(state))) for seat in range(2)]
    assert (table_view(state).turn, [each.turn for each in known]) == (None, [0, 0])


def test_a_seat_is_rarely_dealt_answers_to_a_pile_that_it_took():
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
    assert fours - 200 < 0.9 * without, "without the four of the pile, which it has in each world"
    assert threes > 0


def test_a_seat_may_hold_an_answer_to_a_pile_that_it_took_by_choice():
    state = position(pile="Kh", stock=" ".join(f"{rank}s" for rank in "56789TJQKA"), turn="B")
    after = advance(state, 1, PickUp())
    memory = remembered(first_memory(table_view(state)), Step(state, 1, PickUp(), after))
    sampler, rng = Sampler(seat_view(after, 0), memory), random.Random(1)
    hands = [after.book.cards(sampler.world(rng).seats[1].hand) for _ in range(60)]
    assert any(set(hand) & set(parse_cards("2d 2s Tc Th Ts Kc Ks Ac Ad Ah As")) for hand in hands)


def test_cards_that_left_the_game_unseen_are_burned_in_a_world():
    state = position(pile="9c", stock="7h")
    world = Sampler(seat_view(state, 0), first_memory(table_view(state))).world(random.Random(1))
    assert len(world.stock) == 1
    held = sum(seat.held().bit_count() for seat in world.seats)
    assert world.burned > 0
    assert held + world.burned.bit_count() + 2 == 52


@pytest.mark.parametrize(
    ("cards", "seats", "steps"),
    [
        ("7c", 2, 1), ("7c", 4, 1), ("8c", 2, 0), ("8c", 3, 2), ("8c", 4, 2), ("8c 8d", 3, 0), ("8c 8d", 4, 3),
        ("9c", 2, 1), ("9c", 3, 2), ("9c", 4, 3), ("9c 9d", 4, 1), ("9c 9d 9h", 4, 3), ("Jc", 2, 0), ("Jc", 4, 0),
    ],
)  # fmt: skip
def test_skips_and_reversals_lead_to_the_seat_that_must_answer(cards, seats, steps):
    powers = {"8": {"does": ["skip"]}, "9": {"does": ["reverse"]}, "J": {"does": ["again"]}}
    others = [f"{rank}s | - | -" for rank in "3456"[: seats - 1]]
    state = set_up({"seats": ["7c 8c 8d 8h 9c 9d 9h Jc | - | -", *others]}, rules_from({"powers": powers}))
    known = knowledge_in(state, 0)
    assert step_after(known, bound_move(known, Play(parse_cards(cards)))) == steps


def test_self_play_gives_up_a_game_in_which_nothing_is_drawn(monkeypatch):
    monkeypatch.setattr(selfplay, "PATIENCE", 7)
    rng = random.Random(3)
    world = selfplay.play(rules_from("classic"), 2, lambda choice: len(choice.moves) - 1, rng)
    assert (world.idle, world.frame.phase) == (7, "play")
