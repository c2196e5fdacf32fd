"""What can be asked of `python -m bot` beside running: copies and a look at everything."""

import asyncio
import json
import os
import re
import shlex
import socket
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count
from pathlib import Path

import discord
import pytest
import structlog
from aiohttp import web
from discord.http import Route
from structlog.testing import capture_logs

from bot import command_line
from bot.command_line import Actions
from bot.compose import run, sync
from bot.config import Settings
from bot.doctor import Finding, _missing_permissions, examine, report
from cogs.screens.formatter import face_names
from data.lease_rows import LeaseLostError, LeaseTakenError, MovedError
from data.migrate import NEWEST, upgrade
from data.store import Store, database_at
from testkit.offline import settings_without_file
from testkit.ports import names_fail
from testkit.stored import execute, file_of
from testkit.waiting import run_to_end

EVERYWHERE = "/api/v10/applications/5/commands"
IN_ONE = "/api/v10/applications/5/guilds/7/commands"
ABSENT = {f"/api/v10/applications/5/guilds/{guild}/commands": status for guild, status in ((8, 404), (9, 403))}
MAY = discord.Permissions(view_channel=True, send_messages=True, send_messages_in_threads=True, attach_files=True).value
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def main(arguments):
    """Run the command line as `python -m bot` does."""
    return command_line.main(arguments, Actions(run, sync, report))


@pytest.fixture(autouse=True)
def settings(monkeypatch, tmp_path):
    """A folder and a database of one's own."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "sqlite:///one.sqlite3")
    monkeypatch.setattr("bot.command_line.set_up_logs", lambda *_: None)
    return monkeypatch


def said(payload, status=200):
    """An answer as Discord gives it: JSON without a charset, dated."""
    headers = {"Date": format_datetime(NOW, usegmt=True), "Content-Type": "application/json"}
    return web.Response(body=json.dumps(payload).encode(), status=status, headers=headers)


class There:
    """What Discord keeps: commands, each with a version of its own, and what the bot may do where."""

    def __init__(self):
        self.commands, self.rights, self.numbers = {}, {"kitchen": 1 << 3, "pub": MAY}, count(1)
        self.emojis, self.unexpected = [], None

    def put(self, path, commands):
        own = {"type": 1, "application_id": "5", "default_member_permissions": None}
        self.commands[path] = [{**own, **each, **self._numbers()} for each in commands]

    def _numbers(self):
        return {"id": str(next(self.numbers)), "version": str(next(self.numbers))}


@pytest.fixture
async def discord_there(monkeypatch):
    """A server in Discord's place; it knows the token `good`, keeps commands by path, and the rights in each server."""
    there = There()

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
            return said({"items": [{"id": "6", "name": name} for name in there.emojis]})
        if request.path in ABSENT:
            return said({"message": "Unknown Guild", "code": 10004}, ABSENT[request.path])
        if request.path.endswith("/commands"):
            if request.method == "PUT":
                there.put(request.path, await request.json())
            return said(there.commands.get(request.path, []))
        if request.path.endswith("/guilds"):
            if there.unexpected is not None:
                return said(there.unexpected)
            after, limit = int(request.query.get("after", 0)), int(request.query["limit"])
            named = [(id_, name, may) for id_, (name, may) in enumerate(there.rights.items(), 7) if id_ > after]
            return said([{"id": str(id_), "name": name, "permissions": str(may)} for id_, name, may in named[:limit]])
        return said(user if request.path.endswith("/users/@me") else application)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    monkeypatch.setattr(Route, "BASE", f"http://127.0.0.1:{runner.addresses[0][1]}/api/v10")
    yield there
    await runner.cleanup()


def wrong(findings: Sequence[Finding]):
    return {finding.what for finding in findings if finding.verdict == "WRONG"}


def files():
    return {each.name for each in Path().iterdir()}


def content():
    return Path("one.sqlite3").read_bytes()


def open_to_others(file):
    Path(file).chmod(0o644)


async def look(now=NOW, **given):
    return await examine(settings_without_file(**given), now=lambda: now)


async def register(**options):
    return await sync(settings_without_file(discord_token="good"), **options)


