"""A small neural network that values positions and scores moves, with its weights compiled for one set of rules.

The sum of the rows that are lit goes into one hidden layer: for a position its own rows, for a move those of the
position and its own. Rows of cards are computed from traits once for each set of rules, so playing only adds rows.
"""

from __future__ import annotations

import json
from array import array
from base64 import b64decode
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from math import exp
from operator import add
from typing import Final, NamedTuple, TypeAlias

from game.compiled import CODES, RuleBook
from game.players.traits import CARD_BLOCKS, FACT_BLOCKS, OPTIONS, RANK_COUNT, TRAITS, options_of, traits_of
from game.rules import Rules
from game.variants import variants

Recipe: TypeAlias = "list[tuple[int, float]]"
"""How a row is made: a weighted sum of rows of weights, as (index, factor)."""
Row: TypeAlias = "tuple[float, ...]"
"""What a row adds to each hidden unit and, as the last number, to the answer itself."""

WEIGHT_ROWS: Final = len(OPTIONS) + (sum(CARD_BLOCKS.values()) + 1) * len(TRAITS) + sum(FACT_BLOCKS.values()) - CODES
"""The number of rows of weights of a network, which is the same for all rules."""


class Weights(NamedTuple):
    """The learned weights: `WEIGHT_ROWS` rows, and what each hidden unit adds to the answer."""

    rows: tuple[Row, ...]
    out: Row


class Network:
    """Weights compiled for one set of rules."""

    def __init__(self, book: RuleBook, weights: Weights) -> None:
        """Compute every row from the weights, which takes some hundredths of a second."""
        self.rows = [_mix(weights.rows, recipe) for recipe in network_recipes(book)]
        self.out = weights.out
        self.nothing: Row = (0.0,) * (len(self.out) + 1)
        self._sums_of_move = lru_cache(2000)(self.sums)  # moves light few rows, and mostly the same ones

    def sums(self, lit: Iterable[int]) -> Row:
        rows = self.rows
        return tuple(map(sum, zip(*[rows[row] for row in lit] or [self.nothing], strict=True)))

    def answer(self, sums: Row) -> float:
        """The output of the network for a sum of rows: the hidden layer is a ReLU."""
        return sums[-1] + sum([unit * each for unit, each in zip(sums, self.out, strict=False) if unit > 0.0])

    def value(self, lit: Iterable[int]) -> float:
        """The value of a position, as a probability from 0 to 1."""
        return 1 / (1 + exp(-self.answer(self.sums(lit))))

    def scores(self, lit: Iterable[int], moves: Iterable[Sequence[int]]) -> list[float]:
        """A score for each move, to be passed to a softmax."""
        base = self.sums(lit)
        return [self.answer(tuple(map(add, base, self._sums_of_move(tuple(move))))) for move in moves]


def network_recipes(book: RuleBook) -> list[Recipe]:
    """The recipe of each row of the inputs under these rules."""
    at = len(OPTIONS)
    recipes = [[(place, factor) for place, factor in enumerate(options_of(book)) if factor]]
    for most in CARD_BLOCKS.values():
        recipes += card_recipes(book, most, at)
        at += most * len(TRAITS)
    recipes += [_asked(book, code, at) for code in range(CODES)]
    at += len(TRAITS)
    return recipes + [[(place, 1.0)] for place in range(at, WEIGHT_ROWS)]


def card_recipes(book: RuleBook, most: int, at: int) -> Iterator[Recipe]:
    """The recipes of a block of cards, whose weights begin at `at`: for each rank, those of one card up to `most`."""
    for traits in traits_of(book):
        so_far: Recipe = []
        for count in range(most):
            so_far = so_far + [(at + count * len(TRAITS) + place, value) for place, value in enumerate(traits) if value]
            yield so_far


def _asked(book: RuleBook, code: int, at: int) -> Recipe:
    """The recipe of a code: the traits of the ranks that may follow it, summed and divided by `RANK_COUNT`."""
    able = [traits for rank, traits in enumerate(traits_of(book)) if book.goes_on(code, rank, rank)]
    return [(at + place, sum(each) / RANK_COUNT) for place, each in enumerate(zip(*able, strict=True)) if any(each)]


def _mix(rows: Sequence[Row], recipe: Recipe) -> Row:
    """Follow a recipe; an empty one gives a row of zeros."""
    parts = [[factor * each for each in rows[at]] for at, factor in recipe] or [[0.0] * len(rows[0])]
    return tuple(map(sum, zip(*parts, strict=True)))


def softmax(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    parts = [exp(score - most) for score in scores]
    whole = sum(parts)
    return [part / whole for part in parts]


# -- files


def parse_weights(text: str) -> Weights:
    """Read the weights of a file, which are stored as integers from -127 to 127 with a factor for each column."""
    data = json.loads(text)
    numbers = array("b", b64decode(data["rows"]))
    scale: list[float] = data["scale"]
    width = len(scale)
    rows = (numbers[at : at + width] for at in range(0, len(numbers), width))
    return Weights(
        tuple(tuple(number * factor for number, factor in zip(row, scale, strict=True)) for row in rows),
        tuple(data["out"]),
    )


def weights_of(kind: str, rules: Rules, seats: int) -> Weights:
    """The weights of a kind for this variant and seats, else for the variant, else for all (pupils: the player's)."""
    variant = next((each.id for each in variants().values() if each.rules == rules), "")
    folder = files("game.players").joinpath("weights")
    for name in (f"{kind}-{variant}-{seats}", f"{kind}-{variant}"):
        if folder.joinpath(f"{name}.json").is_file():
            return _weights(name)
    return weights_of("player", rules, seats) if kind == "player-pupil" else _weights(kind)


@cache
def _weights(name: str) -> Weights:
    return parse_weights(files("game.players").joinpath("weights", f"{name}.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=128)
def network(kind: str, book: RuleBook, seats: int) -> Network:
    """The network for tables with these rules and seats; `kind` is `player`, `player-pupil` or `critic`."""
    return Network(book, weights_of(kind, book.rules, seats))
