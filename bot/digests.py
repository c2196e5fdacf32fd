"""Sends the digests: to who wants it, one direct message a day with all slow games that wait for them.

When the next one is due is stored before one is sent, so that it comes once, whichever process sends it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from bot.port import ChannelGoneError, ForbiddenError, OverloadedError, Port, PortError
from cogs.asker import Prepared
from cogs.screens.formatter import formatter
from cogs.screens.table_screens import digest_screen
from tables import Tables
from tables.people_service import Digest
from tables.snapshots import Declined

EVERY: Final = 300.0
"""Seconds from one look for digests that are due to the next."""
TRIES: Final = 3
_log = structlog.get_logger(__name__)


class Digests:
    """Looks for digests that are due, and sends them."""

    def __init__(
        self,
        tables: Tables,
        port: Port,
        is_serving: Callable[[], bool] = lambda: True,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`is_serving` says whether this process may do anything."""
        self._tables, self._port, self._is_serving, self._sleep = tables, port, is_serving, sleep

    async def run(self) -> None:
        """Send for ever; cancel to stop."""
        while True:
            try:
                await self.send_due()
            except Declined as declined:
                _log.warning("no digests were sent", why=declined.why.value)
            except Exception:  # noqa: BLE001 - the next round may do better
                _log.exception("no digests were sent")
            await self._sleep(EVERY)

    async def send_due(self) -> None:
        """Send all digests that are due."""
        for user_id in await self._tables.people.digests_due() if self._is_serving() else ():
            digest = await self._tables.people.digest(user_id)
            if digest is not None and digest.tables:
                await self._send(digest)

    async def _send(self, digest: Digest) -> None:
        chosen = digest.chosen
        t = formatter(chosen.locale or "en-US", text=chosen.text_mode)
        drawn, nonce = Prepared(digest_screen(t, digest.tables)), f"d{digest.tables[0].table.id}"
        for attempt in range(TRIES):
            try:
                await self._port.send_directly(chosen.user_id, drawn, nonce=nonce)
                return await self._tables.people.digest_sent(digest, arrived=True)
            except OverloadedError:
                await self._sleep(2**attempt)
            except (ForbiddenError, ChannelGoneError):
                return await self._tables.people.digest_sent(digest, arrived=False)
            except PortError as error:
                return _log.warning("a digest was not sent", why=error.why)
        return _log.warning("a digest was not sent", why=OverloadedError().why)