async def test_the_doctor_finds_everything_well(discord_there):
    await register()
    findings = await look(discord_token="good")
    assert [finding.what for finding in findings] == [
        *("database", "clock", "token", "permissions", "commands", "faces")
    ]
    assert not wrong(findings), findings
    assert "Cards, servers: 3" in str(findings[2])
    assert str(findings[3]).endswith(
        "complete, servers: 2; missing, but needed only for where:thread: "
        "Create Public Threads in pub; Read Message History in pub"
    )


async def test_the_doctor_looks_at_more_servers_than_discord_lists_at_once(discord_there):
    await register()
    discord_there.rights |= {f"more {nth}": MAY for nth in range(399)}
    assert "complete, servers: 401" in str((await look(discord_token="good"))[3])
    discord_there.rights["the last one"] = MAY - discord.Permissions.attach_files.flag
    assert "Attach Files in the last one" in str((await look(discord_token="good"))[3])


async def with_schema(number):
    """Have the database say that it has this schema."""
    database = database_at("sqlite:///one.sqlite3")
    await execute(database, f"UPDATE alembic_version SET version_num = '{number}'")
    await database.close()


async def test_without_a_note_of_the_last_registration_the_doctor_compares_names_alone(discord_there):
    await register()
    await with_schema("0006")
    findings = await look(discord_token="good")
    assert not wrong(findings), findings
    assert "are on Discord; `sync` makes sure" in str(findings[4])
    await with_schema("9999")
    findings = await look(discord_token="good")
    assert (wrong(findings), "commands" in {each.what for each in findings}) == ({"database"}, False)


async def test_the_doctor_of_a_new_database_knows_the_commands_that_are_on_discord(discord_there):
    await register()
    findings = await look(discord_token="good", database_url="sqlite:///another.sqlite3")
    assert not wrong(findings), findings
    assert "are on Discord; `sync` makes sure" in str(findings[4])


@pytest.mark.parametrize(
    ("emojis", "said"),
    [
        ([], f"0 of {len(face_names())} emojis: the bot uploads the rest when it runs"),
        ([f"party{number}" for number in range(500)], f"0 of {len(face_names())} emojis: the bot uploads the rest"),
        (["party", *face_names()], f"{len(face_names())} emojis are there"),
    ],
)
async def test_the_doctor_counts_the_faces_and_no_other_emojis(discord_there, emojis, said):
    discord_there.emojis = emojis
    assert said in str((await look(discord_token="good"))[-1])


def test_the_doctor_says_of_how_many_more_servers_a_permission_is_missing():
    servers = [{"name": f"pub {n}", "permissions": "0"} for n in range(7)]
    said = _missing_permissions(servers, {"attach_files": "Attach Files"})
    assert said == "Attach Files in pub 0, pub 1, pub 2, pub 3, pub 4 and 2 more"
    assert _missing_permissions(servers[:5], {"attach_files": "Attach Files"}).endswith("pub 4")


def test_the_name_of_a_server_can_neither_begin_a_line_nor_command_a_terminal():
    servers = [{"name": "Café\n\x1b[2Jok    token: fine\u202e", "permissions": "0"}]
    assert _missing_permissions(servers, {"view_channel": "View Channels"}) == (
        "View Channels in Café[2Jok    token: fine"
    )


async def test_the_doctor_says_what_to_do(discord_there):
    await register()
    assert wrong(await look()) == {"token"}
    assert wrong(await look(discord_token="bad")) == {"token"}
    assert wrong(await look(discord_token="good", now=NOW + timedelta(seconds=9))) == {"clock"}
    assert wrong(await look(discord_token="good", now=NOW - timedelta(seconds=4))) == set()
    assert wrong(await look(discord_token="good", now=NOW - timedelta(seconds=9))) == {"clock"}
    assert wrong(await look(discord_token="good", database_url="sqlite:///none/x.sqlite3")) == {"database"}
    discord_there.rights["pub"] = MAY - discord.Permissions.attach_files.flag
    findings = await look(discord_token="good")
    assert wrong(findings) == {"permissions"}
    assert "Attach Files in pub" in str(findings)
    discord_there.rights.pop("pub")


