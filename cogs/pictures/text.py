"""Lines of text in a picture: in any mixture of the scripts that the typefaces cover, cut to a width.

There are two typefaces: Noto Sans for European scripts, Noto Sans CJK for East Asian ones (both SIL OFL 1.1). The files
in `typefaces/` have only the characters that `tools/fonts.py` lists.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import chain, groupby
from typing import Final, Literal, TypeAlias

from PIL import Image, ImageDraw, features
from PIL.ImageFont import FreeTypeFont, Layout, truetype

from cogs.screens.names import graphemes

Family: TypeAlias = Literal["european", "asian"]

NARROW, WIDE = 75, 100
"""Widths of the letters, in per cent."""
BOLD, HEAVY = 700, 900
"""Weights of the letters."""
_FOLDER: Final = files("cogs.pictures").joinpath("typefaces")
_FILES: Final[dict[Family, str]] = {"european": "NotoSans.ttf", "asian": "NotoSansCJKjp-Bold.otf"}
"""The first one that has a character draws it."""
_NO_CHARACTER: Final = "\U0010ffff"
"""A code point that will never be a character, so a typeface draws its placeholder box for it."""
_TRIAL: Final = 24
_LAYOUT: Final = Layout.RAQM if features.check("raqm") else Layout.BASIC
"""Raqm shapes scripts whose letters are joined and reordered, such as Devanagari."""

_ELLIPSIS: Final = "…"
_CAPITAL: Final = 0.714
"""Height of a capital letter divided by the size of the type."""
_LINE: Final = 1.5
"""Height of a line divided by its size, which leaves room for accents and descenders."""
_NEVER_FIRST: Final = frozenset("、。，．・：；？！）」』】〉》ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々….,:;!?’)")
"""Characters with which a Japanese line must not begin."""
_ORNAMENT: Final = frozenset({"So", "Sk", "Sm", "Mn", "Me", "Cn", "Co", "Po", "Ps", "Pe"})
"""Unicode categories of characters that a text can do without: emojis and their modifiers, signs around a name."""


class NotDrawableError(ValueError):
    """Raised for a text that cannot be drawn, because no typeface covers its script."""


def legible(text: str) -> str:
    """The text without line breaks, repeated spaces, and ornaments that cannot be drawn; `𝓐` becomes a plain `A`.

    `NotDrawableError` if it has letters that cannot be drawn, or nothing is left of it.
    """
    words = ["".join(map(_drawn, word)) for word in unicodedata.normalize("NFC", text).split()]
    drawn = " ".join(word for word in words if word not in {"", "()", "[]"})  # brackets around an ornament
    if not drawn:
        raise NotDrawableError
    return drawn


def legible_or(text: str, fallback: str) -> str:
    """The text as it can be drawn (`legible`), or the fallback if it cannot: at least the number in it."""
    try:
        return legible(text)
    except NotDrawableError:
        return "".join(filter(family_of, fallback)).strip()


def _drawn(character: str) -> str:
    """What is drawn of a character: if no typeface has it, the letter that it is a form of; of an ornament nothing."""
    if (kind := unicodedata.category(character)) == "Cf":  # a joiner or a direction mark, which has no shape
        return ""
    plain = character if family_of(character) else unicodedata.normalize("NFKC", character)
    if all(map(family_of, plain)):
        return plain
    if kind in _ORNAMENT:
        return ""
    raise NotDrawableError


@lru_cache(maxsize=4096)
def family_of(character: str) -> Family | None:
    """The first typeface that has this character; None if neither does."""
    return next((family for family in _FILES if covers(family, character)), None)


def _spans(text: str) -> Iterator[tuple[Family, str]]:
    """The text in pieces, each with the typeface that draws it."""
    for family, characters in groupby(text, family_of):
        yield "asian" if family == "asian" else "european", "".join(characters)


def width(text: str, size: int, stretch: int = WIDE) -> float:
    """The width of a line in pixels, in letters of a size and a width in per cent."""
    return sum(font(family, size, BOLD, stretch).getlength(span) for family, span in _spans(text))


def cut(text: str, size: int, most: float, stretch: int = WIDE) -> str:
    """The text if it is no wider than `most` pixels, otherwise its beginning and an ellipsis; letters keep accents."""
    if width(text, size, stretch) <= most:
        return text
    seen = list(graphemes(text))

    def shorter(end: int) -> str:
        return "".join(seen[:end]).rstrip() + _ELLIPSIS

    fitting = bisect_right(range(1, len(seen)), most, key=lambda end: width(shorter(end), size, stretch))
    return shorter(fitting)


def wrapped(text: str, sizes: Sequence[int], most: float) -> tuple[tuple[str, ...], int]:
    """The text as one line in the first size in which it fits `most` pixels, otherwise as two in the last size."""
    size = next((size for size in sizes if width(text, size) <= most), sizes[-1])
    if width(text, size) <= most:
        return (text,), size
    longest = max(1, bisect_right(range(1, len(text)), most, key=lambda end: width(text[:end], size)))
    end = _last_break(text, longest)
    return (cut(text[:end].strip(), size, most), cut(text[end:].strip(), size, most)), size


def _last_break(text: str, end: int) -> int:
    """Where to break a text: up to `end`, at the last space or beside the last East Asian letter, else in a word."""
    starts = [at for at in range(end, 0, -1) if text[at] not in _NEVER_FIRST and not unicodedata.combining(text[at])]
    good = (at for at in starts if text[at] == " " or "asian" in map(family_of, text[at - 1 : at + 1]))
    return next(chain(good, starts), end)


@lru_cache(maxsize=256)
def written(text: str, size: int, most: int) -> Image.Image:
    """A line of text as a mask, at most `most` pixels wide: if it is wider, in narrow letters, and cut if need be.

    Capitals stand in the middle of its height.
    """
    stretch = WIDE if width(text, size) <= most else NARROW
    text = cut(text, size, most, stretch)
    mask = Image.new("L", (max(1, round(width(text, size, stretch))), round(size * _LINE)))
    draw, left, baseline = ImageDraw.Draw(mask), 0.0, mask.height / 2 + size * _CAPITAL / 2
    for family, span in _spans(text):
        face = font(family, size, BOLD, stretch)
        draw.text((left, baseline), span, 255, face, anchor="ls")
        left += face.getlength(span)
    return mask


@lru_cache(maxsize=32)
def font(family: Family, size: int, weight: int, width: int) -> FreeTypeFont:
    """A typeface at a size in pixels, with a width of 62 ... 100 per cent. The Asian one is always bold and wide."""
    loaded = _loaded(family, size, _LAYOUT)
    if family == "european":
        loaded.set_variation_by_axes([weight, width])
    return loaded


def _loaded(family: Family, size: int, layout: Layout) -> FreeTypeFont:
    return truetype(str(_FOLDER.joinpath(_FILES[family])), size, layout_engine=layout)


@lru_cache(maxsize=len(_FILES))
def _unshaped(family: Family) -> FreeTypeFont:
    """A typeface without shaping, which draws each character by itself, to test whether it has the character."""
    return _loaded(family, _TRIAL, Layout.BASIC)


def covers(family: Family, character: str) -> bool:
    """Whether the typeface has the character, that is, draws something other than its placeholder box."""
    return _shape(family, character) != _shape(family, _NO_CHARACTER)


def _shape(family: Family, character: str) -> bytes:
    trial = Image.new("L", (2 * _TRIAL, 2 * _TRIAL))
    ImageDraw.Draw(trial).text((0, 0), character, 255, _unshaped(family))
    return trial.tobytes()
