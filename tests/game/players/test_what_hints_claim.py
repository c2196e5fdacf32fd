"""Hints give no reason that is false under unusual rules, and miss no win by a burn and the next play."""

from random import Random

import pytest

from game.cards import JOKER, parse_card, rank_of
from game.moves import BoundPlay, Flip, Play, apply, parse_move
from game.players import coach
from game.players.coach import explain, is_true
from game.players.hints import Reason
from game.players.inputs import START, block_chance, move_rows, step_after
from game.players.knowledge import bound_move, knowledge_of
from game.players.levels import choose
from game.players.memory import Memory, first_memory
from game.players.network import CARD_BLOCKS, RANK_COUNT
from game.showing import seat_view
from game.text.notation import parse_cards
from game.text.position import rules_from, set_up
from testkit.found import instance_of


class Position:
    """What seat A knows; `other` are cards that it has seen seat B pick up."""

    def __init__(self, rules, *, other="", **case):
        self.state = set_up(case, rules_from(rules))
        self.view = seat_view(self.state, 0)
        self.memory = first_memory(self.view.table)
        if other:
            self.memory = Memory(self.view.table, ((), parse_cards(other)), self.memory.passed)
        self.known = knowledge_of(self.view, self.memory)

    def play(self, cards):
        return instance_of(BoundPlay, bound_move(self.known, parse_move(f"play {cards}")))

    def claims(self, reason: Reason, best, second):
        return is_true(reason, self.known, self.view, self.play(best), self.play(second))


def test_a_wild_joker_answers_anything():
    here = Position("french", seats=["Ks 3d | 4h | 2c", "Xr 5d | 6h | 3c"], pile="3s", stock="4c", other="Xr 5d")
    king = here.play("Ks")
    assert block_chance(here.known, king, step_after(here.known, king)) == 0


def test_wild_jokers_are_counted_among_the_answers():
    here = Position("french", seats=["Ks 3d | 4h | 2c", "Ad 5d | 6h | 3c"], pile="3s", stock="4c")
    king, book = here.play("Ks"), here.known.book
    fitting = here.known.unknown & (book.fits[king.top] | book.joker_mask)
    assert coach._answers(here.known, king) == fitting.bit_count()


@pytest.mark.parametrize("pile", ["9s", "Xr=K"])
def test_a_blind_flip_is_advised_with_its_odds_where_nothing_else_is_left(pile):
    here = Position("french", seats=["- | - | 2c 3c", "Ad 5d | 6h | 3d"], pile=pile, stock="4c")
    hint = explain(here.view, here.memory)
    assert isinstance(hint.move, Flip)
    assert hint.reasons == (Reason.ODDS,)


@pytest.mark.parametrize("level", ["strong", "master"])
def test_a_player_burns_and_then_goes_out(level):
    here = Position("classic", seats=["3s Tc | - | -", "- | 7d Kc | -"], pile="Kh 6h Qc")
    assert choose(here.view, here.memory, Random(1), level) == Play(parse_cards("Tc"))


@pytest.mark.parametrize(
    ("seats", "pile"),
    [
        (["3s Tc | - | -", "- | 7d Kc | -"], "Kh 6h Qc"),
        (["4d Th | - | -", "Ad | - | -"], "2c"),
        (["9c Ts | - | -", "3d Th | - | -"], "6h 3c"),
        (["Tc 3h | - | -", "Td 8d 5s Jd | - | -", "4c 5c | - | -"], "Qs 8s"),
        (["Tc | 3h 3d | -", "Td 8d 5s Jd | - | -"], "Qs 8s"),
        (["- | 4d Th | -", "Ad | - | -"], "2c"),
    ],
)
def test_a_hint_says_to_burn_where_the_next_play_goes_out(seats, pile):
    here = Position("classic", seats=seats, pile=pile)
    hint = explain(here.view, here.memory)
    assert {card >> 2 for card in instance_of(Play, hint.move).cards} == {parse_card("Tc") >> 2}
    assert hint.reasons == (Reason.BURNS,)


@pytest.mark.parametrize(
    ("rules", "own"),
    [
        ("classic", "Tc 4c | 3h 3d | -"),
        ("classic", "Tc 4c 5c | - | -"),
        ({"play": {"burn_again": False}}, "Tc 4c | - | -"),
    ],
)
def test_a_burn_is_not_forced_where_its_player_does_not_go_out_next(rules, own):
    here = Position(rules, seats=[own, "Td 8d 5s Jd | - | -"], pile="Qs 8s")
    assert explain(here.view, here.memory).reasons != (Reason.BURNS,)


