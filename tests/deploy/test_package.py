"""The package that `make wheel` builds holds what the bot needs, and starts without the checkout."""

import os
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from bot import __version__
from game.variants import variants
from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[2]
LAYERS = {"game", "data", "tables", "cogs", "bot", "sandbox"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built as `make wheel` does it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    run_to_end(*command, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The wheel, unpacked far from the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def python(installed, *arguments):
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(installed), "HOME": str(installed / "home")}
    command = [sys.executable, "-P", *arguments]
    return run_to_end(*command, cwd=installed, env=environment)


def test_the_version_stands_once(wheel):
    assert wheel.name == f"shithead-{__version__}-py3-none-any.whl"


def test_the_package_holds_the_rooms_and_their_data_and_nothing_else(installed):
    held = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert held == {*LAYERS, "locales"}
    missing = [
        path.relative_to(ROOT)
        for folder in held
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".toml", ".mo", ".mako", ".ttf", ".otf"} or path.name == "OFL.txt"
        if not (installed / path.relative_to(ROOT)).exists()
    ]
    assert missing == []


def test_its_licence_is_that_of_the_bot_and_that_of_the_typefaces_as_for_the_image(installed):
    (about,) = installed.glob("*.dist-info")
    assert "\nLicense-Expression: MIT AND OFL-1.1\n" in (about / "METADATA").read_text(encoding="utf-8")
    assert {path.name for path in (about / "licenses").rglob("*") if path.is_file()} == {"LICENSE", "OFL.txt"}
    assert 'image.licenses="MIT AND OFL-1.1"' in (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.long
def test_it_says_its_version(installed):
    said = python(installed, "-m", "bot", "--version")
    assert (said.stdout, said.returncode) == (f"shithead {__version__}\n", 0)


@pytest.mark.long
def test_it_finds_variants_translations_typefaces_and_the_schema(installed, tmp_path):
    code = f"""
import asyncio, cogs.pictures.text as text
from cogs.screens.language import LOCALES
from data.store import Store
from game.variants import variants
asyncio.run(Store.open("sqlite:///{tmp_path}/new.sqlite3"))
print(len(variants()), len(list(LOCALES.iterdir())), text.covers("asian", "\\u6f22"))
"""
    said = python(installed, "-c", code)
    languages = len(list((ROOT / "locales").iterdir()))
    assert said.stdout == f"{len(variants())} {languages} True\n", said.stderr


def test_the_sandbox_keeps_its_tables_with_the_person_who_plays(installed):
    said = python(installed, "-c", "from sandbox.kept import FORGETTING, PLACE; print(PLACE, FORGETTING, sep='|')")
    place, forgetting = said.stdout.strip().split("|")
    assert Path(place).is_relative_to(installed / "home")
    assert forgetting == "shithead-play --fresh"


@pytest.mark.parametrize(
    ("option", "status", "said"),
    [
        ("--help", 0, "usage: shithead-play [-h] [--fresh]"),
        ("--colour", 2, "usage: shithead-play [-h] [--fresh]"),
        ("--fresh", 1, "the simulated Discord is not installed. In a checkout: make play."),
    ],
)
def test_the_sandbox_without_its_extra_helps_and_says_what_is_missing(installed, option, status, said):
    code = "import sys; sys.modules['simcord'] = None; sys.argv[0] = '/bin/shithead-play'; import sandbox.__main__"
    done = python(installed, "-c", code, option)
    assert done.returncode == status
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_no_other_package_has_the_name_of_a_room():
    """They lie beside each other in the environment of `uvx` and `pipx`."""
    assert not {*LAYERS, "locales"} & packages_distributions().keys()
