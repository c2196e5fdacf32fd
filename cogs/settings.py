"""Settings: `/shithead settings` for who may manage the server, `/shithead me` for everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import discord
from discord.ext import commands

from cogs.answering import answer, press_of
from cogs.desk import Answer, Desk, Doing, Press, here, private, refused
from cogs.groups import register
from cogs.ui.language import LANGUAGES, translator
from cogs.ui.lobby import known_variant
from cogs.ui.notes import quiet_note
from cogs.ui.settings import AS_DISCORD, FLAGS, NUDGES, own_screen, settings_screen
from data.models import GuildSettings, HouseRule

_SWITCHES: Final = frozenset({"polite", "four_colours"})


def for_managers(doing: Doing) -> Doing:
    """The same, but only for who may manage the server; Discord is not trusted to have asked."""

    async def checked(desk: Desk, press: Press) -> Answer:
        if press.manager:
            return await doing(desk, press)
        pen = await desk.pen(press)
        own = pen.command("me")
        return refused(pen.t("**That is for who may manage this server.** Your own settings are under {me}.", me=own))

    return checked


async def show_settings(desk: Desk, press: Press) -> Answer:
    """What the server chose."""
    settings, saved = await desk.tables.settings(press.guild_id), await desk.tables.house_rules(press.guild_id)
    return here(settings_screen(await desk.pen(press), settings, saved=saved))


async def change_settings(desk: Desk, press: Press) -> Answer:
    """The server chooses something else; its tables are drawn anew."""
    before, saved = await desk.tables.settings(press.guild_id), await desk.tables.house_rules(press.guild_id)
    after = with_choice(before, press.ids.argument, press.value, saved)
    if after is None:
        return refused(translator(press.locale)("**That setting is not known any more.** Open the page again."))
    if after != before:
        await desk.tables.set_settings(after)
        await desk.tables.redraw(press.guild_id)
    pen = await desk.pen(press)
    return here(settings_screen(pen, after, pen.t("Saved ✓"), saved))


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


async def show_own(desk: Desk, press: Press) -> Answer:
    """What the asker chose in this server."""
    chosen = await desk.tables.preferences(press.guild_id, press.user.id)
    return here(own_screen(await desk.pen(press), chosen))


async def change_own(desk: Desk, press: Press) -> Answer:
    """The asker chooses something else."""
    name, _, wanted = press.ids.argument.partition("=")
    chosen = await desk.tables.preferences(press.guild_id, press.user.id)
    if name in FLAGS and wanted in {"on", "off"}:
        chosen = chosen.model_copy(update={name: wanted == "on"})
        await desk.tables.set_preferences(chosen)
    pen = await desk.pen(press)
    return here(own_screen(pen, chosen, pen.t("Saved ✓")))


async def no_reminders(desk: Desk, press: Press) -> Answer:
    """Whoever presses this under a reminder gets no more of them in this server."""
    chosen = await desk.tables.preferences(press.guild_id, press.user.id)
    await desk.tables.set_preferences(chosen.model_copy(update={"quiet": True}))
    pen = await desk.pen(press)
    said = pen.t("Nobody reminds you here any more. {me} turns reminders on again.", me=pen.command("me"))
    return private(quiet_note(said))


async def settings(interaction: discord.Interaction[Any]) -> None:
    """Choose language, name, variant and reminders of this server."""
    await answer(interaction, for_managers(show_settings), press_of(interaction))


async def me(interaction: discord.Interaction[Any]) -> None:
    """Choose how you see the cards and whether you are reminded and counted."""
    await answer(interaction, show_own, press_of(interaction))


VERBS: Final[Mapping[str, Doing]] = {
    "settings": for_managers(show_settings),
    "guild": for_managers(change_settings),
    "me": show_own,
    "mine": change_own,
    "noping": no_reminders,
}


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    register(bot, settings=settings, me=me)
