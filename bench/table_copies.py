"""Many tables from a few: rows of an SQLite database are copied under other ids, and messages with them.

The one place that knows how a table lies in the database, and only by the names of columns: whatever has a server and a
table, or is the row of a table itself, is copied; ids of servers, channels, messages and tables are moved by one step.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

TABLES: Final = "tables"
MOVED: Final = frozenset({"guild_id", "channel_id", "message_id", "nudge_id", "table_id"})


def unsettled(file: Path) -> int:
    """How many tables have a message that is not up to date, or a reminder that is still to come."""
    waits = "drawn < revision OR (status = 'playing' AND NOT nudged)"
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(f"SELECT count(*) FROM tables WHERE {waits}").fetchone()[0]  # noqa: S608 - names of the schema


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The columns of all that belongs to a table of the game."""
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")] for name in names}
    return {name: columns for name, columns in found.items() if name == TABLES or "table_id" in columns}


def resized(source: Path, target: Path, have: int, want: int, step: int) -> None:
    """The same database with `want` tables in place of `have`: fewer of them, or whole copies of all, each a step on.

    Raises:
        ValueError: `want` is more and no multiple of `have`.
    """
    if want > have and want % have:
        raise ValueError(f"{want} is no multiple of {have} tables")
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
        if want < have:
            _thin_out(new, want)
        else:
            _multiply(new, want // have, step)
        new.commit()


def _thin_out(connection: sqlite3.Connection, want: int) -> None:
    connection.execute("CREATE TEMP TABLE kept AS SELECT id FROM tables ORDER BY guild_id, channel_id LIMIT ?", (want,))
    for name in _columns(connection):
        connection.execute(f"DELETE FROM {name} WHERE {_key(name)} NOT IN (SELECT id FROM kept)")  # noqa: S608 - names of the schema


def _multiply(connection: sqlite3.Connection, times: int, step: int) -> None:
    connection.execute("CREATE TEMP TABLE steps AS WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n"
                       " WHERE k < ?) SELECT k * ? AS step FROM n WHERE k < ?", (times, step, times))  # fmt: skip
    for name, columns in _columns(connection).items():
        moved = [f"{each} + step" if each in MOVED | {_key(name)} else each for each in columns]
        into = f"INSERT INTO {name} ({', '.join(columns)})"
        connection.execute(f"{into} SELECT {', '.join(moved)} FROM {name}, steps")  # noqa: S608 - names of the schema


def _key(name: str) -> str:
    """The column with the number of the table."""
    return "id" if name == TABLES else "table_id"


def moved_message(payload: dict[str, Any], step: int) -> dict[str, Any]:
    """A public message as it would stand at the copy of its table."""
    text = json.dumps(payload["components"])
    for table in {part.split(":")[2] for part in text.split('"') if part.startswith("sh:")}:
        text = text.replace(f":{table}:", f":{int(table) + step}:")
    ids = {name: str(int(payload[name]) + step) for name in ("id", "channel_id")}
    return payload | ids | {"components": json.loads(text)}
