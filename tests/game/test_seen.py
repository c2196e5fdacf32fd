"""What everybody has seen is what a careful neighbour could have noted: no more, and in one pack no less."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.cards import card_of
from game.events import redact
from game.moves import advance, events, parse_move
from game.seen import Seen, nothing_seen
from game.text.notation import format_cards
from game.text.position import rules_from, set_up
from game.variants import variants
from game.views import table_view, unseen
from testkit.random_games import random_deal, random_move, random_seats
from testkit.rule_sets import PRESETS, RULES

SEEDS = st.integers(0, 2**32 - 1)


def told(before, seat, move, after):
    return [redact(each, None, unseen=unseen(after)) for each in events(before, seat, move, after)]


def noted(seen, before, seat, move, after):
    return seen.after(table_view(before), told(before, seat, move, after), table_view(after))


def after(state, *lines):
    """What is known after these moves from a position in which nothing is known."""
    seen = nothing_seen(len(state.seats))
    for line in lines:
        letter, text = line.split(": ")
        seat, move = ord(letter) - ord("A"), parse_move(text)
        state, before = advance(state, seat, move), state
        seen = noted(seen, before, seat, move, state)
    return seen


def position(*seats, rules="classic", **case):
    return set_up({"seats": list(seats), **case}, rules_from(rules))


def hands(seen):
    return [format_cards(hand) for hand in seen.hands]


def test_a_pile_that_is_picked_up_is_known():
    seen = after(position("9c | - | -", "4c 5c | - | -", pile="7d 8d"), "A: pickup")
    assert hands(seen) == ["7d 8d", "-"]


def test_a_card_added_or_turned_in_vain_is_known_with_the_pile():
    assert hands(after(position("- | 9c Kd | -", "4c | - | -", pile="Ad"), "A: pickup 9c")) == ["9c Ad", "-"]
    assert hands(after(position("- | - | 9c Kd", "4c | - | -", pile="Ad"), "A: flip 1")) == ["9c Ad", "-"]
    state = position("3c | - | -", "4c | - | -", pile="Ad", stock="9c", rules={"play": {"chance": "stuck"}})
    assert hands(after(state, "A: chance")) == ["9c Ad", "-"]


def test_a_face_up_card_swapped_into_the_hand_is_known_until_it_is_swapped_back():
    state = position("9c 5c | Kd Qd | 3c", "4c | 7d | 3d", phase="exchange")
    assert hands(after(state, "A: swap 9c Kd")) == ["Kd", "-"]
    assert hands(after(state, "A: swap 9c Kd", "A: swap Kd Qd")) == ["Qd", "-"]
    assert hands(after(state, "A: swap 9c Kd", "A: swap Kd 9c")) == ["9c", "-"]


def test_a_card_laid_on_a_stack_is_in_the_hand_no_more():
    state = position("9c 5c | 9d | 3c", "4c | 7d | 3d", phase="exchange", rules={"deal": {"stacking": True}})
    assert hands(after(state, "A: swap 9c 9d", "A: lay 9d")) == ["-", "-"]


def test_what_is_played_is_known_no_more():
    state = position("9c 5h | - | -", "4c 5c | - | -", pile="7d 8d")
    assert hands(after(state, "A: pickup", "B: play 5c", "A: play 7d")) == ["8d", "-"]


def test_of_equal_cards_the_one_that_was_seen_may_be_the_one_that_was_played():
    state = position("9c 5h | - | -", "4c | - | -", pile="9c", rules={"deal": {"packs": 2}})
    assert hands(after(state, "A: pickup", "B: play 4c", "A: play 9c")) == ["-", "-"]


def test_what_burns_is_gone_and_known():
    seen = after(position("Tc 5h | - | -", "4c | - | -", pile="7d 8d"), "A: play Tc")
    assert (hands(seen), format_cards(seen.burned)) == (["-", "-"], "7d 8d Tc")


def test_a_given_pile_is_known_and_the_card_that_left_has_burned():
    state = position("Xr 5h | - | -", "4c | - | -", pile="7d 8d", rules="superjoker")
    seen = after(state, "A: play Xr")
    assert (hands(seen), format_cards(seen.burned)) == (["-", "7d 8d"], "Xr")


def test_nothing_is_known_before_the_deal():
    assert nothing_seen(2) == Seen(((), ()))


@given(RULES | PRESETS, SEEDS)
@settings(max_examples=80)
def test_what_is_known_to_be_in_a_hand_is_there(rules, seed):
    rng = random.Random(seed)
    state = random_deal(rng, rules, min(random_seats(rng, rules), 5))
    seen = nothing_seen(len(state.seats))
    for _ in range(rng.choice((5, 30, 80))):
        if state.frame.phase == "over":
            break
        seat, move = random_move(rng, state)
        state, before = advance(state, seat, move), state
        seen = noted(seen, before, seat, move, state)
        for known, chair in zip(seen.hands, state.seats, strict=True):
            assert not Counter(known) - Counter(state.book.cards(chair.hand))
        assert Counter(seen.burned) == Counter(state.book.cards(state.burned))


@pytest.mark.parametrize("variant", [name for name, each in variants().items() if each.rules.deal.packs == 1])
def test_with_one_pack_all_that_was_public_is_known(variant):
    """The naive way: follow each physical card that ever lay face up, on the pile or was turned."""
    rng, rules = random.Random(variant), variants()[variant].rules
    state = random_deal(rng, rules, random_seats(rng, rules))
    seen, public, moves = nothing_seen(len(state.seats)), shown(state), 0
    while state.frame.phase != "over" and moves < 150:
        seat, move = random_move(rng, state)
        state, before = advance(state, seat, move), state
        seen = noted(seen, before, seat, move, state)
        said = told(before, seat, move, state)
        faces = [face for event in said for face in getattr(event, "faces", (getattr(event, "face", None),))]
        public |= shown(state) | {card_of(face) for face in faces if face is not None}
        for known, chair in zip(seen.hands, state.seats, strict=True):
            assert set(known) == set(state.book.cards(chair.hand)) & public
        moves += 1
    assert moves > 20


def shown(state):
    """The cards that lie open."""
    ups = 0 if unseen(state) else sum(seat.up for seat in state.seats)
    return set(state.book.cards(ups | state.held | state.burned))
