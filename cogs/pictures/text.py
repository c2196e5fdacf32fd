"""A line of text in a picture: any mixture of the scripts that the typefaces cover, cut to a width.

There are two typefaces: Noto Sans for European scripts, Noto Sans CJK for East Asian ones (both SIL OFL 1.1). The files
in `typefaces/` hold the characters that `tools/fonts.py` lists; all others are not covered.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

from PIL import Image, ImageDraw, features
from PIL.ImageFont import FreeTypeFont, Layout, truetype

from cogs.screens.names import graphemes

Family: TypeAlias = Literal["european", "asian"]
Weight: TypeAlias = Literal["regular", "bold", "black"]

FAMILIES: Final[tuple[Family, ...]] = ("european", "asian")
NARROW, WIDE = 75, 100
"""Widths of the letters, in parts of a hundred."""
_WEIGHTS: Final[dict[Weight, int]] = {"regular": 400, "bold": 700, "black": 900}
_FOLDER: Final = files("cogs.pictures").joinpath("typefaces")
_FILES: Final[dict[Family, str]] = {"european": "NotoSans.ttf", "asian": "NotoSansCJKjp-Bold.otf"}
_NO_CHARACTER: Final = "\U0010ffff"
"""Never becomes a character, so a typeface draws its empty box for it."""
_TRIAL: Final = 24
_LAYOUT: Final = Layout.RAQM if features.check("raqm") else Layout.BASIC
"""Raqm joins and orders the letters of scripts that need it, such as Devanagari."""

_ELLIPSIS: Final = "…"
_CAPITAL: Final = 0.714
"""Height of a capital letter, in parts of the size."""
_NEVER_FIRST: Final = frozenset("、。，．・：；？！）」』】〉》ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々…")
"""Japanese lines do not begin with these."""
_ORNAMENT: Final = frozenset({"So", "Sk", "Sm", "Mn", "Me", "Cn", "Co"})
"""Categories of characters that a text can do without: emojis and what belongs to them."""
_UNSEEN: Final = "Cf"
"""Joiners, directions and other signs without a shape."""


class NotCoveredError(ValueError):
    """A text in a script that no typeface covers."""


class Ink(NamedTuple):
    """How a line is written; `stretch` is the width of the letters, 62 ... 100, which the Asian typeface ignores."""

    size: int
    colour: str
    weight: Weight = "bold"
    stretch: int = WIDE


def legible(text: str) -> str:
    """The text without line breaks, doubled spaces, and the emojis that cannot be drawn.

    Raises:
        NotCoveredError: it has letters that cannot be drawn, or nothing is left of it.
    """
    drawn = "".join(filter(_is_drawn, unicodedata.normalize("NFC", " ".join(text.split()))))
    if not drawn.strip():
        raise NotCoveredError
    return " ".join(drawn.split())


def legible_or(text: str, fallback: str) -> str:
    """The text as it can be drawn, or else the fallback."""
    try:
        return legible(text)
    except NotCoveredError:
        return fallback


def _is_drawn(character: str) -> bool:
    if unicodedata.category(character) == _UNSEEN:
        return False
    if family_of(character):
        return True
    if unicodedata.category(character) in _ORNAMENT:
        return False
    raise NotCoveredError


@lru_cache(maxsize=4096)
def family_of(character: str) -> Family | None:
    """The first family with this character."""
    return next((family for family in FAMILIES if covers(family, character)), None)


def _spans(text: str) -> Iterator[tuple[Family, str]]:
    for family, characters in groupby(text, _family_or_first):
        yield family, "".join(characters)


def _family_or_first(character: str) -> Family:
    return family_of(character) or FAMILIES[0]


def width(text: str, ink: Ink) -> float:
    """How wide the line is, in pixels."""
    return sum(font(family, ink.size, ink.weight, ink.stretch).getlength(span) for family, span in _spans(text))


def cut(text: str, ink: Ink, most: float) -> str:
    """The text, or as much of it as is no wider than `most` with an ellipsis; a letter keeps its accents."""
    if width(text, ink) <= most:
        return text
    seen = list(graphemes(text))

    def shorter(end: int) -> str:
        return "".join(seen[:end]).rstrip() + _ELLIPSIS

    fitting = bisect_right(range(1, len(seen)), most, key=lambda end: width(shorter(end), ink))
    return shorter(fitting)


def wrapped(text: str, inks: Sequence[Ink], most: float) -> tuple[tuple[str, ...], Ink]:
    """The text as one line in the first ink in which it fits, else as two lines in the last one."""
    ink = next((ink for ink in inks if width(text, ink) <= most), inks[-1])
    if width(text, ink) <= most:
        return (text,), ink
    end = max(1, bisect_right(range(1, len(text)), most, key=lambda end: width(text[:end], ink)))
    end = text.rfind(" ", 1, end + 1) if " " in text[1 : end + 1] else _last_break(text, end)
    return (cut(text[:end].strip(), ink, most), cut(text[end:].strip(), ink, most)), ink


def _last_break(text: str, end: int) -> int:
    """Where a text without spaces may break, at `end` or before it: the next line begins as lines may."""
    may_begin = (at for at in range(end, 0, -1) if text[at] not in _NEVER_FIRST and not unicodedata.combining(text[at]))
    return next(may_begin, end)


def write(draw: ImageDraw.ImageDraw, text: str, ink: Ink, at: tuple[float, float], *, align: str = "left") -> None:
    """Write a line; `at` is its left (or right, or middle) end, at half the height of its capitals."""
    x, middle = at
    x -= {"left": 0.0, "right": 1.0, "middle": 0.5}[align] * width(text, ink)
    baseline = middle + ink.size * _CAPITAL / 2
    for family, span in _spans(text):
        face = font(family, ink.size, ink.weight, ink.stretch)
        draw.text((x, baseline), span, ink.colour, face, anchor="ls")
        x += face.getlength(span)


# -- typefaces


@lru_cache(maxsize=32)
def font(family: Family, size: int, weight: Weight = "regular", width: int = WIDE) -> FreeTypeFont:
    """A typeface at a size in pixels; width 62 ... 100. The Asian one is always bold and wide."""
    loaded = _loaded(family, size, _LAYOUT)
    if family == "european":
        loaded.set_variation_by_axes([_WEIGHTS[weight], width])
    return loaded


def _loaded(family: Family, size: int, layout: Layout) -> FreeTypeFont:
    return truetype(str(_FOLDER.joinpath(_FILES[family])), size, layout_engine=layout)


@lru_cache(maxsize=len(FAMILIES))
def _unshaped(family: Family) -> FreeTypeFont:
    """A typeface that draws each character by itself, so that it can be seen whether it has one."""
    return _loaded(family, _TRIAL, Layout.BASIC)


def covers(family: Family, character: str) -> bool:
    """Whether the typeface has the character: it draws something else than its empty box."""
    return _shape(family, character) != _shape(family, _NO_CHARACTER)


def _shape(family: Family, character: str) -> bytes:
    trial = Image.new("L", (2 * _TRIAL, 2 * _TRIAL))
    ImageDraw.Draw(trial).text((0, 0), character, 255, _unshaped(family))
    return trial.tobytes()
