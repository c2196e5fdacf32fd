"""`python -m bot`, and the command `shithead`.

The processes that draw and think import the main module again, so this one imports the bot only when it is called.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Callable, Collection, Sequence
from types import FrameType
from typing import NoReturn

from game.shell import INTERRUPTED, run_command


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Import the bot, run the command line, and exit with its status."""
    if sys.stderr is not None:  # it may be closed
        faulthandler.enable()  # if a library written in C crashes, say in which line of Python
    run_command(_import_and_run, arguments)


def _import_and_run(arguments: Sequence[str]) -> int:
    is_run = arguments[:1] in ([], ["run"])
    if is_run:  # any other command must not report success when it is interrupted
        # Until it listens. Nothing is to be tidied up, and within asyncpg an exception is lost or crashes the process.
        signal.signal(signal.SIGTERM, lambda _number, _frame: os._exit(0))
    else:  # an exception within an import would be wrapped in others, and nothing needs to be tidied up yet
        _end_by({"SIGINT"}, lambda _number, _frame: os._exit(INTERRUPTED))
    # Modules are never freed, so collecting garbage while importing finds nothing, and takes a fifth of a start.
    gc.disable()
    from bot import command_line, compose, doctor  # noqa: PLC0415 - see above

    gc.freeze()
    gc.enable()
    if not is_run:  # tidy up, however it is told to end
        _end_by({"SIGINT", "SIGTERM", "SIGHUP"}, signal.default_int_handler)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # as asyncio does with it: cancel, and raise nothing
            _end_by({"SIGTERM", "SIGHUP"}, lambda _number, _frame: signal.raise_signal(signal.SIGINT))
    return command_line.main(arguments, command_line.Actions(compose.run, compose.sync, doctor.report))


def _end_by(names: Collection[str], handler: Callable[[int, FrameType | None], object]) -> None:
    """Handle these signals, except those that this system does not have, and those that are ignored (`nohup`)."""
    for name in signal.Signals.__members__.keys() & names:
        if signal.getsignal(signal.Signals[name]) is not signal.SIG_IGN:
            signal.signal(signal.Signals[name], handler)


if __name__ == "__main__":
    main()
