"""Computer players think in other processes; whatever becomes of these, there is a move."""

import gc
import os
import random
import signal
import sys
import threading
from concurrent.futures import wait
from contextlib import closing
from typing import Any

import pytest
from structlog.testing import capture_logs

import bot.workers
from bot.workers import InProcess, Workers
from cogs import spawned
from cogs.spawned import Spawned
from game.deal import full_pack
from game.moves import PickUp, apply
from game.players import quick_player
from game.players.coach import QUICK, THOROUGH, Position, doubtful
from game.players.hints import Mistake
from game.players.memory import first_memory
from game.showing import seat_view, table_view
from game.text.position import rules_from, set_up
from game.text.record import Record, format_line, parse_line
from game.variants import variants
from tables.thinking import Question
from testkit.random_games import random_move
from testkit.waiting import HANG, run_to_end


@pytest.fixture
def workers():
    made = Workers(patience=HANG)
    yield made
    made.close()


def question():
    seats = ["4c 5d Kh Ah | Kd | 3c", "4h 4s 8d | Td | 2c"]
    state = set_up({"seats": seats, "pile": "3d", "stock": "7h 8h Jc"}, rules_from("classic"))
    return Question(1, "strong", seat_view(state, 0), first_memory(table_view(state)))


async def test_another_process_answers_as_this_one_would(workers: Workers):
    asked = question()
    assert await workers.choose(asked, 7) == await InProcess().choose(asked, 7)
    by_lot = Question(1, "easy", asked.view, asked.memory)
    assert await workers.choose(by_lot, 1) != quick_player.choose(asked.view, random.Random(1)), "who stands in for it"
    assert await workers.explain(asked.view, asked.memory) == await InProcess().explain(asked.view, asked.memory)


class Noisy(Workers):
    """Workers to which moves look as costly as given, at a first glance and at a second one."""

    def __init__(self, *costs):
        super().__init__()
        self.costs, self.judged = costs, []

    async def _compute(self, answer, *arguments: Any):
        if answer is doubtful:
            return [Position(step, None, None, PickUp()) for step in range(len(self.costs[0]))]
        (step, *_), budget, seed = arguments
        self.judged.append((step, budget, seed))
        return Mistake(step, PickUp(), PickUp(), self.costs[budget == THOROUGH][step])


async def test_of_the_moves_that_look_costliest_a_second_glance_tells_which_ones_a_review_shows():
    lucky, looks = [0.9, 0.0, 0.1, 0.7, 0.8, 0.6, 0.5, 0.4], [0.0, 0.9, 0.9, 0.5, 0.3, 0.2, 0.4, 0.1]
    workers = Noisy(lucky, looks)
    found = await workers.review(None, 0, frozenset())
    assert [(each.step, each.cost) for each in found] == [(3, 0.5), (6, 0.4), (4, 0.3)]
    seeds = {budget: {seed for _, used, seed in workers.judged if used == budget} for budget in (QUICK, THOROUGH)}
    assert seeds[QUICK].isdisjoint(seeds[THOROUGH]), "or what was bad luck would look costly again"
    assert [step for step, budget, _ in workers.judged if budget == THOROUGH] == [0, 3, 4, 5, 6, 7]


def thrown_away(rng, moves=140):
    """The record of the first moves of a game in which both seats play as it comes."""
    rules = variants()["classic"].rules
    pack = list(full_pack(rules, 2))
    rng.shuffle(pack)
    record = Record(rules=rules, seats=2, dealer=0, pack=tuple(pack))
    state, lines = record.dealt(), []
    for _ in range(moves):
        seat, move = random_move(rng, state)
        lines.append(format_line(seat, move))
        state = apply(state, seat or 0, move)
    return record.model_copy(update={"moves": tuple(lines)})


def loaded_for_nothing(workers: Workers):
    """What the process has loaded although it belongs to the one that answers people: half as much memory again."""
    loaded = workers._pool.submit(eval, "{*__import__('sys').modules}").result()
    return loaded & {"aiohttp", "asyncio", "bot", "discord", "sqlalchemy", "structlog"}


@pytest.mark.long
async def test_a_game_is_looked_through_choice_by_choice_without_discord_and_the_database(workers: Workers):
    record = thrown_away(random.Random(1))
    found = await workers.review(record, 0, range(1_000))
    assert not loaded_for_nothing(workers)
    assert found == await InProcess().review(record, 0, range(1_000))
    assert 0 < len(found) <= 3
    assert [each.cost for each in found] == sorted((each.cost for each in found), reverse=True)
    lines = [parse_line(line) for line in record.moves]
    assert all(lines[each.step] == (0, each.played) != (0, each.better) for each in found)


async def test_the_process_that_thinks_loads_nothing_of_discord_and_the_database(workers: Workers):
    asked = question()
    assert await workers.choose(asked, 7) in asked.view.moves
    assert await workers.explain(asked.view, asked.memory)
    assert not loaded_for_nothing(workers)


