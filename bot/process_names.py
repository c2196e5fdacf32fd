"""Process names from which another process on the same machine can tell that their owner has died.

This works only on Linux, and only within one machine and container; otherwise a process never counts as dead.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

from data.lease_rows import Holder, format_holder, parse_holder

_PROC: Final = Path("/proc")
_MACHINE: Final = (_PROC / "sys/kernel/random/boot_id", Path("/etc/machine-id"))
"""Files with an id unique to the machine. A hardened systemd unit cannot read the first."""
_STATE, _STARTED = 0, 19
"""Indices of fields in `/proc/PID/stat`, counted after the name of the program."""


def name_of_process() -> str:
    """A unique name for this process."""
    stat = _stat(os.getpid())
    if stat:
        started, scope = stat[_STARTED], _scope()
    else:  # a scope that no other process has: this one never counts as dead
        started, scope = "?", secrets.token_hex(6)
    return format_holder(Holder(socket.gethostname(), str(os.getpid()), started, scope))


def is_dead(name: str) -> bool:
    """Whether the process with this name ran on this machine and has ended."""
    process = parse_holder(name)
    if process is None or not process.pid.isdecimal() or not process.scope or process.scope != _scope():
        return False
    stat = _stat(int(process.pid))
    if stat:
        return stat[_STATE] == "Z" or stat[_STARTED] != process.started
    try:
        os.kill(int(process.pid), 0)  # /proc may hide a process that still runs
    except OSError as error:
        return isinstance(error, ProcessLookupError)
    return False


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` after the program's name; empty if the process is gone or hidden."""
    try:
        return (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _scope() -> str:
    """A hash of machine, boot and container, the scope within which a process id is unique; empty if unknown."""
    for file in _MACHINE:
        with suppress(OSError):
            words = (socket.gethostname(), file.read_text(encoding="utf-8"), str((_PROC / "self/ns/pid").readlink()))
            return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]
    return ""
