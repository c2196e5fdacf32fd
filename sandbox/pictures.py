"""Pictures of messages on the sandbox's page, at the width of a phone and of a desk, in files that load quickly."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Locator, ViewportSize

from sandbox.driver import WINDOW, Person

NARROW: Final[ViewportSize] = {"width": 400, "height": 2400}
WIDE: Final[ViewportSize] = {**WINDOW, "height": 2400}
"""Tall enough for the longest message, so that nothing of the page lies over it."""
SCALE: Final = 2
"""Dots a pixel."""
_EDGE: Final = 700
"""How much of a wide window is not empty."""
_NO_TOOLS: Final = ".message-context-actions { display: none !important }"
_STILL: Final = """width => {
    const page = simcordPreview, faces = [...document.querySelectorAll(".custom-emoji")];
    return innerWidth === width && page.ready && !page.pendingAction && page.awaitingRevision === null
        && faces.every(each => each.complete && each.naturalWidth) && !document.querySelector(".emoji-unavailable");
}"""
COLOURS: Final = 128


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
            save(message.screenshot(), place, most=_EDGE * SCALE, shrink=window is WIDE)


def save(png: bytes, place: Path, *, most: int, shrink: bool) -> None:
    """The picture in few colours, without what is empty of a wide one; at the size of the screen where it shrinks."""
    with Image.open(io.BytesIO(png)) as found:
        picture = found.convert("RGB")
    picture = picture.crop((0, 0, min(picture.width, most), picture.height))
    if shrink:
        picture = picture.reduce(SCALE)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(place, optimize=True)
