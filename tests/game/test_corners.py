"""Corner cases that few games ever reach, where several rules meet."""

import random
from collections.abc import Sequence

import pytest

import game.moves
from game.cards import ACE, make_face, parse_card
from game.compiled import RuleBook
from game.events import Burned, Chanced, Cleared, Ended, Flipped, PickedUp, Played, Started
from game.moves import (
    BoundPlay,
    Call,
    Chance,
    IllegalMove,
    Lay,
    Move,
    PickUp,
    Play,
    Ready,
    Refusal,
    advance,
    apply,
    check,
    events,
    format_move,
    legal_moves,
    other_moves,
    parse_move,
    sequence_cards,
    turn_moves,
)
from game.players.quick_player import choose
from game.rules import PlayOptions, Rules
from game.showing import seat_view, table_view
from game.state import NOBODY, STAND_STILL, State
from game.text.position import rules_from, set_up
from game.text.record import parse_line
from game.text.sight import format_sight
from testkit.found import instance_of


def position(rules, *seats, **case):
    return set_up({"seats": list(seats), **case}, rules_from(rules))


def texts(moves: Sequence[Move]):
    return sorted(map(format_move, moves))


def after(state: State, *lines):
    for line in lines:
        seat, text = line.split(": ")
        state = apply(state, ord(seat) - ord("A"), parse_move(text))
    return state


def test_a_seat_that_does_not_exist_may_make_no_move():
    state = position("classic", "3c | - | -", "4c | - | -")
    assert {check(state, seat, Play((make_face(8),))) for seat in (-1, 2, 5)} == {Refusal.MALFORMED}


def test_a_copy_of_a_state_has_every_field_in_its_place_and_may_be_changed_alone():
    state = position("classic", "3c | - | -", "4c | - | -")
    for number, field in enumerate(State.__slots__, 100):
        setattr(state, field, number)
    copy = state.copied()
    assert copy == state
    copy.held = 0
    assert state.held == 100 + [*State.__slots__].index("held")


def test_before_play_nobody_has_a_move_on_turn_except_the_call():
    assert turn_moves(position("classic", "3c | - | -", "4c | - | -", phase="call", turn="-")) == [Call()]
    assert turn_moves(position("classic", "3c | - | -", "4c | - | -", phase="exchange", turn="-")) == []


def test_only_a_joker_can_be_named_a_rank():
    state = position("french", "4c | - | -", "9c | - | -")
    assert check(state, 0, Play((make_face(8, rank=ACE),))) is Refusal.MALFORMED


def test_a_combo_of_four_in_the_hand_goes_on_anything():
    rules = {"play": {"combo": True, "four_on_anything": True}}
    state = position(rules, "4c 4d 4h 4s | Kd | -", "9c | - | -", pile="Kc")
    assert "play 4c 4d 4h 4s" in texts(turn_moves(state))
    state = position({**rules, "deal": {"packs": 2}}, "4c 4d 4h 4s | 4c | -", "9c | - | -", pile="Kc")
    assert "play 4c 4c 4d 4h 4s" in texts(turn_moves(state))
    state = position({**rules, "deal": {"packs": 2}}, "4c 4d 4h | 4c | -", "9c | - | -", pile="Kc")
    assert texts(turn_moves(state)) == ["pickup"]


def test_a_combo_takes_whole_slots():
    rules = {"play": {"combo": True}, "deal": {"stacking": True}}
    state = position(rules, "9c | 9d+9h | -", "4c | - | -", pile="5c")
    assert check(state, 0, parse_move("play 9c 9d")) is Refusal.NOT_ALLOWED
    assert check(state, 0, parse_move("play 9c 9d 9h")) is None


def test_a_sequence_neither_answers_a_duty_nor_leads_a_required_rank():
    rules = {"preset": "superjoker", "play": {"sequences": True}}
    state = position(rules, "Xr 4c | - | -", "Jh Qh | - | -", "5c | - | -", pile="4h")
    assert check(after(state, "A: play Xr"), 1, parse_move("play Jh Qh")) is Refusal.NOT_ON
    rules = {"play": {"sequences": True}, "start": {"by": "lowest", "must_lead": True}}
    state = position(rules, "3c 4c | - | -", "5c | - | -", phase="exchange", turn="-")
    assert check(after(state, "A: ready", "B: ready"), 0, parse_move("play 3c 4c")) is Refusal.NOT_ON


