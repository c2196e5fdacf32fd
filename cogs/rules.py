"""The rules, in words made from the options: of a table, or of any variant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, private
from cogs.groups import register
from cogs.lobby import suggest
from cogs.screens.pages import rules_screen


async def show_rules(ctx: Context, click: Click) -> Answer:
    """The rules of the table whose button was pressed."""
    table = (await ctx.tables.play.look(click.request)).table
    seats = len(table.players) if table.status != "lobby" else None
    return private(rules_screen(await ctx.fmt(click), table.variant, table.rules, seats, table.title))


def rules_of(variant: str | None) -> Handler:
    """The rules of a variant or of saved house rules, or those of the channel's table, or the server's usual ones."""

    async def show(ctx: Context, click: Click) -> Answer:
        if variant is None and await ctx.tables.play.in_channel(click.guild_id, click.channel_id) is not None:
            return await show_rules(ctx, await ctx.placed(click))
        name = variant or (await ctx.tables.servers.settings(click.guild_id)).variant
        found = await ctx.tables.servers.named(click.guild_id, name)
        return private(rules_screen(await ctx.fmt(click), found.variant, found.rules, saved_as=found.title))

    return show


@app_commands.describe(variant="Which rules; those of this channel's table if you say nothing")
@app_commands.autocomplete(variant=suggest)
async def rules(interaction: discord.Interaction[Any], variant: str | None = None) -> None:
    """Read the rules of this table, or of any variant."""
    await answer(interaction, rules_of(variant), click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {"rules": show_rules}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, rules=rules)
