"""Cards, faces, seats and moves survive a round trip through text, and bad text is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.cards import (
    BLACK_JOKER,
    RED_JOKER,
    NotACardError,
    NotAMoveError,
    format_card,
    format_face,
    is_red,
    make_face,
    make_pack,
    parse_card,
    parse_face,
    parse_rank,
    rank_of,
    suit_of,
)
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
    format_move,
    parse_move,
)
from game.text.notation import (
    format_cards,
    format_seat,
    format_seat_letter,
    format_slots,
    parse_cards,
    parse_pile,
    parse_seat,
    parse_seat_letter,
    parse_slots,
)

CARDS = st.integers(0, 53)
RANKS = st.integers(0, 12)
LISTS = st.lists(CARDS, max_size=6).map(tuple)
SOME = st.lists(CARDS, min_size=1, max_size=6).map(tuple)
SLOTS = st.lists(SOME, max_size=4).map(tuple)
NAMED = st.builds(lambda card, rank: make_face(card, rank=rank), st.sampled_from((RED_JOKER, BLACK_JOKER)), RANKS)
FACES = CARDS | NAMED
LOW = st.builds(lambda face: face | 1 << 10, FACES)
WORDS = st.sampled_from(("", "high", "low"))
MOVES = st.one_of(
    st.builds(Play, st.lists(FACES, max_size=6).map(tuple), WORDS),
    st.builds(Flip, st.integers(0, 20), WORDS),
    st.builds(PickUp, LISTS),
    st.builds(Chance, WORDS),
    st.builds(Swap, CARDS, CARDS),
    st.builds(Choose, SLOTS.filter(bool)),
    st.builds(Lay, CARDS),
    st.builds(Interrupt, LISTS),
    st.builds(Follow, LISTS),
    st.builds(Tribute, CARDS, CARDS),
    st.sampled_from((Tribute(), Ready(), Call(), Clear(), Timeout())),
)


@given(CARDS)
def test_a_card_survives_a_round_trip_through_text(card):
    text = format_card(card)
    assert parse_card(text) == parse_card(text.upper()) == parse_card(text.lower()) == card


@given(FACES | LOW)
def test_a_face_survives_a_round_trip_through_text(face):
    assert parse_face(format_face(face)) == face


@given(st.lists(FACES | LOW, max_size=8).map(tuple))
def test_a_pile_survives_a_round_trip_through_text(pile):
    assert parse_pile(format_cards(pile)) == pile


@given(LISTS, SLOTS, LISTS)
def test_a_seat_survives_a_round_trip_through_text(hand, slots, down):
    assert parse_seat(format_seat(hand, slots, down)) == (hand, slots, down)
    assert parse_slots(format_slots(slots)) == slots
    assert parse_cards(format_cards(hand)) == hand


@given(MOVES)
def test_a_move_survives_a_round_trip_through_text(move):
    text = format_move(move)
    assert parse_move(text) == move
    assert parse_move(f"  {text.upper().replace(' ', '   ')} ") == move
    assert hash(parse_move(text)) == hash(move)


@pytest.mark.parametrize("seat", range(12))
def test_a_seat_letter_survives_a_round_trip_through_text(seat):
    assert parse_seat_letter(format_seat_letter(seat)) == parse_seat_letter(format_seat_letter(seat).lower()) == seat


def test_a_ten_is_written_in_two_ways():
    assert parse_card("10h") == parse_card("Th") == 34
    assert parse_rank("10") == parse_rank("t") == 8


def test_a_card_has_rank_suit_and_colour():
    assert (rank_of(34), suit_of(34)) == (8, 2)
    assert [format_card(card) for card in range(54) if is_red(card)][:2] == ["2d", "2h"]
    assert is_red(RED_JOKER)
    assert not is_red(BLACK_JOKER)


def test_a_pack_holds_every_card_and_its_jokers():
    assert sorted(make_pack(2, 3)) == sorted([*range(52), *range(52), RED_JOKER, BLACK_JOKER, RED_JOKER])


def test_a_face_without_a_word_is_high():
    assert parse_face("7h=high") == parse_face("7h")
    assert parse_face("Xr=7=low") == make_face(RED_JOKER, rank=5, low=True)


@pytest.mark.parametrize("text", ["", "7", "7x", "1h", "11h", "hh", "Xg", "??", "110h"])
def test_text_that_is_not_a_card_is_refused(text):
    with pytest.raises(NotACardError) as caught:
        parse_card(text)
    assert caught.value.args[0] == text


@pytest.mark.parametrize("text", ["7h=K", "Xr=K=Q", "7h=low=high", "Xr=Z", "7h="])
def test_text_that_is_not_a_face_is_refused(text):
    with pytest.raises(NotACardError):
        parse_face(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "shout",
            "play 7h=low",
            "play 7x",
            "flip",
            "flip x",
            "flip 1 2",
            "flip ²",
            "chance 7h",
            "lay",
            "lay 2c 3c",
        ),
        *("swap 2c", "swap 2c 3c 4c", "ready now", "tribute 2c", "pickup 7h 8x"),
    ],
)
def test_text_that_is_not_a_move_is_refused(text):
    with pytest.raises((NotAMoveError, NotACardError)):
        parse_move(text)


@pytest.mark.parametrize("text", ["", "AB", "É", "1", "-"])
def test_text_that_is_not_a_seat_letter_is_refused(text):
    with pytest.raises(NotAMoveError):
        parse_seat_letter(text)


def test_a_seat_has_three_zones():
    with pytest.raises(NotAMoveError):
        parse_seat("2c | 3c")
