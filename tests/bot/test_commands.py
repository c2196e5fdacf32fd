"""What can be asked of `python -m bot` beside running: copies and a look at everything."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from aiohttp import web
from discord.http import Route

from bot.__main__ import main
from bot.config import Settings
from bot.doctor import examine
from data.connect import Database
from data.migrate import upgrade
from data.store import Store

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def settings(monkeypatch, tmp_path):
    """A folder and a database of one's own."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "sqlite:///one.sqlite3")
    monkeypatch.setattr("bot.__main__.set_up_logs", lambda *_: None)
    return monkeypatch


def said(payload, status=200):
    """An answer as Discord gives it: JSON without a charset, dated."""
    headers = {"Date": format_datetime(NOW, usegmt=True), "Content-Type": "application/json"}
    return web.Response(body=json.dumps(payload).encode(), status=status, headers=headers)


@pytest.fixture
async def discord_there(monkeypatch):
    """A server in Discord's place; it knows the token `good` and the commands that are put into the list."""
    commands = [{"name": "shithead"}]

    async def answer(request):
        if request.path.endswith("/gateway"):
            return said({"url": "wss://x"})
        if request.headers.get("Authorization") != "Bot good":
            return said({"message": "401: Unauthorized", "code": 0}, 401)
        user = {"id": "5", "username": "Cards", "discriminator": "0", "avatar": None, "bot": True}
        application = {
            "id": "5", "name": "Cards", "description": "", "icon": None, "bot_public": True, "verify_key": "x",
            "bot_require_code_grant": False, "owner": user, "flags": 0, "approximate_guild_count": 3,
        }  # fmt: skip
        if request.path.endswith("/emojis"):
            return said({"items": []})
        if request.path.endswith("/commands"):
            return said(commands)
        return said(user if request.path.endswith("/users/@me") else application)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    monkeypatch.setattr(Route, "BASE", f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10")
    yield commands
    await runner.cleanup()


def wrong(findings):
    return {finding.what for finding in findings if not finding.well}


async def look(now=NOW, **given):
    return await examine(Settings(_env_file=None, **given), now=lambda: now)


async def test_the_doctor_finds_everything_well(discord_there):
    findings = await look(discord_token="good")
    assert [finding.what for finding in findings] == ["database", "clock", "token", "commands", "faces"]
    assert not wrong(findings)
    assert "Cards, in 3 servers" in str(findings[2])


async def test_the_doctor_says_what_to_do(discord_there):
    assert wrong(await look()) == {"token"}
    assert wrong(await look(discord_token="bad")) == {"token"}
    assert wrong(await look(discord_token="good", now=NOW + timedelta(seconds=9))) == {"clock"}
    assert wrong(await look(discord_token="good", database_url="sqlite:///none/x.sqlite3")) == {"database"}
    discord_there.clear()
    assert wrong(await look(discord_token="good")) == {"commands"}


async def test_the_doctor_reads_the_schema(discord_there):
    database = Database("sqlite:///one.sqlite3")
    await upgrade(database)
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0006'")
    assert "the next start goes to" in str((await look(discord_token="good"))[0])
    async with database.writing() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    await database.close()
    assert wrong(await look(discord_token="good")) == {"database"}


async def test_without_discord_the_doctor_says_so(monkeypatch):
    monkeypatch.setattr(Route, "BASE", "http://127.0.0.1:9/api/v10")
    assert wrong(await look(discord_token="good")) == {"Discord"}


def test_doctor_prints_lines_and_its_status(capsys):
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("ok    database: SQLite")
    assert out[1].startswith("WRONG token: no token")


async def made():
    store = await Store.open("sqlite:///one.sqlite3")
    await store.notes.put("commands", "x")
    await store.close()


def test_backup_and_restore_by_command(capsys, monkeypatch, settings):
    asyncio.run(made())
    assert main(["backup", "copy.gz"]) == 0
    assert capsys.readouterr().out == "1 rows of 1 tables verified and copied to copy.gz\n"
    assert main(["backup", "copy.gz"]) == 1
    assert capsys.readouterr().err == "the database cannot be used: copy.gz exists already\n"
    assert main(["restore", "copy.gz"]) == 1
    settings.setenv("DATABASE_URL", "sqlite:///two.sqlite3")
    assert main(["restore", "none.gz"]) == 1
    assert main(["restore", "copy.gz"]) == 0
    assert capsys.readouterr().out == "1 rows of 1 tables restored from copy.gz\n"
