"""`python -m bot`, and the command `shithead`.

The processes that draw and think load the main module again, so this one loads nothing before it is called.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from game.shell import run_command


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Load the bot, do what is asked, and end with its exit status."""
    run_command(_load_and_do, arguments)


def _load_and_do(arguments: Sequence[str]) -> int:
    if arguments[:1] in ([], ["run"]):  # anything else would be half done
        signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    # What is loaded stays, so collecting garbage now would find nothing, and takes a fifth of a start.
    gc.disable()
    from bot.command_line import main as do  # noqa: PLC0415 - see above

    gc.freeze()
    gc.enable()
    return do(arguments)


if __name__ == "__main__":
    main()
