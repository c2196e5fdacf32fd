"""`python -m sandbox.newcomer`: plays a newcomer's first evening in a real browser, from an empty server to the tea.

Ann finds the tutorial in the help, opens a table, plays a match of three games with Bob, looks at the replay and has
the tea marked as served. Prints the clicks and seconds that each part took, and its slowest answer.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Browser, expect

from cogs.screens.formatter import Formatter, capital
from cogs.screens.language import SOURCE
from game.cards import JACK
from game.shell import run_command
from sandbox.driver import Person, browser
from sandbox.options import SPOKEN
from sandbox.pictures import NARROW
from sandbox.player import play_on
from sandbox.words import shape

STEPS: Final = 10
"""Steps of the tutorial."""
GAMES: Final = 3
PATIENCE: Final = 5.0
"""Seconds that a player waits for their hand to show the turn before they press Refresh."""
LOOKS: Final = 5
"""Moves of the replay that are looked at."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a part of the evening took: the newcomer's clicks and commands, everybody's, seconds, the slowest answer."""

    name: str
    clicks: int
    all_clicks: int
    seconds: float
    slowest: float


def right(t: Formatter) -> tuple[list[str], ...]:
    """What each step of the tutorial asks its reader to tap."""
    call, pick_up, flip = (shape(t, each) for each in ("Call my {card}", "Pick up {count}", "Flip a face-down card"))
    queen = f"{t.letter(JACK + 1)}♠"
    return (*(["10♦", "4♣"], [call], ["9♦"], ["8♣.* 8♦"], ["2♥"], ["10♣"], ["9♠"], [pick_up], [queen], [flip]),)


class Evening:
    """Two people and what they have done so far."""

    def __init__(self, window: Browser, address: str, language: str = SOURCE) -> None:
        """Open a page for Ann and one for Bob."""
        self.people = {
            name: Person.arrive(window, address, name, window=NARROW, language=language) for name in ("Ann", "Bob")
        }
        self.ann, self.bob = self.people.values()
        self.t = self.ann.t
        self.parts: list[Part] = []

    @contextmanager
    def _part(self, name: str) -> Generator[None]:
        before, begun = self._clicks(), time.perf_counter()
        yield
        waits = [person.waits[then:] for person, then in zip(self.people.values(), before, strict=True)]
        slowest = max((each for some in waits for each in some), default=0.0)
        self.parts.append(Part(name, len(waits[0]), sum(map(len, waits)), time.perf_counter() - begun, slowest))

    def _clicks(self) -> list[int]:
        return [len(person.waits) for person in self.people.values()]

    def play(self) -> None:
        """Play the whole evening."""
        self.begin()
        for game in range(1, GAMES + 1):
            with self._part(f"game {game}"):
                self._game(game)
        with self._part("the replay of the last game"):
            self._look_back()
        with self._part("the tea is served"):
            self._serve()

    def begin(self) -> None:
        """From an empty server to the lobby of a match."""
        with self._part("the tutorial, from the help"):
            self._learn()
        with self._part("a table for a match, with a friend"):
            self._gather()

    def _learn(self) -> None:
        ann, t = self.ann, self.t
        ann.command("/shithead help")
        ann.press(ann.button(t("Tutorial"), ann.private))
        for step, taps in enumerate(right(t), 1):
            expect(ann.private.last).to_contain_text(t("Step {step} of {steps}", step=step, steps=STEPS))
            for tap in taps:
                ann.press(ann.private.last.get_by_role("button", name=re.compile(tap)).first)
        expect(ann.private.last).not_to_contain_text(re.compile(shape(t, "Step {step} of {steps}")))

    def _gather(self) -> None:
        ann, bob, t = self.ann, self.bob, self.t
        match = t.n("A match of {count} game", "A match of {count} games", GAMES)
        ann.command("/shithead start")
        bob.press(bob.button(t("Join"), bob.public))
        ann.press(ann.button(t("More"), ann.public))
        ann.choose(t("A single game"), match, ann.private.last)
        expect(ann.public.last).to_contain_text(match)

    def _game(self, number: int) -> None:
        ann, bob, t = self.ann, self.bob, self.t
        best = capital(t.n("Best card up", "Best {count} up", 3, count=t.number(3)))
        ann.press(ann.button(t("Start") if number == 1 else t("Next game"), ann.public))
        expect(bob.private.last).to_contain_text(best)  # Bob's earlier message has become the hand
        for each in self.people.values():
            each.press(each.button(best, each.private))
            each.press(each.button(t("Ready"), each.private))
        play_on(self.people, patience=PATIENCE)
        last = "{name} is the grand shithead" if number == GAMES else "{name} is the shithead"
        expect(ann.public.last).to_contain_text(re.compile(shape(t, last)))

    def _look_back(self) -> None:
        ann, t = self.ann, self.t
        ann.press(ann.button(t("Replay"), ann.public))
        for _ in range(LOOKS):
            ann.press(ann.button("+1", ann.private))
        at = shape(t, "Move {step} of {steps}, seen by {name}", step=str(LOOKS))
        expect(ann.private.last).to_contain_text(re.compile(at))

    def _serve(self) -> None:
        said = re.compile(shape(self.t, "{owed}: served ✓"))
        for person in self.people.values():
            person.press(person.button(self.t("Mark served"), person.public))
            if said.search(person.private.last.inner_text()):
                break
        expect(self.ann.public.last).to_contain_text(re.compile(shape(self.t, "{owed}: served ✓")))

    def median(self) -> float:
        """The median of the seconds from a click to its change on the person's own page."""
        return statistics.median(each for person in self.people.values() for each in person.waits)


@contextmanager
def sandbox(language: str) -> Generator[str]:
    """Run a sandbox in this language; gives its address."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "sandbox", "--no-browser", "--port", "0", "--pause", "0"]
        command += ["--database", f"{folder}/tables.sqlite3", "--language", language]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
            try:
                yield next(line.partition(": ")[2].strip() for line in process.stdout or () if "http://" in line)
            finally:
                process.terminate()
                process.communicate()


def told(parts: list[Part]) -> Generator[str]:
    """The lines of a table of the parts, with the sum last."""
    clicks, both = sum(each.clicks for each in parts), sum(each.all_clicks for each in parts)
    seconds, slowest = sum(each.seconds for each in parts), max(each.slowest for each in parts)
    yield f"{'':36} {'clicks':>7} {'of both':>8} {'seconds':>8} {'slowest':>8}"
    for each in [*parts, Part("all of it", clicks, both, seconds, slowest)]:
        yield f"{each.name:36} {each.clicks:7} {each.all_clicks:8} {each.seconds:8.1f} {each.slowest:8.2f}"


def main() -> int:
    """Play the evening."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chromium", default="chromium", help="the browser")
    parser.add_argument("--language", choices=SPOKEN, default=SOURCE, help="the language they have set")
    found = parser.parse_args()
    with sandbox(found.language) as address, browser(found.chromium) as window:
        evening = Evening(window, address, found.language)
        evening.play()
    print("\n".join(told(evening.parts)))
    print(f"median time from a click to its change on one's own page: {evening.median() * 1000:.0f} ms")
    return 0


if __name__ == "__main__":
    run_command(lambda _: main())
