"""Runs the sandbox, from the command line until Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

import discord
from simcord import Preview, SetupError

from bot.connection import stopped_by_signals
from bot.logs import set_up_logs
from cogs.screens.formatter import formatter
from data.errors import RESTORE, SchemaError, UnavailableError
from game.shell import reason_of
from sandbox.kept import FORGETTING, PLACE, Kept, NoPlaceError, kept
from sandbox.launch import launched
from sandbox.options import Options, parse_options
from sandbox.stage import port_of
from sandbox.world import CHANNEL, PEOPLE, SERVER
from tables.snapshots import Declined

BEGINNING: Final = discord.utils.snowflake_time(0)
"""When Discord's calendar begins: ids of what is made earlier are negative, and a page takes no clicks on it."""


def main(arguments: Sequence[str] | None = None, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> int:
    """Play until stopped; returns 0, or 1 if the clock is wrong, there is no page, or tables cannot be kept or used."""
    options = parse_options(arguments)
    if now() < BEGINNING:
        print(f"the clock of this machine is wrong: it says {now():%Y-%m-%d}; set it", file=sys.stderr)
        return 1
    set_up_logs("WARNING", "console")
    try:
        with kept(options.database, fresh=options.fresh) as place:
            return asyncio.run(_play(options, place))
    except NoPlaceError as error:
        print(f"tables cannot be kept: {error}; name another file with --database", file=sys.stderr)
    except (SchemaError, UnavailableError, Declined) as error:
        forgets = FORGETTING if options.database == PLACE else "--fresh with the same --database"
        print(f"the kept tables cannot be used ({_why(error)}); {forgets} forgets them", file=sys.stderr)
    except SetupError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        print(f"no page can be shown: {reason_of(error.__cause__)}; this machine needs 127.0.0.1", file=sys.stderr)
    return 1


def _why(error: Exception) -> str:
    """The reason, without the cures that only a host has: an address in the environment, and backups."""
    words = str(error).replace("in DATABASE_URL", "with --database")
    return words.replace(f": {RESTORE}", "").replace(": check DATABASE_URL, or restore the newest backup", "")


async def _play(options: Options, place: Kept) -> int:
    stop = asyncio.Event()
    # Until the sandbox is up, a signal ends the process at once: there is nothing to shut down in order.
    opened = launched(place.url, options.port, pause=options.pause, language=options.language)
    async with opened as page, stopped_by_signals(stop):
        _print_welcome(options, place, page)
        waits = [asyncio.create_task(each) for each in (stop.wait(), page.wait_closed())]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()
    print("Stopped." if place.is_kept else "Stopped; these tables are forgotten.")
    return 0


def _print_welcome(options: Options, place: Kept, page: Preview) -> None:
    port = port_of(page)
    if options.port not in {0, port}:
        print(f"Port {options.port} is taken or not allowed, so it is {port} this time.")
    if not place.is_kept:
        print("Another sandbox is using the kept tables; this one starts without any and will forget its own.")
    print(f"{SERVER}, #{CHANNEL}: {page.url}")
    print("The address changes with every run: close the tabs of the last one.")
    start = formatter(options.language).typed("shithead", "start").strip("`")
    print(f"Choose under 'Viewing as' who you are ({', '.join(PEOPLE)}), then type {start}.")
    print(f"Open a window for each person. {PEOPLE[0]} alone manages the server: its settings, and corrections of tea.")
    keeping = f"Tables are kept in {PLACE} ({FORGETTING} forgets them). " if place.path == PLACE else ""
    print(f"{keeping}Ctrl-C stops.", flush=True)
    if options.browser and _has_display():
        threading.Thread(target=webbrowser.open, args=(page.url,), daemon=True).start()


def _has_display() -> bool:
    # Without a display, a text browser might open and take over the terminal.
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
