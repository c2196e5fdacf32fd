"""What translators get wrong without noticing: `make locale` names the line and the reason, and loses nothing."""

import gettext

import pytest

from cogs.screens import language
from cogs.screens.language import Language
from tools import catalogues, translations
from tools.catalogues import faults, main, misread, template_of, updated

FORMS = {
    "ar": "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
    "nl": "nplurals=2; plural=(n != 1);",
    "fr": "nplurals=2; plural=(n > 1);",
    "pl": "nplurals=3; plural=n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2;",
    "ru": "nplurals=3; plural=n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2;",
}
READY = 'msgid "Ready"\nmsgstr "Gotowe"\n'


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes the catalogue of a language, below its header."""

    def write(text, language="pl", encoding="utf-8"):
        path = tmp_path / "locales" / language / "LC_MESSAGES" / "shithead.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        header = (
            f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: {FORMS[language]}\\n"'
        )
        path.write_bytes(f"{header}\n\n{text}".encode(encoding))
        return path

    def path_of(code):
        return tmp_path / "locales" / code / "LC_MESSAGES" / "shithead.po"

    monkeypatch.setattr(catalogues, "catalogue_of", path_of)
    monkeypatch.setattr(catalogues, "LOCALES", tmp_path / "locales")
    return write


def entry(text, translation, above=""):
    return f'{above}msgid "{text}"\nmsgstr "{translation}"\n'


def counted(one, many, *forms):
    said = "".join(f'msgstr[{nth}] "{form}"\n' for nth, form in enumerate(forms))
    return f'msgid "{one}"\nmsgid_plural "{many}"\n{said}'


@pytest.mark.parametrize(
    ("text", "translation", "why"),
    [
        ("The pile burned.", "Stos płonie. ", "a blank or a line break at its beginning or end"),
        ("The pile burned.", " Stos płonie.", "a blank or a line break at its beginning or end"),
        ("The pile burned.", "Stos\\npłonie.", "a line break, which the English text does not have"),
        ("The pile burned.", "Stos płonie", "the full stop at its end is missing"),
        ("The pile burned.", "गड्डी जल चुकी है", "the full stop at its end is missing"),
        ("The pile burned.", "The pile burned.", "still in English"),
        ("**Too late.**", "**Za późno.*", "the bold has no end: ** is there 1 times"),
        ("**Seal** `{seal}`", "**Pieczęć** `{seal}", "the code has no end: ` is there 1 times"),
        ("Press **Ready**", "Naciśnij **Już**", "Ready is called Gotowe where it is pressed or read"),
        ("`/palace` too", "Też `/palace`", "`/palace` is typed as `/pałac`"),
        ("The option `game`", "Opcja `game`", "`game` is typed as `gra`"),
        ("The pace `quick`", "Tempo `quick`", "`quick` is typed as `szybkie`"),
        ("Not beginning with `house:`", "Nie na początku `dom:`", "`house:` is typed as `house:`"),
    ],
)
def test_a_slip_in_a_translation_is_reported(written, text, translation, why):
    known = {"command": ("palace", "pałac"), "option": ("game", "gra"), "choice": ("quick", "szybkie")}
    commands = "\n".join(entry(*each, above=f'msgctxt "{context}"\n') for context, each in known.items())
    written(f"{READY}\n{commands}\n{entry(text, translation)}")
    said = translation.replace("\\n", "\n")
    assert list(faults("pl")) == [f"locales/pl/LC_MESSAGES/shithead.po:21: {said}: {why}"]


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("Time for a game.", "Zagramy?"),
        ("Open one with {start}.", "Otwórz: {start}"),
        ("{name} · {count}", "{name} · {count}"),
        ("Smeghead", "Smeghead"),
        ("Press **Ready**", "**Gotowe** naciśnij"),
        ("Press **Done**", "Naciśnij **Koniec**"),
    ],
)
def test_what_translators_may_do_is_no_slip(written, text, translation):
    written(f"{READY}\n{entry(text, translation)}")
    assert not list(faults("pl"))


@pytest.mark.parametrize(
    ("note", "most"),
    [
        ("#. on a button\n", 80),
        ("#. choice in a list\n", 100),
        ("#. in a list until something is chosen\n", 150),
        ("#. above a field of a form\n", 45),
        ("#. title of a form\n", 45),
        ("#. option play.ace\n", 100),
        ("#. on a button\n#. title of a form\n", 45),
        ("#: \u2068slash commands\u2069\n", 100),
    ],
)
def test_a_text_that_is_too_long_for_its_place_is_reported(written, note, most):
    written(entry("Rules", "x" * most, note))
    assert not list(faults("pl"))
    written(entry("Rules", "x" * (most + 1), note))
    (found,) = faults("pl")
    assert found.endswith(f": Discord allows {most} characters here, and these are {most + 1}")


@pytest.mark.parametrize(("name", "are_wrong"), [("Druga gra", False), ("Druga gra" * 12, True)])
def test_a_choice_is_chosen_and_not_typed_so_only_its_length_is_limited(written, name, are_wrong):
    written(f'#: \u2068slash commands\u2069\nmsgctxt "choice"\n{entry("Second game", name)}')
    assert [each.rpartition(": ")[2] for each in faults("pl")] == (
        ["Discord allows 100 characters here, and these are 108"] if are_wrong else []
    )


@pytest.mark.parametrize(
    ("text", "letter", "wrong"), [("Q", "Д", ""), ("Q", "Kn", ""), ("Q", "王", "王"), ("Joker", "ジョーカー", "")]
)
def test_a_letter_that_no_card_can_be_drawn_with_is_reported(written, text, letter, wrong):
    written(f'msgctxt "printed on the card"\n{entry(text, letter)}')
    found = [each.split(": ", 1)[1] for each in faults("pl")]
    assert found == [f"{each}: no card can be drawn with it: leave {text}" for each in wrong]


def test_a_text_that_is_marked_fuzzy_is_reported(written):
    written(entry("Ready", "Gotowe", "#, fuzzy\n"))
    (found,) = faults("pl")
    assert found.endswith(":7: Ready: as long as this is marked fuzzy, it appears in English")


@pytest.mark.parametrize(
    ("language", "forms", "wrong"),
    [
        ("pl", ["siódemka", "{count} siódemki", "{count} siódemek"], []),
        ("fr", ["un sept", "{count} sept"], []),
        ("ru", ["{count} семёрка", "{count} семёрки", "{count} семёрок"], []),
        ("ru", ["семёрка", "{count} семёрки", "{count} семёрок"], ["семёрка"]),
    ],
)
def test_a_form_may_do_without_its_number_only_where_that_is_always_one(written, language, forms, wrong):
    written(counted("a seven", "{count} sevens", *forms), language)
    found = [each.split(": ", 1)[1] for each in faults(language)]
    assert found == [f"{each}: {{count}} of the English text is missing" for each in wrong]


@pytest.mark.parametrize(
    ("language", "forms", "wrong"),
    [
        ("pl", ["karta", "{count} karty", "{count} kart"], []),
        ("ar", ["لا بطاقات", "بطاقة", "بطاقتان", "{count} بطاقات", "{count} بطاقة", "{count} بطاقة"], []),
        ("ar", ["{count} بطاقة", "بطاقة", "بطاقتان", "بطاقات", "{count} بطاقة", "{count} بطاقة"], ["بطاقات"]),
        ("fr", ["carte", "{count} cartes"], ["carte"]),
    ],
)
def test_a_form_of_a_single_number_need_not_say_it_in_digits(written, language, forms, wrong):
    written(counted("{count} card", "{count} cards", *forms), language)
    found = [each.split(": ", 1)[1] for each in faults(language)]
    assert found == [f"{each}: {{count}} of the English text is missing" for each in wrong]


@pytest.mark.parametrize("forms", [["siódemka", "{count} siódemki"], ["siódemka", "", "{count} siódemek"]])
def test_a_form_that_is_missing_is_reported(written, forms):
    written(counted("a seven", "{count} sevens", *forms))
    (found,) = faults("pl")
    assert found.endswith("in English until no form is missing: by Plural-Forms at the top, texts with a number have 3")


def test_a_text_that_is_not_translated_yet_is_no_error(written):
    written(counted("a seven", "{count} sevens", "", "", ""))
    assert not list(faults("pl"))


def test_a_text_that_is_the_same_for_every_number_stays_so(written):
    written(counted("the end", "the end", "koniec", "koniec", "koniec"))
    assert not list(faults("pl"))
    written(counted("the end", "the end", "koniec", "końce", "końców"))
    (found,) = faults("pl")
    assert "koniec / końce / końców: the same for every number in English" in found


@pytest.mark.parametrize(
    ("text", "encoding", "at", "why"),
    [
        ('msgid "Ready"\nmsgstr "Gotowe\n', "utf-8", 7, "neither a comment nor a text"),
        ('msgid "Ready"\nmsgstr "To "gotowe""\n', "utf-8", 7, "neither a comment nor a text"),
        ('<<<<<<< HEAD\nmsgid "Ready"\nmsgstr "Gotowe"\n', "utf-8", 6, "neither a comment nor a text"),
        (f"{READY}\n{READY}", "utf-8", 9, "this text is translated in line 6 already"),
        (f'{READY}\nmsgid ""\n"Rea"\n"dy"\nmsgstr "Już"\n', "utf-8", 9, "this text is translated in line 6 already"),
        (counted("a", "{count}", "1", "{count}", "{count}", "{count}"), "utf-8", 11, "a form too many"),
        (f'{READY}msgstr "Już"\n', "utf-8", 8, "a second msgstr for the text translated in line 7"),
        (counted("a", "{count}", "1", "2") + 'msgstr[1] "3"\n', "utf-8", 10, "a second msgstr[1] for the text"),
        ('msgid "Hand"\nmsgstr "Ręka"\n', "iso-8859-2", 7, "this is not UTF-8"),
    ],
)
def test_a_file_that_would_be_misread_is_left_as_it_is(written, monkeypatch, capsys, text, encoding, at, why):
    path = written(text, encoding=encoding)
    before = path.read_bytes()
    monkeypatch.setattr(catalogues, "LANGUAGES", {"pl": Language("pl", "Polski")})
    monkeypatch.setattr(catalogues, "collected", dict)
    monkeypatch.setattr(catalogues, "notes", dict)
    assert main() == 1
    assert path.read_bytes() == before
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith(f"locales/pl/LC_MESSAGES/shithead.po:{at}: {why}")
    assert last == "locales/pl: nothing was changed, so that nothing is lost"


def test_a_language_that_discord_does_not_have_gets_no_catalogue(written, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(catalogues, "LANGUAGES", {"tlh": Language("tlh", "tlhIngan Hol")})
    monkeypatch.setattr(catalogues, "collected", dict)
    monkeypatch.setattr(catalogues, "notes", dict)
    assert main() == 1
    assert capsys.readouterr().err.startswith("locales/tlh: Discord has no such language; it has en-US, ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("Plural-Forms: nplurals=2; plural=(n != 1", "unbalanced parenthesis in plural form"),
        ("Plural-Forms: nplurals=2; plural=(N != 1);", "invalid token in plural form: N"),
        ("PO-Revision-Date: yesterday", "time data 'yesterday' does not match format '%Y-%m-%d %H:%M'"),
    ],
)
def test_a_header_that_cannot_be_read_is_named_with_its_file(written, header, why):
    path = written(READY)
    key = header.partition(":")[0]
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if not line.startswith(f'"{key}')]
    path.write_text("\n".join([*lines[:2], f'"{header}\\n"', *lines[2:]]), encoding="utf-8")
    (said,) = misread("pl")
    assert said == f"locales/pl/LC_MESSAGES/shithead.po:1: the header at its beginning cannot be read: {why}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_file_may_come_from_an_editor_on_windows(written, encoding, ends):
    escaped = entry('Say \\"{word}\\"', 'Powiedz \\"{word}\\"')
    written(f'{READY}\n{escaped}\n#~ msgid "Old"\n#~ msgstr "Stare"\n'.replace("\n", ends), encoding=encoding)
    assert not list(misread("pl"))
    assert not list(faults("pl"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_so_may_the_description_of_a_language(tmp_path, encoding):
    file = described(tmp_path, 'name = "Polski"\r\n'.encode(encoding))
    assert language._read(file).name == "Polski"


def described(folder, description):
    file = folder / "pl" / "language.toml"
    file.parent.mkdir()
    file.write_bytes(description)
    return file


@pytest.mark.parametrize(
    ("description", "why"),
    [
        ("name = Polski", "Invalid value (at line 1, column 8)"),
        ("complete = true", "missing 1 required positional argument: 'name'"),
        ('name = "Polski"\ncomplet = true', "unexpected keyword argument 'complet'"),
        ('name = "Polski"\norder = "first"', "'first'"),
        ('name = "Polski"\norder = []', "'list'"),
        ('name = "Polski"\norder = inf', "cannot convert float infinity to integer"),
        ('name = "Polski"\nclashes = "i"', "'str' object has no attribute 'items'"),
        ('name = "Polski"\nclashes = {and = "("}', "missing ), unterminated subpattern at position 0"),
        ('name = "Polski"\nclashes = {and = 5}', "must be string or compiled pattern"),
    ],
)
def test_a_description_of_a_language_that_cannot_be_used_ends_the_start_with_its_file_and_the_reason(
    tmp_path, description, why
):
    with pytest.raises(SystemExit) as end:
        language._read(described(tmp_path, description.encode()))
    assert str(end.value).startswith("locales/pl/language.toml cannot be used: ")
    assert why in str(end.value)


def test_so_does_one_that_is_not_utf_8(tmp_path):
    with pytest.raises(SystemExit, match=r"locales/pl/language\.toml cannot be used: 'utf-8' codec can't decode"):
        language._read(described(tmp_path, 'name = "Język"'.encode("iso-8859-2")))


def test_a_catalogue_is_stored_in_utf_8_whatever_its_header_says(written):
    path = written('msgid "Hand"\nmsgstr "Ręka"\n')
    path.write_text(path.read_text(encoding="utf-8").replace("charset=utf-8", "charset=ISO-8859-2"), encoding="utf-8")
    updated("pl", template_of({(None, "Hand", None): ["cogs/screens/x.py"]}))
    assert "charset=utf-8" in path.read_text(encoding="utf-8")
    with path.with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("Hand") == "Ręka"


def test_the_same_text_may_be_translated_in_several_contexts(written):
    written(f'{READY}\nmsgctxt "option"\n{READY}\nmsgctxt "command"\n{READY}')
    assert not list(misread("pl"))


@pytest.mark.parametrize(
    ("language", "forms"),
    [("pt-BR", {0: 0, 1: 0, 2: 1, 21: 1}), ("pl", {1: 0, 2: 1, 5: 2, 22: 1}), ("ja", {1: 0, 5: 0})],
)
def test_a_new_catalogue_has_no_form_that_is_only_for_millions(written, language, forms):
    catalogue = updated(language, template_of({(None, "{count} card", "{count} cards"): ["cogs/screens/x.py"]}))
    form = translations.form_for(catalogue)
    assert {count: form(count) for count in forms} == forms
    assert catalogue.num_plurals == len(set(forms.values()))
    with catalogues.catalogue_of(language).with_suffix(".mo").open("rb") as file:
        assert gettext.GNUTranslations(file).ngettext("a", "b", 1) == "a"
