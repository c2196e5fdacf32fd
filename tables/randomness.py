"""The only entropy of the project: secrets of shuffles, the first dealer, what computer players toss for."""

from __future__ import annotations

import secrets
from typing import Final, Protocol

from game.fairness import SECRET_BYTES, seal

_ENTROPY: Final = secrets.SystemRandom()


class Randomness(Protocol):
    """What the doorway wants of chance; tests hand in one that they can foretell."""

    def secret(self) -> str:
        """A new secret of a shuffle, in hex."""
        ...

    def randrange(self, stop: int, /) -> int:
        """An even number from 0 to `stop - 1`."""
        ...


class RealRandomness:
    """Chance from the operating system."""

    def secret(self) -> str:
        """A new secret of a shuffle, in hex."""
        return secrets.token_hex(SECRET_BYTES)

    def randrange(self, stop: int, /) -> int:
        """An even number from 0 to `stop - 1`."""
        return _ENTROPY.randrange(stop)


def seal_of(secret: str) -> str:
    """The seal of a secret, both in hex."""
    return seal(bytes.fromhex(secret))
