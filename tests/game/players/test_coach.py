"""The coach gives reasons that are true and finds the move that lost the game."""

import random
from collections import defaultdict
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from game.moves import Chance, Flip, PickUp, Play, apply
from game.players import coach, levels
from game.players.coach import QUICK, THOROUGH, choices, doubtful, explain, is_true, judge, plain, worst_mistakes
from game.players.hints import Mistake, Reason
from game.players.inputs import BLOCKS, ROWS, START
from game.players.knowledge import bound_move, knowledge_of
from game.players.levels import STYLES
from game.players.memory import Memory, first_memory
from game.players.search import Budget
from game.showing import seat_view, table_view
from game.state import State
from game.text.notation import format_cards, parse_cards
from game.text.position import rules_from, set_up
from game.text.record import Step, parse_line
from testkit.found import instance_of

OTHER = "4h 4s 8d | Td As 9h | 2c 7d 6c"
PICK_UPS = [row for row in range(ROWS) if BLOCKS[row] == "pick up"]
ANOTHER = "4h 4s 8d | Td As Jc | 2c 7d 6d"


def hint(own, rules="classic", other=OTHER, **case):
    state = set_up({"seats": [own, other], **case}, rules_from(rules))
    return explain(seat_view(state, 0), first_memory(table_view(state)))


def test_one_move_needs_no_reason():
    assert hint("3d 4d | Kd | 3c", pile="9c")[:2] == (PickUp(), (Reason.ONLY_MOVE,))
    assert hint("3d 4d | Kd | 3c", pile="9c", turn="B") is None


def test_the_only_card_that_fits_is_not_the_only_move_where_one_may_pick_up():
    assert hint("4c 5d Kh | - | -", "french", pile="Qd")[:2] == (Play(parse_cards("Kh")), (Reason.ONLY_FIT,))


def test_a_burn_is_told():
    found = hint(
        "9h 3d Kc | Kd Qs Jh | 3c 4d 6s", pile="9c 9d 9s", stock="7h 8h 8s 5c", other="4h 4s 8d | Td As Jc | 2c 7d 6d"
    )
    assert found.move == Play(parse_cards("9h"))
    assert Reason.BURNS in found.reasons


def test_a_low_card_saves_a_better_one():
    found = hint("4c 2d Kc | Kd Qs Jh | 3c 4d 6s", stock="7h 8h 8s 5c", other=ANOTHER)
    assert found.move == Play(parse_cards("4c"))
    assert Reason.SAVES_BETTER in found.reasons


def test_a_set_is_shed_together():
    low, others = Play(parse_cards("4c 4d")), "5h 5s 8d | Td As 9h | 2c 7d 6c"
    found = hint("4c 4d 9c | Kd Qs Jh | 3c 5d 6s", other=others)
    assert (found.move, Reason.SHEDS_MORE in found.reasons) == (low, True)


def test_while_the_stock_lasts_a_set_makes_the_hand_no_smaller():
    found = hint("4c 4d 9c | Kd Qs Jh | 3c 5d 6s", stock="7h 8h 8s 5c", other="5h 5s 8d | Td As 9h | 2c 7d 6c")
    assert found.move == Play(parse_cards("4c 4d"))
    assert Reason.SHEDS_MORE not in found.reasons


def test_the_last_cards_go_out():
    for last in ("Kd", "Td"):
        found = hint(f"{last} | - | -", other="4h | As | -", pile="9c")
        assert found[:2] == (Play(parse_cards(last)), (Reason.GOES_OUT,))


def test_the_last_cards_of_the_hand_lead_to_those_on_the_table():
    for own in ("Kd | 4c 5d | 3c", "Kd | - | 3c", "- | Kd | 3c"):
        found = hint(own, pile="9c")
        assert found.move == Play(parse_cards("Kd"))
        assert Reason.ENDS_ZONE in found.reasons
        assert Reason.GOES_OUT not in found.reasons


