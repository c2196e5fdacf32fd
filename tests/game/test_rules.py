"""Options as people write them: which values are allowed, what they mean, and how sets of rules differ."""

import gc
import weakref

import pytest
from hypothesis import given
from pydantic import ValidationError

from game.cards import ACE, JOKER, RED_JOKER
from game.compiled import FIRST_READING, RuleBook, _book, book_of
from game.deal import NotDealableError, deal
from game.moves import legal_moves
from game.moves.pick_up import with_slots
from game.moves.play import sets_of
from game.rules import OPTIONS, PLAIN, DealOptions, Power, Rules, rank_of_key
from game.state import stacked
from game.text.position import rules_from, set_up
from game.variants import UnknownVariantError, variant, variants
from testkit.rule_sets import RULES, VARIANTS


@given(RULES | VARIANTS, RULES | VARIANTS)
def test_differences_turn_one_set_of_rules_into_another(rules, other):
    assert Rules().changed_with(rules.differences()) == rules
    assert other.changed_with(rules.differences(other)) == rules


def test_rules_do_not_differ_from_themselves():
    assert Rules().differences() == {}


def test_an_override_changes_only_what_it_names():
    rules = variant("guarducci").rules.changed_with({"powers": {"10": {"does": []}}})
    assert rules.power(8).on == "anything"
    assert rules.power(8).not_on == ("8",)
    assert rules.power(8).does == ()


def test_overriding_its_three_parts_removes_a_power():
    rules = Rules().changed_with({"powers": {"2": {"on": "rank", "asks": "at-least", "does": []}}})
    assert rules.power(0) == PLAIN
    assert "2" not in rules.powers


@pytest.mark.parametrize(
    ("power", "does"),
    [
        ({"on": "anything"}, True),
        ({}, False),
        ({"on": "anything", "not_on": ("K",)}, False),
        ({"on": "anything", "only_on": ("K",)}, False),
    ],
)
def test_a_rank_goes_anywhere_unless_something_is_excepted(power, does):
    assert Power(**power).goes_anywhere is does


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"powers": {"1": {}}}, "unknown rank 1"),
        ({"powers": {"7": {"wild": True}}}, "only the joker"),
        ({"powers": {"7": {"asks": "nicely"}}}, "must be at-least"),
        ({"powers": {"7": {"not_on": ["14"]}}}, "not_on"),
        ({"seats": [4, 3]}, "the fewest"),
        ({"seats": [2, 13]}, "less than or equal"),
        ({"deal": {"packs": 5}}, "less than or equal"),
        ({"deal": {"hands": 5}}, "Extra inputs"),
        ({"play": {"ace": "middle"}}, "'high' or 'low'"),
    ],
)
def test_bad_values_are_refused_by_name(changes, said):
    with pytest.raises(ValidationError, match=said):
        Rules().changed_with(changes)


def test_ranks_are_written_in_many_ways():
    assert Power.model_validate({"not_on": [8, "T", "j"], "bare": 10}).not_on == ("8", "10", "J")
    assert (rank_of_key("10"), rank_of_key("A"), rank_of_key("joker")) == (8, ACE, JOKER)


def test_rules_know_which_ranks_go_on_any_card_and_which_are_see_through():
    rules = rules_from({"powers": {"8": {"on": "anything", "asks": "under"}, "10": {"not_on": ["8"]}}})
    assert rules.going_anywhere() == {rank_of_key("2"), rank_of_key("8"), JOKER}
    assert rules.see_through() == {rank_of_key("8"), JOKER}


@pytest.mark.parametrize("by", OPTIONS["start.by"].values)
def test_a_rank_decides_the_start_unless_the_lowest_card_or_the_seat_does(by):
    rules = Rules().changed_with({"start": {"by": by}})
    assert rules.start.is_by_rank == (by not in {"lowest", "left"})


def test_the_pack_limits_the_seats_further():
    assert Rules(seats=(2, 4)).most_seats() == 4
    assert Rules(seats=(2, 12)).most_seats() == 6
    assert Rules.model_validate({"seats": [5, 12], "deal": {"hand": 6, "face_up": 6}}).most_seats() == 0
    assert Rules().cards_with(5) == 52
    assert Rules().cards_with(6) == 54


def test_by_seats_overrides_the_sizes():
    rules = variant("palace-bga").rules
    assert [rules.sizes_with(seats).down for seats in (2, 3, 4)] == [6, 4, 3]


def test_a_number_is_offered_up_to_its_limit_and_no_further():
    for name in ("hand", "face_up", "packs", "jokers"):
        most = OPTIONS[f"deal.{name}"].values[-1]
        DealOptions.model_validate({name: most})
        with pytest.raises(ValidationError, match="less than or equal"):
            DealOptions.model_validate({name: most + 1})


