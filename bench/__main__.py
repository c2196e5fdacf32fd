"""`python -m bench NAME [options]`: run one measurement; without a name, say which there are.

A bench is a module with `main(argv) -> int`.
"""

from __future__ import annotations

import signal
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
        print(f"  {name:12} {sentence}")
    return 0


def _end_by_signals() -> None:
    """Let SIGTERM and SIGHUP end a bench as Ctrl-C does, so that no bot and no folder of it stays behind."""
    for name in signal.Signals.__members__.keys() & {"SIGTERM", "SIGHUP"}:
        if signal.getsignal(signal.Signals[name]) is not signal.SIG_IGN:  # as it is under `nohup`
            signal.signal(signal.Signals[name], signal.default_int_handler)


if __name__ == "__main__":
    _end_by_signals()
    run_command(main)
