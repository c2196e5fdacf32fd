"""Which servers are whose, and what a process does about its lease."""

import asyncio
import errno
import os
import re
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.shards import (
    LEASE_SECONDS,
    RETRY_SECONDS,
    Shards,
    is_dead,
    leased,
    name_of_process,
    shard_of,
)
from data.errors import UnavailableError
from data.lease_rows import FARTHEST, LeaseLostError, LeaseTakenError, MovedError
from data.models import Person
from tables.snapshots import Declined
from testkit.offline import Offline
from testkit.stored import execute, file_of
from testkit.waiting import HANG, RENEWAL, run_to_end

ROOT = Path(__file__).parents[2]
AWAY = UnavailableError("away")


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


async def test_a_process_takes_up_the_tables_of_its_shards_only(house: Offline):
    guilds = [number << 22 for number in range(1, 7)]
    for number, guild in enumerate(guilds):
        await house.tables.lobby.open(house.by(Person(id=1, name="Ann"), channel=number, guild=guild))
    found = []
    for shard in (0, 1):
        tables = type(house.tables)(house.store, now=house.time, serves=Shards(2, (shard,)).serves)
        mine = await tables.timekeeping.open_tables()
        assert set(mine) == set(await tables.timekeeping.undrawn_tables())
        assert set(mine) == {each.table.id for each in await tables.timekeeping.resting(timedelta())}
        assert {(await tables.snapshot(each)).table.guild_id >> 22 & 1 for each in mine} == {shard}
        found += mine
    assert sorted(found) == sorted(await house.tables.timekeeping.open_tables())


@pytest.fixture
def stop():
    return asyncio.Event()


async def test_f52_a_second_process_refuses_with_a_sentence(house: Offline, stop):
    async with leased(house.store, Shards(), stop=stop, wait=0, name="first"):
        with pytest.raises(LeaseTakenError, match=r"another process \(first\) runs these shards"):
            async with leased(house.store, Shards(), stop=stop, wait=0, name="second"):
                pass


async def test_whoever_waits_for_a_lease_is_stopped_at_once(house: Offline, stop):
    async with leased(house.store, Shards(), stop=asyncio.Event(), wait=0, name="first"):
        asyncio.get_running_loop().call_soon(stop.set)
        async with asyncio.timeout(HANG), leased(house.store, Shards(), stop=stop, wait=3600, name="second") as lease:
            assert not lease.is_good


async def test_whoever_waits_for_a_lease_takes_it_as_soon_as_it_has_expired(house: Offline, stop, monkeypatch):
    async def still_taken(*_args):
        monkeypatch.setattr(house.store.leases, "take", take)
        raise LeaseTakenError("first", 1, 0.3, otherwise_counted=False)

    async def noted(_stop, seconds):
        waited.append(seconds)

    waited, take = [], house.store.leases.take
    monkeypatch.setattr(house.store.leases, "take", still_taken)
    monkeypatch.setattr("bot.shards.wait_for", noted)
    async with leased(house.store, Shards(), stop=stop, wait=45, name="second") as lease:
        assert lease.is_good
    assert waited == [0.3], "not a second, so that nobody waits longer than a lease lasts"


async def test_the_lease_is_free_again_at_the_end(house: Offline, stop):
    for name in ("first", "second"):
        async with leased(house.store, Shards(), stop=stop, wait=0, name=name) as lease:
            assert lease.is_good


@pytest.fixture
def ended():
    """A process that has ended, although nobody has asked yet how, and its name."""
    say = "from bot.shards import name_of_process as name; print(name())"
    with subprocess.Popen((sys.executable, "-c", say), stdout=subprocess.PIPE, text=True) as process:
        name = process.stdout.read().strip()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        yield process, name


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
async def test_a_process_that_died_on_this_machine_is_not_waited_for(house: Offline, stop, ended, monkeypatch):
    async def noted(*args):
        tries.append(args)
        return await take(*args)

    process, name = ended
    assert is_dead(name), "a container without an init never asks"
    process.wait()
    tries, take = [], house.store.leases.take
    await take(name, 0, (), LEASE_SECONDS)
    monkeypatch.setattr(house.store.leases, "take", noted)
    async with leased(house.store, Shards(), stop=stop, wait=0) as lease:
        assert lease.is_good
    assert len(tries) == 2, "its lease did not have to run out"


