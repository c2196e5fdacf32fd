"""Brings the catalogues of all languages up to date and lists what is not translated: `python -m tools.catalogues`.

The texts are collected from calls in `cogs/` (`t("…")` and its like), from the slash commands as they are registered,
and from the files of variants, options, lessons and events. A language is a folder in `locales/`.
"""

from __future__ import annotations

import ast
import asyncio
import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

import discord
from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from discord import app_commands
from discord.ext import commands

from cogs.commands import CONTEXTS
from cogs.interactions import add_topics
from cogs.screens.event_words import TOLD
from cogs.screens.language import LANGUAGES, LOCALES, SOURCE, catalogue_of
from cogs.screens.lesson_screens import TAUGHT
from cogs.screens.rule_words import WORDINGS, Words
from game.shell import run_command
from game.variants import BadVariantError, variants
from tools import translations
from tools.translations import COMMANDS, ContextAndText, form_for, forms_of, text_of

Text: TypeAlias = tuple[str | None, str, str | None]
"""Context, text and plural; the context and the plural may be None."""
COGS: Final = Path(__file__).parents[1] / "cogs"
PLAIN: Final = frozenset({"t", "fmt", "self"})
"""Functions whose first argument is a text. Of `mark`, `marks` and `mark_n` all arguments are texts; of `c` and
`marks_c` all but the first, which is the context."""
STANDS: Final = {
    "button": "on a button",
    "captioned": "above a list",
    "field": "above a field of a form",
    "form": "title of a form",
    "h1": "heading",
    "h2": "heading",
    "h3": "heading",
    "option": "choice in a list",
    "select": "in a list until something is chosen",
}
"""What a text stands on, by the function of `cogs/screens/components.py` that gets it."""
WIDTH: Final = 120
MOST_COUNTED: Final = 1000
MOST_LISTED: Final = 60
"""Texts without a translation that are listed; a new language has a thousand."""
VARIANTS, WORDS = "game/variants/", "cogs/screens/options.toml"
LESSONS, EVENTS = "cogs/screens/lessons.toml", "cogs/screens/events.toml"
"""The sources, beside the `COMMANDS`, of texts that are not in the code of the screens."""


def collected() -> dict[Text, list[str]]:
    """Every text that players can see, and the files that have it."""
    found = defaultdict[Text, set[str]](set)
    for path in COGS.rglob("*.py"):
        for text in in_code(path):
            found[text].add(path.relative_to(COGS.parent).as_posix())
    for place, texts in (
        (COMMANDS, _in_commands()),
        (VARIANTS, of_variants()),
        (WORDS, of_options()),
        (LESSONS, of_lessons()),
        (EVENTS, of_events()),
    ):
        for text in texts:
            found[text].add(place)
    return {text: sorted(places) for text, places in found.items()}


def notes() -> dict[Text, list[str]]:
    """What translators should know of a text besides the files: what it stands on, or which option it is about."""
    found = defaultdict[Text, set[str]](set)
    for path in COGS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STANDS:
                for text in chain(*map(_in_argument, node.args)):
                    found[text].add(STANDS[node.func.attr])
    for key, words in WORDINGS.items():
        for text in _of_option(words):
            found[text].add(f"title of the option {key}" if text[1] == words.title else f"option {key}")
    return {text: sorted(said) for text, said in found.items()}


def _in_argument(argument: ast.expr) -> Iterator[Text]:
    """The text that an argument is, or each of two if it depends on something."""
    match argument:
        case ast.Call():
            yield from _in_call(argument)
        case ast.IfExp():
            yield from chain(_in_argument(argument.body), _in_argument(argument.orelse))
        case _:
            pass


def of_variants() -> Iterator[Text]:
    """The titles and sentences of variants."""
    for each in variants().values():
        yield from (("variant", title, None) for title in {each.title, each.polite} - {""})
        if each.sentence:
            yield None, each.sentence, None


def of_options() -> Iterator[Text]:
    """The titles and sentences of options."""
    for words in WORDINGS.values():
        yield from _of_option(words)


