"""Records can be replayed, even those of games that began when some rules were read differently."""

import json
from pathlib import Path

import pytest

from game.cards import NotACardError, NotAMoveError, parse_card
from game.compiled import FIRST_READING, SECOND_READING, THIRD_READING, TODAYS_READING
from game.deal import full_pack
from game.moves import IllegalMove, Ready, Timeout, legal_moves
from game.rules import Rules
from game.state import State
from game.text.record import Record, RefusedAtError, format_line, parse_line

FIRST_VERSION = json.loads((Path(__file__).parent / "first_version.json").read_text(encoding="utf-8"))
"""Games that the first version of the bot recorded, with the order in which the seats went out."""


def record(*moves, **changes):
    pack = full_pack(Rules(), 2)
    return Record(**{"rules": Rules(), "seats": 2, "dealer": 1, "pack": pack, "moves": moves} | changes)


def first_version(name):
    return Record.model_validate(FIRST_VERSION[name]["record"])


def test_a_replay_gives_every_move_with_the_states_around_it():
    steps = record("A: ready", "B: ready").steps()
    assert [(step.seat, step.move) for step in steps] == [(0, Ready()), (1, Ready())]
    assert steps[0].before == record().dealt()
    assert steps[0].after == steps[1].before
    assert [event.name for event in steps[1].events()] == ["ready", "started"]
    assert record("A: ready", "B: ready").end() == steps[1].after
    assert record().end() == record().dealt()


def test_the_repr_of_a_record_shows_no_card():
    assert repr(record()) == str(record()) == "Record(2 seats)"


def test_a_damaged_record_says_which_move_is_refused():
    with pytest.raises(RefusedAtError, match="wrong-phase") as caught:
        record("A: ready", "A: ready").steps()
    assert caught.value.number == 2
    assert isinstance(caught.value, IllegalMove)


@pytest.mark.parametrize("line", ["A: timeout", "-: ready", "-: play 5c", "É: ready", "ready", "A: shout"])
def test_text_that_is_not_a_line_is_refused(line):
    with pytest.raises(NotAMoveError):
        parse_line(line)


def test_a_line_survives_a_round_trip_through_text():
    assert parse_line(format_line(None, Timeout())) == (None, Timeout())
    assert parse_line(" b : READY ") == (1, Ready())
    with pytest.raises(NotACardError):
        parse_line("A: play 9x")


# -- records of the first version


@pytest.mark.parametrize("name", FIRST_VERSION)
def test_a_game_of_the_first_version_replays_to_the_same_result(name):
    assert list(first_version(name).end().frame.out) == FIRST_VERSION[name]["out"]


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("a card was added on duty", "not-allowed"),
        ("a stacked red jack got the turn", "not-your-turn"),
        ("the lowest was looked for from the king on", "not-your-turn"),
    ],
)
def test_some_games_of_the_first_version_need_the_first_reading(name, refusal):
    """Today's reading refuses one of their moves, so they are replayed with the first reading and go on with it."""
    old = first_version(name)
    assert old.end().book.reading == FIRST_READING
    today = old.dealt()
    with pytest.raises(RefusedAtError, match=refusal):
        replay_by_today(today, old)


def replay_by_today(state: State, old: Record):
    from game.text.record import _replayed  # noqa: PLC0415 - a private function, used only here

    return _replayed(state, list(map(parse_line, old.moves)))


@pytest.mark.parametrize(
    ("reading", "phase"), [(TODAYS_READING, "exchange"), (SECOND_READING, "exchange"), (FIRST_READING, "tribute")]
)
def test_only_the_first_reading_asks_for_a_tribute_without_face_up_cards(reading, phase):
    rules = Rules().changed_with({"end": {"tribute": True}, "deal": {"face_up": 0, "by_seats": {"5": 2}}})
    dealt = record(rules=rules, pack=full_pack(rules, 2), last_winner=0, last_shithead=1)
    assert dealt.dealt(reading=reading).frame.phase == phase


@pytest.mark.parametrize("effect", ["again", "skip"])
def test_a_game_in_which_a_card_had_an_effect_beside_giving_nothing_needs_the_second_reading(effect):
    rules = Rules().changed_with({"powers": {"5": {"does": ["give-pile", effect], "leaves": True}}})
    moves = "A: ready", "B: ready", "A: play 5c", "A: play 6c"
    state = record(*moves, rules=rules).end()
    assert (state.turn, state.book.reading) == (1, SECOND_READING)
    with pytest.raises(RefusedAtError, match="not-your-turn"):
        record(*moves, "A: play 6c", rules=rules).end()


def test_a_game_in_which_a_four_beside_a_joker_that_left_did_not_burn_needs_the_third_reading():
    joker = {"on": "anything", "asks": "at-least", "does": [], "wild": True, "leaves": True}
    deal = {"jokers": 2, "hand": 3, "face_up": 0, "face_down": 0}
    rules = Rules().changed_with({"deal": deal, "start": {"by": "left"}, "powers": {"joker": joker}})
    first = [*map(parse_card, ["4c", "4s", "4h", "6c", "5c", "7c", "4d", "Xr"])]
    pack = (*first, *(card for card in full_pack(rules, 2) if card not in first))
    moves = "A: ready", "B: ready", "A: play 4c 4h", "B: play 4s", "A: play 4d Xr=4"
    state = record(*moves, "B: play 6c", rules=rules, pack=pack).end()
    assert (state.turn, state.book.reading) == (0, THIRD_READING)
    today = record(*moves, rules=rules, pack=pack).end()
    assert (today.turn, today.book.reading, today.pile) == (0, TODAYS_READING, ())


def test_a_game_that_was_stuck_in_the_first_version_goes_on():
    """A seat with a stacked red jack had the turn, but every move it was offered was refused; now it has picked up."""
    state = first_version("nobody could go on").end()
    assert state.book.reading == TODAYS_READING
    assert state.frame.phase == "play"
    assert not state.frame.duty
    assert legal_moves(state, state.turn)


def test_options_that_came_later_have_their_defaults_in_an_old_record():
    rules = first_version("a card was added on duty").rules
    assert "bare_gives" not in FIRST_VERSION["a card was added on duty"]["record"]["rules"]["powers"]["K"]
    assert rules.powers["K"].bare_gives is False
