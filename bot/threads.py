"""Opens the threads of tables. The messages to which they are attached are drawn elsewhere.

A thread is attached to a message in the channel and has the same id. The table is stored first, and the message carries
a nonce, so that after a crash the next process finds the same message and the same thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import structlog

from bot.port import BannedError, Minutes, OverloadedError, Port, PortError
from cogs.picture_messages import PublicScreens
from data.models import Pace, Table, held_by, message_in_place
from tables.services import Decline, Declined, Tables

SHOWN: Final[dict[Pace, Minutes]] = {"quick": 1_440, "normal": 1_440, "slow": 10_080}
"""Minutes without a message after which Discord archives a thread, by pace; a slow game can be quiet for days."""
_log = structlog.get_logger(__name__)


class Threads:
    """Opens threads for tables that wait for one."""

    def __init__(self, tables: Tables, drawing: PublicScreens, port: Port) -> None:
        self._tables, self._drawing, self._port = tables, drawing, port
        self.later: Callable[[int], object] = lambda _table_id: None
        """Schedules another attempt to open the thread of a table."""

    async def open_now(self, table: Table) -> Table:
        """Open the thread of a table while a person waits; returns the updated table.

        Raises `Declined`: NO_THREAD if Discord refuses, which ends the table; THREAD_LATER if it or the store fails.
        """
        try:
            if opened := await self.open(table):
                return opened
        except (PortError, Declined) as error:
            if not isinstance(error, Declined) or error.why is not Decline.UNKNOWN_TABLE:  # else a retry has ended it
                self.later(table.id)
                raise Declined(Decline.THREAD_LATER) from error
        raise Declined(Decline.NO_THREAD)

    async def open(self, table: Table) -> Table | None:
        """Open the thread of a table, where the table is then drawn; None if Discord refuses, which ends the table.

        Raises `PortError` if Discord failed, perhaps after opening the thread, and `Declined` if the store did.
        """
        try:
            if table.is_open:
                return await self._tables.timekeeping.threaded(table.id, await self._open_thread(table))
        except (OverloadedError, BannedError):
            raise
        except PortError as error:
            _log.info("no thread was opened", table=table.id, why=str(error))
        await self._give_up(table)
        return None

    async def _open_thread(self, table: Table) -> int:
        channel_id = table.parent_id or 0
        snapshot = await self._tables.snapshot(table.id)
        name, drawn = self._drawing.thread(snapshot)
        message_id = message_in_place(snapshot.table.message_id)
        if not message_id:
            message_id = await self._port.send(channel_id, drawn, nonce=f"{table.id}t")
            if (await self._tables.snapshot(table.id)).table.lacks_thread:  # else a second delivery was faster
                await self._tables.timekeeping.place(table.id, message_id=held_by(message_id))
        return await self._port.open_thread(channel_id, message_id, name, minutes=SHOWN[table.pace])

    async def _give_up(self, table: Table) -> None:
        """Delete the message, and remove the table as if it had never existed."""
        if message_id := message_in_place((await self._tables.snapshot(table.id)).table.message_id):
            try:
                await self._port.delete(table.parent_id or 0, message_id)
            except PortError as error:
                _log.info("a message without a thread stays", table=table.id, why=str(error))
        await self._tables.timekeeping.remove_unopened(table)