def test_the_only_play_is_called_that_if_there_is_no_other_reason():
    found = hint("4c 5c 5d 7h | Kc | 3c", pile="3h 7s", stock="9s Tc Jd Qd")
    assert found[:2] == (Play(parse_cards("7h")), (Reason.ONLY_FIT,))
    found = hint("4c 5c 5d 7h 8c | Kc | 3c", pile="3h 7s", stock="9s Tc Jd Qd")
    assert Reason.ONLY_FIT not in found.reasons


def test_a_play_is_compared_with_the_best_other_play_and_not_with_picking_up():
    """The network rates picking up second best, but people wonder why not to play a ten."""
    found = hint(
        "2s Tc Th | Kd Qs Jh | 3c 5c 6s", pile="Qc", stock="7h 8h 8s 5d", other="4s 9s 8d | Td As 9c | 2c Js 2d"
    )
    assert (found.move, found.reasons) == (Play(parse_cards("2s")), (Reason.SAVES_BETTER,))
    assert found.facts.saved == parse_cards("Tc")


def test_reasons_are_few():
    rng = random.Random(5)
    for own in ("2h 5c 9d Tc | Kd | 3c", "- | Kd 9c 4c | 3c", "6d 6h Qc Qd Ah | Kd | 3c"):
        found = hint(own, pile="3d 4d", stock="7h" if rng.random() < 0.5 else "")
        assert 0 <= len(found.reasons) <= 2


def test_the_two_heaviest_reasons_are_given_and_none_without_weight(monkeypatch):
    weights = defaultdict(lambda: -1.0, {Reason.LARGE_PILE: 0.9})
    for weight, told in ((0.5, (Reason.LARGE_PILE, Reason.BURNS)), (0.0, (Reason.LARGE_PILE,))):
        weights[Reason.BURNS], weights[Reason.ENDS_ZONE] = 1.4 * weight, weight
        monkeypatch.setattr(coach, "_weight", lambda reason, *_: weights[reason])
        assert hint("Kc | - | 3c", pile="4d 5h 6h Kh Kd Ks").reasons == told


def test_harder_is_not_given_beside_blocks(monkeypatch):
    weights = {Reason.HARDER: 3.0, Reason.BLOCKS: 2.0, Reason.SAVES_BETTER: 1.0}
    monkeypatch.setattr(coach, "_reasons_and_facts", lambda *_: (weights, {}))
    assert hint("5s Kc | - | 3c", pile="4d").reasons == (Reason.BLOCKS, Reason.SAVES_BETTER)
    del weights[Reason.BLOCKS]
    assert hint("5s Kc | - | 3c", pile="4d").reasons == (Reason.HARDER, Reason.SAVES_BETTER)


@pytest.mark.parametrize(("own", "last"), [("6c Ac | - | -", "Kd"), ("6c Ac 7d | 9d 8d | 3c 4c", "Kd Kh")])
def test_a_hint_lets_nobody_out_with_cards_that_everybody_saw(own, last):
    state = set_up({"seats": [own, f"{last} | - | -"], "pile": "5s"}, rules_from("classic"))
    memory = first_memory(table_view(state))
    seen = Memory(memory.table, ((), parse_cards(last)), memory.passed)
    found = explain(seat_view(state, 0), seen)
    assert found[:2] == (Play(parse_cards("Ac")), (Reason.BLOCKS,))
    assert found.facts.answers == 0  # "cannot", not "probably cannot"
    assert explain(seat_view(state, 0), memory).move != found.move


def test_a_hint_tells_which_cards_it_saves_and_how_many_it_plays():
    found = hint("4c 2d Kc | Kd Qs Jh | 3c 4d 6s", stock="7h 8h 8s 5c", other=ANOTHER)
    assert found.facts.saved in {parse_cards("2d"), parse_cards("Kc")}
    assert (found.facts.played, len(found.facts.instead), found.facts.pile) == (1, 1, 0)
    assert found.facts.instead == found.facts.saved, "the only card of the next best play"


