"""Database addresses: parse what operators write, convert it for the drivers, and name the place in messages.

No message contains a password.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from itertools import cycle
from pathlib import Path
from shlex import quote
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

SQLITE: Final = "sqlite"
POSTGRES: Final = "postgresql+asyncpg"
_DRIVERS: Final = {
    **dict.fromkeys((SQLITE, "sqlite+aiosqlite"), SQLITE),
    **dict.fromkeys(("postgres", "postgresql", POSTGRES), POSTGRES),
}
_SSL_MODES: Final = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_SESSIONS: Final = ("any", "primary", "standby", "read-write", "read-only", "prefer-standby")
_VERIFYING: Final = _SSL_MODES[-2:]
_ROOT_CERTIFICATE: Final = Path(os.path.expanduser("~/.postgresql/root.crt"))  # noqa: PTH111 - Path fails where there is no home
"""Where asyncpg looks for root certificates if none are named."""
_SEVERAL_HOSTS: Final = re.compile(r"(postgres\w*(?:\+\w+)?://(?:[^@]*@|(?![^?]*@)))([^/?@]*,[^/?@]*)(.*)")
"""An address with several hosts, each with or without a port. Groups: what precedes the hosts, the hosts, the rest."""
_AT_IN_OPTIONS: Final = re.compile(r"@[^?]*\?.*@")
_LAST_PORT: Final = 65_535
_FILES: Final = ("sslrootcert", "sslcert", "sslkey")
_ASYNCPG_OPTIONS: Final = {
    *("host", "port", "dbname", "database", "user", "password", "passfile", "service", "servicefile", "sslmode"),
    *_FILES,
    *("sslcrl", "sslpassword", "ssl_min_protocol_version", "ssl_max_protocol_version", "target_session_attrs"),
    *("krbsrvname", "gsslib", "application_name", "options", "search_path", "timezone"),
    *("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"),
}
"""Query parameters that asyncpg understands or passes on to the server."""
_FOREIGN_OPTIONS: Final = (
    *("channel_binding", "client_encoding", "connect_timeout", "connection_limit", "fallback_application_name"),
    *("gssencmode", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "pgbouncer"),
    *("pool_timeout", "sslnegotiation", "uselibpqcompat"),
)
"""Query parameters that hosting providers add for other drivers. They are dropped: asyncpg would send them to the
server, which rejects them; in another `client_encoding` than its own it could not write every name."""


def parse_url(text: str) -> URL:
    """Parse the address of a database, and name the driver that this program uses for it.

    Raises `ValueError` if it cannot work. The message has no subject: the caller puts the setting's name before it.
    """
    if text.strip("\"' \t\r\n") != text:
        raise ValueError("is not a database address: write it without quotes or spaces around it")
    try:
        url = make_url(_SEVERAL_HOSTS.sub(_with_hosts_in_query, text))
    except (ArgumentError, ValueError):
        examples = "sqlite:///shithead.sqlite3 or postgresql://user:password@host/name"
        raise ValueError(f"is not a database address like {examples}") from None
    if url.drivername not in _DRIVERS:
        raise ValueError("must begin with sqlite:/// or postgresql://")
    is_file = _DRIVERS[url.drivername] == SQLITE
    is_cut = not is_file and ("@" in (url.database or "") or _AT_IN_OPTIONS.search(text))
    if is_cut or "@" in (url.host or ""):  # part of a password, not to be shown
        raise ValueError("has an @ or a / in its user or password: write %40 for an @ and %2F for a /")
    if "host" in url.query and (url.host or not isinstance(url.query["host"], str)):
        raise ValueError("names hosts twice: keep one place")
    url = url.set(drivername=_DRIVERS[url.drivername])
    return _checked_sqlite(url, text) if is_file else _checked_postgres(url)


def _checked_sqlite(url: URL, text: str) -> URL:
    if url.database == ":memory:":
        raise ValueError("names no file, and a database in memory would be gone at every restart: name a file")
    if url.host or not url.database:
        raise ValueError("names no file: write three slashes before it, as in sqlite:///shithead.sqlite3")
    if "?" in text:  # SQLAlchemy ignores what it cannot read as options
        raise ValueError("has options after the ?, but SQLite takes none: remove them")
    if min(url.database) < " ":
        raise ValueError("has a \\ that the double quotes turned into another character: write / instead")
    return url


def _with_hosts_in_query(address: re.Match[str]) -> str:
    """Move the hosts into the query, where asyncpg accepts several; SQLAlchemy's own parser takes only one."""
    before, after = address[1], address[3]
    places = [re.sub(r":(\d+)$", r" \1", place).partition(" ") for place in address[2].split(",")]
    hosts, ports = ",".join(host for host, _, _ in places), ",".join(port or "5432" for _, _, port in places)
    return f"{before}{after}{'&' if '?' in after else '?'}host={hosts}&port={ports}"


