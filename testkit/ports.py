"""Ports for processes that a test starts, and names that no address is found for."""

import random
import socket
from contextlib import suppress

HANDED_OUT = 32_768
"""From this number on the system hands out ports to whoever asks for any."""


def free_port():
    """A port that nobody uses now and the system gives to nobody, so that it is still free when a process opens it."""
    while True:
        with socket.socket() as trial, suppress(OSError):
            port = random.SystemRandom().randrange(10_000, HANDED_OUT)
            trial.bind(("127.0.0.1", port))
            return port


def names_fail(monkeypatch, number):
    """Make every look-up of a name fail for this reason (`socket.EAI_…`)."""

    def fail(*_args, **_more):
        raise socket.gaierror(number, "no address for this name")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