def test_the_best_cards_of_a_picked_up_pile_are_listed_first():
    found = hint("4h 5h Ts | - | 3c", pile="4c Qd Kd Ad 9s Ks 2c Ah", other="Kc | - | -")
    assert found.facts.gained == parse_cards("2c Ad Ah Kd")
    assert found.facts.pile == 8


@pytest.mark.parametrize("wild", [0, 1])
def test_a_blind_flip_is_told_with_how_many_unseen_cards_would_fit(wild):
    """Six cards are unseen: the seat's own face-down cards, and the hand and face-down cards of the other seat.

    A wild joker, which is an ace where it is turned over, is another one.
    """
    rules = rules_from({"deal": {"jokers": wild}, "powers": {"joker": {"wild": bool(wild)}}})
    state = set_up({"seats": ["- | - | 3c Kd 6s", "Jh | - | 9d 4c"], "pile": "9c"}, rules)
    view, memory = seat_view(state, 0), first_memory(table_view(state))
    burned = tuple(set(range(52)) - set(parse_cards("3c Kd 6s Jh 9d 4c 9c")))
    found = explain(view, Memory(memory.table, memory.held, memory.passed, burned=burned))
    assert (found.reasons, found.facts.answers, found.facts.unseen) == ((Reason.ODDS,), 3 + wild, 6 + wild)


@pytest.mark.parametrize(("other", "answers"), [("- | 4h 9d | 2c", 0), ("4h | 9d | 2c", 14)])
def test_there_are_no_answers_if_the_next_seat_surely_has_none(other, answers):
    """Two kings and all aces, twos and tens answer a king; none of them count if the other seat's cards are visible."""
    found = hint("Kd 3d | Kc | 3c", pile="9c", stock="7h", other=other)
    assert found.facts.answers == answers


@pytest.mark.parametrize(("chance", "stock", "answers"), [("stuck", "7h", 14), ("stuck", "", 0), ("never", "7h", 0)])
def test_a_card_of_the_stock_may_answer_if_a_stuck_seat_may_try_it(chance, stock, answers):
    found = hint("Kd 3d | Kc | 3c", {"play": {"chance": chance}}, "- | 4h 9d | 2c", pile="9c", stock=stock)
    assert found.facts.answers == answers


class Adds:
    """A network that adds up what each row is worth."""

    def __init__(self, worth):
        self.worth = worth

    def scores(self, seen, moves):
        return [sum(self.worth.get(row, 0.0) for row in (*seen, *each)) for each in moves]


@pytest.mark.parametrize(
    ("own", "pile", "worth", "best", "told"),
    [
        ("Tc Kc | Td | 3c", "9h", {"burns": 2.0, "blocks": 1.5}, "Tc", (Reason.BURNS,)),
        ("Tc Kc | Td | 3c", "9h", {"burns": -1.0, "blocks": -1.5}, "Tc", (Reason.OVERALL,)),
        ("4c 4d | Td | 3c", "3h", {"stays": -2.0}, "4c 4d", (Reason.SHEDS_MORE,)),
        ("4c 4d | Td | 3c", "3h", {"stays": 2.0}, "4c", (Reason.KEEPS_SET,)),
    ],
)
def test_the_weight_of_a_reason_is_what_its_rows_add_to_the_lead_of_the_move(monkeypatch, own, pile, worth, best, told):
    rows = {row: value for block, value in worth.items() for row in range(ROWS) if BLOCKS[row] == block}
    if "stays" in worth:  # but nothing for a play of which no card stays
        del rows[START["stays"]]
    brain = Adds({START["pick up"]: -9.0, **rows})
    for module in (coach, levels):
        monkeypatch.setattr(module, "network", lambda *_: brain)
    found = hint(own, pile=pile, stock="7h 8h", other="4h 4s 5d | Ts As 9d | 2c 7d 6c")
    assert found[:2] == (Play(parse_cards(best)), told)


