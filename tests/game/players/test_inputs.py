"""What the networks are told about a position and a move: the rows that are lit, by block."""

from bisect import bisect_left
from collections import defaultdict

import pytest

from game.moves import KINDS, Chance, Flip, Move, PickUp, Play, format_move, turn_moves
from game.players.inputs import (
    BLOCKS,
    FEWEST,
    HAND_SIZES,
    START,
    STOCK_SIZES,
    move_rows,
    state_rows,
    stuck_chance,
)
from game.players.knowledge import bound_move, knowledge_of
from game.players.memory import first_memory
from game.players.worlds import knowledge_in
from game.showing import seat_view, table_view
from game.state import State
from game.text.notation import parse_cards
from game.text.position import rules_from, set_up


def lit(rows):
    """The places of the rows within their blocks. A card has `most` rows a rank: 4 * 3 + 1 says two fives."""
    found = defaultdict(list)
    for row in rows:
        found[BLOCKS[row]].append(row - START.get(BLOCKS[row], 0))
    return dict(found)


def of(state: State):
    return knowledge_of(seat_view(state, 0), first_memory(table_view(state)))


def test_every_kind_of_move_on_turn_is_judged_as_what_it_is():
    """Any other would be taken for a chance card or a flip, without an error; hints would call it one, too."""
    judged = "move_rows in inputs.py, look_key in levels.py, scores in search.py, move_words in computer_words.py"
    cure = f"look at {judged}; or leave it out of options in levels.py"
    assert {kind for kind in KINDS if kind.on_turn} == {Play, PickUp, Flip, Chance}, cure


def test_every_fact_of_a_position_lights_its_row():
    seats = ["2h 5c 5d | Kd | 3c 6c", "4h 4s | Td Jd | 5h", "7h | Qd | 7d", "8h 8c 8s 9c | Qs | 8d 9d", "Ah | - | -"]
    state = set_up({"seats": seats, "pile": "6d 6s 9s", "stock": "Ac As Kc"}, rules_from("classic"))
    seen = {
        "options": [0], "asked": [8], "pile": [7 * 3, 4 * 3 + 1], "stock": [1], "pile size": [3],
        "seats left": [3], "turn": [0], "fewest": [0],
        "hand": [3 * 4 + 1, 0], "hand size": [3], "face-up": [11 * 2], "down left": [2],
        "next face-up": [9 * 2, 8 * 2], "next hand size": [2], "next down left": [1],
        "second face-up": [10 * 2], "second hand size": [1], "second down left": [1],
        "other face-up": [10 * 2],
    }  # fmt: skip
    unknown = [12 * 4 + 3, 11 * 4 + 2, 10 * 4 + 1, 9 * 4 + 2, 8 * 4 + 2, 7 * 4 + 2, 6 * 4 + 3, 5 * 4 + 3, 4 * 4 + 1]
    unknown += [3 * 4 + 1, 2 * 4 + 3, 1 * 4 + 3, 2]
    hidden = {"next hidden": [1], "second hidden": [0], "unknown": unknown}
    assert lit(state_rows(of(state))) == seen | hidden
    known = {
        "face-down": [4 * 2, 1 * 2], "next hand": [2 * 4 + 1], "next face-down": [3 * 2], "second hand": [5 * 3],
        "second face-down": [5 * 2], "other hands": [12 * 2, 7 * 2, 6 * 2 + 1], "other face-down": [7, 6],
        "unknown": [12 * 4 + 1, 11 * 4],
    }  # fmt: skip
    assert lit(state_rows(knowledge_in(state, 0))) == seen | known


@pytest.mark.parametrize(
    ("own", "others", "bucket"),
    [
        ("2h 5c | Kd | 3c", ["4h | Td | 5h"], 1),  # three cards are left to the other
        ("2h | - | -", ["4h 4s 6d 7c | Td | 5h 6c 8c", "4d | - | -"], 0),  # one's own cards do not count
        ("2h 5c | Kd | 3c", ["4h 7c | Td Tc | 5h 8d"], 2),
    ],
)
def test_a_row_says_how_few_cards_another_seat_has(own, others, bucket):
    state = set_up({"seats": [own, *others]}, rules_from("classic"))
    assert lit(state_rows(of(state)))["fewest"] == [bucket]


