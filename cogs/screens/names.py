"""Makes names, and other text that people type (a forfeit), safe to show in a message.

Characters that would hide or displace text are removed, markdown is escaped, and length is counted in columns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 32
_JOINER = "\u200d"
_MARKDOWN: Final = re.compile(r"[\\*_~`|<>#\[\]()]|^-")
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")  # invisible letters and signs
_MOST_MARKS: Final = 2
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_NARROW: Final = re.compile("[\0-\u02ff\u2010-\u2027]*")  # one column each, and none combines with its neighbour
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def clean(name: str, most: int = LONGEST) -> str:
    """The name on one line, without control, bidi and invisible characters, cut to `most`; may be empty."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split())[:most].rstrip(" ")
    kept: list[str] = []
    for char in unicodedata.normalize("NFC", name):
        kind = unicodedata.category(char)
        if kind in {"Cc", "Zs", "Zl", "Zp"} or char in _BLANK:
            kept.append(" ")
        elif _is_selector(char) and kept and kept[-1].isalpha():
            continue  # it would change nothing but the name, which could then pass for another
        elif _is_mark(char) and len(kept) >= _MOST_MARKS and all(map(_is_mark, kept[-_MOST_MARKS:])):
            continue  # more stacked marks would paint over the lines above and below
        elif kind not in {"Cf", "Cs", "Co", "Cn"} or (char == _JOINER and _joins(kept[-1:])):
            kept.append(char)
    cleaned = " ".join("".join(kept).strip(_JOINER).split())[:most].strip(_JOINER + " ")
    return "" if all(_is_mark(char) or char in f"{_JOINER} " for char in cleaned) else cleaned


def _joins(before: list[str]) -> bool:
    return any(unicodedata.category(char) in {"So", "Sk"} or _is_selector(char) for char in before)


def _is_selector(char: str) -> bool:
    """Whether it chooses between forms of the character before it, such as text or emoji."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Me"}


def escaped(name: str) -> str:
    """Escape Discord's markdown, mentions and links, and isolate the text if it needs that."""
    return isolated(_MARKDOWN.sub(lambda sign: f"\\{sign[0]}", name).replace("://", "\\://").replace("@", "@\u2060"))


def isolated(name: str) -> str:
    """The text; if it has right-to-left letters, in an isolate, or numbers and names beside it would change places."""
    is_marked = not name.isascii() and not _RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, name))
    return f"{_ISOLATE}{name}{_END_OF_ISOLATE}" if is_marked else name


def columns(text: str) -> int:
    """The width of the text in columns of a phone's screen; wide characters take two."""
    return len(text) if _NARROW.fullmatch(text) else sum(map(_width, graphemes(text)))


def _width(grapheme: str) -> int:
    first = grapheme[0]
    is_emoji = len(grapheme) > 1 and unicodedata.category(first) == "So"
    return 2 if is_emoji or unicodedata.east_asian_width(first) in {"W", "F"} else 1


def graphemes(text: str) -> Iterator[str]:
    """Split the text into visible characters: marks, joiners, skin tones and flags stay with their base."""
    current = ""
    for char in text:
        if current and not _belongs(current, char):
            yield current
            current = ""
        current += char
    if current:
        yield current


def _belongs(current: str, char: str) -> bool:
    flag = _is_flag(char) and _is_flag(current[-1]) and len(current) % 2 == 1
    tone = "\U0001f3fb" <= char <= "\U0001f3ff"
    return unicodedata.category(char) in {"Mn", "Me", "Mc"} or char == _JOINER or current[-1] == _JOINER or flag or tone


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def fitted(name: str, most: int) -> str:
    """Cut the text to `most` columns, ending in … if anything was cut, but never inside a grapheme."""
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
