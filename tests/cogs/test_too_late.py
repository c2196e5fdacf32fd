"""A click that is too old to be answered costs no work, so that the next one is answered in time."""

import asyncio
import logging

import pytest

from cogs import replies
from cogs.replies import ANSWERABLE, PendingClicks
from testkit.channel import Room, ids_on, matches, together
from testkit.made import texts
from testkit.waiting import NEVER
from tests.cogs.test_answers import LONG
from tests.cogs.test_pending_clicks import Clock


@pytest.fixture
def clock(room: Room):
    """The clock that decides whether an answer is late."""
    clock = Clock()
    room.house.bot.pending = PendingClicks(monotonic=clock, sleep=clock.sleep)
    return clock


@pytest.fixture
def busy(room: Room, clock):
    """Makes the bot so busy that it starts on a click only some seconds after its arrival."""
    parsers = room.house.bot._connection.parsers
    hear = parsers["INTERACTION_CREATE"]

    def make(seconds):
        def heard(data):
            hear(data)
            clock.at += seconds

        parsers["INTERACTION_CREATE"] = heard

    return make


@pytest.fixture
def asked(room: Room, monkeypatch):
    """The requests that clicks make of the database."""
    found, real = [], room.tables.people.preferences
    monkeypatch.setattr(room.tables.people, "preferences", lambda *who: found.append(who) or real(*who))
    return found


@pytest.fixture
def slow(room: Room, monkeypatch):
    """Make a verb reach the doorway ten minutes of the fake clock late."""

    def make(verb):
        real = getattr(room.tables.lobby, verb)

        async def slowly(*args):
            await asyncio.sleep(LONG)
            return await real(*args)

        monkeypatch.setattr(replies, "DEFER_AFTER", 0.02)
        monkeypatch.setattr(room.tables.lobby, verb, slowly)

    return make


def callbacks(room: Room):
    return [each.json["type"] for each in room.env.http_requests if each.path.endswith("/callback")]


async def test_a_click_that_is_too_old_is_dropped_before_any_work_and_the_next_one_is_answered(
    room: Room, busy, asked, caplog
):
    message = await room.open(seats=1)
    before, answers = len(callbacks(room)), room.house.bot.answers
    asked.clear()
    caplog.set_level(logging.DEBUG, "cogs.replies")
    busy(ANSWERABLE + 0.1)
    result = await room.press(room.people[1], message, "join")
    assert not result.acknowledged
    assert (len(callbacks(room)), asked, answers.dropped, answers.undelivered) == (before, [], 1, 0)
    assert "**Bob**" not in texts(room.public().components)
    assert "too late to be answered" in caplog.text
    busy(0)
    await room.press(room.people[1], message, "join")
    assert "**Bob**" in texts(room.public().components)
    assert answers.dropped == 1


async def test_a_command_that_is_too_old_opens_no_table(room: Room, busy):
    busy(ANSWERABLE + 0.1)
    result = await room.people[0].slash(room.channel, "shithead start")
    assert not result.acknowledged
    assert room.opened == []


async def test_an_old_click_that_is_in_time_is_done_at_once(room: Room, busy):
    message = await room.open(seats=1)
    busy(ANSWERABLE - 0.1)
    await room.press(room.people[1], message, "join")
    assert "**Bob**" in texts(room.public().components)
    assert room.house.bot.answers.deferred == 0


@pytest.mark.parametrize(("patience", "deferred"), [(0.02, 1), (NEVER, 0)])
async def test_a_click_that_began_late_keeps_its_place_until_deferred(
    room: Room, busy, slow, monkeypatch, patience, deferred
):
    message = await room.open(seats=1)
    bot, before = room.house.bot, len(callbacks(room))
    bot.pending.permits = asyncio.Semaphore(1)
    busy(ANSWERABLE - 0.02)
    slow("join")
    monkeypatch.setattr(replies, "DEFER_AFTER", patience)
    await room.press(room.people[1], message, "join")
    assert callbacks(room)[before:] == [5] * deferred
    assert (bot.answers.deferred, bot.pending.permits.locked()) == (deferred, not deferred)
    await room.env.advance_time(LONG)
    await room.idle()
    assert len(callbacks(room)) == before + 1
    assert "**Bob**" in texts(room.public().components)


async def test_a_click_that_waits_too_long_for_a_place_is_dropped(room: Room, clock, asked, monkeypatch):
    message, bot = await room.open(seats=1), room.house.bot
    bot.pending.permits = asyncio.Semaphore(1)
    real = room.tables.people.preferences
    asked.clear()

    async def slowly(*who):
        clock.at += ANSWERABLE + 0.1
        return await real(*who)

    monkeypatch.setattr(room.tables.people, "preferences", slowly)
    join = next(each for each in ids_on(message) if matches(each, "join"))
    bob, cy = (person.click(message, custom_id=join) for person in room.people[1:3])
    answered, dropped = await together(room.env, bob, cy)
    await room.idle()
    assert (answered.acknowledged, dropped.acknowledged) == (True, False)
    assert (len(asked), bot.answers.dropped) == (1, 1)
    assert [player.name for player in (await room.table()).players] == ["Ann", "Bob"]
