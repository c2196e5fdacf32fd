"""Where pictures are drawn, so that clicks are answered meanwhile: in other processes, in tests and sandbox in threads.

One for tables and one for films, never more: what is drawn must leave processors to the clicks. The process for films
ends with the last of them. What is not drawn in time is left out; the text says all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

import structlog

from cogs.spawned import Spawned

PATIENCE: Final = 3.0
"""Seconds that a picture of a table may take, waiting for others included."""
FILM_PATIENCE: Final = 60.0
"""Seconds that a film may take; Discord shows what comes of a click for fifteen minutes."""
_pools: Final[dict[str, Executor]] = {kind: ThreadPoolExecutor(1, kind) for kind in ("tables", "films")}
_filmed: Final = set[int]()
"""The tables of which a film is being drawn."""
_log = structlog.get_logger(__name__)


@contextmanager
def drawing_elsewhere() -> Generator[None]:
    """Have everything drawn in other processes meanwhile, whatever is asked then must go through a pipe."""
    threads, spawned = dict(_pools), {kind: Spawned() for kind in _pools}
    _pools.update(spawned)
    try:
        yield
    finally:
        _pools.update(threads)
        for each in spawned.values():
            each.shutdown()


async def drawn_picture(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """The picture of a table; None where that takes too long or fails."""
    return await _drawn("tables", PATIENCE, draw, table_id)


async def drawn_film(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """The film of a game; None where that takes too long or fails."""
    _filmed.add(table_id)
    try:
        return await _drawn("films", FILM_PATIENCE, draw, table_id)
    finally:
        _filmed.discard(table_id)
        if not _filmed and isinstance(_pools["films"], Spawned):
            _pools["films"].shutdown()


async def _drawn(kind: str, patience: float, draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    try:
        async with asyncio.timeout(patience):
            return await asyncio.get_running_loop().run_in_executor(_pools[kind], draw)
    except Exception:  # noqa: BLE001 - whatever it was, the text says all of it
        _log.warning("a picture is left out", table=table_id, exc_info=True)
        return None
