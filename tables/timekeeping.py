"""What the clock and the painter ask: computer moves, time that is up, where messages are."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final

import structlog

from data.errors import UnavailableError
from data.models import Table
from tables.doorway import Decide, Doorway
from tables.game_changes import computer_turn, pause, put_off, thought_out, time_up, wake
from tables.gameplay import Randomness
from tables.snapshots import declining
from tables.thinking import Thinking, question_of

SEEDS: Final = 2**32
_log = structlog.get_logger(__name__)


@declining
class Timekeeping:
    """Tables as time passes and messages are drawn.

    All methods raise `Declined` with UNKNOWN_TABLE and SAVING_FAILED.
    """

    def __init__(
        self, doorway: Doorway, randomness: Randomness, thinking: Thinking | None, serves: Callable[[int], bool]
    ) -> None:
        """`serves` says which servers are this process's."""
        self._doorway, self._randomness, self._thinking, self._serves = doorway, randomness, thinking, serves

    # -- the clock

    async def open_tables(self) -> tuple[int, ...]:
        """The ids of all tables in use."""
        return self._ours(await self._doorway.store.tables.open_ids())

    def _ours(self, found: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
        """Filter tables (server, id) to those of servers that this process serves."""
        mine = [(guild_id, table_id) for guild_id, table_id in found if self._serves(guild_id)]
        for guild_id, table_id in mine:
            self._doorway.learn(guild_id, table_id)
        return tuple(table_id for _, table_id in mine)

    async def wake(self, table_id: int, *, least: timedelta) -> None:
        """Publish a table as it is; its deadline is at least so far away, as after a restart."""
        if not await self._change(table_id, lambda loaded, now: wake(loaded, least, now)):
            self._doorway.publish(await self._doorway.get(table_id))

    async def put_off(self, table_id: int, by: timedelta) -> None:
        """Extend the deadline of a table after an outage or clock jump."""
        await self._change(table_id, lambda loaded, _now: put_off(loaded, by))

    async def computer_turn(self, table_id: int) -> bool:
        """Make one move of a computer, or of a player who has left or is away; False where none is to be made."""
        chance = self._randomness
        question = question_of(await self._doorway.get(table_id))
        if question is None or self._thinking is None:
            return await self._change(table_id, lambda loaded, now: computer_turn(loaded, now, chance))
        # The table is not locked meanwhile: nobody's click waits for a computer.
        move = await self._thinking.choose(question, chance.randrange(SEEDS))
        return await self._change(table_id, lambda loaded, now: thought_out(loaded, question, move, now, chance))

    async def time_up(self, table_id: int) -> None:
        """Act on an expired deadline."""
        await self._change(table_id, lambda loaded, now: time_up(loaded, now, self._randomness))

    async def pause(self, table_id: int, *, paused: bool) -> None:
        """Stop the clock of a table that cannot be shown, or let it run again with a full turn."""
        await self._change(table_id, lambda loaded, now: pause(loaded, now, paused=paused))

    async def abort(self, table_id: int) -> None:
        """End a table without a result: its channel is gone."""
        await self._doorway.abort(table_id)

    async def _change(self, table_id: int, decide: Decide) -> bool:
        """Whether anything changed."""
        before = await self._doorway.get(table_id)
        return await self._doorway.change_unasked(table_id, decide) is not before

    # -- the painter

    async def undrawn_tables(self) -> tuple[int, ...]:
        """The ids of all tables whose public message is not up to date."""
        return self._ours(await self._doorway.store.tables.undrawn_ids())

    async def placed(self, table_id: int, message_id: int | None) -> None:
        """Note where the public message of a table is; None when it is gone."""
        placed_at = self._doorway.now() if message_id else None
        await self._doorway.place(table_id, message_id=message_id, placed_at=placed_at)

    async def nudge_placed(self, table_id: int, message_id: int | None) -> None:
        """Note which message reminds the player on turn; None when it is gone."""
        await self._doorway.place(table_id, nudge_id=message_id)

    async def drawn(self, tables: list[Table]) -> None:
        """Note that the public messages of tables show them as they are here; what cannot be noted is drawn again."""
        try:
            await self._doorway.store.tables.mark_drawn(tables)
        except UnavailableError as error:
            _log.warning("could not note what was drawn", tables=len(tables), error=str(error))
