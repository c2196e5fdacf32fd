"""The exceptions of the store, and readable messages for the errors of the drivers.

After a `StoreError` nothing has changed; `UnavailableError` names the one exception. The drivers' own messages are
never repeated, because they may contain the data that was to be written.
"""

from __future__ import annotations

import re
import socket
import sqlite3
import ssl
from typing import Final

RESTORE: Final = "stop the bot and restore the newest backup (docs/hosting.md, Backups)"
NONE_FREE: Final = "has no connection free in time: it is too slow for what is asked of it, or away"
_SQLITE: Final = {
    "NOTADB": "is no SQLite database: look at DATABASE_URL, or restore the newest backup",
    "CORRUPT": f"is damaged: {RESTORE}",
    "FULL": "cannot grow, the disk is full: make room",
    "READONLY": "cannot be written: look at the rights of the file and its folder",
    "CANTOPEN": "cannot be opened: look at the rights of the file and its folder",
    **dict.fromkeys(("BUSY", "LOCKED"), "is held by another process: wait, or end that process"),
    "IOERR": "cannot be read or written: make room if the disk is full, else look at the system's log",
    "ERROR": f"lacks tables of this program: {RESTORE}",
}
_POSTGRES: Final = {
    **dict.fromkeys(("28P01", "28000"), "refuses the user or the password: put them right in DATABASE_URL"),
    "42704": "does not know what the options in DATABASE_URL ask for: take them away",
    "3D000": "does not exist: create it, or put its name right in DATABASE_URL",
    "42P01": f"lacks tables of this program: {RESTORE}",
    "42501": "does not let this user do it: make the user the owner of the database",
    "53100": "cannot grow, the disk is full: make room",
    "53300": "has no connection left: raise max_connections, or use a pooler",
    "57P03": "is starting or stopping: wait",
    "25006": "takes no writes at the moment: is this the primary?",
}
_NETWORK: Final[tuple[tuple[type[BaseException], str], ...]] = (
    (ConnectionRefusedError, "refuses connections: is it started, and are host and port right in DATABASE_URL?"),
    (socket.gaierror, "is not found, there is no host of this name: put it right in DATABASE_URL"),
    (ssl.SSLError, "cannot be reached with encryption: look at sslmode and sslrootcert in DATABASE_URL"),
    (FileNotFoundError, "has no socket there: is it started, and is the place right in DATABASE_URL?"),
    (TimeoutError, "does not answer in time: is it started, and does a firewall stand between?"),
    (ConnectionError, "closed the connection: look at its log"),
)

_PHRASES: Final = {
    "rejected SSL": "offers no encryption, but DATABASE_URL asks for it: turn it on there, or change sslmode to prefer",
    "parameter must be": "cannot be asked: an option behind the ? in DATABASE_URL has a value that nothing knows",
}
"""By a phrase from the error's text, for errors whose type says too little."""


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


class SchemaError(StoreError):
    """The database cannot be brought to the schema of this program; `args[0]` says why in a sentence."""


def worded(raised: BaseException) -> str:
    """Describe what a driver or SQLAlchemy raised, and what to do about it; follows the name of the database."""
    error: object = getattr(raised, "orig", None) or raised
    code = str(getattr(error, "sqlstate", None) or "")
    if code in _POSTGRES:
        return _POSTGRES[code]
    if isinstance(error, sqlite3.Error):
        # Extended error names begin with the basic one: SQLITE_IOERR_WRITE, SQLITE_BUSY_SNAPSHOT.
        code = (getattr(error, "sqlite_errorname", None) or "").removeprefix("SQLITE_")
        return _SQLITE.get(code.partition("_")[0]) or f"failed ({code or words_of(error)})"
    if own := next((words for theirs, words in _PHRASES.items() if theirs in str(error)), ""):
        return own
    sentence = next((words for kind, words in _NETWORK if isinstance(error, kind)), "")
    return sentence or f"failed ({' '.join(filter(None, (words_of(error), code)))}): look at its log"


def words_of(error: object) -> str:
    """The name of an error as words: "connection does not exist"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__.removesuffix("Error")).lower()