async def test_a_process_that_lives_or_is_elsewhere_is_never_taken_for_dead():
    host, number, *rest = name_of_process().rsplit("-", 3)
    for name in (name_of_process(), "-".join((host, number, rest[0], "elsewhere")), "vps-4711-1-abc", "a-b-c-d"):
        assert not is_dead(name)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
async def test_a_process_whose_number_another_one_has_by_now_is_dead():
    *same, _, scope = name_of_process().rsplit("-", 3)
    assert is_dead("-".join((*same, "1", scope)))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
@pytest.mark.parametrize("error", [None, PermissionError], ids=["its own", "of another user"])
async def test_a_process_that_lives_is_not_taken_for_dead_where_the_system_hides_it(monkeypatch, error):
    def forbidden(_number, _signal):
        raise error

    name = name_of_process()
    monkeypatch.setattr("bot.shards._stat", lambda _number: [])
    if error:
        monkeypatch.setattr(os, "kill", forbidden)
    assert not is_dead(name)


async def test_a_process_of_an_unknown_machine_is_never_taken_for_dead(monkeypatch):
    monkeypatch.setattr("bot.shards._scope", lambda: "")
    host, *_ = name_of_process().rsplit("-", 3)
    assert not is_dead(f"{host}-999999999-1-")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
async def test_a_process_before_the_last_boot_or_on_a_copy_of_the_machine_is_never_taken_for_dead(ended, monkeypatch):
    def of_another_boot(file, *args, **named):
        return "another" if file.name == "boot_id" else read(file, *args, **named)

    _, name = ended
    assert is_dead(name)
    read = Path.read_text
    monkeypatch.setattr(Path, "read_text", of_another_boot)
    assert not is_dead(name)


class Night:
    """A process whose time and database do what a test wants; the next renewals fail by `errors`."""

    def __init__(self, house: Offline, monkeypatch, stop):
        self.house, self.stop, self.at = house, stop, 0.0
        self.errors, self.takes, self.note = [], 0, lambda: None
        self._renew = house.store.leases.renew
        self._wake, self._asleep = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr(house.store.leases, "renew", self.renew)

    def lease(self):
        return leased(
            self.house.store, Shards(), stop=self.stop, wait=0, name="first", sleep=self.sleep, seconds=lambda: self.at
        )

    async def renew(self, *given):
        self.at += self.takes
        self.note()
        if self.errors:
            raise self.errors.pop()
        await self._renew(*given)

    async def sleep(self, of):
        self._asleep.set()
        await self._wake.wait()
        self._wake.clear()
        self.at += of

    async def next(self):
        """Let the next renewal come, and wait until it is done; not if it was the last."""
        self._asleep.clear()
        self._wake.set()
        asleep, stopped = (asyncio.ensure_future(each.wait()) for each in (self._asleep, self.stop))
        await asyncio.wait({asleep, stopped}, return_when=asyncio.FIRST_COMPLETED)
        asleep.cancel()
        stopped.cancel()

    async def set_clock(self, seconds):
        """Set the clock of the database, seen from the lease."""
        await execute(self.house.store.database, f"UPDATE leases SET until = until - {seconds}", fenced=False)

    async def open_table(self):
        await self.house.tables.lobby.open(self.house.by(Person(id=1, name="Ann")))


@pytest.fixture
def night(house: Offline, monkeypatch, stop):
    return Night(house, monkeypatch, stop)


async def test_a_machine_that_slept_answers_nothing_until_its_lease_is_renewed_and_goes_on(night: Night):
    async with night.lease() as lease:
        await night.next()
        night.at += 35
        await night.set_clock(35)
        assert not lease.is_good
        await night.next()
        assert lease.is_good
        await night.open_table()
    assert not night.stop.is_set()


