"""Computer players think in other processes; whatever becomes of these, there is a move."""

import os
import random
import signal

import pytest

from bot.workers import AtOnce, Workers
from game.players import baseline
from game.players.memory import first_memory
from game.text.position import rules_from, set_up
from game.views import seat_view, table_view
from tables.thinking import Question


@pytest.fixture
def workers():
    made = Workers(workers=1, patience=60)
    yield made
    made.close()


def question():
    seats = ["4c 5d Kh Ah | Kd | 3c", "4h 4s 8d | Td | 2c"]
    state = set_up({"seats": seats, "pile": "3d", "stock": "7h 8h Jc"}, rules_from("classic"))
    return Question(1, "strong", seat_view(state, 0), first_memory(table_view(state)))


async def test_another_process_answers_as_this_one_would(workers):
    asked = question()
    assert await workers.choose(asked, 7) == await AtOnce().choose(asked, 7)
    assert await workers.explain(asked.view, asked.memory) == await AtOnce().explain(asked.view, asked.memory)


async def test_a_worker_that_dies_costs_no_move_and_is_replaced(workers):
    asked = question()
    quick = baseline.choose(asked.view, random.Random(7))
    right = await workers.choose(asked, 7)
    asked = asked._replace(level="master")
    for worker in list(workers._pool._pool._processes):
        os.kill(worker, signal.SIGKILL)
    assert await workers.choose(asked, 7) == quick
    assert await workers.choose(question(), 7) == right


async def test_nobody_waits_for_an_answer_that_takes_too_long():
    slow = Workers(patience=0)
    asked = question()
    assert await slow.choose(asked, 7) == baseline.choose(asked.view, random.Random(7))
    assert await slow.explain(asked.view, asked.memory) is None
    slow.close()


async def test_a_failure_in_a_worker_costs_no_move(workers):
    asked = question()._replace(memory=None)
    assert await workers.choose(asked, 7) == baseline.choose(asked.view, random.Random(7))


def test_no_process_is_started_before_the_first_question():
    workers = Workers()
    workers.close()
    assert not workers._pool.is_running
