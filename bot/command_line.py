"""The commands of `python -m bot`: run the bot, or maintain it. An error becomes one line on stderr.

Whatever needs the whole bot is handed in, so this module knows only settings, the log and the database.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import aiohttp
import discord
import structlog

from bot import __version__
from bot.config import BAD_CONFIGURATION, ConfigError, Settings, load_settings, passed_over
from bot.logs import set_up_logs
from cogs.responder import connection_error_words
from data.backup import BackupError, back_up, restore
from data.errors import SchemaError, StoreError, UnusableError
from data.lease_rows import LeaseLostError, LeaseTakenError, MovedError
from data.migrate import NEWEST
from data.store import Store, database_at

TRY_LATER: Final = 75
"""Exit status if another process has the shards, or a newer version has migrated the database (EX_TEMPFAIL)."""
_EPILOG: Final = (
    "Settings are read from the environment and from the file .env; .env.example explains them. Exit status: 0 done, "
    "1 failed, 2 wrong command line, 75 another process has the shards, or a newer version has migrated "
    "the database, 78 a setting, the token or the database must be fixed, 129 the session was closed, 130 interrupted."
)
_VERBS: Final = {
    "run": "run the bot. It needs a token, and stops on SIGTERM or Ctrl-C.",
    "sync": "register the commands with Discord if they have changed. It needs a token. The bot may be running.",
    "migrate": "bring the database to the newest schema, which every start does. Make a backup first.",
    "backup": "copy everything to a new file. The copy is checked. The bot may be running.",
    "restore": "load a backup into an empty database. It is loaded completely or not at all.",
    "doctor": "check database, clock, token, permissions and commands. It changes nothing; status 1 if one is wrong.",
}
"""What each command does, in a sentence without a capital, and then more about it."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Actions:
    """What `run`, `sync` and `doctor` do: `bot.compose.run`, `bot.compose.sync` and `bot.doctor.report`."""

    run: Callable[..., Coroutine[Any, Any, None]]
    sync: Callable[..., Coroutine[Any, Any, Mapping[str, str]]]
    report: Callable[[Settings, Sequence[str]], Coroutine[Any, Any, bool]]


def main(arguments: Sequence[str], actions: Actions) -> int:
    """Run the command line and return the exit status.

    0: done. 78: bad settings, token, schema or database. 75: another process has the shards. 1: any other failure.
    """
    parser = _parser()
    args = parser.parse_args(arguments)
    faults: list[str] = []  # of the settings that `doctor` can do without
    is_run = args.verb in {None, "run"}  # what other commands say is for people
    form = os.environ.get("LOG_FORMAT") if is_run else ""  # until the settings are loaded
    if args.verb == "sync" and args.remove and args.guild is None:
        parser.error("--remove needs --guild")
    try:
        forgive = {"backup": partial(print, "making the backup anyway:", file=sys.stderr), "doctor": faults.append}
        settings = load_settings(with_token=args.verb in {None, "run", "sync"}, forgive=forgive.get(args.verb))
        form = settings.log_format if is_run else ""
        set_up_logs(settings.log_level, settings.log_format)
        for name in passed_over():
            _log.warning(name)
        return asyncio.run(_run_verb(args, settings, faults, actions))
    except (ConfigError, StoreError, OSError, aiohttp.ClientError, discord.HTTPException) as error:
        message, status = _explained(error, getattr(args, "guild", None), "; " if form == "json" else "\nalso: ")
        _say(_in_json(message, error) if form == "json" else message)
        return status
    except Exception:
        if form != "json" or not structlog.is_configured():  # else it would print to stdout, and hide nothing
            raise
        _log.critical("ended by an error of the program", exc_info=True)  # in one line, as all else
        return 1


def _say(message: str) -> None:
    try:
        print(message, file=sys.stderr)
    except OSError:  # it cannot be written; at the end the interpreter would try again, and change the status
        sys.stderr = None


