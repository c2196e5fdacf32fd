"""The sandbox's command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import discord

from cogs.screens.language import LANGUAGES, SOURCE, translator
from sandbox.kept import PLACE

PORT: Final = 8080
_HIGHEST: Final = 65535
COMMAND: Final = "make play ARGS=..." if Path(sys.argv[0]).name == "__main__.py" else None
"""The command that the help names: `make` starts the module; None is the name of the program."""
_ANSWERED: Final = {each.value: translator(each.value).language for each in discord.Locale}
SPOKEN: Final = [code for code in LANGUAGES if code in _ANSWERED.values()]
"""The languages that people can have set on Discord: all folders of `locales/` that are named as they must be."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options: `port` is tried first, `pause` is how many seconds a computer player thinks.

    `language`, one of those in `SPOKEN`, is that of the server and of everybody in it.
    """

    port: int = PORT
    fresh: bool = False
    browser: bool = True
    database: Path = PLACE
    pause: float = 1.0
    language: str = SOURCE


def parse_options(arguments: Sequence[str] | None = None) -> Options:
    """Parse the options; a wrong one ends the program with a message."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="The whole bot in a simulated Discord in your browser.")
    parser.add_argument("--fresh", action="store_true", help="forget the tables and debts of earlier runs")
    parser.add_argument("--port", type=_port, default=PORT, help=f"where the page is (default {PORT}; 0: any)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address, do not open it")
    parser.add_argument("--database", type=_file, default=PLACE, help="the file in which tables are kept")
    parser.add_argument("--pause", type=_pause, default=1.0, help="seconds that a computer player thinks")
    parser.add_argument("--language", choices=SPOKEN, default=SOURCE, help="language of the server and its people")
    found = parser.parse_args(arguments)
    place = found.database.absolute()
    return Options(found.port, found.fresh, not found.no_browser, place, found.pause, found.language)


def locale_of(language: str) -> str:
    """The first of Discord's locales in which the bot answers in this language."""
    return next(locale for locale, answered in _ANSWERED.items() if answered == language)


def _file(text: str) -> Path:
    if "://" in text:  # or a folder named `postgresql:` would be made
        raise argparse.ArgumentTypeError(f"{text} is not a file but an address: name the file for the tables")
    return Path(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _HIGHEST:
        raise argparse.ArgumentTypeError(f"{text} is not a port: 0 to {_HIGHEST}")
    return int(text)


def _pause(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 60:  # noqa: PLR2004 - a minute, which also excludes nan
        raise argparse.ArgumentTypeError(f"{text} is not a pause: 0 to 60 seconds")
    return seconds
