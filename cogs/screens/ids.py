"""The ids of buttons, selects and forms, `sh:<verb>:<table>:<revision>[:<argument>]`, and the moves in them, both ways.

Total: any text is read as an id or as None, never with an exception. The revision says what the table was like when the
message was drawn: a click on an old message is recognized by it and plays nothing. An argument may end in `~2`, `~3`
..., which only keeps the ids of one message apart and is dropped when read. Cards may stand in an argument of a private
message, never of a public one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cogs.screens.components as ui
from data.models import Table
from game.cards import Card, parse_card
from game.moves import Move, format_move, parse_move

PREFIX: Final = "sh"
POLITE_ID: Final = 1  # in place of a table if there is none and the game goes by its polite name
_SHAPE: Final = re.compile(r"sh:([a-z-]{1,16}):([0-9]{1,19}):([0-9]{1,19})(?::([^:~]{0,80})(?:~[0-9]{1,2})?)?")
_LONGEST_NUMBER: Final = 19


@dataclass(frozen=True, slots=True, repr=False)
class ButtonId:
    """What an id says: `argument` is empty if there is none."""

    verb: str
    table: int
    revision: int
    argument: str = ""


def format_id(verb: str, table: int = 0, revision: int = 0, argument: str = "", nth: int = 1) -> str:
    """The id as text; `nth` counts equal ones within a message. Without a table it has 0, or `POLITE_ID`.

    Raises:
        ValueError: it is longer than Discord takes, or could not be read again.
    """
    made = f"{PREFIX}:{verb}:{table}:{revision}" + (f":{argument}" if argument else "") + (f"~{nth}" if nth > 1 else "")
    if len(made) > ui.CUSTOM_ID or parse_id(made) != ButtonId(verb, table, revision, argument):
        raise ValueError(f"the id of a {verb} button cannot be written")
    return made


def parse_id(text: str) -> ButtonId | None:
    """What the id says, None if it is no id of ours."""
    parts = _SHAPE.fullmatch(text)
    if not parts:
        return None
    verb, table, revision, argument = parts.groups()
    return ButtonId(verb, int(table), int(revision), argument or "")


@dataclass(frozen=True, slots=True)
class Key:
    """Writes the ids of one message: the table and the revision it was drawn at."""

    table: int
    revision: int

    def __call__(self, verb: str, argument: str = "", nth: int = 1) -> str:
        """The id for a verb."""
        return format_id(verb, self.table, self.revision, argument, nth)

    def move(self, move: Move, nth: int = 1) -> str:
        """The id for a move."""
        return self(*format_button(move), nth)


def key_of(table: Table) -> Key:
    """The key of a table as it is now."""
    return Key(table.id, table.revision)


def switched(what: str, *, on: bool) -> str:
    """The argument of a switch: what it shall become, so that pressing twice does not undo it."""
    return f"{what}={'off' if on else 'on'}"


def address_of(table: Table) -> str:
    """Where clients find a table's public message; without one, the channel."""
    number = abs(table.message_id or 0)  # negative while another is being posted in its place
    return f"https://discord.com/channels/{table.guild_id}/{table.channel_id}/{number}"


def parse_number(text: str) -> int | None:
    """The number that a part of an id or a value says; None if it is none, or longer than any of ours."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER else None


def parse_pair(argument: str) -> tuple[int, int]:
    """The two numbers of an argument, `12.3`; 0 for one that is missing or no number."""
    first, _, second = argument.partition(".")
    return parse_number(first) or 0, parse_number(second) or 0


def plain_value(value: str) -> str:
    """The value of a select's option without what keeps equal ones apart."""
    return value.partition("~")[0]


def apart(values: Sequence[str]) -> list[str]:
    """The same texts with `~2`, `~3` ... at the end of those that were there before."""
    return [each if (nth := values[: at + 1].count(each)) == 1 else f"{each}~{nth}" for at, each in enumerate(values)]


# -- moves: the words of the notation without spaces, `play` + `7c7d`, `flip` + `2.low`, `choose` + `KdJc+JsQh`

MOVES: Final = (
    *("play", "flip", "pickup", "chance", "interrupt", "follow", "clear"),
    *("swap", "choose", "lay", "tribute", "ready", "call"),
)
"""The verbs that are moves. Time is the clock's alone, so no id says `timeout`."""
_ALONE: Final = frozenset({"pickup", "chance", "clear", "tribute", "ready", "call"})
"""Those that can do without an argument."""
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
    """The move that a verb and an argument say, None if they say none."""
    cards, _, word = argument.partition(".")
    words = _WORDS.findall(cards)
    if verb not in MOVES or "".join(words) != cards or not (words or verb in _ALONE):
        return None
    if verb == "tribute" and not words:
        words = [_NONE]
    try:
        return parse_move(" ".join((verb, *words, word)))
    except ValueError:  # the notation knows no such move, or no such card
        return None


def parse_cards(text: str) -> tuple[Card, ...]:
    """The cards that a text names one after another; none if it names anything else."""
    words = re.findall(_CARD, text)
    return tuple(map(parse_card, words)) if "".join(words) == text else ()
