"""What the bot needs to run is declared, and nothing else; the locks hold what is declared."""

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from testkit.waiting import run_to_end

ROOT = Path(__file__).parents[1]
PRODUCT = ("game", "data", "tables", "cogs", "bot")
LOCKS = ("requirements.lock", "deploy/play.lock", "deploy/requirements.lock")
NOT_IMPORTED = {
    "asyncpg": "SQLAlchemy loads it for postgresql addresses",
    "colorama": "structlog colours a Windows console with it",
}
DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN_TIME = [Requirement(line) for line in DECLARED["project"]["dependencies"]]
DEVELOPERS = [Requirement(line) for line in DECLARED["dependency-groups"]["dev"]]

PLAYERS = [Requirement(line) for line in DECLARED["project"]["optional-dependencies"]["play"]]
BUILDERS = [Requirement(line) for line in DECLARED["build-system"]["requires"]]
PINNED = tuple(zip(LOCKS, (RUN_TIME + DEVELOPERS, RUN_TIME + PLAYERS, RUN_TIME), strict=True))

CONDITION = r"[a-z_]+ [<>=!]+ '[a-z0-9.]+'"
PIN = re.compile(rf"([a-z0-9-]+)(\[[a-z0-9,-]+\])?==([0-9][0-9a-z.+]*)( ; {CONDITION}( (and|or) {CONDITION})*)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def names(requirements):
    return {canonicalize_name(each.name) for each in requirements}


def blocks(lock):
    """The lock as {name: its pin and its hashes}."""
    found, name = {}, ""
    for line in (ROOT / lock).read_text(encoding="utf-8").splitlines():
        if pin := PIN.fullmatch(line):
            name = pin[1]
            found[name] = [line]
        else:
            assert HASH.fullmatch(line), f"neither a pin nor a hash: {line!r}"
            found[name].append(line)
    return found


def imported():
    """The packages that the product imports, each with a file that does."""
    providers, found = packages_distributions(), {}
    for path in (path for room in PRODUCT for path in (ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []
            for top in {module.partition(".")[0] for module in modules} - sys.stdlib_module_names - set(PRODUCT):
                found |= {canonicalize_name(package): path for package in providers[top]}
    return found


def test_the_product_imports_what_is_declared_and_nothing_else_is_declared():
    found = imported()
    assert len(found) > 5
    assert {name: str(path) for name, path in found.items() if name not in names(RUN_TIME)} == {}
    assert names(RUN_TIME) - found.keys() == NOT_IMPORTED.keys()


def test_the_simulated_discord_loads_where_only_make_play_has_installed_anything():
    pinned, providers = blocks("deploy/play.lock").keys(), packages_distributions()
    lacking = [name for name, packages in providers.items() if not pinned & set(map(canonicalize_name, packages))]
    assert {"playwright", "pytest"} <= set(lacking)
    load = "import sys; sys.modules |= dict.fromkeys(sys.argv[1:]); import simcord.preview, sandbox.run"
    assert run_to_end(sys.executable, "-c", load, *lacking, cwd=ROOT).stderr == ""


def test_what_plays_and_what_builds_the_package_is_what_the_tests_use():
    tested = {canonicalize_name(each.name): each.specifier for each in DEVELOPERS}
    assert PLAYERS
    assert BUILDERS
    for each in PLAYERS + BUILDERS:
        assert each.specifier == tested[canonicalize_name(each.name)], f"{each} is declared twice, in two versions"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_only_pins_with_hashes_and_names_no_host(lock):
    found = blocks(lock)
    assert len(found) > 20
    assert not [name for name, (_, *hashes) in found.items() if not hashes]


@pytest.mark.parametrize(("lock", "declared"), PINNED)
def test_a_lock_pins_what_is_declared(lock, declared):
    found = blocks(lock)
    for each in declared:
        pinned = Requirement(found[canonicalize_name(each.name)][0].rstrip("\\ "))
        assert pinned.specifier == each.specifier, f"{each} is declared, {lock} has {pinned}: make lock"


@pytest.mark.parametrize(("lock", "declared"), PINNED)
def test_a_lock_is_complete_because_nothing_that_it_lacks_is_installed(lock, declared):
    pinned, waiting, seen = blocks(lock), [(each.name, frozenset(each.extras)) for each in declared], set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        assert canonicalize_name(name) in pinned, f"{lock} lacks {name}: make lock"
        try:
            needed = map(Requirement, requires(name) or ())
        except PackageNotFoundError:  # for another system
            continue
        waiting += [
            (each.name, frozenset(each.extras))
            for each in needed
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in ("", *extras))
        ]
    assert len(seen) > len(declared)


def test_each_lock_includes_the_next_one_and_what_is_not_for_developers_holds_none_of_their_tools():
    whole, play, bot = (blocks(lock) for lock in LOCKS)
    assert bot.items() <= play.items() <= whole.items(), "make lock writes all of them"
    assert play.keys() & names(DEVELOPERS) == names(PLAYERS)
    assert not bot.keys() & names(DEVELOPERS)
