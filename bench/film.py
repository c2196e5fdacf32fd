"""The film of a game: drawing and encoding beside encoding its finished frames, in processor time and bytes.

    python -m bench film [--rounds N]

The ratio of the last line is that of four seats. The baseline hands whole frames to the same writer, the film only
those parts in which something changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from statistics import mean
from time import process_time
from typing import Final

from PIL import Image, ImageSequence
from tqdm import tqdm

from bench.arguments import bench_parser, positive
from cogs.pictures.film import GifWriter, film, timed
from cogs.pictures.palette import colours, places_in_palette
from cogs.screens.components import MOST_BYTES
from testkit.frames import frames
from testkit.scenes import NAMES, played, players

TINY: Final = ("--rounds", "1", "--most", "4")
SEATS: Final = (2, 4, 8, 12)
USUAL: Final = 4
"""The seats of the ratio."""


def encode_again(gif: bytes) -> float:
    """Seconds of writing the frames of a finished film once more, each as a whole."""
    with Image.open(BytesIO(gif)) as found:
        whole = [frame.convert("RGB") for frame in ImageSequence.Iterator(found)]
    begin = process_time()
    writer = GifWriter(whole[0].size, colours())
    for picture in whole:
        writer.add(places_in_palette(picture), (0, 0), 500)
    writer.finished()
    return process_time() - begin


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--most", type=positive, default=1000, help="moves of each game")
    options = parser.parse_args(argv)
    games = {seats: frames(played(seats, seats))[-options.most :] for seats in SEATS}
    took: dict[int, list[tuple[float, float]]] = {seats: [] for seats in SEATS}
    made: dict[int, bytes] = {}
    for seats in tqdm([*SEATS] * options.rounds, desc="film", unit="film", leave=False, disable=None):
        begin = process_time()
        made[seats] = film(games[seats], players(NAMES[:seats]))
        took[seats].append((process_time() - begin, encode_again(made[seats])))
    print("milliseconds of processor time, means; MB a film, and for 100 moves of a game shown in full")
    print(
        f"{'seats':>5}{'moves':>7}{'frames':>8}{'seconds':>9}{'film':>7}{'encoding':>10}{'ratio':>7}{'MB':>7}{'MB/100':>8}"
    )
    for seats, gif in made.items():
        times = timed([frame.is_moment for frame in games[seats]])
        whole, alone = (mean(each) * 1000 for each in zip(*took[seats], strict=True))
        seconds, size = sum(time for _, time in times) / 1000, len(gif) / 1e6
        print(f"{seats:>5}{len(games[seats]):>7}{len(times):>8}{seconds:>9.1f}{whole:>7.0f}{alone:>10.0f}", end="")
        print(f"{whole / alone:>7.2f}{size:>7.2f}{size / len(times) * 100:>8.2f}")
    value, baseline = (mean(each) * 1000 for each in zip(*took[USUAL], strict=True))
    print(f"wanted at most {MOST_BYTES / 1e6:.0f} MB")
    result = {"bench": "film", "value": round(value), "unit": "ms", "baseline": round(baseline)}
    print(json.dumps(result | {"ratio": round(value / baseline, 2)}))
    return 0
