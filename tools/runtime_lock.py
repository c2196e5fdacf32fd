"""Writes deploy/requirements.lock, the part of the lock that the bot itself needs: `python -m tools.runtime_lock`.

What needs what is read from the packages that are installed. A package for other systems only, which is not installed
here, is taken over with its line when something needs it; its line says where it is wanted.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
PART: Final = ROOT / "deploy" / "requirements.lock"


def locked() -> dict[str, str]:
    """The whole lock by name: each the line with the version and those with its hashes."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    blocks = re.findall(r"^\S.*\n(?:    .*\n)+", text, re.MULTILINE)
    return {canonicalize_name(re.split(r"[=\[]", block, maxsplit=1)[0]): block for block in blocks}


def needed() -> set[str]:
    """The names of all packages that the declared dependencies need, and they themselves."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    open_, seen = [Requirement(line) for line in declared], set[tuple[str, frozenset[str]]]()
    while open_:
        want = open_.pop()
        key = (canonicalize_name(want.name), frozenset(want.extras))
        if key not in seen:
            seen.add(key)
            open_ += _needed_by(want)
    return {name for name, _ in seen}


def _needed_by(want: Requirement) -> list[Requirement]:
    try:
        lines = [Requirement(line) for line in requires(want.name) or ()]
    except PackageNotFoundError:
        return []
    return [line for line in lines if _wanted(line, {"", *want.extras})]


def _wanted(line: Requirement, extras: set[str]) -> bool:
    """Whether a line counts with one of the extras; what it says of systems and versions is left to the lock."""
    marker = str(line.marker or "")
    return any(f'extra == "{extra}"' in marker for extra in extras) if "extra ==" in marker else True


def part() -> str:
    """The part of the lock, in its order."""
    names = needed()
    return "".join(block for name, block in locked().items() if name in names)


if __name__ == "__main__":
    PART.write_text(part(), encoding="utf-8")
