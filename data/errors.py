"""The exceptions of the store, and readable messages for the errors of the drivers.

After a `StoreError` nothing has changed, except in the case that `UnavailableError` describes. The drivers' own
messages are never repeated, because they may contain the data that was to be written.
"""

from __future__ import annotations

import re
import socket
import sqlite3
import ssl
from typing import Final

RESTORE: Final = "stop the bot and restore the newest backup (docs/hosting.md, Backups)"
POOL_EXHAUSTED: Final = "had no free connection in time: it is overloaded, or cannot be reached"
_SEE: Final = "check its permissions, those of its -wal, -shm and folder, and whether the disk is full or read-only"
NOT_WRITABLE: Final = f"cannot be written: {_SEE}"
NOT_OWNED: Final = "does not allow this user to do that: make the user the owner of the database and of its tables"
_CLOSED: Final = "closed the connection: was it restarted? Otherwise see its log"
_SQLITE: Final = {
    "NOTADB": "is not an SQLite database: check DATABASE_URL, or restore the newest backup",
    "CORRUPT": f"is damaged: {RESTORE}",
    "FULL": "cannot grow, the disk is full, or the one for temporary files (TMPDIR, /var/tmp, /tmp): make room",
    "READONLY": NOT_WRITABLE,
    "CANTOPEN": f"cannot be opened: {_SEE} (if read-only, back up a copy of the file and its -wal on another disk)",
    **dict.fromkeys(("BUSY", "LOCKED"), "is held by another process: wait, or end that process"),
    "IOERR": "cannot be read or written: make room if the disk is full, use a local disk, or see the system log",
    "ERROR": f"lacks tables of this program: {RESTORE}",
}
_POSTGRES: Final = {
    "28P01": "rejects the user or the password, so correct them in DATABASE_URL",
    "28000": "does not admit this user from here: correct user or sslmode in DATABASE_URL, or see pg_hba.conf",
    **dict.fromkeys(("08003", "08006"), _CLOSED),
    "08P01": "is refused by the pooler in between: correct DATABASE_URL (user, password, name, options) or see its log",
    "40P01": "stopped one of two transactions that waited for each other: nothing to do if it is rare",
    "42704": "does not know an option in DATABASE_URL: remove it",
    "3F000": "lacks the schema that its search_path names: create it, or correct search_path",
    "3D000": "does not exist: create it, or correct its name in DATABASE_URL",
    **dict.fromkeys(("42P07", "42710"), "belongs to another program: name another database in DATABASE_URL"),
    "42P01": f"lacks tables of this program: {RESTORE}",
    "42501": NOT_OWNED,
    "53100": "cannot grow, the disk is full: make room",
    "53300": "has no connection left: raise max_connections or the limit of the user, or use a pooler",
    "55P03": "did not free a lock in time: wait, or end what holds it",
    "57014": "stopped a statement: raise statement_timeout, unless somebody did that by hand",
    "57P03": "is starting or stopping: wait",
    "25006": "takes no writes at the moment: is this the primary?",
}
_NETWORK: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (ConnectionRefusedError, "refuses connections: is it running, and are host and port right in DATABASE_URL?"),
    (socket.gaierror, "is not found, there is no host of this name: correct it in DATABASE_URL"),
    (ssl.SSLError, "cannot be reached with encryption: check sslmode and sslrootcert in DATABASE_URL"),
    (FileNotFoundError, "has no socket there: is it running, and is the path right in DATABASE_URL?"),
    (TimeoutError, "does not answer in time: is it running, and is there a firewall in between?"),
    (ConnectionError, _CLOSED),
    (OSError, "cannot be reached: is it running, is DATABASE_URL right, can its files be read, is the network there?"),
)
_PHRASES: Final = {
    "rejected SSL": "refuses encryption: turn it on, or change sslmode to prefer (or is it not PostgreSQL?)",
    "statement pooling": "is behind a pooler that allows no transactions: set its pool_mode to transaction or session",
    **dict.fromkeys(("connection is closed", "unknown protocol state", "cannot switch to state"), _CLOSED),
    "target attribute": _POSTGRES["25006"],
    "Could not decode": _SQLITE["CORRUPT"],  # a text is not UTF-8
    "parameter must be": "cannot be reached: an option after the ? in DATABASE_URL has an invalid value",
}
"""By a phrase from the first line of the error, for errors whose type and code say too little."""


class StoreError(Exception):
    """The store could not carry out a request."""


class ConflictError(StoreError):
    """The row was changed after it was read: read it again."""


class DoubledError(StoreError):
    """This interaction was applied before."""


class ChannelTakenError(StoreError):
    """Another table is open in the channel."""


class NameTakenError(StoreError):
    """The server has already saved house rules under this name."""


class FullError(StoreError):
    """The server has saved as many house rules as it may."""


class UnavailableError(StoreError):
    """The database is locked, full, read-only or gone, rejects the data, or this process may not write to it.

    If the connection broke during the commit, only reading again tells whether the change was stored.
    """


class UnusableError(UnavailableError):
    """It is damaged, or no database for this program: nothing changes until somebody repairs or replaces it."""


class SchemaError(StoreError):
    """The database cannot be upgraded to the schema of this program; `args[0]` says why in a sentence."""


def translated(raised: BaseException, place: str) -> UnavailableError:
    """The error of a driver or SQLAlchemy as ours, with the name of the database."""
    why = describe(raised)
    kind = UnusableError if why in {_SQLITE["NOTADB"], _SQLITE["CORRUPT"], _POSTGRES["42P07"]} else UnavailableError
    return kind(f"{place} {why}")


def describe(raised: BaseException) -> str:
    """Describe an error of a driver or SQLAlchemy and what to do about it, to follow the name of the database."""
    error: object = getattr(raised, "orig", None) or raised
    said = str(error).partition("\n")[0]  # further lines are PostgreSQL's details, which may quote what somebody typed
    for phrase, description in _PHRASES.items():
        if phrase in said:
            return description
    if (code := sqlstate_of(raised)) in _POSTGRES:
        return _POSTGRES[code]
    if isinstance(error, sqlite3.Error):
        # Extended error names begin with the basic one: SQLITE_IOERR_WRITE, SQLITE_BUSY_SNAPSHOT.
        code = (getattr(error, "sqlite_errorname", None) or "").removeprefix("SQLITE_")
        return _SQLITE.get(code.partition("_")[0]) or f"failed ({code or words_of(error)})"
    for kind, description in _NETWORK:
        if isinstance(error, kind):
            return description
    name_and_code = f"{words_of(error)} {code}".strip()
    return f"failed ({name_and_code}): see its log"


def sqlstate_of(raised: BaseException | None) -> str:
    """PostgreSQL's code for an error of asyncpg or SQLAlchemy; empty if it has none."""
    return str(getattr(getattr(raised, "orig", None) or raised, "sqlstate", None) or "")


def words_of(error: object) -> str:
    """The name of an error as words: "connection does not exist"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