def test_a_pick_up_says_what_the_pile_is_good_for():
    found = hint(
        "5s Tc Th | Td 8h Jh | 3c 4d 6s", other="6d Qc Kh | 2c Ac Kc | 2d 7d 9c", pile="Ah Ad As", stock="7h 8s"
    )
    assert isinstance(found.move, PickUp)
    assert set(found.reasons) & {Reason.GOOD_PILE, Reason.SMALL_PILE, Reason.SAVES_BETTER}


@pytest.mark.parametrize(
    ("own", "pile", "advised", "told"),
    [
        ("Tc | Kd | 3c", "4h Ah", PickUp(), (Reason.SAVES_BETTER, Reason.GOOD_PILE)),
        ("Tc | Kd | 3c", "4h 9h", Play(parse_cards("Tc")), (Reason.ONLY_FIT,)),  # nothing good in the pile
        ("8c | Kd | 3c", "Ah 2h", Play(parse_cards("8c")), (Reason.ONLY_FIT,)),  # nothing good in the hand
    ],
)
def test_picking_up_is_advised_over_a_play_only_if_it_saves_a_good_card_and_gains_another(
    monkeypatch, own, pile, advised, told
):
    for module in (coach, levels):
        monkeypatch.setattr(module, "network", lambda *_: Adds(dict.fromkeys(PICK_UPS, 9.0)))
    found = hint(own, pile=pile, stock="7h 8h", other="4c 4s 5d | Ts As 9d | 2c 7d 6c")
    assert found[:2] == (advised, told)


def doubted(game: Sequence[Step], seat, own=range(1_000)):
    return doubtful(recorded(game), seat, own)


def test_a_move_that_a_hint_advises_is_not_doubtful_even_if_the_network_prefers_picking_up(monkeypatch):
    state = set_up({"seats": ["8c 3d | - | -", "4h | - | -"], "pile": "2h"}, rules_from("classic"))
    for module in (coach, levels):
        monkeypatch.setattr(module, "network", lambda *_: Adds(dict.fromkeys(PICK_UPS, 9.0)))
    advised = instance_of(Play, explain(seat_view(state, 0), first_memory(table_view(state))).move)
    game = steps(state, f"A: play {format_cards(advised.cards)}", "B: pickup")
    assert doubted(game, 0) == []
    assert [each.step for each in doubted(steps(state, "A: pickup", "B: play 4h"), 0)] == [0]


