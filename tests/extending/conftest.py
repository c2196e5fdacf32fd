"""A copy of the tree to extend as CONTRIBUTING says, and commands that run in it as a newcomer would run them."""

import os
import re
import shutil
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from testkit.forked import order
from tools import catalogues

ROOT = Path(__file__).parents[2]
STEP = re.compile(
    r"\*\*([\w./-]+\.(?:py|toml|md))\*\*"
    r"(?:, (below|above)\s+the line (`+) ?(.+?) ?\3(?!`))?"
    r"(?:(?!```\w).)*?\n   ```\w+\n(.*?\n)   ```",
    re.DOTALL,
)
"""A path in bold, the start of the line beside which to write, and what to write: the next block."""
LAYERS = ("game", "data", "tables", "cogs", "bot", "locales", "testkit", "tools", "docs")
TESTS = ("conftest.py", "cogs", "docs", "scenarios", "extending/conftest.py", "game/test_never_hangs.py")
HANG = 300
"""Seconds that only a hang reaches."""
LIBRARIES = (
    *("aiohttp.web", "asyncpg", "babel.messages.pofile", "discord.app_commands", "PIL.Image", "prometheus_client"),
    *("pydantic_settings", "pytest", "sqlalchemy.ext.asyncio", "sqlalchemy.dialects.postgresql", "structlog"),
)
"""What takes long to load and is nobody's to extend. What is a plug-in of pytest is loaded by pytest alone."""
AFRESH = """
import runpy, sys
for name in [each for each in sys.modules if each.partition(".")[0] == "testkit"]:
    del sys.modules[name]
sys.argv = {}
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""`python -m`, where nothing of the tree is loaded that the process was forked from."""


@dataclass(frozen=True)
class Tree:
    """A copy of what the bot is made of, without the tests of other layers."""

    root: Path

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")

    def follow(self, heading):
        """Write what a section of CONTRIBUTING gives into its files, as it stands there; their paths."""
        contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
        section = re.search(rf"^## {heading}$(.*?)(?=^## |\Z)", contributing, re.MULTILINE | re.DOTALL)[1]
        steps = STEP.findall(section)
        for path, place, _, line, block in steps:
            text = re.sub("^ {3}", "", block, flags=re.MULTILINE)
            if place:
                self.insert(path, place, line, text)
            else:
                assert not (self.root / path).exists(), f"{path} is there already"
                self.write(path, text)
        return [step[0] for step in steps]

    def insert(self, path, place, start, text):
        """Insert a text above or below the one line of a file that starts so."""
        lines = (self.root / path).read_text(encoding="utf-8").splitlines(keepends=True)
        (at,) = [number for number, line in enumerate(lines) if line.strip().startswith(start)]
        lines.insert(at + (place == "below"), text)
        (self.root / path).write_text("".join(lines), encoding="utf-8")

    def run(self, *command, fails=False):
        """Run a Python module in the copy, as `python -m` does; what it said."""
        hidden = ("COVERAGE_", "COV_", "PYTEST_", "PYTHONDONTWRITE")
        env = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
        with (self.root / "said").open("w+b") as out, (self.root / "complained").open("w+b") as err:
            with order(LIBRARIES, AFRESH.format([*command]), env, out, err, folder=self.root) as told:
                told.settimeout(HANG)
                with told.makefile() as lines:
                    status = [int(line) for line in lines][-1]
            for each in (out, err):
                each.seek(0)
            said, complained = out.read().decode(), err.read().decode()
        assert (status != 0) is fails, said[-4000:] + complained[-4000:]
        return said + complained if fails else said

    def test(self, *paths):
        """Run tests in the copy, without those that take long."""
        own = ("-p", "no:cacheprovider", "--basetemp", str(self.root.parent / "own"))
        return self.run("pytest", "-q", *own, "-m", "not long", *paths)

    def translate(self, language, texts):
        """Put translations into a catalogue, as somebody with an editor does, and compile it."""
        path = self.root / "locales" / language / "LC_MESSAGES" / "shithead.po"
        catalogue = path.read_text(encoding="utf-8")
        for text, translation in texts.items():
            empty = f'msgid "{text}"\nmsgstr ""\n'
            assert empty in catalogue, f"{text} is not there to be translated"
            catalogue = catalogue.replace(empty, f'msgid "{text}"\nmsgstr "{translation}"\n')
        path.write_text(catalogue, encoding="utf-8")
        return self.run("tools.catalogues")


def untranslated(listed):
    """How many texts each language lacks, as `tools.catalogues` lists it."""
    return {
        code: int(count) for code, count in re.findall(r"^(\S+) .*: (\d+) of \d+ texts are not", listed, re.MULTILINE)
    }


@pytest.fixture
def lacking():
    """How many texts each language of this checkout lacks, in which newcomers may have left some untranslated."""
    counts = {}
    for path in (ROOT / "locales").glob("*/LC_MESSAGES/shithead.po"):
        with path.open("rb") as file:
            counts[path.parents[1].name] = len(catalogues.untranslated(read_po(file)))
    return counts


@pytest.fixture
def tree(tmp_path):
    """A fresh copy, with what is compiled of it; what another process is just about to compile is left out."""
    root, unfinished = tmp_path / "tree", shutil.ignore_patterns("*.pyc.*")
    for layer in LAYERS:
        shutil.copytree(ROOT / layer, root / layer, ignore=unfinished)
    for each in TESTS:
        source, target = ROOT / "tests" / each, root / "tests" / each
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=unfinished)
        else:
            shutil.copy2(source, target)
    for each in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / each, root)
    return Tree(root)
