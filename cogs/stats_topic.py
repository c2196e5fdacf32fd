"""Statistics: `/shithead stats`, of one person or of the whole server."""

from __future__ import annotations

import discord

from cogs.clicks import Answer, Click, private
from cogs.screens.settings_screens import ranks_screen, score_screen, strength_screen
from cogs.topics import Context, Topic

topic = Topic()


@topic.command("stats", "See who loses how often", player="Whose (default: the whole server)")
async def show_stats(ctx: Context, click: Click, player: discord.User | None = None) -> Answer:
    """Show the statistics of a person, or by default the leaderboard of the server."""
    if player is not None:
        return await _of_person(ctx, click, player.id)
    return private(ranks_screen(ctx.t, await ctx.tables.people.leaderboard(click.guild_id)))


@topic.button("mystats")
async def show_own(ctx: Context, click: Click) -> Answer:
    return await _of_person(ctx, click, click.user.id)


@topic.button("strength")
async def show_strength(ctx: Context, click: Click) -> Answer:
    """Show how well the people and the computer levels of the server play."""
    return private(strength_screen(ctx.t, await ctx.tables.people.strengths(click.guild_id)))


async def _of_person(ctx: Context, click: Click, user_id: int) -> Answer:
    return private(score_screen(ctx.t, user_id, await ctx.tables.people.score(click.guild_id, user_id)))
