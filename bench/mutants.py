"""Changes one thing in the source at a time and looks whether a test notices.

    python -m bench mutants [--count 300] [--seed 1] [--rooms game,tables,data]

A mutant is a copy of the tree with one change (`testkit/mutations.py`): another operator, constant or condition, no
result, a statement left out. It is killed when a test fails or takes far longer than before. First all tests run once
on the tree as it is, to learn which of them run which line; that is remembered in build/mutants until a file changes.
Then each mutant gets the tests that run its line, the quickest first, until one fails. Survivors are printed to be
read: a test is missing, or the change changes nothing. The latter are listed with the reason in
`equivalent_mutants.toml` and not drawn again. `--rooms` also takes single files. The same seed draws the same mutants
from the same source.

Not mutmut, which changes only what is inside functions and finds its mutants by the names of imported modules, and not
cosmic-ray, which runs all tests for each mutant, in the tree itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Queue
from typing import Final

from coverage import CoverageData
from tqdm import tqdm

from testkit.mutations import Mutation, mutations

ROOT: Final = Path(__file__).parents[1]
KEPT: Final = ROOT / "build" / "mutants"
EQUIVALENT: Final = Path(__file__).with_name("equivalent_mutants.toml")
WANTED: Final = 95.0
"""Per cent of the mutants that are to be killed."""
TESTS: Final = {
    "game": ("tests/game",),
    "data": ("tests/data", "tests/tables", "tests/failures"),
    "tables": ("tests/tables", "tests/bot", "tests/cogs", "tests/failures"),
}
PICK: Final = "not long and not browser"
LEAST: Final = 60.0
"""Seconds that a mutant has at least; else it has `TIMES` as long as its tests took without it."""
TIMES: Final = 5.0
WITHIN_MEMORY: Final = ("/bin/sh", "-c", 'ulimit -v 4000000 && exec "$@"', "sh")
"""Before a command: it gets four gigabytes, as a loop that a mutant makes endless may eat all there are."""
TINY: Final = ("--count", "1", "--rooms", "game/cards.py", "--tests", "tests/game/test_notation.py", "--jobs", "1")
_TOOK: Final = re.compile(r"^([\d.]+)s (?:call|setup) +(\S.*)$", re.MULTILINE)
_CLOCK: Final = count(1_000_000_000)
"""Times of writing for changed files, all different, so that Python takes no compiled file of another mutant."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change in a file of the project, and whether any test noticed."""

    path: str
    mutation: Mutation
    line: str

    def __str__(self) -> str:
        """Where and what."""
        return f"{self.path}:{self.mutation.line}  {self.mutation}"


@dataclass(frozen=True, slots=True)
class Known:
    """What the tests do on the tree as it is: which of them run a line, and the seconds each takes."""

    runs: dict[str, dict[int, set[str]]]
    took: dict[str, float]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that run the changed lines, the quickest first; for what runs at import, all that use the file."""
        runs = self.runs.get(mutant.path, {})
        changed = range(mutant.mutation.line, mutant.mutation.last + 1)
        found = set().union(*(runs.get(line, ()) for line in changed)) or set().union(*runs.values())
        return sorted(found, key=lambda test: (self.took.get(test, 0.0), test))


def drawn(rooms: Sequence[str], wanted: int, seed: int) -> list[Mutant]:
    """Mutants of these rooms or files, without those known to change nothing."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    equivalent = {(each["file"], each["line"], each["change"]) for each in listed}
    found: list[Mutant] = []
    for path in sorted(path for room in rooms for path in _modules(room)):
        source, name = path.read_bytes(), str(path.relative_to(ROOT))
        lines = source.decode().splitlines()
        mutants = [Mutant(name, each, lines[each.line - 1].strip()) for each in mutations(source)]
        found += [each for each in mutants if (each.path, each.line, str(each.mutation)) not in equivalent]
    return random.Random(seed).sample(found, min(wanted, len(found)))


def _modules(room: str) -> list[Path]:
    place = ROOT / room
    return [place] if place.is_file() else [each for each in place.rglob("*.py") if each.parent.name != "versions"]


