"""The lessons of the tutorial agree with the rules."""

import pytest

from game.cards import card_of
from game.events import Burned, Drew, Ended, PickedUp, Played, Started, Swapped, WentOut
from game.lessons import LEARNER, LESSONS, PARTNER, moves_of, tap, view_of
from game.moves import PickUp, Play, Refusal, Swap, advance
from game.text.notation import parse_card, parse_cards, parse_pile, parse_seat
from game.text.position import set_up
from game.variants import variant
from testkit.found import instance_of

NAMES = [each.name for each in LESSONS]


def lesson(name):
    return LESSONS[NAMES.index(name)]


def position(name):
    return set_up(lesson(name).given, variant("classic").rules)


def right(name):
    return tap(lesson(name), moves_of(lesson(name))[0])


def wrong(name):
    return [tap(lesson(name), move).refusal for move in moves_of(lesson(name))[1:]]


def test_there_are_ten_lessons_with_different_names():
    assert len(set(NAMES)) == len(LESSONS) == 10


@pytest.mark.parametrize("each", LESSONS, ids=NAMES)
def test_the_position_of_a_lesson_is_possible(each):
    stock = parse_cards(each.given.get("stock", "-"))
    cards = [*map(card_of, parse_pile(each.given.get("pile", "-"))), *stock]
    for text in each.given["seats"]:
        hand, slots, down = parse_seat(text)
        cards += [*hand, *(card for slot in slots for card in slot), *down]
        assert not stock or (len(hand), len(slots), len(down)) == (3, 3, 3)
    assert len(set(cards)) == len(cards) <= 52


@pytest.mark.parametrize("each", LESSONS, ids=NAMES)
def test_the_first_tap_is_right_and_the_others_are_refused(each):
    first, *others = moves_of(each)
    assert tap(each, first).refusal is None
    for move in others:
        tapped = tap(each, move)
        assert tapped.refusal is not None
        assert not tapped.events


def test_a_swap_that_the_rules_allow_but_that_weakens_the_hand_changes_nothing():
    swap = lesson("swap")
    tapped = tap(swap, Swap(parse_card("8h"), parse_card("4c")))
    assert (tapped.is_weak, tapped.refusal, tapped.events) == (True, None, ())
    assert not right("swap").is_weak


@pytest.mark.parametrize("each", LESSONS, ids=NAMES)
def test_no_other_legal_move_would_do_as_well_as_the_right_tap(each):
    best = moves_of(each)[0]
    others = [move for move in view_of(each).moves if move != best and not isinstance(move, PickUp)]
    if each.name == "several":
        assert {len(instance_of(Play, move).cards) for move in others} == {1}
    elif each.name != "swap":
        assert not others


def test_each_lesson_teaches_what_its_name_says():
    assert Swapped in {type(event) for event in right("swap").events}
    assert Started in {type(event) for event in right("call").events}
    hand = position("higher").seats[LEARNER].hand
    after = advance(position("higher"), LEARNER, moves_of(lesson("higher"))[0]).seats[LEARNER].hand
    assert after.bit_count() == hand.bit_count() == 3
    assert {(event.seat, event.count) for event in right("higher").events if isinstance(event, Drew)} == {
        (LEARNER, 1),
        (PARTNER, 1),
    }
    assert len(instance_of(Play, moves_of(lesson("several"))[0]).cards) == 2
    answer = [event for event in right("two").events if isinstance(event, Played)][-1]
    assert answer.seat == PARTNER
    assert answer.faces[0] < instance_of(Play, moves_of(lesson("higher"))[0]).cards[0]
    for name in ("ten", "four"):
        assert Burned in {type(event) for event in right(name).events}
        assert advance(position(name), LEARNER, moves_of(lesson(name))[0]).turn == LEARNER
    assert right("pick-up").events[0] == PickedUp(LEARNER, 3)
    assert view_of(lesson("face-up")).zone == "face-up"
    assert right("flip").events[1:] == (WentOut(LEARNER, 1), Ended(PARTNER, None))


def test_the_mistakes_are_those_that_people_make():
    assert wrong("swap") == [Refusal.WRONG_PHASE, Refusal.WRONG_ZONE]
    assert wrong("call") == [Refusal.WRONG_PHASE]
    assert wrong("several") == [Refusal.MIXED_RANKS, Refusal.TOO_LOW]
    assert wrong("face-up") == [Refusal.TOO_LOW, Refusal.TOO_LOW, Refusal.WRONG_ZONE]
    assert set(wrong("higher") + wrong("two") + wrong("ten") + wrong("four") + wrong("pick-up")) == {Refusal.TOO_LOW}


def test_the_learner_does_not_see_what_the_partner_draws():
    told = [event for each in LESSONS for event in right(each.name).events]
    drawn = [event for event in told if isinstance(event, Drew) and event.seat == PARTNER]
    assert drawn
    assert not [event for event in drawn if event.cards]
