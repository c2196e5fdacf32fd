"""Computer players think in other processes; whatever becomes of these, there is a move."""

import os
import random
import signal

import pytest

from bot.thinking import Thinkers
from game.players import baseline
from game.players.levels import Level
from game.players.memory import first_memory
from game.text.position import rules_from, set_up
from game.views import seat_view, table_view
from tables.thinking import AtOnce, Question


@pytest.fixture
def thinkers():
    made = Thinkers(workers=1, patience=60)
    yield made
    made.close()


def question():
    seats = ["4c 5d Kh Ah | Kd | 3c", "4h 4s 8d | Td | 2c"]
    state = set_up({"seats": seats, "pile": "3d", "stock": "7h 8h Jc"}, rules_from("classic"))
    return Question(1, Level.STRONG, seat_view(state, 0), first_memory(table_view(state)))


async def test_another_process_answers_as_this_one_would(thinkers):
    asked = question()
    assert await thinkers.choose(asked, 7) == await AtOnce().choose(asked, 7)
    assert await thinkers.explain(asked.view, asked.memory) == await AtOnce().explain(asked.view, asked.memory)


async def test_a_worker_that_dies_costs_no_move_and_is_replaced(thinkers):
    asked = question()
    quick = baseline.choose(asked.view, random.Random(7))
    right = await thinkers.choose(asked, 7)
    asked = asked._replace(level=Level.MASTER)
    for worker in list(thinkers._pool._processes):
        os.kill(worker, signal.SIGKILL)
    assert await thinkers.choose(asked, 7) == quick
    assert await thinkers.choose(question(), 7) == right


async def test_nobody_waits_for_an_answer_that_takes_too_long():
    slow = Thinkers(patience=0)
    asked = question()
    assert await slow.choose(asked, 7) == baseline.choose(asked.view, random.Random(7))
    assert await slow.explain(asked.view, asked.memory) is None
    slow.close()


async def test_a_failure_in_a_worker_costs_no_move(thinkers):
    asked = question()._replace(memory=None)
    assert await thinkers.choose(asked, 7) == baseline.choose(asked.view, random.Random(7))


def test_no_process_is_started_before_the_first_question():
    thinkers = Thinkers()
    thinkers.close()
    assert thinkers._pool is None
