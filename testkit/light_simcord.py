"""Faster versions, with the same results, of functions that SimCord calls a hundred times in each test."""

# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# It exchanges what SimCord has for itself, and copies and walks through any data.

from __future__ import annotations

import asyncio
import marshal
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from functools import partial
from types import SimpleNamespace
from typing import Any

import discord
from simcord import _dpy_internals, actors, components, gateway, results
from simcord.http import router

WAKES = "_set_result_unless_cancelled"
"""What a timer of `asyncio.sleep` calls."""
INSIDE = ("accessory", "component")
"""Where a component holds a single one."""


def lighten() -> None:
    """Replace functions of SimCord with those of this module."""
    components.deepcopy = results.deepcopy = copied
    gateway.copy = router.copy = SimpleNamespace(deepcopy=copied)
    components.walk_components = actors.walk_components = walked
    _dpy_internals.is_sleep_waiter = is_sleep_waiter
    _dpy_internals.is_wait_for_listener = partial(is_wait_for_listener, _dpy_internals.is_wait_for_listener)


def copied(data: Any) -> Any:
    """A deep copy: JSON-like data takes a round trip through `marshal`, which is C, anything else `deepcopy`."""
    try:
        return marshal.loads(marshal.dumps(data))
    except ValueError:
        if type(data) is dict:
            return {key: copied(value) for key, value in data.items()}
        return [*map(copied, data)] if type(data) is list else deepcopy(data)


def walked(roots: Any) -> Iterator[dict[str, Any]]:
    """All components, nested ones included, in the order in which they are sent."""
    found = list[dict[str, Any]]()
    walk([roots] if isinstance(roots, dict) else roots, found)
    return iter(found)


def walk(several: Iterable[Any], found: list[dict[str, Any]]) -> None:
    for each in several:
        if isinstance(each, dict):
            found.append(each)
            if isinstance(inside := each.get("components"), list):
                walk(inside, found)
            for key in INSIDE:
                if key in each:
                    walk([each[key]], found)


def is_wait_for_listener(
    theirs: Callable[[discord.Client, asyncio.Task[Any]], bool], client: discord.Client, task: asyncio.Task[Any]
) -> bool:
    """Whether a task waits for an event of the client; first checks if there are any listeners, mostly none."""
    return any(client._listeners.values()) and theirs(client, task)


def is_sleep_waiter(waiter: asyncio.Future[Any] | None, loop: Any, deadline: float) -> bool:
    """Whether a sleep that ends after this deadline wakes whoever awaits this future."""
    if waiter is None or waiter.done():
        return False
    for handle in loop._scheduled:
        arguments = handle._args  # None once it is cancelled
        if arguments and arguments[0] is waiter and handle.when() > deadline:
            callback = _dpy_internals._original_callback(handle._callback)
            if getattr(callback, "__name__", "") == WAKES:
                return True
    return False
