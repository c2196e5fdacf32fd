"""Plays the game by its buttons, as somebody does who plays all of the lowest rank that fits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Final

from playwright.sync_api import Locator
from playwright.sync_api import TimeoutError as NotShownError

from sandbox.driver import Person, RefusedError

MOST_PRESSES: Final = 400
_NO_MOVES: Final = re.compile(r"^(Refresh|My hand|Back|Rules|More)$")
_MINE: Final = re.compile(r"^(Your turn|Nothing fits|Nothing beats|Pick up|You hold)")
_OTHERS: Final = re.compile(r"^(\w+) (to play|leads|must clear)")
_RANK: Final = re.compile(r"10|[2-9JQKA](?!\w)")
_GONE: Final = 2_000
"""Milliseconds after which a button that was there a moment ago counts as gone."""
_OVER: Final = re.compile(r"(the shithead|wants a rematch|comes? last|win|wins|The game is over|A draw)$")


class StuckError(Exception):
    """Nobody could go on; the message is what was last seen."""


def heading(person: Person) -> str:
    """What the newest private message asks."""
    return person.private.last.locator("h1, h2, h3").first.inner_text()


def look(person: Person, patience: float = 0) -> str:
    """The heading of the hand as it is now; for so many seconds it may change by itself before somebody clicks."""
    if patience and not is_mine(person):
        with suppress(NotShownError):
            person.private.last.locator("h1, h2, h3").first.filter(has_text=_MINE).wait_for(timeout=patience * 1000)
    if not is_mine(person):
        refresh = person.private.last.get_by_role("button", name="Refresh", exact=True)
        button = refresh if refresh.count() else person.button("My hand", person.public)
        with suppress(RefusedError, NotShownError):  # it may change by itself while it is being clicked
            person.act(partial(button.click, timeout=_GONE))
    return heading(person)


def is_mine(person: Person) -> bool:
    """Whether the hand that is open asks its owner for a move."""
    return bool(person.private.count() and _MINE.match(heading(person)))


def move(person: Person) -> Locator:
    """The button to press: the first that is a move, or of the plays of that rank the one with the most cards."""
    buttons = controls(person).filter(has_not_text=_NO_MOVES)
    ranks = [found[0] if found else "" for found in map(_RANK.match, map(str.strip, buttons.all_inner_texts()))]
    return buttons.nth(max((nth for nth, rank in enumerate(ranks) if rank and rank == ranks[0]), default=0))


def controls(person: Person) -> Locator:
    """The live buttons of the open hand, without those of the page itself; what opens a select is none of them."""
    return person.private.last.locator("button.component-button[data-control-key]:enabled")


def play_on(people: Mapping[str, Person], *, patience: float = 0) -> None:
    """Play to the end; `patience` is for how many seconds a hand may lag behind.

    Raises:
        StuckError: that took too long.
    """
    name, asked = next(iter(people)), ""
    for _ in range(MOST_PRESSES):
        person = people[name]
        asked = look(person, patience)
        if _OVER.search(asked):
            return
        if _MINE.match(asked):
            person.press(move(person))
            asked = heading(person)
        if _OVER.search(asked):
            return
        name = _next(people, name, asked)
    raise StuckError(f"{name}: {asked}")


def _next(people: Mapping[str, Person], name: str, asked: str) -> str:
    """Who is to look: the one on turn, or, where that is a computer or nobody in particular, the neighbour."""
    if _MINE.match(asked):
        return name
    found = _OTHERS.match(asked)
    if found and found[1] in people:
        return found[1]
    names = list(people)
    return names[(names.index(name) + 1) % len(names)]
