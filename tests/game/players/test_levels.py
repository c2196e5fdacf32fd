"""The levels choose legal moves from what they may see, and the same moves with the same random numbers."""

import gc
import pickle
import random
from collections.abc import Sequence
from math import log
from weakref import ref

import pytest

from game.cards import face_rank
from game.compiled import book_of
from game.deal import full_pack
from game.moves import Call, Flip, PickUp, Play, Ready, advance, apply
from game.players.coach import remembered
from game.players.inputs import move_rows, state_rows
from game.players.knowledge import bound_move, knowledge_of
from game.players.levels import (
    AMONG_MORE,
    AT_THE_END,
    BETWEEN_TWO,
    PATIENCE,
    STYLES,
    candidates,
    choose,
    estimate,
    goes_out,
    look_key,
    options,
    policy,
    trust_in_policy,
)
from game.players.memory import Memory, first_memory
from game.players.network import network
from game.players.search import Budget, average_costs, cost, holding_out
from game.players.worlds import Sampler
from game.rules import Rules
from game.showing import seat_view, table_view
from game.state import State
from game.text.notation import format_cards, parse_cards
from game.text.position import rules_from, set_up
from game.text.record import Step
from game.variants import variants
from testkit.disguise import disguised
from testkit.found import instance_of, not_none
from testkit.random_games import random_deal

SEATS = ["2h 5c 9d | Kd Qs Jh | 3c 4d 6s", "4h 4s 8d | Td As 9h | 2c 7d 6c"]

VARIANTS = [name if name == "classic" else pytest.param(name, marks=pytest.mark.long) for name in variants()]


def position(rules="classic", **case):
    return set_up({"seats": SEATS, **case}, rules_from(rules))


def of(state: State, seat=0):
    """The view of a seat, and a memory that begins here."""
    return seat_view(state, seat), first_memory(table_view(state))


def play_out(rules: Rules, seats, levels, seed):
    """Yield every choice of a game as (state, view, memory, seed of the choice, level, choice)."""
    rng = random.Random(seed)
    state = random_deal(rng, rules, seats)
    memory = first_memory(table_view(state))
    while state.frame.phase != "over":
        views = [seat_view(state, seat) for seat in range(seats)]
        view = next(view for view in views if view.moves or view.may_choose)
        level, number = levels[view.seat % len(levels)], rng.getrandbits(32)
        chosen = choose(view, memory, random.Random(number), level)
        yield state, view, memory, number, level, chosen
        after = apply(state, view.seat, chosen)
        memory, state = remembered(memory, Step(state, view.seat, chosen, after)), after


@pytest.mark.long
@pytest.mark.parametrize("variant", variants())
def test_every_level_plays_every_variant_to_its_end(variant):
    rules = variants()[variant].rules
    game = play_out(rules, min(3, rules.most_seats()), ["easy", "fair", "strong"], variant)
    for state, view, *_, chosen in game:
        if goes_out(view, chosen):
            after = apply(state, view.seat, chosen)
            assert view.seat in after.frame.out


def test_a_choice_does_not_depend_on_hidden_cards():
    rng, rules = random.Random(1), variants()["classic"].rules
    compared = 0
    for seed in range(2):
        for state, view, memory, number, level, chosen in play_out(rules, 2, ["fair", "strong"], seed):
            known = sum(state.book.pick(cards, state.seats[seat].hand) or 0 for seat, cards in enumerate(memory.held))
            other = seat_view(disguised(state, rng, view.seat, keep=known), view.seat)
            assert choose(other, memory, random.Random(number), level) == chosen
            compared += len(view.moves) > 1
    assert compared > 50


@pytest.mark.parametrize("more", [[], ["6h 9s | Qh | 8c"]], ids=["two", "three"])
def test_the_master_makes_the_same_choice_with_the_same_random_numbers(more):
    state = position(seats=[*SEATS, *more], pile="5d", stock="7h 8h Jc Tc")
    view, memory = of(state)
    assert choose(view, memory, random.Random(3), "master") == choose(view, memory, random.Random(3), "master")


@pytest.mark.parametrize("last", ["Kd", "Td", "Kd Kh", "Tc Td Th Ts"])
@pytest.mark.parametrize("level", STYLES)
def test_every_level_goes_out_if_it_can(last, level):
    for own in (f"{last} | - | -", f"- | {last} | -"):
        state = position(seats=[own, "7h 4s 8d | Jd As Jc | 2c 7d 6c"], pile="9c")
        assert choose(*of(state), random.Random(1), level) == Play(parse_cards(last))


