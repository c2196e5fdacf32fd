"""The computer players against one another and against players written from public advice: who loses how often.

    python -m bench players [--packs N] [--minutes N] [--pairs A:B ...] [--seats N ...] [--rules NAME ...] [--seed N]
        [--picture FILE] [--twin]

A is one player at a table of B. Every pack is played once from each seat; a drawn game counts as lost by each seat that
is left, divided among them. The interval (95 %) takes the games of a pack as one observation. Times are those of A's
choices in play, of the processor. With `--rules house` every pack is played by other house rules. `--minutes` ends a
row with the pack in which so much of the processor is spent; each row says how many packs it counts. The last line is
the share of games that `master` does not lose against `public`, the classic game with two seats, which is always
played. With `--twin` the players in C play instead (`bench.twins`), which needs a C compiler and takes a small part of
the time: today, public and the levels, the classic game with two to five seats, without times.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf, sqrt
from pathlib import Path
from time import process_time
from typing import Final

from tqdm import tqdm

from bench import twins
from bench.arguments import above_zero, bench_parser, positive
from bench.chart import bar_chart
from bench.learning.twin import SEATS as TWIN_SEATS
from bench.learning.twin import can_learn
from bench.rivals import PLAYERS, Player
from bench.tail import p99
from game.deal import deal, full_pack
from game.moves import Timeout, apply
from game.players.coach import remembered
from game.players.memory import first_memory
from game.players.search import cost
from game.rules import MOST_SEATS, Rules
from game.showing import seat_view, table_view
from game.state import State
from game.text.record import Step
from game.variants import variants
from game.view import SeatView
from testkit.random_games import house_rules

TINY: Final = ("--packs", "1", "--pairs", "fair:today")
RATIO: Final = "master:public"
SEATS: Final = range(2, MOST_SEATS + 1)
HOUSE: Final = "house"
"""The name of rules that are made up anew for each pack."""
PAIRS: Final = (
    *("cheapest:today", "advised:today", "public:today", "strong:today", "strong:public"),
    *("master:today", "fair:easy", "strong:fair", "master:strong"),
)


@dataclass(slots=True)
class Tally:
    """What a player lost, pack by pack, and what its choices cost in seconds."""

    shares: list[float] = field(default_factory=list)
    games: int = 0
    drawn: int = 0
    times: list[float] = field(default_factory=list)

    def lost(self) -> tuple[float, float]:
        """The share of lost games, and half the width of its interval."""
        count = len(self.shares)
        mean = sum(self.shares) / count
        variance = sum((share - mean) ** 2 for share in self.shares) / max(count - 1, 1)
        return mean, 1.96 * sqrt(variance / count)

    def __str__(self) -> str:
        """A line of the table."""
        mean, half = self.lost()
        line = f"{len(self.shares):7}{mean:7.3f} ± {half:.3f}"
        if not self.times:
            return line
        times = sorted(1000 * time for time in self.times)
        spent = f"{sum(times) / len(times):9.3f}{p99(times):9.3f}{times[-1]:9.3f}"
        return f"{line}{self.drawn / self.games:9.4f}{spent}"


@dataclass(slots=True)
class Match:
    """One player at a table of others."""

    rules: Rules
    seats: int
    one: Player
    others: Player

    def play(self, packs: int, seed: int, minutes: float = inf) -> Tally:
        """Play shuffled packs, each once from every seat; the first of them in any case."""
        rng, tally, until = random.Random(seed), Tally(), process_time() + 60 * minutes
        pack = list(full_pack(self.rules, self.seats))
        for _ in tqdm(range(packs), leave=False, disable=None):
            rng.shuffle(pack)
            dealer = rng.randrange(self.seats)
            lost = sum(
                self._game(deal(self.rules, self.seats, pack, dealer), own, rng, tally) for own in range(self.seats)
            )
            tally.shares.append(lost / self.seats)
            if process_time() > until:
                break
        return tally

    def _game(self, state: State, own: int, rng: random.Random, tally: Tally) -> float:
        """Play a game; returns what it cost the one player."""
        memory = first_memory(table_view(state))
        while state.frame.phase != "over":
            view = next(to_choose(state), None)
            seat, move = 0 if view is None else view.seat, Timeout()
            if view is not None:
                began = process_time()
                move = (self.one if seat == own else self.others)(view, memory, rng)
                if seat == own and len(view.moves) > 1 and state.frame.phase == "play":
                    tally.times.append(process_time() - began)
            after = apply(state, seat, move)
            memory, state = remembered(memory, Step(state, seat, move, after)), after
        tally.games += 1
        tally.drawn += state.frame.stands_still
        return cost(state, own)


def house_tally(seats: int, one: Player, others: Player, packs: int, seed: int, minutes: float) -> Tally:
    """The same, each pack by house rules of its own; only those count that so many can play by."""
    rng, tally, until = random.Random(seed), Tally(), process_time() + 60 * minutes
    with tqdm(total=packs, leave=False, disable=None) as bar:
        while len(tally.shares) < packs and not (tally.shares and process_time() > until):
            rules = house_rules(rng)
            if seats not in _seats_of(rules):
                continue
            pack = Match(rules, seats, one, others).play(1, rng.getrandbits(32))
            tally.shares += pack.shares
            tally.games += pack.games
            tally.drawn += pack.drawn
            tally.times += pack.times
            bar.update()
    return tally


def twin_tally(one: str, others: str, seats: int, packs: int, seed: int, minutes: float) -> Tally:
    """The same by the players in C."""
    tally, until = Tally(), process_time() + 60 * minutes
    for share in tqdm(islice(twins.lost(one, others, seats, seed), packs), total=packs, leave=False, disable=None):
        tally.shares.append(share)
        if process_time() > until:
            break
    return tally


def to_choose(state: State) -> Iterator[SeatView]:
    """The views of the seats that have a move, the one on turn first."""
    seats = range(len(state.seats))
    for seat in sorted(seats, key=lambda seat: seat != state.turn):
        view = seat_view(state, seat)
        if view.moves or view.may_choose:
            yield view


def unplayable(rules: Sequence[str], seats: Sequence[int]) -> str:
    """Which of these rules cannot be played with which of these numbers of seats; empty if all can be."""
    tables = [(name, count) for name in rules for count in seats if name != HOUSE]
    misfits = [f"{name} with {count}" for name, count in tables if count not in _seats_of(variants()[name].rules)]
    return f"argument --seats: nobody can play {', '.join(misfits)}" if misfits else ""


def _seats_of(rules: Rules) -> range:
    return range(rules.seats[0], rules.most_seats() + 1)


def _pair(text: str) -> str:
    """Two players as "master:public"."""
    if text.count(":") != 1 or not set(text.split(":")) <= set(PLAYERS):
        raise argparse.ArgumentTypeError(f"{text} is not a pair of players; there are {', '.join(PLAYERS)}")
    return text


def parse_options(argv: Sequence[str]) -> argparse.Namespace:
    """The options of the command; the twin plays by the classic rules, and not every player."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--packs", type=positive, default=50)
    parser.add_argument("--minutes", type=above_zero, default=inf, help="of the processor, for each row")
    parser.add_argument("--pairs", nargs="+", type=_pair, default=PAIRS, metavar="A:B", help=f"of {', '.join(PLAYERS)}")
    parser.add_argument("--seats", nargs="+", type=positive, choices=SEATS, default=[2], metavar="N")
    parser.add_argument("--rules", nargs="+", choices=[*variants(), HOUSE], default=["classic"], metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", default="", help="where a chart of it goes")
    parser.add_argument("--twin", action="store_true", help="the players in C")
    options = parser.parse_args(argv)
    if options.twin:
        if not can_learn():
            parser.error("argument --twin: there is no C compiler cc")
        if not set(options.seats) <= set(TWIN_SEATS):
            parser.error(f"argument --seats: the players in C play with {TWIN_SEATS[0]} to {TWIN_SEATS[-1]}")
        pairs = [pair for pair in options.pairs if set(pair.split(":")) <= set(twins.NAMES)]
        options.rules, options.pairs, options.picture = ["classic"], pairs, ""
    if misfits := unplayable(options.rules, options.seats):
        parser.error(misfits)
    return options


def main(argv: Sequence[str]) -> int:
    """Play the matches and print them; the last line is JSON."""
    options = parse_options(argv)
    wanted = [(name, seats, pair) for name in options.rules for seats in options.seats for pair in options.pairs]
    ratio = ("classic", 2, RATIO)
    lost: dict[str, float] = {}
    print(f"{'':46}{'packs':>7}{'lost':>7}{'':8}{'drawn':>9}{'mean ms':>9}{'p99':>9}{'most':>9}")
    for name, seats, pair in dict.fromkeys([*wanted, ratio]):
        one, others = pair.split(":")
        played = options.packs, options.seed, options.minutes
        if options.twin:
            tally = twin_tally(one, others, seats, *played)
        elif name == HOUSE:
            tally = house_tally(seats, PLAYERS[one], PLAYERS[others], *played)
        else:
            tally = Match(variants()[name].rules, seats, PLAYERS[one], PLAYERS[others]).play(*played)
        label = f"{name}, {seats} seats: {one} at a table of {others}"
        print(f"{label:46}{tally}", flush=True)
        lost[f"{one} v {others}, {seats}" + (f", {name}" if name != "classic" else "")] = 100 * tally.lost()[0]
    if options.picture:
        title = "Games that the first player loses, with so many seats"
        Path(options.picture).write_text(bar_chart(title, lost, unit="%", mark=("half", 50)), encoding="utf-8")
    value = 1 - lost["master v public, 2"] / 100
    result = {"bench": "players", "value": round(value, 3), "unit": "share not lost", "baseline": 0.5}
    print(json.dumps(result | {"ratio": round(value / 0.5, 2)}))
    return 0
