"""The picture of a whole match, for any names, any number of players and games."""

from io import BytesIO
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from cogs.pictures import final
from cogs.pictures.final import SMALLEST_TYPE, MatchRow, match_picture
from cogs.pictures.palette import BLACK
from cogs.pictures.sprites import Canvas
from testkit.colours import contrast

LIMIT = 200_000
NAMES = ("Ann", "Łukasz Żółć", "Дмитро Ґ", "王小明", "クレア・フォン・ホーエンツォレルン", "W" * 40, "漢" * 60)


def rows(count, games, name=NAMES):
    """`count` players of a match of `games` games, all lost by the last player."""
    return [
        MatchRow(
            place,
            name[place % len(name)],
            tuple((place + game) % count + 1 for game in range(games)),
            games * (count - place),
            tuple(range(1, games + 1)) if place == count else (),
            marked=place == count,
        )
        for place in range(1, count + 1)
    ]


def opened(png):
    picture = Image.open(BytesIO(png))
    picture.load()
    return picture


def test_the_picture_shows_the_order_every_place_and_the_scores(written):
    three = [
        MatchRow(1, "Ann", (1, 2, 1), 3, marked=False),
        MatchRow(2, "Cy", (2, 1, 2), 1, (1, 3), marked=True),
        MatchRow(0, "Bob", (3, 0, 0), 0),
    ]
    picture = opened(match_picture("Cy is the grand shithead", "Grand winner: Ann, 3 points", three))
    assert (picture.format, picture.mode, picture.size) == ("PNG", "RGB", (800, 500))
    said = [text for text, *_ in written]
    assert said[:2] == ["Cy is the grand shithead", "Grand winner: Ann, 3 points"]
    assert said[2:] == [
        *("1", "3", "1", "2", "1", "Ann"),
        *("2", "1", "2", "1", "2", "Cy"),
        *("–", "0", "3", "–", "–", "Bob"),
    ]


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("games", [1, 3, 10, 40])
def test_any_number_of_players_and_games_fits_and_stays_small(written, count, games):
    png = match_picture("Maximilian-Alexander ist der große Shithead", "Ann gewinnt", rows(count, games))
    assert len(png) <= LIMIT
    for n, (text, size, left, right, middle) in enumerate(written):
        assert size >= SMALLEST_TYPE, text
        assert 30 <= left <= right <= 770, text
        assert 40 <= middle <= 460, text
        for other, _, start, end, height in written[n + 1 :]:
            assert right <= start or end <= left or abs(middle - height) >= size, (text, other)


@pytest.mark.parametrize("count", [2, 3, 6, 8, 12])
def test_no_label_covers_what_is_written(covered, count):
    match_picture("Maximilian-Alexander ist der große Shithead", "Ann gewinnt", rows(count, 10))
    assert not covered()


@pytest.mark.parametrize("title", ["Cy is the grand shithead", "Maximilian-Alexander ist der große Shithead"])
@pytest.mark.parametrize("count", range(1, 7))
def test_the_places_stay_inside_the_row_of_their_player(monkeypatch, title, count):
    laid, boxes = [], []
    panel, board = Canvas.panel, final._board
    monkeypatch.setattr(Canvas, "panel", lambda canvas, box, *how: (laid.append(box), panel(canvas, box, *how)))
    monkeypatch.setattr(final, "_board", lambda *drawn: (made := board(*drawn), boxes.extend(made[1]), laid.clear())[0])
    match_picture(title, "Grand winner: Bartholomew Featherstonehaugh, 3 points", rows(count, 2, ("Ann",)))
    assert len(laid) >= count * 2, "each player has a row with a badge"
    for _, top, _, down in (each for each in laid if each not in boxes):
        assert any(above < top and top + down < above + high for _, above, _, high in boxes)


def test_games_that_somebody_won_and_lost_stand_out_in_a_row_of_equal_steps(written, written_on):
    match_picture("Cy", "", [MatchRow(1, "Cy", (2, 1, 3, 2), 9, (3,))])
    places = [(text, left + right, middle) for text, _, left, right, middle in written][-5:-1]
    assert [text for text, *_ in places] == ["2", "1", "3", "2"]
    steps = [(after[1] - before[1]) / 2 for before, after in pairwise(places)]
    assert 40 <= min(steps) <= max(steps) <= 60
    assert max(steps) - min(steps) <= 1
    grounds = [max(contrast(ground, BLACK) for ground in colours) for _, _, colours in written_on[-5:-1]]
    assert grounds[0] == grounds[3] < grounds[1] < grounds[2], "the brighter, the more it is about"


def test_a_long_match_shows_its_latest_games(written):
    match_picture("Cy", "", [MatchRow(1, "Bartholomew", (*(1,) * 30, 2, 3), 9)])
    places = [text for text, *_ in written if text in {"1", "2", "3", "…"}]
    assert places[1] == "…"
    assert places[-2:] == ["2", "3"]
    *_, (name, _, left, right, _) = written
    assert (name, right - left >= 150) == ("Bartholomew", True), "the name keeps its room"


def test_in_two_columns_there_are_only_names_and_scores(written):
    match_picture("Cy", "", rows(8, 3, ("Ann",)))
    assert [text for text, *_ in written][2:5] == ["1", "21", "Ann"]


def test_the_same_values_give_the_same_bytes():
    assert match_picture("Cy", "Ann", rows(4, 5)) == match_picture("Cy", "Ann", rows(4, 5))


@pytest.mark.parametrize("name", ["نور", "สมชาย", "🍵", ""])
def test_there_is_no_picture_if_a_name_cannot_be_drawn(name):
    assert match_picture("Cy", "", [MatchRow(1, name, (1,), 1)]) is None
    assert match_picture(name, "", rows(2, 1)) is None


@pytest.mark.parametrize("count", [0, 13])
def test_there_is_no_picture_without_rows_or_with_too_many(count):
    assert match_picture("Cy", "", rows(1, 1) * count) is None


@given(st.integers(1, 12), st.integers(1, 100), st.integers(0, 10**4))
@example(12, 100, 10**4)
@settings(max_examples=6)
def test_scores_of_any_size_leave_room_for_a_name(count, games, score):
    made = [
        MatchRow(n, "漢Ẃ" * 30, (n,) * games, score, tuple(range(1, games + 1)), marked=True)
        for n in range(1, count + 1)
    ]
    assert len(match_picture("W龍" * 40, "龍w" * 40, made)) <= LIMIT
