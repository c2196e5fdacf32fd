"""Sees to it that nothing is kept longer than promised (PRIVACY.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from tables import Tables
from tables.snapshots import Declined

EVERY: Final = 3600.0
"""Seconds from one round to the next."""
_log = structlog.get_logger(__name__)


async def keep_house(tables: Tables, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
    """Delete what is due, every hour for ever; cancel to stop."""
    while True:
        try:
            await tables.servers.upkeep()
        except Declined as declined:
            _log.warning("what is due to be deleted stays for now", why=declined.why.value)
        except Exception:  # noqa: BLE001 - the next round may do better
            _log.exception("what is due to be deleted stays for now")
        await sleep(EVERY)
