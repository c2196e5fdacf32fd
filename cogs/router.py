"""Every click, choice and form arrives here; its id says which function does it.

Unknown, old and foreign ids get a polite answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord.ext import commands

from cogs import house, lobby, past, play, privacy, rules, saved, settings, stats, tea, tutorial
from cogs.answering import NOT_THERE, answer, click_of, ids_of, paused_at, tell_why_paused
from cogs.context import Answer, Click, Context, Handler
from tables.snapshots import Decline, Declined

AT_TABLE: Final[Mapping[str, Handler]] = {
    **lobby.VERBS,
    **play.VERBS,
    **rules.VERBS,
    **house.VERBS,
    **saved.AT_TABLE,
    "served": tea.mark_game_served,
    **past.AT_TABLE,
}
VERBS: Final[Mapping[str, Handler]] = {
    **tea.VERBS,  # what is owed is a matter of the whole server
    **past.VERBS,
    **stats.VERBS,
    **privacy.VERBS,
    **settings.VERBS,
    **saved.VERBS,
    **tutorial.VERBS,
    **AT_TABLE,
}
_OURS: Final = (discord.InteractionType.component, discord.InteractionType.modal_submit)


class Router(commands.Cog):
    """Listens for interactions that are no commands."""

    @commands.Cog.listener()
    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Find who does it and have it done."""
        if interaction.type not in _OURS:
            return
        ids = ids_of(interaction) or NOT_THERE
        click = click_of(interaction, ids)
        paused = paused_at(interaction, click)
        await answer(interaction, VERBS.get(ids.verb, unknown), click)
        await tell_why_paused(interaction, click, paused)


async def unknown(ctx: Context, click: Click) -> Answer:  # noqa: ARG001 - as all that do a verb
    """A button that no version of the bot knows any more."""
    raise Declined(Decline.UNKNOWN_TABLE)


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.add_cog(Router())
