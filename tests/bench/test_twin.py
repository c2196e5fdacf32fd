"""The twin in C plays the classic game, sees it, searches in it and learns from it as Python does."""

import json
import random
from ctypes import Structure, byref, c_double, c_float, c_int, c_short, c_ubyte, c_uint64
from functools import reduce
from operator import add
from shutil import which
from statistics import mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import twins
from bench.learning import in_python as learning
from bench.learning import selfplay, train, twin
from bench.learning.in_python import Game, Learner, drawn
from bench.learning.selfplay import PATIENCE, looked_at
from bench.learning.train import format_weights, random_weights
from bench.rivals import PLAYERS
from game.compiled import book_of
from game.deal import deal, full_pack
from game.moves import Flip, PickUp, Play, apply
from game.moves.play import bind
from game.players import quick_player
from game.players.coach import remembered
from game.players.inputs import move_rows, state_rows
from game.players.knowledge import bound_move, knowledge_of
from game.players.levels import STYLES, look_key
from game.players.memory import first_memory
from game.players.network import network, softmax, weights_of
from game.players.search import Budget, RolloutPlayer, average_costs, rollout_player
from game.players.worlds import knowledge_in
from game.rules import Rules
from game.showing import seat_view, table_view
from game.text.record import Step
from game.variants import variants

pytestmark = pytest.mark.skipif(which("cc") is None, reason="the twin is written in C, and there is no compiler cc")
RULES = Rules()
MOST_MOVES, STRIDE = 64, 160


class Seat(Structure):
    _fields_ = (
        *((name, c_uint64) for name in ("hand", "up", "shown")),
        *((name, c_uint64 * 3) for name in ("slots", "down")),
        *((name, c_int) for name in ("count_up", "count_down", "asked", "let_lie")),
    )


class World(Structure):
    _fields_ = (
        ("seat", Seat * 5),
        *((name, c_uint64) for name in ("held", "burned")),
        *((name, c_int) for name in ("seats", "turn", "top", "count_pile", "count_stock", "idle", "alive", "over")),
        *((name, c_ubyte * 52) for name in ("pile", "stock")),
    )


class Move(Structure):
    _fields_ = (("kind", c_int), ("number", c_int), ("cards", c_uint64))


class Both:
    """A game in the engine, with the memory of all, and the same in the twin."""

    def __init__(self, seats, pack, dealer):
        self.twin, self.world, self.made = twin.library(), World(), (Move * MOST_MOVES)()
        self.twin.twin_deal(byref(self.world), seats, dealer, (c_ubyte * 52)(*pack))
        self.state = deal(RULES, seats, pack, dealer)
        self.memory = first_memory(table_view(self.state))
        while self.state.frame.phase != "play":
            views = (seat_view(self.state, seat) for seat in range(seats))
            view = next(view for view in views if view.moves)
            self._step(view.seat, quick_player.choose(view, random.Random(1)))

    def _step(self, seat, move):
        after = apply(self.state, seat, move)
        self.memory, self.state = remembered(self.memory, Step(self.state, seat, move, after)), after

    def view(self):
        return seat_view(self.state, self.state.turn)

    def knowledge(self):
        return knowledge_of(self.view(), self.memory)

    def moves(self):
        """The moves that the twin lists, as the engine's."""
        cards = self.state.book.cards
        found = self.made[: self.twin.twin_moves(byref(self.world), self.made)]
        makes = (lambda move: Play(tuple(cards(move.cards))), lambda move: PickUp(tuple(cards(move.cards))))
        return [Flip(each.number + 1) if each.kind == 2 else makes[each.kind](each) for each in found]

    def options(self, numbers=None):
        """Of several flips any one, or the first."""
        moves = self.moves()
        flips = [move for move in moves if isinstance(move, Flip)]
        flip = numbers.below(len(flips)) if numbers and len(flips) > 1 else 0
        return [*flips[flip : flip + 1], *moves[len(flips) :]]

    def asked(self, moves):
        """These moves as the twin takes them."""
        listed = self.moves()
        return (Move * len(moves))(*(self.made[listed.index(move)] for move in moves)), len(moves)

    def average_costs(self, player, moves, seed):
        """What the twin's search says that each of these moves costs."""
        found = (c_double * len(moves))()
        self.twin.twin_average_costs(byref(self.world), player.made, *self.asked(moves), c_uint64(seed), found)
        return list(found)

    def chosen(self, player, moves, seed):
        """What a player of the twin chooses among these moves."""
        return moves[self.twin.twin_choose(byref(self.world), player.made, *self.asked(moves), c_uint64(seed))]

    def make(self, move):
        self.twin.twin_make(byref(self.world), byref(self.made[self.moves().index(move)]))
        self._step(self.state.turn, move)

    def looks(self, learner, count):
        """The rows of the position as it is and as it is seen, those of the moves, and the scores of these."""
        rows, scores = (c_short * (STRIDE * (count + 2)))(), (c_float * count)()
        self.twin.twin_look(byref(self.world), learner.made, self.made, count, rows, scores)
        lists = [sorted(rows[at + 1 : at + 1 + rows[at]]) for at in range(0, len(rows), STRIDE)]
        return lists[0], lists[1], lists[2:], list(scores)

    def agree(self):
        """The twin lies as the engine's state does."""
        state, world = self.state, self.world
        assert world.held == state.held
        assert world.burned == state.burned
        assert world.alive == state.alive
        assert bool(world.over) == (state.frame.phase == "over")
        assert tuple(world.pile[: world.count_pile]) == state.pile
        assert [1 << card for card in world.stock[: world.count_stock][::-1]] == list(state.stock)
        for chair, seat in zip(world.seat, state.seats, strict=False):
            assert (chair.hand, chair.up) == (seat.hand, seat.up)
            assert tuple(chair.slots[: chair.count_up]) == seat.slots
            assert tuple(chair.down[: chair.count_down]) == seat.down
        if not world.over:
            assert (world.turn, world.top, world.idle) == (state.turn, state.top, state.idle)


