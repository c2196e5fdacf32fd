"""What is held in memory: what was used last, and of all servers the settings.

All of them are copies, and their number is bounded: the store is the truth, and what was dropped is read again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterator
from typing import Final, Generic, TypeVar

from data.guild_models import GuildSettings
from data.guild_rows import GuildRows

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SETTINGS: Final = 10_000
"""How many servers' settings are held at most."""


class Recent(Generic[K, V]):
    """A mapping that keeps the `most` values used last."""

    def __init__(self, most: int) -> None:
        """Start empty; hold at most `most` values."""
        self._most, self._drops = most, 0
        self._held: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        """How many there are."""
        return len(self._held)

    def __iter__(self) -> Iterator[K]:
        """Their keys; they may be dropped meanwhile."""
        return iter(list(self._held))

    def get(self, key: K) -> V | None:
        """The value of this key, None if it is not held; asking counts as using it."""
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, key: K, value: V) -> None:
        """Hold a value under a key; the one that was not used for the longest time makes room."""
        self._held[key] = value
        self._held.move_to_end(key)
        while len(self._held) > self._most:
            self._held.popitem(last=False)

    async def fetch(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        """The value of this key. One that is read is held, unless any was dropped meanwhile: it may be old."""
        value = self.get(key)
        if value is None:
            drops, value = self._drops, await read()
            if drops == self._drops:
                self.put(key, value)
        return value

    def drop(self, key: K) -> None:
        """Hold nothing under this key any more, nor what is being read now."""
        self._drops += 1
        self._held.pop(key, None)

    def clear(self) -> None:
        """Hold nothing any more, nor what is being read now."""
        self._drops += 1
        self._held.clear()


class SettingsCache:
    """The settings of servers."""

    def __init__(self, rows: GuildRows, most: int = SETTINGS) -> None:
        """Ask the store for what is not held."""
        self._rows = rows
        self._held: Recent[int, GuildSettings] = Recent(most)

    async def get(self, guild_id: int) -> GuildSettings:
        """What a server chose; the defaults if it chose nothing."""
        return await self._held.fetch(guild_id, lambda: self._rows.get(guild_id))

    async def put(self, before: GuildSettings, after: GuildSettings) -> None:
        """Store what a server chose, where that is not what it had chosen `before`."""
        try:
            await self._rows.put(before, after)
        finally:  # only the store knows whether it was kept
            self._held.drop(after.guild_id)

    def drop(self, guild_id: int) -> None:
        """Ask the store again when it is next needed."""
        self._held.drop(guild_id)