@pytest.mark.parametrize(("aim", "shithead", "winner"), [("loser", 1, -1), ("both", 1, 0), ("winner", -1, 0)])
def test_a_follow_up_may_end_the_game(aim, shithead, winner):
    rules = {"play": {"follow_up": True}, "end": {"aim": aim}}
    state = after(position(rules, "9c | - | -", "4c | - | -", stock="9d"), "A: play 9c")
    assert texts(other_moves(state, 0)) == ["follow 9d"]
    end = after(state, "A: follow 9d")
    assert (end.frame.phase, end.frame.shithead, end.frame.winner) == ("over", shithead, winner)
    names = [event.name for event in events(state, 0, parse_move("follow 9d"), end)]
    assert names == ["followed", "went-out", "ended"]


@pytest.mark.parametrize(("stock", "idle"), [("9d 9h", 0), ("9d", 3)])
def test_a_follow_up_counts_as_progress_if_it_draws(stock, idle):
    state = after(position({"play": {"follow_up": True}}, "9c Kc Kd | - | -", "4c | - | -", stock=stock), "A: play 9c")
    assert after(state.but(idle=3), "A: follow 9d").idle == idle


def test_a_follow_up_takes_the_drawn_card_and_not_its_equal():
    rules = {"play": {"follow_up": True}, "deal": {"packs": 2}}
    state = after(position(rules, "9c 9d 3c | - | -", "4c | - | -", stock="9d"), "A: play 9c")
    state = after(state, "A: follow 9d")
    assert other_moves(state, 0) == []
    assert check(state, 0, parse_move("follow 9d")) is Refusal.NOT_ALLOWED


def test_a_joker_on_top_is_not_a_run_to_complete():
    rules = {"play": {"interrupt": True}, "deal": {"jokers": 1}}
    state = position(rules, "5c | - | -", "4d 4h 4s | - | -", pile="4c Xr")
    assert other_moves(state, 1) == []


def test_a_run_of_four_that_does_not_burn_cannot_be_interrupted():
    rules = {"play": {"interrupt": True, "four_of_a_kind": False}, "deal": {"packs": 2}}
    state = position(rules, "5c | - | -", "4s | - | -", pile="4c 4d 4h 4s")
    assert other_moves(state, 1) == []


def test_an_interrupt_after_the_opening_lead_does_not_reopen_it():
    state = position({"play": {"interrupt": True}}, "9d | - | 3c", "Kc Kd Kh 4c | - | 5c", "6d | - | 7c", pile="Ks")
    state = after(state, "B: interrupt Kc Kd Kh")
    assert not state.frame.opening
    assert table_view(state).started


@pytest.mark.parametrize("name", ["guarducci", {"preset": "guarducci", "deal": {"packs": 2}}])
def test_a_sequence_that_begins_transparent_climbs_on_what_lies_beneath_each_time(name):
    for pile, goes in (("4s", True), ("9s", False), ("4s", True), ("9s 7d", False), ("", True)):
        state = position(name, "7c 8c Kd | - | 2h", "Jh | - | 3c", pile=pile)
        assert ("play 7c 8c" in texts(turn_moves(state))) is goes, pile


def test_with_two_packs_a_sequence_goes_up_to_the_ace():
    rules = {"play": {"sequences": True}, "deal": {"packs": 2}}
    state = position(rules, "Qh Kh Ah | - | -", "9c | - | -", pile="Jc")
    assert "play Qh Kh Ah" in texts(turn_moves(state))


def test_an_interrupt_takes_whole_slots():
    rules = {"play": {"interrupt": True}, "deal": {"stacking": True, "packs": 3}}
    state = position(rules, "5c | - | -", "- | 4d+4h | 2c", pile="4c 4d 4s")
    assert check(state, 1, parse_move("interrupt 4d")) is Refusal.NOT_ALLOWED
    state = position(rules, "5c | - | -", "- | 4d+4h 4d | 2c", pile="4c 4d 4s")
    assert texts(legal_moves(state, 1)) == ["interrupt 4d"]
    assert after(state, "B: interrupt 4d").seats[1].slots == state.seats[1].slots[:1]