def _in_json(message: str, error: Exception) -> str:
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    level = "warning" if isinstance(error, LeaseTakenError) else "critical"  # a standby ends so again and again
    return json.dumps({"event": message, "level": level, "timestamp": at}, ensure_ascii=False)


def _explained(error: Exception, guild_id: int | None, apart: str) -> tuple[str, int]:
    """What failed, in a sentence, and the exit status; `apart` separates faults, `guild_id` is where to register."""
    match error:
        case ConfigError():
            return f"cannot start: {apart.join([*error.faults, *passed_over()])}", BAD_CONFIGURATION
        case LeaseTakenError():
            return f"cannot start: {error}", TRY_LATER
        case LeaseLostError():
            return f"stopped: {error}", BAD_CONFIGURATION if isinstance(error, MovedError) else TRY_LATER
        case aiohttp.ClientError() | TimeoutError():
            return f"Discord cannot be reached: {connection_error_words(error)}", 1
        case BackupError() | OSError():
            return f"cannot continue: {error}", 1
        case StoreError():
            status = BAD_CONFIGURATION if isinstance(error, (SchemaError, UnusableError)) else 1
            return f"the database cannot be used: {error}", status
        case discord.NotFound() | discord.Forbidden() if guild_id is not None:
            return f"the bot is not in server {guild_id}, or was invited without applications.commands", 1
        case _:
            return f"Discord refuses: {' '.join(str(error).split())}", 1


def _parser() -> argparse.ArgumentParser:
    about = "Run the bot, or maintain it. Without a command, run it."
    parser = argparse.ArgumentParser(prog="shithead", description=about, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    verbs = parser.add_subparsers(dest="verb")
    parsers = {
        verb: verbs.add_parser(verb, help=does.partition(".")[0], description=f"{does[0].upper()}{does[1:]}")
        for verb, does in _VERBS.items()
    }
    parsers["run"].add_argument("--sync", action="store_true", help="register changed commands first")
    parsers["sync"].add_argument("--guild", type=_server_id, metavar="ID", help="in this server only, at once")
    parsers["sync"].add_argument("--force", action="store_true", help="even if nothing changed")
    parsers["sync"].add_argument("--remove", action="store_true", help="remove the commands registered with --guild")
    for verb, what in (("backup", "the new file"), ("restore", "a file that backup wrote")):
        parsers[verb].add_argument("file", type=Path, help=what)
    return parser


def _server_id(text: str) -> int:
    if not (text.isdecimal() and text.isascii()):
        raise argparse.ArgumentTypeError(f"{text!r} is not the id of a server, which is a long number")
    return int(text)


async def _run_verb(args: argparse.Namespace, settings: Settings, faults: Sequence[str], actions: Actions) -> int:
    match args.verb:
        case "backup" | "restore":
            await _copy(args.verb, settings, args.file)
        case "sync":
            changed = await actions.sync(settings, args.guild, force=args.force, remove=args.remove)
            told = "\n".join(f"{mark:8}/{name}" for name, mark in changed.items())
            print(told or ("the commands were registered again" if args.force else "nothing changed"))
        case "migrate":
            database = database_at(settings.database_url)
            new = "" if database.is_there else "new, and "
            await (await Store.open(settings.database_url)).close()
            print(f"{database.place} is {new}at schema {NEWEST}")
        case "doctor":
            return 0 if await actions.report(settings, faults) else 1
        case _:
            await actions.run(settings, sync="changed" if args.verb == "run" and args.sync else "never")
    return 0


async def _copy(verb: str, settings: Settings, file: Path) -> None:
    async with database_at(settings.database_url) as database:
        await database.check(to_write=verb == "restore")  # a full disk is no reason to make no backup
        rows = await (back_up(database, file) if verb == "backup" else restore(database, file))
        done = "copied to {} and verified" if verb == "backup" else "restored from {}"
        print(f"{done.format(file)} (database rows: {rows.total()})")  # before it closes, which can be interrupted
