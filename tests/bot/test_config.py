"""Settings: everything that is wrong is said at once, and the example names exactly what there is."""

import errno
import os
import re
import shlex
import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

import game.variants
from bot.config import ConfigError, Settings, load_settings, passed_over, shards_in, shards_of_host
from bot.logs import redacted
from game.variants import variant, variants
from testkit.ports import names_fail
from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch, tmp_path):
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


def test_the_example_names_every_setting_with_its_default_and_no_other():
    lines = re.findall(r"^#([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE)
    defaults = {name.upper(): field.default for name, field in Settings.model_fields.items()}
    assert {name: "" if defaults[name] is None else str(defaults[name]) for name, _ in lines} == dict(lines)
    assert {name for name, _ in lines} == set(defaults)


def test_the_environment_wins_over_the_file(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("LOG_LEVEL=debug\nLOG_FORMAT=json\nSOMETHING_ELSE=1\n")
    monkeypatch.setenv("LOG_LEVEL", "warning")
    settings = load_settings()
    assert (settings.log_level, settings.log_format) == ("WARNING", "json")


def test_one_error_lists_every_fault(monkeypatch):
    for name, value in (
        ("DATABASE_URL", "mysql://me:hunter2@x/y"), ("LOG_FORMAT", "xml"), ("HEALTH_PORT", "99999"),
        ("SHARD_IDS", "1-0"), ("THINKING_SECONDS", "-1"), ("TABLES_AS", "pencil"),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    named = [fault.partition(" ")[0] for fault in wrong.value.faults]
    assert sorted(named) == ["DATABASE_URL", "HEALTH_PORT", "LOG_FORMAT", "SHARD_IDS", "TABLES_AS", "THINKING_SECONDS"]
    assert "hunter2" not in str(wrong.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HEALTH_PORT", "x", "must be a whole number"), ("HEALTH_PORT", "99999", "must be at most 65535"),
        ("THINKING_SECONDS", "nan", "must be a number"), ("LEASE_WAIT_SECONDS", "inf", "must be a number"),
        ("SHARD_COUNT", "-1", "must be at least 0"), ("SHARD_COUNT", "1.5", "must be a whole number"),
        ("THINKING_SECONDS", "soon", "must be a number"), ("TABLES_AS", "pencil", "must be 'picture' or 'text'"),
        ("DATABASE_URL", "mysql://x/y", "must begin with sqlite:/// or postgresql://"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_setting_is_a_sentence_that_begins_with_its_name(monkeypatch, name, value, said):
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == [f"{name} {said}"]


def test_a_place_that_cannot_be_listened_at_is_a_fault_where_health_is_asked_for(monkeypatch):
    names_fail(monkeypatch, socket.EAI_NONAME)
    monkeypatch.setenv("HEALTH_HOST", "nonsense:80")
    assert load_settings().health_host == "nonsense:80"
    monkeypatch.setenv("HEALTH_PORT", "9")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == ["HEALTH_HOST nonsense:80 cannot be used for HEALTH_PORT 9: there is no such host"]
    monkeypatch.setenv("HEALTH_PORT", "http")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == [
        "HEALTH_PORT must be a whole number",
        "HEALTH_HOST nonsense:80 cannot be used: there is no such host",
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "10.255.255.1"])
def test_a_place_that_another_program_has_or_that_is_not_there_may_be_ours_soon_and_is_no_fault(monkeypatch, host):
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setenv("HEALTH_HOST", host)
        monkeypatch.setenv("HEALTH_PORT", str(other.getsockname()[1]))
        assert load_settings().health_host == host


@pytest.mark.parametrize("host", ["nonsense..host", "x" * 64])
def test_a_name_that_can_be_no_host_is_a_fault(monkeypatch, host):
    monkeypatch.setenv("HEALTH_HOST", host)
    monkeypatch.setenv("HEALTH_PORT", "9")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == [f"HEALTH_HOST {host} is not an address or a host name"]


with_bytes_that_are_no_text = pytest.mark.skipif(
    sys.getfilesystemencoding() != "utf-8", reason="in other encodings every byte is a letter"
)


@with_bytes_that_are_no_text
def test_a_file_whose_name_is_no_text_is_named_in_the_fault(monkeypatch):
    monkeypatch.setenv("DATABASE_URL_FILE", "\udcff")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == [
        "DATABASE_URL has no value: DATABASE_URL_FILE \\udcff cannot be read: no such file or directory"
    ]


@with_bytes_that_are_no_text
def test_bytes_that_are_no_text_can_be_no_host(monkeypatch):
    monkeypatch.setenv("HEALTH_HOST", "\udcff\udcfe")  # how Python reads them from the environment
    monkeypatch.setenv("HEALTH_PORT", "9")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == ["HEALTH_HOST is not an address or a host name"]


V4, V6 = (socket.AF_INET, ("127.0.0.1", 9)), (socket.AF_INET6, ("::1", 9, 0, 0))


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        ({V4: errno.EACCES}, "permission denied"),
        ({V6: errno.EINVAL}, "invalid argument"),
        ({V6: errno.EADDRNOTAVAIL}, None),
        ({V6: errno.EAFNOSUPPORT}, None),
        ({V4: errno.EACCES, V6: errno.EAFNOSUPPORT}, "permission denied"),
        ({V4: errno.EAFNOSUPPORT, V6: errno.EAFNOSUPPORT}, "address family not supported by protocol"),
    ],
)
@pytest.mark.parametrize("order", [(V4, V6), (V6, V4)], ids=["4-6", "6-4"])
def test_every_address_of_a_name_must_be_one_to_listen_at(monkeypatch, order, refused, why):
    def bind(line, address):
        if number := refused.get((line.family, address)):
            raise OSError(number, os.strerror(number))

    looked_up = [(family, socket.SOCK_STREAM, 6, "", address) for family, address in order]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: looked_up)
    monkeypatch.setattr(socket.socket, "bind", bind)
    monkeypatch.setenv("HEALTH_HOST", "vps")
    monkeypatch.setenv("HEALTH_PORT", "9")
    if why is None:
        assert load_settings().health_host == "vps"
        return
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == [f"HEALTH_HOST vps cannot be used for HEALTH_PORT 9: {why}"]


def test_a_name_that_no_server_of_names_answers_for_may_be_there_soon_and_is_no_fault(monkeypatch):
    names_fail(monkeypatch, socket.EAI_AGAIN)
    monkeypatch.setenv("HEALTH_HOST", "vps")
    monkeypatch.setenv("HEALTH_PORT", "9")
    assert load_settings().health_host == "vps"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"shard_ids": "0"}, "SHARD_IDS must be below SHARD_COUNT"),
        ({"shard_ids": "0-4", "shard_count": 4}, "SHARD_IDS must be below SHARD_COUNT"),
        ({"shard_ids": "0", "shard_count": 4, "shards_per_process": 2}, "SHARD_IDS is set beside SHARDS_PER_PROCESS"),
        ({"shards_per_process": 2}, "SHARDS_PER_PROCESS leaves no shard of SHARD_COUNT=0"),
    ],
)
def test_shards_that_cannot_be_are_a_fault_of_the_settings(monkeypatch, given, named):
    monkeypatch.setattr("socket.gethostname", lambda: "shithead-0")
    for name, value in given.items():
        monkeypatch.setenv(name.upper(), str(value))
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    (fault,) = wrong.value.faults
    assert fault.startswith(named)


