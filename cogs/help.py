"""The help: what the bot does and how to begin."""

from __future__ import annotations

from typing import Any

import discord
from discord.ext import commands

from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Press, private
from cogs.groups import Callback, register
from cogs.ui.pages import help_screen


async def show_help(desk: Desk, press: Press) -> Answer:
    """How to begin."""
    return private(help_screen(await desk.pen(press)))


async def helped(interaction: discord.Interaction[Any]) -> None:
    """How to play and what to press."""
    await answer(interaction, show_help, press_of(interaction))


def named(name: str, callback: Callback) -> Callback:
    """The function under the name of its command, where Python has the name for itself."""
    callback.__name__ = name
    return callback


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, named("help", helped))
