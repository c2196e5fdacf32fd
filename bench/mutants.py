"""Changes one thing in the source at a time and checks whether a test notices.

    python -m bench mutants [--count 300] [--seed 1] [--layers game,tables,data]

A mutant is a copy of the tree with one change (`testkit/mutations.py`): another operator, constant or condition, no
result, a statement, one of several conditions, the condition of a comprehension or a restriction of a statement in SQL
left out. First all tests run once on the tree as it is, to learn which functions each of them enters
(`bench/entered.py`); later only tests that are new have to be learned. Then each mutant gets the tests that enter its
function, those of its layer before others and the quickest first, after them others that enter its file, as many as fit
into `ENOUGH` seconds, until one fails. What was found is kept in build/mutants, so that a run that was stopped goes on
where it was: a mutant that was killed is not tried again until its file changes, one that survived always is, as there
may be a better test.

Survivors are printed to be read: a test is missing, or the change changes nothing. The latter are listed with the
reason in `equivalent_mutants.toml` and not drawn again. `--layers` also takes `cogs`, `bot` and single files. The same
seed draws the same mutants from the same source.

Not mutmut, which changes only what is inside functions and finds its mutants by the names of imported modules, and not
cosmic-ray, which runs all tests for each mutant, in the tree itself.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from heapq import nsmallest
from itertools import count
from pathlib import Path
from queue import Queue
from typing import Any, Final

from tqdm import tqdm

from bench.arguments import bench_parser, positive
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
    "cogs": ("tests/cogs", "tests/pictures", "tests/bot"),
    "bot": ("tests/bot", "tests/cogs", "tests/failures"),
}
ELSEWHERE: Final = ("test_chaos.py", "test_fuzz.py", "test_f13_wire.py")
"""Tests whose bot is another process, where nobody notes what they enter."""
PICK: Final = "not long"
NO_TESTS: Final = (4, 5)
"""The statuses of pytest if a test does not exist, or none is left."""
ENOUGH: Final = 40.0
"""Seconds of computing that the tests of a mutant take without it; those that would come after are left out."""
LEAST: Final = 30
"""Seconds of computing that a mutant has to begin with; besides it has `TIMES` as long as its tests took without it."""
TIMES: Final = 4.0
HANG: Final = 400.0
"""Seconds after which a mutant waits for something that never happens, even on a busy machine."""
WITHIN: Final = ("/bin/sh", "-c", 'ulimit -v 4000000 && ulimit -t "$1" && shift && exec "$@"', "sh")
"""Before a command: it gets four gigabytes and so many seconds of computing, as a mutant may make a loop endless."""
TINY: Final = (
    *("--count", "1", "--seed", "2", "--jobs", "1"),
    *("--layers", "game/cards.py", "--tests", "tests/game/test_notation.py"),
)
STARTS_A_SERVER: Final = "[postgresql"
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
    """What the tests do on the tree as it is: which of them enter a function of a file, and the seconds each takes."""

    enter: dict[str, dict[str, set[str]]]
    took: dict[str, float]

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that enter the changed function, those that enter its file, then all others, until it is enough.

        The others are there for what runs at import, and for functions that run only once in a process or whose results
        are cached; so the tests named after the module come even before those that enter the function. Of each kind,
        those of the mutant's layer come first: they look at what it does, and tests of other layers at what they do
        with it. A store is entered by so many quick tests elsewhere that its own would not all have their turn.
        """
        home, named = f"tests/{mutant.path.partition('/')[0]}/", f"/test_{Path(mutant.path).name}::"
        functions = self.enter.get(mutant.path, {})
        entering = functions.get(mutant.mutation.function, set())
        in_file = set[str]().union(*functions.values())

        def place(test: str) -> tuple[bool, bool, bool, bool, bool, float, str]:
            far = named not in test, test not in entering, test not in in_file, not test.startswith(home)
            return (*far, STARTS_A_SERVER in test, self.took[test], test)

        chosen, left = list[str](), ENOUGH
        for test in sorted(self.took, key=place):
            left -= self.took[test]
            if chosen and left < 0:
                break
            chosen.append(test)
        return chosen