def looks(moves):
    """What moves are but for the suits; flips apart."""
    return {each if isinstance(each, Flip) else look_key(each) for each in moves}


@settings(max_examples=15)
@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32), ease=st.floats(0.0, 1.0))
def test_the_twin_plays_and_sees_every_game_as_the_engine_does(seats, seed, ease):
    rng = random.Random(seed)
    both = Both(seats, rng.sample(full_pack(RULES, seats), 52), rng.randrange(seats))
    weights = weights_of("player", RULES, seats)
    learner, brain = twin.TwinLearner(weights), network("player", both.state.book, seats)
    both.agree()
    while both.state.frame.phase != "over" and both.state.idle < 100:
        view, known, moves = both.view(), both.knowledge(), both.moves()
        assert looks(moves) == looks(view.moves)
        whole, seen, rows, scores = both.looks(learner, len(moves))
        assert seen == sorted(state_rows(known))
        assert whole == sorted(state_rows(knowledge_in(both.state, view.seat)))
        expected = [move_rows(known, bound_move(known, move)) for move in moves]
        assert rows == list(map(sorted, expected))
        # The twin counts in single precision.
        assert scores == pytest.approx(brain.scores(state_rows(known), expected), abs=1e-4, rel=1e-5)
        if not isinstance(moves[0], Flip):
            favourite = both.twin.twin_quick_choice(byref(both.world), both.made, len(moves))
            assert look_key(moves[favourite]) == look_key(quick_player.choose(view, rng))
        at = scores.index(max(scores)) if rng.random() < ease else rng.randrange(len(moves))
        both.make(moves[at])
        both.agree()


@settings(max_examples=15)
@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32))
def test_the_roll_out_player_that_learns_in_the_twin_scores_moves_as_it_does_in_a_search(seats, seed):
    rng = random.Random(seed)
    both = Both(seats, rng.sample(full_pack(RULES, seats), 52), rng.randrange(seats))
    weights = weights_of("rollout", RULES, seats)
    learner, player = twin.TwinLearner(weights), rollout_player(both.state.book, seats)
    while both.state.frame.phase != "over" and both.state.idle < 100:
        moves = both.moves()
        bound_moves = [bind(both.state, both.state.turn, move) if isinstance(move, Play) else move for move in moves]
        expected = player.scores(both.state, bound_moves)
        assert both.looks(learner, len(moves))[3] == pytest.approx(expected, abs=1e-4, rel=1e-5)
        added = [reduce(add, (player.rows[row] for row in rows)) for rows in looked_at(both.state, bound_moves)]
        assert added == expected  # `sum` would round less often, from Python 3.12 on
        both.make(rng.choice(moves))