def test_a_card_is_taken_from_a_slot_of_its_own_rather_than_from_a_stack():
    rules = {"deal": {"stacking": True, "packs": 3}}
    state = position(rules, "- | Qd+Qs Qs 7c | 4c", "4h | - | -", pile="5c")
    stack, single, seven = state.seats[0].slots
    assert after(state, "A: play Qs").seats[0].slots == (stack, seven)
    assert after(state, "A: pickup Qs").seats[0].slots == (stack, seven)
    assert after(state, "A: play Qd Qs").seats[0].slots == (single, seven)
    assert check(state, 0, PickUp((41,))) is Refusal.NOT_ALLOWED


def test_the_events_name_the_seat_that_is_given_the_pile():
    rules = {"powers": {"K": {"does": ["give-pile"]}}}
    state = position(rules, "Kc | - | 4c", "9c | - | -", "8c | - | -", stock="2c 2d 2h")
    end = after(state, "A: play Kc")
    said = events(state, 0, parse_move("play Kc"), end)
    assert [event.name for event in said] == ["played", "picked-up", "drew"]
    assert said[1] == PickedUp(1, 1, by=0)


def test_a_pick_up_for_a_stuck_seat_names_the_seat_that_made_the_move():
    state = position({"play": {"stuck": "previous"}}, "3c Kc | - | -", "4c | - | -", pile="Qs")
    assert told(after(state, "A: play Kc"), "B: pickup")[0] == PickedUp(0, 2, by=1)
    assert told(position("classic", "3c | - | -", "4c | - | -", pile="Qs"), "A: pickup")[0] == PickedUp(0, 1, by=None)


def test_a_played_event_shows_cards_that_leave_the_game():
    rules = {"play": {"sequences": True}, "powers": {"7": {"leaves": True}}}
    state = position(rules, "7c 8c | - | 4c", "9c | - | -")
    end = after(state, "A: play 7c 8c")
    assert events(state, 0, parse_move("play 7c 8c"), end)[0] == Played(0, (20, 24))
    assert end.pile == (24,)


def test_the_quick_player_swaps_nothing_if_every_slot_is_a_stack():
    state = position({"deal": {"stacking": True}}, "Ac | 4c+4d | -", "9c | - | -", phase="exchange", turn="-")
    assert seat_view(state, 0).may_swap is False
    state = position({"deal": {"stacking": True}}, "4h 4s | 5c+5d 4c+4d | -", "9c | - | -", phase="exchange", turn="-")
    view = seat_view(state, 0)
    assert choose(view, random.Random(1)) == Lay(view.may_lay[0])


def test_the_quick_player_leaves_stacks_as_they_are():
    view = seat_view(position("classic", "4h | 4c+4d | -", "9c | - | -", phase="exchange", turn="-"), 0)
    assert view.may_swap
    assert choose(view, random.Random(1)) == Ready()


def test_a_seat_that_can_flip_is_not_stuck_and_may_not_take_a_chance():
    state = position({"play": {"chance": "stuck"}}, "- | - | 4c 5d", "9c | - | -", pile="Kc", stock="7h")
    assert check(state, 0, Chance()) is Refusal.MUST_PLAY
    assert "chance" not in texts(turn_moves(state))


def test_cards_that_form_no_play_cannot_be_bound_to_a_seat():
    state = position("classic", "4c 9d | - | -", "5c | - | -")
    with pytest.raises(IllegalMove) as caught:
        advance(state, 0, parse_move("play Kd"))
    assert caught.value.refusal is Refusal.NOT_HELD


def test_a_play_that_may_not_go_is_refused_even_if_each_of_its_cards_would_fit_alone(monkeypatch):
    monkeypatch.setattr("game.moves.play.may_go", lambda _state, _play: False)
    state = position("classic", "4c 4d | - | -", "5c | - | -", pile="3h")
    assert check(state, 0, parse_move("play 4c 4d")) is Refusal.NOT_ON