def test_shards_that_are_named_twice_are_a_fault_on_any_host(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "vm")
    for name, value in {"SHARD_COUNT": "4", "SHARD_IDS": "0", "SHARDS_PER_PROCESS": "2"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    nameless, twice = wrong.value.faults
    assert nameless.startswith("SHARDS_PER_PROCESS needs a host whose name ends in a number")
    assert twice == "SHARD_IDS is set beside SHARDS_PER_PROCESS: keep one of them"


@pytest.mark.parametrize(
    ("host", "shards"), [("shithead-0", (0, 1, 2)), ("shithead-1.bot.svc", (3, 4, 5)), ("shithead-2", (6, 7))]
)
def test_a_process_takes_its_shards_from_the_number_of_its_host(monkeypatch, host, shards):
    monkeypatch.setattr("socket.gethostname", lambda: host)
    assert Settings(shard_count=8, shards_per_process=3).shards() == shards


@pytest.mark.parametrize("host", ["shithead", "shithead-3"])
def test_a_host_without_a_number_or_with_one_too_high_is_a_fault(host):
    with pytest.raises(ValueError, match=host):
        shards_of_host(host, 3, 8)


def test_a_misspelt_setting_is_named_with_the_nearest_beside_every_other_fault(tmp_path):
    (tmp_path / ".env").write_text(
        "DISCORD_TOKN=abc\nDISCORD_TOKEN_FILE=/x\nloglevel=debug\nPOSTGRES_PASSWORD=x\nLOG_FORMAT=xml\n"
    )
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    misspelt, file, other, fault = wrong.value.faults
    assert misspelt == "DISCORD_TOKN in .env is not a setting: did you mean DISCORD_TOKEN?"
    assert file == "DISCORD_TOKEN_FILE in .env is not a setting: did you mean TOKEN_FILE?"
    assert other == "LOGLEVEL in .env is not a setting: did you mean LOG_LEVEL?"
    assert fault.startswith("LOG_FORMAT must be")
    assert "abc" not in str(wrong.value)
    (tmp_path / ".env").write_text("DISCORD_TOKN=abc\n")
    with pytest.raises(ConfigError, match="DISCORD_TOKEN"):
        load_settings()


@pytest.fixture
def odd_variant(monkeypatch, tmp_path):
    caches = variants, variant, game.variants._names
    (tmp_path / "odd.toml").write_text('title = "Odd"\ndeal = { exchang = "any", hand = 9 }\n')
    monkeypatch.setattr(game.variants, "files", lambda _: tmp_path)
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def test_a_variant_that_cannot_be_read_is_named_with_all_else_that_is_wrong(odd_variant, monkeypatch):
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    of_variant, of_setting = wrong.value.faults
    missing = "source is missing; group is missing; order is missing"
    assert of_variant == (
        "game/variants/odd.toml: sentence is missing; "
        f"{missing}; deal.hand must be at most 6; deal.exchang is not an option: do you mean deal.exchange?"
    )
    assert of_setting.startswith("LOG_FORMAT must be")


def test_names_in_the_environment_that_are_almost_a_setting_are_told_without_what_they_hold(monkeypatch):
    for name in ("DISCORD_TOKN", "DATABSE_URL", "POSTGRES_PASSWORD", "LOG_LEVEL", "MONITORING_OPERATOR_LOG_LEVEL"):
        monkeypatch.setenv(name, "INFO")
    assert sorted(passed_over()) == [
        "DATABSE_URL in the environment is not a setting: did you mean DATABASE_URL?",
        "DISCORD_TOKN in the environment is not a setting: did you mean DISCORD_TOKEN?",
    ]
    assert load_settings().log_level == "INFO"


def test_names_in_the_file_that_are_no_settings_are_told_without_what_they_hold(tmp_path):
    (tmp_path / ".env").write_text(
        "DB_URL=postgresql://me:hunter2@x/y\nTOKEN=abc\nlog_level=debug\nDISCORD_TOKN=abc\nhttps://me:hunter3@x?y=1\n"
    )
    assert passed_over() == ["ignored in .env, not settings of this program: DB_URL, TOKEN"]
    for nothing in ("LOG_LEVEL=INFO\n", "FOO bar\n", "FOO\n"):
        (tmp_path / ".env").write_text(nothing)
        assert not passed_over()
    (tmp_path / ".env").write_text("DB_URL=größer\n", encoding="utf-16")
    assert not passed_over()


def test_a_start_names_what_it_passes_over_in_the_file(tmp_path):
    (tmp_path / ".env").write_text("DB_URL=postgresql://me:hunter2@x/y\n")
    command, environment = [sys.executable, "-m", "bot"], {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    for verb, status in (("migrate", 0), ("run", 78)):
        done = run_to_end(*command, verb, env=environment, cwd=tmp_path)
        assert done.returncode == status
        assert "ignored in .env, not settings of this program: DB_URL" in done.stderr
        assert "hunter2" not in done.stderr


def test_a_line_that_cannot_be_read_is_told_once_in_one_message(tmp_path):
    (tmp_path / ".env").write_text("LOG_LEVEL=INFO\nFOO bar\n")
    command, environment = [sys.executable, "-m", "bot"], {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = run_to_end(*command, "run", env=environment, cwd=tmp_path)
    assert done.returncode == 78
    assert done.stderr.startswith("cannot start: ")
    assert done.stderr.count("FOO") <= 1
    assert "dotenv" not in done.stderr


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_a_file_of_settings_in_another_encoding_is_a_sentence(tmp_path, encoding):
    (tmp_path / ".env").write_text("LOG_LEVEL=DEBUG # größer\n", encoding=encoding)
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults == [".env cannot be read: it is not text in UTF-8: save it as such"]


def test_a_folder_in_place_of_the_file_of_settings_is_a_sentence(tmp_path):
    (tmp_path / ".env").mkdir()
    with pytest.raises(ConfigError, match=r"\.env cannot be read: is a directory"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('\n\nDATABASE_URL="sqlite:///x\n', "line 3 of .env cannot be read: write DATABASE_URL=VALUE, "),
        ("export DATABASE_URL: sqlite:///x\n", "line 1 of .env cannot be read: write DATABASE_URL=VALUE, "),
        ("LOG_LEVEL=INFO\nHEALTH_PORT\n", "line 2 of .env cannot be read: write HEALTH_PORT=VALUE, "),
        ("hunter2 is secret\n", "line 1 of .env cannot be read: write NAME=VALUE, "),
    ],
)
def test_a_line_that_would_be_passed_over_is_a_fault(tmp_path, caplog, text, said):
    (tmp_path / ".env").write_text(text)
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    assert wrong.value.faults[0].startswith(said)
    assert "hunter2" not in str(wrong.value)
    assert not caplog.messages


def test_a_file_as_other_systems_write_it_is_read(tmp_path):
    text = "\ufeffexport LOG_LEVEL='info'\r\n\r\n  HEALTH_PORT = 8000  # for probes\r\nLOG_FORMAT=\r\nA=1\r\nA=2\r\n"
    (tmp_path / ".env").write_bytes(text.encode())
    settings = load_settings()
    assert (settings.log_level, settings.health_port, settings.log_format) == ("INFO", 8000, "console")


def test_a_backup_needs_no_setting_but_the_address(tmp_path):
    told = []
    (tmp_path / ".env").write_text("DATABASE_URL=sqlite:///y.sqlite3\nHEALTH_PRT=1\nLOG_FORMAT=xml\nnonsense\n")
    settings = load_settings(forgive=told.append)
    assert (settings.database_url, settings.log_format) == ("sqlite:///y.sqlite3", "console")
    assert len(told) == 3
    for wrong in ("DATABSE_URL=sqlite:///y.sqlite3\nLOG_FORMAT=xml\n", "DATABASE_URL: sqlite:///y.sqlite3\n"):
        (tmp_path / ".env").write_text(wrong)
        with pytest.raises(ConfigError, match="DATABASE_URL"):
            load_settings(forgive=told.append)
    assert len(told) == 3


def test_the_token_comes_from_its_variable_or_a_file(tmp_path):
    file = tmp_path / "token"
    file.write_text(" abc\n")
    assert Settings(token_file=str(file)).token() == "abc"
    assert Settings(discord_token="def").token() == "def"
    assert "def" not in repr(Settings(discord_token="def"))


def test_the_address_of_the_database_may_come_from_a_file(monkeypatch, tmp_path):
    file = tmp_path / "database"
    file.write_text("postgresql://shithead:secret@db/shithead\n")
    file.chmod(0o644)
    monkeypatch.setenv("DATABASE_URL", "sqlite:////data/shithead.sqlite3")  # set by the image and the systemd units
    monkeypatch.setenv("DATABASE_URL_FILE", str(file))
    assert load_settings().database_url == "postgresql://shithead:secret@db/shithead"
    cure = f"chmod 600 {shlex.quote(str(file))}"
    assert load_settings().exposure_warnings() == [f"others on this machine may read {file}, so run {cure}"]
    monkeypatch.setenv("LOG_FORMAT", "xml")
    assert load_settings(forgive=lambda _: None).database_url == "postgresql://shithead:secret@db/shithead"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "database",
            "mysql://db",
            "DATABASE_URL in DATABASE_URL_FILE database must begin with sqlite:/// or postgresql",
        ),
        ("database", "\n", "DATABASE_URL has no value: DATABASE_URL_FILE database is empty: write the address into it"),
        ("none", "", "DATABASE_URL has no value: DATABASE_URL_FILE none cannot be read: no such file or directory"),
        (
            "postgresql://a:pass-word@db/x",
            "",
            "DATABASE_URL has no value: DATABASE_URL_FILE postgresql://a:[hidden]@db/x",
        ),
    ],
)
def test_a_wrong_file_for_the_database_is_told_with_every_other_fault(monkeypatch, tmp_path, name, content, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "database").write_text(content)
    monkeypatch.setenv("DATABASE_URL_FILE", name)
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ConfigError) as wrong:
        load_settings()
    database, log = sorted(wrong.value.faults)
    assert database.startswith(said)
    assert "pass-word" not in database
    assert log.startswith("LOG_FORMAT")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no token"),
        ({"discord_token": "  "}, "no token"),
        ({"token_file": "/nowhere/token"}, "cannot be read"),
        ({"discord_token": "abc", "token_file": "/nowhere/token"}, "both set"),
    ],
)
def test_a_missing_token_is_one_sentence(given, said):
    with pytest.raises(ConfigError, match=said):
        Settings(**given).token()


