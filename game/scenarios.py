"""Runs scenario files: test cases of the rules in plain TOML that a player can read (docs/scenarios.md).

    python -m game.scenarios FILE.toml [FILE.toml ...]

prints one line for each failing scenario, then `N passed, M failed`. The exit status is 0 if all pass, 1 if any fails,
and 2 if a file itself is at fault. This module owns the format of a file; `game.text.position` sets up the position,
and `game.text.expectations` compares the outcome with what the scenario expects.
"""

from __future__ import annotations

import argparse
import codecs
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from game.moves import Refusal, advance, check, events
from game.rules import is_list, is_table
from game.shell import read_file, reason_of, run_command
from game.text.expectations import Outcome, compare, unknown_keys
from game.text.position import GIVEN_KEYS, BadValueError, rules_from, set_up, shown
from game.text.record import parse_line
from game.variants import BadVariantError, describe_error


class BadScenarioError(Exception):
    """A scenario that cannot be run; the message names the file, the id and the key."""


def load(path: Path) -> list[Mapping[str, Any]]:
    """Read the scenarios of a file and check their keys.

    Raises `BadScenarioError` if the file cannot be read, or has an unknown key, a malformed id or the same id twice.
    """
    try:
        text = read_file(path)
        if text.startswith(codecs.BOM_UTF8):
            raise ValueError("it begins with a byte order mark: save it as UTF-8 without one")  # noqa: TRY301 - one of several ways not to be TOML
        table = tomllib.loads(text.decode())
    except (OSError, ValueError, RecursionError) as error:
        raise BadScenarioError(f"{path}: cannot be read: {_reason(error)}") from error
    for key in table:
        if key != "scenario":
            raise BadScenarioError(f"{path}: -: unknown key {shown(key)}")
    cases: object = table.get("scenario", [])
    if not is_list(cases):
        raise BadScenarioError(f"{path}: -: scenario must be a list of tables")
    seen = set[str]()
    return [_checked(path, number, case, seen) for number, case in enumerate(cases, 1)]


def _reason(error: OSError | ValueError | RecursionError) -> object:
    if isinstance(error, OSError | UnicodeDecodeError):
        return reason_of(error)
    if isinstance(error, RecursionError):
        return "nested too deep"
    return "a number has too many digits" if "int_max_str_digits" in str(error) else error


def _checked(path: Path, number: int, case: object, seen: set[str]) -> Mapping[str, Any]:
    if not is_table(case):
        raise BadScenarioError(f"{path}: -: scenario must be a list of tables")
    name = case.get("id")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise BadScenarioError(f"{path}: scenario {number}: id is missing or not a line of text")
    if name in seen:
        raise BadScenarioError(f"{path}: {name}: id is used twice")
    seen.add(name)
    expect = case.get("expect", {})
    if not is_table(expect):
        raise BadScenarioError(f"{path}: {name}: expect must be a table")
    known = {*GIVEN_KEYS, "id", "rules", "do", "expect"}
    unknown = [key for key in case if key not in known]
    unknown += [f"expect.{key}" for key in unknown_keys(expect)]
    if unknown:
        raise BadScenarioError(f"{path}: {name}: unknown key {shown(unknown[0])}")
    return case


def run(case: Mapping[str, Any]) -> list[str]:
    """Run a scenario; return its differences from what it expects as sentences, none if it passes.

    Raises:
        BadValueError: a value in the scenario makes no sense.
        pydantic.ValidationError: an option of its rules is unknown, or its value is not allowed.
    """
    state = set_up(case, rules_from(case.get("rules", "classic")))
    lines: object = case.get("do", [])
    if not is_list(lines):
        raise BadValueError("do", f"must be a list of moves, not {shown(lines)}")
    for line in lines:
        if not isinstance(line, str) or ":" not in line:
            raise BadValueError("do", f"must be like `A: play 2h`, not {shown(line)}")
    expect: Mapping[str, Any] = case.get("expect", {})
    outcome = Outcome(start=state, state=state, names=(), refusal=None)
    for number, line in enumerate(lines, 1):
        outcome = _make_move(outcome, str(line))
        may_be_refused = number == len(lines) and "refusal" in expect
        if outcome.refusal and not may_be_refused:
            compare(expect, outcome)  # for its errors: a malformed expectation is reported however the moves end
            return [f"do {number} ({shown(line)}): expected to be accepted, found {outcome.refusal.value}"]
    return compare(expect, outcome)


def _make_move(outcome: Outcome, line: str) -> Outcome:
    before = outcome.state
    try:
        seat, move = parse_line(line)
    except ValueError:  # text that is no move counts as a malformed move, which a scenario may expect
        return Outcome(outcome.start, before, (), Refusal.MALFORMED)
    who = seat or 0
    if refusal := check(before, who, move):
        return Outcome(outcome.start, before, (), refusal)
    after = advance(before, who, move)
    return Outcome(outcome.start, after, tuple(event.name for event in events(before, who, move, after)), None)


def run_file(path: Path) -> tuple[int, list[str]]:
    """Run the scenarios of a file; return how many passed, and a line for each that failed.

    Raises `BadScenarioError` if the file or a scenario in it cannot be run.
    """
    passed, failures = 0, list[str]()
    for case in load(path):
        name = case["id"]
        try:
            differences = run(case)
        except BadValueError as error:
            raise BadScenarioError(f"{path}: {name}: bad value for {error}") from error
        except RecursionError as error:  # newer Pythons fail already when they read a still deeper one
            raise BadScenarioError(f"{path}: {name}: bad value for rules: nested too deep") from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in ("rules", *first["loc"]) if part != "[key]")
            wrong = " ".join(describe_error(first["type"], first.get("ctx", {})).split())
            raise BadScenarioError(f"{path}: {name}: {shown(place)} {wrong}") from error
        if differences:
            failures.append(f"{path}: {name}: {' '.join('; '.join(differences).split())}")
        else:
            passed += 1
    return passed, failures


def main(arguments: Sequence[str]) -> int:
    """Run the files named on the command line and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m game.scenarios", description="Run scenario files.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.toml")
    passed, failed = 0, 0
    for file in parser.parse_args(arguments).files:
        try:
            good, failures = run_file(file)
        except (BadScenarioError, BadVariantError) as error:
            print(error, file=sys.stderr)
            return 2
        passed, failed = passed + good, failed + len(failures)
        for failure in failures:
            print(failure)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    run_command(main)
