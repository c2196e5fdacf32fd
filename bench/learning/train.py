"""`python -m bench.learning.train`: learn the weights of the computer players by playing against themselves.

Writes `player` and `critic` files, as `game.players.network` reads them, with the command that made them. What is
learned from the games is worked out in C (`bench.learning.twin`); with `--twin` the classic game is played there, too,
some thirty times as fast, and the player is measured.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from array import array
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

from bench.learning import twin
from game.players.network import WEIGHT_ROWS, Weights, parse_weights
from game.shell import run_command
from game.variants import variants
from testkit.random_games import house_rules

TRUST: Final = 0.9
"""How far a choice is judged by what came of it, rather than by the critic at the next one (lambda)."""
CURIOSITY: Final = 0.01
"""What an open choice is worth (entropy), so that the player does not settle on its first idea."""
SLOWEST: Final = 0.05
"""The rate at the end, as a share of the first one."""
REPORTS: Final = 50
"""How often on the way it reports and writes what it has."""
KINDS: Final = ("player", "critic")
PACKS: Final = 8000
"""Packs by which a player of the twin is measured, each played once from every seat."""
FOLDER: Final = Path(__file__).parents[2] / "game" / "players" / "weights"


def parse_options(argv: Sequence[str]) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.learning.train", description="Learn to play.")
    parser.add_argument("--rules", nargs="+", default=sorted(variants()), choices=variants(), metavar="NAME")
    parser.add_argument("--house", type=float, default=0.0, metavar="SHARE", help="of batches by these rules, changed")
    parser.add_argument("--seats", nargs="+", type=int, default=[2, 2, 3, 4, 5], choices=range(2, 13), metavar="N")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=64, help="games between two steps")
    parser.add_argument("--rate", type=float, default=0.005)
    parser.add_argument("--curiosity", type=float, default=CURIOSITY, help="what an open choice is worth")
    parser.add_argument("--sharpen", type=float, default=1.0, help="what the player's scores are multiplied by")
    parser.add_argument("--start", default=None, metavar="NAME", help="begin with weights whose names end so")
    parser.add_argument("--soften", type=float, default=1.0, help="what the scores of that player are divided by")
    parser.add_argument(
        "--rollouts", nargs="?", const="", metavar="NAME", help="teach this roll-out player or a new one"
    )
    parser.add_argument("--twin", action="store_true", help="play the classic game in C")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--name", default="", help="what follows `player` and `critic` in the names of the files")
    where = "where they go (by default game/players/weights, in place of what the bot has of these names)"
    parser.add_argument("--folder", type=Path, default=FOLDER, help=where)
    options = parser.parse_args(argv)
    _check(parser, options)
    return options


def _check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    if min(options.games, options.batch) < 1 or not 0 <= options.rate < 1 or not options.sharpen > 0 < options.soften:
        parser.error("--games and --batch must be at least 1, --rate from 0 to 1, --sharpen and --soften more than 0")
    if not 0 <= options.house <= 1:
        parser.error("--house must be from 0 to 1")
    if not options.folder.is_dir():
        parser.error(f"--folder: there is no folder {options.folder}")
    if options.rollouts is not None and (options.start is None or options.sharpen != 1):
        parser.error("--rollouts learns by the critic of --start, and knows no --sharpen")
    if not twin.can_learn():
        parser.error("learning needs a C compiler named cc")
    if options.twin:
        options.rules, options.house = ["classic"], 0.0
        if not set(options.seats) <= set(twin.SEATS):
            parser.error("--twin plays with two to five seats")


def begun(options: argparse.Namespace) -> list[Weights]:
    """A player and a critic that know nothing, or what `--start` names; instead of the player that of `--rollouts`."""
    if options.start is None:
        return [random_weights(twin.UNITS, options.seed + at) for at in range(len(KINDS))]
    player, critic = (read(f"{kind}{options.start}") for kind in KINDS)
    if any(len(each.out) != twin.UNITS for each in (player, critic)):
        raise SystemExit(f"--start: networks have {twin.UNITS} units here, and these have others")
    if options.rollouts is not None:
        player = read(f"rollout{options.rollouts}") if options.rollouts else twin.NO_ROLLOUTS
    return [sharpened(player, 1 / options.soften), critic]


def read(name: str) -> Weights:
    """The weights of a file."""
    return parse_weights((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def sharpened(player: Weights, by: float) -> Weights:
    """The same player with all scores multiplied: it takes the same moves first, and others less readily."""
    return Weights(tuple((*row[:-1], by * row[-1]) for row in player.rows), tuple(by * each for each in player.out))


def random_weights(units: int, seed: int) -> Weights:
    """Small random weights: a network that knows nothing answers about zero."""
    rng = Random(seed)
    rows = tuple((*(rng.gauss(0, 0.05) for _ in range(units)), 0.0) for _ in range(WEIGHT_ROWS))
    return Weights(rows, tuple(rng.gauss(0, 0.1) for _ in range(units)))


def format_weights(weights: Weights, about: Mapping[str, object]) -> str:
    """The text of a file: what is known `about` the weights, then the weights."""
    scale = [max(*map(abs, column), 1e-9) / 127 for column in zip(*weights.rows, strict=True)]
    numbers = array(
        "b", (round(each / factor) for row in weights.rows for each, factor in zip(row, scale, strict=True))
    )
    data = {"about": about, "scale": [float(f"{each:.6g}") for each in scale]}
    data |= {"out": [float(f"{each:.6g}") for each in weights.out], "rows": b64encode(numbers.tobytes()).decode()}
    return json.dumps(data, indent=1) + "\n"


def write(options: argparse.Namespace, learned: Sequence[Weights], about: dict[str, object]) -> None:
    """Write what was learned so far."""
    player, critic = learned
    files = {"player": sharpened(player, options.sharpen), "critic": critic}
    if options.rollouts is not None:
        files = {"rollout": player}
    for kind, weights in files.items():
        (options.folder / f"{kind}{options.name}.json").write_text(format_weights(weights, about), encoding="utf-8")


Lesson: TypeAlias = Callable[[float], tuple[float, float]]
"""Plays a batch of games and learns from it at a rate."""


def lessons(options: argparse.Namespace, rng: Random) -> tuple[Lesson, Callable[[], tuple[Weights, Weights]]]:
    """A lesson, and how to get at what was learned."""
    player, critic = map(twin.TwinLearner, begun(options))

    def play_classic() -> None:
        seed = rng.getrandbits(63)
        seats = options.seats[seed % len(options.seats)]
        twin.play_classic(player, critic, seats=seats, games=options.batch, seed=seed, trust=TRUST)

    def play() -> None:
        rules = variants()[rng.choice(options.rules)].rules
        if rng.random() < options.house:
            rules = house_rules(rng, options.rules)
        seats = max(min(rng.choice(options.seats), rules.most_seats()), rules.seats[0])
        for learner in (player, critic):
            learner.play_by(rules)
        for _ in range(options.batch):
            twin.play(player, critic, seats=seats, rng=rng, trust=TRUST)

    def lesson(rate: float) -> tuple[float, float]:
        (play_classic if options.twin else play)()
        return twin.learn(player, critic, rate, options.curiosity)

    return lesson, lambda: (player.weights(), critic.weights())


def measured(options: argparse.Namespace, player: Weights) -> str:
    """How strong a player of the twin is, rounded as it is written."""
    seats = options.seats[0]
    share, doubt = twin.lost(parse_weights(format_weights(player, {})), None, seats, PACKS, options.seed)
    alone = "policy" if options.rollouts is None else "roll-out player"
    return f"{alone} alone loses {share:.3f} ± {doubt:.3f} at a table of today's players, {seats} seats, {PACKS} packs"


def main(argv: Sequence[str]) -> int:
    """Learn and write the files; says now and then how it goes."""
    options = parse_options(argv)
    lesson, learned = lessons(options, Random(options.seed))
    batches = max(options.games // options.batch, 1)
    about: dict[str, object] = {"command": shlex.join(["python", "-m", "bench.learning.train", *argv])}
    if options.start is not None:
        about["start"] = json.loads((FOLDER / f"critic{options.start}.json").read_text(encoding="utf-8"))["about"]
    for batch in range(batches):
        surprise, openness = lesson(options.rate * max(1 - batch / batches, SLOWEST))
        if (batch + 1) % max(batches // REPORTS, 1) == 0:
            about["games"] = (batch + 1) * options.batch
            bar = "#" * (40 * (batch + 1) // batches)
            sys.stderr.write(f"[{bar:40}] {about['games']} games, surprise {surprise:.3f}, openness {openness:.3f}\n")
            write(options, learned(), about)
    about["games"] = batches * options.batch
    if options.twin:
        about["result"] = measured(options, learned()[0])
        sys.stderr.write(f"{about['result']}\n")
    write(options, learned(), about)
    return 0


if __name__ == "__main__":
    run_command(main)
