"""A seat learns nothing that it must not know: its view and its events do not depend on cards hidden from it."""

import random
from collections import Counter
from dataclasses import fields, replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game import events as told
from game.cards import JACK, JOKER, RED_JOKER, card_of, face_rank, is_red
from game.compiled import DUTY, _book
from game.deal import full_pack
from game.events import Event, redact
from game.moves import (
    BoundPlay,
    Call,
    Chance,
    Choose,
    Flip,
    Lay,
    Move,
    PickUp,
    Play,
    Ready,
    Timeout,
    Tribute,
    advance,
    apply,
    check,
    events,
    legal_moves,
)
from game.players.coach import remembered
from game.players.memory import Memory, first_memory
from game.players.quick_player import choose
from game.rules import Rules
from game.showing import MOST_SETS, seat_view, table_view, unseen
from game.state import State
from game.text.notation import format_cards, parse_cards
from game.text.position import rules_from, set_up
from game.text.record import Step
from game.variants import variants
from game.view import Asked, SeatView, TableView
from testkit.disguise import disguised
from testkit.found import instance_of
from testkit.random_games import random_deal, random_move, random_position, random_seats
from testkit.rule_sets import RULES, VARIANTS

SEEDS = st.integers(0, 2**32 - 1)


def hidden(state: State, viewer):
    """The mask of the cards that the viewer cannot see: other hands, face-down cards, unseen choices, the stock."""
    mask = sum(state.stock)
    for who, seat in enumerate(state.seats):
        mask |= sum(seat.down)
        if who != viewer:
            mask |= seat.hand | (seat.up if unseen(state) else 0)
    return mask


def known(state: State, seen: Memory):
    """The mask of the hand cards that everybody has seen, with all copies in the same hand: nobody tells them apart."""
    found = 0
    for seat, cards in zip(state.seats, seen.held, strict=True):
        for card in cards:
            found |= seat.hand & state.book.copies_of(card)
    return found


def moved(state: State, seen: Memory, seat, move: Move):
    """The state after a move, and the memory then."""
    after = advance(state, seat, move)
    return after, remembered(seen, Step(state, seat, move, after))


def some_state(rng, rules):
    """A random state of a game, and the memory then; states before play are more frequent than in games."""
    seats = random_seats(rng, rules, 5)
    if rng.random() < 0.4:
        state = random_position(rng, rules, seats)
        return state, first_memory(table_view(state))
    state = random_deal(rng, rules, seats)
    seen = first_memory(table_view(state))
    for _ in range(rng.choice((0, 2, 5, 10, 40, 150))):
        if state.frame.phase == "over":
            break
        state, seen = moved(state, seen, *random_move(rng, state))
    return state, seen


@pytest.mark.long
@given(RULES | VARIANTS, SEEDS)
@settings(max_examples=150)
def test_a_view_does_not_depend_on_hidden_cards(rules, seed):
    rng = random.Random(seed)
    state, _ = some_state(rng, rules)
    for viewer in range(len(state.seats)):
        view, other = seat_view(state, viewer), seat_view(disguised(state, rng, viewer), viewer)
        assert view == other
        assert table_view(state) == view.table
        if view.moves or view.may_choose:
            assert choose(view, random.Random(seed)) == choose(other, random.Random(seed))


def heard(viewer, state: State, seat, move: Move, after: State):
    return [redact(each, viewer, unseen=unseen(after)) for each in events(state, seat, move, after)]


def compare_what_is_told(rng, state, seen):
    """Make a move in this state and in one with other hidden cards; check that a seat sees and is told the same.

    Cards that everybody sees after the move must be the same in both, so they are not exchanged. Seats that cannot see
    the move (R32), or cannot know that it was legal, are left out. Returns the names of the events and the number of
    seats compared.
    """
    seat, move = random_move(rng, state)
    after, seen = moved(state, seen, seat, move)
    names = [event.name for event in events(state, seat, move, after)]
    compared = 0
    for viewer in range(0 if depends_on_what_is_hidden(state, move, after) else len(state.seats)):
        other = disguised(state, rng, viewer, keep=~hidden(after, viewer) | known(after, seen))
        if check(other, seat, move) is None:
            end = advance(other, seat, move)
            assert heard(viewer, state, seat, move, after) == heard(viewer, other, seat, move, end)
            assert seat_view(after, viewer) == seat_view(end, viewer)
            compared += 1
    return names, compared


