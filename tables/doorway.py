"""The one way in for all changes of a table: lock, load, decide, commit, publish. Knows no rule and no Discord.

What to change is handed in as a function. `decide` must be free of side effects; it is retried on conflict. What needs
the rules, playing a record again and aborting a game, is handed in too. Nobody is told of a change before it is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Final, TypeAlias, Unpack
from weakref import WeakValueDictionary

import structlog
from pydantic import ValidationError

from data.errors import ChannelTakenError, ConflictError, DoubledError, UnavailableError
from data.game_models import StoredGame
from data.models import Change, Placement
from data.store import Store
from game.moves import IllegalMove
from tables.cache import Recent, SettingsCache
from tables.completion import to_the_end
from tables.loaded import Changed, DamagedGameError, LoadedTable, NotConservedError, Transition
from tables.snapshots import Decline, Declined, Request
from tables.timing import next_look

Decide: TypeAlias = Callable[[LoadedTable, datetime], Transition | None]
Replay: TypeAlias = Callable[[LoadedTable, StoredGame], LoadedTable]
Abort: TypeAlias = Callable[[LoadedTable, datetime], Transition]
Note: TypeAlias = Callable[[LoadedTable], Awaitable[LoadedTable]]
Listener: TypeAlias = Callable[[Changed], None]

CACHED: Final = 2_000
"""How many tables are held at most; one of two people takes about 7 KB."""
KNOWN: Final = 4
"""The servers of this many times as many tables are remembered, so that those tables are found quickly."""
_TRIES: Final = 4
_log = structlog.get_logger(__name__)


class Doorway:
    """Tables that are held and changed, one change of a table at a time.

    All methods raise `Declined` with UNKNOWN_TABLE if there is no such table, and what the store raises.
    """

    def __init__(
        self,
        store: Store,
        *,
        replay: Replay,
        abort: Abort,
        now: Callable[[], datetime],
        serves: Callable[[int], bool],
        most: int,
    ) -> None:
        """Serve the tables of a store, and hold at most so many in memory. `now` must give aware times.

        `serves` says which servers are this process's.
        """
        self.store, self.settings = store, SettingsCache(store.guilds)
        self.now, self.serves = now, serves
        self._replay, self._abort = replay, abort
        self.listeners: list[Listener] = []
        self.closing = False
        self._tables: Recent[int, LoadedTable] = Recent(most)
        self._guilds: Recent[int, int] = Recent(KNOWN * most)  # the server of each table
        # A lock lives as long as somebody holds or awaits it, so that there are never more than are needed.
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    @property
    def cached(self) -> int:
        """How many tables are held in memory."""
        return len(self._tables)

    def _lock(self, table_id: int) -> asyncio.Lock:
        """The lock of a table: one change at a time."""
        return self._locks.setdefault(table_id, asyncio.Lock())

    # -- looking

    def peek(self, table_id: int) -> LoadedTable | None:
        """The table if it is in memory."""
        return self._tables.get(table_id)

    async def get(self, table_id: int, guild_id: int | None = None) -> LoadedTable:
        """The table as it is; quicker if its server is known. No lock is taken for one that is in memory."""
        if (held := self.peek(table_id)) is not None:
            return held
        async with self._lock(table_id):
            return await self._load(table_id, guild_id)

    async def look(self, request: Request) -> LoadedTable:
        """The table of a request, which must come from the channel of that table."""
        loaded = await self.get(request.table_id, request.guild_id)
        _require_place(loaded, request)
        return loaded

    async def _load(self, table_id: int, guild_id: int | None = None) -> LoadedTable:
        """The table, from memory or from the store. The caller holds its lock."""
        loaded = self.peek(table_id) or await self._read(table_id, guild_id or self._guilds.get(table_id))
        if loaded is None:
            raise Declined(Decline.UNKNOWN_TABLE)
        self._keep(loaded)
        return loaded

    async def _read(self, table_id: int, guild_id: int | None) -> LoadedTable | None:
        try:
            stored = await self.store.games.with_table(table_id, guild_id)
        except ValidationError:
            _log.error("a stored table cannot be read", table=table_id)
            return None
        if stored is None:
            return None
        table, game = stored.table, stored.game
        loaded = LoadedTable(table, await self.settings.get(table.guild_id), stored.secret)
        try:
            if isinstance(game, ValueError):
                raise game
            loaded = self._replay(loaded, game) if game else loaded
        except (ValueError, DamagedGameError) as error:
            # Without a game a table can be neither played nor replayed; it can be stopped, and its clock aborts it.
            _log.error("a game cannot be replayed", table=table.id, game=table.game, error=type(error).__name__)
        return loaded.but(debt=await self.store.tea.of_game(table, table.game)) if table.status == "over" else loaded

    def _keep(self, loaded: LoadedTable) -> None:
        self._tables.put(loaded.table.id, loaded)
        self.learn(loaded.table.guild_id, loaded.table.id)

    def learn(self, guild_id: int, table_id: int) -> None:
        """Remember in which server a table is, so that it is found without searching all of them.

        Only for what the store said: a button may name any table.
        """
        self._guilds.put(table_id, guild_id)

    # -- changing

    async def change(self, request: Request, decide: Decide) -> LoadedTable:
        """The table after what somebody asked for was stored; unchanged if `decide` wants nothing.

        A request that was applied before changes nothing and is answered with the table as it is.

        Raises:
            Declined: `decide` does, the bot is closing, or the table is not in the channel of the request.
            IllegalMove: `decide` does.
        """
        if self.closing:
            raise Declined(Decline.CLOSING)
        return await self._change(request.table_id, decide, request) or await self.look(request)

    async def change_unasked(self, table_id: int, decide: Decide) -> LoadedTable | None:
        """The same for a change that is nobody's request; None if `decide` wants nothing.

        For example: time is up, a computer moves, somebody is back.
        """
        return await self._change(table_id, decide, None)

    async def abort(self, table_id: int) -> None:
        """End a table without a result, if it is in use: its channel or server is gone, or its cards are."""
        await self.change_unasked(
            table_id, lambda loaded, now: self._abort(loaded, now) if loaded.table.is_open else None
        )

    async def _change(self, table_id: int, decide: Decide, request: Request | None) -> LoadedTable | None:
        # The lock keeps this process from changing the table between loading and storing. Between processes it is the
        # revision: the store refuses a change made from an older one, and the slower process loads and decides again.
        for _ in range(_TRIES):
            async with self._lock(table_id):
                loaded = await self._load(table_id, request and request.guild_id)
                if request is not None:
                    _require_place(loaded, request)
                now = self.now()
                step = await self._decided(loaded, now, decide, request)
                if step is None:
                    return None
                after = await self._committed(step.change_of(loaded, now, request), step)
            if after is not None:
                return after
        raise Declined(Decline.SAVING_FAILED)

    async def _decided(
        self, loaded: LoadedTable, now: datetime, decide: Decide, request: Request | None
    ) -> Transition | None:
        try:
            return decide(loaded, now)
        except (Declined, IllegalMove) as refused:
            # A redelivered click may look illegal because it already succeeded. One that still looks legal needs no
            # question: storing it is a DoubledError.
            if request is not None and await self.was_applied(request):
                return None
            if isinstance(refused, Declined) and refused.snapshot is None:
                refused.snapshot = loaded.snapshot()
            raise
        except NotConservedError:
            _log.exception("cards were lost or doubled, the game is aborted", table=loaded.table.id)
            return self._abort(loaded, now)

    async def was_applied(self, request: Request) -> bool:
        """Whether a request has changed anything; False if the store does not answer."""
        try:
            return await self.store.clicks.was_applied(request.guild_id, request.id)
        except UnavailableError:
            return False

    @to_the_end
    async def _committed(self, change: Change, step: Transition) -> LoadedTable | None:
        """The table once it is stored and told; None when it must be decided again on what is stored by now."""
        table_id = change.before.id
        try:
            debt = await self.store.tables.save(change)
            after = step.after.but(debt=debt) if debt else step.after
        except ConflictError:
            self._tables.drop(table_id)
            return None
        except DoubledError:
            self._tables.drop(table_id)
            after = await self._load(table_id)
        except ChannelTakenError:
            before = change.before
            other = await self.store.tables.in_channel(before.guild_id, before.channel_id, in_use=True)
            raise Declined(Decline.TABLE_IN_CHANNEL, (await self._load(table_id)).snapshot(), other) from None
        except BaseException as error:
            # Only the database knows whether it was committed: the connection may have broken before the answer came.
            # So no table is held, and the next to ask reads what is stored. A click that Discord delivers again is
            # known by its id; one that the player makes again is of an old revision, so the hand is drawn anew.
            self._tables.drop(table_id)
            if isinstance(error, UnavailableError):
                _log.warning("a change could not be stored", table=table_id, error=str(error))
            raise
        self.adopt(after)
        return after

    def adopt(self, loaded: LoadedTable) -> None:
        """Hold the newest state of a table, and tell the listeners."""
        self._keep(loaded)
        self.publish(loaded)

    def publish(self, loaded: LoadedTable, *, bottom: bool = False, news: bool = True) -> None:
        """Tell all listeners; `bottom` asks for a new public message, without `news` nothing changed."""
        due = loaded.due()
        look_at = next_look(loaded.table, loaded.settings.nudge_seconds if loaded.is_attended() else 0)
        changed = Changed(loaded.table, due[1] if due else None, look_at, bottom, news)
        for listener in self.listeners:
            listener(changed)

    # -- what changes no revision

    async def note(self, table_id: int, noted: Note) -> LoadedTable:
        """Hold a table as changed by `noted`: where its messages are, its server's settings, the state of its debt.

        `noted` stores what must survive the process.
        """
        async with self._lock(table_id):
            return await self._noted(table_id, noted)

    @to_the_end
    async def _noted(self, table_id: int, noted: Note) -> LoadedTable:
        loaded = await noted(await self._load(table_id))
        self._keep(loaded)
        return loaded

    async def place(self, table_id: int, **where: Unpack[Placement]) -> None:
        """Note where the messages of a table are."""

        async def placed(loaded: LoadedTable) -> LoadedTable:
            await self.store.tables.place(loaded.table, **where)
            return loaded.but(table=loaded.table.but(**where))

        await self.note(table_id, placed)

    async def drop(self, table_id: int) -> bool:
        """Read a table again when it is next needed; whether it was held."""
        async with self._lock(table_id):
            held = self.peek(table_id) is not None
            self._tables.drop(table_id)
        return held

    def held_of(self, guild_id: int) -> tuple[int, ...]:
        """The tables of a server that are in memory."""
        held = [(table_id, self.peek(table_id)) for table_id in self._tables]
        return tuple(table_id for table_id, loaded in held if loaded and loaded.table.guild_id == guild_id)

    def lock_guild(self, guild_id: int) -> asyncio.Lock:
        """The lock under which tables of a server are opened: of two that open at once one may be too many."""
        # Ids of servers and of tables are both Discord's; the sign keeps the two kinds of lock apart.
        return self._lock(-guild_id)


def _require_place(loaded: LoadedTable, request: Request) -> None:
    """Decline a request from a channel that is not the table's."""
    if not loaded.is_at(request):
        raise Declined(Decline.UNKNOWN_TABLE)
