"""Whole games through the doorway: memory held after each thousand of them, and bytes that a game takes permanently.

    python -m bench doorway [--games N] [--seed S] [--folder F]

One person who plays like the computer and one or two computers, no pauses, on an SQLite file. The doorway keeps
fewer tables than usual in memory, so that its bound is reached in the first thousand games; from then on resident
memory must stay flat. The ratio is memory at the end by memory after the first tenth. Bytes are those of the file,
without the ids of clicks, which are kept for a week, and those of the row with the game's record.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import resource
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from statistics import median
from typing import Final

from structlog.testing import capture_logs
from tqdm import tqdm

from bench.arguments import bench_parser, positive
from bot.clock import Clock
from data.models import Person
from data.store import Store
from game.players import quick_player
from tables.services import Tables
from tables.snapshots import Request

GAMES: Final = 10_000
TINY: Final = ("--games", "20")
CACHED: Final = 250
CHANNELS: Final = 50
GUILD, ANN = 900, Person(id=1, name="Ann")
MEBI: Final = 1 << 20


def resident() -> int:
    """Bytes of memory that the process holds now; the most it ever held where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


class Evening:
    """One game after the other."""

    def __init__(self, tables: Tables, seed: int) -> None:
        """Let time pass at the tables without pauses."""
        self._tables, self._rng, self._ids = tables, random.Random(seed), count(1)
        self._clock = Clock(tables, now=lambda: datetime.now(UTC), thinking=0)
        tables.listeners.append(self._clock.changed)
        self.moves = 0

    def _ask(self, channel: int, table: int = 0, seen: int = 0) -> Request:
        return Request(next(self._ids), ANN, GUILD, channel, table, seen)

    async def game(self, channel: int) -> None:
        """From the lobby to the end."""
        tables = self._tables
        table = (await tables.lobby.open(self._ask(channel))).table.id
        for _ in range(self._rng.randint(1, 2)):
            await tables.lobby.add_computer(self._ask(channel, table))
        snapshot = (await tables.play.start(self._ask(channel, table))).snapshot
        while snapshot.table.status == "playing":
            hand = await tables.play.hand(self._ask(channel, table))
            if hand.view.moves or hand.view.may_choose:
                move, seen = quick_player.choose(hand.view, self._rng), hand.snapshot.table.revision
                await tables.play.act(self._ask(channel, table, seen), move)
            await self._clock.tick()
            snapshot = await tables.snapshot(table)
        self.moves += snapshot.moves


def room(file: Path, games: int) -> str:
    """What a game takes in the file of a database that is closed."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("DELETE FROM clicks")
        connection.execute("VACUUM")
        names = [row[1] for row in connection.execute("PRAGMA table_info(games)")]
        size = " + ".join(f"coalesce(length({name}), 0)" for name in names)
        rows = f"SELECT {size} FROM games WHERE dealt_at IS NOT NULL ORDER BY 1"  # noqa: S608 - names of the schema
        records = [row[0] for row in connection.execute(rows)]
    whole = f"{file.stat().st_size / games:.0f} bytes with table, seats and result"
    return f"a game takes {whole}; its record {median(records):.0f}, at most {records[-1]}"


async def play(games: int, seed: int, folder: Path) -> tuple[list[int], int, str]:
    """Resident memory after each tenth of the games, how many moves there were, and what the games take."""
    store = await Store.open(f"sqlite:///{folder}/doorway.sqlite3")
    evening, held, tenth = Evening(Tables(store, cached=CACHED), seed), list[int](), max(games // 10, 1)
    for number in tqdm(range(1, games + 1), desc="doorway", unit="game", disable=None):
        await evening.game(number % CHANNELS)
        if number % tenth == 0:
            gc.collect()
            held.append(resident())
            tqdm.write(f"{number} games: {held[-1] / MEBI:.1f} MiB")
    await store.close()
    return held, evening.moves, room(folder / "doorway.sqlite3", games)


def main(argv: Sequence[str] = ()) -> int:
    """Play and report."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--games", type=positive, default=GAMES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the database is; one in memory saves the disk")
    options = parser.parse_args(argv)
    begun = time.perf_counter()
    with capture_logs(), tempfile.TemporaryDirectory(prefix="doorway", dir=options.folder) as folder:
        held, moves, taken = asyncio.run(play(options.games, options.seed, Path(folder)))
    seconds = time.perf_counter() - begun
    print(f"seed {options.seed}, {options.games} games, {moves} moves, {seconds:.0f} s")
    print(taken)
    result = {"bench": "doorway", "value": round(held[-1] / MEBI, 1), "unit": "MiB"}
    print(json.dumps(result | {"baseline": round(held[0] / MEBI, 1), "ratio": round(held[-1] / held[0], 3)}))
    return 0