async def test_once_a_late_lease_is_renewed_nothing_waits_on_an_old_connection(night: Night, monkeypatch):
    replaced, told = [], []
    monkeypatch.setattr(night.house.store.database, "replace_connections", lambda: replaced.append(True))
    async with night.lease() as lease:
        await asyncio.sleep(0)  # until the first pause has begun
        for seconds in (0, 35, 0):
            night.at += seconds
            await night.next()
            told.append((lease.is_good, len(replaced)))
    assert told == [(True, 0), (True, 1), (True, 1)]


async def test_what_begins_as_a_process_that_stood_still_wakes_is_not_cut_once_its_lease_is_renewed(
    night: Night, monkeypatch
):
    order = []
    monkeypatch.setattr(night.house.store.database, "replace_connections", lambda: order.append("replaced"))
    night.errors, night.note = [AWAY, AWAY], lambda: order.append("asked")
    async with night.lease() as lease:
        await asyncio.sleep(0)  # until the first pause has begun
        night.at += 90
        for _ in range(4):
            await night.next()
        assert lease.is_good
    assert order == ["replaced", "asked"] * 3 + ["asked"]


@pytest.mark.parametrize("hours", [1, -1])
async def test_a_clock_that_is_set_ends_no_lease(night: Night, hours):
    async with night.lease() as lease:
        await night.set_clock(hours * 3600)
        assert lease.is_good
        await night.next()
        assert lease.is_good
    assert not night.stop.is_set()


@pytest.mark.parametrize(("away", "slept", "told"), [(30, 0, [False, True]), (5, 0, []), (0, 600, [])])
async def test_a_lease_that_is_late_is_told_but_not_sleep_for_which_the_clock_of_the_machine_is_moved(
    night: Night, away, slept, told
):
    heard, night.errors = [], [AWAY] * away
    with capture_logs() as logs:
        async with night.lease() as lease:
            lease.on_change = heard.append
            night.at += slept
            for _ in range(away + 3):
                await night.next()
    assert heard == told
    said = [(each["event"], each["log_level"]) for each in logs if "why" not in each]
    late, back = ("nothing is answered until the lease is renewed", "warning"), ("answering again", "info")
    assert said == [late, back][: len(told)]


async def test_a_process_whose_renewals_end_by_an_error_ends_with_it(night: Night):
    def broken(_is_good):
        raise ValueError

    async def play():
        async with night.lease() as lease:
            lease.on_change = broken
            while not night.stop.is_set():
                await night.next()

    night.errors = [AWAY] * 30
    with pytest.raises(ValueError, match=r"^$"):
        await play()


async def test_a_process_whose_renewals_somebody_cancels_ends_as_well(night: Night):
    async def play():
        async with night.lease():
            await night.next()

    night.errors = [asyncio.CancelledError()]
    async with asyncio.timeout(HANG):
        (ended,) = await asyncio.gather(play(), return_exceptions=True)
    assert night.stop.is_set()
    assert isinstance(ended, asyncio.CancelledError)


@pytest.mark.parametrize("away", [13, 30, 600])
async def test_a_database_that_was_away_or_locked_is_waited_for(night: Night, away):
    night.errors = [AWAY] * away
    async with night.lease() as lease:
        was_good = []
        for renewal in range(away + 1):
            await night.next()
            was_good.append((night.at, lease.is_good))
            assert lease.trouble == ("away" if renewal < away else "")
        assert was_good[-1][1]
        assert [at for at, good in was_good[:-1] if good and at >= LEASE_SECONDS] == []
    assert not night.stop.is_set()


async def test_one_renewal_that_hangs_does_not_make_the_lease_late(night: Night, monkeypatch, real_budgets):
    was_good, replaced = [], []
    monkeypatch.setattr(night.house.store.database, "replace_connections", lambda: replaced.append(night.at))
    night.errors, night.takes = [TimeoutError()], real_budgets[RENEWAL]
    night.note = lambda: was_good.append(lease.is_good)
    async with night.lease() as lease:
        await night.next()
        assert (len(replaced), lease.trouble) == (1, "the database does not answer in time")
        await night.next()
        assert (was_good, lease.is_good, len(replaced)) == ([True, True], True, 1)


