"""The drawn faces: within Discord's limits for emojis, and easy to tell apart."""

import hashlib
import re
import sys
from io import BytesIO
from itertools import chain, combinations
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from cogs.pictures import sheet, text
from cogs.pictures.card_faces import emoji_set, face
from cogs.pictures.palette import BLACK, BLUE, GREEN, RED
from cogs.screens.formatter import common_faces, face_name, face_names, formatter
from cogs.screens.language import LANGUAGES
from game.cards import JACK
from testkit.colours import contrast
from testkit.waiting import run_to_end
from tools import faces as command

ROOT = Path(__file__).parents[2]
DARK, LIGHT = "#313338", "#ffffff"
OWN = set(face_names()) - set(common_faces())
"""The faces that only some languages use."""
LETTERS = {
    "de": ["B", "D"],
    "fr": ["V", "D", "R"],
    "sv": ["Kn", "D", "E"],
}
"""The letters that languages have instead of J, Q, K and A."""
COMMON, OF_A_LETTER = 83, 6
"""How many faces all languages use, and how many each letter adds: four suits, two of them also in a second colour."""
FACES = COMMON + OF_A_LETTER * len(set(chain(*LETTERS.values())))
LINE = 22
"""The height of an emoji in a line of text."""


@pytest.fixture(scope="module")
def drawn():
    """All faces as PNGs, encoded once because optimizing them takes half a second."""
    return emoji_set()


@pytest.fixture(scope="module")
def pictures(drawn):
    return {name: Image.open(BytesIO(png)) for name, png in drawn.items()}


def on(background, picture):
    """The picture on an opaque background, as large as beside a line of text."""
    page = Image.new("RGB", (LINE, LINE), background)
    small = picture.resize((LINE, LINE), Image.Resampling.LANCZOS)
    page.paste(small, (0, 0), small)
    return page


def difference(one, other):
    """The sum of all differences, up to 255 for each pixel and channel."""
    return sum(value * count for value, count in enumerate(ImageChops.difference(one, other).convert("L").histogram()))


def test_each_name_that_screens_use_has_a_face(pictures):
    assert len(pictures) == FACES
    assert set(pictures) == set(face_names())


def test_discord_accepts_the_names(pictures):
    assert all(re.fullmatch(r"\w{2,32}", name, re.ASCII) for name in pictures)
    assert {"7_clubs", "10_spades", "king_hearts", "ace_clubs_4c", "joker_red"} <= set(pictures)
    assert not {"ace_spades_4c", "ace_hearts_4c"} & set(pictures)


def test_a_language_has_its_own_faces_only_for_letters_of_its_own():
    own = {code: names for code in LANGUAGES if (names := own_names(code))}
    assert set().union(*own.values()) == OWN
    assert {code: len(names) for code, names in own.items()} == {
        code: OF_A_LETTER * len(letters) for code, letters in LETTERS.items()
    }, "write the letters of a new language into LETTERS"
    for code, letters in LETTERS.items():
        assert [each for each in map(formatter(code).letter, range(JACK, JACK + 4)) if each not in "JQKA"] == letters
    assert len(own_names("de") & own_names("fr")) == 6, "both print D on the queen"


def test_the_documented_number_of_emojis_is_right_and_far_below_discords_limit():
    text = " ".join((ROOT / "docs/hosting.md").read_text().split())
    assert "uploads about a hundred emojis, the faces of the cards; an application may have 2,000." in text
    assert 85 <= len(face_names()) <= 125, "no longer about a hundred: change docs/hosting.md too"
    most = 2000
    assert len(face_names()) < most / 4


def own_names(language):
    t = formatter(language)
    names = {face_name(card, four_colours=each, letter=t.letter(card >> 2)) for card in range(52) for each in (0, 1)}
    return names - set(common_faces())


