"""Plays the game through its buttons, like somebody who always plays all cards of the lowest rank that fits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Final

from playwright.sync_api import Locator
from playwright.sync_api import TimeoutError as NotShownError

from sandbox.driver import Person, RefusedError
from sandbox.words import words_in

MOST_PRESSES: Final = 400
_GONE: Final = 2_000
"""Milliseconds after which a button that was there a moment ago counts as gone."""


class StuckError(Exception):
    """Nobody could go on; the message has the heading that was seen last."""


def heading(person: Person) -> str:
    """The heading of the newest private message."""
    return person.private.last.locator("h1, h2, h3").first.inner_text()


def look(person: Person, patience: float = 0) -> str:
    """The heading of the current hand; it has `patience` seconds to change by itself before it is refreshed."""
    t, mine = person.t, words_in(person.t.language).mine
    if not person.private.count():
        person.press(person.button(t("My hand"), person.public))
    if patience and not is_mine(person):
        with suppress(NotShownError):
            person.private.last.locator("h1, h2, h3").first.filter(has_text=mine).wait_for(timeout=patience * 1000)
    if not is_mine(person):
        refresh = person.private.last.get_by_role("button", name=t("Refresh"), exact=True)
        button = refresh if refresh.count() else person.button(t("My hand"), person.public)
        with suppress(RefusedError, NotShownError):  # it may change by itself while it is being clicked
            person.act(partial(button.click, timeout=_GONE))
    return heading(person)


def is_mine(person: Person) -> bool:
    """Whether the hand that is open asks its owner for a move."""
    return bool(person.private.count() and words_in(person.t.language).mine.match(heading(person)))


def move(person: Person) -> Locator:
    """The button to press: the first move, or, of the plays of its rank, the one with the most cards."""
    words = words_in(person.t.language)
    buttons = controls(person).filter(has_not_text=words.no_moves)
    ranks = [found[0] if found else "" for found in map(words.rank.match, map(str.strip, buttons.all_inner_texts()))]
    return buttons.nth(max((nth for nth, rank in enumerate(ranks) if rank and rank == ranks[0]), default=0))


def controls(person: Person) -> Locator:
    """The enabled buttons of the open hand, without the page's own and without those that open a select."""
    return person.private.last.locator("button.component-button[data-control-key]:enabled")


def play_on(people: Mapping[str, Person], *, patience: float = 0) -> None:
    """Play to the end; `patience` is how many seconds a hand may lag behind.

    Raises:
        StuckError: the game is not over after `MOST_PRESSES` looks.
    """
    name, shown = next(iter(people)), ""
    for _ in range(MOST_PRESSES):
        person = people[name]
        words, shown = words_in(person.t.language), look(person, patience)
        if words.mine.match(shown) and not words.over.match(shown):
            person.press(move(person))
            shown = heading(person)
        if words.over.match(shown):
            return
        name = _next(people, name, shown)
    raise StuckError(f"{name}: {shown}")


def _next(people: Mapping[str, Person], name: str, shown: str) -> str:
    """Who looks next: the person on turn, or the neighbour if that is a computer or nobody in particular."""
    words = words_in(people[name].t.language)
    if words.mine.match(shown):
        return name
    for found in filter(None, (each.match(shown) for each in words.others)):
        if found["name"] in people:
            return found["name"]
    names = list(people)
    return names[(names.index(name) + 1) % len(names)]
