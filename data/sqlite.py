"""SQLite: a file with one writing and a few reading threads, so that transactions need not poll for the lock."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, TypeVar, cast

import aiosqlite
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import URL, Connection, Dialect
from sqlalchemy.exc import IntegrityError

from data.addresses import exposure_warning
from data.database import Cursor, Database
from data.errors import NOT_WRITABLE, RESTORE, UnavailableError, UnusableError
from data.sqlite_thread import SqliteThread

T = TypeVar("T")

SLOW_READERS: Final = 3
"""How many slow reads may run at the same time."""
_MOUNTED: Final = "is mounted without the -wal beside it, which has the newest moves: mount the folder in its place"
_MOUNTS: Final = Path("/proc/self/mountinfo")
"""What is mounted where, on Linux."""
_REJECTING: Final = (sqlite3.Error, OverflowError, UnicodeEncodeError)  # a number or a text that cannot be stored
_CURE: Final = "make room, let the bot enter and write there, or name another in DATABASE_URL"


class SqliteDatabase(Database):
    """An SQLite file, in WAL mode: reads and writes do not wait for each other."""

    kind: ClassVar[str] = f"SQLite {sqlite3.sqlite_version}"
    clock: ClassVar[str] = "(julianday('now') - 2440587.5) * 86400.0"
    _insert = staticmethod(sqlite.insert)

    def __init__(self, url: URL, busy_seconds: float) -> None:
        super().__init__(url, busy_seconds)
        self._path = url.database or ""
        self.file = Path(os.path.realpath(self._path))  # SQLite writes beside the file itself, not beside a link to it
        self._writer = SqliteThread(url, busy_seconds, lambda connection: self.fence(connection))  # noqa: PLW0108 - it is set later
        self._reader = SqliteThread(url, busy_seconds)
        self._slow_readers = [SqliteThread(url, busy_seconds, most=1) for _ in range(SLOW_READERS)]
        self._compiled: dict[tuple[Any, ...], _Compiled] = {}

    @property
    def exposure_warning(self) -> str:
        """A warning, with the cure, if others on this machine may read the file; otherwise empty."""
        return exposure_warning(self.file, and_beside="*")

    @property
    def is_there(self) -> bool:
        """Whether the file exists."""
        return self.file.exists()

    @property
    def identity(self) -> tuple[int, ...] | None:
        """The device and the number of the file, then of its WAL, where commits go first; zeros where there is none."""
        try:
            return *_number_of(self._path), *_number_of(f"{self.file}-wal")
        except OSError:
            return None

    async def check(self, seconds: float = 0.0, *, to_write: bool = True, thorough: bool = False) -> None:
        """Check the folder and the file, without creating anything lasting, and look for damage in an existing file."""
        if sqlite3.sqlite_version_info < (3, 26):  # docs/hosting.md says what was tried
            raise UnusableError(f"{self.kind} is too old: give Python SQLite 3.26 or newer")
        _check_place(self.file, to_write=to_write)
        if not seconds or not self.is_there:
            return
        with self._translated(sqlite3.Error):
            if damage := await _damage_in(self.file, seconds, "integrity_check" if thorough else "quick_check"):
                raise UnusableError(f"{self.place} is damaged ({damage}): {RESTORE}")

    async def write(self, work: Callable[[Connection], T], *, fenced: bool = True) -> T:
        """Run `work` in the writing thread."""
        with self._translated(*_REJECTING):
            return await self._writer.run(work, fenced=fenced)

    async def read(self, work: Callable[[Connection], T], *, slow: bool = False) -> T:
        """Run `work` in the reading thread; a slow read runs in the least busy of the threads for slow reads."""
        reader = min(self._slow_readers, key=attrgetter("load")) if slow else self._reader
        with self._translated(*_REJECTING):
            return await reader.run(work)

    async def purge(self) -> None:
        """Empty the WAL, which otherwise keeps what was deleted until thousands of other pages are written."""
        with suppress(sqlite3.Error):
            # Writers wait for it, so it waits only 0.2 s for readers; if they take longer, the next purge does it.
            async with aiosqlite.connect(f"{self.file.as_uri()}?mode=rw", uri=True, timeout=0.2) as connection:
                await connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def close(self) -> None:
        """Stop the threads. The writer comes last, because the last connection to close deletes the WAL file."""
        for thread in (self._reader, *self._slow_readers, self._writer):
            await thread.close(self._busy_seconds)

    def execute(self, connection: Connection, statement: Any, values: dict[str, Any]) -> Cursor:
        """Execute a statement by the driver alone: SQLAlchemy takes 0.1 ms of a move for what the driver does in 0.02.

        It only compiles the statement, once for each set of names in `values`.
        """
        key = statement, *values
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = self._compiled[key] = _Compiled(statement, list(values), connection.dialect)
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        try:
            return driver.execute(compiled.sql, compiled.parameters(values))
        except sqlite3.IntegrityError as error:
            raise IntegrityError(compiled.sql, None, error) from error


class _Compiled:
    """A statement as SQL, and how the values of its parameters are converted for the driver."""

    def __init__(self, statement: Any, names: list[str], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=names)
        # Before Python 3.13 the driver knows an INSERT by the locale's small letters, and in Turkish that of I is no i.
        self.sql: str = compiled.string.replace("INSERT", "insert", 1)
        types = [(name, compiled.binds[name].type.dialect_impl(dialect)) for name in compiled.positiontup]
        self._parameters = [(name, type_.bind_processor(dialect)) for name, type_ in types]

    def parameters(self, values: dict[str, Any]) -> list[Any]:
        """The values in the order of the SQL, converted."""
        return [convert(values[name]) if convert else values[name] for name, convert in self._parameters]


def _number_of(path: str) -> tuple[int, int]:
    """The device and the number of a file; zeros if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - before every move, and a Path takes longer
    except (FileNotFoundError, NotADirectoryError):
        return 0, 0
    return found.st_dev, found.st_ino


