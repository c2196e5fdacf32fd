"""Tables before the deal: open, join, leave, change settings. Leaving a running game is here too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Final, TypeAlias, Unpack

from data.errors import ChannelTakenError, DoubledError, UnavailableError
from data.guild_models import USUAL_VARIANT
from data.models import LevelName, Pace, Table, thread_of
from tables import lobby_changes
from tables.doorway import Decide, Doorway, uncancellable
from tables.gameplay import carried_out, decide_leave, new_secret
from tables.loaded import LoadedTable, Transition, seal_of
from tables.lobby_changes import Edit, NamedRules, Wishes
from tables.rematch import answered, decide_say_no
from tables.snapshots import Decline, Declined, Ignoring, Request, TableSnapshot, declining

FindRules: TypeAlias = Callable[[int, str], Awaitable[NamedRules]]
MOST_IN_GUILD: Final = 25
"""How many tables may be open in a server at once."""
MOST_OF_HOST: Final = 3
"""How many tables of one host may be open in a server at once."""
MOST_UNFINISHED: Final = 5
"""How many tables a host may open in a server, and close without a result, within `UNFINISHED_WITHIN`."""
UNFINISHED_WITHIN: Final = timedelta(minutes=10)
REMOVED_FOR: Final = timedelta(minutes=10)
"""How long a person whom the host removed has to wait before they may sit down again."""


@declining
class LobbyService:
    """Tables before the deal.

    All methods raise `Declined` with UNKNOWN_TABLE if the table is not in the channel of the request or not in use,
    NOT_A_LOBBY if the cards are dealt, CLOSING and SAVING_FAILED. The docstring of each method lists its other reasons.
    """

    def __init__(self, doorway: Doorway, find_rules: FindRules, randomness: Random) -> None:
        """`find_rules` finds rules by name: those of a variant, or house rules that the server saved."""
        self._doorway, self._find_rules, self._randomness = doorway, find_rules, randomness

    async def open(
        self,
        request: Request,
        *,
        variant: str | None = None,
        pace: Pace = "normal",
        seats: int | None = None,
        forfeit: str = "",
        computers: LevelName | None = None,
        thread: bool = False,
    ) -> TableSnapshot:
        """Open a table in the channel of the request, with the person as host and first player.

        Its id is the request's. `variant` may also be saved house rules, by key or name; None is the server's default.
        `computers` is the level of the computers that are seated, as many as it takes to start. With `thread` the table
        waits until a thread is opened in that channel (`Timekeeping.threaded`) or cannot be (`remove_unopened`).

        Declined: TABLE_IN_CHANNEL, REMOVED from the table there, TOO_MANY_TABLES, SERVER_FULL, TOO_OFTEN,
        UNKNOWN_VARIANT, NO_ROOM_IN_PACK, CLASHING_RULES, TOO_FEW_SEATS.
        """
        self._doorway.require_not_closing()
        settings = await self._doorway.settings_of(request.guild_id)
        secret = new_secret(self._randomness)
        named = await self._rules_or_usual(request.guild_id, settings.variant, variant)
        table = lobby_changes.new_table(request, named, pace, seats, forfeit, self._doorway.now())
        if computers:
            table = lobby_changes.with_computers(table, request, computers)
        if thread:
            table = table.but(channel_id=thread_of(table.id), parent_id=request.channel_id)
        return await self._opened(LoadedTable(table.but(seal=seal_of(secret)), settings, secret))

    async def _rules_or_usual(self, guild_id: int, default: str, wanted: str | None) -> NamedRules:
        """The wanted rules, or the server's default; if that no longer exists, those of the classic game."""
        if wanted is not None:
            return await self._find_rules(guild_id, wanted)
        with Ignoring(Decline.UNKNOWN_VARIANT):
            return await self._find_rules(guild_id, default)
        return await self._find_rules(guild_id, USUAL_VARIANT)

    @uncancellable
    async def _opened(self, loaded: LoadedTable) -> TableSnapshot:
        store, table = self._doorway.store, loaded.table
        try:
            async with self._doorway.lock("server", table.guild_id):
                await self._require_room(table)
                self._doorway.doubtful.put(table.id, "not there yet")
                opening = store.tables.open(table, loaded.secret, table.id)
                await store.clicks.confirm(opening, table.guild_id, table.id, unsaid=None)
        except DoubledError:
            return (await self._doorway.get(table.id, table.guild_id)).snapshot()
        except ChannelTakenError:
            other = await store.tables.in_channel(table.guild_id, table.channel_id, in_use=True)
            if other == table.id:
                return (await self._doorway.get(table.id)).snapshot()
            if there := self._doorway.peek(other or 0):
                there.require_welcome(table.host_id, self._doorway.now())
            raise Declined(Decline.TABLE_IN_CHANNEL, table_id=other) from None
        except UnavailableError:  # the clock will read whether it is there, once a commit that is late has come through
            table = table.but(deadline=self._doorway.now() + timedelta(minutes=1))
            self._doorway.publish(loaded.but(table=table), news=False)
            raise
        with suppress(UnavailableError):  # the table is there nevertheless
            loaded = loaded.but(settings=await self._doorway.settings_of(table.guild_id))  # chosen meanwhile
        self._doorway.adopt(loaded)  # without the table's lock: nobody knows of it before this
        return loaded.snapshot()

    async def _require_room(self, table: Table) -> None:
        store = self._doorway.store
        other = await store.tables.in_channel(table.guild_id, table.channel_id, in_use=True)
        if other is not None and not await self._doorway.close_damaged(table.guild_id, other):
            raise ChannelTakenError
        await self.require_few(table.guild_id, table.host_id)
        if await store.tables.count_unfinished(table, UNFINISHED_WITHIN) >= MOST_UNFINISHED:
            raise Declined(Decline.TOO_OFTEN)

    async def require_few(self, guild_id: int, host_id: int) -> None:
        """Decline one more table if the host, or the server, has too many in use.

        Declined: TOO_MANY_TABLES of the host; SERVER_FULL.
        """
        limits = (MOST_OF_HOST, host_id, Decline.TOO_MANY_TABLES), (MOST_IN_GUILD, None, Decline.SERVER_FULL)
        for most, whose, why in limits:
            open_ids = await self._doorway.store.tables.open_in(guild_id, whose)
            if len(open_ids) >= most:
                raise Declined(why, table_id=open_ids[0])

    async def _change(self, request: Request, wanted: Callable[[Table, datetime], Table]) -> TableSnapshot:
        return await self._after(request, lambda loaded, now: Transition(loaded.but(table=wanted(loaded.table, now))))

    async def _after(self, request: Request, decide: Decide) -> TableSnapshot:
        return (await self._doorway.change(request, decide)).snapshot()

    async def join(self, request: Request) -> TableSnapshot:
        """Sit down; deals if the table waits for nobody else. Declined: TABLE_FULL, ALREADY_SEATED, REMOVED."""

        def decide(loaded: LoadedTable, now: datetime) -> Transition | None:
            loaded.require_welcome(request.user.id, now)
            table = lobby_changes.seat_person(loaded.table, request, now)
            return carried_out(answered(loaded.but(table=table), self._randomness), now)

        return await self._after(request, decide)

    async def say_no(self, request: Request) -> TableSnapshot:
        """Say no to a rematch; deals if the table waits for nobody else. Somebody who is in leaves.

        Saying no again changes nothing. Declined: NOT_SEATED if not asked, ALREADY_SEATED if no other is in, REMOVED.
        """
        return await self._after(
            request, lambda loaded, now: carried_out(decide_say_no(loaded, request, now, self._randomness), now)
        )

    async def add_computer(self, request: Request, level: LevelName | None = None) -> TableSnapshot:
        """Seat a computer player (host only). Declined: NOT_HOST, TABLE_FULL."""
        return await self._change(request, lambda table, now: lobby_changes.seat_computer(table, request, level, now))

    async def add_computers(self, request: Request, level: LevelName | None) -> TableSnapshot:
        """Seat as many computer players as it takes to start, at least one (host only). Declined: as `add_computer`."""

        def seat(table: Table, now: datetime) -> Table:
            with_one = lobby_changes.seat_computer(table, request, level, now)
            return lobby_changes.with_computers(with_one, request, level)

        return await self._change(request, seat)

    async def remove_computer(self, request: Request) -> TableSnapshot:
        """Remove the last computer player (host only). Declined: NOT_HOST, NO_COMPUTER."""
        return await self._change(request, lambda table, now: lobby_changes.unseat_computer(table, request, now))

    async def remove_person(self, request: Request, target_id: int) -> TableSnapshot:
        """Remove another person (host only); they cannot return for `REMOVED_FOR`, or until the table is read again.

        Declined: NOT_HOST, ALREADY_SO if they left.
        """

        def decide(loaded: LoadedTable, now: datetime) -> Transition:
            table = lobby_changes.unseat_other(loaded.table, request, target_id, now)
            return Transition(loaded.but(table=table, removed={**loaded.removed, target_id: now + REMOVED_FOR}))

        return await self._after(request, decide)

    async def change(self, request: Request, **wishes: Unpack[Wishes]) -> TableSnapshot:
        """Change the settings that are given (host only). `rules` are house rules with all their options.

        `variant` may also be saved house rules, by key or name, unless `rules` come with it.

        Declined: NOT_HOST, UNKNOWN_VARIANT, NO_ROOM_IN_PACK, CLASHING_RULES, TOO_FEW_SEATS, NO_SHITHEAD.
        """
        if "variant" in wishes and "rules" not in wishes:
            wishes = {**wishes, **await self._find_rules(request.guild_id, wishes["variant"])}
        return await self._change(request, lambda table, now: lobby_changes.with_wishes(table, request, wishes, now))

    async def edit_rules(self, request: Request, edit: Edit) -> TableSnapshot:
        """Change the rules as they are now (host only), so that two changes at once are both made.

        Declined: as `change`.
        """
        return await self._change(
            request, lambda table, now: lobby_changes.with_wishes(table, request, {"rules": edit(table.rules)}, now)
        )

    async def leave(self, request: Request) -> TableSnapshot:
        """Leave. In a lobby the seat becomes free; in a game the computer plays on, and a loss still counts.

        Between the games of a match, the next one is dealt without this person. If the host leaves, another person
        becomes host. When the last person leaves, a lobby closes and a game is aborted.

        Declined: NOT_SEATED.
        """
        return await self._after(request, lambda loaded, now: decide_leave(loaded, request, now, self._randomness))