@pytest.mark.parametrize("level", STYLES)
def test_every_level_goes_out_over_a_stock_that_nobody_draws(level):
    other = "7h 4s 8d | Jd As Jc | 2c 7d 6c"
    state = position("french", seats=["Kd Kh | - | -", other], pile="Qc", stock="5h 8h 3d Tc 3h")
    for seed in range(20):
        assert choose(*of(state), random.Random(seed), level) == Play(parse_cards("Kd Kh"))


def test_the_last_cards_of_a_hand_do_not_go_out_if_more_cards_are_left():
    for own, stock in (("Kd | - | -", "5h"), ("Kd | 4c | -", ""), ("Kd | - | 4c", ""), ("Kd Kh | - | -", "")):
        state = position(seats=[own, "4h | As | -"], pile="9c", stock=stock)
        assert not goes_out(of(state)[0], Play(parse_cards("Kd")))


def seen(state: State, *held):
    """The view of seat A, and a memory in which everybody saw the others take these cards."""
    view, memory = of(state)
    return view, Memory(memory.table, ((), *map(parse_cards, held)), memory.passed)


LAST_CARDS = [
    ("classic", ["6c Ac | - | -"], ["Kd"], "Ac"),
    ("classic", ["6c Kc Ac 7d | 9d 8d | 3c 4c"], ["Qd"], "Kc"),
    ("classic", ["2c Kd 4d | - | 3d"], ["Qd"], "Kd"),
    ("classic", ["6c Ac 7d | 9d 8d | 3c 4c"], ["Kd Kh"], "Ac"),
    ("first-out", ["6c Ac 7d | 9d 8d | 3c"], ["Kd", "4c 5d 8h"], "Ac"),
]


@pytest.mark.parametrize(("rules", "own", "others", "block"), LAST_CARDS)
@pytest.mark.parametrize("level", ["fair", "strong", "master"])
def test_nobody_is_let_out_with_cards_that_everybody_saw_if_that_ends_the_game(rules, own, others, block, level):
    case = {"seats": [*own, *(f"{cards} | - | -" for cards in others)], "pile": "5s"}
    view, memory = seen(position(rules, **case), *others)
    assert choose(view, memory, random.Random(1), level) == Play(parse_cards(block))


@pytest.mark.parametrize(
    ("own", "pile", "others"),
    [
        ("6c Ac | - | -", "5s", ["Td"]),  # goes on anything
        ("6c Ac | - | -", "5s", ["Kd 9d"]),  # two plays
        ("6c Ac | - | -", "5s", ["Kd", "4c"]),  # somebody else is left
    ],
)
def test_moves_are_left_out_only_if_they_alone_end_the_game(own, pile, others):
    view, memory = seen(position(seats=[own, *(f"{cards} | - | -" for cards in others)], pile=pile), *others)
    assert list(holding_out(view, memory, options(view))) == options(view)


def test_cards_that_nobody_saw_and_cards_still_to_come_leave_no_move_out():
    case = {"seats": ["6c Ac | - | -", "Kd | - | -"], "pile": "5s"}
    view, memory = of(position(**case))
    assert holding_out(view, memory, options(view)) == options(view)
    for more in ({"stock": "4h"}, {"seats": ["6c Ac | - | -", "Kd | - | 3h"]}):
        view, memory = seen(position(**case | more), "Kd")
        assert holding_out(view, memory, options(view)) == options(view)


def test_the_only_move_is_made():
    state = position(seats=["3d 4d | Kd | 3c", SEATS[1]], pile="9c")
    assert choose(*of(state), random.Random(1), "master") == PickUp()


def test_only_one_of_several_ways_to_go_out_is_considered():
    rules = {"deal": {"jokers": 2}, "powers": {"joker": {"wild": True}}}
    state = position(rules, seats=["Xr | - | -", "4h | As | -"], pile="2c")
    assert len(options(seat_view(state, 0))) > 2
    assert len(candidates(seat_view(state, 0))) == 1


def test_a_blind_card_is_flipped():
    state = position(seats=["- | - | 3c 4c", SEATS[1]])
    assert isinstance(choose(*of(state), random.Random(1), "master"), Flip)


