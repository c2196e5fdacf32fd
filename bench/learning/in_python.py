"""How the networks of the computer players learn, in plain Python: what `twin.c` is held to.

The player is a softmax over the scores of its moves. After a batch of games each choice is made likelier as far as it
turned out better than the critic had expected, who sees every card (generalised advantage estimation).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt
from operator import add
from random import Random
from typing import Final, NamedTuple

from bench.learning import selfplay
from bench.learning.selfplay import Choice
from bench.learning.train import CURIOSITY, TRUST, random_weights
from game.compiled import RuleBook
from game.players.network import Network, Weights, network_recipes, softmax
from game.players.worlds import World
from game.rules import Rules

SLOWNESS: Final = (0.9, 0.999)
"""How long Adam remembers the mean and the square of a slope."""


class Step(NamedTuple):
    """A choice with the number of the move that was taken."""

    seat: int
    whole: list[int]
    seen: list[int]
    moves: list[list[int]]
    taken: int


@dataclass(slots=True)
class Game:
    """A game and its choices."""

    world: World
    steps: list[Step] = field(default_factory=list)

    def loss(self, seat: int) -> float:
        """What the game cost a seat."""
        return selfplay.loss(self.world, seat)


def play(rules: Rules, seats: int, player: Network, rng: Random) -> Game:
    """A game of a network against itself, every move drawn by its chances."""
    steps: list[Step] = []

    def decide(choice: Choice) -> int:
        taken = drawn(softmax(player.scores(choice.seen, choice.moves)), rng.random())
        steps.append(Step(*choice, taken))
        return taken

    return Game(selfplay.play(rules, seats, decide, rng), steps)


def drawn(chances: Sequence[float], draw: float) -> int:
    """The number of a move, by a draw from 0 to 1."""
    at = 0
    while at < len(chances) - 1 and (draw := draw - chances[at]) >= 0:
        at += 1
    return at


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
        """It knows nothing at first."""
        self.take(random_weights(units, seed))
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
        made_of = network_recipes(book)
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
    return -log(max(value if truth >= 1 - truth else 1 - value, 1e-9))


def gains_of(game: Game, values: Sequence[float]) -> list[float]:
    """How much better each choice turned out than the critic expected (generalised advantage estimation)."""
    after = {step.seat: (game.loss(step.seat), 0.0) for step in game.steps}
    gains: list[float] = []
    for step, value in zip(reversed(game.steps), reversed(values), strict=True):
        expected, gain = after[step.seat]
        gain = value - expected + TRUST * gain
        after[step.seat] = (value, gain)
        gains.append(gain)
    return gains[::-1]


def improve(
    games: Sequence[Game], player: Learner, critic: Learner, rate: float, curiosity: float = CURIOSITY
) -> tuple[float, float]:
    """Learn from games; returns how surprised the critic was and how open the choices were, on average."""
    book = games[0].world.book
    judge = critic.network(book)
    gains = [gain for game in games for gain in gains_of(game, [judge.value(step.whole) for step in game.steps])]
    spread = (sum(gain * gain for gain in gains) / len(gains)) ** 0.5 + 1e-6
    for_player, for_critic = Slopes(player.network(book)), Slopes(judge)
    left, scale, surprise, openness = iter(gains), 1 / len(gains), 0.0, 0.0
    for game in games:
        for step in game.steps:
            openness += push_choice(for_player, step, next(left) / spread, scale, curiosity)
            surprise += push_value(for_critic, step.whole, game.loss(step.seat), scale)
    player.learn(book, for_player, rate)
    critic.learn(book, for_critic, rate)
    return surprise / len(gains), openness / len(gains)
