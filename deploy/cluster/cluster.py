"""Three PostgreSQL nodes that replace each other, on this machine: `python deploy/cluster/cluster.py start FOLDER`.

Each node runs etcd, Patroni and PostgreSQL. HAProxy gives the primary one address, and PgBouncer is in front of it.
The files beside this one are the configuration for real machines; here everything listens on loopback, to try out the
failure of a node. This needs Debian's packages postgresql, patroni, python3-etcd, etcd-server, haproxy and pgbouncer,
and keeps everything in FOLDER. Started by root, it runs as the user `postgres`, because PostgreSQL refuses to run as
root.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from string import Template
from typing import Any, Final

HERE: Final = Path(__file__).parent
HOST: Final = "127.0.0.1"
NODES: Final = (1, 2, 3)
PROGRAMS: Final = ("etcd", "patroni", "haproxy", "pgbouncer")
READY_WITHIN: Final = 120.0
"""Seconds within which three nodes are created and one of them becomes primary."""
SETTLES: Final = 2.5
"""Seconds until HAProxy knows which two of the three nodes are not primary; until then it may pick any of them."""


class ClusterError(Exception):
    """The cluster cannot be started, or does not come up."""


def missing() -> list[str]:
    """The programs that have to be installed first, and python3-etcd if Patroni is there without it."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    found = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if (patroni := shutil.which("patroni", path=path)) and not _reaches_etcd(patroni):
        found.append("python3-etcd")
    return found if bin_dir() else [*found, "postgresql"]


def _reaches_etcd(patroni: str) -> bool:
    """Whether the Python that runs Patroni has the client for etcd; Debian 13 may install Patroni without it."""
    python = Path(patroni).read_text(encoding="utf-8", errors="replace").partition("\n")[0].removeprefix("#!").split()
    if "python" not in str(python):
        return True  # a program of another kind, which cannot be asked
    return subprocess.run([*python, "-c", "import etcd"], capture_output=True, check=False).returncode == 0


