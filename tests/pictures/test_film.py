"""The film of a game: short, small, and each of its frames the same as a picture drawn on its own."""

import random
import sys
from collections.abc import Sequence
from io import BytesIO

import pytest
from PIL import Image, ImageChops, ImageColor, ImageSequence

from cogs.pictures import film as films
from cogs.pictures.film import ACROSS, LONGEST, MOST_FRAMES, FilmFrame, film
from cogs.pictures.palette import ACCENT, PANEL, QUIET, RIM, TEXT, in_palette
from cogs.pictures.scene import FaceSet, scene_of
from cogs.pictures.sprites import Canvas
from cogs.pictures.table_picture import PLAIN, painted
from cogs.screens.components import MOST_BYTES
from game.showing import seat_view, table_view
from testkit.colours import contrast
from testkit.disguise import disguised
from testkit.frames import frames
from testkit.scenes import NAMES, Step, choosing, played, players, state_of
from testkit.waiting import run_to_end

SEATS = players(NAMES[:3])


@pytest.fixture(scope="module")
def game():
    return played(3, 5)


@pytest.fixture
def written(monkeypatch):
    """The texts that are written."""
    notes, write = [], Canvas.write

    def noting(canvas, text, *where, **how):
        notes.append(text)
        return write(canvas, text, *where, **how)

    monkeypatch.setattr(Canvas, "write", noting)
    return notes


def opened(gif):
    """The frames as a viewer sees them, and how long each is shown."""
    picture = Image.open(BytesIO(gif))
    assert picture.format == "GIF"
    assert picture.info["loop"] == 0
    shown = [(frame.convert("RGB"), frame.info["duration"]) for frame in ImageSequence.Iterator(picture)]
    return [frame for frame, _ in shown], [time for _, time in shown]


@pytest.mark.long
def test_a_whole_game_is_a_short_and_small_film(game: Sequence[Step]):
    gif = film(frames(game), SEATS)
    pictures, times = opened(gif)
    assert len(gif) <= MOST_BYTES / 4
    assert len(pictures) == min(len(game), MOST_FRAMES)
    assert sum(times) <= LONGEST
    assert times[-1] == max(times)
    assert pictures[0].width == ACROSS


