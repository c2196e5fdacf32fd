"""Several bots on three PostgreSQL nodes: one is killed, then the primary, then the network of one bot is cut.

    python -m bench cluster [--processes 2] [--tables 20] [--moves 6] [--games 500]

The cluster of deploy/cluster/ (Patroni, etcd, HAProxy, and PgBouncer in transaction mode) on loopback, and so many
`python -m bot`, each with its part of four shards and kept alive as the recipes do it, on one Discord made of sockets.
People play at all tables the whole time. For each fault the seconds until each shard was served again, counted from the
kill, or from the moment when the network is whole again. With `--games` people play until so many games have ended, and
the faults come after a half, two thirds and five sixths of them. At the end what people were answered and have seen is
compared with the database.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tqdm import tqdm

from bench.arguments import above_zero, bench_parser, positive
from bench.cable import Cable
from bench.kept_alive import KeptAlive, now
from bench.regulars import Balance, Notes, balance, playing, until
from bench.scenes import SETTLES, delivered_again, over
from bot.shards import shard_of
from deploy.cluster.cluster import Cluster, missing
from testkit.sockets.server import Discord, discord_on_sockets

SHARDS: Final = 4
MOVES: Final = 6.0
"""Moves a second at all tables together, unless another number is asked for."""
CUT: Final = 30.0
"""Seconds for which the network is cut: longer than a lease lasts."""
WATCHED: Final = 20.0
LONGEST: Final = 300.0
SHOWN: Final = 5


@dataclass
class Bots:
    """Several bots, each on a cable of its own to the database."""

    discord: Discord
    cluster: Cluster
    bots: Sequence[KeptAlive]
    cables: Sequence[Cable]
    notes: Notes


@asynccontextmanager
async def bots_on(cluster: Cluster, processes: int) -> AsyncGenerator[Bots]:
    """So many bots, all of whose shards are there."""
    async with AsyncExitStack() as stack:
        discord = await stack.enter_async_context(discord_on_sockets(shards=SHARDS, max_concurrency=16))
        discord.limits.is_on = False
        bots, cables, each = list[KeptAlive](), list[Cable](), SHARDS // processes
        for nth in range(processes):
            cable = Cable(cluster.pooler_port)
            url = cluster.url.replace(f":{cluster.pooler_port}/", f":{await cable.begin()}/")
            stack.push_async_callback(cable.end)
            ids = ",".join(str(nth * each + shard) for shard in range(each))
            settings = {"SHARD_COUNT": str(SHARDS), "SHARD_IDS": ids, "TABLES_AS": "text"}
            bot = KeptAlive(discord, url, cluster.folder / f"bot{nth}.log", **settings)
            stack.push_async_callback(bot.end)
            await bot.begin()
            bots.append(bot)
            cables.append(cable)
        await discord.until(lambda: len(discord.gateway.sessions) == SHARDS)
        yield Bots(discord, cluster, bots, cables, Notes())


async def bot_killed(there: Bots) -> None:
    """One of the processes is killed."""
    await there.bots[0].kill()


async def primary_killed(there: Bots) -> None:
    """The machine of the primary dies: its PostgreSQL, its Patroni, its etcd."""
    await asyncio.to_thread(there.cluster.kill_node, there.cluster.primary())


async def network_cut(there: Bots) -> None:
    """One process and its database hear nothing of one another for a while."""
    there.cables[0].cut()
    await asyncio.sleep(CUT)
    there.cables[0].mend()


FAULTS: Final = {
    "a process killed": bot_killed,
    "the primary's node killed": primary_killed,
    f"network between one process and the database cut for {CUT:.0f} s": network_cut,
}


async def served_again(
    there: Bots, fault: Callable[[Bots], Awaitable[None]], players: Sequence[asyncio.Task[None]]
) -> list[float]:
    """Do it, and wait until every table goes on; the seconds until each shard was served again.

    Raises:
        TimeoutError: a table does not go on; the message says which, and what can be pressed there.
    """
    primary, begun = there.cluster.primary(), now()
    await fault(there)
    ended = now()
    try:
        async with asyncio.timeout(LONGEST):
            await until(lambda: now() > ended + WATCHED and there.notes.have_gone_on(ended), players)
    except TimeoutError:
        raise TimeoutError(stuck(there, ended)) from None
    await delivered_again(there.discord)
    if fault is primary_killed:
        await asyncio.to_thread(there.cluster.revive, primary)
    return first_answers(there, begun if fault is primary_killed else ended, ended)


def first_answers(there: Bots, since: float, ended: float) -> list[float]:
    """Seconds from a moment until each shard was served for the first time after the fault had ended.

    A node takes a while to kill, in which its database still answers.
    """
    found = [LONGEST] * SHARDS
    for channel, times in there.notes.channels.items():
        shard = shard_of(there.discord.world.guild_of(channel), SHARDS)
        found[shard] = min(found[shard], *(at - since for at in times if at > ended))
    return found


def stuck(there: Bots, since: float) -> str:
    """How many tables there are where nobody was answered since, and the buttons on the public messages of a few."""
    found = list[str]()
    for channel, times in there.notes.channels.items():
        if not times or times[-1] <= since:
            public = (each for each in there.discord.world.messages.values() if each.seen_by is None)
            shown = [" ".join(each.ids()) or "no buttons" for each in public if each.channel == channel]
            found.append(f"channel {channel}: {' | '.join(shown) or 'no message'}")
    return "\n".join((f"nobody was answered at {len(found)} of {len(there.notes.channels)} tables", *found[:SHOWN]))


async def games_ended(there: Bots, wanted: float, of: int, players: Sequence[asyncio.Task[None]]) -> None:
    """Let people play until so many games have ended, and show how far they are."""
    with tqdm(total=of, initial=len(there.notes.ended), unit="game", leave=False, disable=None) as bar:

        def is_enough() -> bool:
            bar.update(len(there.notes.ended) - bar.n)
            return len(there.notes.ended) >= wanted

        await until(is_enough, players)


async def tried(
    cluster: Cluster, processes: int, tables: int, moves: float = MOVES, games: int = 0
) -> tuple[dict[str, list[float]], Balance]:
    """All faults, one after another, on a cluster that is there; and what the database says at the end."""
    found: dict[str, list[float]] = {}
    async with bots_on(cluster, processes) as there:
        channels = there.discord.world.add_guilds(tables)
        for guild in there.discord.world.guilds.values():
            await there.discord.gateway.tell(int(guild["id"]), "GUILD_CREATE", guild)
        players = await playing(there.discord, channels, there.notes, tables / moves)
        for nth, (name, fault) in enumerate(FAULTS.items()):
            await games_ended(there, games * (len(FAULTS) + nth) / (2 * len(FAULTS)), games, players)
            found[name] = await served_again(there, fault, players)
            print(f"| {name} | {processes} | {' | '.join(f'{each:.1f}' for each in found[name])} |", flush=True)
        await games_ended(there, games, games, players)
        await over(players)
        await asyncio.sleep(SETTLES)
        for bot in there.bots:
            await bot.end()
        return found, await balance(cluster.url, there.discord, there.notes)


def main(argv: Sequence[str] = ()) -> int:
    """Start the cluster, try the faults, print; 1 where a promise was broken."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--processes", type=positive, choices=(1, 2, 4), default=2)
    parser.add_argument("--tables", type=positive, default=20)
    parser.add_argument("--moves", type=above_zero, default=MOVES, help="moves a second at all tables together")
    parser.add_argument("--games", type=positive, default=0, help="play until so many games have ended")
    options = parser.parse_args(argv)
    if lacking := missing():
        print(f"please install {', '.join(lacking)}")
        return 2
    print(f"{options.tables} tables, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"| fault | processes | seconds until shards 0 to {SHARDS - 1} were served again |")
    folder, stays = Path(tempfile.mkdtemp(prefix="cluster-")), False
    cluster = Cluster(folder, 20_000 + os.getpid() % 10_000)
    try:
        cluster.start()
        found, books = asyncio.run(tried(cluster, **vars(options)))
    except TimeoutError as error:
        stays = True
        print(f"{error}\nThe logs stay in {folder}.")
        return 1
    finally:
        cluster.stop()
        if not stays:
            shutil.rmtree(folder)
    print(f"answered {books.answered}, lost {books.lost}, doubled {books.doubled}, orphans {books.orphans}")
    longest = max(max(each) for each in found.values())
    print(json.dumps({"bench": "cluster", "value": round(longest, 1), "unit": "s"}))
    return 0 if books.is_even else 1
