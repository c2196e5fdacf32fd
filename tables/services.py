"""Builds the services for the tables of one process, and connects them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from random import Random, SystemRandom

from data.errors import StoreError
from data.store import Store
from tables.doorway import CACHED, Doorway
from tables.gameplay import aborted, replayed
from tables.loaded import Changed, Due
from tables.lobby_service import LobbyService
from tables.past_service import PastService
from tables.people_service import PeopleService
from tables.play_service import PlayService
from tables.server_service import ServerService
from tables.snapshots import Decline, Declined, HandSnapshot, TableSnapshot, declines, declining
from tables.tea_service import TeaService
from tables.thinking import Thinking
from tables.timekeeping import Timekeeping

__all__ = ["Changed", "Decline", "Declined", "Due", "HandSnapshot", "TableSnapshot", "Tables", "Thinking"]


@declining
class Tables:
    """The services for the tables of one process. All of them raise `Declined`."""

    is_serving: Callable[[], bool] = staticmethod(lambda: True)  # whether this process holds its lease

    def __init__(
        self,
        store: Store,
        *,
        randomness: Random | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        cached: int = CACHED,
        serves: Callable[[int], bool] = lambda _guild_id: True,
        thinking: Thinking | None = None,
    ) -> None:
        """Serve the tables of a store. `now` must return aware times; `serves` says which servers this process serves.

        `cached` is the most tables in memory. `thinking` answers for the computer players; without it all of them are
        quick players, and there are no hints.
        """
        randomness = randomness or SystemRandom()  # the only source of chance in games
        abort = partial(aborted, randomness=randomness)
        # The doorway does not know how a game is played: functions that do are passed in.
        self._doorway = doorway = Doorway(store, replay=replayed, abort=abort, now=now, serves=serves, most=cached)
        self.listeners = doorway.listeners
        """Functions that are called with every change after it was stored. If one fails, it is logged."""
        self.servers = ServerService(doorway)
        self.people = PeopleService(doorway)
        self.lobby = LobbyService(doorway, self.servers.find_rules, randomness)
        self.play = PlayService(doorway, randomness, thinking, self.lobby.require_few)
        self.past = PastService(doorway, thinking)
        self.tea = TeaService(doorway)
        self.timekeeping = Timekeeping(doorway, randomness, thinking)
        self.read_note = declines(store.notes.get)  # the text under a name; None if no process has stored any
        self.write_note = declines(store.notes.put)  # stores a text under a name, for the next process

    @property
    def is_closing(self) -> bool:
        """Whether requests that change a table or a debt are declined because the process is shutting down."""
        return self._doorway.closing

    def close(self) -> None:
        """Decline requests that change a table or a debt. Changes that are being stored are completed."""
        self._doorway.closing = True

    @property
    def cached(self) -> int:
        """How many tables are cached."""
        return len(self._doorway.cached_tables())

    async def snapshot(self, table_id: int, guild_id: int | None = None) -> TableSnapshot:
        """The table as everybody may see it, faster if its server is given. Declined: UNKNOWN_TABLE."""
        return (await self._doorway.get(table_id, guild_id)).snapshot()

    async def is_polite(self, guild_id: int, table_id: int) -> bool:
        """Whether a table was opened with the polite name of the game; False if there is none, or it cannot be read."""
        with suppress(Declined, StoreError):
            return bool(table_id) and (await self._doorway.get(table_id, guild_id)).table.polite
        return False