@pytest.mark.long
def test_a_thousand_moves_still_fit(game: Sequence[Step]):
    """A game that came to a stand-still, with the same tables over and over."""
    long = [FilmFrame(frame.view, frame.caption) for frame in frames(game) * (1000 // len(game) + 1)]
    gif = film(long, SEATS, across=400)
    assert len(opened(gif)[0]) == MOST_FRAMES
    assert sum(opened(gif)[1]) <= LONGEST


def test_each_frame_is_the_same_as_if_drawn_from_scratch(game: Sequence[Step]):
    """Although only what has changed is drawn and stored."""
    some = frames(game)[-30:]
    pictures, _ = opened(film(some, SEATS))
    for frame, picture in zip(some, pictures, strict=True):
        table = in_palette(painted(scene_of(frame.view, SEATS), PLAIN, ACROSS)).convert("RGB")
        inner = (0, 0, ACROSS, table.height - 8)
        assert ImageChops.difference(table.crop(inner), picture.crop(inner)).getbbox() is None


def test_captions_are_written_and_those_that_cannot_be_drawn_are_left_out(game: Sequence[Step], written):
    views = [table_view(step.state) for step in game[:3]]
    film(
        [FilmFrame(views[0], "Ann begins."), FilmFrame(views[1], "نور الهدى"), FilmFrame(views[2], "Cy 🍵 burned.")],
        SEATS,
    )
    assert [text for text in written if " " in text] == ["Ann begins.", "Cy burned."]


def test_captions_and_names_contrast_with_their_background():
    assert contrast(TEXT, RIM) >= 4.5  # the caption
    assert contrast(QUIET, PANEL) >= 4.5  # whose hand it is


def test_a_long_caption_takes_two_lines(game: Sequence[Step], written):
    said = "Bartholomew played four queens. The pile burned. Bartholomew went out 2nd."
    film([FilmFrame(table_view(game[0].state), said)], SEATS)
    lines = [text for text in written if " " in text]
    assert len(lines) == 2
    assert " ".join(lines) == said


def test_the_progress_bar_grows_to_the_full_width(game: Sequence[Step]):
    pictures, _ = opened(film(frames(game)[:5], SEATS))
    gold = ImageColor.getrgb(ACCENT)
    lines = [picture.crop((0, picture.height - 2, ACROSS, picture.height - 1)).getcolors() for picture in pictures]
    assert [sum(count for count, colour in line if colour == gold) for line in lines] == [0, 180, 360, 540, 720]


def test_the_film_of_one_seat_shows_its_hand(game: Sequence[Step], written):
    public, own = film(frames(game)[:4], SEATS), film(frames(game, 1)[:4], SEATS)
    assert opened(own)[0][0].height > opened(public)[0][0].height
    assert written.count("Bob") > written.count("Cy")


def test_a_hand_of_a_whole_pack_finds_room():
    state = state_of({"deal": {"packs": 3}}, seats=[f"{' '.join(PACK)} {' '.join(PACK[:9])} | - | -", "2c | - | -"])
    picture = opened(film([FilmFrame(seat_view(state, 0))], players(NAMES[:2])))[0][0]
    assert picture.height <= picture.width * 1.4


def test_no_card_of_a_large_hand_covers_rank_and_suit_of_another(monkeypatch):
    laid, lay = [], Canvas.lay
    monkeypatch.setattr(Canvas, "lay", lambda canvas, *what: (laid.append(what), lay(canvas, *what)))
    state = state_of({"deal": {"packs": 3}}, seats=[f"{' '.join(PACK)} {' '.join(PACK[:9])} | - | -", "2c | - | -"])
    film([FilmFrame(seat_view(state, 0))], players(NAMES[:2]))
    hand = [(left, top) for _, left, top in laid[-61:]]
    for n, (left, top) in enumerate(hand):
        for later, below in hand[n + 1 :]:
            assert below >= top + 70 or (below == top and later >= left + 36), "rank and suit are at the upper left"


PACK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


@pytest.mark.parametrize("seat", [None, 0])
def test_hidden_cards_do_not_change_the_film(game: Sequence[Step], seat):
    rng = random.Random(1)
    steps = rng.sample(game, 4)
    others = [step._replace(state=disguised(step.state, rng, seat)) for step in steps]
    assert film(frames(steps, seat), SEATS) == film(frames(others, seat), SEATS)


def test_a_seat_sees_its_own_chosen_cards_before_the_others_do():
    seats = ["5d 2s 9c Td As 9h | - | 2c Jd 6c", "4h 3d 8d | Kd Qs Jh | 3c 5c 6s"]
    state = state_of({"deal": {"method": "choose"}}, seats=seats, stock="2d 2h 3s", phase="exchange")
    by_ann, by_bob = (opened(film([FilmFrame(seat_view(state, seat))], players(NAMES[:2])))[0][0] for seat in (0, 1))
    bob_below = (200, 340, 520, 490)
    assert by_ann.crop(bob_below).tobytes() != by_bob.crop(bob_below).tobytes()
    assert choosing().seats[0].up is None


def test_a_film_that_would_be_too_large_is_made_smaller(game: Sequence[Step], monkeypatch):
    whole = film(frames(game)[:20], SEATS)
    monkeypatch.setattr(films, "MOST_BYTES", len(whole) - 1)
    smaller = film(frames(game)[:20], SEATS)
    assert len(smaller) < len(whole)
    assert opened(smaller)[0][0].width == ACROSS * 3 // 4


def test_the_same_game_gives_the_same_bytes(game: Sequence[Step]):
    assert film(frames(game)[:10], SEATS) == film(frames(game)[:10], SEATS)


def test_making_a_film_does_not_load_discord():
    program = "import cogs.pictures.film, sys; sys.exit('discord' in sys.modules)"
    done = run_to_end(sys.executable, "-c", program)
    assert done.returncode == 0, done.stderr


def test_faces_are_an_argument(game: Sequence[Step]):
    assert film(frames(game)[:3], SEATS, FaceSet(four_colours=True)) != film(frames(game)[:3], SEATS)