def test_a_card_that_leaves_the_game_burns_no_pile_where_there_is_none():
    rules, other = {"powers": {"10": {"does": ["burn"], "leaves": True}}}, "3d 5h 6s | - | -"
    for pile, reasons in (("4s", (Reason.BURNS,)), ("-", (Reason.PLAYS_AGAIN,))):
        here = Position(rules, seats=["Tc 4c | - | -", other], pile=pile)
        assert explain(here.view, here.memory).reasons == reasons


@pytest.mark.parametrize(("direction", "cards"), [("cw", [2, 3, 1]), ("ccw", [2, 1, 3])])
def test_only_players_with_cards_are_still_to_come(direction, cards):
    hands = ["8c 9d | - | -", "- | - | -", "3c 4d 5h | - | -", "6s | - | -"]
    known = Position("classic", seats=hands, direction=direction).known
    assert [seat.hidden + seat.known.bit_count() for seat in known.seats] == cards


@pytest.mark.parametrize("pile", ["6h", "-"])
def test_a_card_that_burns_burns_at_least_itself(pile):
    here = Position("classic", seats=["Tc 4d 9d | - | -", "3d 5h 6s | - | -"], pile=pile)
    assert here.claims(Reason.BURNS, "Tc", "4d")


@pytest.mark.parametrize(
    ("rules", "other", "blocks"),
    [("garfield", "4c 4d 4h 4s", False), ("garfield", "4c 4d 4h 5s", True), ("classic", "4c 4d 4h 4s", True)],
)
def test_four_of_a_kind_in_the_next_hand_answer_any_card_where_they_go_on_anything(rules, other, blocks):
    seats = ["8h Jc Qd | - | 6c", f"{other} | - | 6d 7c"]
    here = Position(rules, seats=seats, pile="2h", other=other)
    assert here.claims(Reason.BLOCKS, "Qd", "8h") is blocks


def test_nobody_answers_a_pile_that_is_given_away():
    here = Position("poytapaska", seats=["Ts 2d | 9d | 2h", "2s 4d | Td | 9s"], stock="")
    assert not here.claims(Reason.BLOCKS, "Ts", "2d")


def test_a_led_glass_card_is_answered_by_what_its_own_rank_asks():
    here = Position("guarducci", seats=["5s 7d Ah | 4c Qc | 6s", "4h 5h Qs | Td | 3s"], stock="8h 9h")
    seven = here.play("7d")
    fits = here.known.book.fits[apply(here.state, 0, seven).top]
    assert coach._answers(here.known, seven) == (here.known.unknown & fits).bit_count()


def test_a_play_that_certainly_cannot_be_answered_is_not_only_harder():
    here = Position("classic", seats=["2h Ks | 6d | 5c", "3c 4h | - | Js"], pile="2c 4c", other="3c 4h")
    assert not here.claims(Reason.HARDER, "Ks", "2h")


def test_a_play_is_not_harder_to_answer_than_one_that_burns():
    here = Position("poohead", seats=["4d Tc Qh | 7s | Ts", "5s Th Jc | 2c | Ad"], pile="Qd", stock="8h 9h")
    assert not here.claims(Reason.HARDER, "Qh", "Tc")


def test_blocking_is_no_reason_where_a_stuck_seat_gives_this_one_the_pile():
    seats = ["3d 9c Qh | 4s | 2c", "5h 6h | 4d | 3c"]
    here = Position("reverse-second", seats=seats, pile="8d", stock="", last="B", other="5h 6h")
    queen = here.play("Qh")
    assert block_chance(here.known, queen, step_after(here.known, queen)) == 1
    assert not here.claims(Reason.BLOCKS, "Qh", "9c")


@pytest.mark.parametrize(("cards", "ranks"), [("Xr=K", {JOKER}), ("Ks Xr=K", {JOKER, rank_of(parse_card("Ks"))})])
def test_a_wild_joker_is_weighed_as_a_joker_whatever_it_is_named(cards, ranks):
    here = Position("french", seats=["Xr Ks 3d | 4h | 2c", "Ad 5d | 6h | 3c"], pile="3s", stock="4c")
    single, size = START["play"], CARD_BLOCKS["play"] * RANK_COUNT
    lit = {row - single for row in move_rows(here.known, here.play(cards)) if single <= row < single + size}
    assert lit == {rank * CARD_BLOCKS["play"] for rank in ranks}
