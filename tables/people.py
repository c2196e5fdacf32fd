"""The doorway for what belongs to a person: choices, statistics, everything stored of them, being forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import structlog

from data.models import Person, Preferences
from tables.asking import asking
from tables.doorway import Doorway
from tables.history import Rank, Score
from tables.loaded import LoadedTable, Transition
from tables.scoring import feats_of, ranked, score_of
from tables.snapshots import Declined

GUILD_KEPT: Final = timedelta(days=30)
"""How long a server's rows are kept after the bot has left it."""
CLICKS_KEPT: Final = timedelta(days=7)
"""How long it is remembered which clicks were applied."""
MOST_COUNTED: Final = 60
"""How many games are replayed for one question."""
_PREFERENCES: Final = 20_000
_log = structlog.get_logger(__name__)


class People(Doorway):
    """What people chose, did and may take back."""

    async def preferences(self, guild_id: int, user_id: int) -> Preferences:
        """What a person chose in a server.

        Raises:
            Declined: the store does not answer.
        """
        found = self._preferences.get((guild_id, user_id))
        if found is None:
            with asking():
                found = await self._store.people.get(guild_id, user_id)
            self._remember_choice(found)
        return found

    async def set_preferences(self, chosen: Preferences) -> None:
        """Store what a person chose.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            await self._store.people.put(chosen)
        self._remember_choice(chosen)

    def _remember_choice(self, chosen: Preferences) -> None:
        self._preferences[chosen.guild_id, chosen.user_id] = chosen
        while len(self._preferences) > _PREFERENCES:
            self._preferences.popitem(last=False)

    async def introduce(self, table_id: int, person: Person) -> None:
        """Give a seat its name back: it is forgotten with the end of a game, and a rematch may come after a restart.

        Raises:
            Declined: there is no such table, or saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition | None:
            table, seat = loaded.table, loaded.table.seat_of(person.id)
            if not table.is_open or seat is None or table.players[seat].name:
                return None
            named = table.players[seat].model_copy(update={"name": person.name})
            players = (*table.players[:seat], named, *table.players[seat + 1 :])
            return self._noted(loaded, self._now(), players=players)

        if decide(await self._get(table_id)) is not None:
            await self._change(table_id, None, decide)

    async def redraw(self, guild_id: int) -> None:
        """Have the public messages of a server's tables in use drawn anew: what the server chose is different now.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            found = await self._store.tables.open_ids()
        for table_id in (table_id for guild, table_id in found if guild == guild_id):
            self._cache.learn(table_id, guild_id)
            self._publish(await self._get(table_id))

    async def score(self, guild_id: int, user_id: int) -> Score | None:
        """A person's statistics in a server; None for somebody who wants none.

        Raises:
            Declined: the store does not answer.
        """
        if (await self.preferences(guild_id, user_id)).uncounted:
            return None
        with asking():
            for table_id, game in await self._store.scores.unfeated(guild_id, user_id, MOST_COUNTED):
                past = await self._store.past.get(guild_id, table_id, game)
                if past is not None:
                    counted = await asyncio.to_thread(feats_of, past)
                    await self._store.scores.put_feats(guild_id, table_id, game, counted)
            return score_of(await self._store.scores.played(guild_id, user_id))

    async def leaderboard(self, guild_id: int) -> list[Rank]:
        """Everybody of a server who wants to be counted; who loses least comes first.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return ranked(await self._store.scores.standings(guild_id))

    async def stored(self, user_id: int) -> Mapping[int, Mapping[str, list[dict[str, Any]]]]:
        """Everything that is stored of a person, by server.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            return await self._store.people.stored(user_id)

    async def forget_person(self, user_id: int) -> bool:
        """Put a former player in the place of a person, everywhere. False, and nothing is done, in a game.

        Raises:
            Declined: the store does not answer.
        """
        with asking():
            changed = await self._store.people.forget(user_id)
        if changed is None:
            return False
        for guild_id, user in [key for key in self._preferences if key[1] == user_id]:
            del self._preferences[guild_id, user]
        for guild_id, table_id in changed:
            await self._read_again(guild_id, table_id)
        return True

    async def _read_again(self, guild_id: int, table_id: int) -> None:
        """Forget the copy of an ended table; a message that was drawn from it is drawn anew, without the name."""
        self._cache.learn(table_id, guild_id)
        async with self._cache.lock(table_id):
            if self._cache.peek(table_id) is None:
                return
            self._cache.drop(table_id)
            try:
                self._publish(await self._cache.load(table_id))
            except Declined as declined:
                _log.warning("a table could not be read again", table=table_id, why=declined.why.value)

    async def upkeep(self) -> None:
        """Delete what has been kept long enough: servers that the bot left, ids of clicks.

        Raises:
            Declined: the store does not answer.
        """
        now = self._now()
        with asking():
            for guild_id in await self._store.guilds.left_before(now - GUILD_KEPT):
                await self._store.guilds.forget(guild_id)
                self._cache.forget_guild(guild_id)
                self._settings.pop(guild_id, None)
                _log.info("a server was forgotten", guild=guild_id)
            await self._store.guilds.forget_clicks(now - CLICKS_KEPT)
