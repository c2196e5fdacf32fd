"""Statistics: `/shithead stats`, of one person or of the whole server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord import app_commands
from discord.ext import commands

from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Doing, Press, private
from cogs.groups import register
from cogs.ui.stats import board_screen, score_screen


async def show_board(desk: Desk, press: Press) -> Answer:
    """Who of the server loses least."""
    return private(board_screen(await desk.pen(press), await desk.tables.leaderboard(press.guild_id)))


async def show_own(desk: Desk, press: Press) -> Answer:
    """What the own games come to."""
    return await of_person(press.user.id)(desk, press)


def of_person(user_id: int) -> Doing:
    """What the games of somebody come to."""

    async def show(desk: Desk, press: Press) -> Answer:
        score = await desk.tables.score(press.guild_id, user_id)
        return private(score_screen(await desk.pen(press), user_id, score))

    return show


@app_commands.describe(player="Whose; the whole server if you say nothing")
async def stats(interaction: discord.Interaction[Any], player: discord.Member | None = None) -> None:
    """See who loses how often."""
    doing = of_person(player.id) if player else show_board
    await answer(interaction, doing, press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {"mystats": show_own}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, stats=stats)
