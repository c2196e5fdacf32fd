"""The tail of what was measured."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import quantiles


def p99(samples: Iterable[float]) -> float:
    """What one sample in a hundred exceeds; of fewer it lies near the largest, and a single one is its own."""
    every = list(samples)
    return quantiles(every, n=100, method="inclusive")[98] if len(every) > 1 else every[0]
