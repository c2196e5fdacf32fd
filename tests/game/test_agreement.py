"""`check`, `legal_moves` and `apply` agree, no card is lost and every game ends, by every variant and any rules."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bench import soak
from game.deal import full_pack
from game.moves import (
    Chance,
    Choose,
    Flip,
    Follow,
    IllegalMove,
    Interrupt,
    PickUp,
    Play,
    Ready,
    Refusal,
    Timeout,
    advance,
    apply,
    check,
    legal_moves,
)
from game.rules import Rules
from game.text.record import Record, format_line
from game.variants import variants
from testkit.agreement import check_agreement, check_events, check_state
from testkit.random_games import random_deal, random_move, random_seats
from testkit.rule_sets import RULES, VARIANTS

SEEDS = st.integers(0, 2**32 - 1)
"""Seeds for what Hypothesis does not draw option by option: the shuffle and the moves."""
FEATURES = {
    "wild jokers": {"deal.jokers": 6, "powers.joker": {"wild": True, "on": "rank"}},
    "wild jokers in sequences' company": {
        "deal.jokers": 4,
        "powers.joker": {"wild": True},
        "play.sequences": True,
        "play.four_on_anything": True,
    },
    "named cards": {"powers.7": {"asks": "named"}, "powers.9": {"asks": "named"}, "play.sequences": True},
    "sequences through glass": {"play.sequences": True, "powers.5": {"asks": "under"}, "deal.packs": 2},
    "stacking with several packs": {"deal.stacking": True, "deal.packs": 3},
    "choosing stacks": {"deal.stacking": True, "deal.method": "choose", "deal.packs": 2},
    "flush": {"play.flush": True},
    "follow-ups with several packs": {"play.follow_up": True, "deal.packs": 3, "powers.6": {"asks": "named"}},
    "combos": {"play.combo": True, "deal.stacking": True, "deal.packs": 2},
    "combos with wild jokers": {"play.combo": True, "deal.jokers": 4, "powers.joker": {"wild": True}},
    "interrupts through glass": {
        "play.interrupt": True,
        "play.runs_through_glass": True,
        "powers.4": {"asks": "under"},
        "deal.packs": 2,
    },
    "tribute": {"end.tribute": True, "play.must_play": True},
    "superjokers that are answered": {
        "deal.jokers": 3,
        "powers.joker": {"does": ["give-pile"], "leaves": True, "answer": "red-jack"},
        "deal.packs": 2,
        "deal.stacking": True,
    },
    "the one before picks up": {"play.stuck": "previous", "play.lead_after_pickup": "previous", "play.chance": "stuck"},
    "throwing": {"start.by": "thrown", "deal.stacking": True},
    "turning up": {"start.turn_up": True, "start.by": "lowest", "start.must_lead": True},
}


def rules_with(changes, base=None):
    """Rules with these options changed; the keys are dotted."""
    tables = {}
    for name, value in changes.items():
        *path, last = name.split(".")
        table = tables
        for key in path:
            table = table.setdefault(key, {})
        table[last] = value
    return (base or Rules(seats=(2, 12))).changed_with(tables)


@pytest.mark.long
@pytest.mark.parametrize("variant", variants())
@pytest.mark.parametrize("most", [False, True], ids=["fewest seats", "most seats"])
def test_a_game_by_a_preset_is_sound_to_its_end(variant, most):
    rules = variants()[variant].rules
    moves, tried = soak.soak(random.Random(variant), rules, rules.most_seats() if most else rules.seats[0], every=150)
    assert moves > 10
    assert tried > 50


@pytest.mark.parametrize("feature", FEATURES)
def test_an_option_is_sound_from_any_position(feature):
    rng, rules = random.Random(feature), rules_with(FEATURES[feature])
    for seats in (2, 3, 4, 2, 3):
        assert soak.wander(rng, rules, seats, 5) > 50


@pytest.mark.long
@pytest.mark.parametrize("feature", FEATURES)
def test_an_option_is_sound_for_a_whole_game(feature):
    rng, rules = random.Random(feature), rules_with(FEATURES[feature])
    moves, _ = soak.soak(rng, rules, random_seats(rng, rules), every=200)
    assert moves


@pytest.mark.long
@pytest.mark.parametrize("seats", range(7, 13))
def test_many_seats_play_to_the_end(seats):
    rules = rules_with({"deal.packs": 3, "deal.jokers": seats % 3})
    moves, _ = soak.soak(random.Random(seats), rules, seats, every=600)
    assert moves > seats


@pytest.mark.long
@given(RULES, SEEDS)
@settings(max_examples=60)
def test_any_rules_are_sound_from_any_position(rules, seed):
    rng = random.Random(seed)
    assert soak.wander(rng, rules, random_seats(rng, rules, 3), 4) > 50


@pytest.mark.long
@given(RULES, SEEDS)
@settings(max_examples=15)
def test_any_rules_are_sound_for_a_whole_game(rules, seed):
    rng = random.Random(seed)
    moves, tried = soak.soak(rng, rules, random_seats(rng, rules, 6), every=400)
    assert moves > 5
    assert tried > 20


class AnyGame(RuleBasedStateMachine):
    """A game by any rules, played move by move and recorded as it goes."""

    @initialize(rules=RULES | VARIANTS, seed=SEEDS)
    def deal(self, rules, seed):
        self.rng = random.Random(seed)
        seats = random_seats(self.rng, rules)
        self.pack = full_pack(rules, seats)
        order = list(self.pack)
        self.rng.shuffle(order)
        winner, loser = self.rng.sample(range(seats), 2)
        dealer = self.rng.randrange(seats)
        self.record = Record(
            rules=rules, seats=seats, dealer=dealer, pack=order, last_winner=winner, last_shithead=loser
        )
        self.state = self.record.dealt()

    @precondition(lambda self: self.state.frame.phase != "over")
    @rule(count=st.integers(1, 20))
    def make_some_moves(self, count):
        for _ in range(count):
            if self.state.frame.phase != "over":
                self.make_a_move(*random_move(self.rng, self.state))

    def make_a_move(self, seat, move):
        after = apply(self.state, seat, move)
        assert after == advance(self.state, seat, move)
        check_events(self.state, seat, move, after)
        check_state(after, sorted(self.pack))
        line = format_line(None if isinstance(move, Timeout) else seat, move)
        self.record = self.record.model_copy(update={"moves": (*self.record.moves, line)})
        self.state = after

    @rule()
    def ask_for_anything(self):
        check_agreement(self.rng, self.state)

    @invariant()
    def nobody_moves_when_it_is_over(self):
        if self.state.frame.phase == "over":
            seats = range(len(self.state.seats))
            assert not any(legal_moves(self.state, seat) for seat in seats)
            assert {check(self.state, seat, Ready()) for seat in seats} == {Refusal.GAME_OVER}

    def teardown(self):
        if hasattr(self, "record"):
            assert self.record.end() == self.state
            again = Record.model_validate_json(self.record.model_dump_json())
            assert again == self.record
            assert hash(again.end()) == hash(self.state)


AnyGame.TestCase.settings = settings(max_examples=20, stateful_step_count=10, deadline=None)
TestAnyGame = pytest.mark.long(AnyGame.TestCase)


@given(RULES, SEEDS)
@settings(max_examples=20)
def test_a_refused_move_says_why_and_changes_nothing(rules, seed):
    rng = random.Random(seed)
    state = random_deal(rng, rules, random_seats(rng, rules))
    for move in (Play(()), Flip(0), Interrupt(()), Follow(())):
        before = hash(state)
        with pytest.raises(IllegalMove) as caught:
            apply(state, 0, move)
        assert caught.value.refusal is Refusal.MALFORMED
        assert str(caught.value) == "malformed"
        assert hash(state) == before


def test_a_move_shown_in_a_log_names_no_card():
    for move in (Play((5, 6)), PickUp((5,)), Interrupt((5,)), Follow((5,)), Choose(((5,),))):
        assert "5" not in repr(move).partition("object")[0]
    assert repr(Play((5, 6))) == "Play(2 cards)"


def test_chances_are_equal_only_if_their_words_are():
    assert Chance("low") != Chance()
    assert Play((5,)) != Chance()
