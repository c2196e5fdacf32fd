"""The picture of the table: drawing and encoding beside encoding alone, in processor time and bytes.

    python -m bench picture [--rounds N] [--folder DIR]

Each round draws every position of a whole game, for 2, 4, 8 and 12 seats, so that the cards of the pile differ as they
do at a table. The ratio of the last line is that of four seats: drawing and encoding to encoding the finished picture.
`--folder` also writes a picture of every layout and of everything that is seldom on a table, to be looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from time import process_time
from typing import Final, NamedTuple

from PIL import __version__ as pillow
from tqdm import tqdm

from bench.arguments import bench_parser, positive
from cogs.pictures.layout import WIDTH
from cogs.pictures.scene import Scene, scene_of
from cogs.pictures.table_picture import PLAIN, encoded, painted, table_picture
from game.showing import table_view
from testkit.scenes import NAMES, SCENES, played, players

TINY: Final = ("--rounds", "1", "--most", "3")
SEATS: Final = (2, 4, 8, 12)
USUAL: Final = 4
"""The seats of the ratio and of the target."""
MOST_KIB: Final = 40
MOST_RATIO: Final = 3


class Cost(NamedTuple):
    """Of one picture: seconds of drawing and of encoding, bytes."""

    drawing: float
    encoding: float
    size: int


def cost_of(scene: Scene) -> Cost:
    """Draw and encode a table."""
    begin = process_time()
    picture = painted(scene, PLAIN, WIDTH)
    middle = process_time()
    size = len(encoded(picture))
    return Cost(middle - begin, process_time() - middle, size)


def game(seats: int, most: int) -> list[Scene]:
    """The tables of a whole game, or of so many moves of it."""
    return [scene_of(table_view(step.state), players(NAMES[:seats])) for step in played(seats, seats)[-most:]]


def write(folder: Path) -> None:
    """Write a picture of every kind of table."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, scene in SCENES.items():
        (folder / f"{name}.png").write_bytes(table_picture(scene))


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--most", type=positive, default=1000, help="moves of each game")
    parser.add_argument("--folder", type=Path, help="where pictures are written to be looked at")
    options = parser.parse_args(argv)
    games = {seats: game(seats, options.most) for seats in SEATS}
    first = {seats: cost_of(scenes[0]) for seats, scenes in games.items()}
    costs: dict[int, list[Cost]] = {seats: [] for seats in SEATS}
    for seats in tqdm([*SEATS] * options.rounds, desc="picture", unit="game", leave=False, disable=None):
        costs[seats] += map(cost_of, games[seats])
    print(f"Pillow {pillow}, {WIDTH} pixels wide, milliseconds of processor time, means")
    print(f"{'seats':>5}{'first':>8}{'drawing':>9}{'encoding':>10}{'ratio':>7}{'KiB':>7}{'most KiB':>10}")
    for seats, each in costs.items():
        drawing, encoding = mean(one.drawing for one in each), mean(one.encoding for one in each)
        sizes = [one.size / 1024 for one in each]
        cold = (first[seats].drawing + first[seats].encoding) * 1000
        print(f"{seats:>5}{cold:>8.0f}{drawing * 1000:>9.1f}{encoding * 1000:>10.1f}", end="")
        print(f"{1 + drawing / encoding:>7.2f}{mean(sizes):>7.1f}{max(sizes):>10.1f}")
    if options.folder:
        write(options.folder)
    value, baseline = (
        mean(one.drawing + one.encoding for one in costs[USUAL]),
        mean(one.encoding for one in costs[USUAL]),
    )
    print(f"wanted at most {MOST_KIB} KiB with {USUAL} seats, and a ratio of {MOST_RATIO}")
    result = {"bench": "picture", "value": round(value * 1000, 2), "unit": "ms", "baseline": round(baseline * 1000, 2)}
    print(json.dumps(result | {"ratio": round(value / baseline, 2)}))
    return 0