@pytest.mark.parametrize(
    ("reason", "own", "pile", "best", "second", "is_so"),
    [
        (Reason.GOOD_PILE, "5s Tc | Td | 3c", "Kh Ah", "pickup", "Tc", True),
        (Reason.GOOD_PILE, "5s Tc | Td | 3c", "4h 5h Ah", "pickup", "Tc", True),
        (Reason.GOOD_PILE, "5s Tc | Td | 3c", "4h 5h Jh", "pickup", "Tc", False),
        (Reason.GOOD_PILE, "5s Tc | Td | 3c", "4h 5h Qh Ah", "pickup", "Tc", True),
        (Reason.SMALL_PILE, "5s Tc | Td | 3c", "Kh Ah", "pickup", "Tc", True),
        (Reason.SMALL_PILE, "5s Tc | Td | 3c", "5h Kh Ah", "pickup", "Tc", True),
        (Reason.SMALL_PILE, "5s Tc | Td | 3c", "4h 5h Kh Ah", "pickup", "Tc", False),
        (Reason.SAVES_BETTER, "5s Tc | Td | 3c", "Kh Ah", "pickup", "Tc", True),
        (Reason.SAVES_BETTER, "5s Qc | Td | 3c", "Kh Ah", "pickup", "Qc", True),
        (Reason.SAVES_BETTER, "5s Jc | Td | 3c", "Kh Ah", "pickup", "Jc", False),
        (Reason.SAVES_BETTER, "- | - | 3c", "Kh Ah", "pickup", "flip", False),
        (Reason.BURNS, "5s Tc | Td | 3c", "Kh Ah", "pickup", "Tc", False),
        (Reason.BURNS, "5s Tc | Td | 3c", "Kh Ah", "Tc", "pickup", True),
        (Reason.LARGE_PILE, "5s Tc | Td | 3c", "4h 5h Kh Ah", "Tc", "pickup", True),
        (Reason.LARGE_PILE, "5s Tc | Td | 3c", "Kh Ah", "Tc", "pickup", False),
        (Reason.LARGE_PILE, "5s Tc | Td | 3c", "5h Kh Ah", "Tc", "pickup", False),
        (Reason.LARGE_PILE, "5s Tc | Td | 3c", "3h 3d 4h 4d", "5s", "Tc", False),
        (Reason.SAVES_BETTER, "5s Tc | Td | 3c", "4h", "5s", "Tc", True),
        (Reason.SAVES_BETTER, "5s Tc | Td | 3c", "4h", "Tc", "5s", False),
        (Reason.SAVES_BETTER, "5s 5c | Td | 3c", "4h", "5s", "5c", False),
        (Reason.SAVES_BETTER, "2s Tc | Td | 3c", "4h", "2s", "Tc", True),
        (Reason.SAVES_BETTER, "8s Jc | Td | 3c", "4h", "8s", "Jc", False),
        (Reason.SAVES_BETTER, "5s Jc | Td | 3c", "4h", "5s", "Jc", False),
        (Reason.SAVES_BETTER, "5s Qc | Td | 3c", "4h", "5s", "Qc", True),
        (Reason.LEADS_LOW, "5s Jc | Td | 3c", "4h", "5s", "Jc", True),
        (Reason.LEADS_LOW, "5s Qc | Td | 3c", "4h", "5s", "Qc", False),
        (Reason.LEADS_LOW, "5s 9c | Td | 3c", "4h", "9c", "5s", False),
        (Reason.LEADS_LOW, "5s 5c | Td | 3c", "4h", "5s", "5c", False),
        (Reason.SHEDS_MORE, "5s 5c | Td | 3c", "4h", "5s 5c", "5s", True),
        (Reason.SHEDS_MORE, "5s 6c | Td | 3c", "4h", "5s", "6c", False),
        (Reason.KEEPS_SET, "5s 5c | Td | 3c", "4h", "5s", "5s 5c", True),
        (Reason.KEEPS_SET, "5s 5c | Td | 3c", "4h", "5s", "5c", False),
        (Reason.KEEPS_SET, "5s 6c 6d | Td | 3c", "4h", "5s", "6c 6d", False),
        (Reason.BLOCKS, "5s Ac | Td | 3c", "4h", "Ac", "5s", True),
        (Reason.BLOCKS, "8s Ac | Td | 3c", "4h", "8s", "Ac", False),
        (Reason.HARDER, "5s Ac | Td | 3c", "4h", "Ac", "5s", True),
        (Reason.HARDER, "5s Ac | Td | 3c", "4h", "5s", "Ac", False),
        (Reason.HARDER, "5s Ac | Td | 3c", "4h", "Ac", "pickup", False),
        (Reason.HARDER, "5s Tc | Td | 3c", "4h", "Tc", "5s", False),
        (Reason.HARDER, "5s 8c | Td | 3c", "4h", "8c", "5s", False),
        (Reason.ENDS_ZONE, "5s | - | -", "4h", "5s", "pickup", False),
        (Reason.ENDS_ZONE, "- | 5s | -", "4h", "5s", "pickup", False),
        (Reason.ENDS_ZONE, "5s | Td | 3c", "4h", "5s", "pickup", True),
        (Reason.PLAYS_AGAIN, "5s | Td | 3c", "4h", "5s", "pickup", False),
        (Reason.PLAYS_AGAIN, "8s | Td | 3c", "4h", "8s", "pickup", True),
        (Reason.GOOD_PILE, "5s Tc | Td | 3c", "4h", "5s", "Tc", False),
        (Reason.BURNS, "- | - | 3c", "4h", "flip", "pickup", False),
    ],
)
def test_a_reason_is_given_only_where_it_is_true(reason, own, pile, best, second, is_so):
    eights_skip = {"powers": {"8": {"does": ["skip"], "asks": "below"}}}
    state = set_up({"seats": [own, "6h 7h | 9d | 2c"], "pile": pile}, rules_from(eights_skip))
    view = seat_view(state, 0)
    known = knowledge_of(view, first_memory(table_view(state)))

    def made(text):
        if text in {"pickup", "flip"}:
            return PickUp() if text == "pickup" else Flip(1)
        return bound_move(known, Play(parse_cards(text)))

    assert is_true(reason, known, view, made(best), made(second)) is is_so