def test_before_play_everybody_prepares():
    assert choose(*of(position(phase="exchange")), random.Random(1), "fair") != Ready()
    calling = position(phase="call", turn="-", seats=["3h | Kd | -", "4h | Td | -"])
    assert choose(*of(calling), random.Random(1), "fair") == Call()


def test_choosing_without_a_move_is_an_error():
    with pytest.raises(ValueError, match="nothing to do"):
        choose(*of(position(pile="9c"), 1), random.Random(1), "fair")


def test_interrupts_follow_ups_and_duties_leave_no_options():
    rules = {"play": {"interrupt": True}}
    state = position(rules, pile="4c 4d", seats=["9c | - | -", "4h 4s 8d | - | -"])
    assert options(seat_view(state, 1)) == []
    again = {"play": {"follow_up": True}, "powers": {"5": {"does": ["again"]}}}
    followed = apply(
        position(again, pile="3d", stock="5h Jc", seats=[SEATS[0].replace("3c 4d", "3c 4c"), SEATS[1]]),
        0,
        Play(parse_cards("5c")),
    )
    assert followed.turn == 0
    assert options(seat_view(followed, 0)) == []
    duty = apply(
        position("superjoker", seats=["Xr 4c | - | -", "Jh 4d | - | -", "5c | - | -"], pile="4h"), 0, Play((52,))
    )
    assert options(seat_view(duty, 1)) == []


def test_without_refills_a_seat_that_can_play_does_not_pick_up():
    refilled, dealt_once = ({"play": {"refill": refill}} for refill in ("always", "opening"))
    case = {"seats": ["Ac 3d | Kd | 3c", SEATS[1]], "pile": "3s 3h", "stock": "7h 8h Jc"}
    assert PickUp() in candidates(seat_view(position(refilled, **case), 0))
    assert PickUp() not in candidates(seat_view(position(dealt_once, **case), 0))
    stuck = seat_view(position(dealt_once, **(case | {"seats": ["3d 4c | Kd | 3c", SEATS[1]], "pile": "9c"})), 0)
    assert candidates(stuck) == [PickUp()]


def test_plays_that_differ_only_in_suits_are_one_option():
    state = position(seats=["5c 5d 5h 9s | - | -", SEATS[1]])
    assert len(options(seat_view(state, 0))) == 4


@pytest.mark.parametrize(
    ("seat", "kept"),
    [("Qc Qd Qh Kc | - | 3c", ["Qd", "Qd Qh", "Qc Qd Qh"]), ("- | Qc Qd Kc | 3c", ["Qd", "Qc Qd"])],
)
def test_where_sequences_are_allowed_the_option_is_the_play_that_keeps_them(seat, kept):
    state = position({"play": {"sequences": True}}, seats=[seat, SEATS[1]], pile="3s")
    plays = [move.cards for move in options(seat_view(state, 0)) if isinstance(move, Play)]
    assert [cards for cards in plays if {face_rank(card) for card in cards} == {10}] == list(map(parse_cards, kept))


def test_pick_ups_that_add_equal_cards_look_alike():
    looks = [look_key(PickUp(parse_cards(cards))) for cards in ("4c", "4h", "5c", "6c", "4c 5d", "4d 5h")]
    assert looks[0] == looks[1]
    assert looks[4] == looks[5]
    assert len(set(looks)) == 4


@pytest.mark.parametrize("own", ["Kd Kh Kc | Td | 3c", "- | Kd Kh Kc | 3c"])
def test_the_policy_scores_what_a_seat_plays_from_its_own_cards(own):
    view, memory = of(position(seats=[own, "4h 4s 8d | Ts As 9h | 2c 7d 6c"], pile="9c"))
    known = knowledge_of(view, memory)
    kings = Play(parse_cards("Kd Kh"))
    expected = network("player", known.book, 2).scores(state_rows(known), [move_rows(known, bound_move(known, kings))])
    assert policy(view, memory, [kings]) == expected


def test_a_position_without_facts_adds_nothing_to_the_score_of_a_move():
    brain = network("player", book_of(variants()["classic"].rules), 2)
    assert set(brain.sums([])) == {0.0}
    assert brain.scores([], [[5]]) == [brain.answer(brain.sums([5]))]


def test_of_the_networks_of_many_rules_only_those_used_last_stay_in_memory():
    gc.disable()  # a cycle would keep a megabyte of each until the next full collection, which may take hours to come
    try:
        made = [ref(network("player", book_of(each.rules), seats)) for each in variants().values() for seats in (2, 3)]
        assert sum(each() is not None for each in made) <= 32
    finally:
        gc.enable()


