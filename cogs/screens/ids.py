"""The ids of buttons, selects and modals: `sh:<verb>:<table>:<revision>[:<argument>]`, both ways.

Total: any text parses to a `Pressed` or to None, never to an exception. An argument may end in `~2`, `~3` ..., which
only keeps the ids of one message apart and is dropped when read. Cards may stand in an argument of a private message,
never of a public one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cogs.screens.components import CUSTOM_ID

PREFIX: Final = "sh"
_SHAPE: Final = re.compile(r"sh:([a-z-]{1,16}):([0-9]{1,19}):([0-9]{1,19})(?::([^:~]{0,80})(?:~[0-9]{1,2})?)?")


_LONGEST_NUMBER: Final = 19


@dataclass(frozen=True, slots=True, repr=False)
class ButtonId:
    """What an id says: `argument` is empty where there is none."""

    verb: str
    table: int
    revision: int
    argument: str = ""


def format_id(verb: str, table: int, revision: int, argument: str = "", nth: int = 1) -> str:
    """The id as text; `nth` counts equal ones within a message.

    Raises:
        ValueError: it is longer than Discord takes, or could not be read again.
    """
    made = f"{PREFIX}:{verb}:{table}:{revision}" + (f":{argument}" if argument else "") + (f"~{nth}" if nth > 1 else "")
    if len(made) > CUSTOM_ID or parse_id(made) != ButtonId(verb, table, revision, argument):
        raise ValueError(f"the id of a {verb} button cannot be written")
    return made


def parse_id(text: str) -> ButtonId | None:
    """What the id says, None where it is no id of ours."""
    found = _SHAPE.fullmatch(text)
    if not found:
        return None
    verb, table, revision, argument = found.groups()
    return ButtonId(verb, int(table), int(revision), argument or "")


def parse_number(text: str) -> int | None:
    """The number that a part of an id or a value says; None where it is none, or longer than any of ours."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def parse_pair(argument: str) -> tuple[int, int]:
    """The two numbers of an argument, `12.3`; 0 for one that is missing or no number."""
    first, _, second = argument.partition(".")
    return parse_number(first) or 0, parse_number(second) or 0


def plain_value(value: str) -> str:
    """The value of a select's option without what keeps equal ones apart."""
    return value.partition("~")[0]


def apart(values: list[str]) -> list[str]:
    """The same texts with `~2`, `~3` ... at the end of those that were there before."""
    return [
        value if (nth := values[: at + 1].count(value)) == 1 else f"{value}~{nth}" for at, value in enumerate(values)
    ]
