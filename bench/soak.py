"""Random games by every variant and by random rule sets, watched for lost cards, for disagreement and for no end.

    python -m bench soak [--games N] [--seed S] [--every K]

Half of the games go by the variants in turn, half by rule sets drawn at random from all options and powers. After every
move the pack is counted; on every K-th state what `check`, `legal_moves` and `apply` say is compared over legal moves
and over others, and the events are compared with what changed. The seed is printed: the same seed plays the same games.
The tests of the game use the same rule sets and the same checks.
"""

from __future__ import annotations

import json
import random
import resource
from collections.abc import Sequence
from itertools import count
from time import perf_counter
from typing import Final

from tqdm import tqdm

from bench.arguments import bench_parser, positive
from game.deal import full_pack
from game.moves import advance
from game.rules import Rules
from game.state import State
from game.variants import variants
from testkit.agreement import check_agreement, check_events, check_state, whole_pack
from testkit.random_games import random_deal, random_move, random_position, random_rules, random_seats

GAMES: Final = 10_000
LONGEST: Final = 100_000
"""Moves after which a game is held to be endless; R18 ends every one long before."""


def step(rng: random.Random, state: State, pack: list[int], *, sample: bool) -> tuple[State, int]:
    """One random move, and what must hold around it; returns the next state and how many moves were tried."""
    tried = check_agreement(rng, state) if sample else 0
    who, move = random_move(rng, state)
    after = advance(state, who, move)
    check_state(after, pack)
    check_events(state, who, move, after)
    return after, tried


def soak(rng: random.Random, rules: Rules, seats: int, every: int) -> tuple[int, int]:
    """One game to its end; returns its moves and how many more were tried."""
    state = random_deal(rng, rules, seats)
    pack = sorted(full_pack(rules, seats))
    check_state(state, pack)
    tried = 0
    for moves in count():
        if state.frame.phase == "over":
            return moves, tried
        assert moves < LONGEST, "every game ends (R18)"
        state, more = step(rng, state, pack, sample=moves == 0 or rng.randrange(every) == 0)
        tried += more
    raise AssertionError


def wander(rng: random.Random, rules: Rules, seats: int, steps: int) -> int:
    """A few moves from a random position, every one of them looked at closely; returns how many were tried."""
    state, tried = random_position(rng, rules, seats), 0
    pack = whole_pack(state)
    for _ in range(steps):
        if state.frame.phase == "over":
            break
        state, more = step(rng, state, pack, sample=True)
        tried += more
    return tried


def main(argv: Sequence[str]) -> int:
    """Play many games; the last line is what they came to."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--games", type=positive, default=GAMES)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--every", type=positive, default=200, help="one state in so many is looked at closely")
    options = parser.parse_args(argv)
    if not __debug__:
        parser.error("without assertions (-O) nothing would be watched")
    print(f"seed {options.seed}")
    all_variants, start, moves, tried = list(variants().items()), perf_counter(), 0, 0
    for number in tqdm(range(options.games), unit="game", mininterval=1):
        rng = random.Random(f"{options.seed}:{number}")
        variant = all_variants[number // 2 % len(all_variants)] if number % 2 == 0 else None
        rules = variant[1].rules if variant else random_rules(rng)
        seats = random_seats(rng, rules)
        try:
            played, more = soak(rng, rules, seats, options.every)
        except Exception:
            print(f"game {number} of seed {options.seed}, {seats} seats, {rules.differences()}")
            raise
        moves, tried = moves + played, tried + more
    took, most = perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{options.games} games, {moves} moves, {tried} more tried, {took:.0f} s, at most {most:.0f} MiB")
    print(json.dumps({"bench": "soak", "value": options.games, "unit": "games", "moves": moves, "tried": tried}))
    return 0
