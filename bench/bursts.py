"""Public messages when much happens at once: many moves in one channel, and a move in each of many channels.

    python -m bench bursts [--quick] [--moves N] [--channels N] [--patience S]

In the burst one person plays with computers that do not think. What counts is what Discord heard: edits of that
channel, at most five in any five seconds, and the last state shown when it is over. In the crowd somebody moves in each
channel at the same time; then all messages are to be drawn within Discord's fifty requests a second. How long each
waited, from its move's answer to its edit, says whether they wait fairly. The ratio is the most edits in any five
seconds by the five that Discord takes.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from bench.arguments import above_zero, bench_parser, positive
from bench.at_table import AtTable, Turn, all_at_once, revision
from bench.bots import real_bot
from bench.table_copies import resized
from bench.tables import IN_SERVER, MADE, can_be_made, prepared
from bench.tail import p99
from testkit.sockets.server import Discord, Heard, discord_on_sockets

TINY: Final = ("--moves", "2", "--channels", "2", "--patience", "1")
QUICK: Final = {"moves": 30, "channels": 100}
COMPUTERS: Final = 4
TAKEN: Final = 5
"""Edits of a channel that Discord takes in five seconds."""
REFUSED, TOO_MANY = 400, 429
"""The least status of a request that was not taken, and that of one too many."""
PATIENCE: Final = 300.0
SHOWN_WITHIN: Final = 60.0
"""The most seconds until the last state is shown, on a machine that does much else."""
CHANNEL_ROUTE: Final = "/channels/{channel}/messages"
UNCOUNTED: Final = ("/interactions", "/webhooks")


class Burst(NamedTuple):
    """What became of many moves in one channel."""

    moves: int
    seconds: float
    edits: list[float]
    is_shown: bool
    refused: int


class Crowd(NamedTuple):
    """What became of a move in each channel: seconds until each was drawn, and requests in the busiest second."""

    waited: list[float]
    busiest: int
    refused: int


def most_within(times: Sequence[float], seconds: float) -> int:
    """The most of these moments, in order, that lie in any such stretch of time."""
    return max((sum(at <= each < at + seconds for each in times[nth:]) for nth, at in enumerate(times)), default=0)


async def burst(file: Path, moves: int) -> Burst:
    """So many moves, as fast as they can be made."""
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(discord_on_sockets())
        (channel,) = discord.world.add_guilds(1)
        heard: list[Heard] = []
        process = real_bot(discord, f"sqlite:///{file}", THINKING_SECONDS="0")
        stack.push_async_callback(process.end)
        await process.begin()
        table = AtTable(discord, channel, 1_000, COMPUTERS)
        await table.open()
        turn = await table.turn()
        await process.settled()
        discord.listeners.append(heard.append)
        first, begun = revision(turn.hand), time.perf_counter()
        while revision(turn.hand) - first < moves:
            await turn.made()
            turn = await table.turn()
        seconds = time.perf_counter() - begun
        await process.settled()
        seen, made = revision((await table.turn()).hand), revision(turn.hand) - first
        is_shown = await comes_to_show(discord, table, seen)
    edits = [each for each in heard if each.route.startswith(CHANNEL_ROUTE)]
    refused = sum(each.status == TOO_MANY for each in edits)
    return Burst(made, seconds, [each.at for each in edits], is_shown, refused)


async def comes_to_show(discord: Discord, table: AtTable, seen: int) -> bool:
    """Whether the public message shows this revision, now or soon.

    A process that is not given the processor, or waits with its next edit, looks as if it had settled.
    """
    with suppress(TimeoutError):
        async with asyncio.timeout(SHOWN_WITHIN):
            return await discord.until(lambda: table.public is not None and revision(table.public) == seen)
    return False


async def crowd(folder: Path, channels: int, patience: float) -> Crowd:
    """A move in each channel, all at once, at tables that have had `patience` seconds to settle."""
    made = min(MADE, channels)
    originals, servers = await prepared(folder / "made.sqlite3", made, 0, patience), -(-made // IN_SERVER)
    resized(folder / "made.sqlite3", folder / "crowd.sqlite3", made, channels, servers << 22)
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(discord_on_sockets())
        discord.world.emojis = originals[0].discord.world.emojis
        discord.world.add_guilds(servers * channels // made, IN_SERVER)
        process = real_bot(discord, f"sqlite:///{folder}/crowd.sqlite3")
        stack.push_async_callback(process.end)
        await process.begin()
        tables = [each.copied(discord, nth * servers << 22) for nth in range(channels // made) for each in originals]
        turns = await all_at_once([table.turn() for table in tables], 10)
        await process.settled()
        heard: list[Heard] = []
        discord.listeners.append(heard.append)
        answered = dict(await all_at_once([moved(turn) for turn in turns], 100))
        drawn: dict[int, float] = {}

        def all_drawn() -> bool:
            drawn.update({int(each.parts["channel"]): each.at for each in edits_of(heard)})
            return drawn.keys() >= answered.keys()

        async with asyncio.timeout(PATIENCE):
            await discord.until(all_drawn)
    counted = [each.at for each in heard if not each.route.startswith(UNCOUNTED)]
    waited = [max(0.0, drawn[channel] - at) for channel, at in answered.items()]
    return Crowd(waited, most_within(counted, 1.0), sum(each.status == TOO_MANY for each in heard))


def edits_of(heard: Sequence[Heard]) -> list[Heard]:
    """The edits that were taken."""
    return [each for each in heard if each.route.startswith(CHANNEL_ROUTE) and each.status < REFUSED]


async def moved(turn: Turn) -> tuple[int, float]:
    """Make a move; its channel and when it was answered."""
    await turn.made()
    return turn.hand.channel, time.perf_counter()


def main(argv: Sequence[str]) -> int:
    """Measure and print; the last line is JSON. Status 1 if the last state is not shown."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--moves", type=positive, default=50)
    parser.add_argument("--channels", type=positive, default=1_000)
    parser.add_argument("--patience", type=above_zero, default=PATIENCE, help="seconds that tables may take to settle")
    parser.add_argument("--quick", action="store_true", help="fewer moves and channels")
    options = parser.parse_args(argv)
    if options.quick:
        parser.set_defaults(**QUICK)
        options = parser.parse_args(argv)
    if not can_be_made(options.channels):
        parser.error(f"argument --channels: from {MADE} on only multiples of {MADE}")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="bursts") as folder:
        one = asyncio.run(burst(Path(folder) / "burst.sqlite3", options.moves))
        many = asyncio.run(crowd(Path(folder), options.channels, options.patience))
    most = most_within(one.edits, 5.0)
    print(f"burst: {one.moves} moves in {one.seconds:.1f} s, {len(one.edits)} edits, {most} at most in 5 s, ", end="")
    print(f"{one.refused} refused, the last state is {'shown' if one.is_shown else 'NOT shown'}")
    middle, tail = median(many.waited), p99(many.waited)
    print(f"crowd: {len(many.waited)} channels, waited {middle:.1f} s p50, {tail:.1f} s p99, ", end="")
    print(f"{max(many.waited):.1f} s at most; {many.busiest} requests in the busiest second, {many.refused} refused")
    result = {"bench": "bursts", "value": most, "unit": "edits of a channel in 5 s", "baseline": TAKEN}
    print(json.dumps(result | {"ratio": round(most / TAKEN, 2)}))
    return 0 if one.is_shown else 1
