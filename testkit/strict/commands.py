"""Checks slash commands and choices (docs.discord.com: interactions/application-commands)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from discord import Locale

from testkit.strict.notes import Data, Notes

LOCALES: Final = frozenset(locale.value for locale in Locale)
NAME: Final = re.compile(r"[-_'\w]{1,32}")
GROUPED: Final = {1, 2}
"""The types of options that are subcommands or groups of them."""


class Commands(Notes):
    """Checks commands as they are registered, and the choices that are suggested for their options."""

    def commands(self, commands: Any) -> None:
        """All commands. Of each text, the longest translation counts towards a command's size."""
        self.size("commands", len(commands), 100)
        self.named(commands)
        for each in commands:
            self.where = f"/{each['name']}"
            keys = ("name", "description", "value")
            total = sum(max(map(len, worded(part, key))) for part in parts(each) for key in keys if key in part)
            self.size("characters of a command", total, 8000)
            self.require(set(each.get("contexts") or [0]) <= {0, 1, 2}, "contexts", each.get("contexts"))
            self.require(set(each.get("integration_types") or [0]) <= {0, 1}, "integration_types", each["name"])
            rights = each.get("default_member_permissions")
            self.require(rights is None or str(rights).isdecimal(), "default_member_permissions", rights)
            self.command(each)

    def command(self, each: Data) -> None:
        """A command, a group, a subcommand or an option, with what is inside."""
        for words in worded(each, "name"):
            self.words("name of a command", words, 32)
            self.require(NAME.fullmatch(words) and words == words.lower(), "name of a command", words)
        for words in worded(each, "description"):
            self.words("description of a command", words, 100)
        options = each.get("options", [])
        self.size("options of a command", len(options), 25, each["name"])
        self.named(options)
        for option in options:
            others = {other["name"] for other in options if other is not option}
            foreign = others.intersection(translated(option, "name").values())
            self.require(not foreign, "name of another option", foreign)
        required = [option.get("required", False) for option in options]
        self.require(required == sorted(required, reverse=True), "required after optional", each["name"])
        kinds = {option["type"] for option in options}
        self.require(kinds <= GROUPED or not kinds & GROUPED, "subcommands beside options", kinds)
        for option in options:
            self.command(option)
        if "choices" in each:
            self.require(not each.get("autocomplete"), "choices and autocomplete", each["name"])
            self.choices(each["choices"])

    def choices(self, choices: Any) -> None:
        """The choices of an option, or those that are suggested."""
        self.size("choices", len(choices), 25)
        self.named(choices)
        self.unique("value of a choice", (each["value"] for each in choices))
        for each in choices:
            for words in worded(each, "name"):
                self.words("name of a choice", words, 100)
            if isinstance(each["value"], str):
                self.words("value of a choice", each["value"], 100)

    def named(self, several: Any) -> None:
        """Names differ in each language, where a missing one is the default."""
        for locale in {"", *(locale for each in several for locale in translated(each, "name"))}:
            names = (translated(each, "name").get(locale, each["name"]) for each in several)
            self.unique(f"name in {locale or 'no language'}", names)
        for each in several:
            for key in ("name_localizations", "description_localizations"):
                self.require(set(each.get(key) or ()) <= LOCALES, key, each.get(key))


def translated(each: Data, key: str) -> Mapping[str, str]:
    """A text by language."""
    return each.get(f"{key}_localizations") or dict[str, str]()


def worded(each: Data, key: str) -> list[str]:
    """A text in all languages."""
    return [str(each[key]), *translated(each, key).values()] if key in each else []


def parts(each: Data) -> Iterator[Data]:
    """A command and everything inside."""
    yield each
    for key in ("options", "choices"):
        for inner in each.get(key) or ():
            yield from parts(inner)
