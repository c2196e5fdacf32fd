"""Draws pictures in other processes (in tests and sandbox: threads), so that clicks are answered meanwhile.

One for tables and one for films and all that is seldom drawn, which then ends: what is drawn must leave processors to
the clicks. What is not drawn in time is left out; the text says all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

import structlog

from cogs.spawned import Spawned

PATIENCE: Final = 3.0
"""Seconds that a picture of a table may take, waiting for others included."""
FILM_PATIENCE: Final = 60.0
"""Seconds that a film may take; Discord shows what comes of a click for fifteen minutes."""
# Two, because a film may take a minute, and every table that waits behind it would lose its picture. The bot has
# processes instead of threads: a thread that draws holds the interpreter, and clicks wait for it.
_pools: Final[dict[str, Executor]] = {kind: ThreadPoolExecutor(1, kind) for kind in ("tables", "films")}
_aside: Final = list[Callable[[], object]]()
"""What the process for films is at or has still to do."""
T = TypeVar("T")
_log = structlog.get_logger(__name__)


@contextmanager
def drawing_elsewhere() -> Generator[None]:
    """Draw everything in other processes meanwhile; all that is asked then must go through a pipe."""
    threads, spawned = dict(_pools), {"tables": Spawned(), "films": Spawned(limit=10 * FILM_PATIENCE)}
    _pools.update(spawned)
    try:
        yield
    finally:
        _pools.update(threads)
        for each in spawned.values():
            each.shutdown()


async def drawn_picture(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """The picture of a table; None if that takes too long or fails."""
    return await _drawn(_in("tables", draw), PATIENCE, table_id)


async def drawn_film(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """The film of a game; None if that takes too long or fails."""
    return await _drawn(drawn_aside(draw), FILM_PATIENCE, table_id)


async def drawn_aside(draw: Callable[[], T]) -> T:
    """Something large that is seldom drawn; it raises what `draw` does."""
    _aside.append(draw)
    try:
        return await _in("films", draw)
    finally:
        _aside.remove(draw)
        if not _aside and isinstance(pool := _pools["films"], Spawned):
            pool.shutdown()


async def _in(kind: str, draw: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(_pools[kind], draw)


async def _drawn(drawing: Awaitable[bytes | None], patience: float, table_id: int) -> bytes | None:
    try:
        async with asyncio.timeout(patience):
            return await drawing
    except Exception:  # noqa: BLE001 - the text says all of it
        _log.warning("a picture is left out", table=table_id, exc_info=True)
        return None
