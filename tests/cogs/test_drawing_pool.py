"""Other processes draw the same pictures as this one would, and none outlives its work."""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.connection import Connection
from pickle import PicklingError
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from cogs import spawned as module
from cogs.drawing_pool import (
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
from cogs.spawned import REST, Spawned
from tables.snapshots import Watched
from testkit.made import START, Game
from testkit.scenes import NAMES, players
from testkit.waiting import HANG
from testkit.wire import ROOT
from tests.cogs.test_match_limits import THREE
from tests.cogs.test_match_limits import snapshot as ended_match


@pytest.fixture
def elsewhere():
    with drawing_in_processes():
        yield


@pytest.fixture
def spawned():
    made = Spawned()
    yield made
    made.shutdown()


@pytest.fixture
def last(monkeypatch):
    """A pool with `is_last` that has all the time it needs on a busy machine."""
    monkeypatch.setattr(module, "STARVED_AFTER", HANG)
    made = Spawned(limit=HANG, is_last=True)
    yield made
    made.shutdown()


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


async def ask(spawned, question, *about):
    return await asyncio.get_running_loop().run_in_executor(spawned, question, *about)


async def test_another_process_has_a_lower_priority_than_this_one(spawned):
    assert await ask(spawned, os.getpriority, os.PRIO_PROCESS, 0) > os.getpriority(os.PRIO_PROCESS, 0)


ONLY_LINUX = pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has such a policy")


@ONLY_LINUX
async def test_a_process_that_comes_last_runs_when_idle_and_is_replaced_by_a_nicer_one_if_starved(last, monkeypatch):
    worker = await ask(last, os.getpid)  # before its first answer it has the priority of any other process
    assert await ask(last, os.sched_getscheduler, 0) == os.SCHED_IDLE
    monkeypatch.setattr(module, "STARVED_AFTER", 0)
    with pytest.raises(BrokenProcessPool):
        await ask(last, time.sleep, 9e5)
    assert await ask(last, os.getpid) != worker
    assert await ask(last, os.sched_getscheduler, 0) == os.SCHED_OTHER


@ONLY_LINUX
async def test_a_process_that_was_only_slow_to_start_still_comes_last(last):
    last._limit = 0
    with pytest.raises(BrokenProcessPool):
        await ask(last, time.sleep, 9e5)
    last._process._limit = HANG
    await ask(last, os.getpid)
    assert await ask(last, os.sched_getscheduler, 0) == os.SCHED_IDLE


HANDLER = "(s := __import__('signal')).getsignal(s.SIGUSR1)"
HAS_RESTED = (eval, f"all(iter(lambda: not {HANDLER}._works_until, False))")
"""A question that is answered once the process has rested."""


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="Windows lacks the signal")
async def test_a_process_rests_in_the_middle_of_a_question_and_is_left_alone_while_it_starts(spawned):
    async with asyncio.timeout(HANG):
        starting = asyncio.ensure_future(ask(spawned, os.getpid))
        while not starting.done():
            spawned.rest()
            await asyncio.sleep(0)
        resting = asyncio.ensure_future(ask(spawned, *HAS_RESTED))
        while not resting.done():
            spawned.rest()
            await asyncio.sleep(0)
        assert await resting
        assert await ask(spawned, os.getpid) == await starting


async def test_a_question_during_a_rest_is_asked_a_moment_later(spawned, monkeypatch):
    await ask(spawned, os.getpid)
    rested, clock = [], SimpleNamespace(now=1.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=rested.append, monotonic=lambda: clock.now))
    spawned.rest()
    await ask(spawned, os.getpid)
    clock.now = 2.0
    await ask(spawned, os.getpid)
    assert rested == [pytest.approx(REST), 0]


async def test_a_process_that_died_is_replaced_by_the_next_question(spawned):
    worker = await ask(spawned, os.getpid)
    with pytest.raises(BrokenProcessPool, match="its process was ended by signal 9"):
        await ask(spawned, os.kill, worker, signal.SIGKILL)
    assert await ask(spawned, os.getpid) != worker


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows cannot stop a process")
async def test_a_process_that_stops_in_the_middle_of_an_answer_is_replaced_by_the_next_question(spawned, monkeypatch):
    stopped = []

    def poll(pipe, _seconds):
        begun = wait_until_begun(pipe, HANG)
        while stopped:
            os.kill(stopped.pop(), signal.SIGSTOP)
        return begun

    wait_until_begun = Connection.poll
    monkeypatch.setattr(Connection, "poll", poll)
    spawned._limit = 0.01
    worker = await ask(spawned, os.getpid)
    stopped.append(worker)
    async with asyncio.timeout(HANG):
        with pytest.raises(BrokenProcessPool):
            await ask(spawned, bytes, 10_000_000)  # more than fits into a pipe
        assert await ask(spawned, os.getpid) != worker


def test_no_process_is_started_before_the_first_question(spawned):
    assert spawned._process is None


IDLE = "print(Spawned().submit(os.getpid).result(), flush=True); time.sleep(9e5)"
BUSY = "s = Spawned(); print(s.submit(os.getpid).result(), flush=True); s.submit(time.sleep, 9e5); time.sleep(9e5)"


@pytest.mark.parametrize("code", [IDLE, BUSY], ids=["idle", "busy"])
async def test_a_process_ends_with_its_parent_even_if_that_is_killed(code):
    code = f"import os, time; from cogs.spawned import Spawned; {code}"
    asking = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=PIPE, stderr=PIPE, cwd=ROOT)
    async with asyncio.timeout(HANG):
        assert int(await asking.stdout.readline()) != asking.pid
        asking.kill()
        # The pipes close only once all processes have ended; none of them may have printed anything.
        assert await asking.communicate() == (b"", b"")


async def test_shutdown_ends_a_running_question(spawned):
    worker = await ask(spawned, os.getpid)
    waiting = asyncio.ensure_future(ask(spawned, time.sleep, 9e5))
    await asyncio.sleep(0)
    spawned.shutdown()
    with pytest.raises((BrokenProcessPool, asyncio.CancelledError)):
        await waiting
    assert await ask(spawned, os.getpid) != worker


async def test_an_exception_in_a_function_is_raised_in_the_parent(spawned):
    with pytest.raises(ValueError, match="invalid literal"):
        await ask(spawned, int, "x")
    worker = await ask(spawned, os.getpid)
    with pytest.raises((AttributeError, PicklingError)):
        await ask(spawned, lambda: 1)
    assert await ask(spawned, os.getpid) == worker
