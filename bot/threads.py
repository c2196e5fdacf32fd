"""Opens the threads of tables. The messages that they hang on are drawn elsewhere.

A thread hangs on a message of the channel, whose number it gets too. That message carries a nonce, and the table is
stored before it, so that after a crash the next process finds the same message and the same thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import structlog

from bot.port import BannedError, Minutes, OverloadedError, Port, PortError
from cogs.asker import Prepared
from data.guild_models import GuildSettings
from data.models import Pace, Table
from tables.services import Decline, Declined, Tables

SHOWN: Final[dict[Pace, Minutes]] = {"quick": 1_440, "normal": 1_440, "slow": 10_080}
"""After so many minutes without a message Discord hides a thread; a slow game can be quiet for days."""
_log = structlog.get_logger(__name__)


class Doorposts(Protocol):
    """What a thread is called, and what it hangs on."""

    def thread(self, table: Table, settings: GuildSettings) -> tuple[str, Prepared]:
        """The name of the thread, and the message in the channel."""
        ...


class Threads:
    """Opens threads for tables that wait for one."""

    def __init__(self, tables: Tables, drawing: Doorposts, port: Port) -> None:
        self._tables, self._drawing, self._port = tables, drawing, port
        self.later: Callable[[int], object] = lambda _table_id: None
        """Asks for `open` to be tried again later for a table."""

    async def open_now(self, table: Table) -> Table:
        """Open the thread of a table while somebody waits for it; the table as it is then.

        Raises:
            Declined: NO_THREAD if there can be none, and no table either; THREAD_LATER if Discord fails.
        """
        try:
            opened = await self.open(table)
        except (PortError, Declined) as error:
            self.later(table.id)
            raise Declined(Decline.THREAD_LATER) from error
        if opened is None:
            raise Declined(Decline.NO_THREAD)
        return opened

    async def open(self, table: Table) -> Table | None:
        """Open the thread of a table and draw the table there; None if Discord refuses: it is forgotten then.

        Raises:
            PortError: Discord fails, and what it did is not known. Declined: the store does.
        """
        try:
            if table.is_open:
                return await self._tables.timekeeping.threaded(table.id, await self._opened(table))
        except (OverloadedError, BannedError):
            raise
        except PortError as error:
            _log.info("no thread was opened", table=table.id, why=str(error))
        await self._give_up(table)
        return None

    async def _opened(self, table: Table) -> int:
        channel_id = table.parent_id or 0
        name, drawn = self._drawing.thread(table, await self._tables.servers.settings(table.guild_id))
        message_id = abs((await self._tables.snapshot(table.id)).table.message_id or 0)
        if not message_id:
            message_id = await self._port.send(channel_id, drawn, nonce=f"{table.id}t")
            await self._tables.timekeeping.placed(table.id, -message_id)
        return await self._port.open_thread(channel_id, message_id, name, minutes=SHOWN[table.pace])

    async def _give_up(self, table: Table) -> None:
        """Delete the message and forget the table."""
        message_id = (await self._tables.snapshot(table.id)).table.message_id
        if message_id:
            try:
                await self._port.delete(table.parent_id or 0, abs(message_id))
            except PortError as error:
                _log.info("a message without a thread stays", table=table.id, why=str(error))
        await self._tables.timekeeping.unopened(table)
