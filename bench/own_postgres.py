"""A PostgreSQL of its own in a folder, to be killed: Debian's, run by the user `postgres` where root asks for it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, TypedDict

from deploy.cluster.cluster import bin_dir
from testkit.ports import free_port
from testkit.waiting import HANG

IN_FOLDER: Final = "dynamic_shared_memory_type=mmap"
"""Shared memory is in files of its folder. Elsewhere a server that is killed leaves a megabyte of it behind."""


class Account(TypedDict, total=False):
    """Whose processes those of the server are, if not ours: PostgreSQL refuses to run as root."""

    user: str
    group: str
    extra_groups: tuple[str, ...]


class OwnPostgres:
    """A server with an empty database `shithead`, or a standby of another one; no password, on loopback alone."""

    def __init__(self, folder: Path, primary: OwnPostgres | None = None) -> None:
        """Make the database's files in `folder`, which must not exist; a standby copies those of its primary."""
        self._folder, self._port = folder, free_port()
        self._user = Account()
        folder.mkdir(mode=0o700)
        if os.geteuid() == 0:
            self._user = Account(user="postgres", group="postgres", extra_groups=())
            shutil.chown(folder, "postgres", "postgres")
        made = ("--pgdata", str(folder / "data"), "--username", "postgres", "--no-sync")
        if primary is None:
            # With LC_ALL=C the encoding would be SQL_ASCII, and the bot takes none but UTF8.
            self._run("initdb", *made, "--auth", "trust", "--encoding", "UTF8")
        else:
            self._run("pg_basebackup", *made, *primary.place, "--write-recovery-conf", "--checkpoint", "fast")
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def place(self) -> tuple[str, ...]:
        """Where it is, for PostgreSQL's programs."""
        return "--host", "127.0.0.1", "--port", str(self._port)

    @property
    def url(self) -> str:
        """The address for `DATABASE_URL`."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/shithead"

    def url_with(self, other: OwnPostgres) -> str:
        """The address of both, of which the one is asked that takes writes."""
        both = f"127.0.0.1:{self._port},127.0.0.1:{other._port}"
        return f"postgresql://postgres@{both}/shithead?target_session_attrs=read-write"

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        place = (f"port={self._port}", f"unix_socket_directories={self._folder}")
        options = [word for each in (*place, IN_FOLDER) for word in ("-c", each)]
        command = [*self._program("postgres"), "-D", str(self._folder / "data"), *options]
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, **self._user)
        end = time.monotonic() + HANG
        while self._run("pg_isready", *self.place, check=False):
            if time.monotonic() > end:
                raise TimeoutError("PostgreSQL does not start")
            time.sleep(0.1)

    def create(self) -> None:
        """Make the database of the bot."""
        self._run("createdb", *self.place, "--username", "postgres", "shithead")

    def wait_for_standby(self) -> None:
        """Answer no commit from now on that its standby does not have."""
        self._say("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._say("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """Be a standby no more, but take writes."""
        self._say("SELECT pg_promote()")

    def _say(self, statement: str) -> None:
        self._run("psql", *self.place, "--username", "postgres", "--command", statement, "postgres")

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
