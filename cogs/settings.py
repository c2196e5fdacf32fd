"""Settings: `/shithead settings` for who may manage the server, `/shithead me` for everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord.ext import commands

from cogs.answering import answer, click_of
from cogs.context import Answer, Click, Context, Handler, here, private, refused
from cogs.groups import register
from cogs.screens.language import LANGUAGES, translator
from cogs.screens.lobby import known_variant
from cogs.screens.notes import quiet_note
from cogs.screens.settings import AS_DISCORD, FLAGS, NUDGES, own_screen, settings_screen
from data.guild_models import GuildSettings, HouseRule

_SWITCHES: Final = frozenset({"polite", "four_colours"})


def for_managers(handler: Handler) -> Handler:
    """The same, but only for who may manage the server; Discord is not trusted to have asked."""

    async def checked(ctx: Context, click: Click) -> Answer:
        if click.manager:
            return await handler(ctx, click)
        fmt = await ctx.fmt(click)
        own = fmt.command("me")
        return refused(fmt.t("**That is for who may manage this server.** Your own settings are under {me}.", me=own))

    return checked


async def show_settings(ctx: Context, click: Click) -> Answer:
    """What the server chose."""
    settings, saved = (
        await ctx.tables.servers.settings(click.guild_id),
        await ctx.tables.servers.house_rules(click.guild_id),
    )
    return here(settings_screen(await ctx.fmt(click), settings, saved=saved))


async def change_settings(ctx: Context, click: Click) -> Answer:
    """The server chooses something else; its tables are drawn anew."""
    before, saved = (
        await ctx.tables.servers.settings(click.guild_id),
        await ctx.tables.servers.house_rules(click.guild_id),
    )
    after = with_choice(before, click.ids.argument, click.value, saved)
    if after is None:
        return refused(translator(click.locale)("**That setting is not known any more.** Open the page again."))
    if after != before:
        await ctx.tables.servers.choose(after)
    fmt = await ctx.fmt(click)
    return here(settings_screen(fmt, after, fmt.t("Saved ✓"), saved))


def with_choice(
    settings: GuildSettings, what: str, value: str, saved: Sequence[HouseRule] = ()
) -> GuildSettings | None:
    """The settings with one thing changed; None where that cannot be."""
    name, _, wanted = what.partition("=")
    if name in _SWITCHES and wanted in {"on", "off"}:
        return settings.model_copy(update={name: wanted == "on"})
    if what == "locale" and value in {*LANGUAGES, AS_DISCORD}:
        return settings.model_copy(update={"locale": None if value == AS_DISCORD else value})
    if what == "variant" and (known_variant(value) or value in [each.key for each in saved]):
        return settings.model_copy(update={"variant": value})
    if what == "nudge" and value in {str(each) for each in (*NUDGES, settings.nudge_seconds)}:
        return settings.model_copy(update={"nudge_seconds": int(value)})
    return None


async def show_own(ctx: Context, click: Click) -> Answer:
    """What the asker chose in this server."""
    chosen = await ctx.tables.people.preferences(click.guild_id, click.user.id)
    return here(own_screen(await ctx.fmt(click), chosen))


async def change_own(ctx: Context, click: Click) -> Answer:
    """The asker chooses something else."""
    name, _, wanted = click.ids.argument.partition("=")
    chosen = await ctx.tables.people.preferences(click.guild_id, click.user.id)
    if name in FLAGS and wanted in {"on", "off"}:
        chosen = chosen.model_copy(update={name: wanted == "on"})
        await ctx.tables.people.choose(chosen)
    fmt = await ctx.fmt(click)
    return here(own_screen(fmt, chosen, fmt.t("Saved ✓")))


async def no_reminders(ctx: Context, click: Click) -> Answer:
    """Whoever presses this under a reminder gets no more of them in this server."""
    chosen = await ctx.tables.people.preferences(click.guild_id, click.user.id)
    await ctx.tables.people.choose(chosen.model_copy(update={"quiet": True}))
    fmt = await ctx.fmt(click)
    said = fmt.t("Nobody reminds you here any more. {me} turns reminders on again.", me=fmt.command("me"))
    return private(quiet_note(said))


async def settings(interaction: discord.Interaction[Any]) -> None:
    """Choose language, name, variant and reminders of this server."""
    await answer(interaction, for_managers(show_settings), click_of(interaction))


async def me(interaction: discord.Interaction[Any]) -> None:
    """Choose how you see the cards and whether you are reminded and counted."""
    await answer(interaction, show_own, click_of(interaction))


VERBS: Final[Mapping[str, Handler]] = {
    "settings": for_managers(show_settings),
    "guild": for_managers(change_settings),
    "me": show_own,
    "mine": change_own,
    "noping": no_reminders,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, settings=settings, me=me)