def _checked_postgres(url: URL) -> URL:
    """Check query parameters, database and ports now; connecting would fail late, with an obscure error."""
    if "ssl" in url.query and "sslmode" not in url.query:
        url = url.update_query_dict({"sslmode": "require" if url.query["ssl"] == "true" else url.query["ssl"]})
    url = url.difference_update_query(["ssl", *_FOREIGN_OPTIONS])
    unknown = sorted(name for name in url.query.keys() - _ASYNCPG_OPTIONS if name.isidentifier())
    if unknown:
        near = get_close_matches(unknown[0], _ASYNCPG_OPTIONS, 1)
        cure = f"did you mean {near[0]}?" if near else "remove it"
        raise ValueError(f"has an unknown option {unknown[0]} after the ?: {cure}")
    mode = url.query.get("sslmode", "prefer")
    if mode not in _SSL_MODES:
        raise ValueError(f"has an unknown sslmode: use one of {', '.join(_SSL_MODES)}")
    if url.query.get("target_session_attrs", "any") not in _SESSIONS:
        raise ValueError(f"has an unknown target_session_attrs: use one of {', '.join(_SESSIONS)}")
    for name in _FILES:
        if name in url.query and url.query[name] != "system" and not Path(str(url.query[name])).is_file():
            raise ValueError(f"names an {name} that is not a file: {url.query[name]}")
    if mode in _VERIFYING and "sslrootcert" not in url.query and not _ROOT_CERTIFICATE.is_file():
        raise ValueError(f"has sslmode={mode} without sslrootcert=FILE, the certificates to verify with")
    if not {"dbname", "database", "service"} & url.query.keys() and not (url.database or url.username):
        raise ValueError("names no database: write it after the host, as in postgresql://user:password@host/name")
    if not all(port.isdecimal() and 0 < int(port) <= _LAST_PORT for port in _ports(url)):
        raise ValueError(f"has an invalid port: ports are numbers from 1 to {_LAST_PORT}")
    return url


PROVIDED: Final = frozenset({Path("/run/credentials"), Path("/run/secrets")})
"""Where secrets are put by whoever starts the process."""


def exposure_warning(file: Path, and_beside: str = "") -> str:
    """A warning, with the cure, if others on the machine may read a file of this user; empty if they may not.

    Also empty if that is unknown, as outside POSIX, and for a secret that systemd, Docker or Kubernetes provides, whose
    mode says little and cannot be changed. `and_beside` is appended to the file name in the cure.
    """
    if os.name != "posix" or not file.is_file() or PROVIDED.intersection(file.resolve().parents):
        return ""
    # No colon after the file: the log would take "token: chmod" for a token.
    warning = f"others on this machine may read {file}, so run chmod 600 {quote(str(file))}{and_beside}"
    return warning if file.stat().st_mode & 0o077 and file.stat().st_uid == os.geteuid() else ""


def place_of(url: URL) -> str:
    """Describe where a database is, for use in a sentence."""
    if url.drivername == SQLITE:
        return f"the file {Path(url.database or '').absolute()}"
    hosts = str(url.host or url.query.get("host") or "localhost").split(",")
    ports = cycle(_ports(url))  # one port may be that of all hosts
    servers = ", ".join(f"{host}:{port}" for host, port in zip(hosts, ports, strict=False))
    name = url.database or url.query.get("dbname") or url.query.get("database") or url.username
    return f"the database {name} of PostgreSQL at {servers}"


def _ports(url: URL) -> list[str]:
    return str(url.query.get("port", 5432) if url.port is None else url.port).split(",")