class Tired(InProcess):
    """Answers so many questions and no more."""

    def __init__(self, answers):
        self.answers = answers

    async def _compute(self, answer, *about):
        self.answers -= 1
        return await super()._compute(answer, *about) if self.answers >= 0 else None


@pytest.mark.parametrize("answers", [0, 1, 5])
async def test_what_was_not_looked_at_is_not_taken_for_well_played(answers):
    assert await Tired(answers).review(thrown_away(random.Random(1), moves=40), 0, range(1_000)) is None


@pytest.mark.long
async def test_a_worker_that_dies_costs_no_move_and_is_replaced(workers: Workers):
    asked = question()
    right = await workers.choose(asked, 7)
    os.kill(workers._pool.submit(os.getpid).result(), signal.SIGKILL)
    assert await workers.choose(asked, 7) in asked.view.moves
    assert await workers.choose(asked, 7) == right


async def test_an_error_in_a_worker_is_logged_with_its_traceback(workers: Workers):
    with capture_logs() as logs:
        assert await workers._compute(int, "x") is None
    assert [(each["event"], each.get("exc_info")) for each in logs] == [("a worker failed", True)]


async def test_a_worker_that_hangs_costs_no_move_and_is_replaced(workers: Workers):
    asked = question()
    workers._pool = Spawned(limit=0)
    assert await workers.choose(asked, 7) == quick_player.choose(asked.view, random.Random(7))
    assert await workers.explain(asked.view, asked.memory) is None
    hung, workers._pool._process._limit = workers._pool._process._process, HANG
    assert await workers.explain(asked.view, asked.memory)
    assert not hung.is_alive()


async def test_a_worker_that_cannot_be_started_is_logged_in_a_line_that_says_why(workers: Workers, monkeypatch):
    def no_thread(_):
        raise RuntimeError("can't start new thread")

    with capture_logs() as logs, monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", no_thread)
        assert await workers._compute(abs, 1) is None
    why = "its process could not be started: can't start new thread"
    assert logs == [{"event": "a worker did not answer", "why": why, "log_level": "warning"}]


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="only Linux has such a policy")
async def test_what_thinks_leaves_the_processors_to_all_else(monkeypatch):
    monkeypatch.setattr(bot.workers, "ONLY_WHEN_IDLE", True)
    monkeypatch.setattr(spawned, "STARVED_AFTER", HANG)
    with closing(Workers(patience=HANG)) as workers:
        await workers._compute(os.getpid)
        assert await workers._compute(os.sched_getscheduler, 0) == os.SCHED_IDLE


async def test_nobody_waits_for_an_answer_that_takes_too_long():
    slow = Workers(patience=0)
    asked = question()
    assert await slow.choose(asked, 7) == quick_player.choose(asked.view, random.Random(7))
    assert await slow.explain(asked.view, asked.memory) is None
    slow.close()


async def test_a_failure_in_a_worker_costs_no_move(workers: Workers):
    asked = question()._replace(memory=None)
    assert await workers.choose(asked, 7) == quick_player.choose(asked.view, random.Random(7))


def rests(times):
    """How often this process rested, once it has done so as often as is asked."""
    rested = []
    setattr(spawned._Rest, "__call__", lambda *_: rested.append(signal.SIGUSR1))  # noqa: B010 - in this process for good
    while len(rested) < times:
        pass
    return len(rested)


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="Windows has no such signal")
def test_a_process_that_thinks_rests_for_a_moment_whenever_somebody_waits(workers: Workers):
    assert workers._pool.submit(rests, 0).result(HANG) == 0  # it has loaded this module, for which it would rest, too
    thinking = workers._pool.submit(rests, 5)
    while wait({thinking}, timeout=0.001).not_done:
        workers.rest()
    assert thinking.result() >= 5


def test_a_rest_neither_ends_a_process_that_starts_nor_wakes_one_that_has_nothing_to_do(workers: Workers):
    workers.rest()
    starting = workers._pool.submit(os.getpid)
    while wait({starting}, timeout=0.001).not_done:
        workers.rest()
    workers.rest()
    assert workers._pool.submit(os.getpid).result(HANG) == starting.result()


def test_after_its_first_answer_a_process_collects_no_more_what_it_has_loaded(workers: Workers):
    """A full collection would take tens of milliseconds, in which it cannot rest."""
    count = (sys.executable, "-c", "import gc; print(gc.get_freeze_count())")
    of_python = int(run_to_end(*count, check=True).stdout)  # some hundred with 3.12, else 0
    first, second, third = (workers._pool.submit(gc.get_freeze_count).result(HANG) for _ in range(3))
    assert first == of_python
    assert second >= third > of_python + 5000


def test_no_process_is_started_before_the_first_question():
    workers = Workers()
    workers.close()
    assert workers._pool._process._process is None
