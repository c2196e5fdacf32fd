"""How even the sealed shuffle is: how often each card lies in each place, by chi-square, beside `random.shuffle`."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from time import perf_counter

from tqdm import tqdm

from bench.arguments import bench_parser, positive
from game.cards import Card, make_pack
from game.fairness import pack_from

TINY = ("40",)
PACKS = 200_000
PACK = make_pack()
JOINERS = (1311234567890123456, 1311234567890123999, 1311234600000000000)


def sealed(number: int) -> tuple[Card, ...]:
    """The pack of the n-th secret; secrets are hashes of their number, so that two runs measure the same."""
    return pack_from(hashlib.sha256(b"bench %d" % number).digest(), "bench", JOINERS, PACK)


def baseline(number: int) -> list[Card]:
    """The n-th pack of the standard library's shuffle."""
    cards = list(PACK)
    random.Random(number).shuffle(cards)
    return cards


def chi_square(packs: Iterable[Iterable[Card]]) -> tuple[float, int]:
    """Chi-square of how often each card lies in each place, and its degrees of freedom.

    A shuffle puts each card in one place, so rows and columns hang together: of k * k cells (k - 1)^2 are free, and
    Pearson's sum is (k - 1) / k of what it would be among independent ones.
    """
    size, total, counts = len(PACK), 0, Counter[tuple[int, Card]]()
    for pack in packs:
        counts.update(enumerate(pack))
        total += 1
    expected = total / size
    pearson = sum((counts[place, card] - expected) ** 2 for place in range(size) for card in PACK) / expected
    return pearson * (size - 1) / size, (size - 1) ** 2


def p_value(statistic: float, freedom: int) -> float:
    """How often chance alone gives a larger chi-square (Wilson-Hilferty, good to three digits at this freedom)."""
    spread = 2 / (9 * freedom)
    return math.erfc(((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(2 * spread)) / 2


def main(argv: Sequence[str] = ()) -> int:
    """Measure both shuffles; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("packs", type=positive, nargs="?", default=PACKS)
    packs: int = parser.parse_args(argv).packs
    ratios: list[float] = []
    for name, shuffled in (("sealed", sealed), ("random.shuffle", baseline)):
        begin = perf_counter()
        numbers = tqdm(range(packs), desc=name, unit="pack", mininterval=1)
        statistic, freedom = chi_square(shuffled(number) for number in numbers)
        each, p = (perf_counter() - begin) / packs * 1e6, p_value(statistic, freedom)
        print(f"{name}: {packs} packs, chi2 {statistic:.1f} of {freedom}, p {p:.3f}, {each:.0f} us a pack")
        ratios.append(round(statistic / freedom, 4))
    value, other = ratios
    ratio = round(value / other, 4)
    print(json.dumps({"bench": "shuffle", "value": value, "unit": "chi2/df", "baseline": other, "ratio": ratio}))
    return 0
