"""The file of an SQLite database: whether it can be where it is to be, and whether it is damaged."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from data.errors import UnavailableError

_CURE: Final = "make room, let the bot enter and write there, or name another in DATABASE_URL"
_STEPS: Final = 10_000
"""How often SQLite asks whether to go on, in its own steps."""


def check_place(file: Path) -> None:
    """See whether a file can be there, before anything is made.

    Raises:
        UnavailableError: its folder does not exist or is full, or folder or file cannot be written.
    """
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            file.stat()  # `is_dir` does not raise in every Python if the folder may not be entered
        if not file.parent.is_dir():
            raise UnavailableError(f"there is no folder {file.parent}: make it, or name another in DATABASE_URL")
        if file.is_dir():
            raise UnavailableError(f"{file} is a folder: name a file in it, in DATABASE_URL")
        if not all(os.access(path, os.W_OK) for path in (file.parent, file) if path.exists()):
            raise UnavailableError(f"{file} cannot be written: look at the rights of the file and its folder")
        with tempfile.TemporaryFile(dir=file.parent) as trial:
            trial.write(bytes(1 << 20))  # if less than a megabyte is left, nothing is played for long
    except OSError as error:
        raise UnavailableError(f"{file} cannot be used ({str(error.strerror).lower()}): {_CURE}") from None


def damage_in(file: Path, seconds: float) -> str:
    """The first thing that is wrong with a file; empty if nothing was found in so many seconds."""
    with closing(sqlite3.connect(file)) as connection:
        ends = time.monotonic() + seconds
        connection.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
        try:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                return ""
            raise
        return "" if verdict == "ok" else " ".join(str(verdict).split())
