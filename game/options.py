"""The options of `game.rules` as a list, with their defaults and values, for code that goes through all of them.

The list is built from the fields and their types, so a new option appears here by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from game.rules import DealOptions, EndOptions, PlayOptions, Power, Rules, StartOptions


class Option(NamedTuple):
    """An option's default, and every value that it may take, in order.

    For a list such as `does`, these are the values of its items; `seats` is a pair of them. `deal.by_seats` accepts any
    table of sizes, and the values are those worth offering.
    """

    default: Any
    values: tuple[Any, ...]


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """Every value that a JSON schema accepts; for a list, every value of its items."""
    match schema:
        case {"examples": values} | {"enum": values}:
            return values
        case {"const": value}:
            return [value]
        case {"anyOf": kinds}:
            return [value for kind in kinds for value in _values(kind)]
        case {"items": kind} | {"prefixItems": [kind, *_]}:
            return _values(kind)
        case {"minimum": least, "maximum": most}:
            return list(range(least, most + 1))
        case {"type": "boolean"}:
            return [False, True]
        case _:
            return [None]


def _options(model: type[BaseModel], prefix: str = "") -> dict[str, Option]:
    schemas = model.model_json_schema()["properties"]
    fields = model.model_fields.items()
    return {prefix + name: Option(field.default, tuple(_values(schemas[name]))) for name, field in fields}


POWER_OPTIONS: Final[Mapping[str, Option]] = _options(Power)
"""The parts of a power."""
OPTIONS: Final[Mapping[str, Option]] = {
    "seats": _options(Rules)["seats"],
    **_options(DealOptions, "deal."),
    **_options(StartOptions, "start."),
    **_options(PlayOptions, "play."),
    **_options(EndOptions, "end."),
}
"""All options except the powers, by their keys in TOML."""