def _check_place(file: Path, *, to_write: bool) -> None:
    """Raise `UnavailableError` unless the file can be in its folder and, to write, there is room on the disk."""
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            file.stat()  # raises if the folder may not be entered, which `is_dir` does not in every Python
        if not file.parent.is_dir():
            raise UnavailableError(f"there is no folder {file.parent}: create it, or name another in DATABASE_URL")
        if file.is_dir():
            raise UnusableError(f"{file} is a folder: name a file in it, in DATABASE_URL")
        if not to_write:
            return
        if _is_mounted_alone(file):
            raise UnusableError(f"{file} {_MOUNTED}")
        if not all(os.access(path, os.W_OK) for path in (file.parent, file) if path.exists()):
            raise UnavailableError(f"{file} {NOT_WRITABLE}")
        with tempfile.TemporaryFile(dir=file.parent) as trial:
            trial.write(bytes(1 << 20))  # with less than a megabyte left, the disk would soon be full
    except OSError as error:
        raise UnavailableError(f"{file} cannot be used ({str(error.strerror).lower()}): {_CURE}") from None


def _is_mounted_alone(file: Path) -> bool:
    """Whether not the folder but the file itself is mounted, as into a container; False if that is unknown."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    points = (mount.split()[4] for mount in mounts)  # in which a space is written as its code
    return str(file) in {re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), point) for point in points}


async def _damage_in(file: Path, seconds: float, search: Literal["quick_check", "integrity_check"]) -> str:
    """The first damage found in a file; empty if none is found within `seconds`."""
    async with aiosqlite.connect(file) as connection:
        try:
            async with asyncio.timeout(seconds), connection.execute(f"PRAGMA {search}(1)") as rows:
                [(verdict,)] = await rows.fetchall()
        except TimeoutError:
            return ""
        finally:
            await connection.interrupt()  # otherwise, if it is stopped, closing waits until the search ends
        return "" if verdict == "ok" else " ".join(str(verdict).split())
