"""How a question to the store fails: politely."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from data.errors import UnavailableError
from tables.snapshots import Decline, Declined


@contextmanager
def asking() -> Generator[None]:
    """Turn a store that does not answer into `Declined`."""
    try:
        yield
    except UnavailableError:
        raise Declined(Decline.SAVING_FAILED) from None
