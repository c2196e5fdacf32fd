"""The end of a real process: told by a signal, it ends by itself and in order."""

import asyncio
import json
import os
import shutil
import signal
import socket
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from bot import __version__
from bot.connection import stopped_by_signals
from data.backup import back_up
from data.lease_rows import FARTHEST
from data.migrate import NEWEST
from data.store import Store, database_at
from testkit.offline import MEMORY
from testkit.waiting import HANG, run_to_end
from testkit.wire import ROOT, Bot, discord_there

STARTING = {"event": "starting", "version": __version__, "schema": NEWEST, "shards": "all"}
TRYING = ("retrying", "trying again", "no card faces, cards are text")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_bot_in_order_and_frees_its_lease(tmp_path, number):
    async with discord_there() as wire:
        wire.has_gateway = False
        bot = Bot(wire, tmp_path / "x.sqlite3")
        for _ in range(2):  # the second would find the lease taken
            asked = len(wire.asked)
            await bot.begin("run", level="INFO", form="json")
            try:
                await wire.until(lambda before=asked: len(wire.asked) > before)
                assert await bot.page("/livez") == "alive\n"
                assert "not connected to Discord" in await bot.page("/readyz")
                bot.process.send_signal(number)
            finally:
                status, _, said = await bot.ended()
            assert status == 0, said
            said = [json.loads(line) for line in said]
            # Until it is told, and a moment longer, it goes on trying to reach Discord and to have its faces there.
            own = [event for event in said if not event["logger"].startswith("discord")]
            ending = [event["event"] for event in own if not any(map(event["event"].count, TRYING))]
            assert ending[-2:] == ["stopping", "stopped"]
            assert own[-1]["event"] == "stopped"
            assert not [event for event in own if "exception" in event]
            assert own[0].items() >= {**STARTING, "database": f"the file {bot.file}"}.items()


LOADING = """
import os, signal, sys
import bot.__main__
signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background a shell has it ignored
class Told:
    def find_spec(self, name, *_):
        if name == "bot.command_line":
            os.kill(os.getpid(), signal.SIGTERM)
sys.meta_path.insert(0, Told())
sys.exit(bot.__main__.main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("verb", "status"), [([], 0), (["run"], 0), (["backup", "x"], -signal.SIGTERM)])
def test_a_bot_that_is_told_to_end_while_it_loads_ends_at_once_with_0_and_a_backup_does_not(verb, status):
    done = run_to_end(sys.executable, "-c", LOADING, *verb, env={"PATH": ""})
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")
    assert not (ROOT / "x").exists()


OPENING = """
import os, signal, sys
import bot.__main__
from bot import command_line
def main(*_):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        return 5  # an exception is lost here
command_line.main = main
bot.__main__.main(["run"])
"""


def test_a_bot_that_is_told_to_end_while_it_opens_its_database_ends_where_an_exception_would_be_lost():
    assert run_to_end(sys.executable, "-c", OPENING, env={"PATH": ""}).returncode == 0


def test_ctrl_c_while_it_loads_is_no_traceback_however_it_was_called():
    """The command `shithead` calls `main`, `python -m bot` runs the module."""
    code = LOADING.replace("SIGTERM", "SIGINT")
    done = run_to_end(sys.executable, "-c", code, "doctor", env={"PATH": ""})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_is_no_traceback_where_an_import_would_wrap_its_exception_in_another():
    telling = "type('Made', (), {'told': type('Telling', (), {'__set_name__': lambda *_: os.kill(os.getpid(), 2)})()})"
    code = LOADING.replace("os.kill(os.getpid(), signal.SIGTERM)", telling)
    done = run_to_end(sys.executable, "-c", code, "doctor", env={"PATH": ""})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


WRITING = """
import os, signal, sys
import bot.__main__, data.backup
signal.signal(signal.{number}, signal.SIG_IGN if "ignored" in sys.argv else signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
def told(*given, **options):
    os.kill(os.getpid(), signal.{number})
    return real(*given, **options)
real, data.backup.{during} = data.backup.{during}, told
sys.exit(bot.__main__.main(["backup", "x"]))
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "more", "status"),
    [("SIGINT", [], 130), ("SIGTERM", [], 130), ("SIGHUP", [], 130), ("SIGHUP", ["ignored"], 0)],
)
@pytest.mark.parametrize("during", ["_write_all", "verify", "migrate.require_complete"])
def test_a_backup_that_is_told_to_end_leaves_no_draft_unless_the_signal_is_ignored(
    tmp_path, empty_database, number, more, status, during
):
    environment = {"PATH": "", "PYTHONPATH": str(ROOT)}
    shutil.copy(empty_database, tmp_path / "shithead.sqlite3")
    code = WRITING.format(number=number, during=during)
    done = run_to_end(sys.executable, "-c", code, *more, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (status, "")
    assert [each.name for each in tmp_path.glob("x*")] == ([] if status else ["x"])


RESTORING = """
import os, signal, sys
import bot.__main__, data.backup
signal.signal(signal.SIGINT, signal.default_int_handler)
def told(connection, cancelled, **options):
    rows = real(connection, cancelled, **options)
    os.kill(os.getpid(), signal.{number})
    cancelled.wait()
    return rows
real, data.backup._insert_all = data.backup._insert_all, told
sys.exit(bot.__main__.main(["restore", "x"]))
"""


@pytest.mark.long
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_a_restore_that_is_told_to_end_when_it_is_nearly_done_is_completed_and_says_so(
    tmp_path, empty_database, number
):
    async with database_at(f"sqlite:///{empty_database}") as database:
        await back_up(database, tmp_path / "x")
    code = RESTORING.format(number=number)
    done = run_to_end(sys.executable, "-c", code, env={"PATH": "", "PYTHONPATH": str(ROOT)}, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "restored from x (database rows: 0)\n", "")


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_signal_ends_a_bot_at_once_that_waits_for_a_database_that_hangs(tmp_path, number, status):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"postgresql://me@127.0.0.1:{server.getsockname()[1]}/x"
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "x", "DATABASE_URL": url}
        command, pipe = (sys.executable, "-m", "bot"), asyncio.subprocess.PIPE
        bot = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, env=env, stderr=pipe)
        asked, _ = await asyncio.wait_for(asyncio.to_thread(server.accept), HANG)
        # Before its first message asyncpg would say of a connection that ends that nobody had asked for its end.
        assert len(await asyncio.wait_for(asyncio.to_thread(asked.recv, 8), HANG)) == 8
        bot.send_signal(number)
        _, said = await asyncio.wait_for(bot.communicate(), HANG)
        asked.close()
    assert (bot.returncode, said) == (status, b"")


