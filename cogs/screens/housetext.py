"""House rules as one short text, both ways: `classic; deal.packs=2; powers.8.does=reverse+skip`.

The variant first, then what differs from it. Reading says exactly what is wrong with a text that is none.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from cogs.screens.formatter import Formatter
from cogs.screens.house import POWER_PARTS, conflicts
from cogs.screens.options import OPTIONS, START_RANK, values_of
from cogs.screens.wording import base_rules, known_variant
from game.rules import POWER_KEYS, Rules
from game.variants import variants

LONGEST: Final = 1500
_LISTS: Final = frozenset({"does", "not_on"})


class BadRulesTextError(ValueError):
    """The text says no rules; `args[0]` is the reason, worded for its writer."""


def format_rules(variant: str, rules: Rules) -> str:
    """The variant and what differs from it, in one line."""
    changed = rules.differences(base_rules(variant))
    return "; ".join([variant, *(f"{key}={value}" for key, value in _flat(changed))])


def _flat(changed: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for name, value in changed.items():
        key = f"{above}.{name}" if above else name
        if name == "by_seats":
            yield key, "+".join(f"{seats}*{size}" for seats, size in value.items()) or "none"
        elif isinstance(value, Mapping):
            nested: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON from pydantic
            yield from _flat(nested, key)
        elif name == "seats":
            yield key, f"{value[0]}-{value[1]}"
        elif isinstance(value, list | tuple):
            yield key, "+".join(map(str, value)) or "none"  # pyright: ignore[reportUnknownArgumentType] - the same
        else:
            yield key, _plain(value)


def _plain(value: object) -> str:
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def parse_rules(t: Formatter, text: str, seats: int = 0) -> tuple[str, Rules]:
    """The variant and the rules that the text says.

    Raises:
        BadRulesTextError: it says none, or none that can be played.
    """
    name, *parts = [part.strip() for part in text.split(";")]
    found = known_variant(name.lower())
    if found is None:
        raise BadRulesTextError(
            t("**{word}** is no variant. {hint}", word=name or "—", hint=_hint(t, name, variants()))
        )
    rules = found.rules
    for part in filter(None, parts):
        rules = _with_part(t, rules, part)
    if wrong := conflicts(t, rules, seats):
        raise BadRulesTextError(t.sentences(*wrong))
    return found.id, rules


def _with_part(t: Formatter, rules: Rules, part: str) -> Rules:
    key, equals, value = (each.strip() for each in part.partition("="))
    if not equals or not value:
        raise BadRulesTextError(t("**{part}** is no rule: write an option, = and its value.", part=part))
    if not _is_option(key):
        raise BadRulesTextError(t("**{word}** is no option. {hint}", word=key, hint=_hint(t, key, _options())))
    try:
        return rules.changed_with(_nested(key, _read(key, value)))
    except (ValidationError, ValueError) as error:
        raise BadRulesTextError(_bad_value(t, key, value)) from error


def _options() -> list[str]:
    return ["seats", START_RANK, *(key for key in OPTIONS if not key.startswith("seats."))]


def _is_option(key: str) -> bool:
    if key in _options():
        return True
    table, _, rest = key.partition(".")
    rank, _, part = rest.partition(".")
    return table == "powers" and rank in POWER_KEYS and part in POWER_PARTS - {"of"}


def _read(key: str, value: str) -> object:
    name = key.rpartition(".")[2]
    if name == "seats":
        low, _, high = value.partition("-")
        return int(low), int(high)
    if name == "by_seats":
        pairs = [] if value == "none" else [each.split("*") for each in value.split("+")]
        return {int(seats): int(size) for seats, size in pairs}
    if name in _LISTS:
        return () if value == "none" else tuple(value.split("+"))
    if value in {"true", "false"}:
        return value == "true"
    if value == "none":
        return "none" if key == "deal.exchange" else None
    return int(value) if value.isdecimal() and not key.startswith(("powers.", "start.")) else value


def _nested(key: str, value: object) -> dict[str, Any]:
    first, _, rest = key.partition(".")
    return {first: _nested(rest, value) if rest else value}


def _hint(t: Formatter, word: str, known: Any) -> str:
    near = difflib.get_close_matches(word.lower(), list(known), n=1)
    return (
        t("Did you mean {word}?", word=f"**{near[0]}**")
        if near
        else t("It begins with the variant: {word}.", word="`classic; …`")
    )


def _bad_value(t: Formatter, key: str, value: str) -> str:
    if key in OPTIONS or key == START_RANK:
        known = [str(each).lower() if isinstance(each, bool) else str(each) for each in values_of(key)]
        return t("**{value}** is no value of {key}: it can be {values}.", value=value, key=key, values=t.choice(known))
    return t("**{value}** is no value of {key}.", value=value, key=key)