def depends_on_what_is_hidden(state, move, after):
    """Whether the rules themselves make public with this move something that depends on hidden cards.

    Such are who may call and who starts (R4, R29, R37), cards turned up or thrown, who is stuck or must answer (R46).
    """
    started = after.frame.phase == "call" or state.frame.phase == "call" or isinstance(move, Ready)
    thrown = state.frame.thrown is not None
    stuck = state.book.play.stuck == "previous" and isinstance(move, PickUp)
    answers = any(power.answer for power in state.book.powers)
    return started or thrown or stuck or answers


@pytest.mark.long
@given(RULES | VARIANTS, SEEDS)
@settings(max_examples=150)
def test_the_events_for_a_seat_do_not_depend_on_hidden_cards(rules, seed):
    rng = random.Random(seed)
    state, seen = some_state(rng, rules)
    if state.frame.phase != "over":
        compare_what_is_told(rng, state, seen)


@pytest.mark.long
def test_the_comparison_covers_all_kinds_of_events():
    """One kind is a turned card that does not fit: everybody has seen it, although it is in a hand afterwards."""
    found = Counter()
    for number, variant in enumerate(list(variants().values()) * 16):
        rng = random.Random(number)
        state, seen = some_state(rng, variant.rules)
        if state.frame.phase != "over":
            names, compared = compare_what_is_told(rng, state, seen)
            found[" ".join(names[:2])] += compared
    kinds = ("played drew", "played burned", "flipped picked-up", "chanced picked-up", "added picked-up", "swapped")
    assert all(found[kind] >= 2 for kind in kinds), found


def cards_in(event: Event):
    found = set()
    for name in ("cards", "faces", "card", "face", "laid", "taken", "given", "slots"):
        value = getattr(event, name, None)
        if isinstance(value, int):
            found.add(value & 63)
        elif value is not None:
            found |= {each & 63 for part in value for each in (part if isinstance(part, tuple) else (part,))}
    return found


@pytest.mark.parametrize("variant", [name for name, each in variants().items() if each.rules.deal.packs == 1])
def test_no_event_names_a_card_that_stays_hidden_from_its_hearer(variant):
    rng, rules = random.Random(variant), variants()[variant].rules
    state = random_deal(rng, rules, min(4, rules.most_seats()))
    seen, named, withheld = first_memory(table_view(state)), 0, 0
    for _ in range(150):
        if state.frame.phase == "over":
            break
        seat, move = random_move(rng, state)
        before = state
        state, seen = moved(before, seen, seat, move)
        for viewer in (*range(len(state.seats)), None):
            never_shown = hidden(before, viewer) & hidden(state, viewer) & ~known(state, seen)
            secret = set(state.book.cards(never_shown))
            for event in heard(viewer, before, seat, move, state):
                assert not cards_in(event) & secret
                named += len(cards_in(event))
            whole = events(before, seat, move, state)
            withheld += any(cards_in(event) & secret for event in whole)
    assert named > 50
    assert withheld > 3, "what is drawn would name a hidden card if it were not withheld"


def example(kind):
    values = {"faces": (5,), "cards": (5,), "slots": ((5,),), "seats": (1,), "direction": -1, "rank": 3}
    return kind(**{field.name: values.get(field.name, 1) for field in fields(kind)})


@pytest.mark.parametrize("kind", get_args(told.Event))
def test_every_event_can_be_redacted_for_anybody(kind):
    event = example(kind)
    for seat in (0, 1, None):
        for hidden in (True, False):
            assert redact(event, seat, unseen=hidden).name == event.name
    assert redact(event, 1, unseen=True) == event


def test_only_the_seat_itself_is_told_what_it_drew_or_chose_unseen():
    assert redact(told.Drew(0, 2, (4, 5)), 1) == told.Drew(0, 2, ())
    assert redact(told.Drew(0, 2, (4, 5)), 0) == told.Drew(0, 2, (4, 5))
    assert redact(told.Chosen(0, ((4,),)), None, unseen=True) == told.Chosen(0, ())
    assert redact(told.Chosen(0, ((4,),)), 1) == told.Chosen(0, ((4,),))
    assert redact(told.Laid(0, 4), 1, unseen=True) == told.Laid(0, None)
    assert redact(told.Laid(0, 4), 1) == told.Laid(0, 4)


def test_views_have_no_fields_for_hidden_cards():
    assert {field.name for field in fields(SeatView)} & {"state", "stock", "seats", "pack", "down"} == set()
    assert {field.name for field in fields(TableView)} & {"state", "hands", "pack", "down"} == set()


# -- what a view says


