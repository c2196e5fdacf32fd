"""Whether a computer player looks at cards it cannot see, and how long it thinks: every choice is made twice.

    python -m bench honesty [--choices N] [--levels NAME ...] [--seats N ...] [--rules NAME ...] [--seed N]

The second time all cards that the seat cannot see are dealt anew, and the random numbers are the same: the choice must
be the same, too. Times are those of the first, of the processor. Every level plays against itself; a choice is one
between moves that differ in more than suits. Choices are shared out among levels, numbers of seats and rules alike.
The exit status is 1 if a choice was not the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from time import process_time
from typing import Final

from tqdm import tqdm

from bench.arguments import bench_parser, positive
from bench.players import SEATS, to_choose, unplayable
from bench.tail import p99
from game.moves import Timeout, apply
from game.players import LevelName
from game.players.coach import remembered
from game.players.levels import STYLES, choose, options
from game.players.memory import first_memory
from game.rules import Rules
from game.showing import seat_view, table_view
from game.text.record import Step
from game.variants import variants
from testkit.disguise import disguised
from testkit.random_games import random_deal

TINY: Final = ("--choices", "2", "--levels", "fair", "--seats", "2")


@dataclass(slots=True)
class Count:
    """Choices made twice: how many came out otherwise, and the seconds that each took."""

    differ: int = 0
    times: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        """A line of the table."""
        times = sorted(1000 * time for time in self.times)
        spent = f"{sum(times) / len(times):9.3f}{p99(times):9.3f}{times[-1]:9.3f}"
        return f"{len(times):9}{self.differ:9}{spent}"


def choices(rules: Rules, seats: int, level: LevelName, rng: Random) -> Iterator[tuple[bool, float]]:
    """The choices of one game: whether each came out otherwise the second time, and how long the first took."""
    state = random_deal(rng, rules, seats)
    memory = first_memory(table_view(state))
    while state.frame.phase != "over":
        view, seed = next(to_choose(state), None), rng.getrandbits(32)
        seat, move = 0 if view is None else view.seat, Timeout()
        if view is not None:
            began = process_time()
            move = choose(view, memory, Random(seed), level)
            spent = process_time() - began
            if len(options(view)) > 1:
                seen = sum(state.book.pick(cards, state.seats[at].hand) or 0 for at, cards in enumerate(memory.held))
                other = seat_view(disguised(state, rng, seat, keep=seen), seat)
                yield choose(other, memory, Random(seed), level) != move, spent
        after = apply(state, seat, move)
        memory, state = remembered(memory, Step(state, seat, move, after)), after


def counted(rules: Rules, seats: int, level: LevelName, most: int, rng: Random) -> Count:
    """So many choices, in as many games as they take."""
    count = Count()
    next(choices(rules, seats, level, rng))  # compiles what is compiled once for each set of rules
    with tqdm(total=most, leave=False, disable=None) as bar:
        while len(count.times) < most:
            for differs, spent in choices(rules, seats, level, rng):
                count.differ += differs
                count.times.append(spent)
                bar.update()
                if len(count.times) == most:
                    break
    return count


def main(argv: Sequence[str]) -> int:
    """Make the choices and print them; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--choices", type=positive, default=100, help="of each level")
    named = f"of {', '.join(STYLES)}"
    parser.add_argument("--levels", nargs="+", choices=STYLES, default=list(STYLES), metavar="NAME", help=named)
    parser.add_argument("--seats", nargs="+", type=positive, choices=SEATS, default=[2, 3, 4, 5], metavar="N")
    parser.add_argument("--rules", nargs="+", choices=variants(), default=["classic"], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(argv)
    if misfits := unplayable(chosen.rules, chosen.seats):
        parser.error(misfits)
    tables = [(name, seats) for name in chosen.rules for seats in chosen.seats]
    each = -(-chosen.choices // len(tables))
    differ = made = 0
    print(f"{'':30}{'choices':>9}{'differ':>9}{'mean ms':>9}{'p99':>9}{'most':>9}")
    for name, seats in tables:
        for level in chosen.levels:
            count = counted(variants()[name].rules, seats, level, each, Random(chosen.seed))
            print(f"{f'{name}, {seats} seats: {level}':30}{count}", flush=True)
            differ, made = differ + count.differ, made + len(count.times)
    result = {"bench": "honesty", "value": made - differ, "unit": "choices that were the same", "baseline": made}
    print(json.dumps(result | {"ratio": (made - differ) / made}))
    return int(differ > 0)
