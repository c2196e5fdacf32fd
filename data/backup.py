"""Back up a whole database to one file. Both kinds of database can be backed up and restored into either kind.

A backup is gzipped JSON lines: a header (schema, time), every row as [table, {column: value}], and a footer (number of
rows in each table, SHA-256 of all lines before it). It is taken from one snapshot, so the bot may keep running, and
the file is verified before it gets its name.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TextIO

import sqlalchemy as sa
import structlog

from data import migrate, upgrades
from data.database import LONG_SEARCH, Database
from data.errors import StoreError, UnusableError
from data.schema import OPEN, UtcTime, metadata, versions

FORMAT: Final = "shithead backup 1"
_BATCH: Final = 500
_TOLD: Final = 100_000  # lines, after each of which it is logged how far the work is
_TIMES: Final = {
    each.name: [column.name for column in each.c if isinstance(column.type, UtcTime)] for each in metadata.sorted_tables
}
_NOT_A_BACKUP: Final = (
    *(EOFError, gzip.BadGzipFile, zlib.error),  # damaged, so that it cannot be unpacked
    *(ValueError, KeyError, TypeError, IndexError, StopIteration, RecursionError),  # not in the form of a backup
)
_log = structlog.get_logger(__name__)


class BackupError(StoreError):
    """The file is not a sound backup, or the database must not be overwritten; `args[0]` is a sentence."""


async def back_up(database: Database, file: Path) -> Counter[str]:
    """Write all of this program's rows to a new file that only its owner can read; return the row count by table.

    Raises:
        BackupError: the file exists or cannot be written, the database holds nothing of this program, or it is damaged
            or cannot be searched for damage; then the copy is kept.
        UnavailableError: the database does not answer.
    """
    _require_new(file)
    schema = await migrate.current(database)
    if schema is None:
        raise BackupError(f"{database.place} does not exist, or has no data of this program: check DATABASE_URL")
    draft = file.with_name(file.name + ".part")
    try:
        created = os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        try:
            with created as raw, gzip.open(raw, "wt", encoding="utf-8") as out:
                await database.read(partial(_write_all, out=out, schema=schema))
            _, rows = await verify(draft)
            damage = await _damage_of(database)
            draft.rename(file)
        finally:
            draft.unlink(missing_ok=True)
    except FileExistsError:
        raise BackupError(f"{draft} exists: another backup is running; if not, delete that file") from None
    except OSError as error:
        raise BackupError(f"{file} cannot be written: {str(error.strerror).lower()}") from error
    if damage:
        raise BackupError(f"copied to {file}, but rows may be missing, so keep older backups: {damage}")
    return rows


async def _damage_of(database: Database) -> str:
    """Why a copy may lack rows: the database is damaged, incomplete, or could not be searched; otherwise empty."""
    try:
        await database.check(LONG_SEARCH, to_write=False, thorough=True)
        if await migrate.current(database) == migrate.NEWEST:
            await migrate.require_complete(database)
    except StoreError as damage:
        return str(damage)
    return ""


def _require_new(file: Path) -> None:
    if file.is_dir():
        raise BackupError(f"{file.absolute()} is a folder: name a new file")
    if file.exists():
        raise BackupError(f"{file} exists already: name a new file")
    if not file.parent.is_dir():
        raise BackupError(f"there is no folder {file.parent.absolute()}: create it, or name another")


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_in_utc) + "\n"


def _in_utc(at: datetime) -> str:
    return (at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)).isoformat()


def _write_all(connection: sa.Connection, out: TextIO, schema: str) -> None:
    """Write header, rows and footer."""
    digest, rows = hashlib.sha256(), Counter[str]()
    for line in _told(_lines(connection, schema, rows), "copying"):
        digest.update(line.encode())
        out.write(line)
    out.write(_line({"rows": dict(rows), "sha256": digest.hexdigest()}))


def _told(lines: Iterable[str], doing: str) -> Iterator[str]:
    """The same lines; how far they are is logged, because with a large database the work takes minutes."""
    for number, line in enumerate(lines, 1):
        if number % _TOLD == 0:
            _log.info(doing, lines=number)
        yield line


def _lines(connection: sa.Connection, schema: str, rows: Counter[str]) -> Iterator[str]:
    """Yield the header and all rows, read from one snapshot, and count the rows in `rows`."""
    yield _line({"format": FORMAT, "schema": schema, "made_at": datetime.now(UTC).isoformat()})
    for table in _tables(connection, schema):
        for row in connection.execute(sa.select(table), execution_options={"yield_per": _BATCH}).mappings():
            rows[table.name] += 1
            yield _line([table.name, dict(row)])


def _tables(connection: sa.Connection, schema: str) -> list[sa.Table]:
    """This program's tables as they are in the database, each after the tables that it refers to.

    If the schema is newer than this program, its tables cannot be told from those of others: then take all.
    """
    reflected = sa.MetaData()
    is_known = schema in migrate.KNOWN_SCHEMAS
    reflected.reflect(connection, only=lambda name, _: name in metadata.tables if is_known else name != versions.name)
    if reflected.tables.keys().isdisjoint(metadata.tables):
        raise BackupError("the database belongs to another program: name this one's in DATABASE_URL")
    return reflected.sorted_tables


async def verify(file: Path) -> tuple[str, Counter[str]]:
    """The schema of a backup and its row count by table; raises `BackupError` unless it is sound and can be read."""
    try:
        lines, rows = _read(file, "verifying"), Counter[str]()
        first = next(lines)
        head, foot = json.loads(first), None
        digest = hashlib.sha256(first.encode())
        for number, text in enumerate(lines):
            if number % _BATCH == 0:
                await asyncio.sleep(0)  # otherwise Ctrl-C would be heard only at the end
            line = json.loads(text)
            if "sha256" in line:  # the footer
                foot = line
                break
            rows[line[0]] += 1
            digest.update(text.encode())
        if head["format"] != FORMAT or foot is None or next(lines, None) is not None:
            raise BackupError(f"{file} is not a backup, or not a complete one")
        if foot["rows"] != dict(rows) or foot["sha256"] != digest.hexdigest():
            raise BackupError(f"{file} is damaged")
        return head["schema"], rows
    except _NOT_A_BACKUP as error:
        raise BackupError(f"{file} is {_what_is(file)}") from error
    except OSError as error:
        raise BackupError(f"{file} cannot be read: {str(error.strerror).lower()}") from error


def _what_is(file: Path) -> str:
    with file.open("rb") as raw:
        if raw.read(15) != b"SQLite format 3":
            return "not a backup, or not a complete one"
    put = "put it in place of the database file (docs/hosting.md, Backups)"
    return f"an SQLite database, not a backup: stop the bot and {put}"


def _read(file: Path, doing: str) -> Iterator[str]:
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "is not a regular file"
        raise BackupError(f"{file} {what}: name a file" if file.exists() else f"there is no file {file}")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from _told(lines, doing)


async def restore(database: Database, file: Path) -> Counter[str]:
    """Restore a backup into an empty database, with the newest schema; return the number of rows written, by table.

    Raises:
        BackupError: the file is not a sound backup or is of a newer version, or the database is not empty.
        UnavailableError: the database does not answer or cannot be written.
    """
    schema, _ = await verify(file)
    try:
        current = await migrate.current(database)
    except UnusableError:
        raise _in_the_way(database, "is damaged") from None
    if current is not None and (current != migrate.NEWEST or await database.read(_has_rows)):
        raise _in_the_way(database, "is not empty (has the bot started on it?)")
    if schema not in migrate.KNOWN_SCHEMAS:
        raise BackupError(f"{file} cannot be restored: {migrate.why_unknown(schema)}")
    await migrate.upgrade(database)
    return await _completed(database, partial(_insert_all, file=file, schema=schema))


def _in_the_way(database: Database, why: str) -> BackupError:
    is_file = database.url.get_backend_name() == "sqlite"
    cure = "stop the bot and move it and its -wal and -shm away, or " if is_file else ""
    return BackupError(f"{database.place} {why}: {cure}name a new database in DATABASE_URL")


async def _completed(database: Database, insert: Callable[..., Counter[str]]) -> Counter[str]:
    """Insert; a cancellation rolls everything back, or has no effect if it comes too late for that."""
    cancelled = threading.Event()
    inserting = asyncio.ensure_future(database.write(lambda connection: insert(connection, cancelled)))
    while not inserting.done():
        try:
            await asyncio.wait({inserting})
        except asyncio.CancelledError:  # perhaps again and again
            cancelled.set()
    if cancelled.is_set() and inserting.exception() is not None:
        raise asyncio.CancelledError
    return inserting.result()


def _insert_all(connection: sa.Connection, cancelled: threading.Event, file: Path, schema: str) -> Counter[str]:
    """Insert rows in their order, in which what others refer to comes first: all of them may not fit into memory.

    Returns how many rows each table has in the end.
    """
    inserted = Counter[str]()
    # Older versions of this program also backed up the tables of other programs.
    lines = map(json.loads, _read(file, "restoring"))
    rows = ((line[0], line[1]) for line in lines if not isinstance(line, dict) and line[0] in metadata.tables)
    for name, following in groupby(migrate.changed_rows(schema, rows), itemgetter(0)):
        while batch := [_typed(name, row) for _, row in islice(following, _BATCH)]:
            if cancelled.is_set():
                raise BackupError("the restore was interrupted")
            connection.execute(sa.insert(metadata.tables[name]), batch)
            inserted[name] += len(batch)
    counts = _count_rows(connection)
    for name, number in inserted.items():
        if counts[name] != number:
            raise BackupError(f"{counts[name]} instead of {number} rows of {name}: does anything else write to it?")
    upgrades.finish(connection)
    return _count_rows(connection)


def _count_rows(connection: sa.Connection) -> Counter[str]:
    """How many rows each table has, if it has any."""
    select = sa.select(sa.func.count())
    return +Counter({each.name: connection.scalar(select.select_from(each)) or 0 for each in metadata.sorted_tables})


def _has_rows(connection: sa.Connection) -> bool:
    """Whether any table has a row, without counting them: there may be millions."""
    return any(connection.scalar(sa.select(sa.exists().select_from(each))) for each in metadata.sorted_tables)


def _typed(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    typed = {**row, **{time: datetime.fromisoformat(row[time]) for time in _TIMES[name] if row.get(time) is not None}}
    if name == "tables" and row["status"] in OPEN:  # its message may show what came after the backup
        typed["drawn"] = -1
    return typed
