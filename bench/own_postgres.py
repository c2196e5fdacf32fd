"""A PostgreSQL of its own in a folder, to be killed: Debian's, run by the user `postgres` where root asks for it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from deploy.cluster.cluster import bin_dir
from testkit.ports import free_port
from testkit.waiting import HANG


class OwnPostgres:
    """A server with an empty database `shithead`; no password, on loopback alone."""

    def __init__(self, folder: Path) -> None:
        """Make the database's files in `folder`, which must not exist."""
        self._folder, self._port = folder, free_port()
        self._user: dict[str, Any] = {}
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            self._user = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        self._run("initdb", "--pgdata", str(folder / "data"), "--username", "postgres", "--auth", "trust", "--no-sync")
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address for `DATABASE_URL`."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/shithead"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        place = ("-c", f"port={self._port}", "-c", f"unix_socket_directories={self._folder}")
        command = [*self._program("postgres"), "-D", str(self._folder / "data"), *place]
        log = (self._folder / "log").open("ab")
        self._server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, **self._user)
        end = time.monotonic() + HANG
        while self._run("pg_isready", "--host", "127.0.0.1", "--port", str(self._port), check=False):
            if time.monotonic() > end:
                raise TimeoutError("PostgreSQL does not start")
            time.sleep(0.1)

    def create(self) -> None:
        """Make the database of the bot."""
        self._run("createdb", "--host", "127.0.0.1", "--port", str(self._port), "--username", "postgres", "shithead")

    def kill(self) -> None:
        """Let it and all that belongs to it die at once."""
        if self._server is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()

    def _program(self, name: str) -> list[str]:
        folder = bin_dir()
        return [str(folder / name) if folder else name]

    def _run(self, name: str, *arguments: str, check: bool = True) -> int:
        command = [*self._program(name), *arguments]
        return subprocess.run(command, cwd=self._folder, capture_output=True, check=check, **self._user).returncode