def test_the_lower_levels_use_the_weights_of_pupils_where_there_are_any():
    rules, differ = variants()["classic"].rules, 0
    for seats in (2, 3):
        for _, view, memory, _, _, chosen in play_out(rules, seats, ["strong"], seats):
            moves = candidates(view)
            if len(moves) > 1 and memory.idle <= PATIENCE:
                own, longer = (policy(view, memory, moves, brain) for brain in ("player-pupil", "player"))
                assert chosen == moves[own.index(max(own))]
                assert (own == longer) is (seats > 2)
                differ += own.index(max(own)) != longer.index(max(longer))
    assert differ


def test_easy_takes_a_worse_move_sometimes_but_never_one_far_worse():
    state = position(seats=["4c 5d Kh Ah | Kd | 3c", SEATS[1]], stock="7h 8h Jc")
    view, memory = of(state)
    moves = options(view)
    scores = dict(zip(moves, policy(view, memory, moves, STYLES["easy"].weights), strict=True))
    taken = {choose(view, memory, random.Random(seed), "easy") for seed in range(60)}
    assert len(taken) > 1
    assert all(scores[move] >= max(scores.values()) - STYLES["easy"].margin for move in taken)


def test_even_a_strong_player_varies_its_play_when_nothing_happens():
    state = position(seats=["4c 5d Kh Ah | Kd | 3c", "4h 4s 8d 9c | Td | 2c"])
    view, memory = of(state)
    restless = Memory(memory.table, memory.held, memory.passed, idle=PATIENCE + 1)
    assert len({choose(view, restless, random.Random(seed), "strong") for seed in range(80)}) > 1
    assert len({choose(view, memory, random.Random(seed), "strong") for seed in range(80)}) == 1


def test_the_longer_nothing_happens_the_more_moves_are_tried():
    state = position(seats=["4c 5d Kh Ah 2c Td | Kd | 3c", "4h 4s 8d 9c | Tc | 2d"])
    view, memory = of(state)

    def tried(idle):
        bored = Memory(memory.table, memory.held, memory.passed, idle=idle)
        return {choose(view, bored, random.Random(seed), "master") for seed in range(80)}

    assert tried(PATIENCE + 1) < tried(9 * PATIENCE)


def test_an_estimate_puts_the_best_move_first():
    state = position(seats=["Kd 3d | - | -", "4h | - | -"], pile="9c")
    found = estimate(*of(state), random.Random(1), Budget(600, 10))
    assert [each.cost for each in found] == sorted(each.cost for each in found)
    assert isinstance(found[0].move, Play)


@pytest.mark.parametrize(("packs", "budget"), [(1, Budget(2500, 10)), (2, Budget(156, 2)), (4, Budget(17, 1))])
def test_a_search_looks_less_far_where_hands_have_more_plays_than_a_pack(packs, budget):
    joker = {"wild": True, "on": "anything"}
    rules = rules_from({"deal": {"packs": packs, "jokers": 2 * packs}, "powers": {"joker": joker}})
    crowded, other = list(full_pack(rules, 2)), "3c | - | -"
    crowded.remove(4)
    state = set_up({"seats": [other, f"{format_cards(crowded[: 53 * packs])} | - | -"]}, rules)
    assert STYLES["master"].budget.where(table_view(state)) == budget


def test_a_search_keeps_to_the_smaller_budget(monkeypatch):
    view, memory = of(position(seats=["Kd 3d | - | -", "4h | - | -"], pile="9c"))
    made, make = [], Sampler.world
    monkeypatch.setattr(Sampler, "world", lambda sampler, rng: made.append(1) or make(sampler, rng))
    for smaller, worlds in ((Budget(60, 10), 3), (Budget(8, 1), 4)):
        monkeypatch.setattr(Budget, "where", lambda *_, smaller=smaller: smaller)
        made.clear()
        average_costs(view, memory, options(view)[:2], Budget(6000, 10), random.Random(1))
        assert len(made) == worlds


def test_a_view_and_a_memory_can_be_sent_to_another_process():
    state = position(pile="5d", stock="7h 8h Jc Tc")
    view, memory = of(state)
    sent_view, sent_memory = pickle.loads(pickle.dumps((view, memory)))
    one = choose(view, memory, random.Random(1), "strong")
    other = choose(sent_view, sent_memory, random.Random(1), "strong")
    assert one == other


