"""The way in that all changes of a table take: lock, load, decide, commit, publish. Knows no rule and no Discord.

What to do is handed in as a function of the table as it is; it changes nothing, so that it can be asked again when
another process was faster.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, TypeAlias, TypeVar

import structlog

from data.errors import ChannelTakenError, ConflictError, DoubledError, UnavailableError
from data.models import Change, GuildSettings, Preferences, Table
from data.store import Store
from game.moves import IllegalMove
from tables.asking import asking
from tables.cache import CACHED, TableCache
from tables.loaded import Changed, LoadedTable, Transition
from tables.progress import NotConservedError, ended
from tables.randomness import Randomness, RealRandomness
from tables.snapshots import Decline, Declined, TableSnapshot
from tables.timing import next_look

Decide: TypeAlias = Callable[[LoadedTable], Transition | None]
Listener: TypeAlias = Callable[[Changed], None]
T = TypeVar("T")

_TRIES: Final = 4
_SETTINGS: Final = 10_000
_log = structlog.get_logger(__name__)


def real_now() -> datetime:
    """The time of this machine, in UTC."""
    return datetime.now(UTC)


async def to_the_end(doing: Coroutine[Any, Any, T]) -> T:
    """Do something that is not broken off halfway: whoever is cancelled meanwhile is so when it is done."""
    task = asyncio.ensure_future(doing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


class Doorway:
    """Tables held and changed one at a time each; the base of `tables.Tables`."""

    def __init__(
        self,
        store: Store,
        *,
        randomness: Randomness | None = None,
        now: Callable[[], datetime] = real_now,
        cached: int = CACHED,
        serves: Callable[[int], bool] = lambda _guild_id: True,
    ) -> None:
        """Serve the tables of a store. `now` must give aware times; `serves` says which servers are this process's."""
        self._store = store
        self._randomness = randomness or RealRandomness()
        self._now = now
        self._serves = serves
        self._cache = TableCache(store, cached)
        self._settings: OrderedDict[int, GuildSettings] = OrderedDict()
        self._preferences: OrderedDict[tuple[int, int], Preferences] = OrderedDict()
        self.listeners: list[Listener] = []
        self.closing = False

    @property
    def cached(self) -> int:
        """How many tables are held in memory."""
        return len(self._cache)

    async def _get(self, table_id: int) -> LoadedTable:
        loaded = self._cache.peek(table_id)
        if loaded is not None:
            return loaded
        async with self._cache.lock(table_id):
            return await self._cache.load(table_id)

    async def _change(self, table_id: int, interaction_id: int | None, decide: Decide) -> LoadedTable:
        """The table after what `decide` wants was stored; unchanged where it wants nothing.

        Raises:
            Declined: `decide` does, or the change could not be stored.
            IllegalMove: `decide` does.
        """
        if self.closing and interaction_id is not None:
            raise Declined(Decline.CLOSING)
        for _ in range(_TRIES):
            async with self._cache.lock(table_id):
                loaded = await self._cache.load(table_id)
                await self.settings(loaded.table.guild_id)
                step = await self._decided(loaded, interaction_id, decide)
                if step is None:
                    return loaded
                after = await to_the_end(self._committed(step))
            if after is not None:
                return after
        raise Declined(Decline.SAVING_FAILED)

    async def _decided(self, loaded: LoadedTable, interaction_id: int | None, decide: Decide) -> Transition | None:
        try:
            return decide(loaded)
        except (Declined, IllegalMove) as refused:
            # What was done already may look forbidden when it is delivered a second time.
            if interaction_id is not None and await self._was_applied(loaded.table, interaction_id):
                return None
            if isinstance(refused, Declined) and refused.snapshot is None:
                refused.snapshot = loaded.snapshot()
            raise
        except NotConservedError:
            _log.exception("cards were lost or doubled, the game is aborted", table=loaded.table.id)
            return self._aborting(loaded)

    async def _was_applied(self, table: Table, interaction_id: int) -> bool:
        try:
            return await self._store.tables.was_applied(table.guild_id, interaction_id)
        except UnavailableError:
            return False

    def _aborting(self, loaded: LoadedTable) -> Transition:
        now = self._now()
        counted = loaded.table.model_copy(update={"revision": loaded.table.revision + 1})
        table, secret = ended(counted, now, loaded.secret, self._randomness, status="aborted")
        change = Change(before=loaded.table, after=table, at=now, sealed=secret)
        return Transition(replace(loaded, table=table, secret=secret), change)

    async def _committed(self, step: Transition) -> LoadedTable | None:
        after = await self._stored(step)
        if after is not None:
            self._cache.keep(after)
            self._publish(after)
        return after

    async def _stored(self, step: Transition) -> LoadedTable | None:
        """The table once it is stored; None when the step has to be thought over on what is stored by now."""
        before = step.change.before
        try:
            await self._store.tables.save(step.change)
            return await self._with_debt(step)
        except ConflictError:
            self._cache.drop(before.id)
            return None
        except DoubledError:
            self._cache.drop(before.id)
            return await self._cache.load(before.id)
        except ChannelTakenError:
            other = await self._store.tables.in_channel(before.guild_id, before.channel_id)
            raise Declined(Decline.TABLE_IN_CHANNEL, step.loaded.snapshot(), other) from None
        except UnavailableError as error:
            self._cache.drop(before.id)  # whether the commit arrived is known to the database only
            _log.warning("a change could not be stored", table=before.id, error=str(error))
            raise Declined(Decline.SAVING_FAILED) from None
        except BaseException:
            self._cache.drop(before.id)
            raise

    async def _with_debt(self, step: Transition) -> LoadedTable:
        if step.change.debt is None:
            return step.loaded
        debt = await self._store.tea.of_game(step.loaded.table, step.loaded.table.game)
        return replace(step.loaded, debt=debt)

    def _publish(self, loaded: LoadedTable, *, bottom: bool = False) -> None:
        due = loaded.due()
        settings = self._settings.get(loaded.table.guild_id) or GuildSettings(guild_id=loaded.table.guild_id)
        look_at = next_look(loaded.table, settings.nudge_seconds if loaded.is_attended() else 0)
        changed = Changed(loaded.table, due[1] if due else None, look_at, bottom)
        for listener in self.listeners:
            listener(changed)

    def _noted(self, loaded: LoadedTable, now: datetime, **changes: object) -> Transition:
        """A change that makes no message old (no new revision), but has the public one drawn again."""
        table = loaded.table.model_copy(update=changes)
        return Transition(replace(loaded, table=table), Change(before=loaded.table, after=table, at=now))

    def paused(self, table_id: int) -> Table | None:
        """A table whose clock is stopped because it cannot be shown; None for others, as far as is known in memory."""
        loaded = self._cache.peek(table_id)
        return loaded.table if loaded is not None and loaded.table.paused else None

    async def snapshot(self, table_id: int) -> TableSnapshot:
        """The table as everybody may see it.

        Raises:
            Declined: there is no such table.
        """
        return (await self._get(table_id)).snapshot()

    async def settings(self, guild_id: int) -> GuildSettings:
        """What a server chose.

        Raises:
            Declined: the store does not answer.
        """
        found = self._settings.get(guild_id)
        if found is None:
            with asking():
                found = await self._store.guilds.get(guild_id)
            self._remember(found)
        return found

    async def set_settings(self, settings: GuildSettings) -> None:
        """Store what a server chose.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            await self._store.guilds.put(settings)
        self._remember(settings)

    def _remember(self, settings: GuildSettings) -> None:
        self._settings[settings.guild_id] = settings
        while len(self._settings) > _SETTINGS:
            self._settings.popitem(last=False)
