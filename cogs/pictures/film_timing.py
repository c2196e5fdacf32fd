"""Which frames of a game a film shows, and for how long. Pure: knows nothing of pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST_FRAMES: Final = 120
LONGEST: Final = 60_000
"""Milliseconds that a film lasts at most."""
ORDINARY: Final = 1100
"""Milliseconds that an ordinary frame is shown in a short film; in a long one less."""
LAST: Final = 5000
"""Milliseconds that the end is shown."""
_MOMENT: Final = 2
"""How many times as long as an ordinary frame a moment is shown."""


def timed(moments: Sequence[bool]) -> list[tuple[int, int]]:
    """The frames to show, by number, each with its milliseconds; `moments` tells which ones are no ordinary ones.

    The first and the last frame are always shown, moments rather than ordinary frames. Of a run of ordinary frames that
    is too long only every second one is shown, or every third, and so on.
    """
    shown = _chosen(moments)
    weights = [_MOMENT if moments[at] else 1 for at in shown[:-1]]
    each = min(ORDINARY, (LONGEST - LAST) / max(1, sum(weights)))
    times = [int(each * weight) // 10 * 10 for weight in weights]
    return list(zip(shown, [*times, LAST], strict=True))


def _chosen(moments: Sequence[bool]) -> list[int]:
    count = len(moments)
    if count <= MOST_FRAMES:
        return list(range(count))
    inner = range(1, count - 1)
    lively = _spread([at for at in inner if moments[at]], MOST_FRAMES - 2)
    quiet = _spread([at for at in inner if not moments[at]], MOST_FRAMES - 2 - len(lively))
    return sorted([0, *lively, *quiet, count - 1])


def _spread(items: Sequence[int], most: int) -> list[int]:
    """At most so many of the items, the last of each of as many equal runs."""
    count = min(most, len(items))
    return [items[(n + 1) * len(items) // count - 1] for n in range(count)]
