"""The lines that hosting.md explains are those that the program writes."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTION = re.compile(r"^## If something is wrong\n(.*?)^### ", re.MULTILINE | re.DOTALL)
OF_THE_SYSTEM = {"no space left on device"}


def written():
    """Every text in the code of the program; one with values filled in comes in its parts."""
    for layer in ("bot", "cogs", "data", "tables"):
        for path in sorted((ROOT / layer).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def quoted():
    """The parts of all lines in the first column of the table of symptoms."""
    section = SECTION.search((ROOT / "docs/hosting.md").read_text(encoding="utf-8"))[1]
    for row in re.findall(r"^\| (.*?) \|", section, re.MULTILINE):
        for line in re.findall(r"`(.+?)`", row):
            yield from (part.strip() for part in line.split("…"))


@pytest.fixture(scope="module")
def texts():
    return "\n".join(written())


@pytest.mark.parametrize("part", sorted({*quoted()} - OF_THE_SYSTEM))
def test_a_line_that_a_host_looks_up_is_one_that_the_program_writes(part, texts):
    assert part in texts