def _tracked() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _pytest(folder: Path, *arguments: str, seconds: float | None = None, **env: str) -> tuple[int, str]:
    """Run tests in a copy of the tree; the exit status and what was said. Hypothesis searches no smaller examples."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    # Compiled files are wanted whatever the caller's shell says: without them each start compiles everything anew.
    env = {**os.environ, "HYPOTHESIS_PROFILE": "first-failure", "PYTHONDONTWRITEBYTECODE": "", **env}
    done = subprocess.run(
        [*WITHIN_MEMORY, *command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=seconds, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def learned(tests: Sequence[str], jobs: int) -> Known:
    """Which test runs which line: from a run of all of them, or as remembered of the last one on the same files.

    Raises:
        SystemExit: a test fails already.
    """
    digest = hashlib.sha256(repr(tests).encode())
    for name in _tracked():
        digest.update(name.encode() + (ROOT / name).read_bytes())
    lines, took = (KEPT / f"{digest.hexdigest()[:16]}.{what}" for what in ("coverage", "durations"))
    if not took.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        print(f"running {' '.join(tests)} once, to learn which test runs which line ...", flush=True)
        measured = ("--cov", "--cov-context=test", "--cov-report=", "--durations=0", "-vv", "-m", PICK)
        spread = ("-n", str(jobs), "--dist", "worksteal") if jobs > 1 else ()
        status, said = _pytest(ROOT, *measured, *spread, *tests, COVERAGE_FILE=str(lines))
        if status:
            sys.exit(f"{said[-6000:]}\nA test fails on the tree as it is.")
        took.write_text(said, encoding="utf-8")
    seconds: defaultdict[str, float] = defaultdict(float)
    for each, test in _TOOK.findall(took.read_text(encoding="utf-8")):
        seconds[test] += float(each)
    data = CoverageData(str(lines))
    data.read()
    runs: dict[str, dict[int, set[str]]] = {}
    for file in data.measured_files():
        contexts = data.contexts_by_lineno(file)
        named = {line: {each.partition("|")[0] for each in found if each} for line, found in contexts.items()}
        runs[str(Path(file).relative_to(ROOT))] = {line: tests for line, tests in named.items() if tests}
    return Known(runs, dict(seconds))


class Workshop:
    """Copies of the tree, one for each mutant that is tried at the same time."""

    def __init__(self, place: Path, jobs: int) -> None:
        """Copy what git knows or would add."""
        self._free: Queue[Path] = Queue()
        for number in range(jobs):
            folder = place / str(number)
            for name in _tracked():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, folder / name)
            self._free.put(folder)

    def kills(self, mutant: Mutant, known: Known) -> bool:
        """Whether a test notices the change."""
        tests, folder = known.tests_of(mutant), self._free.get()
        if not tests:
            self._free.put(folder)
            return False
        place, asked = folder / mutant.path, folder / "tests-to-run.txt"
        source = place.read_bytes()
        asked.write_text("\n".join(tests), encoding="utf-8")
        _write(place, mutant.mutation.applied(source))
        try:
            seconds = max(LEAST, TIMES * sum(known.took.get(test, 0.0) for test in tests))
            return _pytest(folder, "-x", "-n", "0", f"@{asked.name}", seconds=seconds)[0] != 0
        except subprocess.TimeoutExpired:
            return True
        finally:
            _write(place, source)
            self._free.put(folder)


def _write(place: Path, source: bytes) -> None:
    place.write_bytes(source)
    moment = next(_CLOCK)
    os.utime(place, (moment, moment))


def main(argv: Sequence[str] = ()) -> int:
    """Try the mutants and print who survived; the last line is JSON."""
    parser = argparse.ArgumentParser(prog="bench mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rooms", default="game,tables,data", help="rooms or files, with commas between them")
    parser.add_argument("--tests", nargs="+", help="the tests that may notice; without, those of the rooms")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="mutants tried at the same time")
    options = parser.parse_args(argv)
    rooms = options.rooms.split(",")
    tests = options.tests or sorted({test for room in rooms for test in TESTS.get(room.partition("/")[0], ("tests",))})
    mutants, known = drawn(rooms, options.count, options.seed), learned(tests, options.jobs)
    survivors = list[Mutant]()
    with tempfile.TemporaryDirectory(prefix="mutants") as place, ThreadPoolExecutor(options.jobs) as pool:
        workshop = Workshop(Path(place), options.jobs)
        killed = pool.map(lambda mutant: workshop.kills(mutant, known), mutants)
        seen = tqdm(killed, total=len(mutants), desc="mutants", unit="mutant", disable=None)
        for mutant, is_killed in zip(mutants, seen, strict=True):
            if not is_killed:
                survivors.append(mutant)
                tqdm.write(f"survived: {mutant}{'' if known.tests_of(mutant) else '  (no test runs it)'}")
    share = round(100 * (len(mutants) - len(survivors)) / max(1, len(mutants)), 1)
    print(f"seed {options.seed}: {len(mutants)} mutants of {options.rooms}, {len(survivors)} survived")
    result = {"bench": "mutants", "value": share, "unit": "% killed", "baseline": WANTED}
    print(json.dumps({**result, "ratio": round(share / WANTED, 3)}))
    return 0
