"""Settings: `/shithead settings` for people who can manage the server, `/shithead me` for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cogs.screens.components as ui
from cogs.clicks import Answer, Click, here, private, refused
from cogs.screens.language import LANGUAGES
from cogs.screens.settings_screens import AS_DISCORD, FLAGS, NUDGES, own_screen, settings_screen
from cogs.topics import Context, Topic
from data.guild_models import GuildSettings, HouseRule
from game.variants import variants

topic = Topic()
_SWITCHES: Final = frozenset(name for name, field in GuildSettings.model_fields.items() if field.annotation is bool)


@topic.command("settings", "Settings of this server, for managers: language, name, variant, reminders", managers=True)
@topic.button("settings", managers=True)
async def show_settings(ctx: Context, click: Click) -> Answer:
    saved = await ctx.tables.servers.house_rules(click.guild_id)
    return here(settings_screen(ctx.t, ctx.settings, saved=saved, pictures=ctx.pictures))


@topic.button("guild", managers=True)
async def change_settings(ctx: Context, click: Click) -> Answer:
    """Change a setting of the server and redraw its tables."""
    saved = await ctx.tables.servers.house_rules(click.guild_id)
    after = with_choice(ctx.settings, click.argument, click.value, saved)
    if after is None:
        return refused(ctx.t("**That setting no longer exists.** Open the page again."))
    await ctx.tables.servers.choose(ctx.settings, after)  # even if unchanged: a table may show older ones
    t = ctx._replace(settings=after).t
    return here(settings_screen(t, after, t("Saved ✓"), saved, pictures=ctx.pictures))


def with_choice(settings: GuildSettings, what: str, value: str, saved: Sequence[HouseRule]) -> GuildSettings | None:
    """The settings with `what` set to `value`; None if there is no such setting or value."""
    name, _, wanted = what.partition("=")
    if name in _SWITCHES and wanted in {"on", "off"}:
        return settings.model_copy(update={name: wanted == "on"})
    if what == "locale" and value in {*LANGUAGES, AS_DISCORD}:
        return settings.but(locale=None if value == AS_DISCORD else value)
    if what == "variant" and (value in variants() or value in [each.key for each in saved]):
        return settings.but(variant=value)
    if what == "nudge" and value in {str(each) for each in (*NUDGES, settings.nudge_seconds)}:
        return settings.but(nudge_seconds=int(value))
    return None


@topic.command("me", "Your settings: text mode, colours, reminders, statistics")
@topic.button("me")
async def show_own(ctx: Context, _: Click) -> Answer:
    return here(own_screen(ctx.t, ctx.preferences))


@topic.button("mine")
async def change_own(ctx: Context, click: Click) -> Answer:
    name, _, wanted = click.argument.partition("=")
    if name not in FLAGS or wanted not in {"on", "off"}:
        return refused(ctx.t("**That setting no longer exists.** Open the page again."))
    chosen = ctx.preferences.model_copy(update={name: wanted == "on"})
    # The language is stored only for the digest; switching that forgets an earlier refusal.
    refused_at = None if name == "digest" else chosen.refused_at
    chosen = chosen.but(locale=click.locale if chosen.digest else None, refused_at=refused_at)
    await ctx.tables.people.choose(ctx.preferences, chosen)
    t = ctx._replace(preferences=chosen).t
    return here(own_screen(t, chosen, t("Saved ✓")))


@topic.button("noping")
async def no_reminders(ctx: Context, _: Click) -> Answer:
    """Switch reminders off for this person in this server, by the button under a reminder."""
    await ctx.tables.people.choose(ctx.preferences, ctx.preferences.but(quiet=True))
    t = ctx.t
    sentence = t("You won’t be reminded here any more. {me} turns reminders back on.", me=t.command("me"))
    return private(ui.note(ui.Accent.GREY, sentence))
