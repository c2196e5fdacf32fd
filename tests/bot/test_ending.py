"""The end of a real process: told by a signal, it ends in time and by itself."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
USER = {"id": "5", "username": "Cards", "discriminator": "0", "avatar": None, "bot": True}
APPLICATION = {
    "id": "5", "name": "Cards", "description": "", "icon": None, "bot_public": True, "verify_key": "x",
    "bot_require_code_grant": False, "owner": USER, "flags": 0,
}  # fmt: skip


class Discord(BaseHTTPRequestHandler):
    """Knows any token; has no gateway, so that the bot goes on trying."""

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.endswith("/gateway/bot"):
            limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
            found = {"url": "ws://127.0.0.1:9", "shards": 1, "session_start_limit": limit}
        elif self.path.endswith("/emojis"):
            found = {"items": []}
        elif self.path.endswith("/commands"):
            found = []
        else:
            found = USER if self.path.endswith("/users/@me") else APPLICATION
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_POST = answer  # noqa: N815 - names of the base class

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def discord_port():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Discord)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def answers(port, path):
    with socket.create_connection(("127.0.0.1", port), timeout=2) as line:
        line.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        return b"".join(iter(lambda: line.recv(4096), b"")).decode()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_bot_within_eight_seconds_and_frees_its_lease(tmp_path, discord_port, number):
    start = (
        "import yarl, discord.gateway\nfrom discord.http import Route\n"
        f"Route.BASE = 'http://127.0.0.1:{discord_port}/api/v10'\n"
        "discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL('ws://127.0.0.1:9')\n"
        "from bot.__main__ import main\nraise SystemExit(main(['run']))\n"
    )
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "good", "HEALTH_PORT": str(port),
        "DATABASE_URL": f"sqlite:///{tmp_path}/x.sqlite3", "LEASE_WAIT_SECONDS": "0", "LOG_FORMAT": "json",
    }  # fmt: skip
    for _ in range(2):
        process = subprocess.Popen(
            [sys.executable, "-c", start], env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
        )
        for _ in range(300):
            try:
                assert "alive" in answers(port, "/livez")
            except OSError:
                time.sleep(0.1)
            else:
                break
        assert "not connected to Discord" in answers(port, "/readyz")
        began = time.monotonic()
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
        assert time.monotonic() - began < 8
        assert process.returncode == 0, said
        events = [json.loads(line) for line in said.splitlines()]
        assert [event["event"] for event in events[-2:]] == ["stopping", "stopped"]
        assert not [event for event in events if "exception" in event and not event["logger"].startswith("discord")]
