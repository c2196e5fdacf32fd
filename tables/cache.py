"""The tables in memory: one lock for each, a bounded number of them, and how one is read again from the record.

What is here is a copy: the store is right, and whatever is dropped is read again.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import replace
from typing import Final
from weakref import WeakValueDictionary

import structlog
from pydantic import ValidationError

from data.models import Deal, StoredMove
from data.store import Store
from game.deal import NotDealableError
from game.events import Dealt
from game.moves import IllegalMove
from tables.asking import asking
from tables.loaded import LoadedTable
from tables.progress import NotConservedError, is_complete, replayed, state_of
from tables.snapshots import Decline, Declined

CACHED: Final = 2_000
"""How many tables are held at most; one takes about 20 kB."""
KNOWN: Final = 4
"""For how many tables more than are held the server is remembered, so that they are found quickly."""
_DAMAGED: Final = (ValueError, IndexError, KeyError, TypeError, IllegalMove, NotDealableError, NotConservedError)
_log = structlog.get_logger(__name__)


class TableCache:
    """Tables by id, the least recently used dropped first."""

    def __init__(self, store: Store, most: int = CACHED) -> None:
        """Hold at most `most` tables."""
        self._store = store
        self._most = most
        self._kept: OrderedDict[int, LoadedTable] = OrderedDict()
        self._guilds: OrderedDict[int, int] = OrderedDict()
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        """How many tables are held."""
        return len(self._kept)

    def lock(self, table_id: int) -> asyncio.Lock:
        """The lock of a table; it lives as long as somebody holds or awaits it."""
        return self._locks.setdefault(table_id, asyncio.Lock())

    def keep(self, loaded: LoadedTable) -> None:
        """Hold the newest state of a table."""
        self._kept[loaded.table.id] = loaded
        self._kept.move_to_end(loaded.table.id)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        self.learn(loaded.table.id, loaded.table.guild_id)

    def learn(self, table_id: int, guild_id: int) -> None:
        """Remember in which server a table is."""
        self._guilds[table_id] = guild_id
        self._guilds.move_to_end(table_id)
        while len(self._guilds) > KNOWN * self._most:
            self._guilds.popitem(last=False)

    def drop(self, table_id: int) -> None:
        """Forget a table, so that it is read again."""
        self._kept.pop(table_id, None)

    def forget_guild(self, guild_id: int) -> None:
        """Forget all tables of a server."""
        for table_id in [each for each, loaded in self._kept.items() if loaded.table.guild_id == guild_id]:
            self.drop(table_id)

    def peek(self, table_id: int) -> LoadedTable | None:
        """The table if it is in memory."""
        return self._kept.get(table_id)

    async def load(self, table_id: int) -> LoadedTable:
        """The table, from memory or from the store. The caller holds its lock.

        Raises:
            Declined: there is none, or the store does not answer.
        """
        loaded = self._kept.get(table_id)
        if loaded is not None:
            self._kept.move_to_end(table_id)
            return loaded
        with asking():
            loaded = await self._read(table_id)
        if loaded is None:
            raise Declined(Decline.UNKNOWN_TABLE)
        self.keep(loaded)
        return loaded

    async def _read(self, table_id: int) -> LoadedTable | None:
        rows = self._store.tables
        try:
            table = await rows.get(table_id, self._guilds.get(table_id))
        except ValidationError:
            _log.error("a stored table cannot be read", table=table_id)
            return None
        if table is None:
            return None
        sealed = table.game if table.is_open else table.game + 1
        loaded = LoadedTable(table, await rows.secret_of(table, sealed))
        deal = await rows.deal_of(table, table.game)
        if deal is not None:
            loaded = replay(loaded, deal, await rows.moves_of(table, table.game))
        if table.status == "over":
            result, debt = await rows.result_of(table, table.game), await self._store.tea.of_game(table, table.game)
            loaded = replace(loaded, result=result, debt=debt)
        return loaded


def replay(loaded: LoadedTable, deal: Deal, made: tuple[StoredMove, ...]) -> LoadedTable:
    """The table with its game played again.

    One whose record is damaged comes without a game: it can only be stopped.
    """
    begun = made[0].revision - 1 if made else loaded.table.revision
    try:
        state = state_of(deal)
        found = LoadedTable(
            loaded.table, loaded.secret, state, recent=(Dealt(deal.dealer),), since=begun, own=(begun,) * deal.seats
        )
        for each in made:
            found = replayed(found, each)
        if found.state is None or not is_complete(found.state):
            raise NotConservedError
    except _DAMAGED as error:
        _log.error(
            "a game cannot be replayed", table=loaded.table.id, game=loaded.table.game, error=type(error).__name__
        )
        return loaded
    return found