class Numbers:
    """The random numbers of the twin."""

    def __init__(self, seed):
        self.state = seed

    def random(self):
        most = 2**64 - 1
        self.state = z = self.state + 0x9E3779B97F4A7C15 & most
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & most
        z = (z ^ z >> 27) * 0x94D049BB133111EB & most
        return ((z ^ z >> 31) >> 11) / 2**53

    def below(self, end):
        return int(self.random() * end)

    def shuffle(self, cards):
        for at in range(len(cards) - 1, 0, -1):
            other = self.below(at + 1)
            cards[at], cards[other] = cards[other], cards[at]

    def choice(self, among):
        return among[self.below(len(among))]

    def choices(self, among, chances):
        return [among[drawn(chances, self.random())]]


def same_game(seats, player, numbers):
    """A game as the twin plays it against itself, played by the engine and the network in Python."""
    pack = list(range(52))
    numbers.shuffle(pack)
    both, steps = Both(seats, pack, numbers.below(seats)), []
    while both.state.frame.phase != "over" and both.state.idle < PATIENCE:
        moves, at = both.options(numbers), 0
        if len(moves) > 1:
            known, draw = both.knowledge(), numbers.random()
            rows = [move_rows(known, bound_move(known, move)) for move in moves]
            at = drawn(softmax(player.scores(state_rows(known), rows)), draw)
            whole = state_rows(knowledge_in(both.state, both.state.turn))
            steps.append(learning.Step(both.state.turn, whole, state_rows(known), rows, at))
        both.make(moves[at])
    return Game(both.state, steps)


def beginners():
    """A player and a critic that know nothing, in Python and in the twin."""
    inner = Learner(twin.UNITS, 1), Learner(twin.UNITS, 2)
    player, critic = (twin.TwinLearner(each.weights()) for each in inner)
    return inner, (player, critic)


def assert_alike(twins, learners, rate):
    """What was learned by a first step is the same.

    The first step of Adam is as long for the smallest slope as for the largest, so the few that are hardly more than an
    error of rounding may go either way.
    """
    for made, learner in zip(twins, learners, strict=True):
        weights, expected = made.weights(), learner.weights()
        pairs = [pair for rows in zip(weights.rows, expected.rows, strict=True) for pair in zip(*rows, strict=True)]
        pairs += zip(weights.out, expected.out, strict=True)
        assert sum(abs(one - other) > rate / 10 for one, other in pairs) < len(pairs) / 100


def test_a_game_that_was_interrupted_teaches_the_next_learners_nothing():
    def lesson(rng):
        learners = beginners()[1]
        for each in learners:
            each.play_by(RULES)
        twin.play(*learners, seats=2, rng=rng, trust=train.TRUST)
        return twin.learn(*learners, 0.01, train.CURIOSITY)

    class Interrupted(random.Random):
        left = 20

        def random(self):
            self.left -= 1
            if not self.left:
                raise KeyboardInterrupt
            return super().random()

    alone = lesson(random.Random(5))
    with pytest.raises(KeyboardInterrupt):
        lesson(Interrupted(5))
    assert lesson(random.Random(5)) == alone


def test_weights_with_other_units_are_no_start(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "FOLDER", tmp_path)
    for kind in train.KINDS:
        (tmp_path / f"{kind}-small.json").write_text(format_weights(random_weights(8, 1), {}), encoding="utf-8")
    with pytest.raises(SystemExit, match="networks have 32 units here"):
        train.main(["--start=-small", "--folder", str(tmp_path)])


@pytest.mark.parametrize("seats", [2, 4])
def test_the_twin_learns_from_the_same_games_as_much_as_python_does(seats):
    rate, numbers = 0.01, Numbers(5)
    (player, critic), learners = beginners()
    brain = player.network(book_of(RULES))
    games = [same_game(seats, brain, numbers) for _ in range(2)]
    report = learning.improve(games, player, critic, rate)
    twin.play_classic(*learners, seats=seats, games=2, seed=5, trust=train.TRUST)
    assert twin.learn(*learners, rate, train.CURIOSITY) == pytest.approx(report, abs=1e-4)
    assert_alike(learners, (player, critic), rate)


@pytest.mark.parametrize(("name", "seats"), [("superjoker", 2), ("paskahousu", 3), ("garfield", 4), ("smeghead", 6)])
def test_what_python_plays_by_any_rules_teaches_the_twin_as_much_as_python(name, seats):
    rate, rules = 0.01, variants()[name].rules
    (player, critic), learners = beginners()
    brain, rng = player.network(book_of(rules).brief), random.Random(5)
    games = [learning.play(rules, seats, brain, rng) for _ in range(2)]
    report = learning.improve(games, player, critic, rate)
    rng = random.Random(5)
    for each in learners:
        each.play_by(rules)
    for _ in games:
        twin.play(*learners, seats=seats, rng=rng, trust=train.TRUST)
    assert twin.learn(*learners, rate, train.CURIOSITY) == pytest.approx(report, abs=1e-4)
    assert_alike(learners, (player, critic), rate)


