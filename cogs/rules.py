"""The rules, in words made from the options: of a table, or of any variant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Doing, Press, private
from cogs.groups import register
from cogs.lobby import suggest
from cogs.ui.pages import rules_screen


async def show_rules(desk: Desk, press: Press) -> Answer:
    """The rules of the table whose button was pressed."""
    table = (await desk.tables.shown(press.table)).table
    seats = len(table.players) if table.status != "lobby" else None
    return private(rules_screen(await desk.pen(press), table.variant, table.rules, seats, table.title))


def rules_of(variant: str | None) -> Doing:
    """The rules of a variant or of saved house rules, or those of the channel's table, or the server's usual ones."""

    async def show(desk: Desk, press: Press) -> Answer:
        if variant is None and await desk.tables.table_in(press.guild_id, press.channel_id) is not None:
            return await show_rules(desk, await desk.placed(press))
        name = variant or (await desk.tables.settings(press.guild_id)).variant
        found = await desk.tables.named(press.guild_id, name)
        return private(rules_screen(await desk.pen(press), found.variant, found.rules, saved_as=found.title))

    return show


@app_commands.describe(variant="Which rules; those of this channel's table if you say nothing")
@app_commands.autocomplete(variant=suggest)
async def rules(interaction: discord.Interaction[Any], variant: str | None = None) -> None:
    """Read the rules of this table, or of any variant."""
    await answer(interaction, rules_of(variant), press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {"rules": show_rules}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, rules=rules)
