"""A click, from the wire and back: the real bot beside a bare one that answers with and without one commit.

    python -m bench clicks [--quick] [--people 1,10,100] [--tables N] [--rounds N] [--seed S]

A fourth bot, the lean one, shows what a click costs at the least in the real bot's way (`bench.lean_bot`).

Each bot is a process of its own on a Discord of its own. They take turns in blocks, in a different order in each round,
one click at each table a block. At the real bot it is a move in a running game: checked, stored, drawn. Before a block
everybody looks at their hand, which is not measured. `people` are so many clicks under way at the same time. Processor
time is that of the bot's process, and of those that it has started, for each measured click: until the last answer, and
until all that came of it (public message, the other's hand) is done. The ratio is the p50 of one person, real bot by
bare bot with a commit.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from tqdm import tqdm

from bench.arguments import bench_parser, positive, positives
from bench.at_table import AtTable, all_at_once, opened, shuffled
from bench.bare_bot import bare_bot
from bench.bots import Process, real_bot
from bench.chart import bar_chart
from bench.lean_bot import lean_bot
from bench.tail import p99
from testkit.sockets.clicker import Answered, Clicker
from testkit.sockets.server import Discord, discord_on_sockets
from testkit.sockets.world import LAYOUT, UPDATE, Message

TINY: Final = ("--people", "1", "--tables", "2", "--rounds", "1")
QUICK: Final = {"tables": 40, "rounds": 4}
PEOPLE: Final = "1,10,100"
REAL, COMMIT, EMPTY, LEAN = "real", "commit", "empty", "lean"
AFTERMATH: Final = {REAL: 1.6, COMMIT: 0.1, EMPTY: 0.1, LEAN: 0.1}
"""Seconds after a block in which the bot does what came of it."""
LABELS: Final = {
    REAL: "real bot, a move",
    COMMIT: "bare bot, one commit",
    EMPTY: "bare bot, no commit",
    LEAN: "lean bot, one commit",
}
Press = Callable[[], Awaitable[Answered]]


@dataclass
class Block:
    """Seconds of each first answer, and of the processor for each: until the last answer, and with what came of it.

    `deferred` are those whose first answer was that it takes longer.
    """

    seconds: list[float]
    processor: float
    altogether: float
    deferred: int

    @property
    def p50(self) -> float:
        """The median."""
        return median(self.seconds)


@dataclass
class Side:
    """A bot that is measured: how its next clicks are made ready, and what came of them so far."""

    process: Process
    ready: Callable[[], Awaitable[list[Press]]]
    aftermath: float
    blocks: list[Block] = field(default_factory=list)

    async def block(self, people: int, rng: random.Random) -> Block:
        """One click at each table, `people` at a time."""
        presses = shuffled(await self.ready(), rng)
        before = self.process.processor()
        answers = await all_at_once([press() for press in presses], people)
        answered = self.process.processor()
        await asyncio.sleep(self.aftermath)
        deferred = sum(answer.is_deferred for answer in answers)
        if wrong := [answer.kind for answer in answers if answer.kind != UPDATE and not answer.is_deferred]:
            raise RuntimeError(f"{len(wrong)} of {len(answers)} clicks were not answered with a new message: {wrong}")
        each = [answer.seconds for answer in answers]
        return Block(each, (answered - before) / len(each), (self.process.processor() - before) / len(each), deferred)


async def ready_to_move(process: Process, tables: Sequence[AtTable]) -> list[Press]:
    """Everybody looks at their hand; the move that somebody can make at each table."""
    turns = await all_at_once([table.turn() for table in tables], 10)
    await process.settled()
    return [turn.made for turn in turns]


def counted(discord: Discord, channels: Sequence[int]) -> Callable[[], Awaitable[list[Press]]]:
    """Somebody in each channel who presses the first button of the bare bot's message."""
    body = {"flags": LAYOUT, "components": [{"type": 10, "content": "Pressed 0 times."}, {"type": 1, "components": [
        {"type": 2, "style": 2, "label": str(nth), "custom_id": f"bare:0:{nth}"} for nth in range(5)]}]}  # fmt: skip

    async def ready() -> list[Press]:
        return [partial(person.press, message, message.ids()[0]) for person, message in pairs]

    pairs: list[tuple[Clicker, Message]] = []
    for nth, channel in enumerate(channels):
        message = discord.world.post(channel, json.loads(json.dumps(body)), seen_by=1_000 + nth)
        pairs.append((Clicker(discord, 1_000 + nth, "Ann"), message))
    return ready


