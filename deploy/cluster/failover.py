"""How long nothing can be written when a primary dies: `python -m deploy.cluster.failover FOLDER`.

Starts the cluster of cluster.py in FOLDER, writes through PgBouncer all the time, breaks something, and looks at the
end whether every write that was answered is there. Prints a line for each fault; the last line is JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import asyncpg

from deploy.cluster.cluster import Cluster

WRITERS: Final = 8
PAUSE: Final = 0.02
"""Seconds between two writes of one writer."""
BEFORE: Final = 2.0
AFTER: Final = 3.0
"""Seconds of writing before a fault, and after writing goes on."""
LONGEST: Final = 120.0
"""Seconds after which a cluster counts as broken."""
_FAILED: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


@dataclass(slots=True)
class Outcome:
    """What a fault did: seconds without an answer at most, answered writes, and how many of them are missing."""

    fault: str
    seconds: float
    answered: int
    lost: int


@dataclass(slots=True)
class _Writing:
    """What the writers know: when each number that was answered was answered."""

    url: str
    answered: dict[int, float] = field(default_factory=dict[int, float])
    number: int = 0
    ended: bool = False

    async def write(self) -> None:
        """Write numbers until the end; one whose answer did not come is written again."""
        while not self.ended:
            self.number += 1
            number = self.number
            while number not in self.answered and not self.ended:
                await self._try(number)
            await asyncio.sleep(PAUSE)

    def goes_on(self) -> bool:
        """Whether writing has gone on without a gap for a while."""
        now = time.monotonic()
        return _longest_gap(self.answered.values(), now - AFTER, now) < 1

    async def _try(self, number: int) -> None:
        try:
            # No statement is kept: the next transaction may run on another connection of the pooler.
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
    """Write, break something, and write on until it has worked for `AFTER` seconds again.

    Raises:
        TimeoutError: nothing can be written any more.
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
        while not writing.goes_on():  # noqa: ASYNC110 - a time without a gap is waited for; nothing could tell it
            await asyncio.sleep(AFTER / 10)
    writing.ended = True
    await asyncio.gather(*tasks)
    return await _outcome(cluster.url, fault, writing, begun)


def _longest_gap(times: Iterable[float], begin: float, end: float) -> float:
    """The longest time between two answers, or between one and the begin or end."""
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
    """Let another node become primary in order, as for maintenance."""
    file = cluster.folder / f"node{cluster.primary()}" / "patroni.yml"
    subprocess.run(["patronictl", "-c", str(file), "switchover", "--force"], check=True, capture_output=True)


def faults(cluster: Cluster) -> dict[str, Callable[[], object]]:
    """What is tried, in order."""
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


def main() -> None:
    """Start, measure, stop."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--base-port", type=int, default=15400)
    asked = parser.parse_args()
    cluster = Cluster(asked.folder, asked.base_port)
    try:
        cluster.start()
        print(json.dumps([asdict(outcome) for outcome in asyncio.run(_all(cluster))]))
    finally:
        cluster.stop()


if __name__ == "__main__":
    main()
