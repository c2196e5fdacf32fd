"""SQLite: a file, with one thread that writes it and a few that read it, so that no work has to poll for its lock."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import aiosqlite
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, Connection

from data.addresses import exposed
from data.database import Database
from data.errors import RESTORE, UnavailableError
from data.sqlite_thread import SqliteThread

T = TypeVar("T")

SLOW_READERS: Final = 3
"""So many slow reads go on at once."""
_CURE: Final = "make room, let the bot enter and write there, or name another in DATABASE_URL"


class SqliteDatabase(Database):
    """A file. Reading goes on beside writing."""

    kind: ClassVar[str] = f"SQLite {sqlite3.sqlite_version}"
    clock: ClassVar[str] = "(julianday('now') - 2440587.5) * 86400.0"

    def __init__(self, url: URL, busy_seconds: float) -> None:
        """Open nothing yet."""
        super().__init__(url, busy_seconds)
        self._writer = SqliteThread(url, busy_seconds, self._check_fence)
        self._reader = SqliteThread(url, busy_seconds)
        self._slow_readers = [SqliteThread(url, busy_seconds, most=1) for _ in range(SLOW_READERS)]

    @property
    def file(self) -> Path:
        """Where it is."""
        return Path(self.url.database or "").absolute()

    @property
    def exposed(self) -> str:
        """What to do if others may read the file and those beside it."""
        return exposed(self.file, and_beside="*")

    @property
    def is_there(self) -> bool:
        """Whether the file exists."""
        return self.file.exists()

    async def check(self, seconds: float = 0.0) -> None:
        """See whether the file can be there, before anything is made, and look for damage in one that is."""
        _check_place(self.file)
        if not seconds or not self.is_there:
            return
        with self._translated(sqlite3.Error):
            damage = await _damage_in(self.file, seconds)
            if damage:
                raise UnavailableError(f"{self.place} is damaged ({damage}): {RESTORE}")

    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """Do it in the thread that writes."""
        with self._translated(sqlite3.Error):
            return await self._writer.run(work, fenced=fenced)

    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:
        """Do it in a thread that reads: in one of its own what is slow."""
        reader = min(self._slow_readers, key=attrgetter("load")) if slow else self._reader
        with self._translated(sqlite3.Error):
            return await reader.run(work)

    async def close(self) -> None:
        """End the threads, those that read first: the last to close the file tidies up behind it."""
        for thread in (self._reader, *self._slow_readers, self._writer):
            await thread.close(self._busy_seconds)

    def start_over(self) -> None:
        """A file cuts no connections."""

    def _insert(self, table: sa.Table) -> Any:
        return sqlite.insert(table)


def _check_place(file: Path) -> None:
    """Raise unless a file can be there: its folder exists and is not full, and folder and file can be written."""
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


async def _damage_in(file: Path, seconds: float) -> str:
    """The first thing that is wrong with a file; empty if nothing was found in so many seconds."""
    async with aiosqlite.connect(file) as connection:
        try:
            async with asyncio.timeout(seconds), connection.execute("PRAGMA quick_check(1)") as rows:
                [(verdict,)] = await rows.fetchall()
        except TimeoutError:
            await connection.interrupt()
            return ""
        return "" if verdict == "ok" else " ".join(str(verdict).split())
