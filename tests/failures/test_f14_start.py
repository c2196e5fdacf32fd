"""Discord turns the bot away for good: F14."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest
from aiohttp import web

from tests.bot.test_ending import APPLICATION, USER

ROOT = Path(__file__).parents[2]
BAD_CONFIGURATION = 78
HELLO, IDENTIFY = 10, 2
START = """
import yarl, discord.gateway
from discord.http import Route
Route.BASE = "http://127.0.0.1:{port}/api/v10"
discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL("ws://127.0.0.1:{port}/gateway")
from bot.__main__ import main
raise SystemExit(main(["run"]))
"""


class TurnsAway:
    """A Discord that lets the bot log in and closes its connection with `code`."""

    def __init__(self):
        self.port, self.code, self.connections = 0, 1000, 0
        self.app = web.Application()
        self.app.router.add_get("/gateway", self.connect)
        self.app.router.add_get("/gateway/", self.connect)
        self.app.router.add_route("*", "/{rest:.*}", self.answer)

    async def connect(self, request):
        line = web.WebSocketResponse()
        await line.prepare(request)
        self.connections += 1
        await line.send_json({"op": HELLO, "d": {"heartbeat_interval": 41_250}, "s": None, "t": None})
        while (await line.receive_json())["op"] != IDENTIFY:
            pass
        await line.close(code=self.code)
        return line

    async def answer(self, request):
        if request.path.endswith("/gateway/bot"):
            limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
            found = {"url": f"ws://127.0.0.1:{self.port}/gateway", "shards": 1, "session_start_limit": limit}
        elif request.path.endswith("/emojis"):
            found = {"items": []}
        elif request.path.endswith("/commands"):
            found = []
        else:
            found = USER if request.path.endswith("/users/@me") else APPLICATION
        return web.Response(body=json.dumps(found).encode(), headers={"Content-Type": "application/json"})


@pytest.fixture
async def discord():
    there = TurnsAway()
    runner = web.AppRunner(there.app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    there.port = runner.addresses[0][1]
    yield there
    await runner.cleanup()


async def begun(discord, url):
    """The bot as a process, until it ends: its status and what it said."""
    env = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "good", "LOG_LEVEL": "ERROR",
        "DATABASE_URL": url, "LEASE_WAIT_SECONDS": "0",
    }  # fmt: skip
    code = START.format(port=discord.port)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, env=env, stderr=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(20):
            _, said = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return process.returncode, said.decode().splitlines()


@pytest.mark.parametrize(("code", "word"), [(4004, "token"), (4014, "intents")])
async def test_f14_a_connection_that_is_closed_for_good_ends_the_bot_with_one_line(discord, tmp_path, code, word):
    discord.code = code
    status, said = await begun(discord, f"sqlite:///{tmp_path}/tables.sqlite3")
    assert status == BAD_CONFIGURATION, "\n".join(said[-12:])
    assert len(said) == 1
    assert word in said[0]
    assert discord.connections == 1