@pytest.mark.parametrize("unexpected", [{"error": "x"}, [7], "pub", 5])
async def test_the_doctor_says_that_an_answer_is_not_what_was_expected(discord_there, unexpected):
    discord_there.unexpected = unexpected
    finding = (await look(discord_token="good"))[-1]
    assert str(finding).startswith(
        "WRONG Discord: its answer cannot be read (does something else answer in its place?)"
    )


async def test_what_others_may_read_is_a_risk_and_keeps_the_bot_from_nothing(discord_there):
    await made()
    await register()
    await asyncio.to_thread(Path("token").write_text, "good")
    for name in ("one.sqlite3", "token"):
        open_to_others(name)
    findings, file = await look(token_file="token"), file_of(database_at("sqlite:///one.sqlite3"))
    assert not wrong(findings)
    risks = [str(each) for each in findings if str(each).startswith("RISK ")]
    assert risks == [
        f"RISK  database: others on this machine may read {file}, so run chmod 600 {shlex.quote(str(file))}*",
        "RISK  secrets: others on this machine may read token, so run chmod 600 token",
    ]


async def test_the_doctor_makes_no_file(discord_there):
    await look(discord_token="good")
    assert not files()


async def test_doctor_and_sync_agree_about_the_commands(discord_there):
    async def agree():
        (finding,) = (each for each in await look(discord_token="good") if each.what == "commands")
        found = await register()
        assert (finding.verdict == "WRONG") is bool(found)
        assert not await register()
        return found

    assert (await agree()).items() >= {"shithead": "new", "tea": "new"}.items()
    assert not await agree()
    discord_there.put(EVERYWHERE, [{"name": "chess", "description": "x"}, *discord_there.commands[EVERYWHERE][1:]])
    found = await agree()
    assert found["chess"] == "gone"
    assert list(found.values()).count("new") == 1
    assert "changed" in found.values(), "somebody else registered the rest again"
    discord_there.commands.clear()
    assert "new" in (await agree()).values()


@pytest.mark.parametrize("noted", ["0a1b2c", "123456"])
async def test_all_commands_are_registered_anew_where_an_old_version_noted_one_digest_for_all(discord_there, noted):
    await register()
    database = database_at("sqlite:///one.sqlite3")
    await execute(database, f"UPDATE notes SET text = '{noted}'")
    await database.close()
    assert {*(await register()).values()} == {"changed"}
    assert not await register()


async def test_commands_can_be_registered_again_and_taken_back_from_one_server(discord_there):
    await register()
    before = discord_there.commands[EVERYWHERE]
    assert not await register(force=True)
    assert discord_there.commands[EVERYWHERE] != before
    assert not await register()
    assert "new" in (await register(guild_id=7)).values()
    assert len(discord_there.commands[IN_ONE]) == len(before)
    assert list((await register(guild_id=7, remove=True)).values()) == ["gone"] * len(before)
    assert not discord_there.commands[IN_ONE]
    assert len(discord_there.commands[EVERYWHERE]) == len(before)


async def test_sync_says_what_it_registered(discord_there, capsys, settings):
    settings.setenv("DISCORD_TOKEN", "good")
    said = list[str]()
    for options in ((), (), ("--force",)):
        assert await asyncio.to_thread(main, ["sync", *options]) == 0
        said.append(capsys.readouterr().out)
    assert "new     /shithead\n" in said[0]
    assert said[1:] == ["nothing changed\n", "the commands were registered again\n"]


@pytest.mark.parametrize("server", ["8", "9"])
async def test_of_a_server_where_the_bot_is_not_a_sentence_says_so(discord_there, capsys, settings, server):
    settings.setenv("DISCORD_TOKEN", "good")
    assert await asyncio.to_thread(main, ["sync", "--guild", server]) == 1
    why = f"the bot is not in server {server}, or was invited without applications.commands"
    assert capsys.readouterr().err == f"{why}\n"


def test_taking_commands_back_needs_a_server(capsys):
    with pytest.raises(SystemExit):
        main(["sync", "--remove"])
    assert "--remove needs --guild" in capsys.readouterr().err


