"""What a move costs at other tables while masters think: they do it in a process of their own.

    python -m bench masters [--masters N] [--tables N] [--moves N] [--apart MS] [--pause S] [--rounds N] [--seed S]

Blocks of moves through the doorway, each stored before it counts, while so many masters have a choice to think about at
any time, and while none has, in a different order in each round. Moves come by chance, `--apart` milliseconds apart on
average; as in the bot, whoever thinks rests when one begins. Without `--pause` a master has the next choice at
once; in the bot it waits for some two seconds and for the others. The ratio is that of the two p99, with by without;
its interval (95 %) is that of rounds drawn again and again from those that were played.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import chain, count
from statistics import median, quantiles
from typing import Final, TypeVar

from bench.arguments import above_zero, bench_parser, from_zero, positive
from bench.dealt import Dealt, doorway_on
from bench.learning.selfplay import dealt
from bench.regulars import until
from bench.scenes import over
from bench.tail import p99
from bot.workers import Workers
from game.moves import advance, turn_moves
from game.players.memory import first_memory
from game.showing import seat_view, table_view
from game.variants import variants
from tables.thinking import Question

DRAWS: Final = 1000
TINY: Final = ("--masters", "1", "--tables", "2", "--moves", "10", "--rounds", "1")
T = TypeVar("T")


def question(seed: int) -> Question:
    """A choice early in a game of two, with several moves: a master thinks about it as long as it ever does."""
    for number in count(seed):
        rng = random.Random(number)
        state = dealt(variants()["classic"].rules, 2, rng)
        for _ in range(6):
            state = advance(state, state.turn, rng.choice(turn_moves(state)))
        view = seat_view(state, state.turn) if state.turn >= 0 else None
        if view is not None and len(view.moves) > 3:  # noqa: PLR2004 - more than one of them will be tried
            return Question(1, "master", view, first_memory(table_view(state)))
    raise AssertionError


class Tireless(Workers):
    """Workers that answer or fail: where the quick player answers in a master's place, nobody thinks."""

    async def _compute(self, answer: Callable[..., T], *arguments: object) -> T:
        found = await super()._compute(answer, *arguments)
        if found is None:
            raise RuntimeError("a master has no answer")
        return found


@asynccontextmanager
async def thinking(workers: Workers, questions: Sequence[Question], pause: float) -> AsyncGenerator[list[int]]:
    """A master for each question, who thinks all the time; the list has a number for each choice after the first."""
    made: list[int] = []
    begun = asyncio.Event()

    async def think(master: int) -> None:
        for seed in count(1):
            await workers.choose(questions[master], seed)
            begun.set()
            made.append(master)
            await asyncio.sleep(pause)

    tasks = [asyncio.create_task(think(master)) for master in range(len(questions))]
    try:
        if tasks:
            await until(begun.is_set, tasks)  # a worker that only starts would not be measured
        made.clear()
        yield made
    finally:
        await over(tasks)


async def block(tables: Sequence[Dealt], moves: int, workers: Workers, pauses: Iterator[float]) -> list[float]:
    """The seconds of so many moves, at one table after another, with a pause before each."""
    seconds: list[float] = []
    for nth, pause in zip(range(moves), pauses, strict=False):
        await asyncio.sleep(pause)
        seconds.append(await tables[nth % len(tables)].move(workers.rest))
    return seconds


async def measured(options: argparse.Namespace) -> tuple[dict[int, list[list[float]]], int]:
    """The blocks of seconds with and without masters, and how many choices these made; the first round warms up."""
    rng, found, choices = random.Random(options.seed), {options.masters: list[list[float]](), 0: list[list[float]]()}, 0
    questions = [question(1000 * master) for master in range(options.masters)]
    workers = Tireless(patience=60)
    pauses = (rng.expovariate(1000 / options.apart) for _ in count())
    with tempfile.TemporaryDirectory(prefix="masters") as folder:
        async with doorway_on(f"sqlite:///{folder}/masters.sqlite3") as doorway:
            tables = [Dealt(doorway, number) for number in range(options.tables)]
            for table in tables:
                await table.deal()
            for number in range(options.rounds + 1):
                for masters in rng.sample([*found], len(found)):
                    async with thinking(workers, questions[:masters], options.pause) as made:
                        seconds = await block(tables, options.moves, workers, pauses)
                    if number:
                        found[masters].append(seconds)
                        choices += len(made)
    workers.close()
    return found, choices


def tail(blocks: Sequence[Sequence[float]]) -> float:
    """The milliseconds that one move in a hundred takes at least."""
    return 1000 * p99(chain.from_iterable(blocks))


def interval(beside: Sequence[Sequence[float]], alone: Sequence[Sequence[float]], rng: random.Random) -> list[float]:
    """Where the ratio of the two tails lies with 95 %, by drawing rounds anew (bootstrap)."""
    rounds, ratios = range(len(beside)), list[float]()
    for _ in range(DRAWS):
        drawn = rng.choices(rounds, k=len(rounds))
        ratios.append(tail([beside[at] for at in drawn]) / tail([alone[at] for at in drawn]))
    low, *_, high = quantiles(ratios, n=40)
    return [round(low, 2), round(high, 2)]


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--masters", type=positive, default=8)
    parser.add_argument("--tables", type=positive, default=20)
    parser.add_argument("--moves", type=positive, default=200, help="moves of a block")
    parser.add_argument("--apart", type=above_zero, default=20.0, help="milliseconds between two moves, on average")
    parser.add_argument("--pause", type=from_zero, default=0.0, help="seconds between two choices of a master")
    parser.add_argument("--rounds", type=positive, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    print(f"{options.moves} moves a block, {options.apart} ms apart, {options.rounds} rounds, ", end="")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    found, choices = asyncio.run(measured(options))
    tails = {masters: tail(blocks) for masters, blocks in found.items()}
    for masters, blocks in found.items():
        each = list(chain.from_iterable(blocks))
        print(f"{masters} masters: {len(each)} moves, p50 {1000 * median(each):.2f} ms, p99 {tails[masters]:.2f} ms")
    low, high = interval(found[options.masters], found[0], random.Random(options.seed))
    print(f"the ratio of the two p99 lies from {low} to {high}; the masters made {choices} choices meanwhile")
    result = {"bench": "masters", "value": round(tails[options.masters], 2), "unit": "ms, p99 beside masters"}
    ratio = round(tails[options.masters] / tails[0], 2)
    print(json.dumps(result | {"baseline": round(tails[0], 2), "ratio": ratio}))
    return 0
