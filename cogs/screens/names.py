"""Names of people as they may stand in a message: cleaned of what moves text about, cut by columns, markdown escaped.

Also free text that people typed (a forfeit). Knows nothing of tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 32
_JOINER = "\u200d"
_MARKDOWN: Final = re.compile(r"([\\*_~`|<>#\[\]()])")
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # nothing is seen of these letters and signs
_MOST_MARKS: Final = 2
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_NARROW: Final = re.compile("[\0-\u02ff\u2010-\u2027]*")  # a column each, and none of them belongs to another
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def clean(name: str, most: int = LONGEST) -> str:
    """The name on one line, without control, bidirectional and invisible characters, cut to `most`; may be empty."""
    kept: list[str] = []
    for char in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(char)
        if kind in {"Cc", "Zs", "Zl", "Zp"} or char in _BLANK:
            kept.append(" ")
        elif _is_mark(char) and len(kept) >= _MOST_MARKS and all(map(_is_mark, kept[-_MOST_MARKS:])):
            continue  # piled up they paint over the lines above and below
        elif kind not in {"Cf", "Cs", "Co", "Cn"} or (char == _JOINER and _joins(kept[-1:])):
            kept.append(char)
    return " ".join("".join(kept).strip(_JOINER).split())[:most].strip(_JOINER + " ")


def _joins(before: list[str]) -> bool:
    return any(unicodedata.category(char) in {"So", "Sk"} or "\ufe00" <= char <= "\ufe0f" for char in before)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Me"}


def escaped(name: str) -> str:
    """The text with Discord's markdown, mentions and links made harmless, isolated if need be."""
    return isolated(_MARKDOWN.sub(r"\\\1", name).replace("://", "\\://").replace("@", "@\u2060"))


def isolated(name: str) -> str:
    """The text, isolated if it has letters from right to left, or numbers and names beside it would change places."""
    is_marked = not _RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, name))
    return f"{_ISOLATE}{name}{_END_OF_ISOLATE}" if is_marked else name


def columns(text: str) -> int:
    """How many columns of a phone's screen the text takes: wide characters count two."""
    return len(text) if _NARROW.fullmatch(text) else sum(map(_width, graphemes(text)))


def _width(grapheme: str) -> int:
    first = grapheme[0]
    wide = unicodedata.east_asian_width(first) in {"W", "F"} or (
        len(grapheme) > 1 and unicodedata.category(first) == "So"
    )
    return 2 if wide else 1


def graphemes(text: str) -> Iterator[str]:
    """What is seen as one character each: marks, joiners, skin tones and flags stay with what they belong to."""
    current = ""
    for char in text:
        if current and _belongs(current, char):
            current += char
            continue
        if current:
            yield current
        current = char
    if current:
        yield current


def _belongs(current: str, char: str) -> bool:
    flag = _is_flag(char) and _is_flag(current[-1]) and len(current) % 2 == 1
    tone = "\U0001f3fb" <= char <= "\U0001f3ff"
    return unicodedata.category(char) in {"Mn", "Me", "Mc"} or char == _JOINER or current[-1] == _JOINER or flag or tone


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def fitted(name: str, most: int) -> str:
    """The text cut to `most` columns, … at its end if something is gone; never inside a grapheme."""
    if columns(name) <= most:
        return name
    kept, room = "", most - 1
    for grapheme in graphemes(name):
        room -= _width(grapheme)
        if room < 0:
            break
        kept += grapheme
    return kept.rstrip() + "…"


def bold(name: str) -> str:
    """The name in bold, cut and escaped."""
    return f"**{escaped(fitted(name, LONGEST * 2))}**"