@pytest.mark.parametrize(
    "text", ["abc def", '"abc"', "Bot abc", "DISCORD_TOKEN=abc", "abc\nabc", "tökén", "...", "…", "<token>"]
)
def test_what_is_no_token_is_told_before_anybody_is_asked(tmp_path, text):
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as wrong:
        Settings(token_file=str(file)).token()
    said = f"TOKEN_FILE {file} must hold the token and nothing else, without quotes"
    assert wrong.value.faults == [said]


def test_a_token_that_was_written_where_the_name_of_its_file_belongs_is_not_printed():
    token = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcdE.abcdefghijklmnopqrstuvwxyz0123"
    with pytest.raises(ConfigError) as wrong:
        Settings(token_file=token).token()
    assert wrong.value.faults == ["TOKEN_FILE [hidden] cannot be read: no such file or directory"]


def test_an_address_that_was_written_there_is_not_printed_either(monkeypatch):
    monkeypatch.setenv("TOKEN_FILE", "postgresql://ann:pass-word@db.example/shithead")
    with pytest.raises(ConfigError) as wrong:
        load_settings(with_token=True)
    (fault,) = wrong.value.faults
    assert fault.startswith("TOKEN_FILE postgresql://")
    assert "pass-word" not in fault


def test_a_token_file_may_begin_with_the_mark_that_windows_writes(tmp_path):
    file = tmp_path / "token"
    file.write_text("abc\n", encoding="utf-8-sig")
    assert Settings(token_file=str(file)).token() == "abc"