HANDS = ("2h 5c 9d | Kd Qs Jh | 3c 4d 6s", "4h 4s 8d | Td As 9h | 2c 7d 6c")


def position(rules="classic", **case):
    return set_up({"seats": list(HANDS), **case}, rules_from(rules))


def test_a_view_says_what_its_seat_may_do():
    view = seat_view(position(pile="9c 9h 9s", stock="7h", seats=[HANDS[0], "4h 4s 8d | Td As Ah | 2c 7d 6c"]), 0)
    assert view.zone == "hand"
    assert [move for move in view.moves if move in view.burning] == [Play((7 * 4 + 1,))]
    assert PickUp() in view.moves
    assert (view.table.asked.kind, view.table.asked.rank) == ("at-least", 7)
    assert view.table.asked.also == (0,)
    assert view.table.started
    assert seat_view(position(pile="9c"), 1).moves == ()


def test_a_wild_joker_that_may_be_named_a_rank_that_fits_is_an_exception_to_what_is_asked():
    wild = {"deal": {"jokers": 1}, "powers": {"joker": {"on": "rank", "wild": True}}}
    seats = ["Xr 4c | - | 3c", "4h | - | -"]
    barred = {**wild, "powers": {"joker": {"on": "rank", "wild": True, "not_on": ["Q"]}}}
    for options, also in ((wild, (0, 8, JOKER)), (barred, (0, 8))):
        view = seat_view(set_up({"seats": seats, "pile": "Qh"}, Rules().changed_with(options)), 0)
        assert view.table.asked.also == also
        assert any(isinstance(move, Play) for move in view.moves) == (JOKER in also)


@pytest.mark.parametrize(
    ("joker", "pile", "all_fit", "barred"),
    [
        (None, "3h", True, ()),
        (None, "5h", False, ()),
        ({"on": "anything"}, "3h", True, ()),
        ({"on": "rank", "asks": "anything"}, "3h", False, ()),
        ({"on": "anything", "not_on": ["2"]}, "2s", False, (JOKER,)),
        ({"on": "rank", "wild": True}, "3h", True, ()),
    ],
)
def test_a_view_says_whether_every_card_of_the_table_goes_on_the_pile(joker, pile, all_fit, barred):
    options = {} if joker is None else {"deal": {"jokers": 1}, "powers": {"joker": joker}}
    asked = seat_view(position(options, pile=pile), 1).table.asked
    assert (asked.all_fit, asked.barred) == (all_fit, barred)


def shape(play: BoundPlay):
    """What makes plays different to a person where suits do not matter: rank, number of cards, number of jokers."""
    return face_rank(play.cards[0]), len(play.cards), sum(card_of(face) >= RED_JOKER for face in play.cards)


@pytest.mark.long
def test_a_view_of_a_huge_hand_lists_plays_that_differ_only_in_suits_once():
    joker = {"wild": True, "on": "anything", "asks": "anything"}
    rules = Rules(seats=(2, 12)).changed_with({"deal": {"packs": 4, "jokers": 4}, "powers": {"joker": joker}})
    pack = sorted(full_pack(rules, 2), reverse=True)
    seats = [f"{format_cards(cards)} | - | -" for cards in (pack[:60], pack[60:100])]
    state = set_up({"seats": seats, "turn": "a"}, rules)
    listed = [shape(move) for move in seat_view(state, 0).moves]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(map(shape, legal_moves(state, 0)))
    assert not [move for move in seat_view(state, 0).moves if check(state, 0, move)]
    jacks = next(move for move in seat_view(state, 0).moves if shape(move) == (JACK, 4, 0))
    assert not any(is_red(card) for card in instance_of(Play, jacks).cards)


@pytest.mark.parametrize(("copies", "kings"), [(1, 15), (2, 8)])
def test_a_view_lists_plays_that_differ_in_suits_once_if_there_are_more_than_a_pack_has(monkeypatch, copies, kings):
    monkeypatch.setattr("game.compiled._book", _book.__wrapped__)  # do not share books with other tests
    rules = Rules(seats=(2, 12)).changed_with({"deal": {"packs": 2, "jokers": 2}})
    hand = format_cards(list(full_pack(Rules(), 2)) * copies)
    state = set_up({"seats": [f"{hand} | - | -", "Xr | - | -"]}, rules)
    found = [move for move in seat_view(state, 0).moves if isinstance(move, Play) and shape(move)[0] == 11]
    assert len(found) == kings


