"""A small neural network that values positions and scores moves, with its weights compiled for one set of rules.

The sum of the rows that are lit goes into one hidden layer: for a position its own rows, for a move those of the
position and its own. Rows of cards are computed once for each set of rules, so playing only adds rows. They are made
from *traits*: what the rules make of each rank, as numbers with the same meaning at every table. A player that has
learned what it is worth to "go on most of what may be asked" or to "block most of what may be held" can play under
rules that it never met. So nothing here refers to a certain variant or rank.
"""

from __future__ import annotations

import json
from array import array
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from math import exp
from operator import add
from typing import Final, NamedTuple, TypeAlias

from game.cards import ACE, JOKER, Rank
from game.compiled import BY_JOKER, BY_RANK, CODES, RuleBook, by_book
from game.rules import Power, Rules
from game.variants import variants

RANK_COUNT: Final = JOKER + 1
"""Ranks 2 ... A and the joker."""

_POWER_TRAITS: Final[Mapping[str, Callable[[Power], bool]]] = {
    "burns": lambda power: "burn" in power.does,
    "again": lambda power: "again" in power.does,
    "reverses": lambda power: "reverse" in power.does,
    "skips": lambda power: "skip" in power.does or "skip-beneath" in power.does,
    "gives": lambda power: "give-pile" in power.does,
    "glass": lambda power: power.asks == "under",
    "free": lambda power: power.on == "anything",
    "asks lower": lambda power: power.asks in {"at-most", "below"},
    "asks same": lambda power: power.asks == "same",
    "wild": lambda power: power.wild,
    "leaves": lambda power: power.leaves,
}
TRAITS: Final = (
    *(f"height {place}" for place in range(13)),
    *("any", "joker", "height", "fits", "blocks", *_POWER_TRAITS),
)
"""For a rank: its height (one of thirteen places), a constant 1, whether it is the joker, its height as a share, the
share of demands that it answers, the share of ranks that do not answer it, and what its power does."""


@by_book
def traits_of(book: RuleBook) -> tuple[tuple[float, ...], ...]:
    """The traits of every rank under these rules, each from 0 to 1, in the order of `TRAITS`."""
    demands = [BY_RANK + rank for rank in range(JOKER) if not (book.glass[rank] or book.burning[rank])]
    return tuple(_traits(book, rank, demands) for rank in range(RANK_COUNT))


def _traits(book: RuleBook, rank: Rank, demands: list[int]) -> tuple[float, ...]:
    power = book.powers[rank]
    value = book.values[rank] if rank != JOKER else -1
    fits = sum(book.goes_on(code, ACE if power.wild else rank, rank) for code in demands) / max(len(demands), 1)
    code = BY_JOKER if rank == JOKER else BY_RANK + rank
    asks_nothing = book.glass[rank] or book.burning[rank] or power.wild
    blocks = 0 if asks_nothing else sum(not book.goes_on(code, other, other) for other in range(JOKER)) / JOKER
    places = [float(value == place) for place in range(13)]
    powers = [float(has(power)) for has in _POWER_TRAITS.values()]
    return (*places, 1.0, float(rank == JOKER), max(value, 0) / 12, fits, blocks, *powers)


USUAL_HAND: Final = 3
OPTIONS: Final[Mapping[str, Callable[[Rules], bool]]] = {
    "any": lambda _rules: True,
    "next leads after a burn": lambda rules: not rules.play.burn_again,
    "must play": lambda rules: rules.play.must_play,
    "chance when stuck": lambda rules: rules.play.chance == "stuck",
    "chance always": lambda rules: rules.play.chance == "always",
    "previous leads": lambda rules: rules.play.lead_after_pickup == "previous",
    "face-up stay": lambda rules: rules.play.face_up_pickup == "leave",
    "draws once": lambda rules: rules.play.refill == "opening",
    "stuck passes on": lambda rules: rules.play.stuck == "previous",
    "no four of a kind": lambda rules: not rules.play.four_of_a_kind,
    "large hands": lambda rules: rules.deal.hand > USUAL_HAND,
    "several packs": lambda rules: rules.deal.packs > 1,
    "first out wins": lambda rules: rules.end.aim == "winner",
    "first wins and last loses": lambda rules: rules.end.aim == "both",
    "flush": lambda rules: rules.play.flush,
    "ace low": lambda rules: rules.play.ace == "low",
}
"""What else may differ between tables, each as 0 or 1; the first is always 1."""


@by_book
def options_of(book: RuleBook) -> tuple[float, ...]:
    """The options of these rules that the traits of ranks do not show, in the order of `OPTIONS`."""
    return tuple(float(holds(book.rules)) for holds in OPTIONS.values())


# -- blocks of inputs

CARD_BLOCKS: Final[Mapping[str, int]] = {
    "hand": 4, "face-up": 2, "face-down": 2,
    "next hand": 4, "next face-up": 2, "next face-down": 2,
    "second hand": 3, "second face-up": 2, "second face-down": 2,
    "other hands": 2, "other face-up": 2, "other face-down": 1,
    "pile": 3, "unknown": 4, "play": 4, "added": 1,
}  # fmt: skip
"""The blocks of cards, each with the largest number of cards of one rank that it tells apart."""

FACT_BLOCKS: Final[Mapping[str, int]] = {
    "asked": CODES, "stock": 6, "pile size": 8, "seats left": 4, "turn": 4, "fewest": 4,
    "hand size": 8, "down left": 4, "next hand size": 8, "next hidden": 4, "next down left": 4,
    "second hand size": 8, "second hidden": 4, "second down left": 4,
    "pick up": 1, "flip": 1, "chance": 1, "low": 1, "sequence": 1,
    "stays": 4, "burns": 8, "blocks": 6, "again": 1, "goes out": 1, "ends zone": 1,
}  # fmt: skip
"""The blocks of facts, each with its number of rows; the rows of `asked` are made from the ranks that may follow."""

PILE_SIZES: Final = (0, 1, 2, 4, 7, 11, 17)
"""The largest number in each bucket but the last, which is open: `bisect_left` finds the bucket of a number."""


# -- the network

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
        self.sums = partial(_sums, self.rows, (0.0,) * (len(self.out) + 1))  # no method, whose cache would be a cycle
        self._sums_of_move = lru_cache(2000)(self.sums)  # moves light few rows, and mostly the same ones

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


def _sums(rows: Sequence[Row], nothing: Row, lit: Iterable[int]) -> Row:
    return tuple(map(sum, zip(*[rows[row] for row in lit] or [nothing], strict=True)))


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
    scaled = tuple(tuple(number * factor for number, factor in zip(row, scale, strict=True)) for row in rows)
    return Weights(scaled, tuple(data["out"]))


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


@lru_cache(maxsize=32)
def network(kind: str, book: RuleBook, seats: int) -> Network:
    """The network for tables with these rules and seats; `kind` is `player`, `player-pupil` or `critic`."""
    return Network(book, weights_of(kind, book.rules, seats))