async def sides(stack: AsyncExitStack, tables: int, folder: str) -> dict[str, Side]:
    """All three bots, running."""
    found = dict[str, Side]()
    for name in LABELS:
        discord = await stack.enter_async_context(discord_on_sockets())
        channels = discord.world.add_guilds(max(1, tables // 10), 10)[:tables]
        if name == REAL:
            process = real_bot(discord, f"sqlite:///{folder}/real.sqlite3")
        elif name == LEAN:
            process = lean_bot(discord, f"{folder}/lean.sqlite3")
        else:
            process = bare_bot(discord, f"{folder}/bare.sqlite3" if name == COMMIT else "")
        stack.push_async_callback(process.end)
        await process.begin()
        if name == REAL:
            there = await opened(discord, channels)
            ready: Any = partial(ready_to_move, process, there)
        else:
            ready = counted(discord, channels)
        found[name] = Side(process, ready, AFTERMATH[name])
    return found


async def measured(people: Sequence[int], tables: int, rounds: int, seed: int) -> dict[int, dict[str, list[Block]]]:
    """The blocks of each bot for each number of people; the first round only warms up."""
    rng, found = random.Random(seed), dict[int, dict[str, list[Block]]]()
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="clicks"))
        there = await sides(stack, tables, folder)
        for number in people:
            found[number] = {name: [] for name in there}
            for nth in tqdm(range(rounds + 1), desc=f"{number} at a time", unit="round", leave=False, disable=None):
                for name in shuffled(list(there), rng):
                    block = await there[name].block(number, rng)
                    if nth:
                        found[number][name].append(block)
    return found


def tail_of(blocks: Sequence[Block]) -> float:
    """The p99 of all answers of these blocks, in seconds: one block has too few for it."""
    return p99(each for block in blocks for each in block.seconds)


def report(people: int, blocks: dict[str, list[Block]]) -> dict[str, float]:
    """Print what was found for a number of people; the p50 of each bot in milliseconds."""
    print(f"\n{people} at a time{'p50 ms':>18}{'(blocks)':>16}{'p99 ms':>9}{'CPU ms':>9}{'and after':>11}")
    middle = {name: median(block.p50 for block in found) * 1000 for name, found in blocks.items()}
    cpu = {name: median(block.processor for block in found) * 1000 for name, found in blocks.items()}
    tail = {name: tail_of(found) * 1000 for name, found in blocks.items()}
    for name, found in blocks.items():
        spread = f"{min(block.p50 for block in found) * 1000:.2f}-{max(block.p50 for block in found) * 1000:.2f}"
        after = median(block.altogether for block in found) * 1000
        print(f"{LABELS[name]:22}{middle[name]:9.2f}{spread:>16}{tail[name]:9.2f}{cpu[name]:9.2f}{after:11.2f}", end="")
        late = sum(block.deferred for block in found)
        print(f"  {late} put off" if late else "")
    for one, other in ((REAL, COMMIT), (REAL, EMPTY), (LEAN, COMMIT)):
        pairs = zip(blocks[one], blocks[other], strict=True)
        each = sorted(mine.p50 / bare.p50 for mine, bare in pairs)
        rounds = f"(rounds {each[0]:.2f}-{each[-1]:.2f})"
        print(f"{LABELS[one]}, by {LABELS[other]}: p50 {middle[one] / middle[other]:.2f} {rounds}, ", end="")
        print(f"p99 {tail[one] / tail[other]:.2f}, CPU {cpu[one] / cpu[other]:.2f}")
    return middle


def drawn(found: dict[int, dict[str, list[Block]]]) -> str:
    """A chart of what a move costs as a multiple of the bare bot with a commit, for each number of people."""
    bars = dict[str, float]()
    for people, blocks in found.items():
        mine, bare = blocks[REAL], blocks[COMMIT]
        bars[f"{people} at a time, p50"] = median(each.p50 for each in mine) / median(each.p50 for each in bare)
        bars[f"{people} at a time, p99"] = tail_of(mine) / tail_of(bare)
        cpu = [median(each.processor for each in blocks) for blocks in (mine, bare)]
        bars[f"{people} at a time, CPU"] = cpu[0] / cpu[1]
    title = "A move as a multiple of a click of the bare bot with one commit"
    return bar_chart(title, bars, unit="×", mark=("bare bot", 1.0), digits=2)


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--people", type=positives, default=PEOPLE, help="clicks at the same time, several with commas")
    parser.add_argument("--tables", type=positive, default=100, help="clicks of a block")
    parser.add_argument("--rounds", type=positive, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--picture", type=Path, help="where a chart of it goes")
    parser.add_argument("--quick", action="store_true", help="fewer tables and rounds")
    options = parser.parse_args(argv)
    if options.quick:
        parser.set_defaults(**QUICK)
        options = parser.parse_args(argv)
    people: list[int] = options.people
    print(f"{options.tables} clicks a block, {options.rounds} rounds, seed {options.seed}, ", end="")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    found = asyncio.run(measured(people, options.tables, options.rounds, options.seed))
    middles: dict[int, dict[str, Any]] = {number: report(number, blocks) for number, blocks in found.items()}
    if options.picture:
        options.picture.write_text(drawn(found), encoding="utf-8")
    middle = middles[people[0]]
    result = {"bench": "clicks", "value": round(middle[REAL], 3), "unit": f"ms, p50 of {people[0]} at a time"}
    result |= {"baseline": round(middle[COMMIT], 3), "ratio": round(middle[REAL] / middle[COMMIT], 3)}
    print(json.dumps(result))
    return 0
