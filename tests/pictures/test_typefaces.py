"""The typefaces that come with the bot cover the scripts of names and texts, and stay small."""

import unicodedata
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from cogs.pictures import text as texts
from cogs.pictures.text import family_of

FOLDER = Path(texts.__file__).parent / "typefaces"
MOST_BYTES = 6_000_000
PAIRS = [bytes(pair) for pair in product(range(0xA1, 0xFF), repeat=2)]
LACKING = set("∼≒◈")
"""Characters that the complete typeface does not have either."""
BLOCKS = {
    "Latin": (0x00A1, 0x024F),
    "Vietnamese and more Latin": (0x1E00, 0x1EFF),
    "Greek": (0x0370, 0x03E1),
    "Cyrillic": (0x0400, 0x04FF),
}


typeface_of = cache(family_of)
"""Many characters are in several encodings; `family_of` itself remembers fewer than there are in one."""


def not_covered(characters):
    """The characters that no typeface draws, except invisible ones."""
    seen = (each for each in characters if unicodedata.category(each)[0] not in "CZ")
    return "".join(each for each in seen if typeface_of(each) is None)


@pytest.mark.parametrize("encoding", ["euc_jp", "gb2312", "euc_kr"])
def test_everyday_characters_of_japan_china_and_korea_are_drawn(encoding):
    characters = [text for pair in PAIRS if len(text := pair.decode(encoding, errors="ignore")) == 1]
    assert len(characters) > 6500
    assert set(not_covered(characters)) <= LACKING


@pytest.mark.parametrize("block", BLOCKS)
def test_european_scripts_are_drawn(block):
    first, last = BLOCKS[block]
    assert not not_covered(map(chr, range(first, last + 1)))


def test_traditional_chinese_names_are_drawn():
    assert not not_covered("陳林黃張李王吳劉蔡楊許鄭謝郭洪曾邱廖賴周徐蘇葉莊呂江何蕭羅高潘簡朱鍾游")


def test_characters_outside_the_subset_are_not_covered():
    assert not_covered("\u0628\u05d0\u0e01\U0001f600") == "\u0628\u05d0\u0e01\U0001f600"


def test_typefaces_are_small_and_come_with_their_licence():
    held = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(held) == {*texts._FILES.values(), "OFL.txt"}
    assert sum(held.values()) <= MOST_BYTES
    licence = (FOLDER / "OFL.txt").read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert [name for name in texts._FILES.values() if name not in licence] == []
