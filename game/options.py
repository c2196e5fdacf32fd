"""Lists the options of `game.rules`, for code that goes through all of them: what each may be, and is by default.

Reads it from the fields and their types, so that an option that is added there is listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from game.rules import DealOptions, EndOptions, PlayOptions, Power, Rules, StartOptions


class Option(NamedTuple):
    """An option and every value that it may take, in order; one that takes several may take any of them.

    `seats` is a pair of values; `deal.by_seats` may be any table of sizes, its values are those worth offering.
    """

    default: Any
    values: tuple[Any, ...]


def _values(schema: Mapping[str, Any]) -> list[Any]:
    """All values that pass a JSON schema; of a list those of its items."""
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
"""All options but the powers, by their keys in TOML."""