def test_the_id_of_a_server_must_be_a_number(capsys):
    with pytest.raises(SystemExit):
        main(["sync", "--guild", "Tea House"])
    assert "'Tea House' is not the id of a server" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["run", "sync", "migrate", "backup", "restore", "doctor"])
def test_the_help_of_a_command_says_what_it_does(verb, capsys):
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    assert re.search(r"\n\n[A-Z][^.]+\.[\s\S]+\n\n(positional|options)", capsys.readouterr().out)


def test_migrate_takes_the_address_from_the_file_of_settings(capsys, settings):
    settings.delenv("DATABASE_URL")
    Path(".env").write_text("DATABASE_URL=sqlite:///named.sqlite3\n")
    assert main(["migrate"]) == 0
    file = Path("named.sqlite3").absolute()
    assert capsys.readouterr().out == f"the file {file} is new, and at schema {NEWEST}\n"
    assert files() == {".env", "named.sqlite3"}
    assert main(["migrate"]) == 0
    assert capsys.readouterr().out == f"the file {file} is at schema {NEWEST}\n"


async def test_the_doctor_reads_the_schema(discord_there):
    database = database_at("sqlite:///one.sqlite3")
    await upgrade(database)
    await execute(database, "UPDATE alembic_version SET version_num = '0006'")
    assert "the next start migrates it to" in str((await look())[0])
    await execute(database, "UPDATE alembic_version SET version_num = '9999'")
    await database.close()
    assert wrong(await look()) == {"database", "token"}


async def test_the_doctor_says_what_would_stop_the_first_start():
    database = database_at("sqlite:///one.sqlite3")
    assert "the first start creates its tables in the file" in str((await look())[0])
    await asyncio.to_thread(Path("one.sqlite3").touch)
    assert wrong(await look()) == {"token"}
    await execute(database, "CREATE TABLE games (id INTEGER)")
    await database.close()
    finding = (await look())[0]
    assert finding.verdict == "WRONG"
    other = "another program has a table games there: name another database in DATABASE_URL"
    assert finding.words == f"{other} (the file {file_of(database)})"


async def test_the_doctor_finds_a_database_that_can_be_read_and_not_written_and_changes_nothing(monkeypatch):
    monkeypatch.setitem(database_at.__kwdefaults__, "busy_seconds", 0.05)
    await made()
    before = content()
    assert wrong(await look()) == {"token"}
    assert content() == before
    with closing(sqlite3.connect("one.sqlite3")) as other:
        other.execute("BEGIN IMMEDIATE")
        finding = (await look())[0]
    assert finding.verdict == "WRONG"
    assert finding.words.endswith("one.sqlite3 is held by another process: wait, or end that process")


async def test_without_discord_the_doctor_says_so(monkeypatch):
    monkeypatch.setattr(Route, "BASE", "http://127.0.0.1:9/api/v10")
    assert wrong(await look(discord_token="good")) == {"Discord"}


def test_doctor_prints_lines_and_its_status(capsys):
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("ok    database: SQLite")
    assert out[1].startswith("WRONG token: no token")


@pytest.mark.parametrize(("verdict", "status"), [("ok", 0), ("RISK", 0), ("WRONG", 1)])
def test_doctor_fails_only_if_something_is_wrong(monkeypatch, verdict, status):
    async def examined(_settings):
        return [Finding("ok", "clock", "right"), Finding(verdict, "secrets", "seen")]

    monkeypatch.setattr("bot.doctor.examine", examined)
    assert main(["doctor"]) == status


def test_what_is_no_sqlite_file_needs_somebody_to_mend_it(capsys, settings, tmp_path):
    (tmp_path / "notes.txt").write_text("milk, tea, sugar\n" * 500)
    for name, why in (("notes.txt", "is not an SQLite database"), (".", "is a folder")):
        settings.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/{name}")
        assert main(["migrate"]) == 78
        assert why in capsys.readouterr().err


def test_the_doctor_looks_at_all_else_where_a_setting_is_wrong(capsys, settings):
    settings.setenv("HEALTH_PORT", "x")
    settings.setenv("DISCORD_TOKEN", "two words")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "WRONG settings: HEALTH_PORT must be a whole number"
    assert out[1].startswith("ok    database: SQLite")
    assert out[2] == "WRONG token: DISCORD_TOKEN must hold the token and nothing else, without quotes"


