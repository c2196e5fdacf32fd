"""Work in another process: its priority, its rests, its death, and that it never outlives its parent."""

import asyncio
import errno
import fractions
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from asyncio.subprocess import PIPE
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction
from multiprocessing.connection import Connection
from pathlib import Path
from pickle import PicklingError
from types import SimpleNamespace

import pytest

from cogs import spawned as module
from cogs.spawned import REST, Spawned, _Rest, _serve
from testkit.waiting import HANG
from testkit.wire import ROOT


@pytest.fixture
def spawned():
    made = Spawned()
    yield made
    made.shutdown()


@pytest.fixture
def last(monkeypatch):
    """A pool with `only_when_idle` that has all the time it needs on a busy machine."""
    monkeypatch.setattr(module, "STARVED_AFTER", HANG)
    made = Spawned(limit=HANG, only_when_idle=True)
    yield made
    made.shutdown()


async def ask(spawned: Spawned, question, *about):
    return await asyncio.get_running_loop().run_in_executor(spawned, question, *about)


async def test_another_process_has_a_lower_priority_than_this_one(spawned: Spawned):
    assert await ask(spawned, os.getpriority, os.PRIO_PROCESS, 0) > os.getpriority(os.PRIO_PROCESS, 0)


ONLY_LINUX = pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has such a policy")


@ONLY_LINUX
async def test_if_memory_runs_out_another_process_is_killed_and_not_this_one(spawned: Spawned):
    ours = Path("/proc/self/oom_score_adj")
    before = await asyncio.to_thread(ours.read_text)
    assert await ask(spawned, ours.read_text) == "1000\n"
    assert await asyncio.to_thread(ours.read_text) == before


@ONLY_LINUX
async def test_a_process_that_comes_last_runs_when_idle_and_is_replaced_by_a_nicer_one_if_starved(
    last: Spawned, monkeypatch
):
    worker = await ask(last, os.getpid)  # before its first answer it has the priority of any other process
    assert await ask(last, os.sched_getscheduler, 0) == os.SCHED_IDLE
    monkeypatch.setattr(module, "STARVED_AFTER", 0)
    with pytest.raises(BrokenProcessPool):
        await ask(last, time.sleep, 9e5)
    assert await ask(last, os.getpid) != worker
    assert await ask(last, os.sched_getscheduler, 0) == os.SCHED_OTHER


@ONLY_LINUX
async def test_a_process_that_was_only_slow_to_start_still_comes_last(last: Spawned):
    last._process._limit = 0
    with pytest.raises(BrokenProcessPool):
        await ask(last, time.sleep, 9e5)
    last._process._limit = HANG
    await ask(last, os.getpid)
    assert await ask(last, os.sched_getscheduler, 0) == os.SCHED_IDLE


HANDLER = "(s := __import__('signal')).getsignal(s.SIGUSR1)"


HAS_RESTED = (eval, f"all(iter(lambda: not {HANDLER}._works_until, False))")
"""A question that is answered once the process has rested."""


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="Windows lacks the signal")
async def test_a_process_rests_in_the_middle_of_a_question_and_is_left_alone_while_it_starts(spawned: Spawned):
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


async def test_a_question_during_a_rest_is_asked_a_moment_later(spawned: Spawned, monkeypatch):
    await ask(spawned, os.getpid)
    rested, clock = [], SimpleNamespace(now=1.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(sleep=rested.append, monotonic=lambda: clock.now))
    spawned.rest()
    await ask(spawned, os.getpid)
    clock.now = 2.0
    await ask(spawned, os.getpid)
    assert rested == [pytest.approx(REST), 0]


async def test_a_process_that_died_is_replaced_by_the_next_question(spawned: Spawned):
    worker = await ask(spawned, os.getpid)
    with pytest.raises(BrokenProcessPool, match="its process was ended by signal 9"):
        await ask(spawned, os.kill, worker, signal.SIGKILL)
    assert await ask(spawned, os.getpid) != worker


async def test_a_process_that_cannot_be_started_fails_like_one_that_died(spawned: Spawned, monkeypatch):
    def no_pipe():
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as full:
        full.setattr(module, "_SPAWNING", SimpleNamespace(Pipe=no_pipe))
        with pytest.raises(BrokenProcessPool, match="its process could not be started: Too many open files"):
            await ask(spawned, os.getpid)
    assert await ask(spawned, os.getpid) != os.getpid()


async def test_a_process_without_a_thread_to_wait_for_it_fails_like_one_that_died_and_its_question_is_dropped(
    spawned: Spawned, monkeypatch, tmp_path
):
    def no_thread(_):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(BrokenProcessPool, match="its process could not be started: can't start new thread"):
            await ask(spawned, (tmp_path / "asked").touch)
    assert await ask(spawned, os.getpid) != os.getpid()
    assert not (tmp_path / "asked").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows cannot stop a process")
