"""`python -m sandbox.pictures`: pictures of every screen for docs/pictures, from games that are really played.

A computer sits at the table, Ann and Bob are played through their pages. Each screen is taken twice: in a window as
wide as a phone's, drawn twice as large, and in one as wide as a desk's.
"""

from __future__ import annotations

import argparse
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Locator, ViewportSize

from sandbox.driver import WINDOW, Person, browser
from sandbox.player import controls, heading, play_on

FOLDER: Final = Path(__file__).parents[1] / "docs" / "pictures"
WANTED: Final = frozenset(
    {"adding", "call", "end", "exchange", "flip", "hand", "lobby", "more", "refusal", "table", "tea", "waiting"}
)
NARROW: Final[ViewportSize] = {"width": 400, "height": 2400}
WIDE: Final[ViewportSize] = {**WINDOW, "height": 2400}
"""Tall enough for the longest message, so that nothing of the page lies over it."""
_SCALE: Final = 2
_EDGE: Final = 700
"""How much of a wide window is not empty."""
_NO_TOOLS: Final = ".message-context-actions { display: none !important }"
_STILL: Final = """width => {
    const page = simcordPreview, faces = [...document.querySelectorAll(".custom-emoji")];
    return innerWidth === width && page.ready && !page.pendingAction && page.awaitingRevision === null
        && faces.every(each => each.complete && each.naturalWidth) && !document.querySelector(".emoji-unavailable");
}"""
_COLOURS: Final = 128
_BIG_PILE: Final = re.compile(r"Pile [5-9],")
_GAMES: Final = 8
_MANY: Final = 5
_PRIVATE: Final = {"You hold": "call", "Your turn: flip": "flip", "Pick up": "adding"}


class Album:
    """Pictures, one of each name and width."""

    def __init__(self, folder: Path) -> None:
        """Put them into this folder."""
        self._folder = folder
        self.taken: set[str] = set()

    def take(self, name: str, person: Person, message: Locator) -> None:
        """A message as somebody sees it, if there is none of this name yet."""
        if name in self.taken:
            return
        self.taken.add(name)
        person.page.add_style_tag(content=_NO_TOOLS)
        for window in (NARROW, WIDE):
            person.page.set_viewport_size(window)
            person.page.wait_for_function(_STILL, arg=window["width"])
            message.scroll_into_view_if_needed()
            place = self._folder / f"{name}-{window['width']}.png"
            save(message.screenshot(), place, most=_EDGE * _SCALE, shrink=window is WIDE)


def save(png: bytes, place: Path, *, most: int, shrink: bool) -> None:
    """The picture in few colours, without what is empty of a wide one; at the size of the screen where it shrinks."""
    with Image.open(io.BytesIO(png)) as found:
        picture = found.convert("RGB")
    picture = picture.crop((0, 0, min(picture.width, most), picture.height))
    if shrink:
        picture = picture.reduce(_SCALE)
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(place, optimize=True)


@contextmanager
def sandbox() -> Iterator[str]:
    """The address of a sandbox of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "sandbox", "--no-browser", "--port", "0", "--pause", "0"]
        command += ["--database", f"{folder}/tables.sqlite3"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
            try:
                yield next(line.partition(": ")[2].strip() for line in process.stdout or () if "http://" in line)
            finally:
                process.terminate()
                process.communicate()


def photograph(album: Album, window: Browser, address: str) -> None:
    """Play until there is a picture of everything."""
    people = {name: Person.arrive(window, address, name, scale=_SCALE) for name in ("Ann", "Bob")}
    ann, bob = people.values()
    gather(album, ann, bob)
    for _ in range(_GAMES):
        prepare(album, ann, bob)
        play_on(people, lambda person: look_at_turn(album, people, person))
        ann.public.filter(has_text="shithead").last.get_by_role("button", name="Rematch").wait_for()
        album.take("end", ann, ann.public.last)
        if WANTED - {"tea"} <= album.taken:
            break
        ann.press(ann.button("Rematch", ann.public))
        bob.press(bob.button("My hand", bob.public))
    ann.command("/tea owed")
    album.take("tea", ann, ann.messages.last)


def gather(album: Album, ann: Person, bob: Person) -> None:
    """From the command to the deal."""
    ann.command("/shithead start")
    bob.press(bob.button("Join", bob.public))
    ann.press(ann.button("More", ann.public))
    ann.press(ann.button("Add computer", ann.private))
    album.take("more", ann, ann.private.last)
    ann.public.last.filter(has_text="computer").wait_for()
    album.take("lobby", ann, ann.public.last)
    bob.press(bob.button("Start", bob.public))
    album.take("refusal", bob, bob.private.last)
    ann.press(ann.button("Start", ann.public))
    bob.press(bob.button("My hand", bob.public))


def prepare(album: Album, ann: Person, bob: Person) -> None:
    """The exchange."""
    ann.press(controls(ann).nth(0))
    album.take("exchange", ann, ann.private.last)
    for each in (ann, bob):
        each.press(each.button("Best three up", each.private))
        each.press(each.button("Ready", each.private))


def look_at_turn(album: Album, people: Mapping[str, Person], person: Person) -> None:
    """Take what somebody sees who is about to play, where it is worth it."""
    asked = heading(person)
    for beginning, name in _PRIVATE.items():
        if asked.startswith(beginning):
            album.take(name, person, person.private.last)
    if asked.startswith("Your turn") and "or higher" in asked and controls(person).count() >= _MANY:
        album.take("hand", person, person.private.last)
    if (
        table := person.public.last.filter(has_text=_BIG_PILE)
    ).count() and f"{person.name} to play" in table.inner_text():
        album.take("table", person, table)
    for other in people.values():
        if other is not person and heading(other).startswith(person.name):
            album.take("waiting", other, other.private.last)


def main() -> int:
    """Take them all; 1 where one is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chromium", default="chromium", help="the browser")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    found = parser.parse_args()
    found.folder.mkdir(parents=True, exist_ok=True)
    album = Album(found.folder)
    with sandbox() as address, browser(found.chromium) as window:
        photograph(album, window, address)
    if missing := WANTED - album.taken:
        print(f"without a picture: {', '.join(sorted(missing))}")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