async def test_a_lease_counts_from_when_it_was_asked_for(night: Night, monkeypatch):
    take = night.house.store.leases.take

    async def slow(*given):
        holding = await take(*given)
        night.at += LEASE_SECONDS  # the answer comes when another process may have it
        return holding

    monkeypatch.setattr(night.house.store.leases, "take", slow)
    async with night.lease() as lease:
        assert not lease.is_good


async def test_a_renewal_that_fails_by_an_error_of_the_program_is_tried_again_in_a_second(night: Night):
    tries = []
    night.errors, night.note = [KeyError()], lambda: tries.append(night.at)
    async with night.lease() as lease:
        await night.next()
        assert (lease.trouble, lease.is_good) == ("an error of the program, see its log", True)
        await night.next()
        assert (lease.trouble, lease.is_good) == ("", True)
    assert tries[1] - tries[0] == RETRY_SECONDS
    assert not night.stop.is_set()


async def test_the_end_does_not_wait_for_a_database_that_hangs(night: Night, monkeypatch):
    async def hangs(*_):
        await asyncio.Event().wait()

    monkeypatch.setattr("bot.shards.LAST_REQUEST_SECONDS", 0)
    monkeypatch.setattr(night.house.store.leases, "give_back", hangs)
    async with asyncio.timeout(HANG), night.lease():
        pass


async def be_taken_over(night: Night):
    async with night.lease() as lease:
        await night.set_clock(3600)
        await night.house.store.leases.take("second", 0, (), LEASE_SECONDS)
        with pytest.raises(Declined, match="saving-failed"):
            await night.open_table()
        await night.next()
        assert night.stop.is_set()
        assert not lease.is_good


async def test_only_if_another_process_has_the_shards_this_one_ends_and_writes_nothing(night: Night):
    with pytest.raises(LeaseLostError, match="another process has taken"):
        await be_taken_over(night)
    assert await night.house.store.tables.open_ids() == ()


@pytest.mark.parametrize("new", [None, b"another"])
async def test_if_its_file_is_moved_away_the_bot_stores_nothing_more_and_ends(night: Night, new):
    with pytest.raises(MovedError, match="was moved, replaced or deleted while the bot ran"):
        await have_its_file_moved(night, new)


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ESTALE])
async def test_a_disk_that_fails_for_a_moment_is_not_taken_for_a_moved_file(night: Night, monkeypatch, number):
    def fail(*_):
        raise OSError(number, os.strerror(number))

    async with night.lease():
        with monkeypatch.context() as disk:
            disk.setattr("data.sqlite.os.stat", fail)
            await night.next()
        await night.next()
        assert not night.stop.is_set()


async def have_its_file_moved(night: Night, new):
    async with night.lease():
        file = file_of(night.house.store.database)
        file.rename(file.with_name("moved.sqlite3"))
        if new is not None:
            file.write_bytes(new)
        with pytest.raises(Declined, match="saving-failed"):
            await night.open_table()
        await night.next()
        assert night.stop.is_set()


def test_f4_f52_a_second_bot_on_the_same_database_ends_with_one_line(tmp_path, empty_database):
    file = tmp_path / "x.sqlite3"
    file.write_bytes(empty_database.read_bytes())
    seconds = FARTHEST - 60  # a slow machine may take a minute to start a bot
    holding = (
        "import asyncio, sys\nfrom data.store import Store\n"
        f"async def main():\n    store = await Store.open('sqlite:///{file}')\n"
        f"    await store.leases.take('vps-4711-1-abc', 0, (), {seconds})\n    print('held', flush=True)\n"
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
    second = run_to_end(*command, env=environment, cwd=tmp_path)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert second.returncode == 75
    assert re.fullmatch(
        r"cannot start: another process \(vps-4711-1-abc\) runs these shards, with process id 4711 on vps: "
        r"stop it or its service first; if it is already gone, wait \d+ s",
        second.stderr.splitlines()[-1],
    )
