"""Takes pictures of messages on the sandbox's page, as wide as a phone and as a desktop, in small files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Locator, ViewportSize

from sandbox.driver import WINDOW, Person

NARROW: Final[ViewportSize] = {"width": 400, "height": 2400}
WIDE: Final[ViewportSize] = {**WINDOW, "height": 2400}
"""Tall enough for the longest message, so that no part of the page covers it."""
SCALE: Final = 2
"""Device pixels per CSS pixel."""
_EDGE: Final = 700
"""How many CSS pixels of a wide window are not empty."""
_NO_TOOLS: Final = ".message-context-actions { display: none !important }"
_STILL: Final = """width => {
    const page = simcordPreview, faces = [...document.querySelectorAll(".custom-emoji")];
    return innerWidth === width && page.ready && !page.pendingAction && page.awaitingRevision === null
        && faces.every(each => each.complete && each.naturalWidth) && !document.querySelector(".emoji-unavailable");
}"""
COLOURS: Final = 128


class Album:
    """Takes pictures, one for each name and width."""

    def __init__(self, folder: Path) -> None:
        """Save the pictures in this folder."""
        self._folder = folder
        self.taken: set[str] = set()

    def take(self, name: str, person: Person, message: Locator) -> None:
        """Take a message as a person sees it, unless the name is taken already."""
        if name in self.taken:
            return
        self.taken.add(name)
        person.page.add_style_tag(content=_NO_TOOLS)
        for window in (NARROW, WIDE):
            person.page.set_viewport_size(window)
            person.page.wait_for_function(_STILL, arg=window["width"])
            message.scroll_into_view_if_needed()
            place = self._folder / f"{name}-{window['width']}.png"
            save(message.screenshot(), place, most=_EDGE * SCALE, shrink=window is WIDE)


def save(png: bytes, place: Path, *, most: int, shrink: bool) -> None:
    """Save a picture with few colours, cut to `most` device pixels; `shrink` reduces it to CSS pixels."""
    with Image.open(io.BytesIO(png)) as found:
        picture = found.convert("RGB")
    picture = picture.crop((0, 0, min(picture.width, most), picture.height))
    if shrink:
        picture = picture.reduce(SCALE)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(place, optimize=True)
