"""Tables that are dealt and played at through the doorway: the one place where a bench touches its calls."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Final

from structlog.testing import capture_logs

from data.models import Person
from data.store import Store
from game.moves import Ready
from tables.services import Tables
from tables.snapshots import Request

IN_SERVER: Final = 20
"""Tables in a server: the bot allows 25."""
APART: Final = 1 << 20
"""Ids of requests that a table has for itself: one that was used before would be taken for the same click again."""


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
    """A table of two; each has a number of its own."""

    def __init__(self, tables: Tables, number: int) -> None:
        """Nothing is open yet."""
        first = (1 + number) * APART
        self._tables, self._number, self._ids = tables, number, count(first)
        self._people = [Person(id=first + nth, name=name) for nth, name in enumerate(("Ann", "Bob"))]
        self.table = 0

    def _request(self, person: Person, seen: int = 0) -> Request:
        server, channel = 900 + self._number // IN_SERVER, 1 + self._number
        return Request(next(self._ids), person, server, channel, self.table, seen)

    async def deal(self) -> None:
        """From the lobby to the first turn."""
        ann, bob = self._people
        self.table = (await self._tables.lobby.open(self._request(ann))).table.id
        await self._tables.lobby.join(self._request(bob))
        await self._tables.play.start(self._request(ann))
        await self.move()

    async def move(self, begins: Callable[[], None] = lambda: None) -> float:
        """One move of whoever can make one; the seconds from `begins` until it was stored.

        Deals again when a game is over, and looks at the hands, before the clock runs.
        """
        while True:
            table = (await self._tables.snapshot(self.table)).table
            if table.status != "playing":
                await self._tables.play.rematch(self._request(self._people[0], table.revision))
                await self._tables.lobby.join(self._request(self._people[1]))
            for person in self._people:
                hand = await self._tables.play.hand(self._request(person))
                if not hand.view.moves:
                    continue
                move = Ready() if Ready() in hand.view.moves else hand.view.moves[0]
                request, begun = self._request(person, hand.snapshot.table.revision), time.perf_counter()
                begins()
                after = await self._tables.play.act(request, move)
                took = time.perf_counter() - begun
                if after.snapshot.table.revision == hand.snapshot.table.revision:
                    raise RuntimeError("a move changed nothing")
                return took
