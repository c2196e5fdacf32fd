"""The named variants (docs/rules.md section 5), one TOML file each: to add a variant, add a file.

A file gives `title`, `sentence`, `source` (the origin as in docs/rules.md: S the texts this project was made for, V
another public description, D rules of one's own), `group` and `order` (its place in lists) and the tables of options
that differ from the classic game. It may give `ours` (which details are our own decision), `polite` (a title for polite
company), `based_on` (the id of the variant whose options it changes) and `after` (the id of the variant that is played
before it, both as one match). Titles and sentences are the English source strings and occur nowhere else.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from game.rules import DEFAULT_POWERS, OPTIONS, POWER_OPTIONS, Rules, merged
from game.validity import clashes

Group: TypeAlias = Literal["easy", "pub", "regional", "strange"]


class UnknownVariantError(KeyError):
    """No variant has this id; `args[0]` is the id."""


class BadVariantError(Exception):
    """The file of a variant is wrong; the message names the file, the key in it and the fault."""


class Variant(BaseModel):
    """A named set of rules and what its file says about it; texts that the file does not give are empty."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str = Field(min_length=1)
    sentence: str = Field(pattern=r"\.$")
    source: Literal["S", "V", "D"]
    group: Group
    order: Annotated[int, Field(strict=True)]
    rules: Rules
    polite: str = ""
    ours: str = ""
    after: str = ""

    @field_validator("title", "sentence", "polite")
    @classmethod
    def _check_text(cls, text: str) -> str:
        if {"{", "}"} & {*text}:  # the screens would take them for places to fill
            raise ValueError("must have no braces")
        return text


_METADATA: Final = {*Variant.model_fields, "based_on"}
_FAULTS: Final = {
    "missing": "is missing", "extra_forbidden": "is not an option", "value_error": "{error}",
    "literal_error": "must be {expected}", "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}", "too_long": "must have at most {max_length} values",
    "string_too_short": "must not be empty", "string_pattern_mismatch": "must end with a full stop",
}  # fmt: skip
_TYPE_NAMES: Final = {"int": "a whole number", "float": "a number", "finite": "a number", "bool": "true or false",
                     "string": "text", "tuple": "a list", "dict": "a table", "model": "a table"}  # fmt: skip


def describe_error(kind: str, given: Mapping[str, Any]) -> str:
    """Turn a pydantic error type and its context into words that follow the name of the value: "must be a list"."""
    sentence = _FAULTS.get(kind) or f"must be {_TYPE_NAMES.get(kind.partition('_')[0], 'another value')}"
    return sentence.format_map(given)


@cache
def _names() -> frozenset[str]:
    names = (path.name for path in files(__name__).iterdir())
    return frozenset(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@cache
def variant(name: str) -> Variant:
    """Load the variant with this id.

    Raises:
        UnknownVariantError: there is no such file.
        BadVariantError: the file is at fault, for example because it names an unknown option.
    """
    if name not in _names():
        raise UnknownVariantError(name)
    try:
        variant_read = _read(name)
        wrong = [clash.value for clash in clashes(variant_read.rules)]
        if variant_read.after and variant_read.after not in _names():
            wrong.append(f"after names {variant_read.after}, which is not a variant")
        if not wrong:
            return variant_read
        why = "; ".join(wrong)
    except ValidationError as error:
        why = "; ".join(map(_describe_fault, error.errors()))
    except UnknownVariantError as error:
        why = f"based_on names {error.args[0]}, which is not a variant"
    except UnicodeDecodeError:
        why = "is not text in UTF-8"
    except ValueError as error:
        why = f"is no valid TOML: {error}"
    except (TypeError, RecursionError):
        why = "based_on must be the id of a variant, and must not lead back to this one"
    raise BadVariantError(f"game/variants/{name}.toml: {why}")


def _read(name: str) -> Variant:
    table = tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    base = variant(table["based_on"]).rules if "based_on" in table else Rules()
    options: Mapping[str, Any] = {key: value for key, value in table.items() if key not in _METADATA}
    return Variant.model_validate({**table, "id": name, "rules": merged(base.model_dump(), options)})


def _describe_fault(fault: Mapping[str, Any]) -> str:
    """Describe a pydantic error of a file; for an unknown key, suggest a similar one."""
    place = [str(each) for each in fault["loc"] if each != "rules"]
    known = {part: part for key in (*_METADATA, "powers", *DEFAULT_POWERS, *OPTIONS) for part in key.split(".")}
    known |= {part: f"powers.*.{part}" for part in POWER_OPTIONS} | {key.rpartition(".")[2]: key for key in OPTIONS}
    near = get_close_matches(place[-1], known, 1) if fault["type"] == "extra_forbidden" else []
    sentence = describe_error(fault["type"], fault.get("ctx", {}))
    return f"{'.'.join(place)} {sentence}{f': do you mean {known[near[0]]}?' if near else ''}".strip()


@cache
def variants() -> Mapping[str, Variant]:
    """All variants by id, in the order they are offered in."""
    return {each.id: each for each in sorted(map(variant, _names()), key=lambda each: (each.order, each.id))}