def of_lessons() -> Iterator[Text]:
    """The titles and texts of the lessons of the tutorial."""
    return ((None, text, None) for lesson in TAUGHT.values() for text in lesson.values())


def of_events() -> Iterator[Text]:
    """The sentences for events."""
    for text in (text for sentences in TOLD.values() for text in sentences.values()):
        yield (None, text, None) if isinstance(text, str) else (None, text[0], text[1])


def _of_option(words: Words) -> Iterator[Text]:
    said = dict(words.values)
    if "many" in said:
        yield None, said.pop("one"), said.pop("many")
    yield from ((None, text, None) for text in (words.title, *said.values()))


def in_code(path: Path) -> Iterator[Text]:
    """The texts in the calls of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            yield from _in_call(node)


def _in_call(call: ast.Call) -> Iterator[Text]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    said = [each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    match name, said:
        case (("n" | "mark_n"), [one, many, *_]):
            yield None, one, many
        case (("c" | "marks_c"), [context, *texts]):
            yield from ((context, text, None) for text in texts)
        case (("mark" | "marks"), texts):
            yield from ((None, text, None) for text in texts)
        case str(), [text, *_] if name in PLAIN:
            yield None, text, None
        case _:
            pass
    for keyword in call.keywords:  # the line of a command in the help, if it is not the command's description
        match keyword:
            case ast.keyword(arg="in_help", value=ast.Constant(value=str(text))) if text:
                yield None, text, None
            case _:
                pass


class CollectingTranslator(app_commands.Translator):
    """Collects every text of the commands that Discord gets in other languages, too."""

    def __init__(self) -> None:
        """Nothing is collected yet."""
        self.texts: set[Text] = set()

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> None:
        """Collect the text, and translate nothing."""
        del locale
        self.texts.add((CONTEXTS.get(context.location), string.message, None))


def _in_commands() -> set[Text]:
    async def noted() -> set[Text]:
        bot = commands.AutoShardedBot("!", intents=discord.Intents.none(), help_command=None)
        await add_topics(bot)
        collecting = CollectingTranslator()
        for each in bot.tree.get_commands():
            await each.get_translated_payload(bot.tree, collecting)
        return collecting.texts

    return asyncio.run(noted())


def updated(code: str, template: Catalog) -> Catalog:
    """Update, write and compile the catalogue of a language."""
    path = catalogue_of(code)
    catalogue = Catalog(
        locale=code.replace("-", "_"),
        header_comment=f"# The texts of the bot in {Locale.parse(code, sep='-').english_name}.",
        project="Shithead",
        revision_date=datetime.now(UTC),
        fuzzy=False,
    )
    catalogue.version = catalogue.msgid_bugs_address = catalogue.last_translator = catalogue.language_team = ""
    catalogue.mime_headers = [("Plural-Forms", _plural_forms(catalogue))]
    if path.exists():
        catalogue = read_catalogue(code)
        catalogue.charset = "utf-8"  # whatever its header says
    catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=WIDTH, sort_output=True, ignore_obsolete=True, include_lineno=False)
    path.with_suffix(".mo").write_bytes(compiled(code))
    return read_catalogue(code)  # only a catalogue that was read has as many forms as its language has


def _plural_forms(catalogue: Catalog) -> str:
    """The forms of a language, without one that is only for millions: in Portuguese, `3 milhões de cartas`."""
    form = form_for(catalogue)
    if len({form(count) for count in range(MOST_COUNTED)}) == catalogue.num_plurals:
        return catalogue.plural_forms
    return f"nplurals=2; plural=(n {'>' if form(0) == form(1) else '!='} 1);"


def compiled(code: str) -> bytes:
    """The stored catalogue of a language as the bot loads it, without the texts that are not translated yet.

    Babel would put English into the forms that a counted text lacks: into the first one "a seven", and in a language
    with a single form that would be said of three sevens, too. A text that is left out appears in English, in the form
    that its number has there.
    """
    catalogue, file = read_catalogue(code), BytesIO()
    for context, text in untranslated(catalogue):
        catalogue.delete(text, context)
    write_mo(file, catalogue)
    return file.getvalue()


def read_catalogue(code: str) -> Catalog:
    """The stored catalogue of a language."""
    with catalogue_of(code).open(encoding="utf-8-sig") as file:
        return read_po(file, locale=code.replace("-", "_"))  # Babel separates language and region by an underscore


def untranslated(catalogue: Catalog) -> list[ContextAndText]:
    """The texts without a translation, or with an incomplete one, each with its context."""
    return [text_of(each) for each in catalogue if each.id and not all(forms_of(each))]


def faults(code: str) -> Iterator[str]:
    """The errors in the texts of a language, each with its file and line."""
    return (f"{_path(code)}:{line}: {why}" for line, why in translations.faults(read_catalogue(code)))


def misread(code: str) -> Iterator[str]:
    """What would be lost if the catalogue of a language was read and written again, with its file and line."""
    path = catalogue_of(code)
    lost = False
    for line, why in translations.misread(path.read_bytes()) if path.exists() else ():
        lost = True
        yield f"{_path(code)}:{line}: {why}"
    if path.exists() and not lost:
        try:
            form_for(read_catalogue(code))
        except ValueError as error:  # a date or Plural-Forms
            yield f"{_path(code)}:1: the header at its beginning cannot be read: {error}"


def _path(code: str) -> str:
    return catalogue_of(code).relative_to(LOCALES.parent).as_posix()


def is_spoken(code: str) -> bool:
    """Whether the code is one of Discord's locales, or the first part of one."""
    return any(each.value == code or each.value.startswith(f"{code}-") for each in discord.Locale)


