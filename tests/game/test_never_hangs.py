"""A game can never hang: whatever the rules, somebody has a legal move, and every game ends."""

import random
from collections import Counter

import pytest

from game.deal import deal, full_pack
from game.moves import Choose, Timeout, apply, events, legal_moves, turn_moves
from game.rules import OPTIONS, POWER_OPTIONS, Rules
from game.showing import listed_moves
from game.state import STAND_STILL, State
from game.validity import Clash, Idle, clashes, inert_options, options_without_effect
from testkit.random_games import choices, nested, random_deal, random_rules, random_seats

AT_ONCE, ALL, SETS = 40, 2_000, 100
"""How many rule sets the short test tries, and the long one in all; how many of these are in each of its shares."""
SOME, WHOLE = 60, 10
"""How many moves most games are played for; every `WHOLE`th game is played to its end."""
OFTEN = 20
"""How often an option is compared at most."""
INERT = 13
"""How many options `inert_options` may return in all."""
MANY = 30
"""For hands with more cards, plays that differ only in suits are listed once."""


def a_move(rng, state: State):
    """A random listed move, mostly of the seat on turn; while a call is awaited, often the clock's timeout."""
    phase, seats = state.frame.phase, range(len(state.seats))
    if phase == "call" and rng.random() < 0.5:
        return 0, Timeout()
    if phase == "play" and rng.random() < 0.8:
        crowded = state.seats[state.turn].hand.bit_count() > MANY
        moves = turn_moves(state.but(book=state.book.brief) if crowded else state)
        assert moves, "the seat on turn can do something"
        return state.turn, rng.choice(moves)
    for seat in rng.sample(seats, len(seats)):
        if found := [*listed_moves(state, seat), *(choices(state, seat) if phase == "exchange" else ())]:
            ready = [each for each in found if each.name == "ready" or isinstance(each, Choose)]
            return seat, rng.choice(ready if ready and rng.random() < 0.6 else found)
    raise AssertionError(f"nobody can do anything in {phase}")


def test_no_game_is_tried_at_a_table_for_which_there_are_too_few_cards():
    rules = Rules.model_validate({"seats": (2, 12), "deal": {"pack_for_six": True, "hand": 5}})
    assert (rules.can_seat(5), rules.can_seat(6)) == (False, True)
    assert {random_seats(random.Random(seed), rules, 5) for seed in range(40)} == {2, 3, 4}


def play_on(rng, rules: Rules, *, whole):
    """Play a random game, checking each move as if it came from outside; a `whole` one must end (R18 limits it)."""
    state = random_deal(rng, rules, random_seats(rng, rules, 6))
    for _ in range((len(state.stock) + 2) * STAND_STILL if whole else SOME):
        if state.frame.phase == "over":
            return
        state = apply(state, *a_move(rng, state))
    assert not whole, "every game ends"


def play_many(seed, count):
    rng = random.Random(seed)
    for number in range(count):
        rules = random_rules(rng)
        try:
            play_on(rng, rules, whole=number % WHOLE == 0)
        except Exception as error:
            raise AssertionError(f"rule set {number} of {seed}: {rules.differences()}") from error


def test_no_game_hangs_whatever_the_rules():
    play_many("at once", AT_ONCE)


@pytest.mark.long
@pytest.mark.parametrize("share", range(ALL // SETS))
def test_no_game_hangs_with_two_thousand_rule_sets(share):
    play_many(f"share {share}", SETS)


def test_the_rule_sets_have_every_value_of_every_option():
    rng = random.Random(1)
    found, parts = set(), set()
    for _ in range(400):
        rules = random_rules(rng)
        for key in OPTIONS:
            table, _, name = key.rpartition(".")
            found.add((key, str(getattr(getattr(rules, table) if table else rules, name))))
        for power in rules.powers.values():
            for name in POWER_OPTIONS:
                value = getattr(power, name)
                each = value if isinstance(value, tuple) else [str(value).partition(":")[0]]
                parts |= {(name, part) for part in each}
    wanted = {(key, str(value)) for key, option in OPTIONS.items() for value in option.values}
    by_seats = {each for each in wanted if each[0] in {"seats", "deal.by_seats"}}
    assert wanted - by_seats <= found
    assert {(name, str(value)) for name, option in POWER_OPTIONS.items() for value in option.values} <= parts


# -- what cannot be played, and what has no effect


def rules_with(**overrides):
    return Rules(seats=(2, 6)).changed_with(overrides)


CLASHES = [
    (Clash.CHOOSE_AND_THROWN, {"deal": {"method": "choose"}, "start": {"by": "thrown"}}),
    (Clash.CHOOSE_FROM_NONE, {"deal": {"method": "choose", "face_up": 0}}),
    (Clash.PACK_TOO_SMALL, {"seats": [5, 6], "deal": {"hand": 6, "face_up": 6}}),
]


def test_every_combination_that_is_named_has_an_example():
    assert {clash for clash, _ in CLASHES} == set(Clash), "CLASHES has an example of each"
    assert {idle for idle, _, _ in IDLES} == set(Idle), "IDLES has an example of each"


@pytest.mark.parametrize(("clash", "overrides"), CLASHES)
def test_options_that_exclude_each_other_are_named(clash, overrides):
    assert clashes(rules_with(**overrides)) == (clash,)


IDLES = [
    (Idle.TRIBUTE_WITHOUT_DEALT_CARDS, "", {"end": {"tribute": True}, "deal": {"method": "choose"}}),
    (Idle.TRIBUTE_WITHOUT_DEALT_CARDS, "", {"end": {"tribute": True}, "deal": {"face_up": 0}}),
    (Idle.TRIBUTE_WITHOUT_SHITHEAD, "", {"end": {"tribute": True, "aim": "winner"}}),
    (Idle.MUST_LEAD_WITHOUT_SEARCH, "", {"start": {"must_lead": True, "by": "left"}}),
    (Idle.TURN_UP_ON_THROWN, "", {"start": {"turn_up": True, "by": "thrown"}}),
    (Idle.BURN_WITH_MORE, "7", {"powers": {"7": {"does": ["burn", "skip"]}}}),
    (Idle.BURN_WITH_MORE, "10", {"powers": {"10": {"bare_gives": True}}}),
    (Idle.SKIP_TWICE, "8", {"powers": {"8": {"does": ["skip", "skip-beneath"], "asks": "under"}}}),
    (Idle.AGAIN_AND_PASSING, "J", {"powers": {"J": {"does": ["again", "give-pile"]}}}),
    (Idle.BENEATH_WITHOUT_GLASS, "Q", {"powers": {"Q": {"does": ["skip-beneath"]}}}),
    (Idle.BURNS_ON_WITHOUT_BURN, "Q", {"powers": {"Q": {"burns_on": [3]}}}),
]


@pytest.mark.parametrize(("idle", "key", "overrides"), IDLES)
def test_an_option_without_effect_is_named_with_its_power(idle, key, overrides):
    rules = rules_with(**overrides)
    assert options_without_effect(rules) == ((idle, key),)
    assert clashes(rules) == ()


@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"powers": {"10": {"does": ["burn", "skip"], "burns_on": [3]}}},
        {"powers": {"10": {"does": ["burn", "reverse"]}}},
        {"powers": {"J": {"does": ["again"]}, "8": {"does": ["skip"]}, "9": {"does": ["give-pile"]}}},
        {"powers": {"8": {"does": ["skip-beneath"], "asks": "under"}}},
        {"start": {"must_lead": True, "by": "most"}},
        {"end": {"tribute": True}},
    ],
)
def test_options_that_go_together_are_not_reported(overrides):
    assert clashes(rules_with(**overrides)) == options_without_effect(rules_with(**overrides)) == ()