def drawn(layers: Sequence[str], wanted: int, seed: int) -> list[Mutant]:
    """Mutants of these layers or files, without those known to change nothing.

    Each gets a random number of its own, so that a change of the source or of that list hardly changes what is drawn.
    """
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutant", [])
    equivalent = {(each["file"], each["line"], each["change"]) for each in listed}
    found: list[Mutant] = []
    for path in sorted(path for layer in layers for path in _modules(layer)):
        source, name = path.read_bytes(), str(path.relative_to(ROOT))
        lines = source.decode().splitlines()
        mutants = [Mutant(name, each, lines[each.line - 1].strip()) for each in mutations(source)]
        found += [each for each in mutants if (each.path, each.line, str(each.mutation)) not in equivalent]

    def number(mutant: Mutant) -> float:
        return random.Random(f"{seed} {mutant.path} {mutant.line} {mutant.mutation}").random()

    return nsmallest(wanted, found, key=number)


def _modules(layer: str) -> list[Path]:
    place = ROOT / layer
    return [place] if place.is_file() else [each for each in place.rglob("*.py") if each.parent.name != "versions"]


def _tracked() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def _pytest(folder: Path, *arguments: str, seconds: int = 100_000, **env: str) -> tuple[int, str]:
    """Run tests in a copy of the tree; the exit status and what was said. Hypothesis searches no smaller examples."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    # Compiled files are wanted whatever the caller's shell says: without them each start compiles everything anew.
    ours = {"HYPOTHESIS_PROFILE": "first-failure", "PYTHONDONTWRITEBYTECODE": "", "PYTEST_ADDOPTS": ""}
    env = {**os.environ, **ours, **env}
    done = subprocess.run(
        [*WITHIN, str(seconds), *command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=HANG if seconds < HANG else None, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def learned(tests: Sequence[str], jobs: int, kept: Path) -> Known:
    """Which test enters which functions: as it was remembered, and from a run of those tests that are new."""
    ignored = [f"--ignore-glob=*/{name}" for name in ELSEWHERE]
    status, listed = _pytest(ROOT, "--collect-only", "-m", PICK, *ignored, *tests)
    if status in NO_TESTS:
        sys.stderr.write(f"--tests {' '.join(tests)}: {listed.strip().splitlines()[-1]}\n")
        raise SystemExit(2)
    there = {line for line in listed.splitlines() if "::" in line}
    if new := sorted(there - {each["test"] for each in _lines(kept)}):
        print(f"running {len(new)} tests once, to learn which functions each of them enters ...", flush=True)
        asked = kept.with_suffix(".txt")
        asked.write_text("\n".join(new), encoding="utf-8")
        spread = ("-n", str(jobs), "--dist", "worksteal") if jobs > 1 else ()
        status, said = _pytest(ROOT, "-p", "bench.entered", *spread, f"@{asked}", ENTERED=str(kept))
        if status:
            print(f"{said[-3000:]}\nThese fail on the tree as it is; they kill no mutant.", flush=True)
    enter: dict[str, dict[str, set[str]]] = {}
    took: dict[str, float] = {}
    for each in _lines(kept):
        if each["test"] in there:
            took[each["test"]] = each["seconds"]
            for path, functions in each["entered"].items():
                for function in functions:
                    enter.setdefault(path, {}).setdefault(function, set()).add(each["test"])
    return Known(enter, took)


def _lines(path: Path) -> list[dict[str, Any]]:
    """What was kept in a file, a line each; none without the file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


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

    def outcome(self, mutant: Mutant, known: Known) -> str:
        """`killed` by a test that fails, `endless` or `hung` where time ran out, else `survived`."""
        tests, folder = known.tests_of(mutant), self._free.get()
        place, asked = folder / mutant.path, folder / "tests-to-run.txt"
        source = place.read_bytes()
        asked.write_text("\n".join(tests), encoding="utf-8")
        _write(place, mutant.mutation.applied(source))
        seconds = LEAST + round(TIMES * sum(known.took[test] for test in tests))
        try:
            status = _pytest(folder, "-x", "-n", "0", f"@{asked.name}", seconds=seconds)[0] if tests else 0
        except subprocess.TimeoutExpired:
            return "hung"
        else:
            return "survived" if status == 0 else "killed" if status > 0 else "endless"
        finally:
            _write(place, source)
            self._free.put(folder)


