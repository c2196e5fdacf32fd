"""Writes an animated GIF frame by frame: only what changed is kept, in one table of colours for all frames.

A GIF and not a WebP: Discord plays both in the channel, but before anybody sees an animated WebP of a hundred frames it
resizes it for several seconds, which it does not with a GIF (discord/lilliput #217), and until 2025 it showed stills of
WebPs (#159). Either starts by itself unless the reader has switched that off.
"""

from __future__ import annotations

from typing import Final

from PIL import Image, ImageChops
from PIL.GifImagePlugin import getdata

from cogs.pictures.sheet import Picture

_COLOURS: Final = 256
_CLEAR: Final = 255
"""The place in the table of colours that lets what was shown before be seen; no colour may stand there."""
_WHERE_SAME: Final = [255, *[0] * 255]
"""Makes a mask of a difference: opaque where there is none."""
_STAYS: Final = 1
"""Has each frame drawn upon what was shown before."""
_FOR_EVER: Final = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"
_END: Final = b";"


class GifWriter:
    """A GIF that repeats for ever. Pictures are of mode L, their values places in the table of colours.

    Pillow can save a list of whole frames; this takes parts of frames one by one, and keeps but the last one.
    """

    def __init__(self, size: tuple[int, int], colours: bytes) -> None:
        """`colours` are up to 255, three bytes each."""
        sides = b"".join(side.to_bytes(2, "little") for side in size)
        self._parts = [b"GIF89a", sides, b"\xf7\0\0", colours.ljust(3 * _COLOURS, b"\0"), _FOR_EVER]
        self._shown = Image.new("L", size, _CLEAR)

    def add(self, part: Picture, corner: tuple[int, int], milliseconds: int) -> None:
        """Show a picture with its upper left corner at this place, everything else as it was."""
        # What is shown by now is kept, so that a frame holds the box that changed and nothing in it that did not: those
        # pixels become clear, and runs of one value take next to no bytes. A frame without any change is one pixel, for
        # its time.
        left, top = corner
        before = self._shown.crop((left, top, left + part.width, top + part.height))
        self._shown.paste(part, corner)
        changed = ImageChops.difference(before, part)
        bounds = changed.getbbox() or (0, 0, 1, 1)
        frame, changed = part.crop(bounds), changed.crop(bounds)
        same = changed.point(_WHERE_SAME)  # pyright: ignore[reportUnknownMemberType] - Pillow's types mention numpy's
        frame.paste(_CLEAR, mask=same)
        place = (left + bounds[0], top + bounds[1])
        self._parts += getdata(frame, place, duration=milliseconds, disposal=_STAYS, transparency=_CLEAR)

    def finished(self) -> bytes:
        """The whole file."""
        return b"".join([*self._parts, _END])
