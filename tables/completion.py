"""A decorator for coroutines that must not be cancelled half way.

It is not in `snapshots`, because the processes that draw those run no event loop and need not load asyncio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def uncancellable(doing: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Coroutine[Any, Any, T]]:
    """A decorator: run to completion even if the caller is cancelled, then re-raise the cancellation."""

    # A commit cannot be undone, so the steps after it (caching and publishing the new table) must not be skipped.
    @wraps(doing)
    async def completed(*args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.ensure_future(doing(*args, **kwargs))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait({task})
            _ = task.cancelled() or task.exception()  # retrieved, or asyncio would log that nobody did
            raise

    return completed
