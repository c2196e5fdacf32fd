"""What systemd hears of the process."""

import asyncio
import contextlib
import os
import socket
import tempfile
from pathlib import Path

import pytest

from bot.systemd import supervised
from testkit.offline import MEMORY


class Supervisor:
    """A socket in systemd's place."""

    def __init__(self, folder):
        self.place = str(Path(folder) / "notify")
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.setblocking(False)
        self.line.bind(self.place)

    async def hears(self):
        return (await asyncio.get_running_loop().sock_recv(self.line, 100)).decode()

    def heard(self):
        """All that was said and not yet heard."""
        words = []
        with contextlib.suppress(BlockingIOError):
            while True:
                words.append(self.line.recv(100).decode())
        return words


@pytest.fixture
def supervisor():
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:  # those of pytest and TMPDIR may be too long for a socket
        found = Supervisor(folder)
        yield found
        found.line.close()


def told(supervisor: Supervisor, stop, **more):
    return supervised(stop, environment={"NOTIFY_SOCKET": supervisor.place, **more})


@pytest.mark.parametrize("watchdog", [{}, {"WATCHDOG_USEC": "30000000"}])
async def test_it_is_ready_at_once_and_says_when_it_stops(supervisor: Supervisor, watchdog):
    stop = asyncio.Event()
    async with told(supervisor, stop, **watchdog):
        assert supervisor.heard() == ["READY=1"]
        stop.set()
        assert await supervisor.hears() == "STOPPING=1"


async def test_it_says_that_it_stops_where_it_fails(supervisor: Supervisor):
    with contextlib.suppress(OSError):
        async with told(supervisor, asyncio.Event()):
            raise OSError
    assert supervisor.heard() == ["READY=1", "STOPPING=1"]


async def test_it_gives_signs_of_life_without_asking_its_database(supervisor: Supervisor):
    async with told(supervisor, asyncio.Event(), WATCHDOG_USEC="2", WATCHDOG_PID=str(os.getpid())):
        assert [await supervisor.hears() for _ in range(3)] == ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]


async def test_signs_of_life_come_twice_in_the_time_that_systemd_waits_for_one(supervisor: Supervisor, monkeypatch):
    waits, waiting = [], asyncio.Event()

    async def wait(stop, seconds):
        waits.append(seconds)
        waiting.set()
        await stop.wait()

    monkeypatch.setattr("bot.systemd.wait_for", wait)
    async with told(supervisor, asyncio.Event(), WATCHDOG_USEC="30000000", WATCHDOG_PID=str(os.getpid())):
        await waiting.wait()
    assert waits == [15.0]


async def test_the_watchdog_of_another_process_is_not_fed(supervisor: Supervisor):
    async with told(supervisor, asyncio.Event(), WATCHDOG_USEC="2", WATCHDOG_PID="1"):
        for _ in range(5):
            await asyncio.sleep(0)
    assert "WATCHDOG=1" not in supervisor.heard()


async def test_without_systemd_nothing_is_said():
    async with supervised(asyncio.Event(), environment={}):
        pass
    async with supervised(asyncio.Event(), environment={"NOTIFY_SOCKET": "/nowhere/at/all"}):
        pass
