"""The two typefaces: Noto Sans for European scripts, Noto Sans CJK for East Asian ones (both SIL OFL 1.1).

The files in `typefaces/` hold the characters that `tools/fonts.py` lists; all others are not covered.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from PIL import Image, ImageDraw, features
from PIL.ImageFont import FreeTypeFont, Layout, truetype

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
