"""Constructors for Discord's components (version 2), as plain data within Discord's limits.

A message holds at most 40 components, nested ones and accessories included, and 4,000 characters over all its texts;
Discord refuses a message that exceeds either. Text that people or translators can lengthen is cut to fit; a custom id
that is too long is a bug and raises `ValueError`. This module must not depend on cards, tables or languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import IntEnum
from itertools import groupby, pairwise
from typing import Any, Final, TypeAlias, TypeVar
from zlib import crc32

Component: TypeAlias = dict[str, Any]
Screen: TypeAlias = list[Component]
"""The top-level components of a message."""
Batched = TypeVar("Batched")

MOST_COMPONENTS: Final = 40
MOST_CHARACTERS: Final = 4000
MOST_OPTIONS: Final = 25
MOST_BUTTONS: Final = 5
LABEL: Final = 80
OPTION_TEXT: Final = 100
PLACEHOLDER: Final = 150
CUSTOM_ID: Final = 100
MOST_BYTES: Final = 8_000_000  # of a file: accepted everywhere, even on a server without boosts
FORM_TEXT: Final = 45
ALT_TEXT: Final = 1000

ACTION_ROW, BUTTON, SELECT, TEXT_INPUT = 1, 2, 3, 4
SECTION, TEXT, GALLERY, FILE, SEPARATOR, CONTAINER, LABELLED = 9, 10, 12, 13, 14, 17, 18


class _Widths(dict[str, int]):
    """Approximate widths of letters on a button, in pixels; those that are not listed are estimated."""

    def __missing__(self, letter: str) -> int:
        narrow = 9 if letter.isupper() else 8
        width = self[letter] = 14 if letter > "◿" else narrow  # emojis and East Asian letters are wide
        return width


_WIDTHS: Final = _Widths({"\ufe0e": 0, **dict.fromkeys("fijlrt '’.,:-()", 5), **dict.fromkeys("mwMW♣♦♥♠", 12)})


class Style(IntEnum):
    """The colours of a button."""

    BLURPLE = 1
    GREY = 2
    GREEN = 3
    RED = 4


class Accent(IntEnum):
    """The colour of the stripe beside a container, which shows the state of its message."""

    GREEN = 0x3BA55D
    GREY = 0x80848E
    GOLD = 0xF0B232
    RED = 0xE0464B
    TEA = 0xA9713A
    BLUE = 0x5865F2


def cut(content: str, most: int) -> str:
    """Cut the text to `most` characters, ending in …, never inside a custom emoji, mention, timestamp or isolate."""
    if len(content) <= most:
        return content
    begun = r"\\?<(/[^<>]*|[^<>\s]*)$|\u2068[^\u2069]*$"  # at the end, the beginning of one of those
    return re.sub(begun, "", content[: most - 1]).rstrip() + "…"


def shortened(content: str, most: int) -> str:
    """Cut the text to `most` characters, if possible after a sentence, else between two words."""
    if len(content) <= most:
        return content
    ended = max(content.rfind(stop, 0, most) for stop in (". ", "。", "। "))
    if ended >= most // 2:
        return content[: ended + 1]
    kept = content[: most - 1]
    between = kept.rfind(" ")
    return (kept[:between] if between >= most // 2 else kept).rstrip(" ,;:") + "…"


def _checked(custom_id: str) -> str:
    if not 1 <= len(custom_id) <= CUSTOM_ID:
        raise ValueError(f"a custom id has 1 to {CUSTOM_ID} characters, not {len(custom_id)}")
    return custom_id


def _given(optional: Component) -> Component:
    """Those of the values that are neither None nor empty nor False."""
    return {key: value for key, value in optional.items() if value}


def h1(words: str) -> str:
    """A line as the largest heading; empty if it is."""
    return f"# {words}" if words else ""


def h2(words: str) -> str:
    """A line as a heading."""
    return f"## {words}"


def h3(words: str) -> str:
    """A line as a small heading."""
    return f"### {words}"


def lines(*content: str) -> Component:
    """A text component, in Discord's markdown, with one line per argument; empty lines are left out."""
    return {"type": TEXT, "content": "\n".join(filter(None, content))}


