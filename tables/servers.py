"""The doorway for what happens to servers and channels, and for what the process itself must remember."""

from __future__ import annotations

from tables.asking import asking
from tables.doorway import Doorway
from tables.loaded import LoadedTable, Transition


class Servers(Doorway):
    """Servers that come and go."""

    async def joined(self, guild_id: int) -> None:
        """The bot is in a server, perhaps again: nothing of it is to be forgotten.

        Raises:
            Declined: saving failed.
        """
        settings = await self.settings(guild_id)
        if settings.left_at is not None:
            await self.set_settings(settings.model_copy(update={"left_at": None}))

    async def removed(self, guild_id: int) -> None:
        """The bot was removed from a server: its games are aborted, the time until it is forgotten begins.

        Raises:
            Declined: saving failed.
        """
        settings = await self.settings(guild_id)
        if settings.left_at is None:
            await self.set_settings(settings.model_copy(update={"left_at": self._now()}))
        for found, table_id in await self._open_ids():
            if found == guild_id:
                await self.abort(table_id)

    async def compare(self, present: set[int]) -> None:
        """Take every server that the bot is no longer in for left: it was removed while it was away.

        Raises:
            Declined: saving failed.
        """
        with asking():
            known = await self._store.guilds.known()
        for guild_id in known:
            if guild_id not in present and self._serves(guild_id):
                await self.removed(guild_id)

    async def channel_gone(self, guild_id: int, channel_id: int) -> None:
        """A channel was deleted: a game in it is aborted.

        Raises:
            Declined: saving failed.
        """
        with asking():
            table_id = await self._store.tables.in_channel(guild_id, channel_id)
        if table_id is not None:
            self._cache.learn(table_id, guild_id)
            await self.abort(table_id)

    async def abort(self, table_id: int) -> None:
        """End a table without a result: its channel or server is gone, or its cards are.

        Raises:
            Declined: there is no such table, or saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition | None:
            return self._aborting(loaded) if loaded.table.is_open else None

        await self._change(table_id, None, decide)

    async def _open_ids(self) -> tuple[tuple[int, int], ...]:
        with asking():
            found = await self._store.tables.open_ids()
        return self._ours(found)

    def _ours(self, found: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        """Those of some tables (server, id) that this process looks after."""
        mine = tuple((guild_id, table_id) for guild_id, table_id in found if self._serves(guild_id))
        for guild_id, table_id in mine:
            self._cache.learn(table_id, guild_id)
        return mine

    async def noted(self, name: str) -> str | None:
        """What the process noted under a name, None where it has not.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.notes.get(name)

    async def note(self, name: str, text: str) -> None:
        """Note something for the next process.

        Raises:
            Declined: saving failed.
        """
        with asking():
            await self._store.notes.put(name, text)