@pytest.mark.parametrize(
    ("own", "stock", "sheds"),
    [
        ("5s 5c 9d", "7h 8h", False),
        ("5s 5c 9d", "7h", True),
        ("5s 5c 9d", "", True),
        ("5s 5c 9d 9h Jc", "7h 8h", True),
        ("5s 5c 9d 9h", "7h 8h", False),
    ],
)
def test_a_set_sheds_more_only_if_it_leaves_a_smaller_hand(own, stock, sheds):
    seats = [f"{own} | Kd | 3c", "4s 8d | As | 2c"]
    state = set_up({"seats": seats, "pile": "4h", "stock": stock}, rules_from("classic"))
    view = seat_view(state, 0)
    known = knowledge_of(view, first_memory(table_view(state)))
    two, one = (bound_move(known, Play(parse_cards(text))) for text in ("5s 5c", "5s"))
    assert is_true(Reason.SHEDS_MORE, known, view, two, one) is sheds


@pytest.mark.parametrize(("pile", "is_so"), [("4h", False), ("4h Ah", True)])
def test_glass_blocks_if_the_card_beneath_does(pile, is_so):
    state = set_up({"seats": ["3s 9c | Td | 3c", "6h 7h | 9d | 2c"], "pile": pile}, rules_from("pub"))
    view = seat_view(state, 0)
    known = knowledge_of(view, first_memory(table_view(state)))
    best, second = (bound_move(known, Play(parse_cards(text))) for text in ("3s", "9c"))
    assert is_true(Reason.BLOCKS, known, view, best, second) is is_so


@pytest.mark.parametrize(("down", "is_so"), [("2c 4c", False), ("3d 4c", True)])
def test_a_card_that_half_of_the_hidden_cards_answer_does_not_block(down, is_so):
    """The other's hand is a six, a two (or another three), a four or the seat's own three; the rest has burned."""
    cards = f"5s Ac Td 6h 9d 4h 3c {down}"
    state = set_up({"seats": ["5s Ac | Td | 3c", f"6h | 9d | {down}"], "pile": "4h"}, rules_from("classic"))
    view, memory = seat_view(state, 0), first_memory(table_view(state))
    burned = tuple(set(range(52)) - set(parse_cards(cards)))
    known = knowledge_of(view, Memory(memory.table, memory.held, memory.passed, burned=burned))
    best, second = (bound_move(known, Play(parse_cards(text))) for text in ("5s", "Ac"))
    assert is_true(Reason.BLOCKS, known, view, best, second) is is_so


def review(lost: Sequence[Step], seat):
    """The mistakes of a seat that a thorough look at every choice finds."""
    return plain(judge(each, THOROUGH, 1) for each in choices(lost, seat))


