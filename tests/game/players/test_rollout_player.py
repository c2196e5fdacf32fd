"""What the roll-out player looks at: the facts that are true of each move, and the seat that must answer it."""

import random
from math import exp
from typing import Any

import pytest

from game.cards import RANKS
from game.compiled import book_of
from game.moves import format_move, turn_moves
from game.players.network import TRAITS
from game.players.search import NOISE, ROLLOUT_CARDS, ROLLOUT_FACTS, RolloutPlayer
from game.text.position import rules_from, set_up

NAMES = [
    f"{stage}: {name}"
    for stage in ("stock", "hand", "up")
    for name in (
        *(
            f"{block} {n}x{rank}"
            for block, most in ROLLOUT_CARDS.items()
            for rank in f"{RANKS}X"
            for n in range(1, most + 1)
        ),
        *(f"{fact} {n}" for fact, count in ROLLOUT_FACTS.items() for n in range(count)),
    )
]


def looked_at(rules, case):
    """The rows that apply to each move on turn: each row counts another power of two, so the sum shows them all."""
    state = set_up(case, rules_from(rules))
    player = RolloutPlayer(state.book, [0.0] * 10_000)
    assert len(player.rows) == len(NAMES)
    rows: list[Any] = [1 << row for row in range(len(NAMES))]  # integers: a float could not hold the sum of so many
    player.rows = rows
    moves = turn_moves(state)
    scores: list[Any] = player.scores(state, moves)
    return {
        format_move(move): ", ".join(name for row, name in enumerate(NAMES) if score >> row & 1)
        for move, score in zip(moves, scores, strict=True)
    }


OTHER = "5h 5s | - | 2c"
EIGHT = "3d 3h 4h 4s 5c 5d 6h 6s"


@pytest.mark.parametrize(
    ("rules", "own", "case", "expected"),
    [
        (
            "classic",
            "4c 4d 4h 9s | Kd | 3c",
            {"pile": "3d", "stock": "7h 8h"},
            {
                "play 4c": "stock: play 1x4, stock: stays 2",
                "play 4c 4d 4h": "stock: play 3x4, stock: stays 0",
                "play 9s": "stock: play 1x9, stock: stays 0, stock: blocks 1",
                "pickup": "stock: pick up 1",
            },
        ),
        (
            "classic",
            "Th Kc Kd Kh Ks | Qd | 3c",
            {"pile": "3d 3h 3s"},
            {
                "play Kc": "hand: play 1xK, hand: stays 3, hand: blocks 3",
                "play Kc Kd Kh Ks": "hand: play 4xK, hand: stays 0, hand: burns 3",
                "play Th": "hand: play 1xT, hand: stays 0, hand: burns 3",
                "pickup": "hand: pick up 3",
            },
        ),
        (
            "classic",
            "6c Qc | Kd | 3c",
            {"pile": EIGHT},
            {"play Qc": "hand: play 1xQ, hand: stays 0, hand: blocks 5", "pickup": "hand: pick up 5"},
        ),
        (
            {"deal": {"packs": 2}},
            "Kc Kc Kd Kd Kh | Qd | 3c",
            {"pile": "3d"},
            {
                "play Kc": "hand: play 1xK, hand: stays 3, hand: blocks 1",
                "play Kc Kc Kd Kd Kh": "hand: play 4xK, hand: stays 0, hand: burns 1, hand: ends zone 0",
            },
        ),
        (
            "classic",
            "- | 4c 9c | 3c",
            {"pile": "8d"},
            {
                "play 9c": "up: play 1x9, up: stays 0, up: blocks 1",
                "pickup 4c": "up: added 1x4, up: pick up 1",
            },
        ),
        (
            "classic",
            "- | 9c | 3c",
            {"pile": "8d"},
            {"play 9c": "up: play 1x9, up: stays 0, up: blocks 1, up: ends zone 0"},
        ),
        ("classic", "- | 4c | -", {}, {"play 4c": "up: play 1x4, up: stays 0, up: goes out 0"}),
        ("classic", "4c | 9c | -", {}, {"play 4c": "hand: play 1x4, hand: stays 0, hand: ends zone 0"}),
        ("classic", "4c | - | -", {"stock": "8d"}, {"play 4c": "stock: play 1x4, stock: stays 0"}),
        ("classic", "- | - | 3c 3d", {"pile": "8d"}, {"flip 2": "up: flip 0", "pickup": "up: pick up 1"}),
        ({"play": {"chance": "always"}}, "4c 9c | - | -", {"pile": "8d", "stock": "7h"}, {"chance": "stock: chance 0"}),
        (
            {"play": {"stuck": "previous"}},  # this seat would take the pile
            "9s 4c | - | -",
            {"pile": "3d"},
            {"play 9s": "hand: play 1x9, hand: stays 0"},
        ),
        ("pub", "3s 9c | - | -", {"pile": "4h"}, {"play 3s": "hand: play 1x3, hand: stays 0"}),
        ("pub", "3s 9c | - | -", {"pile": "Ah"}, {"play 3s": "hand: play 1x3, hand: stays 0, hand: blocks 1"}),
    ],
)
def test_the_rows_that_apply_to_each_move(rules, own, case, expected):
    found = looked_at(rules, {"seats": [own, OTHER], **case})
    assert {move: found[move] for move in expected} == expected


