"""A cache of copies whose number is bounded. The store is the truth: a dropped value is read again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """A cache of the most recently used values."""

    def __init__(self, most: int) -> None:
        """Start empty. `most` is the largest number of values."""
        self._most = most
        self._held: OrderedDict[K, V] = OrderedDict()
        self._drops = 0  # how often values were dropped, so that `fetch` notices it

    def __len__(self) -> int:
        """How many values are cached."""
        return len(self._held)

    def __iter__(self) -> Iterator[K]:
        """Iterate over a copy of the keys, so that values may be dropped meanwhile."""
        return iter(list(self._held))

    def get(self, key: K) -> V | None:
        """The value of this key, None if it is not cached. This counts as a use."""
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, key: K, value: V) -> None:
        """Cache a value. If there are too many, the least recently used one is dropped."""
        self._held[key] = value
        self._held.move_to_end(key)
        while len(self._held) > self._most:
            self._held.popitem(last=False)

    async def fetch(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        """The value of this key, cached or from `read`, which is repeated if a value was dropped while it ran."""
        while (value := self.get(key)) is None:
            drops_before, found = self._drops, await read()
            if self._drops == drops_before:
                self.put(key, found)
        return value

    def drop(self, key: K) -> bool:
        """Drop the value of this key, and do not cache what is being read now; return whether it was cached."""
        self._drops += 1
        return self._held.pop(key, None) is not None

    def clear(self) -> None:
        """Drop all values, and do not cache what is being read now."""
        self._drops += 1
        self._held.clear()
