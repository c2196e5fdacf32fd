"""A move with few and with many live tables: its latency, what a table costs in memory, and what a start costs.

    python -m bench tables [--quick] [--sizes 10,100,1000,10000] [--moves N] [--rounds N] [--patience S] [--seed S]

Some tables are dealt and played on over the wire by the real bot. When all of them are drawn and have had the reminder
that comes after a minute, which would else come to all copies at once, their rows are copied to as many as are wanted,
and one process for each size is started on them. Each is left alone until it does next to nothing: what it has used of
the processor by then is what a start costs. Then moves are made in blocks, one at a time, the sizes in turn and in
another order in each round, at tables drawn from all. Before a move the people there look at their hands, which is not
timed; the processor's time of a move has these looks in it. The ratio is the p99 with most tables by that with fewest;
of a single size there is none.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, Final

from tqdm import tqdm

from bench.arguments import above_zero, bench_parser, positive, positives, whole
from bench.at_table import AtTable, opened, shuffled
from bench.bots import LOOK, Process, real_bot
from bench.chart import bar_chart
from bench.table_copies import resized, unsettled
from bench.tail import p99
from testkit.sockets.server import discord_on_sockets

TINY: Final = ("--sizes", "2,4", "--moves", "2", "--rounds", "1", "--depth", "0", "--patience", "1")
QUICK: Final = {"sizes": [10, 100, 1_000], "moves": 150, "rounds": 3, "depth": 4}
SIZES: Final = "10,100,1000,10000"
MADE: Final = 100
"""Tables that are dealt; more are copies of them."""
IN_SERVER: Final = 20
"""Tables in a server: the bot allows 25."""
MEBI: Final = 1 << 20
KIBI: Final = 1 << 10


@dataclass
class Size:
    """A process with so many tables, and what was found of it."""

    tables: int
    process: Process
    originals: Sequence[AtTable]
    step: int
    begun: float = 0.0
    processor: float = 0.0
    is_settled: bool = False
    memory: int = 0
    seconds: list[list[float]] = field(default_factory=list)
    spent: list[float] = field(default_factory=list)
    seen: dict[int, AtTable] = field(default_factory=dict)

    async def start(self, patience: float) -> None:
        """Begin, and wait until all that a start brings is done."""
        self.begun = await self.process.begin()
        self.is_settled = await self.process.settled(patience)
        self.processor, self.memory = self.process.processor(), self.process.memory()

    async def block(self, moves: int, rng: random.Random) -> list[float]:
        """Seconds of moves at tables drawn from all."""
        found, before = list[float](), self.process.processor()
        for number in (rng.randrange(self.tables) for _ in range(moves)):
            if number not in self.seen:
                copy, of = divmod(number, len(self.originals))
                self.seen[number] = self.originals[of].copied(self.process.discord, copy * self.step)
            turn = await self.seen[number].turn()
            found.append((await turn.made()).seconds)
        self.spent.append((self.process.processor() - before) / moves)
        return found

    @property
    def p50(self) -> float:
        """Milliseconds, the median of the blocks' medians."""
        return median(map(median, self.seconds)) * 1000

    @property
    def p99(self) -> float:
        """Milliseconds, of all moves."""
        return p99(chain(*self.seconds)) * 1000


def can_be_made(tables: int) -> bool:
    """Whether there can be so many tables: more than `MADE` are whole copies of all that are dealt."""
    return tables <= MADE or tables % MADE == 0