def test_a_missing_token_is_said_along_with_every_other_fault(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("DISCORD_TOKN=abc\n")
    monkeypatch.setenv("LOG_FORMAT", "xml")
    with pytest.raises(ConfigError) as wrong:
        load_settings(with_token=True)
    assert len(wrong.value.faults) == 3
    for part in ("DISCORD_TOKEN?", "no token", "LOG_FORMAT must be"):
        assert part in str(wrong.value)


@pytest.mark.parametrize(("text", "shards"), [("", ()), ("0", (0,)), ("0, 2,4-6", (0, 2, 4, 5, 6)), ("3-3", (3,))])
def test_shards_are_named_one_by_one_or_in_spans(text, shards):
    assert shards_in(text) == shards


@pytest.mark.parametrize("text", ["a", "-1", "2-1", "1--2", "1;2", "0-", "²", "0-99999999999"])
def test_what_names_no_shards_is_refused(text):
    with pytest.raises(ValueError, match="shard numbers"):
        shards_in(text)


def test_f14_starting_without_a_token_is_one_line_and_78(tmp_path):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "bot"]
    done = run_to_end(*command, env=environment, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (78, "")
    assert done.stderr.startswith("cannot start: no token")
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*.sqlite3*"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_f14_the_status_is_the_same_where_the_line_cannot_be_written(tmp_path):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    with Path("/dev/full").open("w") as full:
        output = {"capture_output": False, "stderr": full}
        assert run_to_end(sys.executable, "-m", "bot", env=environment, cwd=tmp_path, **output).returncode == 78


def test_a_database_of_a_newer_program_is_one_line_and_78(tmp_path):
    with closing(sqlite3.connect(tmp_path / "shithead.sqlite3")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
        connection.commit()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "x"}
    command = [sys.executable, "-m", "bot"]
    done = run_to_end(*command, env=environment, cwd=tmp_path)
    assert done.returncode == 78
    assert done.stderr.startswith("the database cannot be used: schema 9999 is of a newer version (update this one)")
    assert done.stderr.count("\n") == 1


def test_f51_a_database_that_cannot_be_is_one_line(tmp_path):
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DISCORD_TOKEN": "x",
        "DATABASE_URL": f"sqlite:///{tmp_path}/none/x.sqlite3",
    }  # fmt: skip
    command = [sys.executable, "-m", "bot"]
    done = run_to_end(*command, env=environment, cwd=tmp_path)
    assert done.returncode == 1
    cure = "create it, or name another in DATABASE_URL"
    assert done.stderr == f"the database cannot be used: there is no folder {tmp_path}/none: {cure}\n"
    assert not list(tmp_path.iterdir())


