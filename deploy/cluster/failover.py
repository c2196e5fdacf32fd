"""Measure how long writes are blocked when a primary dies: `python -m deploy.cluster.failover FOLDER`.

Starts the cluster of cluster.py in FOLDER, keeps writing through PgBouncer, and injects faults. Checks after each fault
that every acknowledged write is there. Prints a line for each fault; the last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import asyncpg

from deploy.cluster.cluster import Cluster, ClusterError

WRITERS: Final = 8
PAUSE: Final = 0.02
"""Seconds between two writes of one writer."""
BEFORE: Final = 2.0
AFTER: Final = 3.0
"""Seconds of writing before a fault, and after writes have resumed."""
LONGEST: Final = 120.0
"""Seconds after which the cluster counts as broken for good."""
_FAILED: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


@dataclass(slots=True)
class Outcome:
    """The effect of a fault: the longest gap in seconds between acknowledged writes, and how many writes were lost."""

    fault: str
    seconds: float
    answered: int
    lost: int


@dataclass(slots=True)
class _Writing:
    """State shared by the writers; `answered` maps each acknowledged number to the time of its acknowledgement."""

    url: str
    answered: dict[int, float] = field(default_factory=dict[int, float])
    number: int = 0
    ended: bool = False

    async def write(self) -> None:
        """Write one number after another until the end; retry each until it is acknowledged."""
        while not self.ended:
            self.number += 1
            number = self.number
            while number not in self.answered and not self.ended:
                await self._try(number)
            await asyncio.sleep(PAUSE)

    def goes_on(self) -> bool:
        """Whether the last `AFTER` seconds had no gap of a second or more."""
        now = time.monotonic()
        return _longest_gap(self.answered.values(), now - AFTER, now) < 1

    async def _try(self, number: int) -> None:
        try:
            # No prepared statements: the pooler may run the next transaction on another connection.
            connection = await asyncpg.connect(self.url, statement_cache_size=0, timeout=5)
            try:
                insert = "INSERT INTO writes VALUES ($1) ON CONFLICT DO NOTHING"
                await connection.execute(insert, number, timeout=LONGEST)
                self.answered[number] = time.monotonic()
            finally:
                connection.terminate()
        except _FAILED:
            await asyncio.sleep(0.1)


async def measured(cluster: Cluster, fault: str, break_it: Callable[[], object]) -> Outcome:
    """Write, inject a fault, and go on until writes have worked for `AFTER` seconds again.

    Raises:
        TimeoutError: writes do not recover within `LONGEST` seconds.
    """
    connection = await asyncpg.connect(cluster.url, statement_cache_size=0)
    await connection.execute("DROP TABLE IF EXISTS writes; CREATE TABLE writes (number bigint PRIMARY KEY)")
    await connection.close()
    writing = _Writing(cluster.url)
    tasks = [asyncio.create_task(writing.write()) for _ in range(WRITERS)]
    await asyncio.sleep(BEFORE)
    begun = time.monotonic()
    await asyncio.to_thread(break_it)
    async with asyncio.timeout(LONGEST):
        await asyncio.sleep(AFTER)
        while not writing.goes_on():  # noqa: ASYNC110 - no event marks the end of a quiet time
            await asyncio.sleep(AFTER / 10)
    writing.ended = True
    await asyncio.gather(*tasks)
    return await _outcome(cluster.url, fault, writing, begun)


def _longest_gap(times: Iterable[float], begin: float, end: float) -> float:
    """The longest time between two acknowledgements, the beginning and the end included."""
    ordered = [begin, *sorted(at for at in times if begin < at < end), end]
    return max(later - earlier for earlier, later in pairwise(ordered))


async def _outcome(url: str, fault: str, writing: _Writing, begun: float) -> Outcome:
    connection = await asyncpg.connect(url, statement_cache_size=0)
    there = {row["number"] for row in await connection.fetch("SELECT number FROM writes")}
    await connection.close()
    lost = writing.answered.keys() - there
    gap = _longest_gap(writing.answered.values(), begun, max(writing.answered.values()))
    return Outcome(fault, round(gap, 1), len(writing.answered), len(lost))


def switch_over(cluster: Cluster) -> None:
    """Make another node primary in an orderly way, as for maintenance."""
    file = cluster.folder / f"node{cluster.primary()}" / "patroni.yml"
    subprocess.run(["patronictl", "-c", str(file), "switchover", "--force"], check=True, capture_output=True)


def faults(cluster: Cluster) -> dict[str, Callable[[], object]]:
    """The faults by name, in the order in which they are injected."""
    return {
        "another node made primary": lambda: switch_over(cluster),
        "PostgreSQL of the primary killed": lambda: cluster.kill_postgres(cluster.primary()),
        "node of the primary killed": lambda: cluster.kill_node(cluster.primary()),
    }


async def _all(cluster: Cluster) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for fault, break_it in faults(cluster).items():
        primary = cluster.primary()
        outcomes.append(await measured(cluster, fault, break_it))
        outcome = outcomes[-1]
        print(f"{fault}: {outcome.seconds} s, {outcome.answered} answered, {outcome.lost} lost")
        await asyncio.to_thread(cluster.revive, primary)
    return outcomes


def main() -> int:
    """Start the cluster, measure, stop it; 1 where an acknowledged write was lost, or the cluster does not start."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--base-port", type=int, default=15400)
    asked = parser.parse_args()
    cluster = Cluster(asked.folder, asked.base_port)
    try:
        cluster.start()
        outcomes = asyncio.run(_all(cluster))
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        cluster.stop()
    print(json.dumps([asdict(outcome) for outcome in outcomes]))
    return int(any(outcome.lost for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
