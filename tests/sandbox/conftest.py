import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sandbox.driver import browser
from testkit.forked import WORKED_OUT, order
from testkit.waiting import HANG

ROOT = Path(__file__).parents[2]
LOADED = ("sandbox.run", "markdown_it", "linkify_it", "testkit.waiting", *WORKED_OUT)
RUN = (
    "import sys; sys.argv[1:] = {}; from sandbox.__main__ import main; from testkit.waiting import "
    "be_patient, wait_until_settled; be_patient(); wait_until_settled(); main()"
)
"""A busy machine would reach the limits: a click that waited for a second counts as too late, and nothing is done."""


class Sandbox:
    """The sandbox as a process of its own, up when this is made; what it says on stderr goes into a file.

    It is `python -m sandbox`, or, if `forked`, the same from a process that has loaded it already, and more patient.
    """

    def __init__(self, database, stderr, *arguments, forked=True):
        port = ("--port", "0") if "--port" not in arguments else ()
        words = ["--no-browser", "--database", str(database), *port, *arguments]
        self._stderr, self._status = stderr, None
        with stderr.open("w") as file:
            (self._forked if forked else self._begun)(words, file)
        self.said = []
        self.address = self._address()

    def _forked(self, words, stderr):
        ours, theirs = socket.socketpair()
        with ours, theirs, order(LOADED, RUN.format(words), os.environ, theirs, stderr) as told:
            self._out, lines = ours.makefile(), told.makefile()

        def wait():
            with lines:
                return int(lines.readline())

        self._pid, self._wait = int(lines.readline()), wait

    def _begun(self, words, stderr):
        command = [sys.executable, "-m", "sandbox", *words]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True)
        self._out, self._pid, self._wait = process.stdout, process.pid, process.wait

    @property
    def errors(self):
        return self._stderr.read_text()

    def _kill(self, how=signal.SIGKILL):
        with suppress(ProcessLookupError):  # it has ended by itself
            os.kill(self._pid, how)

    @contextmanager
    def _in_time(self):
        limit = threading.Timer(HANG, self._kill)
        limit.start()
        try:
            yield
        finally:
            limit.cancel()

    def _address(self):
        with self._in_time():
            for line in self._out:
                self.said.append(line.strip())
                if "Ctrl-C stops" in line:
                    return next("http://" + each.partition("http://")[2] for each in self.said if "http://" in each)
        self.stop(signal.SIGKILL)
        return pytest.fail(f"no address: {self.said} {self.errors}")

    @property
    def port(self):
        return int(self.address.split(":")[2].partition("/")[0])

    def stop(self, how=signal.SIGTERM):
        """Its exit code."""
        if self._status is None:
            self._kill(how)
            with self._in_time():
                self.said += self._out.read().splitlines()
                self._status = self._wait()
            self._out.close()
        return self._status


@pytest.fixture(scope="module")
def shared_browser(chromium):
    """A browser for a whole file: it runs beside no test that is a coroutine."""
    with browser(chromium) as found:
        yield found


@pytest.fixture
def window(shared_browser):
    """The browser, in which nothing is open; what is opened in it is closed at the end."""
    yield shared_browser
    for each in shared_browser.contexts:
        each.close()


@pytest.fixture
def sandbox(tmp_path):
    """Starts sandboxes that are stopped at the end; without a name all have the same database."""
    started = []

    def start(*arguments, database=tmp_path / "tables.sqlite3", **how):
        started.append(Sandbox(database, tmp_path / f"stderr{len(started)}", *arguments, **how))
        return started[-1]

    yield start
    for each in started:
        each.stop()
