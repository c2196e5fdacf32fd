"""`python -m sandbox` as a command."""

import errno
import logging
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import structlog
from simcord import Env

from sandbox.driver import browser
from sandbox.kept import Kept
from sandbox.options import Options
from sandbox.run import _print_welcome, main
from sandbox.world import found
from testkit.ports import free_port
from testkit.waiting import HANG, run_to_end

ROOT = Path(__file__).parents[2]
FIRST_STATEMENT = 6
"""The line of sandbox/__main__.py from which on Ctrl-C ends it without a word."""


def answers(address):
    try:
        with urllib.request.urlopen(address, timeout=HANG) as reply:
            return reply.status == 200
    except urllib.error.URLError:
        return False


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_its_address_and_ends_when_told(sandbox, how):
    one = sandbox(forked=False)
    assert answers(one.address)
    assert (one.stop(how), one.errors) == (0, "")
    assert not answers(one.address)
    assert one.said[-1] == "Stopped."
    assert any("Viewing as" in line and "/shithead start" in line for line in one.said)


def test_the_command_that_was_typed_stands_in_its_help():
    command = [sys.executable, "-m", "sandbox", "--help"]
    done = run_to_end(*command, check=True)
    assert done.stdout.startswith("usage: make play ARGS=... [-h] [--fresh]")


def play_at(place):
    """Run the sandbox in this process, with its tables in this file, until it ends by itself."""
    log, config = logging.getLogger(), structlog.get_config()
    handlers, level = log.handlers[:], log.level
    try:
        return main(["--no-browser", "--port", "0", "--database", str(place)])
    finally:
        log.handlers[:] = handlers
        log.setLevel(level)
        structlog.configure(**config)