def small(*parts: str) -> str:
    """A line of small print, capitalized, its parts separated by dots; empty if all parts are."""
    line = continued(*parts)
    return line[:3] + line[3:4].upper() + line[4:]


def continued(*parts: str) -> str:
    """Like `small`, but not capitalized, because it continues the line above: `or a 2 or a 10`."""
    line = " · ".join(filter(None, parts))
    return f"-# {line}" if line else ""


def stamp(when: datetime, style: str = "R") -> str:
    """A timestamp that Discord shows in the reader's language and time zone; style `R` is relative, `in 2 hours`."""
    return f"<t:{int(when.timestamp())}:{style}>"


def divider() -> Component:
    """A thin line between the sections of a message."""
    return {"type": SEPARATOR, "divider": True, "spacing": 1}


def button(
    custom_id: str, label: str, style: Style = Style.GREY, *, emoji: Component | None = None, disabled: bool = False
) -> Component:
    """A button; a label that is too long is cut."""
    made = {"type": BUTTON, "style": int(style), "label": cut(label, LABEL), "custom_id": _checked(custom_id)}
    return made | _given({"emoji": emoji, "disabled": disabled})


def row(*children: Component) -> Component:
    """An action row: up to five buttons side by side, or one select."""
    if not 1 <= len(children) <= MOST_BUTTONS:
        raise ValueError(f"a row has 1 to {MOST_BUTTONS} components, not {len(children)}")
    return {"type": ACTION_ROW, "components": list(children)}


