"""Texts: every one that reaches a screen is collected for translation, and every translation is whole."""

import ast
import gettext
import re
import string
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from cogs.screens.faces import Formatter
from cogs.screens.house import PAGES
from cogs.screens.housepage import house_screen
from cogs.screens.language import DOMAIN, ENGLISH, LANGUAGES, LOCALES, Translator, translator
from cogs.screens.lobby import more_screen
from cogs.screens.pages import help_screen, rules_screen
from cogs.screens.public import public_screen
from cogs.screens.running import running_screen
from game.variants import variants
from testkit.made import START, Game, made_table
from tests.cogs.test_limits import all_screens

COGS = Path(__file__).parents[2] / "cogs"
KEYWORDS = {
    "t": None,
    "self": None,
    "mark": None,
    "n": (1, 2),
    "mark_n": (1, 2),
    "c": ((1, "c"), 2),
    "mark_c": ((1, "c"), 2),
}


class Noting(gettext.NullTranslations):
    """Notes every text that is asked for."""

    def __init__(self):
        super().__init__()
        self.asked = set()

    def gettext(self, message):
        self.asked.add((None, message))
        return message

    def ngettext(self, msgid1, msgid2, n):
        self.asked.add((None, msgid1))
        return msgid1 if n == 1 else msgid2

    def pgettext(self, context, message):
        self.asked.add((context, message))
        return message


def collected():
    found = extract_from_dir(COGS, method_map=[("**.py", "python")], keywords=KEYWORDS)
    return {(context, text if isinstance(text, str) else text[0]) for _, _, text, _, context in found}


def test_every_text_on_a_screen_is_collected_for_translation():
    noting = Noting()
    fmt = Formatter(Translator("en", noting))
    for seed, each in enumerate(variants().values()):
        table = made_table(each.rules, 2, variant=each.id)
        for page in PAGES:
            house_screen(fmt, table, page)
        rules_screen(fmt, each.id, each.rules)
        more_screen(fmt, table, 100)
        game = Game(each.rules, each.rules.seats[0], seed)
        for _ in range(60):
            running_screen(fmt, game.snapshot(), 100, moderator=False)
            for _ in all_screens(fmt, game):
                pass
            if game.over:
                break
            game.step()
        game.table = game.table.model_copy(update={"status": "over", "ended_at": START, "secret": "x"})
        public_screen(fmt, game.snapshot())
    public_screen(fmt, game.snapshot().__class__(made_table(seats=1)))
    help_screen(fmt)
    missing = noting.asked - collected()
    assert not missing


def hidden_in_f_strings(path):
    """Texts that stand in braces of an f-string, where the extraction does not look."""
    for outer in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for call in ast.walk(outer) if isinstance(outer, ast.JoinedStr) else ():
            if isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant):
                name = getattr(call.func, "id", getattr(call.func, "attr", ""))
                if name in {"t", "n"}:
                    yield call.args[0].value


def test_no_text_hides_from_the_extraction():
    assert not [text for path in COGS.rglob("*.py") for text in hidden_in_f_strings(path)]


TRANSLATED = [each for each in LANGUAGES if each != "en"]


def catalogue(language):
    with (LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=language)


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_text_is_missing_or_doubtful(language):
    found = [each for each in catalogue(language) if each.id]
    assert not collected() - {(each.context, each.id if isinstance(each.id, str) else each.id[0]) for each in found}
    assert not [each.id for each in found if each.fuzzy]
    assert not [each.id for each in found if not all([each.string] if isinstance(each.string, str) else each.string)]


SAME = {"fr": {"{count} point", "{count} table"}}
"""What a language says as English does."""


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_counted_text_was_left_in_english(language):
    counted = [each for each in catalogue(language) if isinstance(each.id, tuple)]
    left = {each.id[0] for each in counted if each.string[0] == each.id[0]}
    assert left <= SAME.get(language, set())


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_percent_sign_is_taken_for_a_format(language):
    assert not [each.id for each in catalogue(language) if "python-format" in each.flags]


def braces(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", TRANSLATED)
def test_every_translation_has_the_braces_of_its_source(language):
    for each in catalogue(language):
        if not each.id:
            continue
        sources = (each.id,) if isinstance(each.id, str) else each.id
        for translated in (each.string,) if isinstance(each.string, str) else each.string:
            # A form for one may say "a" where the source counts.
            assert braces(translated) in [braces(source) for source in sources], (each.id, translated)


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalogue_is_that_of_the_text(language):
    compiled = BytesIO()
    write_mo(compiled, catalogue(language))
    assert (LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.mo").read_bytes() == compiled.getvalue()


def test_an_unknown_language_is_english():
    assert translator("tlh").language == "en"
    assert translator("pt-BR")("Join") == "Join"
    assert ENGLISH("{first} and {last}", first="a", last="b") == "a and b"


def test_lists_are_joined_as_people_say_them():
    assert ENGLISH.listing(["a", "b", "c"]) == "a, b and c"
    assert ENGLISH.choice(["a", "b"]) == "a or b"
    assert ENGLISH.choice(["a"]) == "a"
    assert ENGLISH.listing([]) == ""


@pytest.mark.parametrize(
    ("language", "last", "and_", "or_"),
    [
        ("es", "Ann", "Bob y Ann", "Bob o Ann"),
        ("es", "**Ida**", "Bob e **Ida**", "Bob o **Ida**"),
        ("es", "Hipólito", "Bob e Hipólito", "Bob o Hipólito"),
        ("es", "Hierro", "Bob y Hierro", "Bob o Hierro"),
        ("es", "Óscar", "Bob y Óscar", "Bob u Óscar"),
        ("es", "8♣︎", "Bob y 8♣︎", "Bob u 8♣︎"),
        ("it", "Elena", "Bob ed Elena", "Bob o Elena"),
        ("it", "Ida", "Bob e Ida", "Bob o Ida"),
        ("de", "Ida", "Bob und Ida", "Bob oder Ida"),
    ],
)
def test_and_and_or_give_way_to_the_word_that_follows(language, last, and_, or_):
    t = translator(language)
    assert t.listing(["Bob", last]) == and_
    assert t.choice(["Bob", last]) == or_


def test_no_french_sentence_puts_a_word_that_elides_before_what_may_begin_with_a_vowel():
    said = [text for each in catalogue("fr") if each.id for text in written(each)]
    glued = re.compile(
        r"\b(?:de|que|jusque|lorsque|puisque) \*{0,2}\{(?!count|hand|low|high|joiners|minutes|steps)", re.IGNORECASE
    )
    assert not [text for text in said if glued.search(text)]


def written(message):
    return (message.string,) if isinstance(message.string, str) else message.string