async def test_a_bot_that_was_killed_is_followed_at_once_by_the_next(tmp_path):
    async with discord_there() as wire:
        bot = Bot(wire, tmp_path / "x.sqlite3")  # which waits for no lease
        for sessions in (1, 2):
            await bot.begin("run")
            await wire.until(lambda now=sessions: wire.sessions["identify"] == now)
            await bot.kill()


async def test_a_bot_whose_shards_another_process_has_taken_ends_with_one_line_and_75(tmp_path):
    async with discord_there() as wire:
        bot = Bot(wire, tmp_path / "x.sqlite3")
        await bot.begin("run", level="ERROR")
        await wire.until(lambda: wire.sessions["identify"])
        with closing(sqlite3.connect(bot.file)) as connection, connection:
            connection.execute("UPDATE leases SET holder = 'elsewhere', epoch = epoch + 1")
        status, _, said = await bot.ended()
        assert (status, said) == (75, ["stopped: another process has taken these shards"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_bot_that_waits_for_the_lease_of_another(tmp_path, number):
    async with discord_there() as wire:
        bot = Bot(wire, tmp_path / "x.sqlite3")
        store = await Store.open(f"sqlite:///{bot.file}")
        await store.leases.take("elsewhere", 0, (), FARTHEST - 60)  # a slow bot may start a minute later
        await store.close()
        await bot.begin("run", level="INFO", lease_wait=HANG)
        try:
            await bot.says("waiting for another process")
            bot.process.send_signal(number)
        finally:
            status, _, said = await bot.ended()
        assert status == 0, said
        assert not wire.asked


async def test_signals_are_heard_where_the_loop_cannot_listen_to_them(monkeypatch):
    def not_here(*_):
        raise NotImplementedError  # as on Windows

    monkeypatch.setattr(type(asyncio.get_running_loop()), "add_signal_handler", not_here)
    before = signal.getsignal(signal.SIGINT)
    for number in (signal.SIGTERM, signal.SIGINT):
        stop = asyncio.Event()
        async with stopped_by_signals(stop):
            signal.raise_signal(number)
            await stop.wait()
    assert signal.getsignal(signal.SIGINT) is before


async def test_systemd_hears_that_it_runs_while_discord_is_away_and_that_it_ends(tmp_path):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(Path(folder) / "notify"))
        systemd.setblocking(False)
        async with discord_there() as wire:
            wire.silent = True
            bot = Bot(wire, tmp_path / "x.sqlite3")
            await bot.begin("run", NOTIFY_SOCKET=systemd.getsockname(), WATCHDOG_USEC="60000000")
            await wire.until(lambda: wire.asked)
            status, _, _ = await bot.stop()
        assert status == 0
        assert [systemd.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]
