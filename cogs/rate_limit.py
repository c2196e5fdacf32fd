"""How fast one person may click: a bucket of tokens for each, in memory. Knows neither Discord nor tables.

It is there against flooding, not to slow anybody down: however fast one plays by hand, it is never empty.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

MOST: Final = 10_000
"""How many people are remembered; the one who clicked longest ago is forgotten first, and has a full bucket again."""


class Allowance(NamedTuple):
    """`burst` at once, then `rate` a second."""

    burst: float
    rate: float


CLICKS: Final = Allowance(15, 3.0)
COMMANDS: Final = Allowance(5, 0.5)
"""A command posts messages, so fewer of them."""
TYPING: Final = Allowance(30, 6.0)
"""What opens while somebody types is asked for with every letter."""
REFUSALS: Final = Allowance(3, 0.2)
"""How often somebody is told that this was too fast; telling it takes as long as doing it."""
Kind: TypeAlias = Literal["click", "command", "typing", "refusal"]


class RateLimit:
    """One bucket a person for each kind of what they do, and one for being told that it was too fast."""

    def __init__(
        self,
        clicks: Allowance = CLICKS,
        commands: Allowance = COMMANDS,
        *,
        most: int = MOST,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """All buckets are full."""
        kinds: dict[Kind, Allowance] = {"click": clicks, "command": commands, "typing": TYPING, "refusal": REFUSALS}
        self._allowances, self._most, self._monotonic = kinds, most, monotonic
        self._left: OrderedDict[tuple[int, Kind], tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        """How many buckets are remembered."""
        return len(self._left)

    def allows(self, user_id: int, kind: Kind = "click") -> bool:
        """Whether a person may do one thing more now; what is refused takes no token.

        If it says no even to telling them so, the click is ignored.
        """
        burst, rate = self._allowances[kind]
        key: tuple[int, Kind] = user_id, kind
        now = self._monotonic()
        tokens, since = self._left.get(key, (burst, now))
        tokens = min(burst, tokens + (now - since) * rate)
        allowed = tokens >= 1
        self._left[key] = (tokens - allowed, now)
        self._left.move_to_end(key)
        while len(self._left) > self._most:
            self._left.popitem(last=False)
        return allowed
