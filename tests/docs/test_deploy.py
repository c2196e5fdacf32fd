"""The files in deploy/ name what exists: settings, packages, folders."""

import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.config import Settings
from bot.health import Health
from cogs.replies import AnswerCounts

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = (ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8")
HOSTING = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
SETTINGS = {name.upper() for name in Settings.model_fields}
SHELL = {"PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}
TOLD_TOGETHER = {"shard_count", "shard_ids"}
"""Settings that share a row."""
LAYERS = ("game", "data", "tables", "cogs", "bot")


def named_in_image():
    return set(re.findall(r"\b([A-Z][A-Z_]+)=\S", DOCKERFILE.partition("ENV ")[2].partition("USER ")[0])) - SHELL


def named_in_compose():
    service = COMPOSE.partition("x-bot:")[2].partition("services:\n")[0]
    return set(re.findall(r"^    ([A-Z_]+):", service, re.MULTILINE))


@pytest.mark.parametrize("named", [named_in_image, named_in_compose])
def test_settings_named_exist(named):
    assert named()
    assert named() <= SETTINGS


def test_hosting_tells_every_setting_and_no_other():
    table = HOSTING.partition("\n## Settings")[2].partition("\n## ")[0]
    told = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", table))
    assert told == SETTINGS, "*Settings* of docs/hosting.md has a row for each"


def test_hosting_tells_the_defaults():
    for name, field in Settings.model_fields.items():
        row = re.search(rf"^\| `{name.upper()}` \|.*$", HOSTING, re.MULTILINE)
        assert bool(row) == (name not in TOLD_TOGETHER)
        if row and field.default is not None:
            assert f"| `{field.default}` |" in row[0]


def exported():
    """The metrics of the program itself, by the names that Prometheus shows."""
    tables, painter = SimpleNamespace(listeners=[], cached=0), SimpleNamespace(behind=0, forbidden=0)
    bot = SimpleNamespace(
        latencies=[], shard_count=1, guilds=[], discord_errors=Counter(), identifies_remaining=None,
        is_ready=lambda: True,
    )  # fmt: skip
    health = Health(None, tables, painter, SimpleNamespace(waiting=0, table_count=0), bot, AnswerCounts())
    found = [each for each in health.registry.collect() if each.name.startswith("shithead_")]
    return [each.name + {"counter": "_total", "info": "_info"}.get(each.type, "") for each in found]


def test_hosting_tells_every_metric_and_no_other():
    section = HOSTING.partition("\n## Watching it")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(shithead_\w+)(?:\{\w+\})?` \| \S.* \|.*\|$", section, re.MULTILINE)
    assert set(rows) == set(exported()), "*Watching it* of docs/hosting.md has a row for each"
    assert len(rows) == len(set(rows))


def test_commands_beside_the_unit_read_the_settings_of_the_unit():
    unit = (ROOT / "deploy" / "systemd" / "shithead.service").read_text(encoding="utf-8")
    command = HOSTING.partition("systemd-run ")[2].partition("```")[0]
    (database,) = re.findall(r"^Environment=(DATABASE_URL=.*)$", unit, re.MULTILINE)
    (settings,) = re.findall(r"^(EnvironmentFile=.*)$", unit, re.MULTILINE)
    assert f"--setenv={database} " in command
    assert f"--property={settings} " in command


def test_no_unit_leaves_a_file_that_others_can_read_or_a_core_dump():
    units = list((ROOT / "deploy" / "systemd").glob("*.service"))
    assert len(units) == 4
    assert all({"UMask=0077", "LimitCORE=0"} <= set(unit.read_text(encoding="utf-8").splitlines()) for unit in units)


def test_manifests_as_they_are_pull_no_image_of_a_stranger():
    named = re.search(r"newName: (\S+)", (ROOT / "deploy/kubernetes/kustomization.yaml").read_text(encoding="utf-8"))
    assert named
    assert named[1].startswith("registry.invalid/")


def test_image_asks_its_health_where_it_is_served():
    served = any("/livez" in path.read_text(encoding="utf-8") for path in (ROOT / "bot").rglob("*.py"))
    assert re.search(r"HEALTH_PORT=\d+", DOCKERFILE)
    assert "os.environ.get('HEALTH_HOST') or '127.0.0.1'" in DOCKERFILE
    assert "to.request('GET', '/livez')" in DOCKERFILE
    assert served


def test_image_is_no_root_and_holds_the_rooms_of_the_bot():
    assert re.search(r"^USER [1-9]\d*:[1-9]\d*$", DOCKERFILE, re.MULTILINE)
    copied = re.findall(r"^COPY (?!--from)(\S+)", DOCKERFILE, re.MULTILINE)
    assert {*LAYERS, "locales"} <= set(copied)
    assert [path for path in copied if not (ROOT / path).exists()] == []
    allowed = (ROOT / "deploy" / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert [path for path in copied if f"!{path}" not in allowed] == []


def test_images_are_plain_names_pinned_by_digest():
    images = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    images += re.findall(r"^    image: (\S+)", COMPOSE, re.MULTILINE)
    assert len(images) == 3
    assert all(re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}", image) for image in images)