def test_the_move_that_threw_the_game_away_is_found():
    """Picking up instead of playing the king loses at once: the other seat leads its only card."""
    state = set_up({"seats": ["Kd 3d | - | -", "4h | - | -"], "pile": "9c"}, rules_from("classic"))
    lost = steps(state, "A: pickup", "B: play 4h")
    mistakes = review(lost, 0)
    assert [(each.step, each.played, each.better) for each in mistakes] == [(0, PickUp(), Play(parse_cards("Kd")))]
    assert mistakes[0].cost > 0.3
    assert (mistakes[0].reasons, mistakes[0].facts.answers) == ((Reason.BLOCKS,), 15)
    assert mistakes[0].facts.saved == mistakes[0].facts.instead == (), "picking up plays no card"
    assert review(lost, 1) == []
    assert review(steps(state, "A: play Kd", "B: pickup", "A: play 3d"), 0) == []


def test_a_mistake_counts_no_more_than_games_to_the_end_confirm(monkeypatch):
    """The critic, asked after ten moves, blames many moves that lose no more games."""
    state = set_up({"seats": ["Kd 3d | - | -", "4h | - | -"], "pile": "9c"}, rules_from("classic"))
    played = next(choices(steps(state, "A: pickup", "B: play 4h"), 0))
    asked, lost = [], {}

    def average_costs(_view, _memory, moves, budget, _rng):
        asked.append((moves, budget.depth))
        return [lost[move] for move in moves]

    monkeypatch.setattr(coach, "average_costs", average_costs)
    king = Play(parse_cards("Kd"))
    for of_pick_up, cost in ((0.62, 0.12), (0.49, -0.01)):
        lost |= {PickUp(): of_pick_up, king: 0.5}
        assert judge(played, THOROUGH, 1).cost == pytest.approx(cost)
        assert asked.pop() == ([PickUp(), king], 150)
    assert judge(played, QUICK, 1).cost > 0.3
    assert asked == []