@settings(max_examples=8)
@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32), ease=st.floats(0.0, 1.0))
def test_the_twin_makes_up_the_same_worlds_and_finds_the_same_costs_in_them(seats, seed, ease):
    budget, rng = Budget(100, 10), random.Random(seed)
    player = twins.TwinPlayer(STYLES["master"]._replace(budget=budget), seats)
    both = Both(seats, rng.sample(full_pack(RULES, seats), 52), rng.randrange(seats))
    while both.state.frame.phase != "over" and both.state.idle < 100:
        moves, seed = both.options(), rng.getrandbits(63)
        if len(moves) > 1 and rng.random() < 0.3:
            expected = average_costs(both.view(), both.memory, moves, budget, Numbers(seed))
            assert both.average_costs(player, moves, seed) == pytest.approx(expected, abs=1e-4)
        both.make(both.chosen(player, moves, seed) if len(moves) > 1 and rng.random() < ease else rng.choice(moves))


@settings(max_examples=2)
@given(seats=st.integers(2, 5), seed=st.integers(0, 2**32))
@pytest.mark.parametrize("name", [name for name in twins.NAMES if name != "today"])
def test_the_twin_chooses_what_each_player_chooses(name, seats, seed):
    rng, player = random.Random(seed), twins.player_named(name, seats)
    both = Both(seats, rng.sample(full_pack(RULES, seats), 52), rng.randrange(seats))
    while both.state.frame.phase != "over" and both.state.idle < 200:
        moves, seed = both.options(), rng.getrandbits(63)
        move = both.chosen(player, moves, seed) if len(moves) > 1 else moves[0]
        if len(moves) > 1 and rng.random() < 0.3:
            assert look_key(move) == look_key(PLAYERS[name](both.view(), both.memory, Numbers(seed)))
        both.make(move)


def rollouts_learned(folder, *options):
    """What the roll-out player learned of some games, and what its file says."""
    assert train.main(["--rollouts", "--rate", "0.02", "--folder", str(folder), *options]) == 0
    assert [path.name for path in folder.iterdir()] == ["rollout.json"]
    text = (folder / "rollout.json").read_text()
    return train.parse_weights(text), json.loads(text)["about"]


@pytest.mark.usefixtures("few_packs")
def test_the_roll_out_player_learns_from_the_classic_game_in_the_twin(tmp_path):
    options = ("--twin", "--seats", "2", "--batch", "64", "--start=-classic-2")
    beginner, about = rollouts_learned(tmp_path, *options, "--games", "64", "--rate", "0")
    assert set(beginner.rows) == {(0.0,)}
    assert about["result"].startswith("roll-out player alone loses ")
    assert about["start"] == json.loads((train.FOLDER / "critic-classic-2.json").read_text())["about"]
    learned, _ = rollouts_learned(tmp_path, *options, "--games", "3200")
    assert (len(learned.rows), learned.out) == (len(beginner.rows), ())
    assert twin.lost(learned, None, 2, 400, 1)[0] < twin.lost(beginner, None, 2, 400, 1)[0] - 0.3


def test_the_roll_out_player_learns_from_games_that_python_plays(tmp_path):
    learned, about = rollouts_learned(tmp_path, "--rules", "superjoker", "--seats", "2", "--games", "4", "--start=")
    assert "result" not in about
    assert about["start"] == json.loads((train.FOLDER / "critic.json").read_text())["about"]
    assert RolloutPlayer(book_of(variants()["superjoker"].rules), [row[0] for row in learned.rows]).rows != [0.0] * 309
    assert {abs(row[0]) for row in learned.rows} > {0.0}


def test_python_tells_the_roll_out_player_all_cards_and_what_it_looks_at():
    choices = []
    selfplay.play(RULES, 2, lambda choice: choices.append(choice) or 0, random.Random(1), whole=True)
    count = len(rollout_player(book_of(RULES), 2).rows)
    assert all(choice.whole and not choice.seen for choice in choices)
    assert all(row < count for choice in choices for rows in choice.moves for row in rows)


def test_what_the_roll_out_player_does_teaches_the_critic_nothing():
    critic = twin.TwinLearner(weights_of("critic", RULES, 2))
    rollouts = twin.TwinLearner(weights_of("rollout", RULES, 2))
    before = critic.weights(), rollouts.weights()
    twin.play_classic(rollouts, critic, seats=2, games=2, seed=5, trust=train.TRUST)
    twin.learn(rollouts, critic, 0.01, train.CURIOSITY)
    assert critic.weights() == before[0]
    assert rollouts.weights() != before[1]