WITHOUT_FACE_UP = ("deal.exchange", "deal.stacking", "end.tribute", "play.combo", "play.face_up_pickup")


@pytest.mark.parametrize(
    ("keys", "overrides"),
    [
        ((), {"powers": {"8": {"asks": "under"}}}),
        (("play.runs_through_glass",), {}),
        (("deal.exchange", "play.runs_through_glass"), {"deal": {"method": "choose"}}),
        (
            (*WITHOUT_FACE_UP, "play.runs_through_glass"),
            {"deal": {"face_up": 0}},
        ),
        ((*WITHOUT_FACE_UP, "play.runs_through_glass"), {"deal": {"face_up": 0, "by_seats": {6: 6}}}),
        (
            ("deal.face_down", "deal.face_up", "deal.hand", "play.runs_through_glass"),
            {"deal": {"by_seats": {2: 4, 3: 4}}},
        ),
        (
            ("play.burn_again", "play.flush", "play.runs_through_glass"),
            {"play": {"four_of_a_kind": False}, "powers": {"10": {"does": []}}},
        ),
        (("play.runs_through_glass", "start.must_lead"), {"start": {"must_lead": True, "by": "left"}}),
        (
            ("deal.exchange", "end.tribute", "play.runs_through_glass"),
            {"end": {"tribute": True}, "deal": {"method": "choose"}},
        ),
        (("end.next_dealer", "play.runs_through_glass"), {"end": {"aim": "winner"}}),
        (("end.next_dealer", "end.tribute", "play.runs_through_glass"), {"end": {"tribute": True, "aim": "winner"}}),
    ],
)
def test_options_without_effect_are_named(keys, overrides):
    assert inert_options(rules_with(**overrides), 3) == set(keys)


def test_choosing_with_thrown_cards_can_hang():
    """Why the two clash: six seats leave no stock, so a seat dealt four threes has two cards to choose three from."""
    rules = rules_with(deal={"method": "choose"}, start={"by": "thrown"})
    pack, threes = [card for card in full_pack(rules, 6) if card >> 2 != 1], [4, 5, 6, 7]
    for row, three in enumerate(threes, 3):
        pack.insert(6 * row, three)
    state = deal(rules, 6, pack)
    assert len(state.pile) == 4
    assert not legal_moves(state, 0)
    assert not choices(state, 0)


def test_an_inert_option_changes_nothing_whatever_its_value():
    rng, tried = random.Random(1), Counter()
    for seed in range(SETS * 60):
        if seed > SETS * 6 and len(tried) == INERT:
            break
        rules = random_rules(rng)
        seats = random_seats(rng, rules, 6)
        for key in sorted(inert_options(rules, seats)):
            other = rules.changed_with(nested(key, rng.choice(OPTIONS[key].values)))
            if other != rules and not clashes(other) and other.can_seat(seats) and tried[key] < OFTEN:
                tried[key] += 1
                assert told(rules, seats, seed) == told(other, seats, seed), (key, rules.differences())
    assert len(tried) == INERT, tried


def told(rules: Rules, seats, seed):
    """A random game: for each turn the listed moves, the move made, its events and the next seat on turn."""
    rng = random.Random(seed)
    pack, winner = list(full_pack(rules, seats)), rng.randrange(seats)
    rng.shuffle(pack)
    shithead = None if rules.end.aim == "winner" else rng.randrange(seats)  # with this aim there is none
    state, heard = deal(rules, seats, pack, 0, winner, shithead), []
    while state.frame.phase != "over" and len(heard) < SOME:
        seat, move = a_move(rng, state)
        after = apply(state, seat, move)
        heard.append((turn_moves(state), seat, move, events(state, seat, move, after), after.turn))
        state = after
    return heard
