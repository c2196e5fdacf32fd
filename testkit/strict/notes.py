"""Collects what Discord would refuse. Lengths are counted in code points, as by Discord (discord-api-docs #1315)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

Data: TypeAlias = Mapping[str, Any]
"""An object in JSON."""
INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
NOTHING: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Zs", "Zl", "Zp"})
SHOWN: Final = 300


class Notes:
    """What Discord would refuse, and for each kind of limit the nearest that anything came to it."""

    def __init__(self) -> None:
        self.problems = list[str]()
        self.nearest = dict[str, tuple[float, int, str]]()
        self.where = ""

    def require(self, right: object, what: str, shown: Any = "") -> bool:
        """Note a problem, `what`, unless it is `right`; returns whether it is."""
        if not right:
            self.problems.append(f"{self.where}: {what}: {str(shown)[:SHOWN]}")
        return bool(right)

    def size(self, what: str, size: int, most: int, shown: Any = "") -> None:
        """Require a size of at most `most`."""
        if size / most > self.nearest.get(what, (-1.0, 0, ""))[0]:
            self.nearest[what] = size / most, size, f"{self.where}: {shown!s:.{SHOWN}}"
        self.require(size <= most, f"{what}: {size}, but at most {most}", shown)

    def words(self, what: str, words: Any, most: int, *, trimmed: bool = True) -> None:
        """Require a text of 1 to `most` characters, some of them visible, and `trimmed` as Discord would trim it."""
        if self.require(isinstance(words, str), f"{what} is no text", words):
            self.size(what, len(words), most, words)
            self.require(any(map(is_visible, words)), f"nothing to see: {what}", words)
            self.require("\0" not in words, f"a NUL: {what}", words)
            self.require(not trimmed or words == words.strip(), f"blanks around it: {what}", words)

    def unique(self, what: str, values: Iterable[Any]) -> None:
        """Require that no value comes twice."""
        values = list(values)
        self.require(len(set(values)) == len(values), f"{what} twice", values)

    def keys(self, what: str, data: Data, known: str) -> None:
        """Require that an object has no other keys than these."""
        self.require(set(data) <= set(known.split()), f"keys of {what}", dict(data))


def is_visible(char: str) -> bool:
    """Whether a character is more than a mark or blank space."""
    return unicodedata.category(char) not in NOTHING and char not in INVISIBLE


def walk(components: Iterable[Data]) -> Iterator[Data]:
    """Every component, as Discord counts them."""
    for each in components:
        yield each
        yield from walk(each.get("components", ()))
        yield from walk(each[key] for key in ("accessory", "component") if key in each)
