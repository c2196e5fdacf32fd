"""Learning in C, from games of any rules, and the classic game in C: `twin.c`, compiled when it is first used.

What a rank may go on, what is looked at and how rows are made from weights is sent as tables, made by the modules that
play. Needs a C compiler named `cc`; nothing but learning and measuring (`bench.twins`) needs it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from ctypes import CDLL, POINTER, c_char_p, c_double, c_float, c_int, c_uint64, c_void_p
from functools import cache
from itertools import accumulate, chain
from pathlib import Path
from shutil import which
from subprocess import run
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from bench.learning import selfplay
from game.compiled import book_of, by_book
from game.players import inputs, search
from game.players.network import CARD_BLOCKS, FACT_BLOCKS, PILE_SIZES, WEIGHT_ROWS, Weights, network_recipes
from game.players.quick_player import worth
from game.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from bench.learning.selfplay import Choice
    from game.compiled import RuleBook
    from game.players.network import Recipe

UNITS: Final = 32
SEATS: Final = range(2, 6)
FLAGS: Final = (
    *("-O3", "-march=native", "-shared", "-fPIC"),
    *("-fno-math-errno", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"),
)
"""Sums may be taken in any order; not -ffast-math, which changes how the whole process rounds."""
_BUCKETS: Final = 64
_WIDTH: Final = UNITS + 1
_RANKS: Final = range(13)
NO_ROLLOUTS: Final = Weights(((0.0,),) * search.ROLLOUT_WEIGHTS, ())
"""The weights of a roll-out player that has not learned anything."""


def can_learn() -> bool:
    """Whether there is a compiler."""
    return which("cc") is not None


@cache
def library() -> CDLL:
    """The twin, compiled and with its tables."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "twin.so"
        source = Path(__file__).with_suffix(".c")
        run(["cc", *FLAGS, "-o", str(made), str(source), "-lm"], check=True)
        twin = CDLL(str(made))
    twin.twin_learner.restype, twin.twin_match.restype = c_void_p, c_double
    twin.twin_match.argtypes = [c_void_p, c_void_p, c_int, c_uint64]
    twin.twin_play.argtypes = [c_void_p, c_void_p, c_int, c_int, c_uint64, c_double]
    twin.twin_keep.argtypes = [c_void_p, c_void_p, c_int, c_char_p, c_int, c_int, c_double]
    twin.twin_judge.argtypes = [POINTER(c_double), c_int, c_double]
    _send_tables(twin)
    return twin


def _send_tables(to: CDLL) -> None:
    book = book_of(Rules())
    sizes = (inputs.HAND_SIZES, inputs.STOCK_SIZES, inputs.FEWEST, PILE_SIZES)
    numbers = [
        *map(int, (book.burning[rank] for rank in _RANKS)),
        *(worth(book.rules, rank * 4) for rank in _RANKS),
        *(inputs.START[block] for block in (*CARD_BLOCKS, *FACT_BLOCKS)),
        *CARD_BLOCKS.values(),
        *(bisect_left(size, number) for size in sizes for number in range(_BUCKETS)),
        *(inputs.ROWS, WEIGHT_ROWS),
    ]
    to.twin_tables(
        _array(c_uint64, [fits & (1 << 52) - 1 for fits in book.fits]),
        _array(c_int, numbers),
        _array(c_double, inputs.BLOCK_CHANCES),
    )


@by_book
def _recipes(book: RuleBook) -> list[list[Any]]:
    """How rows are made from weights, as the twin reads it: those of networks and those of the roll-out player."""
    return [_sent(network_recipes(book)), _sent(search.rollout_recipes(book))]


def _sent(made_of: Sequence[Recipe]) -> list[Any]:
    begins = list(accumulate(map(len, made_of), initial=0))
    return [
        _array(c_int, begins + begins[-1:] * (inputs.ROWS - len(made_of))),
        _array(c_int, [at for recipe in made_of for at, _ in recipe]),
        _array(c_float, [factor for recipe in made_of for _, factor in recipe]),
    ]