@pytest.mark.parametrize(
    ("aim", "costs"), [("loser", (0.0, 1.0, 0.0)), ("both", (0.0, 1.0, 0.5)), ("winner", (0.0, 1.0, 1.0))]
)
def test_the_cost_of_a_game_depends_on_its_aim(aim, costs):
    rules = {"end": {"aim": aim}}
    state = position(rules, seats=["5c | - | -", "4h | - | -", "6h | - | -"])
    state = advance(state, 0, Play(parse_cards("5c")))
    if aim != "winner":
        state = advance(advance(state, 1, PickUp()), 2, Play(parse_cards("6h")))
    assert tuple(cost(state, seat) for seat in (0, 1, 2)) == costs
    assert cost(position().but(frame=position().frame.but(stands_still=True, out=(0,)), alive=2), 0) == 0


WORDS_AND_TURNS = {
    "powers": {
        "7": {"asks": "named"}, "8": {"does": ["reverse"]}, "9": {"does": ["skip"]}, "J": {"does": ["again"]},
        "Q": {"asks": "under"},
    },
    "play": {"chance": "always", "flush": True},
}  # fmt: skip


def test_moves_can_be_estimated_when_the_direction_changes_and_a_seat_is_out():
    rules = {"powers": {"8": {"does": ["reverse"]}}}
    seats = ["8c 9c | - | 3c", "4h 5h | - | 2c", "- | - | -", "6h 7h | - | 2d"]
    state = position(rules, seats=seats, pile="5d")
    found = estimate(*of(state), random.Random(1), Budget(200, 5))
    assert {look_key(each.move) for each in found} >= {((6,), ""), ((7,), "")}


def test_a_card_that_gives_another_turn_is_played_first():
    rules = {"powers": {"8": {"does": ["again"]}}}
    state = position(rules, seats=["8c 9c | - | -", "Th As | - | 2c"], pile="5d")
    best, *others = estimate(*of(state), random.Random(1), Budget(200, 5))
    assert look_key(best.move) == ((6,), "")
    assert all(best.cost < other.cost for other in others)


@pytest.mark.parametrize("rules", [*VARIANTS, WORDS_AND_TURNS], ids=str)
def test_every_move_can_be_estimated_under_any_rules(rules):
    table = rules_from(rules)
    looked = 0
    for _, view, memory, *_ in play_out(table, min(4, table.most_seats()), ["fair"], 4):
        moves = options(view)
        if len(moves) > 1 and looked < 25:
            looked += 1
            found = estimate(view, memory, random.Random(1), Budget(40, 5))
            assert len(found) == len(moves)
            assert all(0 <= each.cost <= 1 for each in found)
    assert looked


@pytest.mark.parametrize(
    ("more", "stock", "trust"),
    [
        (["5h | - | -"], "7h", AMONG_MORE),
        (["5h | - | -"], "-", AMONG_MORE),
        (["- | - | -"], "7h", BETWEEN_TWO),
        ([], "7h", BETWEEN_TWO),
        ([], "-", AT_THE_END),
    ],
)
def test_how_far_the_policy_is_trusted_depends_on_who_is_left_and_on_the_stock(more, stock, trust):
    assert trust_in_policy(of(position(seats=[*SEATS, *more], stock=stock))[0]) is trust


MANY = "3c 4c 5c 6c 7c 8c 9c Tc Jc Qc Kc Ac | - | -"


class Numbers(random.Random):
    """Random numbers that note the moves they had to choose from, with their weights."""

    def choices(self, population, weights=None, *, cum_weights=None, k=1):
        self.readily = dict(zip(instance_of(Sequence, population), not_none(weights), strict=True))
        return super().choices(population, weights, cum_weights=cum_weights, k=k)


def choice_between(monkeypatch, scores, level, idle=0):
    """What a level does with these scores of the network: the weights of the moves it may take."""
    monkeypatch.setattr(
        "game.players.levels.policy", lambda _view, _memory, moves, _weights: (scores + [-99.0] * 12)[: len(moves)]
    )
    view, memory = of(position(seats=[MANY, "4h | As | -"]))
    rng = Numbers(1)
    chosen = choose(view, Memory(memory.table, memory.held, memory.passed, idle=idle), rng, level)
    return getattr(rng, "readily", {options(view).index(chosen): 1.0})


