"""What an operator reads when a driver fails: the cause and what to do, never the data that was to be written."""

import errno
import sqlite3
import ssl

import pytest
from sqlalchemy.exc import DBAPIError

from bot.logs import redacted
from data.errors import describe

CLOSED = "closed the connection: was it restarted? Otherwise see its log"


class CannotConnectNowError(Exception):
    """Named like an error of asyncpg."""


def coded(error, **codes):
    """An error as a driver raises it, with its code."""
    for name, value in codes.items():
        setattr(error, name, value)
    return error


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (
            coded(sqlite3.OperationalError("hidden"), sqlite_errorname="SQLITE_FULL"),  # SQLite does not say of which
            "cannot grow, the disk is full, or the one for temporary files (TMPDIR, /var/tmp, /tmp): make room",
        ),
        (
            coded(sqlite3.OperationalError("hidden"), sqlite_errorname="SQLITE_IOERR_WRITE"),
            "cannot be read or written: make room if the disk is full, use a local disk, or see the system log",
        ),
        (
            coded(sqlite3.OperationalError("hidden"), sqlite_errorname="SQLITE_CANTOPEN_SYMLINK"),
            (
                "cannot be opened: check its permissions, those of its -wal, -shm and folder, and whether the disk is "
                "full or read-only (if read-only, back up a copy of the file and its -wal on another disk)"
            ),
        ),
        (coded(sqlite3.InternalError("hidden"), sqlite_errorname="SQLITE_NOMEM"), "failed (NOMEM)"),
        (sqlite3.ProgrammingError("hidden"), "failed (programming)"),
        (
            coded(CannotConnectNowError("hidden"), sqlstate="57P03"),
            "is starting or stopping: wait",
        ),
        (
            coded(CannotConnectNowError("hidden"), sqlstate="08004"),
            "failed (cannot connect now 08004): see its log",
        ),
        (CannotConnectNowError("hidden"), "failed (cannot connect now): see its log"),
        (
            coded(CannotConnectNowError("hidden\nDETAIL:  (name)=(connection is closed)"), sqlstate="23505"),
            "failed (cannot connect now 23505): see its log",
        ),
        (
            CannotConnectNowError("a parameter must be a number, not 'hidden'"),
            "cannot be reached: an option after the ? in DATABASE_URL has an invalid value",
        ),
        (
            coded(CannotConnectNowError("hidden"), sqlstate="28P01"),
            "rejects the user or the password, so correct them in DATABASE_URL",
        ),
        (ConnectionResetError("hidden"), CLOSED),
        (coded(CannotConnectNowError("hidden"), sqlstate="08003"), CLOSED),
        (CannotConnectNowError("cannot do that: the connection is closed, hidden"), CLOSED),
        (CannotConnectNowError("got result for unknown protocol state 3"), CLOSED),
        (CannotConnectNowError("cannot switch to state 15; another operation (2) is in progress"), CLOSED),
        (
            sqlite3.OperationalError("Could not decode to UTF-8 column 'name' with text 'hidden'"),
            "is damaged: stop the bot and restore the newest backup (docs/hosting.md, Backups)",
        ),
        *(
            (
                error,
                "cannot be reached: is it running, is DATABASE_URL right, can its files be read, is the network there?",
            )
            for error in (
                PermissionError(errno.EACCES, "Permission denied"),  # of a socket, or of sslrootcert
                OSError(errno.EHOSTUNREACH, "Connect call failed ('10.0.0.1', 5432)"),
                OSError("Multiple exceptions: [Errno 111] Connect call failed ('::1', 5432, 0, 0), [Errno 111] …"),
            )
        ),
        (
            ssl.SSLError("hidden"),
            "cannot be reached with encryption: check sslmode and sslrootcert in DATABASE_URL",
        ),
    ],
)
def test_a_failure_is_explained_without_the_text_of_the_driver(raised, said):
    assert describe(raised) == said
    assert describe(DBAPIError("INSERT", {"text": "hidden"}, raised)) == said
    assert redacted(said) == said, "the log hides nothing of it, as it does what follows a password"
