"""The way to Discord: what cannot be read is outlived, but not for ever."""

import asyncio

import pytest

from bot.connection import FAULTS_WITHIN, MOST_FAULTS, Faults, UnreadableError, stay_connected


def test_the_first_fault_costs_no_time_and_many_end_the_process():
    now = [0.0]
    faults = Faults(lambda: now[0])
    pauses = [faults.add() for _ in range(MOST_FAULTS - 1)]
    assert pauses[0] == 0
    assert pauses == sorted(pauses)
    assert sum(pauses) > 60
    with pytest.raises(UnreadableError):
        faults.add()


def test_faults_of_long_ago_do_not_count():
    now = [0.0]
    faults = Faults(lambda: now[0])
    for _ in range(3 * MOST_FAULTS):
        assert faults.add() == 0
        now[0] += FAULTS_WITHIN


async def test_what_cannot_be_read_again_and_again_ends_with_a_sentence():
    class Broken:
        async def connect(self):
            raise UnreadableError

    with pytest.raises(OSError, match="cannot be read"):
        await stay_connected(Broken(), asyncio.Event())
