"""Whoever clicks faster than people do is asked to wait; nobody else is."""

import pytest

from cogs.rate_limit import CLICKS, Allowance, RateLimit
from testkit.channel import Room
from testkit.made import texts

FAST = "Slow down a little."


class Seconds:
    """A stopwatch that is turned by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def watch():
    return Seconds()


def test_a_burst_is_allowed_and_then_so_many_a_second(watch):
    rate_limit = RateLimit(Allowance(3, 2.0), monotonic=watch)
    assert [rate_limit.allows(1) for _ in range(4)] == [True, True, True, False]
    watch.now += 0.5
    assert [rate_limit.allows(1), rate_limit.allows(1)] == [True, False]
    watch.now += 60
    assert [rate_limit.allows(1) for _ in range(4)] == [True, True, True, False]


def test_everybody_has_a_bucket_of_their_own_and_one_for_commands(watch):
    rate_limit = RateLimit(Allowance(1, 1.0), Allowance(1, 1.0), monotonic=watch)
    assert rate_limit.allows(1)
    assert not rate_limit.allows(1)
    assert rate_limit.allows(1, command=True)
    assert rate_limit.allows(2)


def test_no_more_people_are_remembered_than_wanted(watch):
    rate_limit = RateLimit(most=5, monotonic=watch)
    for user in range(100):
        rate_limit.allows(user)
    assert len(rate_limit) == 5


def test_fingers_that_press_as_fast_as_discord_answers_are_never_too_fast(watch):
    """Three clicks a second for an hour, and ten at once now and then."""
    rate_limit = RateLimit(monotonic=watch)
    for second in range(3600):
        for _ in range(3):
            watch.now += 1 / CLICKS.rate
            assert rate_limit.allows(1)
        if second % 30 == 0:
            watch.now += 5
            assert all(rate_limit.allows(1) for _ in range(10))
            watch.now += 5


async def test_a_click_too_many_is_refused_in_private_and_changes_nothing(room: Room, watch):
    message = await room.open(seats=1)
    room.house.bot.rate_limit = RateLimit(Allowance(2, 1.0), monotonic=watch)
    bob, dee = room.people[1], room.people[3]
    for _ in range(2):
        await room.press(bob, message, "more")
    before = await room.table()
    result = await room.press(bob, message, "join")
    assert result.response.ephemeral
    assert FAST in texts(result.response.components)
    assert await room.table() == before
    assert room.house.bot.answers.refused == 1
    await room.press(dee, message, "join")
    watch.now += 1
    await room.press(bob, room.public(), "join")
    assert [player.name for player in (await room.table()).players] == ["Ann", "Dee", "Bob"]


async def test_commands_are_counted_apart_and_opened_no_table_when_there_were_too_many(room: Room, watch):
    room.house.bot.rate_limit = RateLimit(commands=Allowance(1, 0.5), monotonic=watch)
    ann = room.people[0]
    await ann.slash(room.channel, "shithead help")
    result = await ann.slash(room.channel, "shithead start")
    assert FAST in texts(result.response.components)
    assert not room.opened
    watch.now += 2
    await ann.slash(room.channel, "shithead start")
    assert len(room.opened) == 1
