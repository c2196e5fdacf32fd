"""Markdown files point at what exists, and name verbs that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
ELSEWHERE = ("http://", "https://", "mailto:")
FOLDERS = ("game", "data", "tables", "cogs", "bot", "sandbox", "testkit", "tests", "bench", "tools", "deploy")
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
NAMES = r"`[\w.]+`(?:(?:, | and | or )`[\w.]+`)*"
IN_FILE = re.compile(rf"({NAMES}) (?:in|of) `([\w/]+\.py)`|`([\w/]+\.py)` \(({NAMES})\)")
"""Names with the file that is said to define them: `next_after` in `aftermath.py`; `aftermath.py` (`next_after`)."""


def name(path):
    return str(path.relative_to(ROOT))


def anchors(text):
    """The places of a page that a link can name: headings as GitHub names them, and `<a id>`."""
    bare = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", bare, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("page", [each for each in PAGES if each.parent.name != "decisions"], ids=name)
def test_no_page_says_who_for_whoever(page):
    # "Who has just come has 1,000 points" is translated German: say "A newcomer has …". Questions and titles may.
    text = CODE.sub("", page.read_text(encoding="utf-8")).replace("*", "")
    assert not re.findall(r"(?:^|[.:;] )Who \w+ [^.?|\n]*\.", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_resolve(page):
    broken = []
    text = page.read_text(encoding="utf-8")
    for target in LINK.findall(CODE.sub("", text)):
        if target.startswith(ELSEWHERE):
            continue
        path, _, anchor = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to.read_text(encoding="utf-8"))):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_verbs_named_are_in_the_makefile(page):
    verbs = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    code = " ".join(CODE.findall(page.read_text(encoding="utf-8")))
    named = set(re.findall(r"(?:^|[`\s=.])make ([a-z]+)\b", code))
    assert named <= verbs


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_modules_named_exist(page):
    code = " ".join(CODE.findall(page.read_text(encoding="utf-8")))
    for module in re.findall(r"python3? -m ((?:bench|bot|cogs|data|game|sandbox|tools)[\w.]*)", code):
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module
    for bench in re.findall(r"(?:python -m bench|make bench NAME=) ?([a-z_]+)", code):
        assert (ROOT / "bench" / f"{bench}.py").exists(), bench


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_named_exist(page):
    """Paths in code marks that begin with a folder of the project."""
    folders = "game|data|tables|cogs|bot|sandbox|bench|testkit|docs|deploy|tools|locales|tests"
    marks = re.findall(rf"`((?:{folders})/[\w./-]*)`", page.read_text(encoding="utf-8"))
    assert [path for path in marks if not (ROOT / path).exists()] == []


@cache
def defined_in(file):
    """The names that a file of the project defines: functions, classes, variables, fields."""
    places = [path for path in SOURCES if path.as_posix().endswith(f"/{file}")]
    found = set()
    for node in (each for path in places for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def named_in_files(page):
    """The names that a page says are in a file, each with that file."""
    text = re.sub(r"\s+", " ", page.read_text(encoding="utf-8"))
    told = [(names or others, file or other) for names, file, other, others in IN_FILE.findall(text)]
    return {(each, file) for names, file in told for each in re.findall(r"`([\w.]+)`", names) if ".py" not in each}


PRESENT = [each for each in PAGES if each.parent.name != "decisions"]
"""The pages that are about the program as it is now."""


@pytest.mark.parametrize("page", PRESENT, ids=name)
def test_what_is_said_to_be_in_a_file_is_defined_there(page):
    named = sorted(named_in_files(page))
    assert [f"{each} in {file}" for each, file in named if each.split(".")[-1] not in defined_in(file)] == []


def test_pages_say_of_many_names_in_which_file_they_are():
    assert sum(len(named_in_files(page)) for page in PRESENT) >= 50


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pages_name_no_place_outside_the_project(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"\.\./shared|/work/|/home/\w|/root/|/tmp/", text)