def test_nobody_is_blamed_where_games_to_the_end_would_take_too_long(monkeypatch):
    state = set_up({"seats": ["Kd 3d | - | -", "4h | - | -"], "pile": "9c"}, rules_from("classic"))
    played = next(choices(steps(state, "A: pickup", "B: play 4h"), 0))
    assert judge(played, THOROUGH, 1).cost > 0.3
    monkeypatch.setattr(Budget, "where", lambda budget, _table: budget._replace(moves=budget.moves // 2))
    assert judge(played, THOROUGH, 1).cost == 0


def test_a_move_without_an_alternative_is_no_choice():
    state = set_up({"seats": ["3d 9h | - | -", "4h | - | -"], "pile": "9c"}, rules_from("classic"))
    forced = steps(state, "A: play 9h", "B: pickup", "A: play 3d")
    assert [each.step for each in choices(forced, 0)] == [0]
    assert list(choices(forced, 1)) == []


def test_only_the_most_doubtful_choices_of_a_long_game_are_judged(monkeypatch):
    monkeypatch.setattr(coach, "MOST_JUDGED", 1)
    state = set_up({"seats": ["Kd 3d | - | -", "4h | - | -"], "pile": "9c"}, rules_from("classic"))
    game = steps(state, "A: pickup", "B: play 4h")
    assert [each.step for each in doubted(game, 0)] == [0]
    assert doubted(game, 1) == []
    assert doubted(game, 0) == list(choices(game, 0))


def test_a_move_that_the_computer_made_for_the_player_is_not_doubtful():
    state = set_up({"seats": ["Kd 3d 4d | - | -", "4h 5h | - | -"], "pile": "9c"}, rules_from("classic"))
    game = steps(state, "A: pickup", "B: play 4h", "A: play 4d")
    assert [[each.step for each in doubted(game, 0, own)] for own in ({0, 2}, {0}, {2}, set())] == [
        [0, 2],
        [0],
        [2],
        [],
    ]


def test_a_move_that_a_hint_would_have_advised_is_not_doubtful():
    state = set_up({"seats": ["Kd 3d | - | -", "4h | - | -"], "pile": "9c"}, rules_from("classic"))
    advised = instance_of(Play, explain(seat_view(state, 0), first_memory(table_view(state))).move)
    assert advised == Play(parse_cards("Kd"))
    game = steps(state, "A: play Kd", "B: pickup")
    assert [each.step for each in choices(game, 0)] == [0]
    assert doubted(game, 0) == []


def test_the_choice_that_the_policy_was_less_likely_to_make_is_more_doubtful(monkeypatch):
    """Picking up a pile that a king would have answered is doubtful; playing the king is not."""
    state = set_up({"seats": ["Kd 3d 4d | - | -", "4h 5h | - | -"], "pile": "9c"}, rules_from("classic"))
    game = steps(state, "A: pickup", "B: play 4h", "A: play 4d")
    assert [each.step for each in doubted(game, 0)] == [0, 2]
    monkeypatch.setattr(coach, "MOST_JUDGED", 1)
    assert [each.step for each in doubted(game, 0)] == [0]
    game = steps(state, "A: play Kd", "B: pickup", "A: play 4d")
    assert [each.step for each in doubted(game, 0)] == [2]


def test_a_review_looks_as_far_ahead_as_the_master():
    assert {budget.depth for budget in (QUICK, THOROUGH, STYLES["master"].budget)} == {10}


def test_only_the_worst_mistakes_are_reported_and_none_that_may_be_noise():
    made = [Mistake(step, PickUp(), PickUp(), cost) for step, cost in enumerate((0.1, 0.4, 0.02, 0.2, 0.3, 0.0))]
    assert [each.step for each in plain(made)] == [1, 4, 3]
    assert [each.step for each in plain(made[:3])] == [1, 0]
    assert [each.step for each in plain([made[0]._replace(cost=cost) for cost in (0.05, 0.0499)])] == [0]
    assert [each.step for each in worst_mistakes(made, 1)] == [1]
    assert [each.step for each in worst_mistakes(made, 9)] == [1, 4, 3, 0, 2]


def steps(state: State, *lines):
    """The steps of a game that begins with this state."""
    found = []
    for seat, move in map(parse_line, lines):
        found.append(Step(state, seat, move, apply(state, seat, move)))
        state = found[-1].after
    return found


def recorded(made: Sequence[Step]):
    """A stand-in for the record of such a game."""
    return SimpleNamespace(steps=lambda: made)


def test_a_sequence_of_four_cards_is_not_four_of_a_kind():
    rules = {"play": {"sequences": True}}
    state = set_up({"seats": ["4c 5c 6c 7c Kd | - | -", "6h 7h | 9d | 2c"], "pile": "3h"}, rules_from(rules))
    view = seat_view(state, 0)
    known = knowledge_of(view, first_memory(table_view(state)))
    row, king = (bound_move(known, Play(parse_cards(text))) for text in ("4c 5c 6c 7c", "Kd"))
    assert not is_true(Reason.BURNS, known, view, row, king)


def test_a_hint_names_a_saved_card_whose_equal_is_played():
    state = set_up({"seats": ["7c 7c 7h | 9d | 2c", "6h 8h | 9s | 3c"], "pile": "4h"}, rules_from("smeghead"))
    view = seat_view(state, 0)
    one, two = (next(move for move in view.moves if move == Play(parse_cards(each))) for each in ("7c", "7c 7c"))
    assert coach._reasons_and_facts(view, first_memory(view.table), one, two)[1].saved == parse_cards("7c")


@pytest.mark.parametrize(("stuck", "speaks"), [("self", True), ("previous", False)])
def test_a_small_pile_is_a_reason_only_if_the_seat_itself_picks_it_up(stuck, speaks):
    rules = {"play": {"stuck": stuck, "chance": "stuck"}}
    state = set_up({"seats": ["4c 5d | 9d | 2c", "6h 8h | 9s | 3c"], "pile": "Kh", "stock": "7s 8s"}, rules_from(rules))
    view = seat_view(state, 0)
    known = knowledge_of(view, first_memory(view.table))
    assert is_true(Reason.SMALL_PILE, known, view, PickUp(), Chance()) is speaks
