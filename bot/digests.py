"""Sends the digests: a daily direct message, to people who want it, with all slow games that wait for them.

The time of the next digest is stored before one is sent, so that only one process sends each. If Discord fails even
when it is tried again at once, or the bot is stopped meanwhile, the digest is due again, and sent in a later round.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import Final

import structlog

from bot.port import BannedError, OverloadedError, Port, PortError, insist
from cogs.responder import Prepared, Sleep
from cogs.screens.formatter import formatter
from cogs.screens.table_screens import digest_screen
from tables.people_service import Digest
from tables.services import Declined, Tables

SECONDS_BETWEEN_ROUNDS: Final = 300.0
"""Seconds between two searches for due digests."""
_log = structlog.get_logger(__name__)


async def send_due_digests(tables: Tables, port: Port, *, sleep: Sleep = asyncio.sleep) -> None:
    """Send the digests that are due, while this process holds its lease."""
    for user_id, due in (await tables.people.digests_due()).items():
        try:
            digest = await tables.people.digest(user_id, due) if port.is_serving() else None
            if digest is not None and digest.tables:
                await _send(tables, port, digest, sleep)
        except Declined:
            raise
        except Exception:  # noqa: BLE001 - the other people must not wait for this one
            _log.exception("a digest was not sent")


async def _send(tables: Tables, port: Port, digest: Digest, sleep: Sleep) -> None:
    chosen = digest.chosen
    polite = any(each.table.polite or each.settings.polite for each in digest.tables)
    t = formatter(chosen.locale or "en-US", polite=polite, text=chosen.text_mode)
    drawn = Prepared(digest_screen(t, digest.tables))
    nonce = f"d{chosen.user_id}"  # two people may wait for one table, and Discord sends a nonce only once
    try:
        await insist(partial(port.send_directly, chosen.user_id, drawn, nonce=nonce), sleep)
    except (BannedError, OverloadedError, asyncio.CancelledError) as error:
        _log.warning("a digest was not sent", why=str(error) or "the bot is stopping")
        with suppress(Declined):  # lost for the day then, but it must not hide that the process ends
            await tables.people.digest_failed(digest)
        if not isinstance(error, PortError):
            raise
    except PortError as error:  # refused, as it would be in every later round
        _log.info("a digest was refused", why=str(error))
        await tables.people.digest_sent(digest, arrived=False)
    else:
        await tables.people.digest_sent(digest, arrived=True)