def learn(folder, *options):
    train.main(["--twin", "--games", "64", "--batch", "32", "--seats", "2", "--folder", str(folder), *options])
    return [json.loads((folder / f"{kind}.json").read_text()) for kind in ("player", "critic")]


@pytest.fixture
def few_packs(monkeypatch):
    monkeypatch.setattr(train, "PACKS", 10)


@pytest.mark.usefixtures("few_packs")
def test_a_seed_gives_the_same_weights_and_they_say_how_they_were_made(tmp_path, capsys):
    first, again = learn(tmp_path), learn(tmp_path)
    assert first == again
    about = first[0]["about"]
    assert about["command"].startswith("python -m bench.learning.train --twin --games 64")
    assert about["games"] == 64
    assert about["result"].startswith("policy alone loses ")
    assert about["result"] in capsys.readouterr().err


@pytest.mark.usefixtures("few_packs")
def test_learning_can_go_on_from_weights_that_there_are(tmp_path):
    player, _ = learn(tmp_path, "--start=-classic-2", "--rate", "0")
    text = (train.FOLDER / "player-classic-2.json").read_text()
    made, there = train.parse_weights(json.dumps(player)), train.parse_weights(text)
    assert made.out == pytest.approx(there.out, abs=1e-4)
    assert player["about"]["start"] == json.loads(text)["about"]


def test_the_network_is_measured_against_itself_and_others():
    weights = weights_of("player", RULES, 2)
    assert twin.lost(weights, weights, 2, 50, 1)[0] == pytest.approx(0.5, abs=0.1)
    assert twin.lost(weights, None, 2, 400, 1)[0] < 0.35


def test_a_measurement_says_how_far_it_may_be_off():
    weights = weights_of("player", RULES, 2)
    learner = twin.TwinLearner(weights)
    shares = [twin.library().twin_match(learner.made, None, 2, (3 << 32) + pack) for pack in range(16)]
    assert len(set(shares)) > 1
    assert twin.lost(weights, None, 2, 16, 3) == pytest.approx((mean(shares), 1.96 * stdev(shares) / 4))
    assert twin.lost(weights, None, 2, 16, 3) != twin.lost(weights, None, 2, 16, 4)
    assert twin.lost(weights, None, 2, 1, 3) == (shares[0], 0.0)


def test_the_twin_refuses_what_it_does_not_know(capsys):
    with pytest.raises(SystemExit):
        train.main(["--twin", "--seats", "6"])
    assert "--twin plays with two to five seats" in capsys.readouterr().err


def test_the_roll_out_player_does_not_learn_without_a_critic(capsys):
    with pytest.raises(SystemExit):
        train.main(["--rollouts"])
    assert "--rollouts learns by the critic of --start" in capsys.readouterr().err


@pytest.mark.usefixtures("few_packs")
def test_the_roll_out_player_can_go_on_from_weights_that_there_are(tmp_path):
    options = ("--rollouts=-classic-2", "--start=-classic-2", "--rate", "0", "--games", "32")
    learned, _ = rollouts_learned(tmp_path, "--twin", "--seats", "2", *options)
    rows = weights_of("rollout", RULES, 2).rows
    assert [row[0] for row in learned.rows] == pytest.approx([row[0] for row in rows], abs=1e-4)


def test_without_a_compiler_nothing_is_learned(monkeypatch, capsys):
    monkeypatch.setattr(twin, "which", lambda _name: None)
    with pytest.raises(SystemExit):
        train.main([])
    assert "learning needs a C compiler named cc" in capsys.readouterr().err


@pytest.mark.usefixtures("few_packs")
def test_a_player_can_begin_less_sure_of_itself(tmp_path):
    plain, soft = (learn(tmp_path, "--start=-classic-2", "--rate", "0", f"--soften={by}") for by in (1, 4))
    players, critics = (
        [train.parse_weights(json.dumps(each)) for each in pair] for pair in zip(plain, soft, strict=True)
    )
    assert [4 * each for each in players[1].out] == pytest.approx(players[0].out, rel=1e-4)
    assert [4 * row[-1] for row in players[1].rows] == pytest.approx([row[-1] for row in players[0].rows], abs=1e-4)
    assert [row[:-1] for row in players[1].rows] == [row[:-1] for row in players[0].rows]
    assert critics[1] == critics[0]
