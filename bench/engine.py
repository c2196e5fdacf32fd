"""Random complete games through the engine, moves a second, beside random games of python-chess in the same run.

    python -m bench engine [--rounds N] [--seconds S] [--variants] [--profile]

Every round measures everything once, one after another, so that a slow moment of the machine hits all alike; seconds of
the processor count, and of the rounds the median. The ratio of the last line is that of the classic game with three
seats, without events. `--variants` also plays every variant and draws docs/pictures/variants.svg; `--profile` says
where the time of the classic game goes.
"""

from __future__ import annotations

import cProfile
import json
import platform
import pstats
import random
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from time import process_time
from typing import Final

from tqdm import tqdm

from bench.arguments import above_zero, bench_parser, positive
from bench.chart import bar_chart
from bench.games import Runner, Tally, checked_with_events, play_games, with_events, without_events
from game.rules import Rules
from game.variants import variants

TINY: Final = ("--rounds", "1", "--seconds", "0.01")
PICTURE: Final = Path(__file__).parents[1] / "docs" / "pictures" / "variants.svg"
SEATS: Final = (2, 3, 4, 5)
USUAL: Final = 3
"""The seats of the ratio and of the variants."""
TARGETS: Final = {"without events": 8, "with events": 6}
RUNNERS: Final[dict[str, Runner]] = {
    "without events": without_events,
    "with events": with_events,
    "checked, with events": checked_with_events,
}
Game = Callable[[float], Tally]
"""Plays whole games for so many seconds, at least one."""


def chess_games(seconds: float, *, rng: random.Random) -> Tally:
    """Random games of python-chess, ended by no legal move, the 75-move rule or bare kings: tests that cost nothing."""
    import chess  # noqa: PLC0415 - it works out tables of moves, and every process with tests loads this module

    tally, end, chance = Tally(), process_time() + seconds, rng.random
    while not tally.games or process_time() < end:
        board, count = chess.Board(), 0
        while (moves := list(board.legal_moves)) and board.halfmove_clock < 150 and board.occupied & ~board.kings:  # noqa: PLR2004 - plies
            board.push(moves[int(chance() * len(moves))])
            count += 1
        tally.moves += count
        tally.games += 1
    return tally


def card_games(seconds: float, *, rules: Rules, seats: int, runner: Runner, rng: random.Random) -> Tally:
    """Random games of ours; shuffle and deal are part of what is measured."""
    end = process_time() + seconds
    return play_games(rules, seats, runner, rng, until=lambda: process_time() >= end)


def measure(games: dict[str, Game], rounds: int, seconds: float) -> dict[str, tuple[float, float, Tally]]:
    """Medians of moves/s and games/s for each, and what was played in all rounds together."""
    speeds: dict[str, list[tuple[float, float]]] = {name: [] for name in games}
    totals = {name: Tally() for name in games}
    for game in games.values():
        game(0)
        game(seconds / 5)  # plays are made when first met, once for a set of rules: not what is measured
    for name, game in tqdm([*games.items()] * rounds, desc="engine", unit="sample", leave=False, disable=None):
        begin = process_time()
        tally = game(seconds)
        took = process_time() - begin
        speeds[name].append((tally.moves / took, tally.games / took))
        total = totals[name]
        for field in Tally.__slots__:
            setattr(total, field, getattr(total, field) + getattr(tally, field))
    return {
        name: (median(moves for moves, _ in each), median(games for _, games in each), totals[name])
        for name, each in speeds.items()
    }


def classic(rounds: int, seconds: float) -> tuple[float, float]:
    """Measure the classic game beside chess and print it; returns moves/s of the ratio, ours and theirs."""
    rules = Rules()
    games: dict[str, Game] = {"python-chess": partial(chess_games, rng=random.Random(1))}
    for seats in SEATS:
        for name, runner in RUNNERS.items():
            if seats == USUAL or name in TARGETS:
                game = partial(card_games, rules=rules, seats=seats, runner=runner, rng=random.Random(seats))
                games[f"{seats} seats, {name}"] = game
    found = measure(games, rounds, seconds)
    base = found["python-chess"][0]
    print(f"{'':32}{'moves/s':>10}{'games/s':>9}{'x chess':>9}{'moves/game':>12}{'stand-still':>13}")
    for name, (moves, each, total) in found.items():
        drawn = "" if name == "python-chess" else f"{total.drawn / total.games:.0%}"
        print(f"{name:32}{moves:>10,.0f}{each:>9,.0f}{moves / base:>9.1f}{total.moves / total.games:>12.0f}{drawn:>13}")
    for name, target in TARGETS.items():
        ratio = found[f"{USUAL} seats, {name}"][0] / base
        print(f"{name}: {ratio:.1f} x python-chess, wanted at least {target}")
    return found[f"{USUAL} seats, without events"][0], base


def every_variant(rounds: int, seconds: float, picture: Path) -> None:
    """Measure every variant without events, print it beside the classic game and draw the chart."""
    games: dict[str, Game] = {}
    for name, variant in variants().items():
        seats = min(USUAL, variant.rules.most_seats())
        rng = random.Random(seats)
        games[name] = partial(card_games, rules=variant.rules, seats=seats, runner=without_events, rng=rng)
    found = {name: moves for name, (moves, _, _) in measure(games, rounds, seconds).items()}
    base = found["classic"]
    for name, moves in found.items():
        print(f"{name:32}{moves:>10,.0f}{moves / base:>9.2f} x classic")
    slowest = min(found, key=lambda name: found[name])
    print(f"slowest: {slowest}, {found[slowest] / base:.2f} x classic, wanted at least 0.50")
    bars = dict(sorted(found.items(), key=lambda item: -item[1]))
    title = "Random complete games by variant: moves a second, three seats, without events"
    thousands = {name: moves / 1000 for name, moves in bars.items()}
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(bar_chart(title, thousands, unit="k", mark=("half of classic", base / 2000)), encoding="utf-8")


def profile(seconds: float) -> None:
    """Where the time of the classic game goes, function by function, without events and with them."""
    for runner in (without_events, with_events):
        watch, rng = cProfile.Profile(), random.Random(USUAL)
        game = partial(card_games, rules=Rules(), seats=USUAL, runner=runner, rng=rng)
        game(seconds)
        watch.runcall(game, seconds)
        pstats.Stats(watch).strip_dirs().sort_stats("tottime").print_stats(18)


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--rounds", type=positive, default=7)
    parser.add_argument("--seconds", type=above_zero, default=0.4, help="for one sample")
    every = "also every variant, and draw the chart"  # before, variants were called presets here
    parser.add_argument("--variants", "--presets", action="store_true", help=every)
    parser.add_argument("--profile", action="store_true", help="also where the time goes")
    parser.add_argument("--picture", type=Path, default=PICTURE, help="where the chart goes")
    options = parser.parse_args(argv)
    print(f"python {platform.python_version()}, python-chess {version('chess')}", end=", ")
    print(f"{options.rounds} rounds of {options.seconds} s processor time for each line, medians")
    value, baseline = classic(options.rounds, options.seconds)
    if options.variants:
        every_variant(options.rounds, options.seconds, options.picture)
    if options.profile:
        profile(options.seconds)
    result = {"bench": "engine", "value": round(value), "unit": "moves/s", "baseline": round(baseline)}
    print(json.dumps(result | {"ratio": round(value / baseline, 2)}))
    return 0
