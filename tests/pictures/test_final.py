"""The picture at the end of a game, for any names and any number of seats."""

import unicodedata
from io import BytesIO
from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, features

from cogs.pictures import final
from cogs.pictures import text as texts
from cogs.pictures.final import MatchRow, Row, final_picture, match_picture, titled
from cogs.pictures.palette import ACCENT
from cogs.pictures.text import NARROW, NotDrawableError, cut, legible, legible_or, width, wrapped
from cogs.screens.formatter import face_names
from testkit.colours import contrast
from testkit.found import not_none

LIMIT = 200_000
SIZE = 38
NAMES = (
    "Ann",
    "Łukasz Żółć",
    "Ελένη",
    "Дмитро Ґ",
    "王小明",
    "クレア・フォン・ホーエンツォレルン",
    "김철수",
    "W" * 40,
    "漢" * 60,
)
HAND = tuple(name for name in face_names() if name.endswith(("hearts", "spades", "_4c")))


def seats(count, cards=()):
    """`count` rows; all but the last are out."""
    rows = [Row(place, NAMES[place % len(NAMES)]) for place in range(1, count)]
    return [*rows, Row(count, NAMES[-1], cards, marked=True)]


def opened(png):
    picture = Image.open(BytesIO(png))
    picture.load()
    return picture


def test_the_picture_of_a_small_table_shows_the_order_and_the_cards(written):
    rows = [Row(1, "Ann"), Row(2, "Cy", ("king_spades", "9_hearts"), marked=True)]
    picture = opened(final_picture("Cy is the shithead", "Tea for Ann", rows))
    assert (picture.format, picture.mode) == ("PNG", "RGB")
    assert picture.size == (800, 393), "with two rows no empty space is left below"
    assert [text for text, *_ in written] == ["Cy is the shithead", "Tea for Ann", "1", "Ann", "2", "Cy"]
    assert (255, 255, 255) in {color for _, color in picture.crop((600, 270, 760, 360)).getcolors(1 << 16)}


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("title", ["Cy", "Maximilian-Alexander est le trou du cul de la partie", "漢" * 80])
def test_any_number_of_seats_fits_and_stays_small(written, count, title):
    png = final_picture(title, "Tea for " + ", ".join(NAMES), seats(count, cards=HAND))
    assert len(png) <= LIMIT
    for n, (text, size, left, right, middle) in enumerate(written):
        assert size >= final.SMALLEST_TYPE, text
        assert 30 <= left <= right <= 770, text
        assert 40 <= middle <= 460, text
        for other, _, start, end, height in written[n + 1 :]:
            assert right <= start or end <= left or abs(middle - height) >= size, (text, other)


@pytest.mark.parametrize("count", [2, 10, 11, 12])
@pytest.mark.parametrize("name", ["Bartholomew Featherstonehaugh", "W" * 32, "漢字" * 16, "Cy"])
def test_a_long_name_leaves_room_for_the_rest_of_the_title(written, count, name):
    final_picture(titled(lambda name_of: f"{name_of(0)} is the shithead", lambda _: name, count), "", seats(count))
    lines = list(takewhile(lambda line: line[0] != "1", written))
    title = " ".join(text for text, *_ in lines).strip()
    assert title.endswith("is the shithead")
    assert ("…" in title) is (name != "Cy")
    assert all(width(text, size, NARROW) <= right - left + 1 for text, size, left, right, _ in lines)


@pytest.mark.parametrize("name", ["The Great Gatsby of Long Island", "漢字漢字漢字漢字漢 漢字漢字漢字"])
def test_a_long_name_is_whole_where_it_fits_on_the_two_lines_of_the_title(name):
    said = [titled(lambda name_of: f"{name_of(0)} is the shithead", lambda _: name, count) for count in (10, 11)]
    assert said[0] == f"{name} is the shithead"
    assert "…" in said[1]


@pytest.mark.parametrize("count", [2, 6, 12])
def test_every_text_contrasts_with_its_background(written_on, count):
    final_picture("Cy is the shithead", "Tea for Ann", seats(count, cards=HAND))
    lines = [
        MatchRow(place, "Ann", (place, 1, 2, 0), 3, (1,) * (place == count), marked=place == 1)
        for place in range(1, count + 1)
    ]
    match_picture("Ann is the grand winner", "Cy is the grand shithead", lines)
    for text, colour, grounds in written_on:
        for ground in grounds:
            assert contrast(colour, ground) >= 4.5, (text, colour, ground)


