"""The only way to change a table: lock, load, decide, commit, publish.

Opening a table, removing one whose thread could not be opened, closing one that cannot be read, noting what was drawn,
deleting a forfeit, and forgetting people or servers go straight to the store. The change itself is passed in as a
function, `decide`. It must have no side effects, because it is called again after a conflict. Replaying a record and
aborting a game are passed in too, so that this module need not know how a game is played. Nobody is told of a change
before it is stored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from datetime import datetime
from functools import wraps
from typing import Any, Final, Literal, ParamSpec, TypeAlias, TypeVar, Unpack
from weakref import WeakValueDictionary

import structlog

from data.errors import ChannelTakenError, ConflictError, DoubledError, UnavailableError
from data.game_models import StoredGame
from data.guild_models import GuildSettings, Preferences
from data.models import Change, Placement, Table, is_posted
from data.store import Store
from game.moves import IllegalMove
from tables.cache import LRUCache
from tables.loaded import Changed, DamagedGameError, LoadedTable, NotConservedError, Reader, Transition, name_of
from tables.snapshots import Decline, Declined, Ignoring, Request
from tables.timing import next_check

Decide: TypeAlias = Callable[[LoadedTable, datetime], Transition | None]
Refresh: TypeAlias = Callable[[LoadedTable], Awaitable[LoadedTable]]

CACHED: Final = 2_000
"""The most tables that are cached; one with two people takes about 7 KB."""
MOST_SETTINGS: Final = 10_000
"""The most servers whose settings are cached."""
MOST_PREFERENCES: Final = 20_000  # of a person in a server each
KNOWN: Final = 4
"""How many times as many tables have their servers remembered; any other table is searched for in all servers."""
_TRIES: Final = 4
_log = structlog.get_logger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


def uncancellable(doing: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A decorator: run to completion even if the caller is cancelled, then re-raise the cancellation."""

    # A commit cannot be undone, so the steps after it (caching and publishing the new table) must not be skipped.
    @wraps(doing)
    async def completed(*args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.ensure_future(doing(*args, **kwargs))
        try:
            await asyncio.wait({task})  # `shield` would have Python 3.14 log what fails after a cancellation
            return task.result()
        except asyncio.CancelledError:
            while not task.done():  # the caller may be cancelled again
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({task})
            if not task.cancelled():
                _ = task.exception()  # retrieved, or asyncio would log that nobody did
            raise

    return completed


class Doorway:
    """A cache of tables, through which all changes go; each table is changed by one caller at a time.

    `peek` looks into the cache only, `get` reads a table that is not cached, `look` also checks the request's channel.
    Methods that read a table raise `Declined` with UNKNOWN_TABLE if there is none, and the errors of the store.
    """

    def __init__(
        self,
        store: Store,
        *,
        replay: Callable[[LoadedTable, StoredGame], LoadedTable],
        abort: Callable[[LoadedTable, datetime], Transition],
        now: Callable[[], datetime],
        serves: Callable[[int], bool],
        most: int,
    ) -> None:
        """Serve the tables of a store and cache at most `most` of them. `now` must return aware times.

        `serves` says whether this process serves the server with an id.
        """
        self.store = store
        self.settings: LRUCache[int, GuildSettings] = LRUCache(MOST_SETTINGS)
        self.preferences: LRUCache[tuple[int, int], Preferences] = LRUCache(MOST_PREFERENCES)  # by server and person
        self.now, self.serves = now, serves
        self._replay, self._abort = replay, abort
        self.listeners: list[Callable[[Changed], None]] = []
        self.closing = False
        self._tables: LRUCache[int, LoadedTable] = LRUCache(most)
        self._guilds: LRUCache[int, int] = LRUCache(KNOWN * most)  # the server of each table
        self.doubtful: LRUCache[int, Table | str] = LRUCache(KNOWN * most)  # tables before changes that may be stored
        # Weak references, so that a lock exists only while somebody holds it or waits for it.
        self._locks: WeakValueDictionary[tuple[str, int], asyncio.Lock] = WeakValueDictionary()

    def lock(self, what: Literal["table", "server"], id_: int) -> asyncio.Lock:
        """The lock for changing a table, or for opening one in a server, so that two at once cannot exceed a limit."""
        return self._locks.setdefault((what, id_), asyncio.Lock())

    # -- looking

    async def settings_of(self, guild_id: int) -> GuildSettings:
        """The settings of a server; the defaults if none are stored."""
        return await self.settings.fetch(guild_id, lambda: self.store.guilds.get(guild_id))

    def peek(self, table_id: int) -> LoadedTable | None:
        """The table if it is cached."""
        return self._tables.get(table_id)

    async def get(self, table_id: int, guild_id: int | None = None) -> LoadedTable:
        """The table, faster if its server is given. If it is cached, no lock is taken."""
        if (cached := self.peek(table_id)) is not None:
            return cached
        async with self.lock("table", table_id):
            return await self._load(table_id, guild_id)

    async def look(self, request: Request) -> LoadedTable:
        """The table of a request. A request from another channel than the table's is declined."""
        loaded = await self.get(request.table_id, request.guild_id)
        if not loaded.is_at(request):
            raise Declined(Decline.UNKNOWN_TABLE)
        return loaded

    async def _load(self, table_id: int, guild_id: int | None = None) -> LoadedTable:
        """The table, from the cache or from the store; published if a doubtful change was stored. Hold its lock."""
        loaded = self.peek(table_id) or await self._read(table_id, guild_id or self._guilds.get(table_id))
        if loaded is None:
            raise Declined(Decline.UNKNOWN_TABLE)
        if (self.doubtful.get(table_id) or loaded.table) != loaded.table:
            self.publish(loaded, bottom=loaded.table.lacks_thread)  # nobody else opens its thread now
        self._keep(loaded)
        return loaded

    async def _read(self, table_id: int, guild_id: int | None) -> LoadedTable | None:
        try:
            if (stored := await self.store.games.with_table(table_id, guild_id)) is None:
                return None
            table, game = stored.table, stored.game
            debt = await self.store.tea.of_game(table, table.game) if table.status == "over" else None
        except ValueError as error:
            _log.error("a stored table cannot be read", table=table_id, error=type(error).__name__)
            return None
        loaded = LoadedTable(table, GuildSettings(guild_id=table.guild_id), stored.secret)
        try:
            if isinstance(game, ValueError):  # the error of a stored game that cannot even be read
                raise game
            if game is not None:
                loaded = await asyncio.to_thread(self._replay, loaded, game)  # of thousands of moves it takes long
        except (ValueError, DamagedGameError) as error:
            # Without a game a table can be neither played nor replayed; it can be stopped, and its clock aborts it.
            _log.error("a game cannot be replayed", table=table.id, game=table.game, error=name_of(error))
        return loaded.but(debt=debt, settings=await self.settings_of(table.guild_id))  # last, lest they grow old

    async def close_damaged(self, guild_id: int, table_id: int) -> bool:
        """Close a table in use that cannot be read, because nobody could ever end it; False if it can be read."""
        with Ignoring(Decline.UNKNOWN_TABLE):
            await self.get(table_id, guild_id)
            return False
        await self.store.tables.close_unread(guild_id, table_id)
        return True

    def _keep(self, loaded: LoadedTable) -> None:
        self._tables.put(loaded.table.id, loaded)
        self.doubtful.drop(loaded.table.id)
        self.learn(loaded.table.guild_id, loaded.table.id)

    def learn(self, guild_id: int, table_id: int) -> None:
        """Remember the server of a table, so that the table is found without searching all servers.

        Both ids must come from the store, not from a button, which can be forged.
        """
        self._guilds.put(table_id, guild_id)

    # -- changing

    def require_not_closing(self) -> None:
        """Decline if the bot is closing."""
        if self.closing:
            raise Declined(Decline.CLOSING)

    async def change(self, request: Request, decide: Decide) -> LoadedTable:
        """Make the change that a person requests; return the table, unchanged if `decide` returns None.

        A request that was applied before changes nothing and returns the table as it is now. Raises what `decide` does.
        Declined: CLOSING; UNKNOWN_TABLE if the table is not in the channel of the request.
        """
        self.require_not_closing()
        return await self.change_table(request.table_id, decide, request) or await self.look(request)

    async def abort(self, guild_id: int, table_id: int) -> None:
        """End a table without a result, if it is in use and can be read: its channel or its server is gone."""
        self.learn(guild_id, table_id)
        with Ignoring(Decline.UNKNOWN_TABLE):
            await self.change_table(table_id, lambda old, now: self._abort(old, now) if old.table.is_open else None)

    async def change_table(self, table_id: int, decide: Decide, request: Request | None = None) -> LoadedTable | None:
        """Change a table; None if `decide` returns None. Without `request` nobody asks for it, as when time is up."""
        # Within this process the lock keeps others from changing the table between loading and storing. Between
        # processes the revision does: the store rejects a change of an older one, and the slower process tries again.
        for _ in range(_TRIES):
            async with self.lock("table", table_id):
                loaded = await self._load(table_id, request.guild_id if request else None)
                if request is not None and not loaded.is_at(request):
                    raise Declined(Decline.UNKNOWN_TABLE)
                now = self.now()
                transition = await self._decided(loaded, now, decide, request)
                if transition is None:
                    return None
                after = await self._committed(transition.change_of(loaded, now, request), transition, request)
            if after is not None:
                return after
        raise Declined(Decline.SAVING_FAILED)

    async def _decided(
        self, loaded: LoadedTable, now: datetime, decide: Decide, request: Request | None
    ) -> Transition | None:
        try:
            return decide(loaded, now)
        except (Declined, IllegalMove) as refused:
            # A redelivered click may look illegal because it already succeeded. One that still looks legal need not be
            # looked up: storing it raises DoubledError.
            if request is not None and await self.was_applied(request):
                return None
            if isinstance(refused, Declined) and refused.snapshot is None:
                refused.snapshot = loaded.snapshot()
            raise
        except NotConservedError:
            _log.exception("cards were lost or duplicated, the game is aborted", table=loaded.table.id)
            return self._abort(loaded, now)

    async def was_applied(self, request: Request) -> bool:
        """Whether a request has changed anything; False if the store does not answer."""
        try:
            return await self.store.clicks.was_applied(request.guild_id, request.id)
        except UnavailableError:
            return False

    @uncancellable
    async def _committed(self, change: Change, transition: Transition, request: Request | None) -> LoadedTable | None:
        """Store a change, publish the table and return it; None after a conflict, when the caller must try again."""
        before = change.before
        self.doubtful.put(before.id, before)
        try:
            debt = await self.store.tables.save(change)
            after = transition.after.but(debt=debt) if debt else transition.after
        except ConflictError:
            self._tables.drop(before.id)
            return None
        except ChannelTakenError:
            other = await self.store.tables.in_channel(before.guild_id, before.channel_id, in_use=True)
            raise Declined(Decline.TABLE_IN_CHANNEL, (await self._load(before.id)).snapshot(), other) from None
        except BaseException as error:
            # Only the database knows whether it was committed: the connection may have broken before the answer came.
            # So the table is dropped, and `_load` reads what is stored, and publishes it if it has changed. Clicks that
            # are stored are recognized by their ids, also those that Discord redelivers.
            self._tables.drop(before.id)
            is_stored = isinstance(error, UnavailableError) and request is not None and await self.was_applied(request)
            if not is_stored and not isinstance(error, DoubledError):
                raise
            return await self._load(before.id)
        self.adopt(after)
        return after

    def adopt(self, loaded: LoadedTable) -> None:
        """Cache the newest state of a table and notify the listeners."""
        self._keep(loaded)
        self.publish(loaded)

    def publish(self, loaded: LoadedTable, *, bottom: bool = False, news: bool = True, reader: Reader = None) -> None:
        """Notify all listeners. `bottom` asks for a new public message; without `news` it shows all already."""
        due = loaded.due()
        check_at = next_check(loaded.table, loaded.settings.nudge_seconds if loaded.table.present else 0)
        changed = Changed(loaded.table, due[1] if due else None, check_at, bottom, news, reader)
        for listener in self.listeners:
            try:
                listener(changed)
            except Exception:  # noqa: BLE001 - the change is stored, so it counts, and the others must hear of it
                _log.exception("a listener failed", table=loaded.table.id)

    async def redraw(self, found: Iterable[tuple[int, int]], reader: Reader = None, *, news: bool = True) -> None:
        """Publish these tables, given as (server, table), as they are, for a `reader`; skip those that are damaged."""
        for guild_id, table_id in found:
            try:
                self.publish(await self.get(table_id, guild_id), news=news, reader=reader)
            except (Declined, UnavailableError) as error:
                _log.warning("a table could not be read to be redrawn", table=table_id, why=str(error))

    # -- changes without a new revision

    async def refresh(self, table_id: int, refresh: Refresh) -> LoadedTable:
        """Replace a cached table by what `refresh` returns, with other message ids, settings, or state of its debt.

        `refresh` itself stores what must survive the process.
        """
        async with self.lock("table", table_id):
            return await self._refreshed(table_id, refresh)

    @uncancellable
    async def _refreshed(self, table_id: int, refresh: Refresh) -> LoadedTable:
        loaded = await refresh(await self._load(table_id))
        self._keep(loaded)
        return loaded

    async def place(self, table_id: int, **where: Unpack[Placement]) -> None:
        """Record where a table and its messages are, and when its public message was posted."""
        if is_posted(where.get("message_id")):
            where["placed_at"] = self.now()

        async def placed(loaded: LoadedTable) -> LoadedTable:
            await self.store.tables.place(loaded.table, **where)
            return loaded.but(table=loaded.table.but(**where))

        await self.refresh(table_id, placed)

    async def drop(self, table_id: int) -> bool:
        """Drop a table from the cache, so that it is read again when next needed; return whether it was cached."""
        async with self.lock("table", table_id):
            return self._tables.drop(table_id)

    def cached_tables(self, guild_id: int | None = None) -> list[Table]:
        """The tables that are cached, of all servers or of one."""
        tables = [loaded.table for loaded in map(self.peek, self._tables) if loaded]
        return [table for table in tables if guild_id in {None, table.guild_id}]
