"""Policy gradient with a critic that sees every card: how the networks get their weights.

The player is a softmax over the scores of its moves. After a batch of games each choice is made likelier as far as it
turned out better than the critic had expected. Plain lists and sums: slow beside a library of arrays, and without one.
"""

from __future__ import annotations

from math import exp, log, sqrt
from operator import add
from random import Random
from typing import TYPE_CHECKING, Final

from game.players.network import WEIGHTS, Network, Weights, recipes, softmax

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from game.compiled import RuleBook
    from game.players.selfplay import Step

CURIOSITY: Final = 0.01
"""What it is worth to keep the choice open (entropy), so that the player does not settle on its first idea."""
SLOWNESS: Final = (0.9, 0.999)
"""How long Adam remembers the mean and the square of a slope."""


class Slopes:
    """Which way the rows and the outer weights of a network are to go, added up over many answers."""

    def __init__(self, network: Network) -> None:
        """Flat at first."""
        self.network = network
        self.rows: dict[int, list[float]] = {}
        self.out = [0.0] * len(network.out)

    def push(self, lit: Iterable[int], sums: Sequence[float], slope: float) -> list[float]:
        """An answer, made of rows with these sums, is to go up by `slope`; returns the slopes of the sums."""
        out, network_out = self.out, self.network.out
        inner = [slope * each if unit > 0 else 0.0 for unit, each in zip(sums, network_out, strict=False)]
        for at, unit in enumerate(sums[:-1]):
            if unit > 0:
                out[at] += slope * unit
        inner.append(slope)
        self.pass_on(lit, inner)
        return inner

    def pass_on(self, lit: Iterable[int], inner: Sequence[float]) -> None:
        """The rows take over the slopes of their sums."""
        rows = self.rows
        for row in lit:
            before = rows.get(row)
            rows[row] = list(map(add, before, inner)) if before else list(inner)


class Learner:
    """A network that is being learned, with the memory of Adam."""

    def __init__(self, units: int, seed: int) -> None:
        """Small random weights: a network that knows nothing answers about zero."""
        rng = Random(seed)  # noqa: S311 - nothing to be kept secret
        self.rows = [[*(rng.gauss(0, 0.05) for _ in range(units)), 0.0] for _ in range(WEIGHTS)]
        self.rows.append([rng.gauss(0, 0.1) for _ in range(units)])
        self._means = [[0.0] * len(row) for row in self.rows]
        self._squares = [[0.0] * len(row) for row in self.rows]
        self._updates = 0

    def take(self, weights: Weights) -> None:
        """Go on from these weights."""
        self.rows = list(map(list, (*weights.rows, weights.out)))

    def weights(self) -> Weights:
        """What was learned so far."""
        *rows, out = map(tuple, self.rows)
        return Weights(tuple(rows), out)

    def network(self, book: RuleBook) -> Network:
        """The network as it is, for one set of rules."""
        return Network(book, self.weights())

    def learn(self, book: RuleBook, slopes: Slopes, rate: float) -> None:
        """One step of Adam uphill along `slopes`, which were found with the rules of `book`."""
        uphill = [[0.0] * len(row) for row in self.rows]
        uphill[-1] = slopes.out
        made_of = recipes(book)
        for row, slope in slopes.rows.items():
            for at, factor in made_of[row]:
                uphill[at] = [old + factor * each for old, each in zip(uphill[at], slope, strict=True)]
        self._updates += 1
        for at, slope in enumerate(uphill):
            self._step(at, slope, rate)

    def _step(self, at: int, slope: list[float], rate: float) -> None:
        slow, slower = SLOWNESS
        first, second = 1 - slow**self._updates, 1 - slower**self._updates
        mean = self._means[at] = [slow * m + (1 - slow) * s for m, s in zip(self._means[at], slope, strict=True)]
        square = self._squares[at] = [
            slower * v + (1 - slower) * s * s for v, s in zip(self._squares[at], slope, strict=True)
        ]
        self.rows[at] = [
            weight + rate * (m / first) / (sqrt(v / second) + 1e-8)
            for weight, m, v in zip(self.rows[at], mean, square, strict=True)
        ]


def push_choice(slopes: Slopes, step: Step, gain: float, scale: float, curiosity: float = CURIOSITY) -> float:
    """Make the move that was taken likelier by its gain, `scale` times; returns the entropy of the choice."""
    network, moves = slopes.network, step.moves
    base = network.sums(step.seen)
    sums = [tuple(map(add, base, network.sums(move))) for move in moves]
    chances = softmax([network.answer(each) for each in sums])
    logs = [log(chance + 1e-9) for chance in chances]
    entropy = -sum(chance * each for chance, each in zip(chances, logs, strict=True))
    together = [0.0] * len(base)
    for at, (move, chance) in enumerate(zip(moves, chances, strict=True)):
        slope = gain * ((at == step.taken) - chance) - curiosity * chance * (logs[at] + entropy)
        together = list(map(add, together, slopes.push(move, sums[at], scale * slope)))
    slopes.pass_on(step.seen, together)
    return entropy


def push_value(slopes: Slopes, lit: Sequence[int], truth: float, scale: float) -> float:
    """Bring the value of a position nearer to what came of it; returns how surprising that was (in nats)."""
    sums = slopes.network.sums(lit)
    value = 1 / (1 + exp(-slopes.network.answer(sums)))
    slopes.push(lit, sums, scale * (truth - value))
    return -log(max(value if truth >= 0.5 else 1 - value, 1e-9))  # noqa: PLR2004 - lost, rather than not
