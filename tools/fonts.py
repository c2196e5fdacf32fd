# /// script
# requires-python = ">=3.11"
# dependencies = ["fonttools==4.68.0", "fontpkg-noto-sans==2.15", "noto-cjk-sans-jp-bold==0.0.1"]
# ///
"""Writes cogs/pictures/typefaces/, the parts of the two Noto typefaces that pictures need: `uv run tools/fonts.py`.

The whole typefaces come from the packages named above, which nothing else needs. A part holds the characters listed in
this file, with the outlines, hints and kerning of the whole; other characters cannot be drawn.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Final

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

SANS: Final = (
    "fontpkg_noto_sans", "files/NotoSans[wdth,wght].ttf",
    "bfb7bb691513f12e734dc346c03a03f784912432d7e3fa8e56efcf906fe86b3d",
)  # fmt: skip
CJK: Final = (
    "noto_cjk_sans_jp_bold", "NotoSansCJKjp-Bold.otf",
    "e53dcb0dcb2922e45d01aae1ebd2f382bb81d4229b18b6b883bd170678af1f76",
)  # fmt: skip
"""Where the whole typefaces are: package, file, and the SHA-256 of the file that this script was written for."""
FOLDER: Final = Path(__file__).parents[1] / "cogs" / "pictures" / "typefaces"
EUROPEAN: Final = (
    (0x0020, 0x036F),  # Latin with its extensions, modifiers, combining marks
    (0x0370, 0x052F),  # Greek and Cyrillic
    (0x0900, 0x097F),  # Devanagari
    (0x1C80, 0x1C8F),  # more Cyrillic
    (0x1D00, 0x1FFF),  # phonetic letters, Latin for Vietnamese and others, old Greek
    (0x2000, 0x218F),  # punctuation, currencies, letterlike signs, fractions, Roman numerals
    (0x2190, 0x22FF),  # arrows and mathematical signs
    (0x25A0, 0x26FF),  # shapes and symbols
    (0x2C60, 0x2C7F),  # more Latin
    (0xA640, 0xA69F),  # more Cyrillic
    (0xA720, 0xA7FF),  # more Latin
    (0xA8E0, 0xA8FF),  # more Devanagari
    (0xAB30, 0xAB6F),  # more Latin
    (0xFB00, 0xFB06),  # ligatures
)
SETS: Final = {"JIS X 0208": "euc_jp", "GB 2312": "gb2312", "KS X 1001": "euc_kr"}
"""The everyday characters of Japan, China and Korea, and the encodings that hold nothing else in two bytes."""
BIG5_FIRST_LEVEL: Final = (0xA440, 0xC67E)
"""The frequent half of the characters of Taiwan and Hong Kong, by their numbers in Big5."""
HALF_WIDTH: Final = (0xFF61, 0xFF9F)


def european() -> set[int]:
    """The characters of the European part."""
    return {code for first, last in EUROPEAN for code in range(first, last + 1)}


def asian() -> set[int]:
    """The characters of the East Asian part."""
    pairs = [bytes(pair) for pair in product(range(0xA1, 0xFF), repeat=2)]
    found = {code for encoding in SETS.values() for code in _decoded(pairs, encoding)}
    numbers = range(BIG5_FIRST_LEVEL[0], BIG5_FIRST_LEVEL[1] + 1)
    found |= set(_decoded((number.to_bytes(2, "big") for number in numbers), "big5"))
    return found | set(range(HALF_WIDTH[0], HALF_WIDTH[1] + 1))


def _decoded(pairs: Iterable[bytes], encoding: str) -> Iterator[int]:
    for pair in pairs:
        text = pair.decode(encoding, errors="ignore")
        if len(text) == 1:
            yield ord(text)


def whole(package: str, name: str, digest: str) -> TTFont:
    """Load a whole typeface; exit if it is not the file that this script was written for."""
    file = Path(str(files(package).joinpath(name)))
    if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
        sys.exit(f"{file.name} is not the file that this script was written for")
    return TTFont(file, recalcTimestamp=False)


def part(typeface: TTFont, characters: set[int], features: list[str]) -> TTFont:
    """Reduce the typeface to what these characters need."""
    options = Options(layout_features=features, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(typeface)
    return typeface


def write(typeface: TTFont, name: str) -> None:
    """Write a typeface into the folder, and print what is in it."""
    file = FOLDER / name
    typeface.save(file)
    print(f"{name}: {len(typeface.getBestCmap())} characters, {file.stat().st_size:,} bytes")


def main() -> None:
    """Write both parts."""
    # All features stay: FreeType's hinter finds superscripts and small capitals by them, and draws those differently.
    write(part(whole(*SANS), european(), ["*"]), "NotoSans.ttf")
    write(part(whole(*CJK), asian(), ["kern"]), "NotoSansCJKjp-Bold.otf")


if __name__ == "__main__":
    main()
