"""Learning makes good moves likelier, and what it writes can be played with."""

import json
import random
import runpy
from math import log
from pathlib import Path
from shutil import which

import pytest

from bench.learning import train
from bench.learning.in_python import Game, Learner, Slopes, Step, gains_of, play, push_choice, push_value
from bench.learning.train import format_weights, main, parse_options
from game import players
from game.compiled import book_of
from game.players.inputs import ROWS
from game.players.network import WEIGHT_ROWS, Network, Weights, network, network_recipes, parse_weights, softmax
from game.rules import Rules
from game.variants import variants

learns = pytest.mark.skipif(which("cc") is None, reason="learning is written in C, and there is no compiler cc")


def book():
    return book_of(Rules())


def step(taken=0):
    return Step(seat=0, seen=[0, 5, 9], whole=[0, 7], moves=[[500], [501, 502], [510]], taken=taken)


def chances(learner):
    lit = step()
    return softmax(learner.network(book()).scores(lit.seen, lit.moves))


@pytest.mark.parametrize(("gain", "grows"), [(1.0, True), (-1.0, False)])
def test_a_move_that_paid_is_made_likelier(gain, grows):
    learner = Learner(8, seed=1)
    before = chances(learner)[1]
    slopes = Slopes(learner.network(book()))
    push_choice(slopes, step(taken=1), gain, 1.0)
    learner.learn(book(), slopes, 0.01)
    assert (chances(learner)[1] > before) is grows


def test_a_value_comes_nearer_to_what_came_of_it():
    learner = Learner(8, seed=1)
    before = learner.network(book()).value([0, 7])
    slopes = Slopes(learner.network(book()))
    surprise = push_value(slopes, [0, 7], 1.0, 1.0)
    learner.learn(book(), slopes, 0.01)
    assert surprise > 0
    assert learner.network(book()).value([0, 7]) > before


def test_a_network_that_knows_nothing_answers_about_zero():
    learner = Learner(32, seed=1)
    lit = step()
    assert learner.network(book()).scores(lit.seen, lit.moves) == pytest.approx([0.0] * 3, abs=0.5)
    *rows, out = learner.rows
    for weights in (out, [each for row in rows for each in row]):
        assert min(weights) < 0 < max(weights)
        assert abs(sum(weights) / len(weights)) < 0.05
    assert max(abs(each) for row in rows for each in row) < 0.5
    assert {row[-1] for row in rows} == {0.0}


def test_the_first_step_is_as_long_as_its_rate_and_the_next_ones_remember_it():
    """Adam: the mean of the slopes by the root of the mean of their squares, whatever their size."""
    learner = Learner(2, seed=1)
    before = learner.weights().out
    slopes = Slopes(learner.network(book()))
    slopes.out = [3.0, -0.5]
    learner.learn(book(), slopes, 0.01)
    assert learner.weights().out == pytest.approx((before[0] + 0.01, before[1] - 0.01), abs=1e-9)
    slopes.out = [-1.5, 0.25]
    learner.learn(book(), slopes, 0.01)
    mean, square = (0.09 - 0.1 / 2) / 0.19, (0.000999 + 0.001 / 4) / 0.001999
    far = 0.01 * (1 + mean / square**0.5)
    assert learner.weights().out == pytest.approx((before[0] + far, before[1] - far), abs=1e-9)


def test_nothing_learned_changes_nothing():
    learner = Learner(3, seed=1)
    before = learner.weights()
    learner.learn(book(), Slopes(learner.network(book())), 0.01)
    assert learner.weights() == before


def push(gain, curiosity, bias):
    """The slopes of the moves by a choice, where the first is likelier by this bias; and how open it was."""
    learner = Learner(2, seed=1)
    learner.rows = [[0.0] * len(row) for row in learner.rows]
    brain = learner.network(book())
    brain.rows[500] = (0.0, 0.0, bias)
    slopes = Slopes(brain)
    openness = push_choice(slopes, step(), gain, 2.0, curiosity)
    return [slopes.rows[row][-1] for row in (500, 501, 510)], openness


def test_the_choice_that_paid_gains_what_the_others_lose():
    slopes, openness = push(1.5, 0.0, 0.0)
    assert slopes == pytest.approx([2.0, -1.0, -1.0])
    assert openness == pytest.approx(log(3))