def _array(kind: Any, numbers: Sequence[float]) -> Any:
    return (kind * len(numbers))(*numbers)


class TwinLearner:
    """A network in the twin, or the roll-out player: a network whose units are all zero, and remain so."""

    def __init__(self, weights: Weights) -> None:
        """Begins with these weights."""
        self.is_rollout, self._shape = not weights.out, (len(weights.rows), len(weights.rows[0]))
        no_units = (0.0,) * (_WIDTH - len(weights.rows[0]))
        numbers = [*chain.from_iterable((*no_units, *row) for row in weights.rows), *weights.out]
        numbers += [0.0] * (WEIGHT_ROWS * _WIDTH + UNITS - len(numbers))
        self.made = c_void_p(library().twin_learner(_array(c_float, numbers), self.is_rollout))
        self.play_by(Rules())

    def __del__(self) -> None:
        """Give back its memory."""
        library().twin_free(self.made)

    def play_by(self, rules: Rules) -> None:
        """The rules of the games that follow."""
        # Held on to: the twin reads them where they are.
        self.rules, self._recipes = rules, _recipes(book_of(rules))[self.is_rollout]
        library().twin_rules(self.made, *self._recipes)

    def weights(self) -> Weights:
        """What was learned so far."""
        count, width = self._shape
        numbers = (c_float * (WEIGHT_ROWS * _WIDTH + UNITS))()
        library().twin_weights(self.made, numbers)
        rows = (tuple(numbers[end - width : end]) for end in range(_WIDTH, count * _WIDTH + 1, _WIDTH))
        return Weights(tuple(rows), () if self.is_rollout else tuple(numbers[WEIGHT_ROWS * _WIDTH :]))


def play_classic(player: TwinLearner, critic: TwinLearner, *, seats: int, games: int, seed: int, trust: float) -> None:
    """Play the classic game in C and keep all choices; `trust` is lambda."""
    library().twin_play(player.made, critic.made, seats, games, seed, trust)


def play(player: TwinLearner, critic: TwinLearner, *, seats: int, rng: Random, trust: float) -> None:
    """Play a game by the rules of the learners in Python, and keep its choices, which the twin makes."""
    keep = library().twin_keep

    def decide(choice: Choice) -> int:
        lists = [number for rows in (choice.whole, choice.seen, *choice.moves) for number in (len(rows), *rows)]
        sent = array("h", lists).tobytes()
        return keep(player.made, critic.made, choice.seat, sent, len(lists), len(choice.moves), rng.random())

    world = selfplay.play(player.rules, seats, decide, rng, whole=player.is_rollout)
    library().twin_judge(_array(c_double, [selfplay.loss(world, seat) for seat in range(seats)]), seats, trust)


def learn(player: TwinLearner, critic: TwinLearner, rate: float, curiosity: float) -> tuple[float, float]:
    """Learn from all that was kept; returns how surprised the critic was and how open the choices were, on average.

    What the roll-out player does teaches the critic nothing.
    """
    report = (c_double * 2)()
    rates = [rate, curiosity, 0.0 if player.is_rollout else rate]
    library().twin_learn(player.made, critic.made, _array(c_double, rates), report)
    return report[0], report[1]


def lost(one: Weights, others: Weights | None, seats: int, packs: int, seed: int) -> tuple[float, float]:
    """The share of games that `one` loses at a table of `others`, the baseline player if None, and its doubt (95 %).

    Every pack is played once from each seat, every move the network's best.
    """
    first, second = TwinLearner(one), TwinLearner(others) if others else None
    match, against = library().twin_match, second.made if second else None
    shares = [match(first.made, against, seats, (seed << 32) + pack) for pack in range(packs)]
    mean = sum(shares) / packs
    return mean, 1.96 * (sum((share - mean) ** 2 for share in shares) / max(packs - 1, 1) / packs) ** 0.5
