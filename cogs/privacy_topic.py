"""Privacy: `/shithead privacy show`, `export` and `delete`. PRIVACY.md says what is stored and for how long."""

from __future__ import annotations

import asyncio

import discord

from cogs.clicks import Answer, Click, here, notice, refused
from cogs.screens.ids import message_url
from cogs.screens.settings_screens import export_screen, forget_screen, stored_file, stored_screen
from cogs.topics import Context, Topic

topic = Topic("privacy", "What is stored about you")


@topic.command("show", "See what is stored about you", in_help="See, download or delete what is stored about you")
@topic.button("stored")
async def show_stored(ctx: Context, click: Click) -> Answer:
    return here(stored_screen(ctx.t, await ctx.tables.people.stored(click.user.id), click.guild_id))


@topic.command("export", "Download everything that is stored about you", in_help="")
@topic.button("export")
async def export_stored(ctx: Context, click: Click) -> Answer:
    """Send everything that is stored about the person who asks, as a file."""
    stored, now = await ctx.tables.people.stored(click.user.id), discord.utils.snowflake_time(click.id)
    # In a thread: after hundreds of games it takes long enough to hold up the clicks of everybody.
    name, content = await asyncio.to_thread(stored_file, stored, click.user.id, now)
    return Answer("private", export_screen(ctx.t, name), files={name: content})


@topic.command("delete", "Delete everything that is stored about you", in_help="")
@topic.button("erase", "forget")
async def forget(ctx: Context, click: Click) -> Answer:
    """Ask first. Then delete all about the person; where a game needs a player, a former player takes their place."""
    t, is_confirmed = ctx.t, click.verb == "forget"
    if at := await ctx.tables.people.forget(click.user.id, is_confirmed=is_confirmed):
        at_table = t("**You are still at a table**, or the computer is finishing a game for you.")
        link = f"[{t('Go to the table')}]({message_url(at)})"
        return refused(t.sentences(at_table, t("Leave the lobby, or ask again when the game is over."), link))
    if not is_confirmed:
        return here(forget_screen(t))
    return notice(t("Done. Nothing stored here can be traced to you any more."))
