"""House rules that a server saved: the list, one of them, and saving those of a table under a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogs.screens.components import (
    Accent,
    Component,
    Screen,
    Style,
    button,
    container,
    divider,
    field,
    h2,
    lines,
    modal,
    option,
    row,
    select,
    small,
)
from cogs.screens.formatter import Formatter
from cogs.screens.ids import format_id, key_of
from cogs.screens.names import bold, escaped
from cogs.screens.offers import from_words
from cogs.screens.rulewords import differences
from cogs.screens.wording import base_rules
from data.models import HouseRule, Table

LONGEST_NAME: Final = 30
NAME: Final = "name"


def houses_screen(t: Formatter, saved: Sequence[HouseRule], usual: str, notice: str = "") -> Screen:
    """All that a server saved; `usual` is the key of what it plays when nobody says anything."""
    said = [_line(t, each, usual) for each in saved]
    empty = t(
        "None yet. Open a table, change its rules under **More**, **House rules**, then press **Save for this server**."
    )
    parts: list[Component] = [lines(small(notice), h2(t("Saved house rules")), *(said or [empty])), divider()]
    if saved:
        each_one = [option(each.name, str(each.id), from_words(t, each.variant, each.rules)) for each in saved]
        parts.append(select(format_id("saved"), each_one, t("Read, delete or make usual …")))
    return container(Accent.BLUE, [*parts, row(button(format_id("settings"), t("Settings of this server")))])


def _line(t: Formatter, saved: HouseRule, usual: str) -> str:
    told = t("{name} · {origin}", name=bold(saved.name), origin=from_words(t, saved.variant, saved.rules))
    return t("{rules} · usual here", rules=told) if saved.key == usual else told


def saved_screen(t: Formatter, saved: HouseRule, usual: str) -> Screen:
    """One of them, with what differs from its variant, and what can be done with it."""
    number, is_usual = str(saved.id), saved.key == usual
    label = t("Usual here ✓") if is_usual else t("Make usual here")
    return container(
        Accent.BLUE,
        [
            lines(h2(escaped(saved.name)), small(from_words(t, saved.variant, saved.rules))),
            lines(*_changed(t, saved)),
            divider(),
            row(
                button(format_id("usual", argument=number), label, Style.GREEN, disabled=is_usual),
                button(format_id("unsave", argument=number), t("Delete"), Style.RED),
                button(format_id("houses"), t("Back")),
            ),
        ],
    )


def _changed(t: Formatter, saved: HouseRule) -> list[str]:
    return differences(t, saved.rules, base_rules(saved.variant))


def name_form(t: Formatter, table: Table) -> Component:
    """Asks for the name to save a table's rules under."""
    asked = field(NAME, t("Name, up to 30 characters"), value=table.title, most=LONGEST_NAME)
    return modal(key_of(table)("keepas"), t("Save for this server"), asked)


def taken_screen(t: Formatter, table: Table, saved: HouseRule) -> Screen:
    """Asks whether to replace what has the name already."""
    key = key_of(table)
    return container(
        Accent.RED,
        [
            lines(
                t("**House rules called {name} are saved already.**", name=escaped(saved.name)),
                small(from_words(t, saved.variant, saved.rules)),
                t("Put the rules of this table in their place?"),
            ),
            row(
                button(key("keepover", str(saved.id)), t("Replace"), Style.RED),
                button(key("keep"), t("Take another name")),
                button(key("house"), t("Back")),
            ),
        ],
    )
