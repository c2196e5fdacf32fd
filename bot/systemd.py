"""Notifies systemd that the process is ready, alive, and stopping. Does nothing without systemd."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

from bot.schedule import wait_for


@asynccontextmanager
async def supervised(stop: asyncio.Event, *, environment: Mapping[str, str] = os.environ) -> AsyncGenerator[None]:
    """Within the block, notify systemd of the state of the process.

    It counts as ready at once: waiting for a lease or for Discord is no reason for a restart.
    """
    place = environment.get("NOTIFY_SOCKET", "")
    if not place:
        yield
        return
    _notify(place, "READY=1")
    is_watched = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    seconds = int(environment.get("WATCHDOG_USEC", "0")) / 1_000_000 if is_watched else 0.0
    watchdog = asyncio.create_task(_send_watchdog_signals(stop, place, seconds / 2))
    try:
        yield
    finally:
        watchdog.cancel()
        await asyncio.gather(watchdog, return_exceptions=True)
        _notify(place, "STOPPING=1")


async def _send_watchdog_signals(stop: asyncio.Event, place: str, every: float) -> None:
    """Send watchdog signals until told to stop, as long as the event loop runs.

    They do not depend on the database: a restart would not bring an unreachable one back.
    """
    while every and not stop.is_set():
        _notify(place, "WATCHDOG=1")
        await wait_for(stop, every)
    await stop.wait()
    _notify(place, "STOPPING=1")


def _notify(place: str, word: str) -> None:
    # "@" stands for the zero byte with which abstract socket names begin.
    address = f"\0{place[1:]}" if place.startswith("@") else place
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
        line.sendto(word.encode(), address)