def template_of(texts: Mapping[Text, list[str]]) -> Catalog:
    """A catalogue without translations; each text is annotated with the files that have it, and with its `notes`."""
    template, said = Catalog(), notes()
    for each in sorted(texts, key=lambda each: [part or "" for part in each]):
        context, text, plural = each
        places = [(place, 0) for place in texts[each]]
        id_ = (text, plural) if plural else text
        template.add(id_, context=context, locations=places, auto_comments=said.get(each, ()))
    return template


def lacking(missing: Mapping[str, Sequence[ContextAndText]]) -> Iterator[str]:
    """Lines that name each text once, below the languages that lack its translation."""
    codes = defaultdict[ContextAndText, list[str]](list)
    for code, texts in missing.items():
        for text in texts:
            codes[text].append(code)
    groups = defaultdict[str, list[ContextAndText]](list)
    for text, without in codes.items():
        groups[", ".join(without)].append(text)
    for without, texts in groups.items():
        yield f"not translated into {without}:"
        yield from (f"    {text}" + (f"  ({context})" if context else "") for context, text in texts[:MOST_LISTED])
        if len(texts) > MOST_LISTED:
            yield f"    … and {len(texts) - MOST_LISTED} more"


def main(argv: Sequence[str] = ()) -> int:
    """Update every catalogue; returns 1 if one has errors, which are printed last."""
    ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args(argv)
    template, found, missing = template_of(collected()), list[str](), dict[str, list[ContextAndText]]()
    for language in LANGUAGES.values():
        if language.code == SOURCE:
            continue
        if not is_spoken(language.code):
            known = ", ".join(each.value for each in discord.Locale)
            found.append(f"locales/{language.code}: Discord has no such language; it has {known}")
            continue
        if lost := list(misread(language.code)):
            found += [*lost, f"locales/{language.code}: nothing was changed, so that nothing is lost"]
            continue
        texts = missing[language.code] = untranslated(updated(language.code, template))
        print(f"{language.code} {language.name}: {len(texts)} of {len(template)} texts are not translated")
        found += faults(language.code)
    for line in lacking(missing):
        print(line)
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    try:
        run_command(main)
    except BadVariantError as error:
        sys.exit(str(error))
