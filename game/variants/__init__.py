"""The named variants (rules.md section 5), one TOML file each: adding a variant is adding a file.

A file gives `title`, `sentence`, `source` (an origin as rules.md marks it: S the texts this project was made for, V
another public description, D a decision of this project), `ours` (what of it is our decision, where something is),
optionally `polite` (the title for polite company), `based_on` (another variant's id) and the tables of options that
differ from it, and `after`: the id of the variant that is played before it, the two as one match.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from game.rules import Rules

_ABOUT: Final = ("title", "polite", "sentence", "source", "ours", "based_on", "after", "group", "order")


class UnknownVariantError(KeyError):
    """No variant has this id; `args[0]` is the id."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A named set of rules. `order` is its place in lists; the texts are English source strings.

    `polite` is the title where the game goes by its polite name. `after` is the id of the variant that is played before
    this one, as a match of two games; empty for all others.
    """

    id: str
    title: str
    polite: str
    sentence: str
    source: str
    ours: str
    rules: Rules
    order: int
    after: str


@cache
def _names() -> frozenset[str]:
    return frozenset(
        path.name.removesuffix(".toml") for path in files(__name__).iterdir() if path.name.endswith(".toml")
    )


@cache
def variant(name: str) -> Variant:
    """The variant with this id.

    Raises:
        UnknownVariantError: there is no such file.
    """
    if name not in _names():
        raise UnknownVariantError(name)
    table = tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    base = variant(table["based_on"]).rules if "based_on" in table else Rules()
    options: Mapping[str, Any] = {key: value for key, value in table.items() if key not in _ABOUT}
    about = {key: table.get(key, "") for key in ("title", "sentence", "source", "ours", "after")}
    about["polite"] = table.get("polite", about["title"])
    return Variant(id=name, rules=base.changed_with(options), order=table.get("order", 0), **about)


@cache
def variants() -> Mapping[str, Variant]:
    """All variants by id, in the order in which they are offered."""
    return {found.id: found for found in sorted(map(variant, _names()), key=lambda each: (each.order, each.id))}