def test_files_with_a_secret_that_others_may_read_are_told_with_the_cure(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("LOG_LEVEL=INFO\n")
    token = tmp_path / "my token"
    token.write_text("abc")
    monkeypatch.setenv("TOKEN_FILE", str(token))
    for file, mode in ((tmp_path / ".env", 0o644), (token, 0o640)):
        file.chmod(mode)
    assert sorted(load_settings().exposure_warnings()) == [
        "others on this machine may read .env, so run chmod 600 .env",
        f"others on this machine may read {token}, so run chmod 600 '{token}'",
    ]
    assert all(redacted(each) == each for each in load_settings().exposure_warnings())
    for file in (tmp_path / ".env", token):
        file.chmod(0o600)
    assert not load_settings().exposure_warnings()


def test_a_secret_that_systemd_or_docker_provides_is_not_told_for_its_mode_says_little(tmp_path, monkeypatch):
    token = tmp_path / "token"
    token.write_text("abc")
    token.chmod(0o440)
    monkeypatch.setenv("TOKEN_FILE", str(token))
    assert load_settings().exposure_warnings()
    monkeypatch.setattr("data.addresses.PROVIDED", {tmp_path.resolve()})
    assert not load_settings().exposure_warnings()


def test_a_secret_that_another_user_mounted_is_not_told_for_nobody_here_could_close_it(tmp_path, monkeypatch):
    (tmp_path / ".env").touch(0o644)
    monkeypatch.setattr(os, "geteuid", lambda: 10_001)
    assert not load_settings().exposure_warnings()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
def test_a_file_without_an_end_is_a_fault_of_the_setting_that_names_it():
    Path(".env").symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=r"^\.env cannot be read: it is larger than 16 MiB$"):
        load_settings()
    with pytest.raises(ConfigError, match=r"^TOKEN_FILE /dev/zero cannot be read: it is larger than 16 MiB$"):
        Settings(token_file="/dev/zero").token()


def test_a_folder_that_may_not_be_read_is_not_blamed_on_the_file_of_settings(monkeypatch):
    def refused(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(ConfigError, match=r"^\.env cannot be read: permission denied$"):
        load_settings()
    monkeypatch.setattr(os, "access", lambda *_: False)
    said = "the folder in which the bot was started cannot be read: permission denied"
    with pytest.raises(ConfigError, match=f"^{said}$"):
        load_settings()


def test_a_path_that_double_quotes_changed_is_a_sentence(tmp_path):
    (tmp_path / ".env").write_text('DATABASE_URL="sqlite:///C:\\data\\new.sqlite3"\n')
    with pytest.raises(ConfigError, match=r"DATABASE_URL has a .* quotes turned into another character: write /"):
        load_settings()
    (tmp_path / ".env").write_text("DATABASE_URL='sqlite:///C:\\data\\new.sqlite3'\n")
    assert load_settings().database_url.endswith("\\data\\new.sqlite3")
