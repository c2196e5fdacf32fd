"""Discord's rate limits: one for each bucket, and a global one.

A window begins with its first request, as Discord's do. The global limit does not count answers to clicks and webhooks.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple


class Rule(NamedTuple):
    """`most` requests in `seconds`."""

    most: int
    seconds: float


EDITS, POSTS, DELETIONS = Rule(5, 5.0), Rule(5, 5.0), Rule(5, 1.0)
OLD_EDITS = Rule(3, 6.0)
"""Edits of messages older than an hour, which Discord refuses with a code of their own."""
FOLLOW_UPS = Rule(5, 2.0)
ALTOGETHER = Rule(50, 1.0)


class Taken(NamedTuple):
    """The headers for a request, which is refused if `retry_after` is not zero."""

    headers: dict[str, str]
    retry_after: float


class Limits:
    """Counts requests. `refused` counts those over the limit, by bucket."""

    def __init__(self, *, is_on: bool = True, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.is_on, self._monotonic = is_on, monotonic
        self._windows = dict[tuple[str | int, ...], tuple[float, int]]()
        self.refused = Counter[str]()

    def take(self, rule: Rule, bucket: str, *parts: str | int) -> Taken:
        """Count a request in the bucket, or in that of these parts of it."""
        key = (bucket, *parts)
        now = self._monotonic()
        began, used = self._windows.get(key, (now, 0))
        if now - began >= rule.seconds:
            began, used = now, 0
        rest = began + rule.seconds - now
        is_refused = self.is_on and used >= rule.most
        if is_refused:
            self.refused[bucket] += 1
        else:
            self._windows[key] = (began, used + 1)
        if not self.is_on:
            return Taken({}, 0.0)
        headers = {
            "X-RateLimit-Limit": str(rule.most), "X-RateLimit-Remaining": str(max(rule.most - used - 1, 0)),
            "X-RateLimit-Reset": f"{time.time() + rest:.3f}", "X-RateLimit-Reset-After": f"{rest:.3f}",
            "X-RateLimit-Bucket": bucket,
        }  # fmt: skip
        return Taken(headers, rest if is_refused else 0.0)
