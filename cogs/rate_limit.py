"""Limits how fast one person may click, by token buckets in memory. Must not import Discord.

The limits stop floods only: somebody who plays by hand never reaches them, however fast they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from tables.cache import LRUCache

MOST_BUCKETS: Final = 10_000
"""The most buckets kept; the one used longest ago is dropped first, which makes it a full one again."""


class Allowance(NamedTuple):
    """`burst` actions at once, then `rate` a second."""

    burst: float
    rate: float


Kind: TypeAlias = Literal["click", "command", "typing", "refusal", "public"]
ALLOWANCES: Final[dict[Kind, Allowance]] = {
    "click": Allowance(15, 3.0),
    "command": Allowance(5, 0.5),  # lower, because commands post messages
    "typing": Allowance(30, 6.0),  # higher, because Discord asks for suggestions at every letter
    "refusal": Allowance(3, 0.2),  # telling somebody that they click too fast costs as much as an answer
    "public": Allowance(1, 1 / 30),  # of a channel: answers that everybody sees; further ones are private
}


class RateLimit:
    """A bucket for each kind of action of each person, or channel; telling somebody to click less fast is a kind."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._buckets: LRUCache[tuple[int, str], tuple[float, float]] = LRUCache(MOST_BUCKETS)

    def allows(self, who: int, kind: Kind = "click") -> bool:
        """Whether a person (for `public`, a channel) may do this now, which takes a token if so.

        After a no, ask for `refusal`: if that is not allowed either, the click should be ignored.
        """
        burst, rate = ALLOWANCES[kind]
        key, now = (who, kind), self._monotonic()
        tokens, since = self._buckets.get(key) or (burst, now)
        tokens = min(burst, tokens + (now - since) * rate)
        allowed = tokens >= 1
        self._buckets.put(key, (tokens - allowed, now))
        return allowed
