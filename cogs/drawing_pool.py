"""Draws pictures in other processes (in tests and the sandbox: in threads), so that clicks are answered meanwhile.

One process draws tables. The other draws films and anything else that is rare, and ends when it has nothing left to
do. There are no more of them, because clicks need the processors, too. A picture that is not ready in time is left
out: the text says the same. After a process has died, nothing is drawn for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Final, TypeVar

import structlog

from cogs.spawned import Spawned

PICTURE_PATIENCE: Final = 3.0
"""Seconds that the picture of a table may take, its time in the queue included."""
FILM_PATIENCE: Final = 60.0
"""Seconds that a film may take; Discord lets an answer be edited for fifteen minutes."""
LONGEST_PAUSE: Final = 64.0
"""Seconds without pictures after a process has died; one at first, doubled with each that dies."""
# Two, because a film may take a minute, and every table queued behind it would lose its picture. The bot replaces these
# threads by processes: a thread that draws holds the interpreter lock, and clicks wait for it.
_pools: Final[dict[str, Executor]] = {kind: ThreadPoolExecutor(1, kind) for kind in ("tables", "films")}
_jobs: Final = Counter[str]()
"""How many jobs each pool has, running and queued."""
left_out: Final = Counter[str]()
"""How many pictures of each pool were left out."""
_pauses: Final = dict.fromkeys(_pools, (0.0, 0.0))
"""For each pool: how many seconds it pauses because a process died (0 if none did), and until when (monotonic)."""
T = TypeVar("T")
_log = structlog.get_logger(__name__)


@contextmanager
def drawing_in_processes() -> Generator[None]:
    """Draw everything in other processes inside this block; functions, arguments and results must be picklable."""
    threads, spawned = dict(_pools), {"tables": Spawned(), "films": Spawned(limit=FILM_PATIENCE)}
    _pools.update(spawned)
    try:
        yield
    finally:
        _pools.update(threads)
        for each in spawned.values():
            each.shutdown()


async def drawn_picture(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """Draw the picture of a table; None if that takes longer than `PICTURE_PATIENCE` or fails."""
    return await _in_time("tables", draw, PICTURE_PATIENCE, table_id)


async def drawn_film(draw: Callable[[], bytes | None], table_id: int) -> bytes | None:
    """Draw the film of a game; None if that takes longer than `FILM_PATIENCE` or fails."""
    return await _in_time("films", draw, FILM_PATIENCE, table_id)


async def drawn_rarely(draw: Callable[[], T]) -> T:
    """Draw something large and rare in the pool for films. Raises whatever `draw` raises."""
    return await _run_in("films", draw)


async def _run_in(kind: str, draw: Callable[[], T]) -> T:
    _jobs[kind] += 1
    try:
        return await asyncio.get_running_loop().run_in_executor(_pools[kind], draw)
    finally:
        _jobs[kind] -= 1
        if kind == "films" and not _jobs[kind] and isinstance(pool := _pools[kind], Spawned):
            pool.shutdown()


async def _in_time(kind: str, draw: Callable[[], bytes | None], patience: float, table_id: int) -> bytes | None:
    _, until = _pauses[kind]
    if time.monotonic() >= until:
        try:
            async with asyncio.timeout(patience):
                drawn = await _run_in(kind, draw)
        except TimeoutError:
            _log.warning("a picture was left out", table=table_id, why=f"it was not ready in {patience:.0f} s")
        except BrokenProcessPool as error:
            _pause(kind, str(error))
        except Exception:  # noqa: BLE001 - the text says what the picture would
            _log.warning("a picture was left out", table=table_id, exc_info=True)
        else:
            if _pauses[kind] != (0.0, 0.0):  # a process has died
                _log.info("pictures are drawn again", what=kind)
                _pauses[kind] = 0.0, 0.0
            return drawn
    left_out[kind] += 1
    return None


def _pause(kind: str, why: str) -> None:
    """Draw nothing for a while. A picture that was queued before the pause may fail in it, which does not count."""
    last_pause, until = _pauses[kind]
    now = time.monotonic()
    if now < until:
        return
    if not last_pause:
        _log.warning("pictures cannot be drawn, text takes their place", what=kind, why=why)
    pause = min(max(1.0, 2 * last_pause), LONGEST_PAUSE)
    _pauses[kind] = pause, now + pause
