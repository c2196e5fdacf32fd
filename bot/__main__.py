"""`python -m bot`, and the command `shithead`.

The processes that draw and think import the main module again, so this one imports the bot only when it is called.
"""

from __future__ import annotations

import faulthandler
import gc
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from game.shell import run_command


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Import the bot, run the command line, and exit with its status."""
    faulthandler.enable()  # if a library written in C crashes, say in which line of Python
    run_command(_import_and_run, arguments)


def _import_and_run(arguments: Sequence[str]) -> int:
    if arguments[:1] in ([], ["run"]):  # any other command must not report success when it is interrupted
        signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    # Modules are never freed, so collecting garbage while importing finds nothing, and takes a fifth of a start.
    gc.disable()
    from bot.command_line import main as do  # noqa: PLC0415 - see above

    gc.freeze()
    gc.enable()
    return do(arguments)


if __name__ == "__main__":
    main()
