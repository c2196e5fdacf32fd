"""Runs a module as a shell command and deals with exit statuses, Ctrl-C, closed outputs and files named by people.

Not about the game: it is in this layer so that the commands of every layer may import it.
"""

import errno
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Final, NoReturn, cast

INTERRUPTED: Final = 130
"""What shells report for SIGINT."""
LARGEST: Final = 1 << 24
"""The bytes of the largest file that a command reads."""


def read_file(path: Path) -> bytes:
    """The content of a file that somebody has named. A device such as /dev/zero never ends, so reading does.

    Raises `OSError` if the file cannot be opened or read, or has more than `LARGEST` bytes.
    """
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, f"it is larger than {LARGEST >> 20} MiB", str(path))
    return content


def reason_of(error: OSError | UnicodeDecodeError) -> str:
    """Why a file or an address cannot be used, to follow a colon."""
    reason = str(error.strerror) if isinstance(error, OSError) else "it is not text in UTF-8: save it as such"
    return reason[:1].lower() + reason[1:]


def run_command(main: Callable[[Sequence[str]], int], arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `main` and exit with the status it returns; Ctrl-C and I/O errors end it without a traceback."""
    with suppress(AttributeError):  # stdout is None if it was closed
        cast("TextIOWrapper", sys.stdout).reconfigure(errors="backslashreplace")  # not every encoding has every letter
    try:
        try:
            status = main(sys.argv[1:] if arguments is None else arguments)
        finally:
            print(end="", flush=True)  # so that a failing write fails here and not at interpreter exit
    except KeyboardInterrupt:
        status = INTERRUPTED
    except OSError as error:
        status = 1
        if not isinstance(error, BrokenPipeError):  # a reader that has gone away is no error
            print(f"cannot continue: {error}", file=sys.stderr)
        with suppress(OSError, AttributeError):  # so that the interpreter does not try to write the rest again
            sys.stdout.close()
    sys.exit(status)
