"""Settings: of a server, for who may manage it, and of a person in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cogs.screens.components as ui
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id
from cogs.screens.language import LANGUAGES, mark
from cogs.screens.rule_words import offers, within
from cogs.screens.rules_screens import more_time
from data.models import GuildSettings, HouseRule, Preferences

NUDGES: Final = (0, 30, 60, 120, 300, 600)
"""Seconds after which somebody is reminded, for a server to choose from; 0 is never."""
AS_DISCORD: Final = "auto"
_OWN: Final = (
    ("text_mode", mark("Text mode"), mark("all in words: cards, buttons and, in your hand, the whole table")),
    ("four_colours", mark("Four colours"), mark("♦︎ blue and ♣︎ green in your hand")),
    ("quiet", mark("No reminders"), mark("nobody mentions you when your turn waits")),
    ("uncounted", mark("No statistics"), mark("you are on no board, and nobody can ask for your numbers")),
)
FLAGS: Final = frozenset(name for name, _, _ in _OWN)


def settings_screen(
    t: Formatter, settings: GuildSettings, notice: str = "", saved: Sequence[HouseRule] = ()
) -> ui.Screen:
    """What a server chose, each thing to be changed at once."""
    name = replace(t, polite=settings.polite).game()
    colours = t("four colours on the table") if settings.four_colours else t("two colours on the table")
    told = t("The game is called {name}, with {colours}.", name=name, colours=colours)
    selects = (
        ("locale", _languages(t, settings), t("Language of the tables")),
        ("variant", _variants(t, settings, saved), t("Variant when nobody says one")),
        ("nudge", _nudges(t, settings), t("Reminder when a turn waits")),
    )
    parts = [
        ui.lines(ui.small(notice), ui.h2(t("Settings of this server")), told),
        ui.divider(),
        *(
            ui.select(format_id("guild", argument=what), options[: ui.MOST_OPTIONS], title)
            for what, options, title in selects
        ),
        ui.row(
            _switch("guild", "polite", t("Polite name: Palace"), on=settings.polite),
            _switch("guild", "four_colours", t("Four colours"), on=settings.four_colours),
        ),
        ui.row(
            ui.button(format_id("houses"), t("Saved house rules")), ui.button(format_id("me"), t("My own settings"))
        ),
    ]
    return ui.container(ui.Accent.BLUE, parts)


def _languages(t: Formatter, settings: GuildSettings) -> list[ui.Component]:
    first = ui.option(t("Language: as this server has it on Discord"), AS_DISCORD, default=settings.locale is None)
    every = LANGUAGES.values()
    own = [
        ui.option(t("Language: {name}", name=each.name), each.code, default=settings.locale == each.code)
        for each in every
    ]
    return [first, *own]


def _variants(t: Formatter, settings: GuildSettings, saved: Sequence[HouseRule]) -> list[ui.Component]:
    return [
        ui.option(t("Variant: {name}", name=each.title), each.key, each.sentence, default=each.key == settings.variant)
        for each in within(offers(t, saved), settings.variant)
    ]


def _nudges(t: Formatter, settings: GuildSettings) -> list[ui.Component]:
    made: list[ui.Component] = []
    for seconds in sorted({*NUDGES, settings.nudge_seconds}):
        after = t.n("Reminder after {count} second", "Reminder after {count} seconds", seconds)
        label = after if seconds else t("Reminder: never")
        made.append(ui.option(label, str(seconds), default=seconds == settings.nudge_seconds))
    return made


def _switch(verb: str, name: str, label: str, *, on: bool) -> ui.Component:
    """A switch; the id says what it shall become, so that pressing twice does not undo it."""
    return ui.toggle(format_id(verb, argument=f"{name}={'off' if on else 'on'}"), label, on=on)


def own_screen(t: Formatter, chosen: Preferences, notice: str = "") -> ui.Screen:
    """What a person chose in a server."""
    told, switches, flags = list[str](), list[ui.Component](), chosen.model_dump()
    for name, title, what in _OWN:
        state = t("on") if flags[name] else t("off")
        told.append(t("**{title}** · {what} · {state}", title=t(title), what=t(what), state=state))
        switches.append(_switch("mine", name, t(title), on=flags[name]))
    head = ui.lines(ui.small(notice), ui.h2(t("Your settings")), ui.small(t("For this server; you alone see this")))
    ways = [
        ui.row(*switches[:2]),
        ui.row(*switches[2:]),
        ui.row(ui.button(format_id("stored"), t("What is stored of me"))),
    ]
    return ui.container(ui.Accent.BLUE, [head, ui.lines(*told, ui.small(more_time(t))), ui.divider(), *ways])
