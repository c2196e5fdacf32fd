"""How long a film is and what it shows, for games of any length."""

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from cogs.pictures.film import LAST_FRAME, LONGEST, MOST_FRAMES, ORDINARY, timed


def game(length, share, seed):
    """Whether each move is a moment. Hypothesis's own lists are hardly ever longer than a film, so these are built."""
    chance = random.Random(seed)
    return [chance.random() < share for _ in range(length)]


GAMES = st.builds(game, st.integers(1, 1500), st.sampled_from([0.0, 0.05, 0.5, 1.0]), st.integers(0, 999))


@given(GAMES)
def test_no_film_is_longer_than_a_minute(moments):
    assert sum(time for _, time in timed(moments)) <= LONGEST


@given(GAMES)
def test_frames_are_in_order_from_the_first_to_the_last(moments):
    shown = [at for at, _ in timed(moments)]
    assert shown == sorted(set(shown))
    assert shown[0] == 0
    assert shown[-1] == len(moments) - 1
    assert len(shown) == min(len(moments), MOST_FRAMES)


@given(GAMES)
def test_moments_are_left_out_last(moments):
    shown = {at for at, _ in timed(moments)}
    left_out = [moment for at, moment in enumerate(moments) if at not in shown]
    if any(left_out):
        assert not [at for at in shown if not moments[at] and 0 < at < len(moments) - 1]


@given(GAMES)
def test_no_frame_is_too_short_to_see(moments):
    assert min(time for _, time in timed(moments)) >= 220


def test_every_moment_of_a_long_game_is_shown_if_there_are_few():
    shown = {at for at, _ in timed([True] * 60 + [False] * 500)}
    assert shown >= set(range(60))
    assert len(shown) == MOST_FRAMES


def test_a_short_game_is_shown_slowly_and_its_end_for_longer():
    assert timed([False] * 4) == [(0, ORDINARY), (1, ORDINARY), (2, ORDINARY), (3, LAST_FRAME)]


def test_a_moment_is_shown_twice_as_long():
    times = dict(timed([False, True, False]))
    assert times[1] == 2 * times[0]


def test_a_long_run_of_ordinary_frames_is_thinned_out_evenly():
    shown = [at for at, _ in timed([False] * 1000)]
    steps = [after - before for before, after in pairwise(shown)]
    assert max(steps) - min(steps[1:-1]) <= 1


def test_times_are_multiples_of_a_gifs_unit():
    assert not [time for _, time in timed([False, True] * 60) if time % 10]
