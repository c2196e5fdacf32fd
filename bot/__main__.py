"""`python -m bot`, and the command `shithead`.

The processes that draw and think import the main module again, so this one imports the bot only when it is called.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from game.shell import INTERRUPTED, run_command


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Import the bot, run the command line, and exit with its status."""
    faulthandler.enable()  # if a library written in C crashes, say in which line of Python
    run_command(_import_and_run, arguments)


def _import_and_run(arguments: Sequence[str]) -> int:
    if arguments[:1] in ([], ["run"]):  # any other command must not report success when it is interrupted
        signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    elif signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # An exception within an import would be wrapped in others. Nothing needs to be tidied up yet.
        signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(INTERRUPTED))
    # Modules are never freed, so collecting garbage while importing finds nothing, and takes a fifth of a start.
    gc.disable()
    from bot.command_line import main as do  # noqa: PLC0415 - see above

    gc.freeze()
    gc.enable()
    if arguments[:1] not in ([], ["run"]):
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        for name in {"SIGTERM", "SIGHUP"} & signal.Signals.__members__.keys():  # tidy up, as after Ctrl-C
            signal.signal(signal.Signals[name], signal.default_int_handler)
    return do(arguments)


if __name__ == "__main__":
    main()
