"""Privacy: `/shithead privacy show`, `export` and `delete`. What is stored and for how long stands in PRIVACY.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import discord
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, here, refused, told
from cogs.groups import register_under
from cogs.screens.privacy import FILE, erase_screen, export_screen, stored_file, stored_screen


async def show_stored(ctx: Context, click: Click) -> Answer:
    """How much is stored of the asker."""
    stored = await ctx.tables.people.stored(click.user.id)
    return here(stored_screen(await ctx.fmt(click), stored, click.guild_id))


async def export_stored(ctx: Context, click: Click) -> Answer:
    """Everything that is stored of the asker, as a file."""
    stored = await ctx.tables.people.stored(click.user.id)
    data = stored_file(stored, click.user.id, discord.utils.snowflake_time(click.id))
    return Answer("private", export_screen(await ctx.fmt(click)), files=((FILE, data),))


async def ask_to_erase(ctx: Context, click: Click) -> Answer:
    """The question before the asker is forgotten."""
    return here(erase_screen(await ctx.fmt(click)))


async def erase(ctx: Context, click: Click) -> Answer:
    """The asker becomes a former player."""
    t = (await ctx.fmt(click)).t
    if not await ctx.tables.people.forget(click.user.id):
        return refused(t("**You are at a table that is in use.** Finish the game or leave the lobby, then ask again."))
    return told(t("Forgotten. Nothing that is stored here leads to you any more."))


async def show(interaction: discord.Interaction[Any]) -> None:
    """See what is stored about you."""
    await answer(interaction, show_stored, click_of(interaction))


async def export(interaction: discord.Interaction[Any]) -> None:
    """Download everything that is stored about you."""
    await answer(interaction, export_stored, click_of(interaction))


async def delete(interaction: discord.Interaction[Any]) -> None:
    """Have everything about you forgotten."""
    await answer(interaction, ask_to_erase, click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {
    "stored": show_stored,
    "export": export_stored,
    "erase": ask_to_erase,
    "forget": erase,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register_under(bot, "privacy", "What is stored about you", show=show, export=export, delete=delete)
