"""Collects what Discord would refuse. Lengths are counted in code points, as by Discord (discord-api-docs #1315)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

Data: TypeAlias = Mapping[str, Any]
"""An object in JSON."""
INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
NOTHING: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zs", "Zl", "Zp"})
SHOWN: Final = 300
SINGLE: Final = ("accessory", "component")
"""Where a component holds a single one."""


class Notes:
    """What Discord would refuse. Nearly all is right, so nothing is worded before something is wrong."""

    def __init__(self) -> None:
        self.problems = list[str]()
        self.where = ""

    def wrong(self, what: str, shown: Any = "") -> None:
        """Note a problem."""
        self.problems.append(f"{self.where}: {what}: {str(shown)[:SHOWN]}")

    def require(self, right: object, what: str, shown: Any = "") -> bool:
        """Note a problem, `what`, unless it is `right`; returns whether it is."""
        if not right:
            self.wrong(what, shown)
        return bool(right)

    def size(self, what: str, size: int, most: int, shown: Any = "") -> None:
        """Require a size of at most `most`."""
        if size > most:
            self.wrong(f"{what}: {size}, but at most {most}", shown)

    def words(self, what: str, words: Any, most: int, *, trimmed: bool = True) -> None:
        """Require a text of 1 to `most` characters, some of them visible, and `trimmed` as Discord would trim it."""
        if not isinstance(words, str):
            self.wrong(f"{what} is no text", words)
            return
        self.size(what, len(words), most, words)
        if not any(map(is_visible, words)):
            self.wrong(f"nothing to see: {what}", words)
        if "\0" in words:
            self.wrong(f"a NUL: {what}", words)
        if trimmed and words != words.strip():
            self.wrong(f"blanks around it: {what}", words)

    def unique(self, what: str, values: Iterable[Any]) -> None:
        """Require that no value comes twice."""
        values = list(values)
        self.require(len(set(values)) == len(values), f"{what} twice", values)

    def keys(self, what: str, data: Data, known: str) -> None:
        """Require that an object has no other keys than these."""
        if not separated(known).issuperset(data):
            self.wrong(f"keys of {what}", dict(data))


@cache
def separated(known: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(known.split())


def is_visible(char: str) -> bool:
    """Whether a character is more than a mark or blank space."""
    return unicodedata.category(char) not in NOTHING and char not in INVISIBLE


def walk(components: Iterable[Data]) -> list[Data]:
    """Every component, as Discord counts them."""
    every = list[Data]()
    for each in components:
        every.append(each)
        if "components" in each:
            every += walk(each["components"])
        for key in SINGLE:
            if key in each:
                every += walk((each[key],))
    return every
