"""What the project promises about its own shape."""

import ast
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

import testkit
from testkit.found import not_none
from tools.house import ABOVE, BOUNDS, CURE, PRODUCT, House, main

ROOT = Path(__file__).parents[1]
LAYERS = ("game", "data", "tables", "cogs", "bot", "sandbox")
HELPERS = ("testkit", "bench", "tools")
MODULE_LINES, FUNCTION_LINES, CALLBACK_LINES, RECIPE_LINES = BOUNDS["lines of the longest module"], 30, 12, 3


def modules(*layers):
    return sorted(path for layer in layers for path in (ROOT / layer).rglob("*.py"))


def functions(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def place(path, node):
    return f"{path.relative_to(ROOT)}:{node.lineno} {getattr(node, 'name', '')}".rstrip()


def test_ci_runs_the_test_command_of_the_readme_and_nothing_more():
    readme = (ROOT / "README.md").read_text()
    section = re.search(r"^## Test$(.*?)^## ", readme, re.MULTILINE | re.DOTALL)
    assert section, "the README has a section 'Test'"
    promised = re.search(r"```sh\n(.*?)```", section[1], re.DOTALL)[1].splitlines()
    script = ROOT / ".ci" / "run"
    preamble = ("#", "set -e", "cd ")
    run = [line for line in script.read_text().splitlines() if line and not line.startswith(preamble)]
    assert run == promised
    assert os.access(script, os.X_OK)


def test_each_lint_rule_left_out_says_why():
    text = (ROOT / "pyproject.toml").read_text()
    block = text[text.index("[tool.ruff.lint]") : text.index("[tool.ruff.lint.mccabe]")]
    lines = [line for line in block.splitlines() if re.search(r'"[A-Z]+[0-9]*"', line) and '["ALL"]' not in line]
    assert lines
    assert not [line for line in lines if not re.search(r"# \S+ \S+", line)]


def test_the_list_of_helpers_names_each_once_and_no_other():
    named = re.findall(r"^    ((?:\w+\.py(?:, )?)+|\w+ )", not_none(testkit.__doc__), re.MULTILINE)
    there = [path.name for path in (ROOT / "testkit").iterdir() if not path.name.startswith("__")]
    assert sorted(name.strip() for line in named for name in line.split(",")) == sorted(there)


def test_what_marks_a_test_as_long_stands_in_its_own_file():
    """Where `pytest_ignore_collect` in tests/conftest.py does not see it, no command would run the test."""
    shared = (path for name in ("tests", "testkit") for path in (ROOT / name).rglob("*.py") if path.name[:5] != "test_")
    marking = [path for path in shared if re.search(r"\bmark\.(long|browser)\b", path.read_text(encoding="utf-8"))]
    assert marking == [ROOT / "tests" / "conftest.py"]


def test_verbs_are_short():
    recipes, verb = {}, ""
    for line in (ROOT / "Makefile").read_text().splitlines():
        if target := re.match(r"([\w./]+):(?!=)", line):
            verb = target[1]
            recipes.setdefault(verb, [])
        elif line.startswith("\t"):
            recipes[verb].append(line)
    assert {"setup", "play", "test", "check", "run"} <= recipes.keys()
    assert not {verb: len(lines) for verb, lines in recipes.items() if len(lines) > RECIPE_LINES}


@pytest.mark.parametrize("layer", [*LAYERS, *HELPERS])
def test_modules_stay_small(layer):
    lengths = {place(p, ast.Pass(lineno=1)): len(p.read_text().splitlines()) for p in modules(layer)}
    assert not {where: length for where, length in lengths.items() if length > MODULE_LINES}


@pytest.mark.parametrize("layer", [*LAYERS, *HELPERS])
def test_functions_stay_small(layer):
    long = {}
    for path in modules(layer):
        for node in functions(path):
            if (length := node.end_lineno - node.lineno + 1) > FUNCTION_LINES:
                long[place(path, node)] = length
    assert not long


def test_callbacks_stay_small():
    """A callback is a decorated async function of a cog (command, listener, autocomplete); its body is counted."""
    long = {}
    for path in (ROOT / "cogs").glob("*.py"):
        for node in functions(path):
            if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list:
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if body and (length := node.end_lineno - body[0].lineno + 1) > CALLBACK_LINES:
                    long[place(path, node)] = length
    assert not long


def test_game_imports_only_the_standard_library_and_pydantic():
    allowed = sys.stdlib_module_names | {"pydantic", "game"}
    strange = []
    for path in modules("game"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            strange += [f"{place(path, node)} {name}" for name in names if name.partition(".")[0] not in allowed]
    assert not strange


def test_the_type_checker_sees_tests_and_helpers_too():
    checked = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["basedpyright"]["include"]
    assert set(checked) == {*LAYERS, *HELPERS, "tests"}


HANDED_OUT = ("room", "followed", "unfurnished", "house", "people", "refused", "store")
"""Fixtures that hand out the product: without an annotation, the type checker accepts any name of theirs."""


def test_a_fixture_that_hands_out_the_product_is_annotated_where_it_is_used():
    bare = []
    for path in modules("tests"):
        for node in functions(path):
            if node.name.startswith("test_") or "fixture" in " ".join(map(ast.unparse, node.decorator_list)):
                given = [each for each in node.args.args if each.arg in {*HANDED_OUT} - named_above(node)]
                bare += [f"{place(path, node)} {each.arg}" for each in given if not each.annotation]
    assert not bare


def named_above(node):
    """The arguments that `parametrize` names, and gives; they are no fixtures there."""
    above = [each.args[0] for each in node.decorator_list if isinstance(each, ast.Call) and each.args]
    return set(re.findall(r"\w+", " ".join(map(ast.unparse, above))))


@pytest.fixture(scope="module")
def figures():
    return House.of().figures()


@pytest.mark.parametrize("what", BOUNDS)
def test_the_shape_stays_within_its_bounds(figures, what):
    """`python -m tools.house` says where a figure comes from."""
    assert figures[what] <= BOUNDS[what], CURE


def built(folder, files):
    """A house of these files."""
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return House.of(folder)


def test_what_is_measured_is_what_there_is(tmp_path):
    found = built(
        tmp_path,
        {
            "game/__init__.py": "",
            "game/cards.py": "# why\nfrom tables import lobby\n",
            "data/cards.py": "from game import cards\n",
            "tables/lobby.py": "def f(**changes: Any): pass\n",
            "bot/top.py": "if TYPE_CHECKING:\n    from data.cards import x\nimport_module('cogs.help')\nimport bench\n",
        },
    )
    assert found.chain == ["bot.top", "data.cards", "game.cards", "tables.lobby"]
    assert found.up == ["bot.top > bench", "game.cards > tables.lobby"]
    assert found.by_name == ["bot.top:3"]
    assert found.untyped == ["tables.lobby.f"]
    assert found.twice == ["cards"]
    figures = found.figures()
    assert (figures["lines"], figures["files"], figures["imports per module"]) == (8, 5, 0.6)
    assert found.comments == pytest.approx(100 / 8)


def test_each_figure_has_its_bound_and_each_bound_its_figure(figures):
    assert figures.keys() == BOUNDS.keys()


def test_whatever_is_around_the_layers_is_above_them(tmp_path):
    found = built(tmp_path, {"bot/top.py": "".join(f"import {each}\n" for each in sorted(ABOVE))})
    assert found.up == [f"bot.top > {each}" for each in ("bench", "sandbox", "testkit", "tests", "tools")]


@pytest.mark.parametrize("way", ["import_module", "resolve_name", "__import__", "load_module", "exec_module"])
def test_an_import_by_name_is_found_whichever_way_it_is_done(way, tmp_path):
    files = {"game/a.py": f"{way}('data.a')\n", "game/b.py": f"x = importlib.{way}('data.a')\n"}
    assert built(tmp_path, files).by_name == ["game.a:1", "game.b:1"]


def test_what_a_tool_is_told_is_no_comment(tmp_path):
    text = "a = 1  # noqa: X\nb = 2  # pyright: ignore\nc = 3  # type: ignore\n# why\n"
    assert built(tmp_path, {"game/cards.py": text}).comments == pytest.approx(100 / 4)


def test_a_figure_beyond_its_bound_is_named_and_fails_the_check(tmp_path, monkeypatch, capsys):
    house = built(tmp_path, {f"{layer}/of_{layer}.py": "x = 1\n" for layer in PRODUCT})
    monkeypatch.setattr("tools.house.House.of", lambda: house)
    figures = house.figures()
    monkeypatch.setattr("tools.house.BOUNDS", figures)
    assert main() == 0
    assert "eyond" not in capsys.readouterr().out
    monkeypatch.setattr("tools.house.BOUNDS", figures | {"lines": len(PRODUCT) - 1})
    assert main() == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0].strip() == f"{len(PRODUCT)}  lines (at most {len(PRODUCT) - 1})  <-- beyond"
    assert said[-1] == f"Beyond the bound: lines. Either {CURE}."


def test_a_kind_of_move_is_named_where_its_class_is_used_or_made(tmp_path):
    files = {"game/a.py": "class Play: pass\n", "game/b.py": "x = a.Play\n", "game/c.py": "# Play\ny = 'Play'\n"}
    assert built(tmp_path, files).moves["Play"] == ["game.a", "game.b"]