def test_letters_outside_ascii_are_spelt_out_in_names():
    names = {face_name(36, letter=letter) for letter in ("В", "Д", "ВТ", "J.")}
    assert len(names) == 4
    assert all(re.fullmatch(r"\w{2,32}", name, re.ASCII) for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_letter_on_a_card_can_be_drawn(language):
    letters = "".join(map(formatter(language).letter, range(JACK, JACK + 4)))
    strange = [each for each in letters if not text.covers("european", each)]
    assert not strange, "no face can have these letters: leave J, Q, K and A as they are in English"


def test_faces_are_small_square_and_transparent_around(drawn, pictures):
    for name, picture in pictures.items():
        assert (picture.format, picture.mode, picture.size) == ("PNG", "RGBA", (128, 128)), name
        alpha = picture.getchannel("A")
        assert [alpha.getpixel(corner) for corner in ((0, 0), (127, 0), (0, 127), (127, 127))] == [0] * 4, name
        assert alpha.getbbox() == (7, 4, 121, 124), name
    assert max(map(len, drawn.values())) <= 8 * 1024


def test_cards_are_opaque_and_an_empty_slot_is_not(pictures):
    for name, picture in pictures.items():
        middle = picture.getpixel((64, 72))
        assert middle[3] == (0 if name == "empty_slot" else 255), name


@pytest.mark.parametrize("colour", [BLACK, RED, BLUE, GREEN])
def test_colours_stand_out_on_white(colour):
    assert contrast(colour, "#FFFFFF") >= 5


@pytest.mark.parametrize("background", [DARK, LIGHT])
def test_any_two_faces_differ_in_a_line_of_text(pictures, background):
    """A proxy for legibility: in a line of text about ten pixels have another colour."""
    small = {name: on(background, picture) for name, picture in pictures.items()}
    close = {
        (one, other): difference(small[one], small[other])
        for one, other in combinations(small, 2)
        if difference(small[one], small[other]) < 10 * 128
    }
    assert not close


@pytest.mark.parametrize("background", [DARK, LIGHT])
def test_every_face_stands_out_from_the_page(pictures, background):
    page = Image.new("RGB", (LINE, LINE), background)
    for name, picture in pictures.items():
        assert difference(page, on(background, picture)) > 20 * 128, name


def test_rank_and_suit_do_not_touch(pictures):
    """Between them there is a white row, except for the tail of the Q."""
    for name, picture in pictures.items():
        if re.match(r"(\d|ace|king|jack|queen_[a-z]+_d)", name):
            rows = [picture.crop((14, y, 114, y + 1)).convert("RGB").getextrema() for y in range(66, 78)]
            assert ((255, 255),) * 3 in rows, name


def test_four_colours_tell_clubs_from_spades_and_diamonds_from_hearts(pictures):
    for name, colour in (("ace_clubs_4c", GREEN), ("ace_diamonds_4c", BLUE), ("ace_clubs", BLACK), ("ace_hearts", RED)):
        assert "#{:02X}{:02X}{:02X}".format(*pictures[name].getpixel((64, 95))[:3]) == colour


def test_the_same_drawing_gives_the_same_bytes(drawn):
    for remembered in (face, sheet._ink, text.font):
        remembered.cache_clear()
    assert emoji_set() == drawn


@pytest.mark.long
def test_the_same_drawing_gives_the_same_bytes_in_another_process(drawn):
    drawing = "emoji_set(face_names()).values()"
    program = f"from bot.faces import *; print(*(hashlib.sha256(png).hexdigest() for png in {drawing}))"
    done = run_to_end(sys.executable, "-c", program, check=True)
    assert done.stdout.split() == [hashlib.sha256(png).hexdigest() for png in drawn.values()]


def test_all_faces_differ(drawn):
    assert len(set(drawn.values())) == FACES


def test_an_unknown_face_is_refused():
    with pytest.raises(KeyError):
        face("11_clubs")


def test_the_command_writes_all_faces(tmp_path, drawn):
    assert command.main([str(tmp_path / "faces")]) == 0
    assert {path.stem: path.read_bytes() for path in (tmp_path / "faces").glob("*.png")} == drawn


def test_drawing_loads_no_discord():
    program = "import cogs.pictures.final, cogs.pictures.card_faces, sys; sys.exit('discord' in sys.modules)"
    done = run_to_end(sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("words", "status"), [([], 2), (["--help"], 0), (["a", "b"], 2)])
def test_the_command_explains_its_usage_and_asked_for_it_has_not_failed(words, status):
    command = [sys.executable, "-m", "tools.faces", *words]
    done = run_to_end(*command)
    assert done.returncode == status
    assert (done.stderr if status else done.stdout).startswith("usage: python -m tools.faces [-h] DIR\n")
    assert "" in {done.stdout, done.stderr}
