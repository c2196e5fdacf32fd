"""Compares the commands with those that Discord has, and registers them on demand (`python -m bot sync`).

What was registered last is a note in the store: for each command a digest of it, and the version that Discord gave it.
A command that somebody else registered since then has another version. Why: docs/decisions/0012.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import discord
import structlog

from bot.client import CardBot
from tables.services import Declined, Tables

NOTE: Final = "commands"
HOW: Final = "python -m bot sync"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Differences:
    """Names of commands that are to be registered, are registered otherwise, or are no longer there."""

    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.new or self.changed or self.gone)

    def __str__(self) -> str:
        """A line for each command."""
        marked = (("new", self.new), ("changed", self.changed), ("gone", self.gone))
        return "\n".join(f"{mark:8}/{name}" for mark, names in marked for name in names)


async def differences(bot: CardBot, noted: str | None, guild_id: int | None = None) -> Differences:
    """How the commands of this program differ from those that Discord has, everywhere or in one server.

    `noted` is what was noted when they were registered. The bot must be logged in.

    Raises:
        discord.HTTPException: Discord does not tell.
    """
    ours, theirs, last = await _digests(bot), await _versions(bot, guild_id), _parsed(noted)
    both = ours.keys() & theirs.keys()
    return Differences(
        new=tuple(sorted(ours.keys() - theirs.keys())),
        changed=tuple(sorted(each for each in both if last.get(each) != [ours[each], theirs[each]])),
        gone=tuple(sorted(theirs.keys() - ours.keys())),
    )


async def register(bot: CardBot, tables: Tables, guild_id: int | None = None, *, force: bool = False) -> Differences:
    """Register the commands everywhere, or in one server at once, if anything differs or by `force`; what differed.

    Raises:
        discord.HTTPException: Discord refuses them.
        Declined: the store does not answer.
    """
    changed = await differences(bot, await tables.noted(note_of(guild_id)), guild_id)
    if changed or force:
        where = None if guild_id is None else discord.Object(guild_id)
        if where is not None:
            bot.tree.copy_global_to(guild=where)
        await bot.tree.sync(guild=where)
        ours, theirs = await _digests(bot), await _versions(bot, guild_id)
        noted = {name: [digest, theirs.get(name)] for name, digest in ours.items()}
        await tables.note(note_of(guild_id), json.dumps(noted))
    return changed


async def unregister(bot: CardBot, guild_id: int) -> Differences:
    """Take back the commands of one server, which keeps those that are registered everywhere; what was taken back.

    Raises:
        discord.HTTPException: Discord refuses.
    """
    there = await _versions(bot, guild_id)
    await bot.tree.sync(guild=discord.Object(guild_id))  # this program has none for one server alone
    return Differences(gone=tuple(sorted(there)))


def note_of(guild_id: int | None) -> str:
    """The name of the note about the commands everywhere, or of one server."""
    return NOTE if guild_id is None else f"{NOTE}:{guild_id}"


def _parsed(noted: str | None) -> Mapping[str, Any]:
    try:
        parsed: object = json.loads(noted or "{}")
    except ValueError:  # of a version that noted one digest for all
        return {}
    return cast("Mapping[str, Any]", parsed) if isinstance(parsed, dict) else {}


async def _versions(bot: CardBot, guild_id: int | None) -> dict[str, str]:
    """The commands that Discord has, each with its version."""
    ask, own = bot.http, bot.application_id or 0
    commands: Any = await (ask.get_global_commands(own) if guild_id is None else ask.get_guild_commands(own, guild_id))
    return {each["name"]: str(each.get("version")) for each in commands}


async def _digests(bot: CardBot) -> dict[str, str]:
    """Each command in short, words in all languages included; another for another application."""
    tree = bot.tree
    words = tree.translator
    digests: dict[str, str] = {}
    for each in tree.get_commands():
        payload = await each.get_translated_payload(tree, words) if words else each.to_dict(tree)
        text = json.dumps([bot.application_id, payload], sort_keys=True, default=str)
        digests[each.name] = hashlib.sha256(text.encode()).hexdigest()
    return digests


async def _register_changed(bot: CardBot) -> None:
    if changed := await register(bot, bot.tables):
        _log.info("the commands were registered", commands=str(changed).split())


async def _compare(bot: CardBot) -> None:
    if await differences(bot, await bot.tables.noted(note_of(None))):
        _log.warning("the commands are not those that Discord has", what_to_do=HOW)


def _if_possible(look: Callable[[CardBot], Awaitable[None]]) -> Callable[[CardBot], Awaitable[None]]:
    """The commands that Discord has stay usable, so that a start need not fail by this."""

    async def looked(bot: CardBot) -> None:
        try:
            await look(bot)
        except (Declined, discord.HTTPException) as error:
            why = " ".join(str(error).split())
            _log.warning("the commands could not be compared or registered", why=why, what_to_do=HOW)

    return looked


COMMANDS_LOADED: Final[Mapping[str, Callable[[CardBot], Awaitable[object]]]] = {
    "always": lambda bot: bot.tree.sync(),
    "changed": _if_possible(_register_changed),
    "never": _if_possible(_compare),
}