def test_the_sizes_by_seats_that_are_offered_are_those_of_a_preset():
    none, some = OPTIONS["deal.by_seats"].values
    assert none == {}
    assert {int(seats): size for seats, size in some.items()} == variant("palace-bga").rules.deal.by_seats


@pytest.mark.parametrize("packs", [1, 2, 4])
def test_each_card_belongs_to_one_rank_or_to_the_jokers(packs):
    book = book_of(Rules().changed_with({"deal": {"packs": packs, "jokers": 2, "jokers_for_six": 0}}))
    groups = (*book.rank_masks, book.joker_mask)
    assert [group.bit_count() for group in groups] == [4 * packs] * 13 + [2 * packs]
    assert sum(groups) == (1 << 54 * packs) - 1


def test_a_single_face_up_card_is_no_stack():
    """Not even the two of clubs, which has the lowest bit."""
    state = set_up({"seats": ["3h | 2c 5c+5d | 4h", "3s | - | -"]}, rules_from({"deal": {"stacking": True}}))
    assert stacked(state.seats[0]) == sum(state.seats[0].slots) & ~1


def test_a_variant_is_shared_by_all_tables_and_cannot_be_changed():
    with pytest.raises(ValidationError, match="frozen"):
        variant("classic").title = "Mine"


@pytest.mark.parametrize("name", variants())
def test_every_preset_is_complete(name):
    found = variant(name)
    assert found.id == name
    assert found.title
    assert found.sentence.endswith(".")
    assert found.source in {"S", "V", "D"}
    assert found.rules.most_seats() >= found.rules.seats[0]


def test_presets_are_in_order_with_classic_first():
    assert next(iter(variants())) == "classic"
    assert variant("classic").rules == Rules()
    assert [found.order for found in variants().values()] == sorted(found.order for found in variants().values())


@pytest.mark.parametrize("name", ["unheard-of", "../classic", ""])
def test_an_unknown_preset_is_refused(name):
    with pytest.raises(UnknownVariantError):
        variant(name)


def test_rules_are_given_by_a_preset_or_by_overrides():
    assert rules_from("karma") == rules_from({"preset": "karma"}) == variant("karma").rules
    assert rules_from({"play": {"ace": "low"}}).play.ace == "low"


@pytest.mark.parametrize(("seats", "pack"), [(1, 52), (3, 26)])
def test_too_few_seats_or_cards_cannot_be_dealt(seats, pack):
    with pytest.raises(NotDealableError):
        deal(Rules(), seats, range(pack))


def test_a_book_refuses_more_copies_than_it_was_compiled_for():
    with pytest.raises(ValueError, match="more copies"):
        book_of(Rules()).spread((RED_JOKER, RED_JOKER))


def test_no_cache_keeps_a_book_alive():
    changes = {"packs": 2, "jokers": 4, "stacking": True}
    rules = Rules(seats=(2, 5)).changed_with({"deal": changes, "powers": {"joker": {"wild": True}}})
    state = set_up({"seats": ["- | Kd+Ks Qs Xr | -", "4c 5c Xb | Td | -"], "pile": "3c", "turn": "a"}, rules)
    assert legal_moves(state, 0)
    assert legal_moves(state.but(turn=1), 1)
    book = weakref.ref(state.book)
    del state
    _book.cache_clear()
    gc.collect()
    assert book() is None


def test_the_sets_of_a_group_are_cached():
    book = RuleBook(Rules(), 1)
    sevens = book.rank_masks[5]
    assert len(sets_of(book, sevens)) == 15
    assert sets_of(book, sevens) is sets_of(book, sevens)


def test_a_book_drops_plays_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr("game.moves.bound_plays.MOST_PLAYS", 20)
    book = book_of(Rules.model_validate({"deal": {"packs": 2}, "seats": [2, 7]}))
    masks = [mask for rank in book.rank_masks for mask in (rank, rank & -rank)]
    assert all(sets_of(book, mask) for mask in masks)
    assert len(book.sets) <= 5
    assert len(book.plays) < 200


def test_a_book_drops_cached_results_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr("game.compiled.MOST_RESULTS", 3)
    book = RuleBook(Rules(), 1)
    assert all(with_slots(book, (1 << card,)) for card in range(20))
    assert len(book.results) <= 3


def test_books_with_the_same_rules_copies_and_reading_are_equal():
    one, same = RuleBook(Rules(), 1), RuleBook(Rules(), 1)
    assert (one, hash(one)) == (same, hash(same))
    assert one != RuleBook(Rules(), 2)
    assert one != RuleBook(Rules(), 1, reading=FIRST_READING)
    assert one != RuleBook(variant("pub").rules, 1)
