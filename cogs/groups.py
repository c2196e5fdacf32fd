"""The commands of the game, which stand under two names: `/shithead` and, for polite company, `/palace`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final, TypeAlias

import discord
from discord import app_commands
from discord.ext import commands

NAMES: Final = ("shithead", "palace")
Callback: TypeAlias = Callable[..., Coroutine[Any, Any, None]]


def register(bot: commands.Bot, **callbacks: Callback) -> None:
    """Put commands under both names; what a function says of itself describes its command."""
    for name in NAMES:
        _fill(_group(bot, name), callbacks)


def register_under(bot: commands.Bot, name: str, description: str, **callbacks: Callback) -> None:
    """Put commands into a group of their own under both names: `/shithead privacy show`."""
    for parent in NAMES:
        group = app_commands.Group(name=name, description=description)
        _fill(group, callbacks)
        _group(bot, parent).add_command(group, override=True)


def _fill(group: app_commands.Group, callbacks: Mapping[str, Callback]) -> None:
    for command, callback in callbacks.items():
        summary = (callback.__doc__ or "").strip().rstrip(".")
        group.add_command(app_commands.Command(name=command, description=summary, callback=callback))


def _group(bot: commands.Bot, name: str) -> app_commands.Group:
    found = bot.tree.get_command(name)
    if isinstance(found, app_commands.Group):
        return found
    made = app_commands.Group(
        name=name,
        description="The card game Shithead" if name == "shithead" else "The card game Palace",
        guild_only=True,
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
    )
    bot.tree.add_command(made)
    return made


def permissions_missing(interaction: discord.Interaction[Any]) -> list[str]:
    """What the bot may not do in this channel but needs for a table; Discord's own names of the permissions."""
    may = interaction.app_permissions
    channel = interaction.channel
    thread = isinstance(channel, discord.Thread)
    sends = may.send_messages_in_threads if thread else may.send_messages
    needed = {"View Channel": may.view_channel, "Send Messages in Threads" if thread else "Send Messages": sends}
    if isinstance(channel, discord.Thread) and channel.locked:
        needed["Manage Threads"] = may.manage_threads
    return [name for name, granted in needed.items() if not granted]
