"""Compares the commands with Discord's, and registers them on demand (`python -m bot sync`).

A note in the store describes the last registration: for each command, its digest and the version that Discord assigned.
If another program has registered a command since, its version differs. For the reasons see docs/decisions/0012.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias, cast

import discord
import structlog
from discord.ext import commands

from cogs.responder import UNREACHABLE, connection_error_words, readable, within
from tables.services import Declined, Tables

NOTE: Final = "commands"
TO_LOAD: Final = 30.0
"""Seconds for comparing and registering the commands at a start."""
HOW: Final = "python -m bot sync"
Bot: TypeAlias = commands.AutoShardedBot
_log = structlog.get_logger(__name__)


def listed(changed: Mapping[str, str]) -> list[str]:
    """`new /tea`, `changed /palace`."""
    return [f"{mark} /{name}" for name, mark in changed.items()]


async def differences(bot: Bot, noted: str | None, guild_id: int | None = None) -> dict[str, str]:
    """The commands that are `new`, `changed` or `gone` compared with Discord's, globally or in one server, by name.

    `noted` is the note from the last registration. The bot must be logged in. `discord.HTTPException` if Discord
    refuses the request.
    """
    ours = await _digests(bot)
    theirs = await _versions(bot, guild_id)
    last = _parsed(noted)
    new, common, gone = ours.keys() - theirs.keys(), ours.keys() & theirs.keys(), theirs.keys() - ours.keys()
    changed = [name for name in common if last.get(name) != [ours[name], theirs[name]]]
    marked = (("new", new), ("changed", changed), ("gone", gone))
    return {name: mark for mark, names in marked for name in sorted(names)}


async def register(bot: Bot, tables: Tables, guild_id: int | None = None, *, force: bool = False) -> dict[str, str]:
    """Register the commands, globally or in one server, if they differ or with `force`; returns the differences.

    Raises:
        discord.HTTPException: Discord refuses them.
        Declined: the store does not answer.
    """
    changed = await differences(bot, await tables.read_note(note_of(guild_id)), guild_id)
    if changed or force:
        where = None if guild_id is None else discord.Object(guild_id)
        if where is not None:
            bot.tree.copy_global_to(guild=where)
        await bot.tree.sync(guild=where)
        ours, theirs = await _digests(bot), await _versions(bot, guild_id)
        noted = {name: [digest, theirs.get(name)] for name, digest in ours.items()}
        await tables.write_note(note_of(guild_id), json.dumps(noted))
    return changed


async def unregister(bot: Bot, guild_id: int) -> dict[str, str]:
    """Remove the commands registered in one server only; the global ones stay. Returns the removed ones.

    Raises `discord.HTTPException` if Discord refuses.
    """
    there = await _versions(bot, guild_id)
    await bot.tree.sync(guild=discord.Object(guild_id))  # an empty list: all commands of the bot are global
    return dict.fromkeys(sorted(there), "gone")


def note_of(guild_id: int | None) -> str:
    """The name of the note about the global commands, or about those of one server."""
    return NOTE if guild_id is None else f"{NOTE}:{guild_id}"


def _parsed(noted: str | None) -> Mapping[str, Any]:
    try:
        parsed: object = json.loads(noted or "{}")
    except ValueError:  # written by an old version, which stored one digest for all commands
        return {}
    return cast("Mapping[str, Any]", parsed) if isinstance(parsed, dict) else {}


async def _versions(bot: Bot, guild_id: int | None) -> dict[str, str]:
    """Discord's commands: name → version."""
    bot_id = bot.application_id or 0
    get = bot.http.get_global_commands(bot_id) if guild_id is None else bot.http.get_guild_commands(bot_id, guild_id)
    commands: Any = await get
    return {each["name"]: str(each.get("version")) for each in commands}


async def _digests(bot: Bot) -> dict[str, str]:
    """A digest of each command by name; it covers its words in all languages and the id of the application."""
    tree = bot.tree
    words = tree.translator
    digests: dict[str, str] = {}
    for each in tree.get_commands():
        payload = await each.get_translated_payload(tree, words) if words else each.to_dict(tree)
        text = json.dumps([bot.application_id, payload], sort_keys=True, default=str)
        digests[each.name] = hashlib.sha256(text.encode()).hexdigest()
    return digests


async def load_commands(bot: Bot, tables: Tables, sync: Literal["changed", "never"]) -> None:
    """Register the commands at a start if they have `changed`; with `never` only compare them.

    Errors are logged: Discord's commands stay usable, so the bot can start without this step.
    """
    try:
        with readable():
            async with within(TO_LOAD, bot.http):
                if sync == "never":
                    if await differences(bot, await tables.read_note(note_of(None))):
                        _log.warning("the commands differ from Discord's", what_to_do=HOW)
                elif changed := await register(bot, tables):
                    _log.info("the commands were registered", commands=listed(changed))
    except (Declined, *UNREACHABLE) as error:
        why = " ".join(str(error).split()) or connection_error_words(error)
        _log.warning("the commands could not be compared or registered", why=why, what_to_do=HOW)
