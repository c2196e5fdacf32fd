"""Checks a catalogue: what translators get wrong without noticing, with the line of each error."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from gettext import c2py
from typing import Final, TypeAlias

from babel.messages.catalog import Catalog, Message
from discord.app_commands.commands import validate_name

from cogs.pictures.text import covers
from cogs.screens.components import FORM_TEXT, LABEL, OPTION_TEXT, PLACEHOLDER

ContextAndText: TypeAlias = tuple[str | None, str]
Words: TypeAlias = Mapping[ContextAndText, str]
"""The translation of each text that has a single form."""
COMMANDS: Final = "slash commands"
"""The place of texts of commands."""
NAMES: Final = ("command", "option", "choice")
"""The contexts of what people type or choose in a command."""
ON_CARDS: Final = "printed on the card"
"""The context of the letters of cards, and of the joker, which has a picture instead."""
JOKER: Final = "Joker"
_MANY: Final = 200
"""The numbers below it take every form in which a number of cards, games or points is said."""
_STRING: Final = r'"(?:[^"\\]|\\.)*"'
_LINE: Final = re.compile(rf"\s*(?:#.*|(?:(msgctxt|msgid|msgid_plural|msgstr(?:\[(\d)\])?)\s+)?{_STRING})?\s*")
_ENTRY: Final = re.compile(rf"^(?:msgctxt\s+((?:{_STRING}\s+)+))?msgid\s+((?:{_STRING}\s+)+)", re.MULTILINE)
_FORMS: Final = re.compile(r"nplurals=(\d)")
_MARKS: Final = {"**": "the bold", "`": "the code"}
_LIMITS: Final = {
    "on a button": LABEL,
    "choice in a list": OPTION_TEXT,
    "in a list until something is chosen": PLACEHOLDER,
    "title of a form": FORM_TEXT,
    "above a field of a form": FORM_TEXT,
}
"""How many characters Discord allows, by the note above a text."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}(?![^{]*})")
_IN_WORDS: Final = frozenset("LMN")
"""Unicode categories, by their first letter, of what words and numbers are made of: letters, their marks, digits."""
_PHRASE: Final = 2
"""The fewest words, without those in braces, of a text that is hardly meant to read as in English."""


def misread(stored: bytes) -> Iterator[tuple[int, str]]:
    """What would be lost if a file was read and written again: the number of each line, and why."""
    try:
        text = stored.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        yield stored.count(b"\n", 0, error.start) + 1, "this is not UTF-8: store the file in this encoding"
        return
    header = _FORMS.search(text)
    yield from _misread_lines(text, int(header[1]) if header else 1)
    first = dict[tuple[str, ...], int]()
    for entry in _ENTRY.finditer(text):
        number = text.count("\n", 0, entry.start()) + 1
        written = [re.findall(_STRING, part or "") for part in entry.groups()]
        context_and_text = tuple("".join(each[1:-1] for each in lines) for lines in written)  # however it is wrapped
        if (before := first.setdefault(context_and_text, number)) != number:
            yield number, f"this text is translated in line {before} already"


def _misread_lines(text: str, forms: int) -> Iterator[tuple[int, str]]:
    """The lines of a file that would be lost, where a text with a number has so many forms."""
    translated = dict[str, int]()  # by `msgstr` of the current text, its line
    for number, line in enumerate(text.split("\n"), 1):
        match = _LINE.fullmatch(line)
        if match is None:
            yield number, 'neither a comment nor a text in "…"; quotation marks in a text are written \\"'
            continue
        keyword, form = match[1] or "", match[2]
        if keyword == "msgid":
            translated.clear()
        if form and int(form) >= forms:
            yield number, f"a form too many: by Plural-Forms at the top, texts with a number have {forms}"
        elif keyword.startswith("msgstr") and (before := translated.setdefault(keyword, number)) != number:
            yield number, f"a second {keyword} for the text translated in line {before}"


def forms_of(message: Message) -> tuple[str, ...]:
    """The translation of a message in all its forms; a single empty one if there is none."""
    said = message.string or ""
    return (said,) if isinstance(said, str) else tuple(said)


def text_of(message: Message) -> ContextAndText:
    """The context and the text of a message; the singular of a counted text."""
    return message.context, message.id if isinstance(message.id, str) else message.id[0]


def placeholders(text: str) -> set[str]:
    """The names in braces.

    Raises:
        ValueError: a brace is not closed, or closes nothing.
    """
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def form_for(catalogue: Catalog) -> Callable[[int], int]:
    """The function that says which form a number takes."""
    return c2py(catalogue.plural_expr)