async def prepared(file: Path, tables: int, depth: int, patience: float) -> list[AtTable]:
    """Tables in a new database, dealt and `depth` moves on; the process that played them has ended.

    It ends when nothing is left for it to do at them, or after `patience` seconds.
    """
    async with discord_on_sockets() as discord:
        channels = discord.world.add_guilds(-(-tables // IN_SERVER), IN_SERVER)[:tables]
        process = real_bot(discord, f"sqlite:///{file}")
        await process.begin()
        try:
            there = await opened(discord, channels)
            for table in tqdm(there * depth, desc="playing on", unit="move", leave=False, disable=None):
                await (await table.turn()).made()
            for _ in range(round(patience / LOOK)):
                if not unsettled(file):
                    break
                await asyncio.sleep(LOOK)
        finally:
            await process.end()
    if left := unsettled(file):
        print(f"{left} of the tables that are copied were not settled")
    return there


async def measured(sizes: Sequence[int], options: argparse.Namespace) -> list[Size]:
    """All sizes, played at."""
    rng, made = random.Random(options.seed), min(MADE, max(sizes))
    servers = -(-made // IN_SERVER)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tables")))
        originals = await prepared(folder / "made.sqlite3", made, options.depth, options.patience)
        found = list[Size]()
        for tables in sizes:
            discord = await stack.enter_async_context(discord_on_sockets())
            discord.world.emojis = originals[0].discord.world.emojis  # or each start would upload them
            discord.world.add_guilds(servers * -(-max(sizes) // made), IN_SERVER)
            file = folder / f"{tables}.sqlite3"
            resized(folder / "made.sqlite3", file, made, tables, servers << 22)
            process = real_bot(discord, f"sqlite:///{file}")
            stack.push_async_callback(process.end)
            size = Size(tables, process, originals[:tables], servers << 22)
            await size.start(options.patience)
            found.append(size)
        blocks = [size for _ in range(options.rounds) for size in shuffled(found, rng)]
        for size in tqdm(blocks, desc="tables", unit="block", leave=False, disable=None):
            size.seconds.append(await size.block(max(1, options.moves // options.rounds), rng))
    return found


def report(sizes: Sequence[Size]) -> None:
    """Print what was found; the fewest tables are what the others are compared with."""
    few = sizes[0]
    print(f"{'tables':>7}{'p50 ms':>9}{'p99 ms':>9}{'CPU ms':>8}", end="")
    print(f"{'MiB':>8}{'KiB/table':>11}{'start s':>9}{'CPU s':>8}{'more':>8}")
    for size in sizes:
        each = (size.memory - few.memory) / KIBI / max(size.tables - few.tables, 1)
        mark = "" if size.is_settled else " and not done yet"
        print(f"{size.tables:>7}{size.p50:>9.2f}{size.p99:>9.2f}{median(size.spent) * 1000:>8.2f}", end="")
        print(f"{size.memory / MEBI:>8.0f}{each:>11.1f}{size.begun:>9.2f}", end="")
        print(f"{size.processor:>8.2f}{size.processor - few.processor:>8.2f}{mark}")


def drawn(sizes: Sequence[Size]) -> str:
    """A chart of how long moves took; a line marks the aim for the p99 of most tables."""
    bars = {f"{size.tables:,} tables, p50": size.p50 for size in sizes}
    bars |= {f"{size.tables:,} tables, p99": size.p99 for size in sizes}
    few = sizes[0]
    mark = (f"1.3 × p99 of {few.tables}", 1.3 * few.p99)
    return bar_chart("A move, answered in so many milliseconds", bars, unit="ms", mark=mark, digits=1)


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--sizes", type=positives, default=SIZES, help="numbers of tables, with commas")
    parser.add_argument("--moves", type=positive, default=600, help="moves at each size")
    parser.add_argument("--rounds", type=positive, default=6)
    parser.add_argument("--depth", type=whole, default=10, help="moves that each table is played on before")
    parser.add_argument("--patience", type=above_zero, default=300, help="seconds for tables or a start to settle")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, help="where a chart of it goes")
    parser.add_argument("--quick", action="store_true", help="fewer tables and moves")
    options = parser.parse_args(argv)
    if options.quick:
        parser.set_defaults(**QUICK)
        options = parser.parse_args(argv)
    if not all(map(can_be_made, options.sizes)):
        parser.error(f"argument --sizes: from {MADE} on only multiples of {MADE}")
    sizes = sorted(set(options.sizes))
    print(f"{options.moves} moves each, {options.rounds} rounds, seed {options.seed}, ", end="")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    found = asyncio.run(measured(sizes, options))
    report(found)
    few, many = found[0], found[-1]
    if options.picture:
        options.picture.write_text(drawn(found), encoding="utf-8")
    result: dict[str, Any] = {"bench": "tables", "value": round(many.p99, 2), "unit": f"ms, p99 of {many.tables}"}
    if many is not few:
        result |= {"baseline": round(few.p99, 2), "ratio": round(many.p99 / few.p99, 3)}
    print(json.dumps(result))
    return 0