def bin_dir() -> Path | None:
    """The folder with the programs of the newest PostgreSQL, in Debian's layout."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    return max(folders, key=lambda folder: float(folder.parent.name), default=None)


class Cluster:
    """A cluster in a folder. It uses `base_port` and the sixty ports above it."""

    def __init__(self, folder: Path, base_port: int = 15400) -> None:
        """Describe the cluster; `start` starts it."""
        self.folder = folder.absolute()
        self.base_port = base_port
        self.pooler_port = base_port + 50
        self.primary_port = base_port + 40

    def port(self, kind: str, node: int) -> int:
        """The port of a part of a node; `kind` is etcd, peer, postgres or rest."""
        return self.base_port + {"etcd": 0, "peer": 10, "postgres": 20, "rest": 30}[kind] + node

    @property
    def password(self) -> str:
        """The one password for everything, created at the first start."""
        return (self.folder / "password").read_text(encoding="ascii")

    @property
    def url(self) -> str:
        """The address for `DATABASE_URL`, through PgBouncer."""
        return f"postgresql://postgres:{self.password}@{HOST}:{self.pooler_port}/shithead"

    # Starting and stopping

    def start(self) -> None:
        """Start everything and wait until a standby has what the primary has.

        Raises:
            ClusterError: programs are missing, ports are taken, or it does not come up in time.
        """
        if lacking := missing():
            raise ClusterError(f"please install {', '.join(lacking)}")
        self._make_folder()
        for node in NODES:
            self._start_etcd(node)
        for node in NODES:
            self._start_patroni(node)
        self._wait(self.is_whole, "no primary with two standbys")
        self._create_database()
        self._start_front()
        self._wait(self.takes_writes, "nothing can be written through PgBouncer")

    def stop(self) -> None:
        """Stop all programs, in order; the folder stays."""
        patronis, etcds = ([f"{kind}{node}" for node in NODES] for kind in ("patroni", "etcd"))
        for names in (["pgbouncer", "haproxy"], patronis, etcds):
            self._end(names, signal.SIGTERM)
        for node in NODES:
            self.kill_postgres(node)

    def _make_folder(self) -> None:
        taken = [port for port in range(self.base_port, self.base_port + 61) if _listens(port)]
        if taken:
            raise ClusterError(f"the ports {', '.join(map(str, taken))} are taken: choose another --base-port")
        for folder in (self.folder, *(self.folder / f"node{node}" for node in NODES)):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (self.folder / "password").exists():
            (self.folder / "password").write_text(secrets.token_hex(16), encoding="ascii")
        users = f'"postgres" "{self.password}"\n'
        (self.folder / "users.txt").write_text(users, encoding="ascii")
        if _is_root():
            subprocess.run(["chown", "-R", "postgres:postgres", str(self.folder)], check=True)

    def _start_etcd(self, node: int) -> None:
        peers = ",".join(f"node{n}=http://{HOST}:{self.port('peer', n)}" for n in NODES)
        peer, client = (f"http://{HOST}:{self.port(kind, node)}" for kind in ("peer", "etcd"))
        folder = self.folder / f"node{node}" / "etcd"
        self._run(
            f"etcd{node}", "etcd", "--name", f"node{node}", "--data-dir", str(folder), "--initial-cluster", peers,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--listen-client-urls", client, "--advertise-client-urls", client, "--log-level", "warn",
        )  # fmt: skip

    def _start_patroni(self, node: int) -> None:
        hosts = ",".join(f"{HOST}:{self.port('etcd', n)}" for n in NODES)
        file = self._filled(
            "patroni.yml", f"node{node}/patroni.yml", node=node, host=HOST, network=f"{HOST}/32", etcd_hosts=hosts,
            rest_port=self.port("rest", node), postgres_port=self.port("postgres", node), password=self.password,
            folder=self.folder / f"node{node}", bin_dir=bin_dir(),
        )  # fmt: skip
        self._run(f"patroni{node}", "patroni", str(file))

    def _start_front(self) -> None:
        servers = "\n".join(
            f"    server node{n} {HOST}:{self.port('postgres', n)} check port {self.port('rest', n)}" for n in NODES
        )
        values = {"host": HOST, "primary_port": self.primary_port, "pooler_port": self.pooler_port}
        haproxy = self._filled("haproxy.cfg", "haproxy.cfg", servers=servers, **values)
        pooler = self._filled("pgbouncer.ini", "pgbouncer.ini", folder=self.folder, **values)
        self._run("haproxy", "haproxy", "-db", "-f", str(haproxy))
        time.sleep(SETTLES)
        self._run("pgbouncer", "pgbouncer", str(pooler))

    def _create_database(self) -> None:
        port = self.port("postgres", self.primary())
        if not self._ask(port, "postgres", "SELECT 1 FROM pg_database WHERE datname = 'shithead'"):
            self._ask(port, "postgres", "CREATE DATABASE shithead")

    def _ask(self, port: int, database: str, statement: str) -> str:
        """The result of a statement as text; empty if it fails."""
        address = f"host={HOST} port={port} user=postgres dbname={database}"
        command = ["psql", "--quiet", "--tuples-only", "--no-align", "--dbname", address, "--command", statement]
        environment = {**os.environ, "PGPASSWORD": self.password, "PGCONNECT_TIMEOUT": "5"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout.strip()

    def _filled(self, template: str, name: str, **values: Any) -> Path:
        file = self.folder / name
        file.write_text(Template((HERE / template).read_text(encoding="utf-8")).substitute(values), encoding="utf-8")
        return file

    def _run(self, name: str, program: str, *arguments: str) -> None:
        """Start a program that outlives this one; its output goes to NAME.log, its process id to NAME.process."""
        note = self.folder / f"{name}.process"
        detached = ["setsid", "--fork", "sh", "-c", 'echo $$ >"$0" && exec "$@"', str(note), program, *arguments]
        user: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if _is_root() else {}
        environment = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin", "HOME": str(self.folder)}
        with (self.folder / f"{name}.log").open("ab") as log:
            subprocess.run(
                detached, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, env=environment,
                check=True, **user,
            )  # fmt: skip
        self._wait(lambda: note.exists() and note.read_text(encoding="ascii").strip(), f"{name} does not start")

    # Status

    def primary(self) -> int:
        """The number of the primary node, 0 if there is none."""
        return next((node for node in NODES if self._status(node, "/primary") == HTTPStatus.OK), 0)

    def synchronous(self) -> int:
        """The number of the node that has every acknowledged commit, 0 if there is none."""
        return next((node for node in NODES if self._status(node, "/synchronous") == HTTPStatus.OK), 0)

    def takes_writes(self) -> bool:
        """Whether the address for the bot leads to a primary."""
        return self._ask(self.pooler_port, "shithead", "SHOW transaction_read_only") == "off"

    def is_whole(self) -> bool:
        """Whether there is a primary, both others follow it, and one of them has every acknowledged commit."""
        paths = ("/primary", "/replica?lag=1MB", "/synchronous")
        found = [sum(self._status(node, path) == HTTPStatus.OK for node in NODES) for path in paths]
        return found == [1, 2, 1]

    def _status(self, node: int, path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.port('rest', node)}{path}", timeout=2) as answer:
                answer.read()
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    def _wait(self, there: Callable[[], Any], otherwise: str) -> None:
        end = time.monotonic() + READY_WITHIN
        while not there():
            if time.monotonic() > end:
                raise ClusterError(f"{otherwise} after {READY_WITHIN:.0f} seconds; the logs are in {self.folder}")
            time.sleep(0.2)

    # Faults

    def kill_node(self, node: int) -> None:
        """Kill a whole node at once, as if its machine had lost power."""
        self._end([f"patroni{node}"], signal.SIGKILL)
        self.kill_postgres(node)
        self._end([f"etcd{node}"], signal.SIGKILL)

    def kill_postgres(self, node: int) -> None:
        """Kill only PostgreSQL, so that its Patroni notices."""
        file = self.folder / f"node{node}" / "postgres" / "postmaster.pid"
        with suppress(FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            os.kill(int(file.read_text(encoding="utf-8").split()[0]), signal.SIGKILL)

    def revive(self, node: int) -> None:
        """Restart a dead node, and wait until the cluster is whole."""
        for kind, start in (("etcd", self._start_etcd), ("patroni", self._start_patroni)):
            if not (self.folder / f"{kind}{node}.process").exists():
                start(node)
        self._wait(self.is_whole, f"node {node} does not follow the primary")

    def _end(self, names: list[str], number: signal.Signals) -> None:
        """Send a signal to several programs, then wait until all of them have ended."""
        files = [file for name in names if (file := self.folder / f"{name}.process").exists()]
        for file in files:
            with suppress(ProcessLookupError):
                os.kill(int(file.read_text(encoding="ascii")), number)
        for file in files:
            _wait_for_end(int(file.read_text(encoding="ascii")))
            file.unlink()


def _is_root() -> bool:
    return os.geteuid() == 0


def _listens(port: int) -> bool:
    with socket.socket() as trial:
        trial.settimeout(1)
        return trial.connect_ex((HOST, port)) == 0


def _wait_for_end(process: int) -> None:
    """Wait until a process has ended; kill it after 30 seconds."""
    end = time.monotonic() + 30
    while Path(f"/proc/{process}/cmdline").exists() and Path(f"/proc/{process}/cmdline").read_bytes():
        if time.monotonic() > end:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.05)


def main() -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("verb", choices=("start", "stop", "status"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--base-port", type=int, default=15400)
    asked = parser.parse_args()
    cluster = Cluster(asked.folder, asked.base_port)
    try:
        match asked.verb:
            case "start":
                cluster.start()
                print(f"DATABASE_URL={cluster.url}")
            case "stop":
                cluster.stop()
            case _:
                print(json.dumps({"primary": cluster.primary(), "synchronous": cluster.synchronous()}))
    except (ClusterError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
