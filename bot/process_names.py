"""The name of a process, by which another one on the same machine can tell that it has died.

Only Linux says enough for that. Elsewhere, and of processes on other machines or in other containers, nothing is known.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_MACHINE: Final = (_PROC / "sys/kernel/random/boot_id", Path("/etc/machine-id"))
"""What no two machines have in common. A hardened systemd unit cannot read the first."""
_STATE, _STARTED = 0, 19
"""Places in `/proc/PID/stat`, counted after the name of the program."""


def name_of_process() -> str:
    """A name that no other process has."""
    stat = _stat(os.getpid())
    ends = (stat[_STARTED], _place()) if stat else ("?", secrets.token_hex(6))
    return "-".join((socket.gethostname(), str(os.getpid()), *ends))


def is_dead(name: str) -> bool:
    """Whether the process of this name ran on this machine, and runs no more."""
    _, *ends = name.rsplit("-", 3)
    if len(ends) != 3 or not ends[0].isdecimal() or ends[2] != _place():  # noqa: PLR2004 - number, start, place
        return False
    pid, started, _ = ends
    stat = _stat(int(pid))
    if stat:
        return stat[_STATE] == "Z" or stat[_STARTED] != started
    try:
        os.kill(int(pid), 0)  # what /proc hides may still be there
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def _stat(pid: int) -> list[str]:
    """What the system says of a process; nothing if it is gone or hidden."""
    try:
        return (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _place() -> str:
    """The machine since it was started, and the container: within it a number means one process. Empty if unknown."""
    for file in _MACHINE:
        with suppress(OSError):
            words = (socket.gethostname(), file.read_text(encoding="utf-8"), str((_PROC / "self/ns/pid").readlink()))
            return hashlib.sha256(" ".join(words).encode()).hexdigest()[:12]
    return ""
