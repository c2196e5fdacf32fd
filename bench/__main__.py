"""`python -m bench NAME [options]`: run one measurement; without a name, say which there are.

A bench is a module with `main(argv) -> int`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from game.shell import run_command


def benches() -> dict[str, str]:
    """The measurements by name, each with the first line of its docstring."""
    found: dict[str, str] = {}
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        text = path.read_text(encoding="utf-8")
        if "\ndef main(" in text:
            found[path.stem] = text.lstrip('"').splitlines()[0].rstrip('"')
    return found


def main(argv: Sequence[str]) -> int:
    """Run the bench named first with the other arguments; returns its exit status, 2 for a name that is none."""
    known = benches()
    if argv and argv[0] in known:
        return int(import_module(f"bench.{argv[0]}").main(argv[1:]))
    if argv and argv[0] not in {"-h", "--help"}:
        print(f"no bench {argv[0]}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    print("usage: python -m bench NAME [options]\n")
    for name, sentence in known.items():
        print(f"  {name:10} {sentence}")
    return 0


if __name__ == "__main__":
    run_command(main)
