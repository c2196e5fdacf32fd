"""Tables that are dealt and played at through the doorway: the one place where a bench touches its calls."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count
from typing import Final

from structlog.testing import capture_logs

from data.models import Person
from data.store import Store
from game.moves import Ready
from tables import Tables

IN_SERVER: Final = 20
"""Tables in a server: the bot allows 25."""


@asynccontextmanager
async def doorway_on(url: str) -> AsyncGenerator[Tables]:
    """The doorway of a process on a database, which is made if it is new."""
    with capture_logs():
        store = await Store.open(url)
        try:
            yield Tables(store)
        finally:
            await store.close()


class Dealt:
    """A table of two. `first` must be 1000 ids away from that of every other."""

    def __init__(self, tables: Tables, number: int, first: int) -> None:
        """Nothing is open yet."""
        self._tables, self._number, self._ids = tables, number, count(first)
        self._people = [Person(id=first + nth, name=name) for nth, name in enumerate(("Ann", "Bob"))]
        self.table = 0

    async def deal(self) -> None:
        """From the lobby to the first turn."""
        ann, bob = self._people
        server, channel = 900 + self._number // IN_SERVER, 1 + self._number
        opened = await self._tables.open(server, channel, ann, interaction_id=next(self._ids))
        self.table = opened.table.id
        await self._tables.join(self.table, bob, interaction_id=next(self._ids))
        await self._tables.start(self.table, ann.id, interaction_id=next(self._ids))
        await self.move()

    async def move(self) -> float:
        """One move of whoever can make one; the seconds until it was stored. Deals again when a game is over."""
        while True:
            if (await self._tables.snapshot(self.table)).table.status != "playing":
                await self._tables.rematch(self.table, self._people[0].id, interaction_id=next(self._ids))
            for person in self._people:
                hand = await self._tables.hand(self.table, person.id)
                if not hand.view.moves:
                    continue
                move = Ready() if Ready() in hand.view.moves else hand.view.moves[0]
                seen, begun = hand.snapshot.table.revision, time.perf_counter()
                await self._tables.act(self.table, person.id, move, seen, interaction_id=next(self._ids))
                return time.perf_counter() - begun