def test_from_three_seats_on_the_picture_has_its_full_height():
    assert {opened(final_picture("Cy", "Tea", seats(count))).size for count in range(3, 13)} == {(800, 500)}


@pytest.mark.parametrize("count", [2, 6, 8, 12])
def test_lines_do_not_overlap(written, count):
    final_picture("Maximilian-Alexander is the shithead of this game", "Tea", seats(count, cards=HAND))
    for n, (text, size, left, right, middle) in enumerate(written):
        for other, _, start, end, height in written[n + 1 :]:
            apart = right <= start or end <= left or abs(middle - height) >= size
            assert apart, (text, other)


@pytest.mark.parametrize("count", [2, 3, 6, 8, 12])
def test_no_card_or_label_covers_what_is_written(covered, count):
    final_picture("Maximilian-Alexander is the shithead of this game", "Tea for Ann", seats(count, cards=HAND))
    assert not covered()


def test_the_worst_case_stays_below_the_limit():
    rows = [Row(place, "漢Ẃ" * 30, HAND, marked=place % 2 == 0) for place in range(1, 13)]
    assert len(final_picture("W龍" * 40, "龍w" * 40, rows)) <= LIMIT


def test_cards_without_room_are_counted(written):
    final_picture("Cy", "", [Row(1, "Cy", HAND[:31], marked=True)])
    more = next(text for text, *_ in written if text.startswith("+"))
    assert 1 < int(more) < 31


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize(("name", "cards"), [("Cy", 7), ("Bartholomew", 5)])
def test_cards_are_counted_only_if_there_is_no_room_beside_the_name(written, count, name, cards):
    rows = seats(count)[:-1]
    final_picture("Cy is the shithead", "Tea", [*rows, Row(count, name, HAND[:cards], marked=True)])
    assert not [text for text, *_ in written if text.startswith("+")]
    assert [text for text, *_ in written][-1][:5] == name[:5]


def test_there_is_a_cup_only_if_somebody_owes_one():
    rows = seats(3, cards=HAND)
    cups = [opened(final_picture("Cy is the shithead", line, rows)).crop((660, 40, 760, 140)) for line in ("Tea", "")]
    assert [len(cup.getcolors(10_000)) > 20 for cup in cups] == [True, False]


def test_the_same_values_give_the_same_bytes():
    assert final_picture("Cy", "Tea", seats(5)) == final_picture("Cy", "Tea", seats(5))


@pytest.mark.parametrize("name", ["نور", "שלום", "สมชาย", "🍵", "\u200b", ""])
def test_there_is_no_picture_if_a_name_cannot_be_drawn(name):
    assert final_picture("Cy is the shithead", "Tea", [Row(1, "Ann"), Row(2, name)]) is None
    assert final_picture(name, "Tea", [Row(1, "Ann")]) is None


@pytest.mark.parametrize("count", [0, 13])
def test_there_is_no_picture_without_rows_or_with_too_many(count):
    assert final_picture("Cy", "", [Row(1, "Ann")] * count) is None


def test_emojis_in_a_name_are_left_out():
    assert legible("Ann 🍵👩‍💻 \n Bee\ufe0f\u200d") == "Ann Bee"


@pytest.mark.parametrize("name", ["꧁Ann꧂", "༺Ann༻", "࿐ Ann", "☠Ann☠", "Ann❤️", "⚔️ Ann"])
def test_ornaments_around_a_name_that_have_no_shape_are_left_out(name):
    assert legible(name) == "Ann"


@pytest.mark.parametrize("name", ["Ann (🔥)", "[🔥] Ann", "(🔥🔥) Ann [👑]"])
def test_brackets_with_nothing_but_ornaments_in_them_are_left_out(name):
    assert legible(name) == "Ann"
    assert legible_or(name.replace("Ann", ""), "Player 2") == "Player 2"
    assert legible(f"{name} (Bee) :)").endswith(" (Bee) :)")


@pytest.mark.parametrize("name", NAMES)
def test_scripts_of_europe_and_east_asia_are_covered(name):
    assert legible(name) == unicodedata.normalize("NFC", name)


