"""Checks the components of messages and forms (docs.discord.com: components/reference)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any, Final

from testkit.strict.notes import Data, Notes, walk


class Kind(IntEnum):
    """The types of components that the bot may use."""

    ROW = 1
    BUTTON = 2
    SELECT = 3
    INPUT = 4
    SECTION = 9
    TEXT = 10
    GALLERY = 12
    FILE = 13
    SEPARATOR = 14
    CONTAINER = 17
    LABEL = 18


INSIDE: Final = {Kind.ROW, Kind.SECTION, Kind.TEXT, Kind.GALLERY, Kind.FILE, Kind.SEPARATOR}
"""What a container may hold; a message may hold containers, too."""
EMOJI_NAME: Final = re.compile(r"[A-Za-z0-9_]{2,32}")
TAGS: Final = re.compile(r"<t:-?\d+(:[tTdDfFsSR])?>|<a?:[A-Za-z0-9_]{2,32}:\d+>|<@\d+>|<#\d+>")
TAG_BEGUN: Final = re.compile(r"(?<!\\)<(?=t:|a?:\w|[@#])")
ATTACHED: Final = "attachment://"
PICTURES: Final = re.compile(rf"({ATTACHED}|https://)[\w./-]+\.(png|gif|jpg|webp)")


def text_of(every: Iterable[Data]) -> str:
    """All text displays, one after another."""
    return "".join([each["content"] for each in every if each["type"] == Kind.TEXT])


def files_shown(every: Iterable[Data]) -> Iterator[str]:
    """The names of the attached files that components show."""
    for each in every:
        if "items" in each or "file" in each:
            media = [item["media"] for item in each.get("items", ())] + ([each["file"]] if "file" in each else [])
            urls = (one["url"] for one in media)
            yield from (url.removeprefix(ATTACHED) for url in urls if url.startswith(ATTACHED))


class Components(Notes):
    """Checks components."""

    def screen(self, components: Any, files: Collection[str] | None = None) -> None:
        """The components of a message, which must show each of its `files`; None if those are not known."""
        every = walk(components)
        self.require(components, "an empty message")
        self.size("components", len(every), 40)
        self.size("characters", len(text_of(every)), 4000)
        self.unique("custom_id", (each["custom_id"] for each in every if "custom_id" in each))
        self.unique("id", (each["id"] for each in every if "id" in each))
        self.require({each["type"] for each in components} <= INSIDE | {Kind.CONTAINER}, "at the top", components)
        for each in every:
            self.component(each)
        shown = sorted(files_shown(every))
        self.require(files is None or shown == sorted(files), "files shown, and attached", (shown, files))

    def form(self, data: Data) -> None:
        """A form, which Discord calls a modal."""
        self.keys("a form", data, "custom_id title components")
        self.words("custom_id", data["custom_id"], 100)
        self.words("title of a form", data["title"], 45)
        self.require(1 <= len(data["components"]) <= 5, "fields of a form", data)
        self.require({each["type"] for each in data["components"]} <= {Kind.LABEL, Kind.TEXT}, "in a form", data)
        every = walk(data["components"])
        self.unique("custom_id", (each["custom_id"] for each in every if "custom_id" in each))
        for each in every:
            self.component(each)

    def component(self, each: Data) -> None:
        """A component without those inside."""
        if not self.require(each["type"] in CHECKS, "type of a component", each):
            return
        keys, check = CHECKS[each["type"]]
        self.keys("a component", each, f"type id {keys}")
        number = each.get("id", 0)
        self.require(type(number) is int and 0 <= number < 1 << 31, "id of a component", each)
        self.require(type(each.get("disabled", False)) is bool, "disabled", each)
        if "custom_id" in keys:
            self.words("custom_id", each.get("custom_id"), 100)
        check(self, each)

    def row(self, each: Data) -> None:
        kinds = [child["type"] for child in each["components"]]
        are_buttons = 1 <= len(kinds) <= 5 and set(kinds) == {Kind.BUTTON}
        self.require(are_buttons or kinds == [Kind.SELECT], "in a row", kinds)

    def button(self, each: Data) -> None:
        """A button that the bot hears of: neither a link nor a purchase."""
        self.require(type(each["style"]) is int and each["style"] in {1, 2, 3, 4}, "style of a button", each)
        if "label" in each or "emoji" not in each:
            self.words("label of a button", each.get("label"), 80)
        self.emoji(each)

    def select(self, each: Data) -> None:
        options, fewest, most = each["options"], each.get("min_values", 1), each.get("max_values", 1)
        self.size("options", len(options), 25, each["custom_id"])
        chosen = sum(option.get("default", False) for option in options)
        self.require(0 <= fewest <= most and chosen <= most and 1 <= most <= len(options), "values of a select", each)
        if "placeholder" in each:
            self.words("placeholder", each["placeholder"], 150)
        self.unique("value of an option", (option["value"] for option in options))
        for option in options:
            self.keys("an option", option, "label value description emoji default")
            for key in ("label", "value", *(["description"] if "description" in option else [])):
                self.words(f"{key} of an option", option.get(key), 100)
            self.emoji(option)

    def emoji(self, each: Data) -> None:
        """The emoji of a button or an option, if it has one; the bot uses only its own there."""
        if emoji := each.get("emoji"):
            self.keys("an emoji", emoji, "id name")
            self.require(re.fullmatch(r"\d{1,20}", str(emoji.get("id"))), "id of an emoji", emoji)
            self.require(EMOJI_NAME.fullmatch(str(emoji.get("name"))), "name of an emoji", emoji)

    def section(self, each: Data) -> None:
        self.require(1 <= len(each["components"]) <= 3, "texts in a section", each)
        self.require({child["type"] for child in each["components"]} == {Kind.TEXT}, "in a section", each)
        self.require(each["accessory"]["type"] == Kind.BUTTON, "beside a section", each)

    def text(self, each: Data) -> None:
        """A text, in which every tag that is begun must be one, such as `<t:1767225600:R>`."""
        content = each["content"]
        self.words("text", content, 4000, trimmed=False)
        for begun in TAG_BEGUN.finditer(content):
            self.require(TAGS.match(content, begun.start()), "a tag", content[begun.start() :][:40])

    def gallery(self, each: Data) -> None:
        self.require(1 <= len(each["items"]) <= 10, "pictures", each)
        for item in each["items"]:
            self.keys("a picture", item, "media description spoiler")
            self.require(PICTURES.fullmatch(item["media"]["url"]), "address of a picture", item)
            self.words("description of a picture", item.get("description"), 1024)

    def file(self, each: Data) -> None:
        self.require(each["file"]["url"].startswith(ATTACHED), "address of a file", each)

    def separator(self, each: Data) -> None:
        self.require(type(each.get("divider", True)) is bool and each.get("spacing", 1) in {1, 2}, "separator", each)

    def container(self, each: Data) -> None:
        accent, kinds = each.get("accent_color", 0), {child["type"] for child in each["components"]}
        self.require(kinds and kinds <= INSIDE, "in a container", kinds)
        self.require(type(accent) is int and 0 <= accent <= 0xFFFFFF, "accent of a container", accent)

    def label(self, each: Data) -> None:
        """A field of a form, with its label."""
        self.words("label of a field", each["label"], 45)
        if "description" in each:
            self.words("description of a field", each["description"], 100)
        self.require(each["component"]["type"] in {Kind.INPUT, Kind.SELECT}, "a field", each)

    def input(self, each: Data) -> None:
        """What can be typed into; what it holds must fit, or the form could not be sent unchanged."""
        least, most, value = each.get("min_length", 0), each.get("max_length", 4000), each.get("value", "-")
        self.require(each["style"] in {1, 2} and type(each.get("required", True)) is bool, "style of a field", each)
        self.require(0 <= least <= most and 1 <= most <= 4000, "length of a field", each)
        self.require(len(value) >= max(1, least), "value of a field", each)
        self.require(each["style"] == 2 or "\n" not in value, "lines in a short field", each)
        self.size("value of a field", len(value), most, value)
        if "placeholder" in each:
            self.words("placeholder of a field", each["placeholder"], 100)


CHECKS: Final[Mapping[int, tuple[str, Callable[[Components, Data], None]]]] = {
    Kind.ROW: ("components", Components.row),
    Kind.BUTTON: ("style label emoji custom_id disabled", Components.button),
    Kind.SELECT: ("custom_id options placeholder min_values max_values disabled", Components.select),
    Kind.INPUT: ("custom_id style min_length max_length required value placeholder", Components.input),
    Kind.SECTION: ("components accessory", Components.section),
    Kind.TEXT: ("content", Components.text),
    Kind.GALLERY: ("items", Components.gallery),
    Kind.FILE: ("file spoiler", Components.file),
    Kind.SEPARATOR: ("divider spacing", Components.separator),
    Kind.CONTAINER: ("components accent_color spoiler", Components.container),
    Kind.LABEL: ("label description component", Components.label),
}
"""By type: the keys that a component may have, and its check."""