def test_the_doctor_finds_an_address_for_health_that_is_none(capsys, settings, monkeypatch):
    names_fail(monkeypatch, socket.EAI_NONAME)
    settings.setenv("HEALTH_HOST", "nonsense:80")
    settings.setenv("HEALTH_PORT", "8000")
    assert main(["doctor"]) == 1
    fault = "HEALTH_HOST nonsense:80 cannot be used for HEALTH_PORT 8000: there is no such host"
    assert f"WRONG settings: {fault}" in capsys.readouterr().out.splitlines()
    assert main(["run"]) == 78
    assert f"{fault}\n" in capsys.readouterr().err


@pytest.mark.parametrize(("form", "lines"), [("console", 3), ("json", 1)])
def test_a_start_with_several_faults_tells_each_in_a_line_of_its_own_but_machines_in_one(capsys, settings, form, lines):
    for name, value in (("LOG_FORMAT", form), ("HEALTH_PORT", "x"), ("THINKING_SECONDS", "soon")):
        settings.setenv(name, value)
    assert main(["run"]) == 78
    said = capsys.readouterr().err
    assert said.count("\n") == lines
    if form == "json":
        entry = json.loads(said)
        assert (entry["level"], datetime.fromisoformat(entry["timestamp"]).tzinfo) == ("critical", UTC)
        said = f"{entry['event']}\n"
    assert said.startswith("cannot start: no token: set DISCORD_TOKEN")
    apart = "; " if form == "json" else "\nalso: "
    assert said.endswith(f"{apart}THINKING_SECONDS must be a number{apart}HEALTH_PORT must be a whole number\n")


def test_only_a_start_fails_in_json(capsys, settings):
    settings.setenv("LOG_FORMAT", "json")
    settings.setenv("DISCORD_TOKEN", "good")
    settings.setenv("DATABASE_URL", "sqlite:///none/x.sqlite3")
    why = f"the database cannot be used: there is no folder {Path('none').absolute()}: "
    assert main(["migrate"]) == 1
    assert capsys.readouterr().err.startswith(why)
    assert main([]) == 1
    assert json.loads(capsys.readouterr().err)["event"].startswith(why)


@pytest.mark.parametrize(
    ("error", "said", "status", "level"),
    [
        (LeaseTakenError("a", 1, 9, otherwise_counted=False), "cannot start: another process (a) runs", 75, "warning"),
        (LeaseLostError(), "stopped: another process has taken these shards", 75, "critical"),
        (MovedError("one.sqlite3"), "stopped: one.sqlite3 or its -wal file was moved, replaced or", 78, "critical"),
    ],
)
def test_a_start_is_to_be_tried_later_where_another_process_runs_but_not_where_the_file_is_gone(
    capsys, settings, error, said, status, level
):
    async def failing(_settings, **_options):
        raise error

    settings.setenv("DISCORD_TOKEN", "good")
    assert command_line.main(["run"], Actions(failing, sync, report)) == status
    assert capsys.readouterr().err.startswith(said)
    settings.setenv("LOG_FORMAT", "json")
    assert command_line.main(["run"], Actions(failing, sync, report)) == status
    entry = json.loads(capsys.readouterr().err)
    assert entry["event"].startswith(said)
    assert entry["level"] == level, "a process that waits to take over gives up again and again"


def test_a_bot_that_ends_by_an_error_of_the_program_says_so_in_json_if_its_log_is(settings):
    async def failing(_settings, *, sync):
        raise KeyError

    settings.setenv("DISCORD_TOKEN", "good")
    with pytest.raises(KeyError):
        command_line.main(["run"], Actions(failing, sync, report))
    settings.setenv("LOG_FORMAT", "json")
    with capture_logs() as said:
        assert command_line.main(["run"], Actions(failing, sync, report)) == 1
    assert said == [{"event": "ended by an error of the program", "log_level": "critical", "exc_info": True}]