async def test_a_process_that_stops_in_the_middle_of_an_answer_is_replaced_by_the_next_question(
    spawned: Spawned, monkeypatch
):
    stopped = []

    def poll(pipe, _seconds):
        begun = wait_until_begun(pipe, HANG)
        while stopped:
            os.kill(stopped.pop(), signal.SIGSTOP)
        return begun

    wait_until_begun = Connection.poll
    monkeypatch.setattr(Connection, "poll", poll)
    spawned._process._limit = 0.01
    worker = await ask(spawned, os.getpid)
    stopped.append(worker)
    async with asyncio.timeout(HANG):
        with pytest.raises(BrokenProcessPool):
            await ask(spawned, bytes, 10_000_000)  # more than fits into a pipe
        assert await ask(spawned, os.getpid) != worker


def test_no_process_is_started_before_the_first_question(spawned: Spawned):
    assert spawned._process._process is None


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


async def test_shutdown_ends_a_running_question(spawned: Spawned):
    worker = await ask(spawned, os.getpid)
    waiting = asyncio.ensure_future(ask(spawned, time.sleep, 9e5))
    await asyncio.sleep(0)
    spawned.shutdown()
    with pytest.raises((BrokenProcessPool, asyncio.CancelledError)):
        await waiting
    assert await ask(spawned, os.getpid) != worker


async def test_shutdown_ends_a_process_that_is_just_being_started(spawned: Spawned, monkeypatch):
    def shut_down_meanwhile():
        spawned.shutdown()
        return multiprocessing.Pipe()

    starting = SimpleNamespace(Pipe=shut_down_meanwhile, Process=module._SPAWNING.Process)
    with monkeypatch.context() as slow:
        slow.setattr(module, "_SPAWNING", starting)
        with pytest.raises(BrokenProcessPool, match="its process was ended by signal 9"):
            await ask(spawned, os.getpid)


HEAVY = "type('Heavy', (), {'__reduce__': lambda _: bytes(1 << 62)})()"
"""What can be made, but not be sent."""


@pytest.mark.parametrize("question", [(bytes, 1 << 62), (eval, HEAVY)], ids=["to answer", "to send the answer"])
async def test_a_process_that_has_too_little_memory_fails_like_one_that_died(spawned: Spawned, question):
    worker = await ask(spawned, os.getpid)
    with pytest.raises(BrokenProcessPool, match="its process had too little memory"):
        await ask(spawned, *question)
    assert await ask(spawned, os.getpid) != worker


async def test_an_exception_in_a_function_is_raised_in_the_parent(spawned: Spawned):
    with pytest.raises(ValueError, match="invalid literal"):
        await ask(spawned, int, "x")
    worker = await ask(spawned, os.getpid)
    with pytest.raises((AttributeError, PicklingError)):
        await ask(spawned, lambda: 1)
    assert await ask(spawned, os.getpid) == worker


async def test_an_exception_in_a_function_says_where_in_it_it_was_raised(spawned: Spawned):
    with pytest.raises(ValueError, match="Invalid literal") as raised:
        await ask(spawned, Fraction, "x")
    assert f'File "{fractions.__file__}", line ' in "".join(traceback.format_exception(raised.value))


def test_a_host_that_lets_no_process_give_way_has_its_questions_answered(monkeypatch):
    def forbidden(*_):
        raise PermissionError

    monkeypatch.setattr(os, "nice", forbidden)
    monkeypatch.setattr(os, "sched_setscheduler", forbidden, raising=False)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    ours, theirs = multiprocessing.Pipe()
    answering = threading.Thread(target=_serve, args=(theirs, True), daemon=True)
    answering.start()
    for _ in range(2):
        ours.send((abs, (-3,), {}))
        assert ours.poll(HANG)
        assert ours.recv() == (3, None)
    ours.close()
    answering.join(HANG)
    assert not answering.is_alive()


class Clicks:
    """A time that passes only while a process rests or works; somebody clicks every so many seconds."""

    def __init__(self, apart):
        self.now, self.apart, self.rest, self.rested = 1.0, apart, _Rest(), 0.0

    def monotonic(self):
        return self.now

    def pass_by(self, seconds):
        """Let time pass, and click meanwhile."""
        end = self.now + seconds
        while (click := (self.now // self.apart + 1) * self.apart) <= end:
            self.now = click
            self.rest()
        self.now = max(self.now, end)

    def sleep(self, seconds):
        before = self.now
        self.pass_by(seconds)
        self.rested += self.now - before


@pytest.mark.parametrize(("apart", "least", "most"), [(1 / 1024, 0.7, 0.85), (1 / 64, 0.4, 0.6), (0.5, 0.01, 0.02)])
def test_however_many_click_a_process_gets_on_and_rests_whenever_it_can(monkeypatch, apart, least, most):
    time = Clicks(apart)
    monkeypatch.setattr(module, "time", time)
    time.pass_by(10)
    assert least <= time.rested / 10 <= most
