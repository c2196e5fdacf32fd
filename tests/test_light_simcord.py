"""What the tests give SimCord in place of its own does the same."""

import asyncio
from copy import deepcopy
from importlib.util import find_spec, module_from_spec

import pytest

from testkit.light_simcord import copied, is_sleep_waiter

STARTED = "2026-05-01T12:00:00+00:00"
DATA = [
    {"id": "1", "none": None, "list": [1, 2.5, True, {"ä": "☕"}]},
    (1, (2, 3)),
    {1: b"x"},
    {1, 2},
    [[]] * 2,
    STARTED,
]
OTHER = [{"when": asyncio.QueueEmpty}, [object], {"deep": [{"some": range(3)}]}]


@pytest.mark.parametrize("data", [*DATA, *OTHER], ids=repr)
def test_a_copy_is_equal_and_its_own(data):
    made = copied(data)
    assert made == deepcopy(data) == data
    assert type(made) is type(data)
    if isinstance(data, list | dict | set):
        assert made is not data
        made.clear()
        assert data


async def test_who_sleeps_is_told_as_simcord_tells_it():
    spec = find_spec("simcord._dpy_internals")
    theirs = module_from_spec(spec)
    spec.loader.exec_module(theirs)
    loop = asyncio.get_running_loop()
    sleeping = asyncio.create_task(asyncio.sleep(9e5))
    await asyncio.sleep(0)
    done, other, timed = loop.create_future(), loop.create_future(), loop.create_future()
    done.set_result(None)
    timer = loop.call_later(9e5, timed.cancel)
    waiters = (None, done, other, timed, sleeping._fut_waiter)
    found = [
        [each(who, loop, loop.time() + wait) for who in waiters for wait in (0, 1e6)]
        for each in (is_sleep_waiter, theirs.is_sleep_waiter)
    ]
    assert found[0] == found[1]
    assert [any(found[0][at : at + 2]) for at in range(0, 10, 2)] == [False, False, False, False, True]
    timer.cancel()
    sleeping.cancel()