def test_a_view_of_a_few_cards_that_form_fifty_thousand_sets_stays_small():
    joker = {"wild": True, "on": "anything", "asks": "anything"}
    deal = {"packs": 4, "jokers": 8, "jokers_for_six": 8}
    rules = Rules(seats=(2, 12)).changed_with({"deal": deal, "powers": {"joker": joker}})
    kings = [card for card in full_pack(rules, 6) if card // 4 in {11, 13}]
    assert len(kings) == 32
    others = [f"{card} | - | -" for card in ("2c", "2d", "2h", "2s", "3c")]
    state = set_up({"seats": [f"{format_cards(kings)} | - | -", *others]}, rules)
    assert len(seat_view(state, 0).moves) < sum(MOST_SETS)


def test_only_the_seat_on_turn_reads_who_would_take_the_pile_for_it():
    rules = Rules().changed_with({"play": {"stuck": "previous"}})
    seats = ["4h 4s | - | -", "5h 5s | - | -", "6h 6s | - | -"]
    stuck = set_up({"seats": seats, "pile": "Ks", "turn": "A", "last": "C"}, rules)
    assert [seat_view(stuck, seat).taker for seat in range(3)] == [2, None, None]


def test_a_view_says_what_it_may_do_before_play():
    view = seat_view(position(phase="exchange"), 0)
    assert view.may_swap
    assert view.moves == (Ready(),)
    stacking = position({"deal": {"stacking": True}}, phase="exchange", seats=["Kc 5c | Kd | 3c", "4h | Td | 2c"])
    view = seat_view(stacking, 0)
    assert view.may_lay == (11 * 4,)
    assert not any(isinstance(move, Lay) for move in view.moves)
    choosing = position({"deal": {"method": "choose"}}, phase="exchange", seats=["Kc 5c | - | 3c", "4h | Td | 2c"])
    assert seat_view(choosing, 0).may_choose
    assert not seat_view(choosing, 1).may_choose
    assert seat_view(choosing, 0).table.seats[1].up is None
    assert seat_view(choosing, 1).up == ((8 * 4 + 1,),)


def test_a_view_says_who_calls_and_who_pays():
    calling = position(phase="call", turn="-", seats=["3h | Kd | -", "4h | Td | -"])
    assert seat_view(calling, 0).moves == (Call(),)
    assert seat_view(calling, 1).moves == ()
    assert seat_view(calling, 0).table.calling == 1
    paying = position({"end": {"tribute": True}}, phase="tribute", last_winner="A", last_shithead="B")
    assert seat_view(paying, 0).table.tribute_from == 1
    assert Tribute() in seat_view(paying, 0).moves
    assert len(seat_view(paying, 0).moves) == 10


def test_a_view_says_who_must_act():
    assert table_view(position(turn="B", seats=["3h | - | -", "4h | - | -"])).waits_for == 1
    clearing = position(
        {"play": {"flush": True}}, phase="clear", turn="A", flush="B", seats=["3h | - | -", "4h | - | -"], pile="9c"
    )
    assert (table_view(clearing).turn, table_view(clearing).waits_for) == (0, 1)
    assert table_view(clearing).awaited == [1]


def test_a_view_says_which_seats_the_game_waits_for():
    preparing = position(phase="exchange")
    assert table_view(preparing).awaited == [0, 1]
    assert table_view(advance(preparing, 1, Ready())).awaited == [0]
    calling = position(phase="call", turn="-", seats=["3h | Kd | -", "4h | Td | -"])
    assert table_view(calling).awaited == []
    over = advance(position(seats=["3h | - | -", "4h | - | -"]), 0, Play(parse_cards("3h")))
    assert (over.frame.phase, table_view(over).awaited) == ("over", [])


def test_a_view_says_where_each_seat_plays_from():
    for text, zone in (("- | 3c | 4c", "face-up"), ("- | - | 4c", "face-down"), ("- | - | -", None)):
        assert seat_view(position(seats=["2c | - | -", text]), 1).zone == zone
    assert seat_view(position(seats=["2c | - | -", "- | - | -"]), 1).table.seats[1].place == 1


def test_a_view_says_which_rank_must_be_led():
    rules = rules_from({"start": {"by": "left", "must_lead": True}})
    state = set_up({"seats": ["3c | - | -", "4c | - | -"], "phase": "exchange", "dealer": "B"}, rules)
    for seat in (0, 1):
        state = apply(state, seat, Ready())
    assert seat_view(state, 0).lead is None
    rules = rules.changed_with({"start": {"by": "lowest"}})
    state = set_up({"seats": ["3c 5c | - | -", "4c | - | -"], "phase": "exchange", "dealer": "B"}, rules)
    for seat in (0, 1):
        state = apply(state, seat, Ready())
    assert (seat_view(state, 0).lead, seat_view(state, 1).lead) == (1, None)
    assert not seat_view(state, 0).table.started


def test_a_view_says_how_it_ended():
    rules = {"end": {"next_dealer": "rotate", "aim": "both"}}
    state = apply(position(rules, seats=["5c | - | -", "4h | Td | 2c"]), 0, Play((3 * 4,)))
    table = table_view(state)
    assert (table.phase, table.turn, table.shithead, table.winner, table.next_dealer) == ("over", None, 1, 0, 0)
    state = apply(position(seats=["5c | - | -", "4h | Td | 2c"]), 0, Play((3 * 4,)))
    assert table_view(state).next_dealer == 1


def test_a_view_says_in_which_order_its_seats_have_finished():
    state = position(seats=["- | - | -", "4h | Td | 2c", "5c | - | -"], turn="C")
    assert table_view(apply(state, 2, Play((3 * 4,)))).finishing_order == [0, 2, 1]
    first_wins = {"end": {"aim": "winner"}}
    state = position(first_wins, seats=["4h | Td | 2c", "5c | - | -", "6c | - | -"], turn="B")
    assert table_view(apply(state, 1, Play((3 * 4,)))).finishing_order == [1, 0, 2]


def test_a_view_says_that_a_red_jack_is_asked():
    state = position("superjoker", seats=["Xr 4c | - | -", "Jh 4d | - | -", "5c | - | -"], pile="4h")
    state = apply(state, 0, Play((52,)))
    assert state.top == DUTY
    assert table_view(state).asked == Asked("red-jack")  # not even a two, which else goes on anything


def test_views_of_equal_positions_are_equal():
    assert seat_view(position(), 0) == seat_view(position(), 0)
    assert position() == position()
    assert position() != position(pile="3h")
    assert position() != 1
    assert replace(table_view(position()), stock=1) != table_view(position())


@pytest.mark.parametrize("variant", variants())
def test_the_quick_player_always_has_a_move_and_plays_to_the_end(variant):
    rng, rules = random.Random(variant), variants()[variant].rules
    state = random_deal(rng, rules, min(4, rules.most_seats()))
    while state.frame.phase != "over":
        if state.frame.phase == "call":
            state = apply(state, 0, Timeout())
            continue
        views = [seat_view(state, seat) for seat in range(len(state.seats))]
        view = next(view for view in views if view.moves or view.may_choose)
        state = apply(state, view.seat, choose(view, rng))


def test_the_quick_player_makes_moves_that_only_some_rules_have():
    rng = random.Random(1)
    rules = {"play": {"interrupt": True, "chance": "stuck", "flush": True, "follow_up": True}, "end": {"tribute": True}}
    state = position(rules, pile="4c 4d", seats=["9c | - | -", "4h 4s 8d | - | -"])
    assert check(state, 1, choose(seat_view(state, 1), rng)) is None
    stuck = position(rules, pile="Ac", stock="5c", seats=["9c | - | -", "4h | - | -"])
    assert choose(seat_view(stuck, 0), rng) == Chance()
    blind = position(rules, pile="Ac", seats=["- | - | 9c 9d", "4h | - | -"])
    assert isinstance(choose(seat_view(blind, 0), rng), Flip)
    calling = position(phase="call", turn="-", seats=["3h | Kd | -", "4h | Td | -"])
    assert choose(seat_view(calling, 0), rng) == Call()
    paying = position(rules, phase="tribute", last_winner="A", last_shithead="B")
    assert choose(seat_view(paying, 0), rng) == Tribute(9 * 4 + 2, 8 * 4 + 1)
    with pytest.raises(ValueError, match="nothing to do"):
        choose(seat_view(position(), 1), rng)
    assert Rules().play.flush is False


def test_a_seat_sees_its_own_chosen_cards_at_the_table_before_the_others_do():
    state = position(
        rules="choose-three",
        phase="exchange",
        seats=["5c 6h 7h 8h 9c Jc | - | 3c 4d 6s", "4h 4s 8d Td As 9h | - | 2c 7d 6c"],
    )
    chosen = apply(state, 0, Choose(((12,), (18,), (22,))))
    view = seat_view(chosen, 0)
    assert view.table.seats[0].up is None
    assert view.seen_table.seats[0].up == view.up != ()
    assert view.seen_table.seats[1] == view.table.seats[1]
