"""What the tests give SimCord in place of its own does the same."""

import asyncio
from copy import deepcopy
from importlib.util import find_spec, module_from_spec
from signal import Signals
from types import SimpleNamespace

import pytest

from testkit.light_simcord import copied, is_sleep_waiter, is_wait_for_listener, walked

STARTED = "2026-05-01T12:00:00+00:00"
DATA = [
    {"id": "1", "none": None, "list": [1, 2.5, True, {"ä": "☕"}]},
    (1, (2, 3)),
    {1: b"x"},
    {1, 2},
    [[]] * 2,
    STARTED,
]
OTHER = [
    {"type": Signals.SIGINT, "inside": [{"type": Signals.SIGINT, "id": 1}]},
    {"when": asyncio.QueueEmpty},
    [object],
    {"deep": [{"some": range(3)}]},
]


@pytest.mark.parametrize("data", [*DATA, *OTHER], ids=repr)
def test_a_copy_is_equal_and_its_own(data):
    made = copied(data)
    assert made == deepcopy(data) == data
    assert type(made) is type(data)
    if isinstance(data, list | dict | set):
        assert made is not data
        made.clear()
        assert data


def as_it_comes(module):
    """A module of SimCord with nothing in it exchanged."""
    spec = find_spec(f"simcord.{module}")
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize(
    "roots",
    [
        [],
        {"type": 1, "components": [{"type": 2}, {"type": 3}]},
        [{"type": 17, "components": [{"type": 9, "components": [{"type": 10}], "accessory": {"type": 11}}]}, {"id": 5}],
        [{"component": {"components": [{"accessory": {"component": {"id": 1}}}, None]}}, "text", {"components": {}}],
        [{"accessory": None, "component": [{"id": 1}], "components": None}],
    ],
)
def test_components_are_walked_through_as_simcord_does(roots):
    assert [*walked(roots)] == [*as_it_comes("components").walk_components(roots)]


async def test_who_waits_for_something_to_hear_is_told_as_simcord_tells_it():
    theirs = as_it_comes("_dpy_internals").is_wait_for_listener
    client, future = SimpleNamespace(_listeners={}), asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(asyncio.wait_for(future, 9e5))
    await asyncio.sleep(0)
    for listeners in ({}, {"message": []}, {"message": [(future, None)]}):
        client._listeners = listeners
        assert is_wait_for_listener(theirs, client, waiting) == theirs(client, waiting)
    waiting.cancel()


async def test_who_sleeps_is_told_as_simcord_tells_it():
    theirs = as_it_comes("_dpy_internals")
    loop = asyncio.get_running_loop()
    sleeping = asyncio.create_task(asyncio.sleep(9e5))
    await asyncio.sleep(0)
    done, other, timed = loop.create_future(), loop.create_future(), loop.create_future()
    done.set_result(None)
    timer = loop.call_later(9e5, timed.cancel)
    waiters = (None, done, other, timed, getattr(sleeping, "_fut_waiter"))  # noqa: B009 - no part of its type
    found = [
        [each(who, loop, loop.time() + wait) for who in waiters for wait in (0, 1e6)]
        for each in (is_sleep_waiter, theirs.is_sleep_waiter)
    ]
    assert found[0] == found[1]
    assert [any(found[0][at : at + 2]) for at in range(0, 10, 2)] == [False, False, False, False, True]
    timer.cancel()
    sleeping.cancel()