def test_curiosity_keeps_a_choice_open():
    slopes, openness = push(0.0, 0.1, log(2))
    assert openness == pytest.approx(1.5 * log(2))
    assert slopes == pytest.approx([-0.05 * log(2), 0.025 * log(2), 0.025 * log(2)])


def test_a_move_that_nobody_would_make_can_be_learned_from():
    slopes, openness = push(1.0, 0.0, -1000.0)
    assert openness == pytest.approx(log(2))
    assert slopes == pytest.approx([2.0, -1.0, -1.0])


@pytest.mark.parametrize(("truth", "likely"), [(1.0, 0.8), (0.5, 0.8), (0.0, 0.2)])
def test_a_critic_is_the_more_surprised_the_less_it_expected(truth, likely):
    learner = Learner(2, seed=1)
    learner.rows = [[0.0] * len(row) for row in learner.rows]
    brain = learner.network(book())
    brain.rows[7] = (0.0, 0.0, log(4))
    slopes = Slopes(brain)
    assert push_value(slopes, [0, 7], truth, 10.0) == pytest.approx(-log(likely))
    assert slopes.rows[7][-1] == pytest.approx(10 * (truth - 0.8))


def test_slopes_are_those_of_small_changes():
    """The slope of each row and unit, and of what a unit adds to the answer, against a difference quotient."""
    learner = Learner(4, seed=2)
    brain = learner.network(book())
    slopes = Slopes(brain)
    push_value(slopes, [0, 7], 0.0, 1.0)
    tiny, row = 1e-5, 7
    before = brain.answer(brain.sums([0, 7]))
    for unit in range(5):
        changed = list(brain.rows[row])
        changed[unit] += tiny
        brain.rows[row], kept = tuple(changed), brain.rows[row]
        slope = (brain.answer(brain.sums([0, 7])) - before) / tiny * -brain.value([0, 7])
        brain.rows[row] = kept
        assert slopes.rows[row][unit] == pytest.approx(slope, abs=1e-3)
    for unit in range(4):
        kept, brain.out = brain.out, (*brain.out[:unit], brain.out[unit] + tiny, *brain.out[unit + 1 :])
        slope = (brain.answer(brain.sums([0, 7])) - before) / tiny * -brain.value([0, 7])
        brain.out = kept
        assert slopes.out[unit] == pytest.approx(slope, abs=1e-5)


def test_a_choice_gains_what_the_critic_did_not_expect():
    rules = Rules()
    game = play(rules, 2, Learner(4, seed=1).network(book_of(rules).brief), random.Random(1))
    few = Game(game.world, game.steps[-2:])
    gains = gains_of(few, [0.5] * len(few.steps))
    assert gains[-1] == pytest.approx(0.5 - game.loss(few.steps[-1].seat))
    assert game.loss(0) + game.loss(1) == pytest.approx(1)


def test_a_game_that_is_given_up_is_a_draw():
    rules = Rules()
    game = play(rules, 2, Learner(4, seed=1).network(book_of(rules).brief), random.Random(1))
    frame = game.world.frame.but(phase="play")
    given_up = Game(game.world.but(frame=frame, alive=3), [])
    assert (given_up.loss(0), given_up.loss(1)) == (0.5, 0.5)


@pytest.mark.parametrize("variant", ["french", "superjoker", "smeghead", "guarducci", "vandtia", "egilsson"])
def test_any_variant_can_be_learned_from(variant):
    rules = variants()[variant].rules
    game = play(rules, 2, network("player", book_of(rules).brief, 2), random.Random(2))
    assert game.steps
    assert all(row < ROWS for step in game.steps for row in (*step.seen, *step.whole))


@learns
def test_training_writes_weights_with_the_command_that_made_them(tmp_path, monkeypatch, capsys):
    options = ["--games", "4", "--batch", "2", "--rules", "classic", "--seats", "2"]
    monkeypatch.setattr("sys.argv", ["train", *options, "--folder", str(tmp_path), "--name=-try"])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_path(str(Path(train.__file__)), run_name="__main__")
    half, whole = capsys.readouterr().err.splitlines()
    assert half.startswith(f"[{'#' * 20:40}] 2 games,")
    assert whole.startswith(f"[{'#' * 40}] 4 games,")
    for kind in ("player", "critic"):
        text = (tmp_path / f"{kind}-try.json").read_text()
        assert json.loads(text)["about"]["command"].startswith("python -m bench.learning.train --games 4")
        assert len(parse_weights(text).rows) == WEIGHT_ROWS


