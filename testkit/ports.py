"""Ports for processes that a test starts."""

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
