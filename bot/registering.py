"""The commands as Discord knows them: registered when the host asks (`python -m bot sync`), else only compared.

What was registered last is a note in the store, a digest for each command. Why: docs/decisions/0012.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

import discord
from discord.ext import commands

from tables import Tables

NOTE: Final = "commands"
HOW: Final = "python -m bot sync"
Digests: TypeAlias = Mapping[str, str]
Bot: TypeAlias = commands.AutoShardedBot


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


async def differences(bot: Bot, tables: Tables, guild_id: int | None = None) -> Differences:
    """How the commands of this program differ from those that were registered last, everywhere or in one server.

    Raises:
        Declined: the store does not answer.
    """
    return _compared(await _registered(tables, guild_id), await _digests(bot))


async def register(bot: Bot, tables: Tables, guild_id: int | None = None) -> Differences:
    """Register the commands everywhere, or in one server at once; what changed by it. Discord is asked only if any did.

    Raises:
        discord.HTTPException: Discord refuses them.
        Declined: the store does not answer.
    """
    digests = await _digests(bot)
    found = _compared(await _registered(tables, guild_id), digests)
    if found:
        where = None if guild_id is None else discord.Object(guild_id)
        if where is not None:
            bot.tree.copy_global_to(guild=where)
        await bot.tree.sync(guild=where)
        await tables.note(_note(guild_id), json.dumps(digests))
    return found


def _note(guild_id: int | None) -> str:
    return NOTE if guild_id is None else f"{NOTE}:{guild_id}"


async def _registered(tables: Tables, guild_id: int | None) -> Digests:
    try:
        found: object = json.loads(await tables.noted(_note(guild_id)) or "{}")
    except ValueError:  # of a version that noted one digest for all
        return {}
    return cast("Digests", found) if isinstance(found, dict) else {}


def _compared(registered: Digests, digests: Digests) -> Differences:
    return Differences(
        new=tuple(sorted(digests.keys() - registered.keys())),
        changed=tuple(sorted(each for each in digests.keys() & registered.keys() if digests[each] != registered[each])),
        gone=tuple(sorted(registered.keys() - digests.keys())),
    )


async def _digests(bot: Bot) -> dict[str, str]:
    """Each command in short, words in all languages included; another for another application."""
    tree = bot.tree
    words = tree.translator
    found: dict[str, str] = {}
    for each in tree.get_commands():
        payload = await each.get_translated_payload(tree, words) if words else each.to_dict(tree)
        text = json.dumps([bot.application_id, payload], sort_keys=True, default=str)
        found[each.name] = hashlib.sha256(text.encode()).hexdigest()
    return found