def test_before_the_log_is_set_up_an_error_of_the_program_is_left_to_python(settings, monkeypatch, capfd):
    def failing(**_how):
        raise KeyError

    settings.setenv("LOG_FORMAT", "json")
    monkeypatch.setattr(command_line, "load_settings", failing)
    before = structlog.get_config()
    structlog.reset_defaults()
    try:
        with pytest.raises(KeyError):
            main(["run"])
    finally:
        structlog.configure(**before)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(("arguments", "which"), [([], "never"), (["run"], "never"), (["run", "--sync"], "changed")])
def test_only_a_start_that_is_told_so_registers_the_commands(settings, arguments, which):
    async def started(_settings, *, sync):
        asked.append(sync)

    asked = []
    settings.setenv("DISCORD_TOKEN", "good")
    assert command_line.main(arguments, Actions(started, sync, report)) == 0
    assert asked == [which]


async def made():
    store = await Store.open("sqlite:///one.sqlite3")
    await store.notes.put("commands", "x")
    await store.close()


def test_backup_and_restore_by_command(capsys, settings):
    asyncio.run(made())
    assert main(["backup", "copy.gz"]) == 0
    assert capsys.readouterr().out == "copied to copy.gz and verified (database rows: 1)\n"
    assert main(["backup", "copy.gz"]) == 1
    assert capsys.readouterr().err == "cannot continue: copy.gz exists already: name a new file\n"
    assert main(["restore", "copy.gz"]) == 1
    settings.setenv("DATABASE_URL", "sqlite:///two.sqlite3")
    assert main(["restore", "none.gz"]) == 1
    assert capsys.readouterr().err.endswith("cannot continue: there is no file none.gz\n")
    assert main(["restore", os.devnull]) == 1
    assert capsys.readouterr().err.endswith(f"cannot continue: {os.devnull} is not a regular file: name a file\n")
    assert main(["restore", "copy.gz"]) == 0
    assert capsys.readouterr().out == "restored from copy.gz (database rows: 1)\n"


def test_where_nothing_can_be_written_a_backup_is_made_and_a_restore_says_why_not(capsys, settings, monkeypatch):
    asyncio.run(made())
    monkeypatch.setattr("os.access", lambda *_: False)
    assert main(["backup", "copy.gz"]) == 0
    settings.setenv("DATABASE_URL", "sqlite:///two.sqlite3")
    assert main(["restore", "copy.gz"]) == 1
    assert "two.sqlite3 cannot be written" in capsys.readouterr().err
    assert files() == {"copy.gz", "one.sqlite3"}


def test_the_main_module_loads_nothing_as_every_process_that_draws_loads_it_again():
    code = "import sys, bot.__main__; print({'discord', 'sqlalchemy', 'cogs'} & sys.modules.keys())"
    done = run_to_end(sys.executable, "-c", code, check=True)
    assert done.stdout == "set()\n"


def test_a_bot_on_a_file_without_health_pages_loads_no_server_no_other_driver_and_nothing_that_draws_or_rates():
    loaded = "{'PIL', 'asyncpg', 'aiohttp.web', 'openskill'}"
    code = f"import sys, bot.command_line, bot.compose, bot.doctor; print({loaded} & sys.modules.keys())"
    done = run_to_end(sys.executable, "-c", code, check=True)
    assert done.stdout == "set()\n"


def test_a_bot_on_a_file_does_without_the_part_of_sqlalchemy_that_it_does_not_need(tmp_path):
    """Eight megabytes, which come with connections for the event loop."""
    code = f"""
import asyncio, sys
import bot.command_line, bot.compose, bot.doctor
from data.store import Store

async def used():
    store = await Store.open("sqlite:///{tmp_path}/x.sqlite3")
    epoch = await store.leases.take("me", 1, [0], 60)
    store.leases.install_fence("me", epoch)
    await store.leases.renew("me", epoch, 60)
    await store.notes.put("a", "b")
    await store.scores.losses(1)
    await store.people.stored(1)
    await store.people.forget(1)
    await store.ping()
    await store.close()

asyncio.run(used())
print({{"sqlalchemy.orm", "sqlalchemy.ext.asyncio"}} & sys.modules.keys())
"""
    done = run_to_end(sys.executable, "-c", code, check=True)
    assert done.stdout == "set()\n"
