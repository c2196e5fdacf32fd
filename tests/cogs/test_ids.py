"""Ids of buttons and the moves in them: what is formatted can be parsed, and no text makes parsing fail."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cogs.screens.ids import MOVES, ButtonId, apart, format_button, format_id, parse_button, parse_id, plain_value
from cogs.topics import handlers
from game.cards import make_face
from game.moves import (
    Call,
    Chance,
    Choose,
    Clear,
    Flip,
    Follow,
    Interrupt,
    Lay,
    PickUp,
    Play,
    Ready,
    Swap,
    Timeout,
    Tribute,
)

CARDS = st.lists(st.integers(0, 53), min_size=1, max_size=12).map(tuple)
FACES = st.lists(
    st.integers(0, 51)
    | st.builds(lambda card, rank: make_face(card, rank=rank), st.sampled_from((52, 53)), st.integers(0, 12)),
    min_size=1,
    max_size=8,
).map(tuple)
WORD = st.sampled_from(("", "high", "low"))
MOVE = st.one_of(
    st.builds(Play, FACES, WORD),
    st.builds(Flip, st.integers(1, 6), WORD),
    st.builds(PickUp, st.just(()) | CARDS),
    st.builds(Chance, WORD),
    st.builds(Swap, st.integers(0, 53), st.integers(0, 53)),
    st.builds(Choose, st.lists(CARDS.filter(lambda cards: len(cards) < 4), min_size=1, max_size=6).map(tuple)),
    st.builds(Lay, st.integers(0, 53)),
    st.builds(Interrupt, CARDS),
    st.builds(Follow, CARDS),
    st.builds(Tribute, st.integers(0, 53), st.integers(0, 53)),
    st.sampled_from((Ready(), Call(), Clear(), Tribute())),
)


@given(MOVE)
@example(Ready())
@example(Call())
@example(Clear())
@example(Tribute())
@example(PickUp())
@example(Chance())
def test_a_move_survives_being_formatted_and_parsed(move):
    assert parse_button(*format_button(move)) == move


@given(
    st.text(max_size=120) | st.from_regex(r"sh:[a-z]{1,9}:\d{1,5}:\d{1,5}(:[2-9TJQKA+.cdhs=~]{0,90})?", fullmatch=True)
)
def test_any_text_at_all_is_an_id_or_none(text):
    found = parse_id(text)
    if found:
        parse_button(found.verb, found.argument)


@given(st.sampled_from(sorted(MOVES)), st.text(max_size=30))
def test_any_argument_at_all_is_a_move_or_none(verb, argument):
    parse_button(verb, argument)


def test_the_suffix_that_keeps_equal_ids_apart_is_ignored():
    assert format_id("pick", 7, 41, "h7c", 2) == "sh:pick:7:41:h7c~2"
    assert parse_id("sh:pick:7:41:h7c~2") == ButtonId("pick", 7, 41, "h7c")
    assert apart(["7c", "8d", "7c"]) == ["7c", "8d", "7c~2"]
    assert plain_value("7c~2") == "7c"


@pytest.mark.parametrize(
    "text", ["", "sh", "sh:play", "sh:play:7", "sh:play:x:1", "xx:play:7:1", "sh:PLAY:7:1", "sh:play:7:1:a:b"]
)
def test_foreign_ids_are_not_parsed(text):
    assert parse_id(text) is None


def test_an_id_that_could_not_be_parsed_is_never_formatted():
    with pytest.raises(ValueError, match="cannot be written"):
        format_id("play", 7, 1, "a:b")


def test_no_id_holds_a_move_that_only_the_clock_may_make():
    written = format_button(Timeout())
    assert parse_button(*written) is None
    assert not any(isinstance(parse_button(verb, argument), Timeout) for verb in MOVES for argument in ("", "timeout"))
    assert "timeout" not in handlers()
