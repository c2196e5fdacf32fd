"""Patterns for reading a page, made of the catalogue's texts in the language of the person at the page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from string import Formatter as Braces
from typing import Final, NamedTuple

from cogs.screens.formatter import Formatter, formatter
from game.cards import ACE, JACK

_MINE: Final = (
    *("Your turn: {asked}", "Your turn: start with {card}", "Your turn: play anything"),
    *("You play again: {asked}", "You play again: anything", "You play again: flip one blind"),
    *("Your turn: flip one blind", "Your turn: nothing fits"),
    *("Pick up the pile plus a face-up card", "You hold {card}: call it!"),
)
_OTHERS: Final = ("{name} to play: {asked}", "{name} starts a new pile", "{name} must clear the pile")
_OVER: Final = (
    *("{name} is the shithead", "{name} comes last", "{name} wins", "{name} wants a rematch"),
    *("You are the shithead", "You come last", "You win", "The game is over", "A draw"),
)
_NO_MOVES: Final = ("Refresh", "My hand", "Back", "Rules", "More")
_ANY: Final = ".+"


class Words(NamedTuple):
    """Patterns for headings and buttons in one language.

    `mine` matches a heading that asks its reader for a move, `others` match those that ask somebody else (the group
    `name`), `over` matches one of an ended game. `no_moves` matches buttons that make no move, `rank` how moves begin.
    """

    mine: re.Pattern[str]
    others: tuple[re.Pattern[str], ...]
    over: re.Pattern[str]
    no_moves: re.Pattern[str]
    rank: re.Pattern[str]


@cache
def words_in(language: str) -> Words:
    """The patterns for a language."""
    t = formatter(language)
    letters = "|".join(re.escape(t.letter(rank)) for rank in range(JACK, ACE + 1))
    return Words(
        mine=_any_of(shape(t, each) for each in _MINE),
        others=tuple(re.compile(f"^{shape(t, each, name=r'(?P<name>[^ ]+)')}$") for each in _OTHERS),
        over=_any_of(shape(t, each) for each in _OVER),
        no_moves=_any_of(shape(t, each) for each in _NO_MOVES),
        rank=re.compile(rf"10|(?:[2-9]|{letters})(?!\w)"),
    )


def shape(t: Formatter, text: str, **known: str) -> str:
    """A regular expression for a text; `known` has patterns for its braces, which otherwise match anything."""
    parts = Braces().parse(t.catalogue.gettext(text))
    return "".join(re.escape(said) + (known.get(name, _ANY) if name else "") for said, name, *_ in parts)


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(f"^(?:{'|'.join(patterns)})$")
