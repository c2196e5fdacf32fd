"""Serves the page, a preview of the channel for its four people that follows the game, on a local port."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from simcord import Env, Preview, SetupError

from sandbox.live import live, run_clock, with_changes
from sandbox.world import World

Assets = Mapping[str, tuple[str, bytes]]
NO_ASSETS: Final[Assets] = {}


@asynccontextmanager
async def on_stage(env: Env, world: World, port: int, assets: Assets = NO_ASSETS) -> AsyncGenerator[Preview]:
    """Serve the world on this port, or on another one if it is taken."""
    page = await _opened(env, world, port, assets)
    clock = asyncio.create_task(run_clock(env))
    try:
        live(page)
        yield page
    finally:
        clock.cancel()
        with suppress(asyncio.CancelledError):
            await clock
        await page.close()


async def _opened(env: Env, world: World, port: int, assets: Assets) -> Preview:
    def preview(number: int) -> Preview:
        return env.preview(
            world.channel,
            viewers=world.people,
            layout="channel",
            port=number,
            assets=assets,
            locale=world.locale,
            timezone=local_zone(),
        )

    try:
        return await with_changes(preview(port)).__aenter__()
    except SetupError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        return await with_changes(preview(0)).__aenter__()


def port_of(page: Preview) -> int:
    """The port on which a page is served."""
    return int(page.url.rpartition("/#")[0].rpartition(":")[2])


def local_zone() -> str:
    """The name by which browsers know this machine's time zone; UTC if it is unknown."""
    name = os.environ.get("TZ", "").removeprefix(":")  # which POSIX allows before the name of a file
    if name in {"", "localtime"} or name.startswith("/"):
        name = os.path.realpath(name if name.startswith("/") else "/etc/localtime").partition("zoneinfo/")[2]
    name = name.removeprefix("posix/").removeprefix("right/")  # folders with all zones again, for other leap seconds
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError):
        return "UTC"