def test_a_position_may_have_rules_whose_pack_is_too_small_to_deal():
    state = position({"seats": [6, 6], "deal": {"hand": 6, "face_up": 6}}, "4c | - | -", "5c | - | -", pile="3c")
    assert texts(turn_moves(state)) == ["pickup", "play 4c"]


class NewOptions(PlayOptions):
    """Options with a new one that `LISTED` does not have: no card may be played alone."""

    never_alone: bool = False


@pytest.mark.parametrize(
    ("hand", "listed"),
    [
        ("5c 5d 9h", ["pickup", "play 5c 5d"]),
        ("5c 9h", ["pickup"]),
    ],
)
@pytest.mark.parametrize("must_play", [False, True])
def test_a_new_option_of_play_needs_only_a_check(monkeypatch, hand, listed, must_play):
    def check_new(state, who, move):
        alone = state.book.play.never_alone and len(move.cards) == 1
        return Refusal.NOT_ALLOWED if alone else known.check(state, who, move)

    known = game.moves.KINDS[Play]
    for kind in (Play, BoundPlay):
        monkeypatch.setitem(game.moves._ROWS, kind, known._replace(check=check_new))
    monkeypatch.setattr("game.moves.play.check", check_new)
    rules = Rules(play=NewOptions(never_alone=True, must_play=must_play))
    state = position({"play": {"must_play": must_play}}, f"{hand} | - | 3c", "Kc | - | -", pile="4c")
    state = state.but(book=RuleBook(rules, state.book.copies))
    can_play = len(listed) > 1
    assert texts(turn_moves(state)) == (listed[1:] if must_play and can_play else listed)


def told(state: State, line):
    seat, move = parse_line(line)
    return events(state, seat, move, advance(state, seat, move))


def test_a_pick_up_counts_the_turned_card_that_did_not_fit():
    flipping = position("classic", "- | - | 3c 4d", "9c | - | -", pile="Ks Kd")
    assert told(flipping, "A: flip 1") == (Flipped(0, parse_card("3c")), PickedUp(0, 3))
    chancing = position({"play": {"chance": "always"}}, "3d | - | -", "9c | - | -", pile="Ks Kd", stock="3c 5c")
    assert told(chancing, "A: chance") == (Chanced(0, parse_card("3c")), PickedUp(0, 3))


def test_a_card_that_leaves_the_stock_resets_the_stand_still_count():
    state = position({"play": {"chance": "always"}}, "3d | - | -", "9c | - | -", pile="Ks Kd", stock="3c 5c")
    assert after(state.but(idle=STAND_STILL - 1), "A: chance").idle == 0


def test_a_flip_that_does_not_fit_can_end_the_game_as_a_stand_still():
    state = position("classic", "- | - | 3c 4d", "9c | - | -", pile="Ks").but(idle=STAND_STILL - 1)
    assert told(state, "A: flip 1") == (Flipped(0, parse_card("3c")), PickedUp(0, 2), Ended(None, None))
    assert (table_view(state).stands_still, table_view(after(state, "A: flip 1")).stands_still) == (False, True)


@pytest.mark.parametrize(("aim", "winner"), [("loser", None), ("both", 2)])
def test_whoever_was_out_first_has_won_a_game_that_stands_still(aim, winner):
    state = position({"end": {"aim": aim}}, "- | - | 3c 4d", "9c | - | -", "- | - | -", pile="Ks")
    ended = table_view(after(state.but(idle=STAND_STILL - 1), "A: flip 1"))
    assert (ended.stands_still, ended.shithead, ended.winner) == (True, None, winner)


def test_a_joker_continues_no_sequence():
    rules = Rules().changed_with({"play": {"sequences": True}})
    king, ace, *jokers = map(parse_card, ("Kc", "Ac", "Xr", "Xb"))
    assert sequence_cards(rules, [ace, *jokers]) == set()
    assert sequence_cards(rules, [king, ace, *jokers]) == {king, ace}


def test_a_transcript_calls_a_stand_still_drawn():
    state = position("classic", "- | - | 3c 4d", "9c | - | -", pile="Ks").but(idle=STAND_STILL - 1)
    before, ended = (format_sight((), [(seat_view(each, 0), ())]) for each in (state, after(state, "A: flip 1")))
    assert "drawn" not in before
    assert ended.splitlines()[0].endswith(", drawn")


