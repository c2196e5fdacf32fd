"""`python -m bot doctor`: checks everything that the bot needs, and reports line by line what is wrong and what to do.

Changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal

import aiohttp
import discord
from discord.http import Route

from bot.client import CardBot
from bot.config import ConfigError, Settings
from bot.connection import log_in
from bot.registering import HOW, differences, listed, note_of
from bot.shards import Shards
from cogs.interactions import add_topics
from cogs.responder import connection_error_words, readable
from cogs.screens.formatter import face_names
from data import migrate
from data.database import LONG_SEARCH, Database
from data.errors import StoreError
from data.store import Store, database_at
from tables.services import Declined, Tables

SKEW: Final = 5.0
"""Seconds by which this machine's clock may differ from Discord's."""
TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
MOST_NAMED: Final = 5
NEEDED: Final = {
    "view_channel": "View Channels",
    "send_messages": "Send Messages",
    "send_messages_in_threads": "Send Messages in Threads",
    "attach_files": "Attach Files",
}
FOR_THREADS: Final = {"create_public_threads": "Create Public Threads", "read_message_history": "Read Message History"}
"""Permissions that only `/shithead start where:thread` needs."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check. Unless the verdict is ok, `words` says what to do. The bot can run despite a RISK."""

    verdict: Literal["ok", "RISK", "WRONG"]
    what: str
    words: str

    def __str__(self) -> str:
        return f"{self.verdict:<5} {self.what}: {self.words}"


async def report(settings: Settings, faults: Sequence[str]) -> bool:
    """Print all findings, and first the faults of the settings; whether nothing is wrong."""
    findings = [*(Finding("WRONG", "settings", fault) for fault in faults), *await examine(settings)]
    print(*findings, sep="\n")
    return all(finding.verdict != "WRONG" for finding in findings)


async def examine(settings: Settings, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> list[Finding]:
    """All findings, in the order in which to fix them."""
    async with database_at(settings.database_url) as database:
        findings = [await _database(database)]
        try:
            findings += [Finding("RISK", "secrets", why) for why in settings.exposure_warnings()]
            token = settings.token()
            findings += await _clock(now)
            with readable():
                findings += await _discord(token, database)
        except ConfigError as error:
            return [*findings, Finding("WRONG", "token", "; ".join(error.faults))]
        except (aiohttp.ClientError, OSError, TimeoutError, discord.HTTPException) as error:
            words = connection_error_words(error)
            why = f"{words}, so nothing more was checked: check the network and discordstatus.com"
            return [*findings, Finding("WRONG", "Discord", why)]
        return findings


async def _database(database: Database) -> Finding:
    try:
        await database.check(LONG_SEARCH, thorough=True)
        schema = await migrate.current(database)
        if schema in {None, migrate.NEWEST} and database.is_there:  # migrating an older one might take long
            await migrate.upgrade(database, trial=True)
    except StoreError as error:
        return Finding("WRONG", "database", str(error))
    if schema is None:
        return Finding("ok", "database", f"{database.kind}: the first start creates its tables in {database.place}")
    if schema not in migrate.KNOWN_SCHEMAS:
        return Finding("WRONG", "database", migrate.why_unknown(schema))
    if database.exposure_warning:
        return Finding("RISK", "database", database.exposure_warning)
    then = "" if schema == migrate.NEWEST else f": the next start migrates it to {migrate.NEWEST}"
    return Finding("ok", "database", f"{database.kind}, schema {schema}{then}")


async def _clock(now: Callable[[], datetime]) -> list[Finding]:
    async with aiohttp.ClientSession(timeout=TIMEOUT) as session, session.get(f"{Route.BASE}/gateway") as answer:
        theirs = parsedate_to_datetime(answer.headers["Date"]) if "Date" in answer.headers else now()
    seconds = (now() - theirs).total_seconds()
    if abs(seconds) <= SKEW:
        return [Finding("ok", "clock", f"within {SKEW:.0f} seconds of Discord's")]
    return [Finding("WRONG", "clock", f"{seconds:+.0f} seconds off Discord's: set the time (NTP)")]


async def _discord(token: str, database: Database) -> list[Finding]:
    tables = Tables(Store(database))
    async with CardBot(tables, Shards()) as bot:
        await add_topics(bot)
        await log_in(bot, token)
        app = await bot.application_info()
        servers: list[Any] = []
        while some := await bot.http.get_guilds(200, after=servers[-1]["id"] if servers else None):  # at most 200 each
            servers += some
        token_finding = Finding("ok", "token", f"{app.name}, servers: {app.approximate_guild_count}")
        present = {emoji.name for emoji in await bot.fetch_application_emojis()}
        return [token_finding, _permissions(servers), *await _commands(bot, database), _faces(present)]


def _permissions(servers: list[dict[str, Any]]) -> Finding:
    """The bot's permissions in each server. A channel may still override them, which a click there reports."""
    if lacking := _missing_permissions(servers, NEEDED):
        return Finding("WRONG", "permissions", f"give the bot's role the missing permissions: {lacking}")
    optional = _missing_permissions(servers, FOR_THREADS)
    note = f"; missing, but needed only for where:thread: {optional}" if optional else ""
    return Finding("ok", "permissions", f"complete, servers: {len(servers)}{note}")


def _missing_permissions(servers: list[dict[str, Any]], wanted: Mapping[str, str]) -> str:
    lacking: dict[str, list[str]] = {}
    for server in servers:
        may = discord.Permissions(int(server.get("permissions", 0)))
        for permission, words in wanted.items():
            if not (may.administrator or getattr(may, permission)):
                name = "".join(filter(str.isprintable, str(server["name"])))  # or it could write lines of its own
                lacking.setdefault(words, []).append(name)
    return "; ".join(f"{words} in {_some(sorted(where))}" for words, where in lacking.items())


def _some(names: list[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


async def _commands(bot: CardBot, database: Database) -> list[Finding]:
    """Compare the commands as `sync` does; nothing if the database, which has the last registration, cannot be used.

    Where it has none, only the names can be compared.
    """
    try:
        await database.check()
        schema = await migrate.current(database)
        noted = await bot.tables.read_note(note_of(None)) if schema == migrate.NEWEST else None
    except (StoreError, Declined):
        return []
    if schema not in {None, *migrate.KNOWN_SCHEMAS}:
        return []
    changed = await differences(bot, noted)
    if noted is None:
        changed = {name: mark for name, mark in changed.items() if mark != "changed"}
    if changed:
        return [Finding("WRONG", "commands", f"they differ from Discord's ({', '.join(listed(changed))}): run {HOW}")]
    if noted is None:
        return [Finding("ok", "commands", "are on Discord; `sync` makes sure that they are this version's")]
    return [Finding("ok", "commands", "the same as on Discord")]


def _faces(present: set[str]) -> Finding:
    wanted = len(face_names())
    uploaded = len(present.intersection(face_names()))
    if uploaded == wanted:
        return Finding("ok", "faces", f"{uploaded} emojis are there")
    return Finding("ok", "faces", f"{uploaded} of {wanted} emojis: the bot uploads the rest when it runs")
