"""Statistics: `/shithead stats`, of one person or of the whole server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, private
from cogs.groups import register
from cogs.screens.stats import board_screen, score_screen


async def show_board(ctx: Context, click: Click) -> Answer:
    """Who of the server loses least."""
    return private(board_screen(await ctx.fmt(click), await ctx.tables.people.leaderboard(click.guild_id)))


async def show_own(ctx: Context, click: Click) -> Answer:
    """What the own games come to."""
    return await of_person(click.user.id)(ctx, click)


def of_person(user_id: int) -> Handler:
    """What the games of somebody come to."""

    async def show(ctx: Context, click: Click) -> Answer:
        score = await ctx.tables.people.score(click.guild_id, user_id)
        return private(score_screen(await ctx.fmt(click), user_id, score))

    return show


@app_commands.describe(player="Whose; the whole server if you say nothing")
async def stats(interaction: discord.Interaction[Any], player: discord.Member | None = None) -> None:
    """See who loses how often."""
    handler = of_person(player.id) if player else show_board
    await answer(interaction, handler, click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {"mystats": show_own}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, stats=stats)