@learns
def test_house_rules_are_learned_from_as_often_as_asked(tmp_path, monkeypatch):
    played = list[Rules]()
    monkeypatch.setattr(train.twin.TwinLearner, "play_by", lambda learner, rules: setattr(learner, "rules", rules))
    monkeypatch.setattr(train.twin, "play", lambda player, *_, **__: played.append(player.rules))
    monkeypatch.setattr(train.twin, "learn", lambda *_: (0.5, 0.25))
    monkeypatch.setattr(train, "REPORTS", 1)
    options = ["--rules", "karma", "--batch", "1", "--folder", str(tmp_path)]
    for share, least, most in (("0", 0, 0), ("0.5", 8, 30), ("1", 31, 40)):
        played.clear()
        assert main([*options, "--games", "40", "--house", share]) == 0
        # A change to the value that an option has already is none.
        assert least <= sum(rules != variants()["karma"].rules for rules in played) <= most


@learns
def test_a_sharpened_player_scores_the_same_moves_further_apart(tmp_path):
    options = ["--games", "2", "--batch", "1", "--rules", "classic", "--seats", "2", "--seed", "7"]
    for name, sharpen in (("-plain", "1"), ("-sharp", "2.5")):
        assert main([*options, "--folder", str(tmp_path), f"--name={name}", "--sharpen", sharpen]) == 0
    values = {path.stem: Network(book(), parse_weights(path.read_text())).answer for path in tmp_path.iterdir()}
    sums = (0.5, 1.0, -2.0, 3.0, 0.75)
    rest = {name: answer((*sums[:-1], 0.0)) for name, answer in values.items()}
    assert rest["player-sharp"] == pytest.approx(2.5 * rest["player-plain"], rel=1e-4)
    assert rest["critic-sharp"] == rest["critic-plain"]
    last = [parse_weights((tmp_path / f"player{name}.json").read_text()).rows for name in ("-sharp", "-plain")]
    assert [row[-1] for row in last[0]] == pytest.approx([2.5 * row[-1] for row in last[1]], abs=1e-5)
    assert [row[:-1] for row in last[0]] == [row[:-1] for row in last[1]]


def test_only_what_is_added_to_a_score_is_multiplied_when_a_player_is_sharpened():
    plain = Weights(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), (7.0, 8.0))
    assert train.sharpened(plain, 2.0) == Weights(((1.0, 2.0, 6.0), (4.0, 5.0, 12.0)), (14.0, 16.0))


def test_weights_are_written_and_read_alike():
    rng = random.Random(1)
    made = Weights(tuple(tuple(rng.gauss(0, 1) for _ in range(3)) for _ in range(WEIGHT_ROWS)), (0.5, -0.25))
    read = parse_weights(format_weights(made, {}))
    assert read.out == made.out
    worst = max(
        abs(a - b) for one, two in zip(made.rows, read.rows, strict=True) for a, b in zip(one, two, strict=True)
    )
    assert worst < 0.05


def test_every_row_can_be_made_by_any_rules():
    for variant in variants().values():
        made = network_recipes(book_of(variant.rules))
        assert len(made) == ROWS
        assert all(0 <= at < WEIGHT_ROWS for recipe in made for at, _ in recipe)
    assert len(Network(book(), Learner(2, seed=1).weights()).rows) == ROWS