@pytest.mark.parametrize(
    ("own", "pile", "expected"),
    [
        (
            "5c 5d Tc Ac | Kd | 3c 6c",
            "4d 4h",
            {
                "play 5c": {"play": [3 * 4], "stays": [1]},
                "play 5c 5d": {"play": [3 * 4 + 1], "stays": [0]},
                "play Tc": {"play": [8 * 4], "stays": [0], "burns": [2]},
                "play Ac": {"play": [12 * 4], "stays": [0], "blocks": [2]},
                "pickup": {"pick up": [0]},
            },
        ),
        (
            "- | Kd Kc | 3c",
            "4d",
            {
                "play Kc": {"play": [11 * 4], "stays": [1], "blocks": [2]},
                "play Kc Kd": {"play": [11 * 4 + 1], "stays": [0], "blocks": [2], "ends zone": [0]},
                "pickup Kd": {"pick up": [0], "added": [11]},
            },
        ),
        ("Kd | - | -", "4d", {"play Kd": {"play": [11 * 4], "stays": [0], "blocks": [2], "goes out": [0]}}),
        ("- | - | 3c 6c", "4d", {"flip 2": {"flip": [0]}, "pickup": {"pick up": [0]}}),
    ],
)
def test_every_fact_of_a_move_lights_its_row(own, pile, expected):
    state = set_up({"seats": [own, "4s 9s | Td Jd | 5h"], "pile": pile}, rules_from("classic"))
    known = of(state)
    found = {format_move(move): lit(move_rows(known, bound_move(known, move))) for move in turn_moves(state)}
    assert {move: found[move] for move in expected} == expected


def test_a_play_that_the_next_seat_cannot_answer_is_no_block_where_it_would_bring_the_pile_back():
    seats = ["Ac | - | 3c", "- | Kd | 5h"]
    lights = {}
    for stuck in ("self", "previous"):
        state = set_up({"seats": seats, "pile": "4d"}, rules_from({"play": {"stuck": stuck}}))
        known = of(state)
        lights[stuck] = lit(move_rows(known, bound_move(known, Play(parse_cards("Ac")))))
    assert lights["self"] == lights["previous"] | {"blocks": [5]}


def test_the_buckets_are_those_that_the_weights_were_learned_with():
    hand_sizes, stock_sizes, fewest = (
        [bisect_left(sizes, number) for number in range(sizes[-1] + 2)] for sizes in (HAND_SIZES, STOCK_SIZES, FEWEST)
    )
    assert hand_sizes == [0, 1, 2, 3, 4, 4, 5, 5, 5, *[6] * 5, 7]
    assert stock_sizes == [0, *[1] * 3, *[2] * 6, *[3] * 8, *[4] * 8, 5]
    assert fewest == [0, 0, 0, 1, 1, 2, 2, 2, 3]


def test_the_face_up_cards_of_the_seats_after_the_next_two_are_counted_together():
    more = ["4h | Td | 5h", "4s | Jd | 6h", "7h | Qd | 7d", "8h | Qs | 8d"]
    rows = lit(state_rows(of(set_up({"seats": ["2h 5c | Kd | 3c", *more]}, rules_from("classic")))))
    assert rows["other face-up"] == [10 * 2 + 1]  # two queens
    assert not {"other hands", "other face-down"} & rows.keys()


def test_a_seat_that_flips_is_stuck_as_often_as_its_cards_do_not_fit():
    state = set_up({"seats": ["2h 5c | Kd | 3c", "- | - | Tc 4c 6c"], "pile": "9c"}, rules_from("classic"))
    known = knowledge_in(state, 0)
    assert stuck_chance(known, known.seats[1], state.top) == pytest.approx(2 / 3)


def rows_of_play(rules, play: Move):
    """What a play lights by a seat that holds a 4, a 5, two sixes and a 7."""
    seats = ["4c 5c 6c 6d 7c | Kd | 3c", "4h 4s 8d | Td | 2c"]
    known = of(set_up({"seats": seats, "pile": "3d"}, rules_from(rules)))
    return lit(move_rows(known, bound_move(known, play)))


def test_a_sequence_lights_a_row_for_each_rank_and_one_for_being_a_sequence():
    rules = {"play": {"sequences": True}}
    row, two = (rows_of_play(rules, Play(parse_cards(cards))) for cards in ("4c 5c 6c", "6c 6d"))
    assert (row["play"], row["sequence"]) == ([2 * 4, 3 * 4, 4 * 4], [0])
    assert two["play"] == [4 * 4 + 1]
    assert "sequence" not in two


@pytest.mark.parametrize(("word", "is_lit"), [("low", True), ("high", False)])
def test_a_card_played_low_lights_the_row_for_that(word, is_lit):
    rows = rows_of_play({"powers": {"7": {"asks": "named"}}}, Play(parse_cards("7c"), word))
    assert ("low" in rows) is is_lit


@pytest.mark.parametrize("does", ["again", "skip"])
def test_a_play_after_which_the_same_seat_plays_lights_the_row_for_that(does):
    """Of two seats, the one that skips the other is next."""
    powers = {"powers": {"7": {"does": [does]}}}
    seven, four = (rows_of_play(powers, Play(parse_cards(card))) for card in ("7c", "4c"))
    assert ("again" in seven, "again" in four) == (True, False)
