"""Examples agree with the rules they are shown with, whatever the rules are."""

import pytest
from hypothesis import given, settings

from game.cards import RED_JOKER, card_of, parse_card
from game.examples import Example, of_basics, of_option, of_power
from game.moves import Play, legal_moves
from game.rules import POWER_KEYS, Rules, rank_of_key
from game.text.notation import format_cards, parse_pile
from game.text.position import set_up
from game.variants import variants
from testkit.rule_sets import RULES, VARIANTS

OPTIONS = ("play.ace", "play.four_of_a_kind", "play.four_on_anything", "play.runs_through_glass", "play.sequences")
TOGETHER = ("play.four_on_anything", "play.sequences")
"""Here the cards that go are one play."""


def cards(text):
    return tuple(map(parse_card, text.split()))


def example(pile, goes="", stays="", **more):
    return Example(parse_pile(pile), cards(goes), cards(stays), **more)


def every(rules: Rules):
    """All examples but those of one play."""
    yield from of_basics(rules)
    for key in POWER_KEYS:
        yield from of_power(rules, rank_of_key(key))
    for key in OPTIONS:
        if key not in TOGETHER:
            yield from of_option(rules, key)


def may_be_played(rules: Rules, pile, wanted):
    used = {*map(card_of, pile), *wanted}
    more = [format_cards([card]) for card in range(RED_JOKER) if card not in used][:4]
    seats = [f"{format_cards(wanted)} {more[0]} {more[1]} | - | -", f"{more[2]} | - | -", f"{more[3]} | - | -"]
    jokers = {"deal": {"jokers": max(rules.deal.jokers, 1)}}
    state = set_up({"pile": format_cards(pile), "seats": seats}, rules.changed_with(jokers))
    return any(isinstance(move, Play) and move.cards == tuple(sorted(wanted)) for move in legal_moves(state, 0))


def agrees(rules: Rules):
    for each in [shown for key in TOGETHER for shown in of_option(rules, key)]:
        assert may_be_played(rules, each.pile, each.goes)
        assert not each.stays
    for each in every(rules):
        assert each.goes or each.stays
        for card in each.goes:
            assert may_be_played(rules, each.pile, (card,))
        for card in each.stays:
            assert not may_be_played(rules, each.pile, (card,))


@given(RULES)
@settings(max_examples=60)
def test_examples_agree_with_any_rules(rules):
    agrees(rules)


def test_examples_agree_with_rules_that_give_every_rank_a_power():
    others = [key for key in POWER_KEYS if key not in Rules().powers]
    agrees(Rules().changed_with({"powers": {key: {"does": ["skip"]} for key in others}}))


@given(VARIANTS)
@settings(max_examples=len(variants()))
def test_examples_agree_with_the_rules_of_every_variant(rules):
    agrees(rules)
    assert of_basics(rules)


def changed(**overrides):
    return Rules().changed_with(overrides)


@pytest.mark.parametrize(
    ("variant", "overrides"),
    [
        ("reverse-second", {"play": {"four_on_anything": True}, "powers": {"2": {"on": "rank"}}}),
        ("classic", {"play": {"four_on_anything": True, "ace": "low"}, "powers": {"2": {"on": "rank"}}}),
    ],
)
def test_an_example_may_need_the_two_of_clubs_itself(variant, overrides):
    rules = variants()[variant].rules.changed_with(overrides)
    assert of_option(rules, "play.four_on_anything")
    agrees(rules)


@pytest.mark.parametrize(
    ("rules", "key", "found"),
    [
        (Rules(), "2", [example("As", "2d"), example("2d", "3c Ac")]),
        (Rules(), "10", [example("As", "Td", burns=True)]),
        (Rules(), "7", []),
        (variants()["ten-by-rank"].rules, "10", [example("9s", "Td", burns=True), example("Js", stays="Td")]),
        (variants()["gultnieks"].rules, "7", [example("7d", "3c 7c", "9c")]),
        (variants()["gultnieks"].rules, "8", [example("As", "8d"), example("9h 8d", "9c Ac", "6c")]),
        (variants()["guarducci"].rules, "10", [example("As", "Td", burns=True), example("8s", stays="Td")]),
        (variants()["garfield"].rules, "J", [example("Jd", "Jc", "9c")]),
        (variants()["reverse-second"].rules, "2", [example("Ks", "2d"), example("2d", "2c Kc", "Ac")]),
        (variants()["egilsson"].rules, "5", [example("As", "5d"), example("5d", "3c 4c", "5c")]),
        (variants()["superjoker"].rules, "joker", [example("As", "Xr")]),
        (variants()["french"].rules, "joker", []),
        (variants()["smeghead"].rules, "10", [example("As", "Td", burns=True)]),
        (changed(powers={"7": {"asks": "named"}}), "7", [example("7d=low", "3c 7c", "8c")]),
        (changed(powers={"7": {"asks": "at-least"}}), "7", []),
    ],
)
def test_a_power_has_examples_of_what_its_card_goes_on_and_what_goes_on_it(rules, key, found):
    assert list(of_power(rules, rank_of_key(key))) == found


@pytest.mark.parametrize(
    ("rules", "key", "found"),
    [
        (Rules(), "play.four_of_a_kind", [example("8c 8d 8h", "8s", burns=True)]),
        (changed(play={"four_of_a_kind": False}), "play.four_of_a_kind", []),
        (Rules(), "play.sequences", []),
        (changed(play={"sequences": True}), "play.sequences", [example("6h", "6c 7c 8c")]),
        (
            changed(play={"four_on_anything": True}),
            "play.four_on_anything",
            [example("Ah", "4c 4d 4h 4s", burns=True)],
        ),
        (changed(play={"ace": "low"}), "play.ace", [example("3h", "3c Kc", "Ac")]),
        (
            changed(play={"runs_through_glass": True}, powers={"8": {"on": "anything", "asks": "under"}}),
            "play.runs_through_glass",
            [example("9c 9d 8h 9h", "9s", burns=True)],
        ),
        (changed(play={"runs_through_glass": True}), "play.runs_through_glass", []),
        (Rules(), "deal.hand", []),
    ],
)
def test_an_option_about_the_pile_has_an_example(rules, key, found):
    assert list(of_option(rules, key)) == found


def test_the_basics_are_shown_with_ordinary_cards():
    assert list(of_basics(Rules())) == [example("8h", "8c Ac", "7c")]


ODD = {key: {"asks": "below"} for key in POWER_KEYS[:-1]}


def test_there_are_no_examples_if_every_card_is_special():
    rules = changed(powers=ODD, play={"sequences": True, "four_on_anything": True, "ace": "low"})
    assert not of_basics(rules)
    assert [found for key in OPTIONS for found in of_option(rules, key)] == []
    assert not of_power(rules, rank_of_key("7"))


def test_three_plain_ranks_are_enough_for_an_example_of_four_on_anything():
    powers = {key: {"asks": "below"} for key in POWER_KEYS[:-1] if key not in {"5", "6", "7"}}
    assert of_option(changed(powers=powers, play={"four_on_anything": True}), "play.four_on_anything")