@learns
def test_weights_are_written_only_now_and_then(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.learning.train.REPORTS", 1)
    options = ["--games", "3", "--batch", "1", "--rules", "classic", "--seats", "2"]
    assert main([*options, "--folder", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "player.json").read_text())["about"]["games"] == 3


@learns
def test_the_games_after_the_last_report_count_too(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.learning.train.REPORTS", 2)
    options = ["--games", "5", "--batch", "1", "--rules", "classic", "--seats", "2", "--folder", str(tmp_path)]
    assert main(options) == 0
    assert json.loads((tmp_path / "player.json").read_text())["about"]["games"] == 5


@learns
def test_it_says_fifty_times_how_it_goes(tmp_path, monkeypatch, capsys):
    weights = Learner(2, seed=1).weights()
    monkeypatch.setattr(train, "lessons", lambda *_: (lambda _rate: (0.5, 0.25), lambda: (weights, weights)))
    monkeypatch.setattr(train, "write", lambda *_: None)
    assert main(["--games", "200", "--batch", "2", "--folder", str(tmp_path)]) == 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 50
    assert said[0].endswith("] 4 games, surprise 0.500, openness 0.250")
    assert said[-1] == f"[{'#' * 40}] 200 games, surprise 0.500, openness 0.250"


@learns
def test_what_is_not_said_is_learned_as_usual():
    assert vars(parse_options([])) == {
        "rules": sorted(variants()), "house": 0.0, "seats": [2, 2, 3, 4, 5], "games": 100_000, "batch": 64,
        "rate": 0.005, "curiosity": 0.01, "sharpen": 1.0, "start": None, "soften": 1.0, "rollouts": None,
        "twin": False, "seed": 1, "name": "", "folder": Path(players.__file__).with_name("weights"),
    }  # fmt: skip


def test_the_help_says_that_weights_of_the_bot_may_be_replaced(capsys):
    with pytest.raises(SystemExit, match="0"):
        parse_options(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "by default game/players/weights, in place of what the bot has of these names" in said


@learns
def test_the_least_and_the_most_that_can_be_learned_from():
    least = ["--games", "1", "--batch", "1", "--rate", "0", "--sharpen", "0.1", "--soften", "0.1", "--seats", "2"]
    assert parse_options(least).games == 1
    assert parse_options(["--rate", "0.999", "--seats", "12"]).seats == [12]
    for options in (["--rate", "1"], ["--seats", "13"], ["--rate", "-0.001"], ["--house", "1.1"], ["--house", "-0.1"]):
        with pytest.raises(SystemExit, match="2"):
            parse_options(options)


@learns
@pytest.mark.parametrize(
    ("games", "rates"),
    [(40, [0.2 * max(1 - batch / 40, 0.05) for batch in range(40)]), (1, [0.2]), (3, [0.2, 0.4 / 3, 0.2 / 3])],
)
def test_the_rate_falls_evenly_and_not_to_nothing(tmp_path, monkeypatch, games, rates):
    weights, learned = Learner(2, seed=1).weights(), []

    def lesson(rate):
        learned.append(rate)
        return 0.5, 0.25

    monkeypatch.setattr(train, "lessons", lambda *_: (lesson, lambda: (weights, weights)))
    monkeypatch.setattr(train, "write", lambda *_: None)
    batch = 2 if games == 1 else 1
    assert main(["--games", str(games), "--batch", str(batch), "--rate", "0.2", "--folder", str(tmp_path)]) == 0
    assert learned == pytest.approx(rates)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rules", "nope"], "argument --rules: invalid choice: 'nope'"),
        (["--seats", "1"], "argument --seats: invalid choice: "),
        (["--games", "0"], "--games and --batch must be at least 1"),
        (["--batch", "0"], "--games and --batch must be at least 1"),
        (["--rate", "nan"], "--rate from 0 to 1"),
        (["--sharpen", "0"], "--sharpen and --soften more than 0"),
        (["--sharpen", "nan"], "--sharpen and --soften more than 0"),
        (["--soften", "0"], "--sharpen and --soften more than 0"),
        (["--soften", "nan"], "--sharpen and --soften more than 0"),
        (["--folder", "nowhere/at/all"], "--folder: there is no folder nowhere/at/all"),
    ],
)
def test_options_that_cannot_work_are_named_before_anything_is_learned(capsys, options, said):
    with pytest.raises(SystemExit, match="2"):
        main(options)
    assert said in capsys.readouterr().err


def test_learning_goes_on_from_weights_that_there_are():
    there, learner = Learner(3, seed=1).weights(), Learner(3, seed=2)
    assert learner.weights() != there
    learner.take(there)
    assert learner.weights() == there
