"""The commands in the language of whoever types them: what discord.py asks when it registers them with Discord."""

from __future__ import annotations

from typing import Final

import discord
from discord import app_commands
from discord.app_commands import TranslationContextLocation as Place
from discord.ext import commands

from cogs.screens.language import translator

_CONTEXTS: Final = {
    Place.command_name: "command",
    Place.group_name: "command",
    Place.parameter_name: "option",
    Place.choice_name: "choice",
}


class CommandWords(app_commands.Translator):
    """Looks the words up in the catalogues; what is the same as in English is left to Discord."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        """The words in this language, None where they stay as they are."""
        t, text = translator(locale.value), string.message.removesuffix(".")
        kind = _CONTEXTS.get(context.location)
        said = t.c(kind, text) if kind else t(text)
        return None if said == text else said


async def setup(bot: commands.Bot) -> None:
    """Called by discord.py when the extension is loaded."""
    await bot.tree.set_translator(CommandWords())