@pytest.mark.parametrize("name", ["𝓐𝓷𝓷 ♠", "Ⓐnn ♠", "𝔸𝕟𝕟 🍵♠", "𝗔𝘯𝚗 ♠"])
def test_letters_in_another_type_are_drawn_as_plain_ones(name):
    assert legible(name) == "Ann ♠"


def test_a_script_that_is_not_covered_raises_an_error():
    with pytest.raises(NotDrawableError):
        legible("Ann หญิง")


@given(st.text("iWÀß 漢字ァー・한", min_size=1, max_size=60).filter(str.strip), st.integers(20, 600))
@settings(max_examples=30)
def test_no_text_is_wider_than_its_room(text, most):
    drawn = legible(text)
    shorter = cut(drawn, SIZE, most)
    assert width(shorter, SIZE) <= most or shorter == "…"
    for line in wrapped(drawn, (SIZE,), max(most, 60))[0]:
        assert width(line, SIZE) <= max(most, 60)


def test_joined_scripts_are_drawn_joined():
    """Letters of Devanagari are joined; a Pillow without Raqm draws them side by side."""
    joined = width("क्ष", SIZE) < width("क", SIZE) + width("ष", SIZE)
    assert joined == features.check("raqm")


@pytest.mark.parametrize("letter", ["e\u0323\u0302", "कि"])
def test_a_cut_keeps_letters_and_their_marks_together(letter):
    for most in range(60, 300, 7):
        assert cut(letter * 20, SIZE, most).removesuffix("…") in {letter * count for count in range(20)}


def test_a_name_that_cannot_be_drawn_is_replaced_by_the_fallback():
    assert legible_or("Ann 🍵", "Player 1") == "Ann"
    assert legible_or("نور", "Player 2") == "Player 2"


def test_of_a_fallback_that_cannot_be_drawn_either_the_number_remains():
    assert legible_or("สมชาย", "ผู้เล่น 2") == "2"


def test_narrow_letters_take_less_room():
    assert width("Ann", SIZE, NARROW) < width("Ann", SIZE) * 0.9


def test_titles_break_between_words_and_never_before_a_small_kana():
    assert wrapped("Maximilian est le dernier", (SIZE,), 300)[0] == ("Maximilian est", "le dernier")
    for most in range(80, 380, 10):
        _, *second = wrapped("クレア・フォン・ホーエンツォレルン", (SIZE,), most)[0]
        assert second[0][0] not in "ォーァ・ッ"


def test_a_japanese_text_fills_its_first_line_although_a_name_in_it_has_a_space():
    first, second = wrapped("Ann FeatherstonehaughがＡを出しました。", (SIZE,), 560)[0]
    assert (first, second) == ("Ann FeatherstonehaughがＡ", "を出しました。")


def test_an_english_text_after_a_japanese_name_breaks_at_a_space():
    lines, _ = wrapped("さくら・ザ・シットヘッド大王 played two sevens", (SIZE,), 650)
    assert lines == ("さくら・ザ・シットヘッド大王", "played two sevens")


def test_a_line_never_begins_with_a_mark_that_follows_a_japanese_name():
    for after in (", 2nd · Bob", "’s two sevens", ": 7", ") played two"):
        for most in range(300, 700, 20):
            _, *second = wrapped(f"さくら・ザ・シットヘッド大王{after}", (SIZE,), most)[0]
            assert not second or second[0][0] not in ",’:)"


def test_a_title_shrinks_before_it_breaks():
    assert wrapped("Cy is the shithead", (54, 40), width("Cy is the shithead", 40) + 1)[1] == 40
    assert wrapped("Cy", (54, 40), 400) == (("Cy",), 54)


def test_mixed_scripts_are_written_in_a_row():
    left, _, right, _ = not_none(texts.written("Aあ", SIZE, 400).getbbox())
    assert left <= 2
    assert width("A", SIZE) + width("あ", SIZE) * 0.9 <= right <= width("Aあ", SIZE) + 1


def test_the_first_place_has_its_own_colour(written_on):
    final_picture("Cy is the shithead", "Tea", [Row(1, "Ann"), Row(2, "Bob"), Row(3, "Cy", HAND[:2], marked=True)])
    discs = {text: colours for text, _, colours in written_on if text in {"1", "2", "3"}}
    assert discs["1"] == {ACCENT}
    assert ACCENT not in discs["2"] | discs["3"]