def faults(catalogue: Catalog) -> Iterator[tuple[int, str]]:
    """The errors in the texts of a language: the line of each text, and what is wrong."""
    # Discord also refuses a name that is another one's in English, even if that other one is translated.
    names = {text_of(each): text_of(each)[1] for each in catalogue if each.context in NAMES[:2]}
    form = form_for(catalogue)
    numbers = [{count for count in range(_MANY) if form(count) == nth} for nth in range(catalogue.num_plurals)]
    words = {text_of(each): each.string for each in catalogue if each.id and isinstance(each.string, str)}
    for each in catalogue:
        at, text = each.lineno or 0, text_of(each)[1]
        if each.context in NAMES[:2] and (name := str(each.string or each.id)):
            other = names.setdefault((each.context, name), text)
            if other != text:
                yield at, f"{name}: the {each.context} {other} has this name"
        if each.id and each.fuzzy:
            yield at, f"{text}: as long as this is marked fuzzy, it appears in English"
        forms = forms_of(each) if each.id else ()
        for why in _uneven(each, forms):
            yield at, f"{' / '.join(forms)}: {why}"
        for nth, said in enumerate(forms):
            # "a seven" may be said where only 1 takes the form, or 1 and 0: the bot never says it of 0.
            is_counted = not isinstance(each.id, str)
            for_one = is_counted and len(numbers[nth] - {0}) <= 1
            checked = _Form(each, said, for_one=for_one, says_number=is_counted and len(numbers[nth]) == 1)
            yield from ((at, f"{said}: {why}") for why in (checked.wrong(words) if said else ()))


def _uneven(message: Message, forms: Sequence[str]) -> Iterator[str]:
    """Why the forms do not go together."""
    if any(forms) and not all(forms):
        yield f"in English until no form is missing: by Plural-Forms at the top, texts with a number have {len(forms)}"
    if isinstance(message.id, str) or message.id[0] != message.id[1] or "{count}" in message.id[0]:
        return
    if len(set(filter(None, forms))) > 1:
        yield "the same for every number in English, because the number is not of this: write it in each form"


@dataclass(frozen=True, slots=True)
class _Form:
    """A translation, or one of its forms.

    A form `for_one` may say "a" where English does. A form that a single number takes `says_number` by itself.
    """

    message: Message
    said: str
    for_one: bool
    says_number: bool

    @property
    def _sources(self) -> Sequence[str]:
        return [self.message.id] if isinstance(self.message.id, str) else list(self.message.id)

    def wrong(self, words: Words) -> Iterator[str]:
        """Why it cannot be used, or what it lacks; `words` are the other translations."""
        if "{" in self.said + self._sources[-1] or "}" in self.said:
            yield from self._braces()
        if self.message.context in NAMES[:2]:
            try:
                validate_name(self.said)
            except ValueError as error:
                yield f"Discord does not accept this name: {error}"
            return
        yield from self._length()
        yield from self._edges()
        yield from self._marks(words)
        source = self._sources[-1]
        if self.message.context == ON_CARDS and source != JOKER and not all(map(_is_on_cards, self.said)):
            yield f"no card can be drawn with it: leave {source}"

    def _braces(self) -> Iterator[str]:
        wanted = [placeholders(each) for each in self._sources]
        try:
            there, plain = placeholders(self.said), _is_plain(self.said)
        except ValueError:
            yield "a brace is not closed, or closes nothing"
            return
        is_short = self.says_number and there == wanted[-1] - {"count"}
        if there != wanted[-1] and not is_short and not (self.for_one and there == wanted[0]):
            strange, missing = there - set().union(*wanted), wanted[-1] - there
            yield from (f"{{{name}}} is not in the English text" for name in sorted(strange))
            yield from (f"{{{name}}} of the English text is missing" for name in sorted(missing))
        if not plain:
            yield "a brace may hold nothing but its name"

    def _length(self) -> Iterator[str]:
        notes: Collection[str] = self.message.auto_comments
        limits = [_LIMITS[note] for note in notes if note in _LIMITS]
        if any(note.startswith("option ") for note in notes) or any(at == COMMANDS for at, _ in self.message.locations):
            limits.append(OPTION_TEXT)
        if limits and len(self.said) > min(limits):
            yield f"Discord allows {min(limits)} characters here, and these are {len(self.said)}"

    def _edges(self) -> Iterator[str]:
        source, said = self._sources[-1], self.said
        if source == source.strip() and said != said.strip():
            yield "a blank or a line break at its beginning or end"
        if "\n" in said.strip() and "\n" not in source:
            yield "a line break, which the English text does not have"
        if source.rstrip("*`").endswith(".") and unicodedata.category(said.rstrip("*`")[-1:] or " ")[0] in _IN_WORDS:
            yield "the full stop at its end is missing"
        if said == source and self.message.context is None and len(_WORD.findall(source)) >= _PHRASE:
            yield "still in English"

    def _marks(self, words: Words) -> Iterator[str]:
        source, said = self._sources[-1], self.said
        for mark, what in _MARKS.items():
            if said.count(mark) % 2 and not source.count(mark) % 2:
                yield f"{what} has no end: {mark} is there {said.count(mark)} times"
        for name in re.findall(r"\*\*([^*{}]+)\*\*", source):
            if (label := words.get((None, name))) and label not in said:
                yield f"{name} is called {label} where it is pressed or read"
        for slash, name in re.findall(r"`(/?)([^`{}]+)`", source):
            known = {words[kind, name] for kind in NAMES if words.get((kind, name))} or {name}
            if not any(f"`{slash}{each}`" in said for each in known):
                yield f"`{slash}{name}` is typed as {' or '.join(f'`{slash}{each}`' for each in sorted(known))}"


def _is_on_cards(character: str) -> bool:
    """Whether the typeface of the cards has the character."""
    return covers("european", character)


def _is_plain(text: str) -> bool:
    """Whether all braces hold a name alone: `{count:d}` would fail where the number is written as a word."""
    return not any(format_ or convert for _, _, format_, convert in string.Formatter().parse(text))