def test_on_a_full_disk_it_names_its_own_option(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("data.sqlite.tempfile.TemporaryFile", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
    assert play_at(tmp_path / "tables.sqlite3") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "(no space left): make room, let the bot enter and write there, or name another with --database)" in line


@pytest.mark.parametrize("at", [0, 100], ids=["not a database", "damaged"])
def test_tables_that_are_no_more_are_said_to_be_so_without_what_only_a_host_has(at, capsys, monkeypatch, tmp_path):
    place = tmp_path / "tables.sqlite3"
    monkeypatch.setattr("sandbox.run.PLACE", place)
    monkeypatch.setattr("sandbox.kept.PLACE", place)
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
    connection.close()
    content = place.read_bytes()
    place.write_bytes(content[:at] + b"x" * (len(content) - at))
    assert play_at(place) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("the kept tables cannot be used (")
    assert line.endswith("; make play ARGS=--fresh forgets them")
    assert not [word for word in ("DATABASE_URL", "backup", "hosting") if word in line]


def test_a_machine_on_which_no_page_can_be_served_is_one_line(capsys, monkeypatch, tmp_path):
    refused = OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address")
    monkeypatch.setattr("aiohttp.web.TCPSite.start", Mock(side_effect=refused))
    assert play_at(tmp_path / "tables.sqlite3") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "no page can be shown: cannot assign requested address; this machine needs 127.0.0.1"


def test_it_says_where_tables_are_kept(capsys, monkeypatch, tmp_path):
    place = Kept(tmp_path / "tables.sqlite3", is_kept=True)
    monkeypatch.setattr("sandbox.run.PLACE", place.path)
    _print_welcome(Options(browser=False), place, SimpleNamespace(url="http://127.0.0.1:8080/#x"))
    assert f"Tables are kept in {place.path} (make play ARGS=--fresh forgets them)." in capsys.readouterr().out


def test_it_says_who_may_change_the_settings_of_the_server(capsys, simcord_env: Env):
    world = found(simcord_env)
    (owner,) = [each.name for each in world.people if each.id == world.server.owner.id]
    place = Kept(ROOT / "tables.sqlite3", is_kept=True)
    _print_welcome(Options(browser=False), place, SimpleNamespace(url="http://127.0.0.1:8080/#x"))
    assert f"{owner.capitalize()} alone manages the server" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("system", "screen", "wanted", "opened"),
    [
        ("linux", "DISPLAY", True, True),
        ("linux", "WAYLAND_DISPLAY", True, True),
        ("linux", "", True, False),
        ("darwin", "", True, True),
        ("linux", "DISPLAY", False, False),
        ("darwin", "", False, False),
    ],
)
def test_a_browser_is_opened_where_one_can_be_shown_and_is_wanted(system, screen, wanted, opened, monkeypatch):
    pages, before = [], set(threading.enumerate())
    monkeypatch.setattr("webbrowser.open", pages.append)
    monkeypatch.setattr("sys.platform", system)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.setenv(name, ":0" if name == screen else "")
    page = SimpleNamespace(url="http://127.0.0.1:8080/#x")
    _print_welcome(Options(browser=wanted), Kept(ROOT / "tables.sqlite3", is_kept=True), page)
    for each in set(threading.enumerate()) - before:
        each.join(HANG)
    assert pages == [page.url] * opened


@pytest.mark.long
@pytest.mark.parametrize("after", [0.05, 0.2, 0.4, 0.6, 0.9, 1.2])
def test_ctrl_c_while_it_starts_ends_it_and_leaves_no_traceback(after, tmp_path):
    database = str(tmp_path / "t.sqlite3")
    command = [sys.executable, "-m", "sandbox", "--no-browser", "--port", "0", "--database", database]
    # Measuring coverage would be imported before anything of ours, and that import can swallow the signal.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(after)
        process.send_signal(signal.SIGINT)
        try:
            errors = process.communicate(timeout=HANG)[1]
        finally:
            process.kill()
    assert "Traceback" not in errors.replace(at_the_very_start(errors), "")


def at_the_very_start(errors):
    """What Python itself says when it is interrupted before our first statement has been run."""
    ours = {(name, int(line)) for name, line in re.findall(r'/sandbox/(\w+)\.py", line (\d+)', errors)}
    return errors if all(name == "__main__" and line <= FIRST_STATEMENT for name, line in ours) else ""


def test_it_takes_another_port_where_its_own_is_taken_and_says_so(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        one = sandbox("--port", str(port))
        assert one.port != port
        assert one.said[0] == f"Port {port} is taken or not allowed, so it is {one.port} this time."
        assert answers(one.address)


def test_it_takes_the_port_it_is_given(sandbox):
    port = free_port()
    one = sandbox("--port", str(port))
    assert one.port == port
    assert not any("taken" in line for line in one.said)


def test_a_second_one_keeps_its_hands_off_the_tables_of_the_first(sandbox):
    first, second = sandbox(), sandbox("--fresh")
    assert not any("Another sandbox" in line for line in first.said)
    assert any("Another sandbox" in line for line in second.said)
    assert first.stop() == 0
    assert second.stop() == 0
    assert second.said[-1] == "Stopped; these tables are forgotten."


@pytest.fixture
def in_this_process(monkeypatch):
    """`main`, which leaves the logs as they are."""
    monkeypatch.setattr("sandbox.run.set_up_logs", lambda *_: None)
    return main


def test_tables_of_a_newer_program_are_left_alone_and_fresh_helps(tmp_path, capsys, sandbox, in_this_process):
    place = tmp_path / "tables.sqlite3"
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
        connection.execute("CREATE TABLE tables (id INTEGER)")
    connection.close()
    assert in_this_process(["--no-browser", "--port", "0", "--database", str(place)]) == 1
    assert "--fresh with the same --database forgets them" in capsys.readouterr().err
    one = sandbox("--fresh", database=place)
    assert one.stop() == 0


def test_a_clock_before_discord_began_is_said_in_a_line(tmp_path, capsys, in_this_process):
    place, began = tmp_path / "tables.sqlite3", datetime(1970, 1, 1, 0, 5, tzinfo=UTC)
    assert in_this_process(["--no-browser", "--port", "0", "--database", str(place)], now=lambda: began) == 1
    assert capsys.readouterr().err == "the clock of this machine is wrong: it says 1970-01-01; set it\n"
    assert not place.exists()


def test_a_place_that_cannot_be_written_is_said_in_a_line(tmp_path, capsys, in_this_process):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert in_this_process(["--no-browser", "--database", str(blocked / "tables.sqlite3")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.browser
def test_a_browser_is_also_found_by_its_name(tmp_path, monkeypatch, chromium):
    (tmp_path / "our-browser").symlink_to(chromium)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with browser("our-browser") as window:
        assert window.version
