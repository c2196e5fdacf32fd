"""What can be known of the image without an engine: its file is read, and what it says is done here."""

import asyncio
import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from aiohttp import web

from bot.health import served
from testkit.ports import free_port
from testkit.waiting import HANG
from testkit.wire import discord_there, start_code

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
LAST = DOCKERFILE.rpartition("\nFROM ")[2]
HEALTH = json.loads(re.search(r"HEALTHCHECK[^\[]*(\[.*?\])\n", LAST, re.DOTALL)[1])


def files(folder):
    """Every file with what could tell that it was written."""
    return {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*"))}


def well(port, **settings):
    """Whether the image's question about its health is answered with yes."""
    command, env = [sys.executable, *HEALTH[1:]], {**os.environ, "HEALTH_PORT": str(port), **settings}
    if port is None:
        del env["HEALTH_PORT"]
    return subprocess.run(command, env=env, capture_output=True, check=False, timeout=HANG).returncode == 0


@pytest.fixture
def image(tmp_path):
    """The folder of the image as it is copied."""
    folder = tmp_path / "bot"
    folder.mkdir()
    for source, target in re.findall(r"^COPY (?!--from)(\S+) (\S+)$", LAST, re.MULTILINE):
        if (ROOT / source).is_dir():
            shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / source, folder / target)
    (tmp_path / "data").mkdir()
    return folder


@pytest.mark.long
async def test_what_the_image_holds_is_enough_and_nothing_is_written_but_data(image, tmp_path):
    port, before = free_port(), files(image)
    set_there = dict(re.findall(r"\b([A-Z][A-Z_]+)=(\S+)", LAST.partition("ENV ")[2].partition("USER ")[0]))
    env = {
        **set_there, "PATH": os.environ["PATH"], "PYTHONPATH": str(image), "HOME": "/nonexistent",
        "DATABASE_URL": set_there["DATABASE_URL"].replace("/data/", f"{tmp_path}/data/"), "HEALTH_PORT": str(port),
        "DISCORD_TOKEN": "good",
    }  # fmt: skip
    async with discord_there() as wire:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", start_code(wire.port), cwd=image, env=env, stderr=asyncio.subprocess.PIPE
        )
        try:
            await wire.until(lambda: wire.sessions["identify"])
            await wire.command("shithead", "start")
            async with asyncio.timeout(HANG):  # the image asks again and again, too
                while not await asyncio.to_thread(well, port):
                    pass
            process.terminate()
            said = (await process.communicate())[1].decode()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    assert process.returncode == 0, said
    assert all(json.loads(line) for line in said.splitlines())
    assert not well(port)
    assert files(image) == before
    assert {path.name.partition(".")[0] for path in (tmp_path / "data").iterdir()} == {"shithead"}


class Alive:
    errors = logging.NullHandler()
    status = 200

    async def livez(self, _):
        return web.Response(status=self.status)

    readyz = metrics = livez


def can_listen(host):
    """Whether this machine has an address; not every one has IPv6."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
            trial.bind((host, 0))
    except OSError:
        return False
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="the image is Linux")
@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::"])
async def test_the_image_asks_where_the_health_pages_listen_and_asks_no_proxy(host):
    if not can_listen(host):
        pytest.skip("this machine has no such address")
    alive, nowhere = Alive(), f"http://127.0.0.1:{free_port()}"
    async with served(alive, 0, host) as port:
        well_there = partial(well, port, HEALTH_HOST=host, http_proxy=nowhere, HTTP_PROXY=nowhere)
        assert await asyncio.to_thread(well_there)
        alive.status = 503
        assert not await asyncio.to_thread(well_there)
    assert not await asyncio.to_thread(well_there)


@pytest.mark.parametrize("port", ["0", "", None])
def test_a_container_without_health_pages_counts_as_healthy(port):
    assert well(port)


def test_the_image_writes_where_its_volume_is_and_runs_as_nobody_of_importance():
    assert re.search(r"^VOLUME /data$", LAST, re.MULTILINE)
    assert re.search(r"^RUN install -d -o (\d+) -g \1 /data$", LAST, re.MULTILINE)
    assert "PYTHONDONTWRITEBYTECODE=1" in LAST
    assert 'ENTRYPOINT ["python", "-m", "bot"]' in LAST
