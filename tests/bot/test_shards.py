"""Which servers are whose, and what a process does about its lease."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.shards import EVERY, LASTS, Shards, leased, shard_of
from data.errors import UnavailableError
from data.lease_rows import LeaseTakenError
from data.models import Person

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("shards", "mine"), [(Shards(), True), (Shards(2), True), (Shards(2, (0,)), False)])
def test_a_process_serves_the_servers_of_its_shards(shards, mine):
    guild = 5 << 22
    assert shards.serves(guild) is mine
    assert Shards(2, (1,)).serves(guild)
    assert shard_of(guild, 2) == 1


def test_every_server_is_served_by_exactly_one_process():
    processes = [Shards(6, (0, 1)), Shards(6, (2, 5)), Shards(6, (3, 4))]
    for number in range(500):
        assert sum(each.serves(number * 7_919 << 22) for each in processes) == 1


def test_shards_beyond_their_count_are_refused():
    for count, ids in ((2, (2,)), (0, (0,))):
        with pytest.raises(ValueError, match="below SHARD_COUNT"):
            Shards(count, ids)


async def test_a_process_takes_up_the_tables_of_its_shards_only(house):
    guilds = [number << 22 for number in range(1, 7)]
    for number, guild in enumerate(guilds):
        await house.tables.lobby.open(house.by(Person(id=1, name="Ann"), channel=number, guild=guild))
    found = []
    for shard in (0, 1):
        tables = type(house.tables)(house.store, now=house.time, serves=Shards(2, (shard,)).serves)
        mine = await tables.timekeeping.open_tables()
        assert set(mine) == set(await tables.timekeeping.undrawn_tables())
        assert {(await tables.snapshot(each)).table.guild_id >> 22 & 1 for each in mine} == {shard}
        found += mine
    assert sorted(found) == sorted(await house.tables.timekeeping.open_tables())


async def test_f52_a_second_process_waits_and_refuses_with_a_sentence(house):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    async with leased(house.store, Shards(), lost=lambda: None, holder="first"):
        with pytest.raises(LeaseTakenError, match=r"another process \(first\) runs these shards"):
            async with leased(house.store, Shards(), lost=lambda: None, holder="second", sleep=sleep):
                pass
    assert 44 <= sum(slept) <= 46


async def test_the_lease_is_free_again_at_the_end(house):
    for name in ("first", "second"):
        async with leased(house.store, Shards(), lost=lambda: None, holder=name, wait=0):
            pass


async def test_whoever_loses_the_lease_is_told_once(house):
    lost, ticks = asyncio.Event(), asyncio.Event()

    async def sleep(seconds):
        await ticks.wait()

    async with leased(house.store, Shards(), lost=lost.set, holder="first", sleep=sleep) as epoch:
        await house.store.leases.give_back("first", epoch)
        assert not lost.is_set()
        ticks.set()
        await lost.wait()


def test_f4_f52_a_second_bot_on_the_same_database_ends_with_one_line(tmp_path, empty_database):
    file = tmp_path / "x.sqlite3"
    file.write_bytes(empty_database.read_bytes())
    holding = (
        "import asyncio, sys\nfrom data.store import Store\n"
        f"async def main():\n    store = await Store.open('sqlite:///{file}')\n"
        "    await store.leases.take('the-first', 0, (), 3600)\n    print('held', flush=True)\n"
        "    await asyncio.to_thread(sys.stdin.read)\nasyncio.run(main())\n"
    )
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "x", "LEASE_WAIT_SECONDS": "0",
        "DATABASE_URL": f"sqlite:///{file}",
    }  # fmt: skip
    first = subprocess.Popen(
        [sys.executable, "-c", holding],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout.readline() == "held\n"
    command = [sys.executable, "-m", "bot"]
    second = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert second.returncode == 75
    assert second.stderr.splitlines()[-1] == "cannot start: another process (the-first) runs these shards"


@pytest.mark.parametrize(
    ("answers", "lost_after"), [((False, False), 20), ((True, False, False), 30), ((True, True), None)]
)
async def test_f52_a_lease_counts_as_lost_before_another_process_can_have_it(house, monkeypatch, answers, lost_after):
    seconds, lost, asked = 0.0, asyncio.Event(), asyncio.Event()
    left, renew = list(answers), house.store.leases.renew

    async def sleep(of):
        nonlocal seconds
        if not left:
            asked.set()
            await asyncio.Event().wait()
        seconds += of

    async def answer(*given):
        if not left.pop(0):
            raise UnavailableError("away")
        await renew(*given)

    monkeypatch.setattr(house.store.leases, "renew", answer)
    async with leased(house.store, Shards(), lost=lost.set, sleep=sleep, monotonic=lambda: seconds):
        await (asked if lost_after is None else lost).wait()
    assert lost.is_set() == (lost_after is not None)
    assert lost_after is None or (seconds == lost_after and seconds - EVERY * answers.count(True) < LASTS)
