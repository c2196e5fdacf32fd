"""A memory holds what everybody has seen, and nothing else."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.cards import card_of
from game.deal import full_pack
from game.moves import Chance, Flip, IllegalMove, Lay, PickUp, Play, Swap, advance, apply, parse_move
from game.players.coach import remembered
from game.players.memory import Memory, first_memory
from game.rules import Rules
from game.showing import table_view, unseen
from game.state import State
from game.text.notation import format_cards, parse_cards
from game.text.position import rules_from, set_up
from game.text.record import Record, Step, format_line
from game.variants import variants
from testkit.random_games import random_move, random_seats
from testkit.rule_sets import RULES, VARIANTS

SEATS = ["2h 5c 9d | Kd Qs Jh | 3c 4d 6s", "4h 4s 8d | Td As 9h | 2c 7d 6c"]


def cards(text):
    return parse_cards(text)


def position(rules="classic", **case):
    return set_up({"seats": SEATS, **case}, rules_from(rules))


def after(state: State, *moves):
    """The memory after these moves, each a pair (seat, move)."""
    memory = first_memory(table_view(state))
    for seat, move in moves:
        now = apply(state, seat, move)
        memory, state = remembered(memory, Step(state, seat, move, now)), now
    return memory


def recall(record: Record):
    """The memory after all moves of a record."""
    memory = first_memory(table_view(record.dealt()))
    for step in record.steps():
        memory = remembered(memory, step)
    return memory


def held(memory: Memory, seat):
    return format_cards(sorted(memory.held[seat]))


def test_a_pile_that_is_picked_up_is_known_to_be_in_the_hand():
    memory = after(position(pile="Kc Ac"), (0, PickUp()))
    assert held(memory, 0) == "Kc Ac"
    assert memory.hidden(0) == 3
    assert memory.burned == ()


def test_a_known_card_that_is_played_is_not_in_the_hand_any_more():
    state = position(pile="Kc", stock="7h")
    memory = after(state, (0, PickUp()), (1, Play(cards("8d"))), (0, Play(cards("Kc"))))
    assert held(memory, 0) == "-"
    assert memory.last == 0


def test_a_hidden_card_that_is_played_leaves_the_known_ones_known():
    state = position(pile="Kc", stock="7h")
    memory = after(state, (0, PickUp()), (1, Play(cards("8d"))), (0, Play(cards("9d"))))
    assert held(memory, 0) == "Kc"


def test_a_faded_memory_forgets_who_holds_what_but_not_what_burned():
    seats = ["Th 5c | - | 3c", "4h 4s 8d | Td | 2c"]
    state = position(seats=seats, pile="4c 6d")
    memory = after(state, (0, Play(cards("Th"))), (0, Play(cards("5c"))), (1, PickUp()))
    assert (held(memory, 1), held(memory.faded(), 1)) == ("5c", "-")
    assert memory.faded().burned == memory.burned


def test_cards_that_burned_are_remembered():
    seats = ["Th 5c | - | 3c", SEATS[1]]
    memory = after(position(seats=seats, pile="4c 6d"), (0, Play(cards("Th"))))
    assert memory.burned == cards("4c 6d Th")


def test_a_swap_shows_what_goes_to_the_hand():
    memory = after(position(phase="exchange"), (0, Swap(*cards("9d Qs"))), (0, Swap(*cards("Qs Kd"))))
    assert held(memory, 0) == "Kd"


def test_a_card_laid_on_its_equal_is_out_of_the_hand():
    seats = ["Kc 5c Qd | Kd Qs | 3c", "4h | Td | 2c"]
    state = position({"deal": {"stacking": True}}, phase="exchange", seats=seats)
    memory = after(state, (0, Swap(*cards("5c Qs"))), (0, Swap(*cards("Qd 5c"))), (0, Lay(cards("Qs")[0])))
    assert held(memory, 0) == "5c"


def test_a_flipped_card_that_does_not_fit_is_known_with_the_pile():
    state = position(seats=["- | - | 3c", SEATS[1]], pile="9c", last="B")
    memory = after(state, (0, Flip(1)))
    assert held(memory, 0) == "3c 9c"
    assert memory.last is None


def test_a_flipped_card_that_fits_is_a_play():
    memory = after(position(seats=["- | - | Kc 4c", SEATS[1]], pile="9c"), (0, Flip(1)))
    assert memory.last == 0
    assert held(memory, 0) == "-"


def test_a_face_up_card_that_is_added_is_known_with_the_pile():
    state = position(seats=["- | Jd 4d | 3c", SEATS[1]], pile="Ac")
    assert held(after(state, (0, PickUp(cards("4d")))), 0) == "4d Ac"


def test_a_face_up_card_that_is_played_was_in_no_hand():
    state = position(seats=["- | Jd 4d | 3c", "9h 8d | - | 2c"], pile="9c", stock="")
    memory = after(state, (0, Play(cards("Jd"))), (1, PickUp()))
    assert held(memory, 1) == "9c Jd"


def test_a_pile_that_is_given_away_is_known_to_be_with_the_next_seat():
    state = position("superjoker", seats=["Xr 4c | - | -", "4d 4h | - | -", "5c | - | -"], pile="4s")
    memory = after(state, (0, Play((52,))))
    assert held(memory, 1) == "4s"
    assert memory.burned == (52,)
    assert memory.last == 0


def test_a_pile_that_a_seat_did_not_answer_is_remembered_with_its_hidden_cards():
    state = position(pile="Kc", stock="7h 8h Jc")
    memory = after(state, (0, PickUp()))
    assert (memory.passed[0].asked.kind, memory.passed[0].asked.rank, memory.passed[0].cards) == ("at-least", 11, 3)
    assert memory.passed[1] is None


def test_an_unanswered_pile_is_forgotten_as_the_hidden_cards_are_played():
    state = position(seats=["3h 5c 9d | Kd | 3c", "4h 8d | Td | 2c 6c"], pile="Kc")
    first = after(state, (0, PickUp()), (1, Play(cards("4h"))), (0, Play(cards("5c"))))
    assert first.passed[0].cards == 2
    moves = (
        (0, PickUp()),
        (1, Play(cards("4h"))),
        (0, Play(cards("5c"))),
        (1, Play(cards("8d"))),
        (0, Play(cards("9d"))),
    )
    more = after(state, *moves)
    assert more.passed[0].cards == 1
    last = after(state, *moves, (1, Play(cards("Td"))), (1, Flip(1)), (0, Play(cards("3h"))))
    assert last.passed[0] is None


def test_picking_up_a_pile_that_asks_nothing_reveals_nothing():
    assert after(position(pile="2d"), (0, PickUp())).passed[0] is None


def test_a_chance_card_of_a_stuck_seat_is_known_and_reveals_what_the_seat_lacks():
    state = position({"play": {"chance": "stuck"}}, seats=["3h 5c | Kd | 3c", SEATS[1]], pile="Kc", stock="7h 8h")
    memory = after(state, (0, Chance()))
    assert held(memory, 0) == "7h Kc"
    assert memory.passed[0].cards == 2


def test_a_chance_card_that_may_always_be_taken_reveals_nothing():
    state = position({"play": {"chance": "always"}}, seats=["3h 5c | Kd | 3c", SEATS[1]], pile="Kc", stock="7h 8h")
    assert after(state, (0, Chance())).passed == (None, None)


def test_idle_moves_are_counted_until_the_stock_gets_smaller():
    moves = ((0, PickUp()), (1, Play(cards("8d"))))
    assert [after(position(pile="Kc"), *moves[:made]).idle for made in range(3)] == [0, 1, 2]
    assert after(position(pile="Kc", stock="7h"), *moves).idle == 0


def seen_by_all(record: Record):
    """The table as everybody saw it, from the deal on."""
    return [table_view(record.dealt()), *(table_view(step.after) for step in record.steps())]


def random_record(rng, rules: Rules, moves):
    """The record and the last state of a random game of at most so many moves."""
    seats = random_seats(rng, rules, 5)
    pack = list(full_pack(rules, seats))
    rng.shuffle(pack)
    dealt, lines = Record(rules=rules, seats=seats, dealer=rng.randrange(seats), pack=tuple(pack)), []
    state = dealt.dealt()
    for _ in range(moves):
        if state.frame.phase == "over":
            break
        seat, move = random_move(rng, state)
        lines.append(format_line(None if move.by_clock else seat, move))
        state = advance(state, seat, move)
    return Record(**dict(dealt) | {"moves": tuple(lines)}), state


@given(RULES | VARIANTS, st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_what_is_remembered_is_true(rules, seed):
    rng = random.Random(seed)
    record, state = random_record(rng, rules, rng.choice((10, 40, 150)))
    memory, book = recall(record), state.book
    for seat, known in zip(state.seats, memory.held, strict=True):
        assert book.pick(known, seat.hand) is not None
    assert sorted(memory.burned) == sorted(book.cards(state.burned))
    assert memory.table == table_view(state)


@pytest.mark.parametrize("variant", [name for name, each in variants().items() if each.rules.deal.packs == 1])
def test_with_one_pack_all_that_was_public_is_known(variant):
    """Compared with the naive way: follow each card that was ever face up, on the pile or turned over."""
    record, _ = random_record(random.Random(variant), variants()[variant].rules, 150)
    public = set()
    memory = first_memory(table_view(record.dealt()))
    for step in record.steps():
        memory = remembered(memory, step)
        faces = [face for event in step.events() for face in getattr(event, "faces", (getattr(event, "face", None),))]
        public |= shown(step.before) | shown(step.after) | {card_of(face) for face in faces if face is not None}
        for known, chair in zip(memory.held, step.after.seats, strict=True):
            assert set(known) == set(step.after.book.cards(chair.hand)) & public


def shown(state: State):
    """The cards that are face up, on the pile or burned."""
    ups = 0 if unseen(state) else sum(seat.up for seat in state.seats)
    return set(state.book.cards(ups | state.held | state.burned))


def test_of_two_equal_cards_the_known_one_counts_as_played():
    state = position({"deal": {"packs": 2}}, seats=["9c 5h | - | -", "4c 6c | - | -"], pile="9c")
    memory = after(state, (0, PickUp()), (1, Play(cards("4c"))), (0, Play(cards("9c"))))
    assert held(memory, 0) == "-"


@given(RULES | VARIANTS, st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_games_that_differ_only_in_unseen_cards_leave_the_same_memory(rules, seed):
    rng = random.Random(seed)
    record, state = random_record(rng, rules, rng.choice((5, 20, 60)))
    memory = recall(record)
    if unseen(state) or rules.deal.packs > 1:
        return
    hidden = set(state.book.cards(sum(state.stock)))
    for seat, known in zip(state.seats, memory.held, strict=True):
        hidden |= set(state.book.cards(sum(seat.down) | seat.hand)) - set(known)
    order = sorted(hidden)
    rng.shuffle(order)
    other = dict(zip(sorted(hidden), order, strict=True))
    twin = record.model_copy(update={"pack": tuple(other.get(card, card) for card in record.pack)})
    try:
        found = recall(twin)
    except IllegalMove:  # the rules themselves depend on hidden cards, so this is a different game
        return
    if seen_by_all(twin) == seen_by_all(record):  # not so if a card that is turned up has no power any more (R47)
        assert found == memory


def test_a_card_that_leaves_the_game_when_played_stays_in_it_when_it_does_not_fit():
    rules = {"powers": {"4": {"on": "rank", "leaves": True}}}
    state = position(rules, seats=["- | - | 4c 5c", SEATS[1]], pile="9c")
    assert held(after(state, (0, Flip(1))), 0) == "4c 9c"
    played = after(position(rules, seats=["- | - | 4c 5c", SEATS[1]], pile="3c"), (0, Flip(1)))
    assert played.burned == cards("4c")


def test_a_wild_joker_leaves_the_game_as_the_rank_that_it_is_named():
    rules = {"deal": {"jokers": 2}, "powers": {"joker": {"wild": True}, "4": {"does": ["give-pile"], "leaves": True}}}
    memory = after(position(rules, seats=["Xr 5c | Kd | 3c", SEATS[1]], pile="3d"), (0, parse_move("play Xr=4")))
    assert (held(memory, 1), memory.burned) == ("3d", cards("Xr"))
