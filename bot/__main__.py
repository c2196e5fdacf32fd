"""`python -m bot`, and the command `shithead`.

The processes that draw and think load the main module again, so this one loads nothing before it is called.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Sequence
from typing import Final

INTERRUPTED: Final = 130
"""The status by which shells say that Ctrl-C ended a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Load the bot and do what is asked; the exit status."""
    if (sys.argv[1:] if arguments is None else arguments)[:1] in ([], ["run"]):  # anything else would be half done
        signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(0))
    # What is loaded stays, so to look through it for garbage is in vain, and takes a fifth of a start.
    gc.disable()
    try:
        from bot.command_line import main as do  # noqa: PLC0415 - see above

        gc.freeze()
        gc.enable()
        return do(arguments)
    except KeyboardInterrupt:  # before anything runs that could be stopped in order
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
