"""Texts: every one that reaches a screen is collected for translation, and every translation is whole."""

import gettext
import re
import string
from functools import cache
from io import BytesIO

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from cogs.screens.formatter import Formatter, formatter
from cogs.screens.house_rule_screens import house_screen
from cogs.screens.language import LANGUAGES, SOURCE, catalogue_of
from cogs.screens.lobby_screens import more_screen, running_screen
from cogs.screens.rule_edits import PAGES
from cogs.screens.rules_screens import help_screen, rules_screen
from cogs.screens.table_screens import public_screen
from cogs.topics import help_lines
from game.variants import variants
from testkit.made import START, Game, made_table
from tests.cogs.test_limits import all_screens
from tools.catalogues import collected, in_code, text_of, untranslated

TRANSLATED = [code for code in LANGUAGES if code != SOURCE]
COMPLETE = [code for code in TRANSLATED if LANGUAGES[code].complete]
WAITING = 20
"""So many texts may be new: a variant or a command can be added before anybody has translated it."""


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


def test_every_text_on_a_screen_is_collected_for_translation():
    noting = Noting()
    fmt = Formatter("en", noting)
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
    help_screen(fmt, help_lines(fmt))
    known = {(context, text) for context, text, _ in collected()}
    assert not noting.asked - known


def test_texts_are_found_wherever_a_call_stands(tmp_path):
    code = """x = f"{t('a')} {t.n('b', 'bs', 2)}" + mark_c('in', 'c', 'd')[0]\ny(in_help='f')\n"""
    (tmp_path / "some.py").write_text(code)
    plain, counted = {(None, "a", None), (None, "f", None)}, {(None, "b", "bs")}
    assert set(in_code(tmp_path)) == plain | counted | {("in", "c", None), ("in", "d", None)}


def test_words_of_commands_and_variants_are_collected_from_what_there_is():
    said = collected()
    assert {("command", "start", None), ("option", "forfeit", None), ("choice", "quick", None)} <= said
    assert (None, "Open a table in this channel", None) in said
    for each in variants().values():
        assert {("variant", each.title, None), (None, each.sentence, None)} <= said
        assert not each.polite or ("variant", each.polite, None) in said


@cache
def catalogue(language):
    with catalogue_of(language).open("rb") as file:
        return read_po(file, locale=language)


@cache
def translated(language):
    """The texts that a language has a translation of, each with its context."""
    missing = set(untranslated(catalogue(language)))
    return {text_of(each) for each in catalogue(language) if each.id} - missing


def test_the_shipped_languages_are_complete():
    assert len(COMPLETE) >= 5


@cache
def new_texts():
    """Texts that no complete language says yet: they are shown in English, and `make locale` lists them."""
    known = {text for each in COMPLETE for text in translated(each)}
    return {(context, text) for context, text, _ in collected()} - known


@pytest.mark.parametrize("language", COMPLETE)
def test_a_complete_language_says_everything_that_another_says(language):
    missing = {(context, text) for context, text, _ in collected()} - new_texts() - translated(language)
    assert not missing


def test_only_a_few_new_texts_wait_for_their_translators():
    assert len(new_texts()) <= WAITING, new_texts()


def test_all_but_new_variants_are_told_in_every_complete_language():
    shipped = [each for each in variants().values() if ("variant", each.title) not in new_texts()]
    assert len(shipped) > 20
    for each in shipped:
        for language in COMPLETE:
            assert {("variant", each.title), (None, each.sentence)} <= translated(language), (language, each.id)


@pytest.mark.parametrize("language", TRANSLATED)
def test_no_translation_is_doubtful(language):
    assert not [each.id for each in catalogue(language) if each.id and each.fuzzy]


@pytest.mark.parametrize("language", COMPLETE)
def test_no_counted_text_was_left_in_english(language):
    counted = [each for each in catalogue(language) if isinstance(each.id, tuple)]
    left = {each.id[0] for each in counted if each.string[0] == each.id[0]}
    assert left == set(LANGUAGES[language].same)


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
        for translated in filter(None, written(each)):
            # A form for one may say "a" where the source counts.
            assert braces(translated) in [braces(source) for source in sources], (each.id, translated)


@pytest.mark.parametrize("language", TRANSLATED)
def test_the_compiled_catalogue_is_that_of_the_text(language):
    compiled = BytesIO()
    write_mo(compiled, catalogue(language))
    assert catalogue_of(language).with_suffix(".mo").read_bytes() == compiled.getvalue()


def test_an_unknown_language_is_english():
    assert formatter("tlh").language == "en"
    assert formatter("pt-BR")("Join") == "Join"
    assert formatter()("{first} and {last}", first="a", last="b") == "a and b"


def test_lists_are_joined_as_people_say_them():
    assert formatter().listing(["a", "b", "c"]) == "a, b and c"
    assert formatter().choice(["a", "b"]) == "a or b"
    assert formatter().choice(["a"]) == "a"
    assert formatter().listing([]) == ""


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
    t = formatter(language)
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


def test_no_english_text_says_who_for_whoever():
    # "Who cannot play picks up the pile" is translated German: say "If you can’t play, …". Questions and titles may.
    said = [text for context, text, _ in collected() if context is None]
    sentences = [each for text in said for each in re.split(r"(?<=[.?!])\s|\n", text.replace("*", ""))]
    assert not [
        each for each in sentences if re.match(r"Who (?!owes whom)\w+ .*\.$", each) or re.search(r"\bfor who\b", each)
    ]


SECOND_WORDS = {
    "de": r"\bZiehstapel|\bVorrat|\btief\b",
    "es": r"\b[Dd]espej|\b[Rr]obo\b",
    "fr": r"\bde verre|\ble verre",
    "it": r"\bospite|\bdi vetro|\belimina(no)? la pila",
    "ja": "種類|バリエーション|免除",
}
"""Words that were in use beside another one for the same thing: the other one is the word."""


@pytest.mark.parametrize("language", SECOND_WORDS)
def test_no_language_has_two_words_for_one_thing(language):
    said = [text for each in catalogue(language) if each.id for text in written(each)]
    assert not [text for text in said if re.search(SECOND_WORDS[language], text)]
