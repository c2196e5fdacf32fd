"""Names of people in a message: nothing in a name can move, hide, mention or format the text around it."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.picture_messages import in_words, match_in_words, seated
from cogs.pictures.scene import scene_of
from cogs.pictures.scene_words import table_in_words
from cogs.screens.components import cut, walk
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.joining_screens import thread_name
from cogs.screens.language import LANGUAGES
from cogs.screens.lobby_screens import more_screen
from cogs.screens.names import bold, clean, columns, escaped, fitted, graphemes
from cogs.screens.replay_screens import game_words
from cogs.screens.rules_screens import suggested
from cogs.screens.table_screens import nudge_screen, public_screen
from cogs.screens.wording import seat_name
from data.game_models import GameLine
from data.guild_models import HouseRule
from data.models import Match, MatchLine
from game.moves import Play, apply
from game.rules import Rules
from game.text.notation import parse_cards
from game.text.position import set_up
from tables.snapshots import TableSnapshot
from testkit.made import START, Game, made_table, replaced, texts


def test_markdown_mentions_and_links_in_a_name_are_harmless():
    assert escaped("xX_Dark*Lord") == "xX\\_Dark\\*Lord"
    assert escaped("<@123>") == "\\<@\u2060123\\>"
    assert escaped("- Ann") == "\\- Ann"
    assert escaped("Ann-Marie") == "Ann-Marie"
    assert escaped("@everyone") == "@\u2060everyone"
    assert escaped("[a](http://b)") == "\\[a\\]\\(http\\://b\\)"


def test_direction_marks_invisible_characters_and_line_breaks_are_removed():
    assert clean("A\u202enn\u200b\u2066\n\tB") == "Ann B"
    assert clean("\u200b\u2060") == ""
    assert clean("Z" + "\u0301" * 40) == "Ź\u0301\u0301"


def test_a_name_cannot_pass_for_another_by_a_selector_that_changes_no_letter():
    assert clean("Fri\ufe0fday\ufe0e") == clean("Fri\U000e0100day\U000e01ef") == "Friday"
    assert clean("Tea \u2615\ufe0f") == "Tea \u2615\ufe0f"


def test_two_signs_that_are_joined_stay_one_also_after_a_selector():
    assert clean("Ann \u2764\ufe0f\u200d\U0001f525") == "Ann \u2764\ufe0f\u200d\U0001f525"
    assert clean("An\u200dn") == "Ann"


def test_a_wide_character_after_a_text_does_not_change_the_texts_width():
    for code in range(0x3000):
        if chr(code) != "\u200d":  # a joiner makes one of the two
            assert columns(f"a{chr(code)}漢") == columns(f"a{chr(code)}") + 2, hex(code)


@pytest.mark.parametrize(
    "blank", ["\u115f", "\u1160", "\u2800", "\u3164", "\uffa0", "\U00013441", "\U00013442", "\U0001d159"]
)
def test_invisible_letters_are_not_a_name(blank):
    assert clean(blank * 3) == ""
    assert clean(f"{blank}Ann{blank}B{blank}") == "Ann B"


@pytest.mark.parametrize("mark", ["\u17b5", "\u034f", "\u180b", "\ufe0f", "\U000e0100", "\u0301"])
def test_marks_without_a_letter_are_not_a_name(mark):
    assert clean(f"{mark} {mark}") == ""
    assert clean(f"a{mark}").startswith(("a", "á"))


@pytest.mark.parametrize("between", ["", "\u200b", "\ufe0f", "\u034f"])
def test_combining_marks_do_not_pile_up_whatever_is_between_them(between):
    cleaned = clean("H" + (between + "\u0335\u0489") * 20 + "i")
    assert re.fullmatch(r"H[^Hi]{0,2}i", cleaned)


@pytest.mark.parametrize("name", ["דנה", "ليلى 7", "Ann ליאור"])
def test_a_name_from_right_to_left_moves_nothing_around_it(name):
    assert escaped(name) == f"\u2068{name}\u2069"
    assert bold(name) == f"**\u2068{name}\u2069**"
    snapshot = Game(seats=2, seed=1, names=(name, "Bob")).snapshot()
    assert f"\u2068{name}\u2069" in texts(public_screen(formatter(), snapshot))


LEILA = "ليلى 7"
ISOLATED = f"\u2068{LEILA}\u2069"


def closed(text):
    """Whether every bidirectional isolate is closed before another begins."""
    return re.fullmatch("(?:[^\u2068\u2069]|\u2068[^\u2068\u2069]*\u2069)*", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_in_a_threads_title_are_isolated_and_the_title_is_within_discords_limit(language):
    assert ISOLATED in thread_name(formatter(language), made_table(names=(LEILA, "Bob")))
    longest = thread_name(formatter(language), made_table(names=(clean("ל" * 90), "Bob")))
    assert len(longest) <= 100
    assert closed(longest)


def test_alt_texts_isolate_names_and_are_never_cut_within_an_isolate():
    snapshot = Game(seats=2, seed=1, names=(LEILA, "Bob")).snapshot()
    scene = scene_of(snapshot.view, seated(formatter(), snapshot.table))
    assert f"{ISOLATED}, " in table_in_words(formatter(), scene)
    end = replaced(snapshot, view=replaced(snapshot.view, shithead=0, out=(1,)))
    assert in_words(formatter(), end).startswith(f"{ISOLATED} is the shithead; Bob won")
    standings = tuple(MatchLine(user_id=user, name=name) for user, name in ((100, LEILA), (101, "Bob")))
    match = Match(kind="games", target=2, scoring="order")
    assert ISOLATED in match_in_words(formatter(), snapshot.table.but(match=match, standings=standings))
    for most in range(3, 60):
        assert closed(cut(f"Bob · {ISOLATED} has 2 cards left · {ISOLATED} too", most))


def test_buttons_and_choices_isolate_names():
    table = made_table(seats=3, names=("Bob", LEILA, "Cy"), status="lobby")
    snapshot = Game(seats=2, seed=1, names=(LEILA, "Bob")).snapshot()
    late = snapshot.table.but(overdue=True), replaced(snapshot.view, phase="play", turn=0)
    reminder = nudge_screen(formatter(), TableSnapshot(*late), [snapshot.table.players[0].user_id])
    assert f"Computer plays for {ISOLATED}" in [each.get("label") for each in walk(reminder)]
    page = more_screen(formatter(), table, table.host_id, ())
    options = [each["options"] for each in walk(page) if "options" in each]
    assert ISOLATED in [option["label"] for each in options for option in each]


def test_suggestions_isolate_the_names_of_saved_house_rules():
    saved = HouseRule(guild_id=1, id=1, name=LEILA, variant="classic", rules=Rules(), saved_by=1, saved_at=START)
    assert suggested(formatter(), [saved])[0][0].startswith(f"{ISOLATED} · From Classic · ")
    line = GameLine(1, 1, "classic", LEILA, 3, START, 41)
    assert game_words(formatter(), line).startswith(f"{ISOLATED} · 2026-01-01 ")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", [False, True])
def test_a_name_in_small_letters_stays_so_where_it_begins_a_line(language, text):
    t, game = formatter(language, text=text), Game(seats=3, names=("ann", "bob", "ßen"))
    game.table = game.table.with_player(1, wants_stop=True).with_player(2, wants_stop=True)
    before = set_up({"seats": ["- | - | -", "5c | - | -", "4d | - | -"], "pile": "4c", "turn": "B"}, game.rules)
    said: list[str] = []
    for game.state in (before, apply(before, 1, Play(parse_cards("5c")))):
        said += map(texts, [public_screen(t, game.snapshot()), *(hand_screen(t, game.hand(seat)) for seat in range(3))])
    shown = "\n".join(said)
    assert not re.search(r"\b(Ann|Bob|SSen)(?![a-z])", shown)
    assert "\n-# bob" in shown
    assert "\n-# ßen" in shown


def test_a_family_emoji_stays_whole():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert clean(family) == family
    assert list(graphemes(f"a{family}b")) == ["a", family, "b"]


def test_two_halves_of_a_flag_are_one_character_and_nothing_else_belongs_to_a_half():
    half = "\U0001f1e9"
    assert list(graphemes(f"{half * 3}b")) == [half * 2, half, "b"]


def test_names_are_cut_by_the_columns_they_take():
    assert fitted("Bartholomew the Great", 12) == "Bartholomew…"
    assert fitted("さくら・ザ・シットヘッド", 12) == "さくら・ザ…"
    assert fitted("Ann", 12) == "Ann"
    assert bold("Ann_1") == "**Ann\\_1**"


@given(st.text(max_size=60), st.integers(2, 30))
def test_a_fitted_name_is_never_wider_than_it_may_be(name, most):
    assert columns(fitted(name, most)) <= most
    assert "".join(graphemes(name)) == name


@given(st.text(max_size=200))
def test_a_clean_name_is_one_line_of_at_most_32_characters(name):
    cleaned = clean(name)
    assert len(cleaned) <= 32
    assert {"Cc", "Zl", "Zp"}.isdisjoint(map(unicodedata.category, cleaned))
    assert cleaned == cleaned.strip()


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_word_for_somebody_who_was_forgotten_is_never_cut(language, seats):
    fmt, table = formatter(language), made_table(seats=seats)
    forgotten = table.players[0].model_copy(update={"user_id": -5, "name": ""})
    after = table.model_copy(update={"players": (forgotten, *table.players[1:])})
    assert seat_name(fmt, after, 0) == fmt("Former player")
