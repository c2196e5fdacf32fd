"""The doorway before the deal: open, join, leave, what the host sets. What leaving means in a game is here too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Final, Literal

from data.errors import ChannelTakenError, DoubledError, UnavailableError
from data.models import Change, Match, Pace, Person, Player, Table
from game.rules import Rules
from tables.doorway import to_the_end
from tables.houses import Houses
from tables.loaded import LoadedTable, Transition
from tables.lobby import (
    Wishes,
    clean_forfeit,
    first_of_pair,
    following,
    granted,
    seat_computer,
    seat_person,
    seats_for,
    unseat,
    unseat_computer,
    unseat_other,
)
from tables.match import is_between_games
from tables.progress import ended
from tables.randomness import seal_of
from tables.snapshots import Decline, Declined, TableSnapshot
from tables.timing import LOBBY

MOST_IN_GUILD: Final = 25
"""How many tables may be open in a server."""
MOST_OF_HOST: Final = 3
"""How many tables of one host may be open in a server."""


class Lobbies(Houses):
    """Tables before the deal."""

    async def open(  # noqa: PLR0913 - one keyword for each thing a host may set
        self,
        guild_id: int,
        channel_id: int,
        host: Person,
        *,
        variant: str = "classic",
        pace: Pace = "normal",
        seats: int | None = None,
        forfeit: str = "",
        interaction_id: int,
    ) -> TableSnapshot:
        """Open a table in a channel; the host is seated.

        Raises:
            Declined: a table is open there, too many are open, variant, seats or forfeit cannot be, saving failed.
        """
        if self.closing:
            raise Declined(Decline.CLOSING)
        await self.settings(guild_id)
        named, secret, now = await self.named(guild_id, variant), self._randomness.secret(), self._now()
        where = {"id": interaction_id, "guild_id": guild_id, "channel_id": channel_id, "host_id": host.id}
        what = {"variant": named.variant, "title": named.title, "rules": named.rules, "pace": pace}
        what |= first_of_pair(named.variant, named.rules, named.title)
        chosen = {"seats": seats_for(named.rules, seats), "forfeit": clean_forfeit(forfeit), "seal": seal_of(secret)}
        players = (Player(user_id=host.id, name=host.name, joined_by=interaction_id),)
        times = {"players": players, "created_at": now, "deadline": now + LOBBY}
        return await to_the_end(self._opened(Table.model_validate({**where, **what, **chosen, **times}), secret))

    async def _opened(self, table: Table, secret: str) -> TableSnapshot:
        try:
            async with self._cache.lock(-table.guild_id):  # of two who open at once one may be too many
                await self._require_room(table)
                await self._store.tables.open(table, secret, table.id)
        except DoubledError:
            return await self.snapshot(table.id)
        except ChannelTakenError:
            other = await self._store.tables.in_channel(table.guild_id, table.channel_id)
            if other == table.id:
                return await self.snapshot(table.id)
            raise Declined(Decline.TABLE_IN_CHANNEL, table_id=other) from None
        except UnavailableError:
            raise Declined(Decline.SAVING_FAILED) from None
        loaded = LoadedTable(table, secret)
        self._cache.keep(loaded)
        self._publish(loaded)
        return loaded.snapshot()

    async def _require_room(self, table: Table) -> None:
        other = await self._store.tables.in_channel(table.guild_id, table.channel_id)
        found = None if other is None else await self._store.tables.get(other, table.guild_id)
        if found is not None and found.is_open:
            raise ChannelTakenError
        for most, host_id in ((MOST_OF_HOST, table.host_id), (MOST_IN_GUILD, None)):
            there = await self._store.tables.open_in(table.guild_id, host_id)
            if len(there) >= most:
                raise Declined(Decline.TOO_MANY_TABLES, table_id=there[0])

    async def _in_lobby(
        self, table_id: int, interaction_id: int, wanted: Callable[[Table, datetime], Table]
    ) -> TableSnapshot:
        def decide(loaded: LoadedTable) -> Transition:
            now = self._now()
            after = wanted(loaded.table, now)
            change = Change(before=loaded.table, after=after, at=now, interaction_id=interaction_id)
            return Transition(replace(loaded, table=after), change)

        return (await self._change(table_id, interaction_id, decide)).snapshot()

    async def join(self, table_id: int, person: Person, *, interaction_id: int) -> TableSnapshot:
        """Sit down.

        Raises:
            Declined: no such lobby, no seat free, seated already, saving failed.
        """
        return await self._in_lobby(
            table_id, interaction_id, lambda table, now: seat_person(table, person, interaction_id, now)
        )

    async def add_computer(self, table_id: int, user_id: int, *, interaction_id: int) -> TableSnapshot:
        """Seat a computer player; for the host.

        Raises:
            Declined: no such lobby, not the host, no seat free, saving failed.
        """
        return await self._in_lobby(
            table_id, interaction_id, lambda table, now: seat_computer(table, user_id, interaction_id, now)
        )

    async def remove_computer(self, table_id: int, user_id: int, *, interaction_id: int) -> TableSnapshot:
        """Send the last computer player away; for the host.

        Raises:
            Declined: no such lobby, not the host, no computer there, saving failed.
        """
        return await self._in_lobby(table_id, interaction_id, lambda table, now: unseat_computer(table, user_id, now))

    async def kick(self, table_id: int, user_id: int, target_id: int, *, interaction_id: int) -> TableSnapshot:
        """Take somebody's seat away; for the host.

        Raises:
            Declined: no such lobby, not the host, nobody of this id there, saving failed.
        """
        return await self._in_lobby(
            table_id, interaction_id, lambda table, now: unseat_other(table, user_id, target_id, now)
        )

    async def change(  # noqa: PLR0913 - one keyword for each thing a host may set
        self,
        table_id: int,
        user_id: int,
        *,
        interaction_id: int,
        variant: str | None = None,
        rules: Rules | None = None,
        pace: Pace | None = None,
        stretch: Literal[1, 2, 4] | None = None,
        seats: int | None = None,
        forfeit: str | None = None,
        match: Match | Literal["single"] | None = None,
    ) -> TableSnapshot:
        """Set what is given; for the host. `rules` are house rules, that is the full options.

        `variant` may also be saved house rules, by key or name, unless `rules` come with it.

        Raises:
            Declined: no such lobby, not the host, what is wanted cannot be, saving failed.
        """
        wishes = Wishes(variant, rules, pace, stretch, seats, forfeit, match)
        if variant is not None and rules is None:
            named = await self.named((await self.snapshot(table_id)).table.guild_id, variant)
            wishes = replace(wishes, variant=named.variant, rules=named.rules, title=named.title)
        return await self._in_lobby(table_id, interaction_id, lambda table, now: granted(table, user_id, wishes, now))

    async def leave(self, table_id: int, user_id: int, *, interaction_id: int) -> TableSnapshot:
        """Get up. In a lobby the seat is free again; in a game the computer plays on and a loss still counts.

        Between the games of a match the next one is dealt without you. The host passes on. A lobby closes without its
        last person, a game is aborted.

        Raises:
            Declined: no such table in use, not seated there, saving failed.
        """

        def decide(loaded: LoadedTable) -> Transition:
            now = self._now()
            if loaded.table.status != "playing" and not is_between_games(loaded.table):
                after = unseat(loaded.table, user_id, now)
                change = Change(before=loaded.table, after=after, at=now, interaction_id=interaction_id)
                return Transition(replace(loaded, table=after), change)
            return self._left_game(loaded, user_id, now, interaction_id)

        return (await self._change(table_id, interaction_id, decide)).snapshot()

    def _left_game(self, loaded: LoadedTable, user_id: int, now: datetime, interaction_id: int) -> Transition:
        table = loaded.table
        seat = table.seat_of(user_id)
        if seat is None:
            raise Declined(Decline.NOT_SEATED)
        players = list(table.players)
        players[seat] = players[seat].model_copy(update={"left": True, "away": False})
        people = [player.user_id for player in players if player.user_id is not None and not player.left]
        host = table.host_id if table.host_id in people else (people or [table.host_id])[0]
        votes = tuple(voter for voter in table.stop_votes if voter != user_id)
        after = following(table, now, players=tuple(players), host_id=host, stop_votes=votes)
        secret, sealed = loaded.secret, None
        if not people and table.is_open:
            after, secret = ended(after, now, loaded.secret, self._randomness, status="aborted")
            sealed = secret
        change = Change(before=table, after=after, at=now, interaction_id=interaction_id, sealed=sealed)
        return Transition(replace(loaded, table=after, secret=secret), change)
