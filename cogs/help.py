"""The help: what the bot does and how to begin."""

from __future__ import annotations

from typing import Any

import discord
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, private
from cogs.groups import register
from cogs.screens.pages import help_screen


async def show_help(ctx: Context, click: Click) -> Answer:
    """How to begin."""
    return private(help_screen(await ctx.fmt(click)))


async def helped(interaction: discord.Interaction[Any]) -> None:
    """How to play and what to press."""
    await answer(interaction, show_help, click_of(interaction))


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, help=helped)
