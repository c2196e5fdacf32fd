"""Lets all bots of a process share what discord.py has read of their slash commands.

A bot reads the signatures of its commands once, when it is made. A test makes a bot, and would read them all again.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# It exchanges what makes a command, and copies commands as discord.py copies them into groups.

from __future__ import annotations

from typing import Any, TypeAlias

from discord import app_commands

from cogs import interactions
from cogs.topics import Command

Made: TypeAlias = app_commands.Command[Any, Any, None]


def share_commands() -> None:
    """From now on each command is made once, and every bot gets copies of it."""
    make = interactions._registered
    kept = dict[int, tuple[Command, Made]]()

    def copied(command: Command) -> Made:
        if id(command) not in kept:
            kept[id(command)] = command, make(command)  # which also keeps its id from being given to another
        return kept[id(command)][1]._copy_with(parent=None, binding=None)

    interactions._registered = copied
