"""Kills a playing process again and again and checks whether anything acknowledged is lost or doubled.

    python -m bench chaos [--points N] [--seed S]

A process of its own plays many tables through the doorway on an SQLite file. At each point it is killed with SIGKILL:
while it starts, or some requests and some microseconds later, often in the middle of a commit. An observer who was
told of each request, and of each acknowledgement after it was given, then compares: every acknowledged request is in
the database, no request is there twice, every change is complete or absent, records replay, packs are complete. The
next process goes on with what is on the disk, and what had no answer is asked again. The same seed draws the same
requests and the same moments; where exactly a kill falls is the machine's.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from structlog.testing import capture_logs
from tqdm import tqdm

from bench.arguments import bench_parser, positive
from data.store import Store
from testkit.crowd import live
from testkit.observer import Findings, Observer

POINTS: Final = 1_000
SEED: Final = 1
EARLY: Final = 0.1
"""Part of the kills that fall while the process starts."""
MOST_ANSWERS: Final = 16
LONGEST: Final = 0.004
"""Seconds after the last counted answer within which the process is killed."""
PATIENCE: Final = 30.0
"""Seconds in which a process has to answer."""


class Chaos:
    """A number of lives of one database."""

    def __init__(self, file: Path, seed: int) -> None:
        """Nothing runs yet."""
        self.url = f"sqlite:///{file}"
        self.observer = Observer(file)
        self._seed, self._rng = seed, random.Random(seed)
        # Processes come from a server that has imported everything, has no threads and has never opened the database.
        self._processes = multiprocessing.get_context("forkserver")
        self._processes.set_forkserver_preload(["testkit.crowd"])

    async def point(self, number: int) -> None:
        """Start a process, kill it, compare."""
        reader, writer = self._processes.Pipe(duplex=False)
        again = tuple(self.observer.open.values())
        self.observer.open.clear()
        process = self._processes.Process(target=live, args=(self.url, self._seed << 20 | number, again, writer))
        process.start()
        writer.close()
        self._watch(reader)
        process.kill()
        process.join()
        self._drain(reader)
        process.close()
        await self.observer.look()

    def _watch(self, reader: Any) -> None:
        """Return at the moment at which the process is to die."""
        if self._rng.random() < EARLY:
            time.sleep(self._rng.random() / 5)
            return
        answers, rest = self._rng.randrange(MOST_ANSWERS), self._rng.random() * LONGEST
        while answers >= 0:
            if not reader.poll(PATIENCE):
                raise TimeoutError("the process does not answer")
            told = reader.recv()
            self.observer.hear(told)
            answers -= told.kind != "asked"
        time.sleep(rest)

    def _drain(self, reader: Any) -> None:
        """Hear what was written before the end; a message that is cut off was never sent."""
        try:
            while True:
                self.observer.hear(reader.recv())
        except (EOFError, OSError):
            reader.close()


async def run(points: int, seed: int, folder: Path) -> tuple[Findings, int]:
    """Kill so many times; what was found, and how many requests were acknowledged."""
    file = folder / "chaos.sqlite3"
    chaos = Chaos(file, seed)
    await (await Store.open(chaos.url)).close()
    for number in tqdm(range(points), desc="chaos", unit="kill", disable=None):
        await chaos.point(number)
        if chaos.observer.findings.are_bad:
            break
    return chaos.observer.findings, chaos.observer.acknowledged


def main(argv: Sequence[str] = ()) -> int:
    """Run and report; 1 where a promise was broken."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--points", type=positive, default=POINTS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(argv)
    print(f"seed {options.seed}, {options.points} kills")
    begun = time.perf_counter()
    with capture_logs(), tempfile.TemporaryDirectory(prefix="chaos") as folder:
        found, acknowledged = asyncio.run(run(options.points, options.seed, Path(folder)))
    print(f"{found.tables} tables, {found.moves} moves, {time.perf_counter() - begun:.0f} s")
    print(f"{len(found.unacknowledged)} requests were stored, but killed before they were acknowledged")
    for number, why in found.torn.items():
        print(f"torn: {number}: {why}")
    print(f"acknowledged {acknowledged}, lost {len(found.lost)}, doubled {len(found.doubled)}")
    return 1 if found.are_bad else 0
