"""Finds the screens by name, so that the bot need not import them, and hands the painter what it draws with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from bot.shown import TableShown
from data.models import GuildSettings


class Drawing:
    """Draws public messages: in the language of the server, under its name for the game, with the faces there are."""

    def __init__(self, faces: Callable[[], Any], locale_of: Callable[[int], str]) -> None:
        """`faces` gives the faces of the moment, `locale_of` the language that a server has on Discord."""
        self._faces, self._locale_of = faces, locale_of
        self._pen: Any = import_module("cogs.ui.faces").Pen
        self._translator: Any = import_module("cogs.ui.language").translator
        self._public: Any = import_module("cogs.ui.public").public_screen
        self._nudge: Any = import_module("cogs.ui.nudge").nudge_screen
        self._portrayed: Any = import_module("cogs.portrait").portrayed
        self._prepared: Any = import_module("cogs.prepared").Prepared

    def _pen_for(self, settings: GuildSettings) -> Any:
        locale = settings.locale or self._locale_of(settings.guild_id)
        faces = replace(self._faces(), four_colours=settings.four_colours)
        return self._pen(self._translator(locale), faces, settings.polite)

    def table(self, shown: TableShown, settings: GuildSettings) -> Any:
        """The one public message of a table."""
        return self._prepared(self._public(self._pen_for(settings), shown))

    async def end(self, shown: TableShown, settings: GuildSettings) -> Any:
        """The end of a game with its picture."""
        screen, pictures = await self._portrayed(self._pen_for(settings), shown)
        return self._prepared(screen, pictures)

    def nudge(self, shown: TableShown, settings: GuildSettings, user_id: int) -> Any:
        """The reminder for the person on turn."""
        return self._prepared(self._nudge(self._pen_for(settings), shown, user_id))


def no_faces() -> Any:
    """Cards as text."""
    return import_module("cogs.ui.faces").Faces()
