"""Ports for processes that a test starts, and name look-ups that fail."""

from __future__ import annotations

import random
import socket
from contextlib import suppress
from typing import NoReturn

import pytest

HANDED_OUT = 32_768
"""The first of the ports that the system hands out to programs that ask for any."""


def free_port() -> int:
    """A free port that the system hands out to nobody, so that it is still free when a process opens it."""
    while True:
        with socket.socket() as trial, suppress(OSError):
            port = random.SystemRandom().randrange(10_000, HANDED_OUT)
            trial.bind(("127.0.0.1", port))
            return port


def names_fail(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Make every name look-up fail with this error number (`socket.EAI_…`)."""

    def fail(*_args: object, **_more: object) -> NoReturn:
        raise socket.gaierror(number, "no address for this name")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
