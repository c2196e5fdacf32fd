"""Where the tables are kept between runs: one file, used by one sandbox at a time."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from data.schema import tables, versions

_FOLDER: Final = Path(__file__).parents[1]
_IS_CHECKOUT: Final = (_FOLDER / "pyproject.toml").exists()
_HOME: Final = os.path.expanduser("~/.local/share")  # noqa: PTH111 - Path fails where there is no home
_OWN: Final = Path(os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA") or _HOME)
"""The folder for application data of the user."""
PLACE: Final = (_FOLDER / "var" if _IS_CHECKOUT else _OWN / "shithead") / "sandbox.sqlite3"
FORGETTING: Final = "make play ARGS=--fresh" if _IS_CHECKOUT else "shithead-play --fresh"
"""The command that forgets the kept tables."""
_BESIDE: Final = ("", "-wal", "-shm", "-journal")
_CLAIM: Final = "-claim"
_MAGIC: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""


class NoPlaceError(Exception):
    """Tables cannot be kept there; the message says why."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The database to use; `is_kept` is false if another sandbox is using the kept one."""

    path: Path
    is_kept: bool

    @property
    def url(self) -> str:
        """The database's URL, in which % and ? have a meaning."""
        return f"sqlite:///{str(self.path).replace('%', '%25').replace('?', '%3F')}"


@contextmanager
def kept(place: Path, *, fresh: bool) -> Generator[Kept]:
    """Claim this file, emptied if `fresh`; if another process has claimed it, give a temporary file instead.

    Raises:
        NoPlaceError: there is no home, the folder cannot be created or written, or the file is not a database or one
            of another program, or locked by one, so not ours to delete.
    """
    if place.parts[:1] == ("~",):
        raise NoPlaceError("there is no home folder: set XDG_DATA_HOME to a folder of yours")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError), place.open("rb") as file:
            if place != PLACE and (begins := file.read(len(_MAGIC))) and begins != _MAGIC:
                raise NoPlaceError(f"{place} is not an SQLite database")
    except OSError as error:
        raise NoPlaceError(str(error)) from error
    if place != PLACE and _is_of_another_program(place):
        raise NoPlaceError(f"{place} is the database of another program")
    with _claimed(place) as ours:
        if not ours:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                yield Kept(Path(folder) / place.name, is_kept=False)
            return
        if fresh:
            forget(place)
        yield Kept(place, is_kept=True)


def forget(place: Path) -> None:
    """Delete the database and the files that SQLite keeps beside it.

    Raises:
        NoPlaceError: the folder cannot be written.
    """
    for suffix in _BESIDE:
        try:
            place.with_name(place.name + suffix).unlink(missing_ok=True)
        except OSError as error:
            raise NoPlaceError(str(error)) from error


def _is_of_another_program(place: Path) -> bool:
    """Whether it has tables, but not these two of ours. A damaged one may be ours.

    Many programs have the first, which is that of Alembic. `NoPlaceError` if it is locked for more than five seconds.
    """
    if not place.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{place.as_uri()}?mode=rw", uri=True)) as connection:
            found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            return bool(found) and not {versions.name, tables.name} <= found
    except sqlite3.OperationalError as error:
        raise NoPlaceError(f"{place} cannot be read: {error}") from error
    except sqlite3.DatabaseError:
        return False


@contextmanager
def _claimed(place: Path) -> Generator[bool]:
    # A lock on a second, small database: unlike a lock file, it ends with the process on every system.
    claim = place.with_name(place.name + _CLAIM)
    try:
        connection = sqlite3.connect(claim, isolation_level=None, timeout=0)
    except sqlite3.OperationalError as error:
        raise NoPlaceError(f"{claim} cannot be written") from error
    with closing(connection):
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            yield False
        else:
            yield True
