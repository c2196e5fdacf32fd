"""What the networks are told about the rules of a table: the traits of each rank, and the options."""

from bisect import bisect_left

import pytest

from game.cards import RANKS
from game.compiled import book_of
from game.players.network import OPTIONS, PILE_SIZES, TRAITS, options_of, traits_of
from game.text.position import rules_from

SPECIAL = {
    "powers": {
        "6": {"asks": "below"}, "7": {"asks": "at-most"}, "8": {"asks": "same"}, "9": {"does": ["skip-beneath"]},
        "J": {"does": ["give-pile"]}, "Q": {"does": ["reverse", "again"]}, "joker": {"wild": True, "leaves": True},
    },
    "deal": {"jokers": 2},
}  # fmt: skip
BUT_THREE = {"powers": {rank: {"does": ["burn"]} for rank in (*"2456789", "10", *"JQKA")}}


def seen(rules, rank):
    """The traits of a rank that are not zero, without its height and the constant."""
    found = dict(zip(TRAITS, traits_of(book_of(rules_from(rules)))[f"{RANKS}X".index(rank)], strict=True))
    assert found.pop("any") == 1.0
    return {name: round(value, 3) for name, value in found.items() if value and not name.startswith("height")}


@pytest.mark.parametrize(
    ("rules", "rank", "expected"),
    [
        ("classic", "2", {"fits": 1, "free": 1}),
        ("classic", "3", {"fits": round(2 / 12, 3)}),
        ("classic", "4", {"fits": round(3 / 12, 3), "blocks": round(1 / 13, 3)}),
        ("classic", "T", {"fits": 1, "free": 1, "burns": 1}),
        ("classic", "A", {"fits": 1, "blocks": round(10 / 13, 3)}),
        ("classic", "X", {"fits": 1, "joker": 1, "reverses": 1, "glass": 1, "free": 1}),
        ("pub", "3", {"fits": 1, "glass": 1, "free": 1}),
        ("pub", "4", {"fits": round(3 / 11, 3)}),
        ("pub", "8", {"fits": round(5 / 11, 3), "blocks": round(4 / 13, 3), "skips": 1}),
        (SPECIAL, "6", {"fits": round(5 / 12, 3), "blocks": round(8 / 13, 3), "asks lower": 1}),
        (SPECIAL, "7", {"fits": round(5 / 12, 3), "blocks": round(6 / 13, 3), "asks lower": 1}),
        (SPECIAL, "8", {"fits": round(5 / 12, 3), "blocks": round(10 / 13, 3), "asks same": 1}),
        (SPECIAL, "9", {"fits": round(5 / 12, 3), "blocks": round(6 / 13, 3), "skips": 1}),
        (SPECIAL, "J", {"fits": 0.5, "blocks": round(7 / 13, 3), "gives": 1}),
        (SPECIAL, "Q", {"fits": round(7 / 12, 3), "blocks": round(8 / 13, 3), "reverses": 1, "again": 1}),
        (SPECIAL, "X", {"fits": 1, "joker": 1, "reverses": 1, "glass": 1, "free": 1, "wild": 1, "leaves": 1}),
        (BUT_THREE, "3", {"fits": 1}),
    ],
)
def test_the_traits_of_a_rank_follow_from_the_rules(rules, rank, expected):
    assert seen(rules, rank) == expected


def test_heights_go_from_the_lowest_rank_to_the_highest():
    for rules, order in (("classic", RANKS), ({"play": {"ace": "low"}}, f"A{RANKS[:-1]}")):
        found = traits_of(book_of(rules_from(rules)))
        for place, rank in enumerate(order):
            told = dict(zip(TRAITS, found[RANKS.index(rank)], strict=True))
            assert told["height"] == place / 12
            assert [name for name, value in told.items() if name.startswith("height ") and value] == [f"height {place}"]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ({}, set()),
        ({"play": {"burn_again": False}}, {"next leads after a burn"}),
        ({"play": {"must_play": True}}, {"must play"}),
        ({"play": {"chance": "stuck"}}, {"chance when stuck"}),
        ({"play": {"chance": "always"}}, {"chance always"}),
        ({"play": {"lead_after_pickup": "previous"}}, {"previous leads"}),
        ({"play": {"face_up_pickup": "leave"}}, {"face-up stay"}),
        ({"play": {"refill": "opening"}}, {"draws once"}),
        ({"play": {"stuck": "previous"}}, {"stuck passes on"}),
        ({"play": {"four_of_a_kind": False}}, {"no four of a kind"}),
        ({"deal": {"hand": 4}}, {"large hands"}),
        ({"deal": {"hand": 2}}, set()),
        ({"deal": {"packs": 2}}, {"several packs"}),
        ({"end": {"aim": "winner"}}, {"first out wins"}),
        ({"end": {"aim": "both"}}, {"first wins and last loses"}),
        ({"play": {"flush": True}}, {"flush"}),
        ({"play": {"ace": "low"}}, {"ace low"}),
    ],
    ids=str,
)
def test_each_option_has_an_input_of_its_own(rules, told):
    found = dict(zip(OPTIONS, options_of(book_of(rules_from(rules))), strict=True))
    assert {name for name, value in found.items() if value == 1.0} == {"any"} | told
    assert set(found.values()) <= {0.0, 1.0}


def test_the_buckets_of_large_piles_are_wider():
    sizes = [bisect_left(PILE_SIZES, number) for number in range(60)]
    assert [sizes.index(each) for each in range(8)] == [0, 1, 2, 3, 5, 8, 12, 18]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 7
