"""Computer players in words: how well they play."""

from __future__ import annotations

from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.language import mark
from data.models import LevelName, Player

LEVELS: Final[dict[LevelName, str]] = {
    "easy": mark("easy"),
    "fair": mark("fair"),
    "strong": mark("strong"),
    "master": mark("master"),
}
_SENTENCES: Final[dict[LevelName, str]] = {
    "easy": mark("Forgetful, and not always at its best"),
    "fair": mark("Plays well, with a slip now and then"),
    "strong": mark("Remembers who took which cards"),
    "master": mark("Thinks every move through"),
}


def level_options(t: Formatter) -> list[ui.Component]:
    """The levels to choose from, the weakest first."""
    return [
        ui.option(t("Computer, {level}", level=t(words)), name, t(_SENTENCES[name])) for name, words in LEVELS.items()
    ]


def level_of(name: str) -> LevelName:
    """The level of this name; a fair one where there is none, as in a button that an older version drew."""
    levels: dict[str, LevelName] = {level: level for level in LEVELS}
    return levels.get(name, "fair")


def computer_words(t: Formatter, player: Player) -> str:
    """`computer, strong`; `computer` also for a seat that somebody left; empty for a person."""
    if player.level:
        return t("computer, {level}", level=t(LEVELS[player.level]))
    return t("computer") if player.is_computer or player.left else ""
