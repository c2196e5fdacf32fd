"""Servers: their settings, their saved house rules, and what happens when the bot joins or leaves one.

Whether a person may change these is checked by the callers, from their permissions on Discord.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

from data.guild_models import HOUSE, LONGEST_NAME, GuildSettings, HouseRule
from data.models import Table
from game.variants import variants
from tables.doorway import Doorway, uncancellable
from tables.loaded import LoadedTable
from tables.lobby_changes import NamedRules, of_variant
from tables.snapshots import Decline, Declined, Ignoring, declines, declining

GUILD_KEPT: Final = timedelta(days=30)
"""How long a server's rows are kept after the bot has left it."""
CLICKS_KEPT: Final = timedelta(days=7)
"""How long the ids of applied clicks are kept."""
_log = structlog.get_logger(__name__)


@declining
class ServerService:
    """What belongs to a server. All methods raise `Declined` with SAVING_FAILED if the store does not answer.

    A table that cannot be read is skipped: it must not keep the others of its server from being redrawn or aborted.
    """

    def __init__(self, doorway: Doorway) -> None:
        self._doorway, self._serves, self._store = doorway, doorway.serves, doorway.store
        self.settings = declines(doorway.settings_of)
        self.house_rules = declines(doorway.store.house_rules.all)

    # -- settings

    @uncancellable
    async def choose(self, before: GuildSettings, after: GuildSettings) -> None:
        """Store the settings of a server where they differ from `before`, and redraw its tables in use."""
        guild_id = after.guild_id
        in_use = await self._store.tables.open_in(guild_id)  # asked first, as for the choices of a person
        try:
            await self._store.guilds.put(before, after)
        finally:  # after an error only the store knows what is valid
            self._doorway.settings.drop(guild_id)

        async def chosen(loaded: LoadedTable) -> LoadedTable:
            with Ignoring(Decline.SAVING_FAILED):
                return loaded.but(settings=await self.settings(guild_id))
            return loaded.but(settings=after)

        cached = [(await self._doorway.refresh(old.id, chosen)).table for old in self._doorway.cached_tables(guild_id)]
        shown = sorted({*in_use, *(each.id for each in cached if each.is_open)})  # some were opened meanwhile
        reader = None if after.polite == before.polite else "everybody"  # a hand says the name of the game, too
        await self._doorway.redraw([(guild_id, each) for each in shown], reader)

    # -- house rules

    async def house_rule(self, guild_id: int, called: str) -> HouseRule:
        """The saved house rules with this key (`house:3`) or else name, ignoring case. Declined: UNKNOWN_VARIANT."""
        wanted = called.strip().casefold()
        saved = await self.house_rules(guild_id)
        found = {rule.name.casefold(): rule for rule in saved} | {rule.key: rule for rule in saved}
        if wanted not in found:
            raise Declined(Decline.UNKNOWN_VARIANT)
        return found[wanted]

    async def find_rules(self, guild_id: int, called: str) -> NamedRules:
        """The rules of a variant, or of saved house rules. Declined: UNKNOWN_VARIANT."""
        if called in variants():
            return of_variant(called)
        saved = await self.house_rule(guild_id, called)
        return NamedRules(variant=saved.variant, rules=saved.rules, title=saved.name)

    async def save_house_rule(self, table: Table, name: str, user_id: int, *, replace: bool = False) -> HouseRule:
        """Save the rules of a table for its server; the caller has cleaned the `name`.

        Declined: BAD_NAME, NAME_TAKEN unless `replace` is given, TOO_MANY_HOUSE_RULES.
        """
        if not 1 <= len(name) <= LONGEST_NAME or name.casefold().startswith(HOUSE):  # the latter looks like a key
            raise Declined(Decline.BAD_NAME)
        draft = HouseRule(
            guild_id=table.guild_id,
            name=name,
            variant=table.variant,
            rules=table.rules,
            saved_by=user_id,
            saved_at=self._doorway.now(),
        )
        return await self._store.house_rules.save(draft, replace=replace)

    @uncancellable
    async def delete_house_rule(self, guild_id: int, rule_id: int) -> None:
        """Delete saved house rules. Tables with these rules keep them; a server with this default returns to classic.

        Declined: UNKNOWN_VARIANT.
        """
        try:
            deleted = await self._store.house_rules.delete(guild_id, rule_id)
        finally:
            self._doorway.settings.drop(guild_id)
        if not deleted:
            raise Declined(Decline.UNKNOWN_VARIANT)

    # -- coming and going

    async def joined(self, guild_id: int) -> None:
        """Record that the bot is in a server, perhaps again: its data are kept, and undrawn tables are drawn."""
        await self._store.guilds.set_left(guild_id, None)
        self._doorway.settings.drop(guild_id)
        await self._doorway.redraw([each for each in await self._store.tables.undrawn_ids() if each[0] == guild_id])

    async def removed(self, guild_id: int) -> None:
        """Record that the bot was removed from a server: abort its games; its data are deleted after `GUILD_KEPT`."""
        await self._store.guilds.set_left(guild_id, self._doorway.now())
        for table_id in await self._store.tables.open_in(guild_id):
            await self._doorway.abort(guild_id, table_id)

    async def catch_up(self, guild_of: Callable[[int], object]) -> bool:
        """Catch up with the servers that the bot has left or is back in; `guild_of` gives None for others.

        Returns whether an error of the program kept it from one of them.
        """
        has_failed = False
        in_use = {guild_id for guild_id, _ in await self._store.tables.open_ids()}
        known = await self._store.guilds.known()
        for guild_id in filter(self._serves, known):
            left_at, is_in = known[guild_id], guild_of(guild_id) is not None  # only now: it may have been invited since
            try:
                if is_in and left_at is not None:
                    await self.joined(guild_id)
                elif not is_in and (left_at is None or guild_id in in_use):  # perhaps not all were aborted
                    await self.removed(guild_id)
            except Declined:
                raise
            except Exception:  # noqa: BLE001 - the other servers must not wait for this one
                _log.exception("could not catch up with a server", guild=guild_id)
                has_failed = True
        return has_failed

    async def channel_gone(self, guild_id: int, channel_id: int) -> None:
        """Abort the game in a channel that was deleted."""
        if table_id := await self._store.tables.in_channel(guild_id, channel_id, in_use=True):
            await self._doorway.abort(guild_id, table_id)

    async def thread_gone(self, guild_id: int, thread_id: int) -> None:
        """Abort the game in a deleted thread. Draw its last table: that fails, and its announcement is deleted."""
        await self.channel_gone(guild_id, thread_id)
        last = await self._store.tables.in_channel(guild_id, thread_id)
        await self._doorway.redraw([] if last is None else [(guild_id, last)])

    async def upkeep(self, guild_of: Callable[[int], object] = lambda _guild_id: None) -> None:
        """Delete data of servers that the bot left and ids of clicks in time, and overwrite names of ended tables.

        Nothing is deleted of a server that `guild_of` finds, because the bot is in it.
        """
        self._doorway.settings.clear()  # also of other processes' servers, which digests name
        self._doorway.preferences.clear()  # of people, too, whom another process has forgotten
        now = self._doorway.now()
        for guild_id in filter(self._serves, await self._store.guilds.known(left_before=now - GUILD_KEPT)):
            # Only the process that serves the server may have it cached. It may also have invited the bot again by now.
            if guild_of(guild_id) is not None or not await self._store.guilds.forget(guild_id, now - GUILD_KEPT):
                continue
            for table in self._doorway.cached_tables(guild_id):
                await self._doorway.drop(table.id)
            _log.info("a server was forgotten", guild=guild_id)
        await self._store.clicks.forget(now - CLICKS_KEPT)
        await uncancellable(self._store.database.purge)()  # cancelled as it connects, it would leave a connection open
