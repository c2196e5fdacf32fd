"""`python -m bot doctor`: checks everything the bot needs and says, line by line, what is well or what to do.

Changes nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import aiohttp
import discord
from discord.http import Route

from bot.config import ConfigError, Settings
from bot.registering import HOW
from cogs.screens.formatter import face_names
from data import migrate
from data.connect import Database
from data.errors import StoreError

SKEW: Final = 5.0
"""Seconds by which this machine's clock may differ from Discord's."""
TIMEOUT: Final = aiohttp.ClientTimeout(total=10)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: `well`, or `said` is what to do."""

    what: str
    well: bool
    said: str

    def __str__(self) -> str:
        """One line."""
        return f"{'ok   ' if self.well else 'WRONG'} {self.what}: {self.said}"


async def examine(settings: Settings, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> list[Finding]:
    """All findings, in the order in which one would put them right."""
    findings = [await _database(settings)]
    try:
        token = settings.token()
    except ConfigError as error:
        return [*findings, Finding("token", well=False, said="; ".join(error.faults))]
    checks: tuple[Callable[[], Awaitable[list[Finding]]], ...] = (
        lambda: _clock(now),
        lambda: _discord(token),
    )
    for check in checks:
        try:
            findings += await check()
        except (aiohttp.ClientError, OSError, TimeoutError, discord.HTTPException) as error:
            said = f"does not answer ({type(error).__name__}): look at the network and at discordstatus.com"
            return [*findings, Finding("Discord", well=False, said=said)]
    return findings


async def _database(settings: Settings) -> Finding:
    database = Database(settings.database_url)
    kind = f"SQLite {sqlite3.sqlite_version}" if database.is_sqlite else "PostgreSQL"
    try:
        database.check_place()
        schema = await migrate.current(database)
    except StoreError as error:
        return Finding("database", well=False, said=f"{error}: look at DATABASE_URL and at the rights of its place")
    finally:
        await database.close()
    if schema is None:
        return Finding("database", well=True, said=f"{kind}, empty: the first start makes the schema")
    if schema == migrate.NEWEST:
        return Finding("database", well=True, said=f"{kind}, schema {schema}")
    if schema not in migrate.KNOWN:
        return Finding("database", well=False, said=f"schema {schema} is newer than this program: update the program")
    return Finding("database", well=True, said=f"{kind}, schema {schema}: the next start goes to {migrate.NEWEST}")


async def _clock(now: Callable[[], datetime]) -> list[Finding]:
    async with (
        aiohttp.ClientSession(timeout=TIMEOUT) as session,
        session.get(f"{Route.BASE}/gateway") as answer,
    ):
        theirs = parsedate_to_datetime(answer.headers["Date"]) if "Date" in answer.headers else now()
    seconds = (now() - theirs).total_seconds()
    if abs(seconds) <= SKEW:
        return [Finding("clock", well=True, said=f"within {SKEW:.0f} seconds of Discord's")]
    return [Finding("clock", well=False, said=f"{seconds:+.0f} seconds off Discord's: set the time (NTP)")]


async def _discord(token: str) -> list[Finding]:
    client = discord.Client(intents=discord.Intents(guilds=True))
    try:
        await client.login(token)
        application = await client.application_info()
        faces = await client.fetch_application_emojis()
        commands = await client.http.get_global_commands(application.id)
        servers = application.approximate_guild_count
    except discord.LoginFailure:
        return [Finding("token", well=False, said="Discord does not know it: make a new one (README, Invite)")]
    finally:
        await client.close()
    found = Finding("token", well=True, said=f"{application.name}, in {servers} servers")
    return [found, _commands(len(commands)), _faces(len(faces))]


def _commands(there: int) -> Finding:
    if there:
        return Finding("commands", well=True, said=f"{there} are registered; a start says when they are old")
    return Finding("commands", well=False, said=f"none is registered: run {HOW}")


def _faces(there: int) -> Finding:
    wanted = len(face_names())
    if there >= wanted:
        return Finding("faces", well=True, said=f"{there} emojis are there")
    return Finding("faces", well=True, said=f"{there} of {wanted} emojis: the bot uploads the rest when it runs")