def test_an_interrupt_burns_the_pile_and_its_own_cards():
    state = position({"play": {"interrupt": True}}, "5c | - | -", "9c 9d Kh | - | -", pile="4c 9h 9s")
    assert told(state, "B: interrupt 9c 9d")[1:] == (Burned(1, 5, four=True),)


@pytest.mark.parametrize(
    ("rules", "hand", "pile", "line", "four"),
    [
        ("classic", "Qc Qd Qh 3c", "4c Qs", "A: play Qc Qd Qh", True),
        ("classic", "Tc 3c", "4c Ks", "A: play Tc", False),
        ("classic", "Tc 3c", "4c Td Th Ts", "A: play Tc", False),
        ({"powers": {"Q": {"does": ["burn"]}}}, "Qc Qd Qh 3c", "4c Qs", "A: play Qc Qd Qh", False),
        ({"powers": {"Q": {"does": ["burn"], "burns_on": ["4"]}}}, "Qc Qd Qh 3c", "4c Qs", "A: play Qc Qd Qh", True),
        ({"powers": {"Q": {"does": ["burn"], "burns_on": ["4"]}}}, "Qc 3c", "5c 4c", "A: play Qc", False),
        ({"play": {"follow_up": True}}, "Qc 3c", "4c Qd Qh Qs", "A: play Qc", True),
    ],
)
def test_a_burn_says_whether_it_was_four_of_a_kind(rules, hand, pile, line, four):
    burned = told(position(rules, f"{hand} | - | -", "9c 9d | - | -", pile=pile), line)[1]
    assert instance_of(Burned, burned).four == four


def test_a_cleared_pile_does_not_burn_as_four_of_a_kind():
    state = position({"play": {"flush": True}}, "Qc 3c | - | -", "9c | - | -", pile="4c Qd Qh Qs", flush="B")
    assert told(after(state, "A: play Qc"), "B: clear") == (Cleared(1), Burned(1, 5, four=False))


def test_an_interrupt_leaves_the_stand_still_count_as_it_is_unless_it_draws():
    rules = {"play": {"interrupt": True}}
    state = position(rules, "5c | - | -", "9c 9d Kh | - | -", pile="4c 9h 9s").but(idle=STAND_STILL - 1)
    interrupted = after(state, "B: interrupt 9c 9d")
    assert (interrupted.frame.phase, interrupted.idle) == ("play", STAND_STILL - 1)
    drawing = position(rules, "5c | - | -", "9c 9d Kh | - | -", pile="4c 9h 9s", stock="6c").but(idle=STAND_STILL - 1)
    assert after(drawing, "B: interrupt 9c 9d").idle == 0


def test_a_seat_that_plays_alone_ends_the_game_without_a_shithead():
    alone = after(position("classic", "2h 3h | - | -"), "A: play 2h", "A: play 3h")
    assert (alone.frame.phase, alone.frame.out, alone.frame.shithead, alone.turn) == ("over", (0,), NOBODY, NOBODY)


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("play 4c 5c", Refusal.MIXED_RANKS),
        ("play 4c 5c low", Refusal.MALFORMED),
        ("play 7c 5c low", Refusal.MIXED_RANKS),
        ("play 7c", Refusal.MALFORMED),
    ],
)
def test_a_word_without_a_named_card_is_malformed_even_among_mixed_ranks(line, refusal):
    state = position({"powers": {"7": {"asks": "named"}}}, "4c 5c 7c | - | -", "9h | - | -", pile="3d")
    assert check(state, 0, parse_move(line)) is refusal


@pytest.mark.parametrize(("by", "missing"), [("face-up-then-call", parse_card("3c") >> 2), ("lowest", None)])
def test_the_start_tells_that_nobody_has_the_first_rank_if_it_was_asked_for(by, missing):
    state = position({"start": {"by": by}}, "4c 9c | 4d | 5c", "6c 9d | 7d | 8c", phase="exchange")
    ready = after(state, "A: ready")
    (*_, told) = events(ready, 1, parse_move("ready"), after(ready, "B: ready"))
    started = instance_of(Started, told)
    assert (started.seat, started.rank, started.missing) == (0, parse_card("4c") >> 2, missing)
