"""Addresses of databases: what people write, what the drivers take, and how sentences name the place.

Passwords appear in no sentence.
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

SQLITE: Final = "sqlite+aiosqlite"
POSTGRES: Final = "postgresql+asyncpg"
_DRIVERS: Final = {"sqlite": SQLITE, SQLITE: SQLITE, "postgres": POSTGRES, "postgresql": POSTGRES, POSTGRES: POSTGRES}
_SSL_MODES: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_VERIFYING: Final = _SSL_MODES[-2:]
_ROOT_CERTIFICATE: Final = Path.home() / ".postgresql" / "root.crt"
"""Where asyncpg looks for certificates by itself."""
_FILES: Final = ("sslrootcert", "sslcert", "sslkey")
_ASYNCPGS: Final = {
    *("host", "port", "dbname", "database", "user", "password", "passfile", "service", "servicefile", "sslmode"),
    *_FILES,
    *("sslcrl", "sslpassword", "ssl_min_protocol_version", "ssl_max_protocol_version", "target_session_attrs"),
    *("krbsrvname", "gsslib", "application_name", "options", "search_path", "timezone", "client_encoding"),
    *("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"),
}
"""What asyncpg takes behind the address, or the server from it."""
_NOT_ASYNCPGS: Final = (
    *("channel_binding", "connect_timeout", "connection_limit", "fallback_application_name", "gssencmode"),
    *("keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "pgbouncer", "pool_timeout"),
    *("sslnegotiation", "uselibpqcompat"),
)
"""What providers add for other drivers. asyncpg would hand it to the server, which knows it not."""


def parse_url(text: str) -> URL:
    """The address of a database with the driver this program uses.

    Raises:
        ValueError: it is no address, or names a kind of database that is not supported.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ValueError("is no database address, such as sqlite:///shithead.sqlite3") from None
    if url.drivername not in _DRIVERS:
        raise ValueError("must begin with sqlite:/// or postgresql://")
    if "@" in (url.host or ""):  # the end of a password, which no sentence may say
        raise ValueError("has an @ in its user or password: write it there as %40")
    url = url.set(drivername=_DRIVERS[url.drivername])
    return _with_file(url) if url.drivername == SQLITE else _with_encryption(url)


def _with_file(url: URL) -> URL:
    if url.host or not url.database or url.database == ":memory:":
        raise ValueError("names no file: three slashes come before it, as in sqlite:///shithead.sqlite3")
    return url


def _with_encryption(url: URL) -> URL:
    """Check what stands behind the address, which would be refused only when it connects, and without a sentence."""
    query = {"sslmode": url.query["ssl"], **url.query} if "ssl" in url.query else dict(url.query)
    url = url.set(query=query).difference_update_query(["ssl", *_NOT_ASYNCPGS])
    if unknown := sorted(name for name in url.query.keys() - _ASYNCPGS if name.isidentifier()):
        near = get_close_matches(unknown[0], _ASYNCPGS, 1)
        cure = f"do you mean {near[0]}?" if near else "take it away"
        raise ValueError(f"has {unknown[0]} behind the ?, which nothing here knows: {cure}")
    if (mode := url.query.get("sslmode", "prefer")) not in _SSL_MODES:
        raise ValueError(f"has an unknown sslmode; there are {', '.join(_SSL_MODES)}")
    for name in _FILES:
        if name in url.query and not Path(str(url.query[name])).is_file():
            raise ValueError(f"names an {name} that is no file: {url.query[name]}")
    if mode in _VERIFYING and "sslrootcert" not in url.query and not _ROOT_CERTIFICATE.is_file():
        raise ValueError(f"has sslmode={mode} without sslrootcert=FILE, the certificates to verify with")
    return url


def place_of(url: URL) -> str:
    """Where a database is, for a sentence."""
    if url.drivername == SQLITE:
        return f"the file {Path(url.database or '').absolute()}"
    host = url.host or url.query.get("host") or "localhost"
    return f"the database {url.database or url.username} of PostgreSQL at {host}:{url.port or 5432}"
