"""No bench says that all is well where nothing was tried, or where what it watches had ended."""

import asyncio

import pytest

from bench.masters import Tireless, question, thinking
from bench.scenes import over


async def test_what_ended_a_player_early_is_raised_when_the_others_are_told_to_stop():
    async def plays(error):
        raise error

    async def plays_on():
        await asyncio.Event().wait()

    players = [asyncio.create_task(each) for each in (plays(ZeroDivisionError()), plays_on())]
    await asyncio.sleep(0)
    with pytest.raises(ZeroDivisionError):
        await over(players)
    assert players[1].cancelled()


async def test_a_master_without_an_answer_ends_the_measurement():
    workers = Tireless(patience=0)
    with pytest.raises(RuntimeError, match="no answer"):
        async with thinking(workers, [question(1)], 0):
            """Nobody thinks meanwhile."""
    workers.close()