def rows(buttons: Sequence[Component], wide: int = 3) -> Screen:
    """Buttons in rows of at most `wide`, narrow enough for a phone, and evenly filled where that fits, too."""
    filled: list[list[Component]] = []
    for each in buttons:
        if not filled or len(filled[-1]) == wide or not _fit([*filled[-1], each]):
            filled.append([])
        filled[-1].append(each)
    ends = [len(buttons) * nth // max(1, len(filled)) for nth in range(len(filled) + 1)]
    even = [buttons[begin:end] for begin, end in pairwise(ends)]
    return [row(*each) for each in (even if all(map(_fit, even)) else filled)]


def _fit(buttons: Sequence[Component]) -> bool:
    """Whether the buttons fit side by side in a window 400 pixels wide, which leaves them 283 pixels."""
    return sum(map(_width, buttons)) + 8 * len(buttons) <= 283  # noqa: PLR2004 - pixels


def _width(button: Component) -> int:
    """The approximate width of a button in pixels."""
    return (54 if "emoji" in button else 26) + sum(map(_WIDTHS.__getitem__, button["label"]))


def option(
    label: str, value: str, description: str = "", *, emoji: Component | None = None, default: bool = False
) -> Component:
    """An option of a select; label and description are cut, a value over 100 characters raises `ValueError`."""
    if len(value) > OPTION_TEXT:
        raise ValueError(f"the value of an option has at most {OPTION_TEXT} characters, not {len(value)}")
    made = {"label": cut(label, OPTION_TEXT), "value": value}
    return made | _given({"description": shortened(description, OPTION_TEXT), "emoji": emoji, "default": default})


def select(custom_id: str, options: Sequence[Component], title: str, *, fewest: int = 1, most: int = 1) -> Component:
    """A row with a select. Its component id keeps clients from mistaking it for another select that it replaces."""
    if not 1 <= len(options) <= MOST_OPTIONS:
        raise ValueError(f"a select has 1 to {MOST_OPTIONS} options, not {len(options)}")
    return row(
        {
            "type": SELECT,
            "id": min((crc32(custom_id.encode()) >> 1) + 1, (1 << 31) - 1),
            "custom_id": _checked(custom_id),
            "options": list(options),
            "placeholder": cut(title, PLACEHOLDER),
            "min_values": fewest,
            "max_values": most,
        }
    )


def captioned(caption: str, *selects: Component) -> Screen:
    """Selects under a caption, because a chosen option replaces the placeholder that would name them."""
    return [lines(small(caption)), *selects]


def attached(name: str) -> Component:
    """A file attached to the message, for download."""
    return {"type": FILE, "file": {"url": f"attachment://{name}"}}


def picture(name: str, alt: str) -> Component:
    """A picture attached to the message. `alt` describes it in words; an empty one raises `ValueError`."""
    if not alt.strip():
        raise ValueError("a picture needs an alt text")
    item = {"media": {"url": f"attachment://{name}"}, "description": cut(alt, ALT_TEXT)}
    return {"type": GALLERY, "items": [item]}


def section(accessory: Component, *content: str) -> Component:
    """Text as in `lines`, with a button beside it."""
    return {"type": SECTION, "components": [lines(*content)], "accessory": accessory}


def container(accent: Accent, parts: Iterable[Component]) -> Screen:
    """The single container of a message. Empty texts are dropped; over 4,000 characters, the longest text is cut first.

    Button rows that a phone would wrap are split. If that makes too many components, five buttons go into each row.
    """
    parts_shown: Screen = []
    for part in (each for each in parts if each.get("content") != ""):
        is_wrapped = _is_buttons(part) and not _fit(part["components"])
        parts_shown += rows(part["components"], MOST_BUTTONS) if is_wrapped else [part]
    inside = list(walk(parts_shown))
    parts_shown = parts_shown if len(inside) < MOST_COMPONENTS else _packed(parts_shown)
    texts = [each for each in inside if each["type"] == TEXT]
    while (excess := characters(texts) - MOST_CHARACTERS) > 0:
        longest = max(texts, key=lambda each: len(each["content"]))
        content: str = longest["content"]
        longest["content"] = cut(content, max(1, len(content) - excess))
    return [{"type": CONTAINER, "accent_color": int(accent), "components": parts_shown}]


def _is_buttons(part: Component) -> bool:
    return part["type"] == ACTION_ROW and part["components"][0]["type"] == BUTTON


def batches(items: Sequence[Batched], most: int = MOST_OPTIONS) -> list[Sequence[Batched]]:
    """The items in order, at most `most` of them together: as many as fit into a select, or into a row."""
    return [items[start : start + most] for start in range(0, len(items), most)]


def _packed(parts: Iterable[Component]) -> Screen:
    packed: Screen = []
    for are_buttons, group in groupby(parts, _is_buttons):
        if are_buttons:
            buttons = [each for part in group for each in part["components"]]
            packed += [row(*batch) for batch in batches(buttons, MOST_BUTTONS)]
        else:
            packed += group
    return packed


def note(accent: Accent, sentence: str) -> Screen:
    """A short answer: red for a refusal, grey for something done, green if somebody can act now."""
    return container(accent, [lines(sentence)])


def field(custom_id: str, label: str, *, value: str = "", most: int = MOST_CHARACTERS, long: bool = False) -> Component:
    """A text input of a form. A value longer than `most` raises `ValueError`: cut, it would come back incomplete."""
    if len(value) > most:
        raise ValueError(f"a field holds at most {most} characters, not {len(value)}")
    inner = {"type": TEXT_INPUT, "custom_id": _checked(custom_id), "style": 2 if long else 1}
    inner |= {"required": True, "max_length": most} | _given({"value": value})
    return {"type": LABELLED, "label": cut(label, FORM_TEXT), "component": inner}


def form(custom_id: str, title: str, *fields: Component) -> Component:
    """A form that opens over the channel; Discord calls it a modal."""
    return {"custom_id": _checked(custom_id), "title": cut(title, FORM_TEXT), "components": list(fields)}


def walk(screen: Iterable[Component]) -> Iterator[Component]:
    """Every component of a message or a form, nested ones and accessories included, as Discord counts them."""
    for each in screen:
        yield each
        if "components" in each:
            yield from walk(each["components"])
        if "accessory" in each:
            yield each["accessory"]
        if "component" in each:  # the field of a form, below its label
            yield from walk((each["component"],))


def count(screen: Iterable[Component]) -> int:
    """How many components Discord counts."""
    return sum(1 for _ in walk(screen))


def characters(screen: Iterable[Component]) -> int:
    """How many characters Discord counts."""
    return sum(len(each["content"]) for each in walk(screen) if each["type"] == TEXT)
