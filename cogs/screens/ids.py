"""The ids of buttons, selects and forms, `sh:<verb>:<table>:<revision>[:<argument>]`: formatting and parsing.

Parsing never raises: a text that is not one of our ids gives None. The revision is the table's when the message was
drawn, so a click on an outdated message is recognized and plays nothing. A move becomes a verb and an argument. A
suffix `~2`, `~3` ... only keeps ids distinct; parsing drops it. Cards may appear in the arguments of a private
message, never in those of a public one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import cogs.screens.components as ui
from data.models import Table, message_in_place
from game.cards import Card, parse_card
from game.moves import KINDS, Move, format_move, parse_move

PREFIX: Final = "sh"
POLITE_ID: Final = 1  # in place of a table's number, if there is no table and the polite name is used
_SHAPE: Final = re.compile(r"sh:([a-z-]{1,16}):([0-9]{1,19}):([0-9]{1,19})(?::([^:~]{0,80}))?(?:~[0-9]{1,6})?")
_LONGEST_NUMBER: Final = 19


@dataclass(frozen=True, slots=True, repr=False)
class ButtonId:
    """The parts of an id; `table` is the id of a table, 0 or `POLITE_ID`, and `argument` may be empty."""

    verb: str
    table: int
    revision: int
    argument: str = ""


def format_id(verb: str, table: int = 0, revision: int = 0, argument: str = "", nth: int = 1) -> str:
    """The id as text. `table` is 0 or `POLITE_ID` if there is none; `nth` numbers equal ids within a message.

    `ValueError` if the id would be longer than Discord accepts, or could not be parsed again.
    """
    made = f"{PREFIX}:{verb}:{table}:{revision}" + (f":{argument}" if argument else "") + (f"~{nth}" if nth > 1 else "")
    parts = _SHAPE.fullmatch(made)
    if len(made) > ui.CUSTOM_ID or parts is None or parts.groups("") != (verb, str(table), str(revision), argument):
        raise ValueError(f"the id of a {verb} button cannot be written")
    return made


def parse_id(text: str) -> ButtonId | None:
    """Parse an id; None if it is not one of ours."""
    parts = _SHAPE.fullmatch(text)
    if not parts:
        return None
    verb, table, revision, argument = parts.groups()
    return ButtonId(verb, int(table), int(revision), argument or "")


class Key(NamedTuple):
    """Formats the ids of one message, with its table and the revision at which it is drawn."""

    table: int
    revision: int

    def __call__(self, verb: str, argument: str = "", nth: int = 1) -> str:
        """The id for a verb."""
        return format_id(verb, self.table, self.revision, argument, nth)

    def move(self, move: Move) -> str:
        """The id for a move."""
        return self(*format_button(move))


def key_of(table: Table) -> Key:
    """The key of a table at its current revision."""
    return Key(table.id, table.revision)


def renew(screen: ui.Screen, click_id: int) -> None:
    """Give selects new ids for an answer: clients keep showing a choice, even a refused one, when its id comes back."""
    for each in ui.walk(screen):
        if each["type"] == ui.SELECT:
            separator = "" if "~" in each["custom_id"] else "~"
            each["custom_id"] += f"{separator}{click_id % 10_000:04}"
            each["id"] = (each["id"] + click_id) % ((1 << 31) - 2) + 1  # as Discord accepts it: from 1, in 32 bits


def toggle_argument(what: str, *, on: bool) -> str:
    """The argument of a switch: the state it will set, so that pressing twice does not undo it."""
    return f"{what}={'off' if on else 'on'}"


def message_url(table: Table) -> str:
    """The link to a table's public message, or to that whose thread it waits for; without one, to the channel."""
    channel_id = table.parent_id if table.lacks_thread else table.channel_id
    return f"https://discord.com/channels/{table.guild_id}/{channel_id}/{message_in_place(table.message_id)}"


def parse_number(text: str) -> int | None:
    """Parse a number in an id or a value; None if it is not a number, or has more than 19 digits."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def parse_pair(argument: str) -> tuple[int, int]:
    """Parse an argument of two numbers, `12.3`; 0 replaces one that is missing or is not a number."""
    first, _, second = argument.partition(".")
    return parse_number(first) or 0, parse_number(second) or 0


def plain_value(value: str) -> str:
    """The value of an option without the suffix that `apart` gave it."""
    return value.partition("~")[0]


def apart(values: Sequence[str]) -> list[str]:
    """Make equal texts distinct: the second gets the suffix `~2`, the third `~3`, and so on."""
    counts = [values[: nth + 1].count(value) for nth, value in enumerate(values)]
    return [value if count == 1 else f"{value}~{count}" for value, count in zip(values, counts, strict=True)]


# -- moves: the words of the notation without spaces, `play` + `7c7d`, `flip` + `2.low`, `choose` + `KdJc+JsQh`

MOVES: Final = frozenset(kind.name for kind in KINDS if not kind.by_clock)
"""The verbs that are moves."""
_ALONE: Final = frozenset({"pickup", "chance", "clear", "tribute", "ready", "call"})
"""The moves that may come without an argument."""
_CARD: Final = "(?:[2-9TJQKA][cdhs]|X[rb])"
_WORDS: Final = re.compile(rf"{_CARD}(?:=[2-9TJQKA])?(?:\+{_CARD})*|[1-9][0-9]?|high|low")
_NONE: Final = "-"


def format_button(move: Move) -> tuple[str, str]:
    """The verb and the argument of a move."""
    verb, *words = format_move(move).split()
    word = words.pop() if words and words[-1] in {"high", "low"} else ""
    cards = "".join(each for each in words if each != _NONE)
    return verb, ".".join(filter(None, (cards, word)))


def parse_button(verb: str, argument: str) -> Move | None:
    """Parse a verb and an argument as a move; None if they are not one."""
    cards, _, word = argument.partition(".")
    words = _WORDS.findall(cards)
    if verb not in MOVES or "".join(words) != cards or not (words or verb in _ALONE):
        return None
    if verb == "tribute" and not words:
        words = [_NONE]
    try:
        return parse_move(" ".join((verb, *words, word)))
    except ValueError:  # the notation has no such move or card
        return None


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse a sequence of cards, `7c7d`; empty if the text contains anything else."""
    words = re.findall(_CARD, text)
    return tuple(map(parse_card, words)) if "".join(words) == text else ()