def _write(place: Path, source: bytes) -> None:
    place.write_bytes(source)
    moment = next(_CLOCK)
    os.utime(place, (moment, moment))


def tried(mutants: Sequence[Mutant], known: Known, jobs: int, kept: Path) -> Generator[tuple[Mutant, str]]:
    """Each mutant with its outcome, as it was kept or by trying it."""
    before = {each["mutant"]: each["outcome"] for each in _lines(kept) if each["outcome"] != "survived"}
    keys = {mutant: _key(mutant) for mutant in mutants}
    left = [mutant for mutant in mutants if keys[mutant] not in before]
    yield from ((mutant, before[keys[mutant]]) for mutant in mutants if keys[mutant] in before)
    with tempfile.TemporaryDirectory(prefix="mutants") as place, ThreadPoolExecutor(jobs) as pool:
        workshop = Workshop(Path(place), jobs)
        trials = {pool.submit(workshop.outcome, mutant, known): mutant for mutant in left}
        try:
            for trial in as_completed(trials):
                mutant, outcome = trials[trial], trial.result()
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"mutant": keys[mutant], "outcome": outcome}) + "\n")
                yield mutant, outcome
        finally:
            pool.shutdown(cancel_futures=True)  # Ctrl-C would wait for all trials otherwise


def _key(mutant: Mutant) -> str:
    digest = hashlib.sha256((ROOT / mutant.path).read_bytes()).hexdigest()[:16]
    return f"{digest} {mutant.mutation.start} {mutant}"


def _options(argv: Sequence[str]) -> tuple[argparse.Namespace, list[Mutant]]:
    """The options of the command, and the mutants that they ask for."""
    parser = bench_parser(__name__, __doc__)
    parser.add_argument("--count", type=positive, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", default="game,tables,data", help="layers or files, with commas between them")
    parser.add_argument("--tests", nargs="+", help="the tests that may notice; without, those of the layers")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1, help="mutants tried at the same time")
    options = parser.parse_args(argv)
    layers = options.layers.split(",")
    options.tests = options.tests or sorted(
        {test for layer in layers for test in TESTS.get(layer.partition("/")[0], ("tests",))}
    )
    mutants = drawn(layers, options.count, options.seed)
    if not mutants:
        parser.error(f"nothing can be changed in {options.layers}: name layers or files of the product")
    return options, mutants


def main(argv: Sequence[str] = ()) -> int:
    """Try the mutants and print who survived; the last line is JSON."""
    options, mutants = _options(argv)
    KEPT.mkdir(parents=True, exist_ok=True)
    known = learned(options.tests, options.jobs, KEPT / "learned.jsonl")
    outcomes = Counter[str]()
    found = tried(mutants, known, options.jobs, KEPT / "outcomes.jsonl")
    for mutant, outcome in tqdm(found, total=len(mutants), desc="mutants", unit="mutant", disable=None):
        outcomes[outcome] += 1
        if outcome == "survived":
            tqdm.write(f"survived: {mutant}{'' if known.tests_of(mutant) else '  (no test runs it)'}")
    killed = len(mutants) - outcomes["survived"]
    share = round(100 * killed / max(1, len(mutants)), 1)
    told = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    print(f"seed {options.seed}: {len(mutants)} mutants of {options.layers}: {told}")
    result = {"bench": "mutants", "value": share, "unit": "% killed", "baseline": WANTED}
    print(json.dumps({**result, "ratio": round(share / WANTED, 3)}))
    return 0
