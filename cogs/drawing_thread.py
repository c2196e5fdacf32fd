"""Threads in which pictures are drawn, so that the event loop answers meanwhile.

One for tables and one for films, never more: drawing threads take turns with the event loop at the interpreter, and
each further one would have clicks wait longer. What is not drawn in time is left out; the text says all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import structlog

PATIENCE: Final = 3.0
"""Seconds that a picture of a table may take, waiting for others included."""
FILM_PATIENCE: Final = 60.0
"""Seconds that a film may take; Discord shows what comes of a click for fifteen minutes."""
_tables: Final = ThreadPoolExecutor(1, "tables")
_films: Final = ThreadPoolExecutor(1, "films")
_log = structlog.get_logger(__name__)


async def drawn_picture(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """The picture of a table; None where that takes too long or fails."""
    return await _drawn(_tables, PATIENCE, draw, table_id)


async def drawn_film(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """The film of a game; None where that takes too long or fails."""
    return await _drawn(_films, FILM_PATIENCE, draw, table_id)


async def _drawn(
    thread: ThreadPoolExecutor, patience: float, draw: Callable[[], bytes | None], table_id: int
) -> bytes | None:
    try:
        async with asyncio.timeout(patience):
            return await asyncio.get_running_loop().run_in_executor(thread, draw)
    except Exception:  # noqa: BLE001 - whatever it was, the text says all of it
        _log.warning("a picture is left out", table=table_id, exc_info=True)
        return None
