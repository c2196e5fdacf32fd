"""Runs a module as a shell command: exit statuses, Ctrl-C, closed outputs. Knows nothing of the game.

The layers above use it for their commands, too.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from typing import NoReturn, cast


def run_command(main: Callable[[Sequence[str]], int], arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a module that is a command too, and end with its status: no traceback if Ctrl-C or a file stops it."""
    with suppress(AttributeError):  # of a closed output
        cast("TextIOWrapper", sys.stdout).reconfigure(errors="backslashreplace")  # not every output has every letter
    try:
        try:
            status = main(sys.argv[1:] if arguments is None else arguments)
        finally:
            print(end="", flush=True)  # what is still to be written may fail, and is to fail here
    except KeyboardInterrupt:
        status = 130  # as shells say it
    except OSError as error:
        status = 1
        if not isinstance(error, BrokenPipeError):  # a broken pipe: the reader has gone
            print(f"cannot go on: {error}", file=sys.stderr)
        with suppress(OSError, AttributeError):  # what could not be written is not tried once more
            sys.stdout.close()
    sys.exit(status)
