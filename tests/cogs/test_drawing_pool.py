"""Other processes draw the same pictures as this one would; where they cannot, text takes their place."""

import asyncio
import os
import time
from functools import partial
from multiprocessing.connection import Connection
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from cogs.drawing_pool import (
    FILM_PATIENCE,
    LONGEST_PAUSE,
    _pauses,
    _pools,
    drawing_in_processes,
    drawn_film,
    drawn_picture,
    drawn_rarely,
    left_out,
)
from cogs.drawing_work import emoji_set
from cogs.picture_messages import end_with_picture, film_of, with_picture
from cogs.pictures.scene import FaceSet, scene_of
from cogs.pictures.table_picture import table_picture
from cogs.screens.formatter import CARD_BACK, formatter
from tables.snapshots import Watched
from testkit.made import START, Game
from testkit.scenes import NAMES, players
from testkit.waiting import HANG
from tests.cogs.test_match_limits import THREE
from tests.cogs.test_match_limits import snapshot as ended_match


@pytest.fixture
def elsewhere():
    with drawing_in_processes():
        yield


def game(seed=4):
    made = Game(seats=3, seed=seed)
    for _ in range(12):
        made.step()
    return made


def ended_game():
    made = game()
    while not made.over:
        made.step()
    made.table = made.table.model_copy(update={"status": "over", "ended_at": START, "secret": "x"})
    return made.snapshot()


async def test_a_table_drawn_in_another_process_is_the_same_as_in_this_one(elsewhere):
    scene = scene_of(game().snapshot().view, players(NAMES[:3]))
    there = await drawn_picture(partial(table_picture, scene, FaceSet()), 1)
    assert there == table_picture(scene, FaceSet())


async def test_tables_and_ends_reach_the_other_process_in_every_language(elsewhere):
    running = game().snapshot()
    for language in ("de", "ja"):
        t = formatter(language)
        assert (await with_picture(t, running, running.view, None)).is_pictured
        assert (await end_with_picture(t, ended_game())).pictures


LOADED = (eval, "{*__import__('sys').modules}")
NOT_TO_DRAW = {"aiohttp", "asyncio", "discord", "sqlalchemy", "structlog"}
"""Modules that only the main process needs; with them a drawing process would take twice the memory."""


async def test_the_process_for_tables_and_ends_loads_neither_discord_nor_the_database(elsewhere):
    t, running = formatter(), game().snapshot()
    assert (await with_picture(t, running, running.view, None)).is_pictured
    for ended in (ended_game(), ended_match(THREE, 3)):
        assert (await end_with_picture(t, ended)).pictures
    assert await asyncio.get_running_loop().run_in_executor(_pools["tables"], *LOADED) & NOT_TO_DRAW == set()


async def test_the_process_for_films_and_faces_loads_neither_discord_nor_the_database(elsewhere):
    ended = ended_game()
    watched = Watched(ended.table, [(game().snapshot().view, ()), (ended.view, ())])
    faces, loaded = drawn_rarely(partial(emoji_set, [CARD_BACK])), drawn_rarely(partial(*LOADED))
    *drawn, modules = await asyncio.gather(film_of(formatter(), watched), faces, loaded)
    assert all(drawn)
    assert modules & NOT_TO_DRAW == set()


async def test_the_process_for_rare_jobs_ends_with_the_job(elsewhere):
    worker = await drawn_rarely(os.getpid)
    assert worker != os.getpid()
    assert await drawn_rarely(os.getpid) != worker


@pytest.fixture
def clock(monkeypatch):
    """The time by which drawing pauses, with no pause before or after the test."""
    for kind in _pauses:
        monkeypatch.setitem(_pauses, kind, (0.0, 0.0))
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr("cogs.drawing_pool.time", SimpleNamespace(monotonic=lambda: clock.now))
    return clock


DIE = partial(os._exit, 3)
BEGUN = {"event": "pictures cannot be drawn, text takes their place", "why": "its process ended with status 3"}


@pytest.mark.parametrize(("draws", "kind"), [(drawn_picture, "tables"), (drawn_film, "films")])
async def test_processes_that_keep_dying_are_told_once_and_started_less_and_less(elsewhere, clock, draws, kind):
    """Queued pictures may fail together; then none is tried until the pause ends, even if it would succeed."""
    begun, before = clock.now, left_out.total()
    with capture_logs() as logs:
        assert await asyncio.gather(draws(DIE, 1), draws(DIE, 2)) == [None, None]
        assert await draws(os.getpid, 3) is None
        for pause in (1, 2, 4, 8, 16, 32, LONGEST_PAUSE, LONGEST_PAUSE):
            clock.now += pause - 0.1
            assert await draws(os.getpid, 3) is None
            clock.now += 0.1
            assert await draws(DIE, 3) is None
        assert clock.now - begun == 63 + 2 * LONGEST_PAUSE
        clock.now += LONGEST_PAUSE
        assert left_out.total() == before + 3 + 2 * 8
        assert await draws(os.getpid, 3)
    again = {"event": "pictures are drawn again", "what": kind, "log_level": "info"}
    assert logs == [{**BEGUN, "what": kind, "log_level": "warning"}, again]
    assert left_out.total() == before + 3 + 2 * 8


async def test_after_a_picture_that_was_drawn_the_next_pause_is_short_again(elsewhere, clock):
    for pause in (1, 2):
        assert await drawn_picture(DIE, 1) is None
        clock.now += pause
    assert await drawn_picture(os.getpid, 1)
    assert await drawn_picture(DIE, 1) is None
    clock.now += 1
    assert await drawn_picture(os.getpid, 1)


async def test_a_picture_that_is_late_or_wrong_stops_no_other(elsewhere, clock, monkeypatch):
    with capture_logs() as logs:
        assert await drawn_picture(partial(int, "x"), 1) is None
        monkeypatch.setattr("cogs.drawing_pool.PICTURE_PATIENCE", 0)
        assert await drawn_picture(os.getpid, 2) is None
        monkeypatch.setattr("cogs.drawing_pool.PICTURE_PATIENCE", HANG)
        assert await drawn_picture(os.getpid, 3)
    assert [(each["event"], each.get("exc_info"), each.get("why")) for each in logs] == [
        ("a picture was left out", True, None),
        ("a picture was left out", None, "it was not ready in 0 s"),
    ]


async def test_a_film_that_hangs_holds_up_the_next_one_no_longer_than_anybody_waits(elsewhere, clock, monkeypatch):
    """Otherwise its process would be replaced only once nobody waits for a film any more."""
    wait_for_answer, hangs = Connection.poll, [True]

    def poll(pipe, seconds):
        assert seconds <= FILM_PATIENCE
        return not hangs.pop() if hangs else wait_for_answer(pipe, HANG)

    monkeypatch.setattr(Connection, "poll", poll)
    hanging, next_one = drawn_film(partial(time.sleep, 9e5), 1), drawn_film(partial(bytes, 1), 2)
    assert await asyncio.gather(hanging, next_one) == [None, b"\0"]