@pytest.mark.parametrize(
    ("level", "idle", "margin", "temperature"),
    [
        ("easy", 100, 16.0, 8.0),
        ("fair", 100, 12.0, 4.0),
        ("strong", 101, 6.06, 1.515),
        ("master", 300, 18.0, 4.5),
        ("easy", 300, 18.0, 4.5),
    ],
)
def test_the_margin_and_the_temperature_of_each_level(monkeypatch, level, idle, margin, temperature):
    """As measured; if nothing has left the stock for a hundred moves, all levels vary their play."""
    readily = choice_between(monkeypatch, [0.0, -1.0, -margin, -margin - 0.001], level, idle)
    assert list(readily) == [0, 1, 2]
    assert log(readily[0] / readily[1]) == pytest.approx(1 / temperature)


def test_a_strong_player_takes_the_best_move_until_nothing_has_happened_for_a_hundred_moves(monkeypatch):
    assert choice_between(monkeypatch, [0.0, 1.0, 0.999], "strong", idle=100) == {1: 1.0}
    assert len(choice_between(monkeypatch, [0.0, 1.0, 0.999], "strong", idle=101)) == 3


@pytest.mark.parametrize(("level", "remembers"), [(level, level != "easy") for level in STYLES])
def test_every_level_but_easy_remembers_who_took_which_cards(monkeypatch, level, remembers):
    recalled = []

    def policy(_view, memory, moves, _weights):
        recalled.append(memory)
        return [0.0] * len(moves)

    monkeypatch.setattr("game.players.levels.policy", policy)
    view, memory = of(position(seats=["4c 9d Kh | - | -", "Td Th Ad | - | 7d 7h"], stock="7c 7s"))
    seen = Memory(memory.table, (memory.held[0], parse_cards("Td Th Ad")), memory.passed)
    choose(view, seen, random.Random(1), level)
    assert recalled == [seen if remembers else memory]


def searched(monkeypatch, state: State, scores, found):
    """How many moves the master tries, and the index of the one it plays, if a search finds these costs."""
    tried = []

    def average_costs(_view, _memory, moves, budget, _rng):
        assert budget.depth == 10
        tried.extend(moves)
        return [*found, *[0.9] * len(moves)][: len(moves)]

    monkeypatch.setattr(
        "game.players.levels.policy", lambda _view, _memory, moves, _weights: (scores + [0.0] * 12)[: len(moves)]
    )
    monkeypatch.setattr("game.players.levels.average_costs", average_costs)
    view, memory = of(state)
    move = choose(view, memory, random.Random(1), "master")
    return len(tried), options(view).index(move)


TABLES = [
    (["4h | As | -"], "7h", 5, 0.01),
    (["4h | As | -"], "-", 9, 0.005),
    (["4h | As | -", "4s | Ah | -"], "7h", 8, 0.002),
]


@pytest.mark.parametrize(("others", "stock", "favourites", "_weight"), TABLES)
def test_a_search_tries_the_favourites_of_the_network(monkeypatch, others, stock, favourites, _weight):
    state = position(seats=[MANY, *others], stock=stock)
    assert searched(monkeypatch, state, [], [0.5])[0] == favourites
    unlikely = searched(monkeypatch, state, [0.0, 0.0, *[-1000.0] * 10], [0.5])[0]
    assert unlikely == (2 if favourites == 5 else favourites)


def test_between_two_a_search_leaves_out_moves_that_the_network_hardly_ever_plays(monkeypatch):
    state = position(seats=[MANY, "4h | As | -"], stock="7h")
    chances = [0.5, 0.494, 0.0031, 0.0029]
    assert searched(monkeypatch, state, [*map(log, chances), *[-99.0] * 9], [0.1, 0.1, 0.1])[0] == 3
    assert searched(monkeypatch, state, [-99.0, 1.0, *[-99.0] * 11], []) == (0, 1)


@pytest.mark.parametrize(("others", "stock", "_favourites", "weight"), TABLES)
@pytest.mark.parametrize("more", [-0.001, 0.001])
def test_a_search_overrules_the_network_only_if_another_move_costs_enough_less(
    monkeypatch, others, stock, _favourites, weight, more
):
    """It must cost `weight` less for each unit by which the network scores it lower."""
    state = position(seats=[MANY, *others], stock=stock)
    scores = [1.0, -1.0, *[-99.0] * 11]
    assert searched(monkeypatch, state, scores, [0.5, 0.5 - 2 * weight - more])[1] == (more > 0)
