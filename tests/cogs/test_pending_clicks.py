"""Clicks go first: work that can wait is put off while somebody waits for an answer, but not for ever."""

import asyncio

import pytest

from bot.workers import InProcess
from cogs.clicks import Click
from cogs.replies import LONGEST_DELAY, MOST_AT_ONCE, QUIET_AFTER, AnswerCounts, PendingClicks, Reply
from data.models import Person
from testkit.channel import Room
from testkit.shortcuts import finished, sentence
from tests.cogs.test_review import replay


class Clock:
    """A clock that advances only in `sleep`, and calls what is due by then."""

    def __init__(self):
        self.at, self.due = 0.0, {}

    def __call__(self):
        return self.at

    async def sleep(self, seconds):
        self.at += seconds
        for at in [each for each in self.due if each <= self.at]:
            self.due.pop(at)()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pending(clock: Clock):
    return PendingClicks(monotonic=clock, sleep=clock.sleep)


async def test_without_pending_clicks_nothing_is_put_off(pending: PendingClicks, clock: Clock):
    await pending.quiet()
    assert clock.at == 0


async def test_work_that_can_wait_begins_a_moment_after_the_last_answer(pending: PendingClicks, clock: Clock):
    waiting = pending.answering()
    waiting.__enter__()
    answered = 5.5 * QUIET_AFTER
    clock.due[answered] = lambda: waiting.__exit__(None, None, None)
    await pending.quiet()
    assert answered + QUIET_AFTER <= clock.at < answered + 3 * QUIET_AFTER


async def test_a_pending_click_calls_on_begin(pending: PendingClicks):
    told = []
    pending.on_begin = lambda: told.append(pending._waiting)
    with pending.answering():
        assert told == [1]
    assert told == [1]


async def test_a_click_that_the_end_of_the_bot_interrupts_is_not_answered(pending: PendingClicks):
    async def work():
        asyncio.current_task().cancel()
        await asyncio.sleep(0)

    click = Click(1, Person(id=1, name="Ann"), 2, 3)
    with pytest.raises(asyncio.CancelledError):
        await Reply(None, click, AnswerCounts(), pending).send(work)
    assert pending.permits._value == MOST_AT_ONCE


async def test_work_is_not_put_off_for_ever(pending: PendingClicks, clock: Clock):
    with pending.answering():
        await pending.quiet()
    assert LONGEST_DELAY <= clock.at <= LONGEST_DELAY + QUIET_AFTER


async def test_a_long_review_is_no_pending_click_and_does_not_count_as_a_slow_answer(
    room: Room, pending: PendingClicks, clock: Clock
):
    await finished(room)
    page, took, seen = await replay(room, room.people[0]), [], []

    class Slow(InProcess):
        async def review(self, record, seat, own):
            began = clock.at
            await pending.quiet()
            seen.append((clock.at - began, len(took)))
            return []

    room.tables.past._thinking, bot = Slow(), room.house.bot
    bot.pending, bot.answers.took = pending, took.append
    told = await room.press(room.people[0], page, "review")
    assert "Your costliest moves" in sentence(told)
    ((waited, answered),) = seen
    assert waited <= 2 * QUIET_AFTER
    assert answered == len(took) == 1
