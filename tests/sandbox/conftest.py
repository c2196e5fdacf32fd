import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from testkit.waiting import HANG

ROOT = Path(__file__).parents[2]
SANDBOX = ["-m", "sandbox"]


class Sandbox:
    """`python -m sandbox` as a process of its own, up when this is made; what it says on stderr goes into a file."""

    def __init__(self, database, stderr, *arguments):
        command = [sys.executable, *SANDBOX, "--no-browser", "--database", str(database)]
        self._stderr = stderr
        with stderr.open("w") as file:
            self.process = subprocess.Popen(
                [*command, *(("--port", "0") if "--port" not in arguments else ()), *arguments],
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                env=os.environ,
            )
        self.said = []
        self.address = self._address()

    @property
    def errors(self):
        return self._stderr.read_text()

    def _address(self):
        limit = threading.Timer(HANG, self.process.kill)
        limit.start()
        try:
            for line in self.process.stdout:
                self.said.append(line.strip())
                if "Ctrl-C stops" in line:
                    return next("http://" + each.partition("http://")[2] for each in self.said if "http://" in each)
        finally:
            limit.cancel()
        with self.process:
            self.process.kill()
            pytest.fail(f"no address: {self.said} {self.errors}")

    @property
    def port(self):
        return int(self.address.split(":")[2].partition("/")[0])

    def stop(self, how=signal.SIGTERM):
        """Its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            rest, _ = self.process.communicate(timeout=HANG)
        finally:
            self.process.kill()
        self.said += rest.splitlines()
        return self.process.returncode


@pytest.fixture
def sandbox(tmp_path):
    """Starts sandboxes that are stopped at the end; without a name all have the same database."""
    started = []

    def start(*arguments, database=tmp_path / "tables.sqlite3"):
        started.append(Sandbox(database, tmp_path / f"stderr{len(started)}", *arguments))
        return started[-1]

    yield start
    for each in started:
        each.stop()