@pytest.mark.parametrize("zone", ["{} | 6h | 2c", "- | {} | 2c", "- | - | 2c {}"])
def test_a_seat_answers_from_the_zone_that_it_plays_from(zone):
    """Only the last of the face-down cards is looked at."""
    for card, blocks in (("4h", True), ("Ah", False)):
        case = {"seats": ["9c 4s | - | -", zone.format(card)], "pile": "8d"}
        assert ("blocks" in looked_at("classic", case)["play 9c"]) is blocks


POWERS = {"powers": {"8": {"does": ["skip"]}, "9": {"does": ["reverse"]}, "J": {"does": ["again"]}}}


@pytest.mark.parametrize(
    ("play", "seats", "answers"),
    [
        ("play 7c", "ABCD", "B"),
        ("play 8c", "ABCD", "C"),
        ("play 8c 8d", "ABCD", "D"),
        ("play 8c 8d 8h", "ABCD", "again"),
        ("play 9c", "ABCD", "D"),
        ("play 9c 9d", "ABCD", "B"),
        ("play 9c 9d 9h", "ABCD", "D"),
        ("play Jc", "ABCD", "again"),
        ("play 7c", "A-CD", "C"),
        ("play 8c", "A-CD", "D"),
        ("play 9c", "ABC-", "C"),
        ("play 9c", "A-C-", "C"),
        ("play 8c", "A--D", "again"),
        ("play 7c", "A--D", "D"),
    ],
)
def test_who_must_answer(play, seats, answers):
    """Make each seat stuck in turn: the play blocks if that seat must answer it."""
    own, able = "7c 8c 8d 8h 9c 9d 9h Jc | - | -", iter(("Ah | - | -", "Ad | - | -", "As | - | -") * len(seats))
    found = set()
    for stuck in seats:
        others = ["- | - | -" if seat == "-" else "4h | - | -" if seat == stuck else next(able) for seat in seats[1:]]
        seen = looked_at(POWERS, {"seats": [own, *others], "pile": "5h"})[play]
        found |= {stuck} if "blocks" in seen else {"again"} if "again" in seen else set()
    assert found == {answers}


@pytest.mark.parametrize(
    ("stage", "place", "rows"),
    [
        (1, TRAITS.index("burns"), ["hand: play 1xT", "hand: play 2xT", "hand: play 3xT", "hand: play 4xT"]),
        (2, 2 * len(TRAITS) + TRAITS.index("burns"), ["up: play 3xT", "up: play 4xT"]),
        (0, 4 * len(TRAITS) + TRAITS.index("joker"), ["stock: added 1xX"]),
        (1, 5 * len(TRAITS) + 4, ["hand: burns 0"]),
        (2, 5 * len(TRAITS) + sum(ROLLOUT_FACTS.values()) - 1, ["up: flip 0"]),
    ],
)
def test_a_weight_counts_for_the_rows_that_have_its_trait_and_for_no_other(stage, place, rows):
    learned = [0.0] * 1000
    learned[stage * (5 * len(TRAITS) + sum(ROLLOUT_FACTS.values())) + place] = 0.5
    made = RolloutPlayer(book_of(rules_from("classic")), learned).rows
    assert [name for name, row in zip(NAMES, made, strict=True) if row] == rows
    assert set(made) == {0.0, 0.5}


@pytest.fixture
def player():
    """A player to whom a nine is worth half a point more than a four, and who never picks up."""
    made = RolloutPlayer(book_of(rules_from("classic")), [0.0] * 1000)
    made.rows[NAMES.index("hand: play 1x9")] = NOISE
    made.rows[NAMES.index("hand: pick up 1")] = -100.0
    return made


WORLD = set_up({"seats": ["4c 9c | - | -", OTHER], "pile": "3d"}, rules_from("classic"))


def test_the_better_move_is_made_more_often_but_not_always(player: RolloutPlayer):
    chance, games = random.Random(1).random, 3000
    nines = sum(format_move(player.choose(WORLD, chance)) == "play 9c" for _ in range(games))
    assert nines / games == pytest.approx(1 / (1 + exp(-1)), abs=0.03)


@pytest.mark.parametrize("number", [0.0, 0.5, 1 - 2**-53])
def test_with_equal_random_numbers_the_best_move_is_made(player: RolloutPlayer, number):
    assert format_move(player.choose(WORLD, lambda: number)) == "play 9c"


def test_the_first_of_several_equal_moves_is_made():
    player = RolloutPlayer(book_of(rules_from("classic")), [0.0] * 1000)
    assert player.choose(WORLD, lambda: 0.5) == turn_moves(WORLD)[0]
