"""The help: what the bot does and how to begin."""

from __future__ import annotations

from typing import Any

import discord
from discord.ext import commands

from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Press, private
from cogs.groups import register
from cogs.ui.pages import help_screen


async def show_help(desk: Desk, press: Press) -> Answer:
    """How to begin."""
    return private(help_screen(await desk.pen(press)))


async def helped(interaction: discord.Interaction[Any]) -> None:
    """How to play and what to press."""
    await answer(interaction, show_help, press_of(interaction))


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, help=helped)
