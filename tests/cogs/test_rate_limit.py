"""Only people who click faster than by hand are asked to wait."""

import pytest

from cogs import rate_limit as rate_limits
from cogs.rate_limit import ALLOWANCES, Allowance, RateLimit
from tables.lobby_service import MOST_UNFINISHED, UNFINISHED_WITHIN
from testkit.channel import Room, ids_on, matches
from testkit.made import texts
from testkit.offline import request_at

FAST = "Slow down a little."


class Seconds:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def watch():
    return Seconds()


def test_after_a_burst_a_fixed_number_per_second_is_allowed(watch: Seconds, monkeypatch):
    monkeypatch.setitem(ALLOWANCES, "click", Allowance(3, 2.0))
    rate_limit = RateLimit(watch)
    assert [rate_limit.allows(1) for _ in range(4)] == [True, True, True, False]
    watch.now += 0.5
    assert [rate_limit.allows(1), rate_limit.allows(1)] == [True, False]
    watch.now += 60
    assert [rate_limit.allows(1) for _ in range(4)] == [True, True, True, False]


def test_everybody_has_their_own_buckets_one_for_clicks_and_one_for_commands(watch: Seconds, monkeypatch):
    for kind in ("click", "command"):
        monkeypatch.setitem(ALLOWANCES, kind, Allowance(1, 1.0))
    rate_limit = RateLimit(watch)
    assert rate_limit.allows(1)
    assert not rate_limit.allows(1)
    assert rate_limit.allows(1, "command")
    assert rate_limit.allows(2)


def test_the_number_of_buckets_is_bounded(watch: Seconds, monkeypatch):
    monkeypatch.setattr(rate_limits, "MOST_BUCKETS", 5)
    rate_limit = RateLimit(watch)
    for user in range(100):
        rate_limit.allows(user)
    assert len(rate_limit._buckets) == 5


def test_of_too_many_people_whoever_clicked_longest_ago_is_forgotten_first(watch: Seconds, monkeypatch):
    monkeypatch.setattr(rate_limits, "MOST_BUCKETS", 2)
    monkeypatch.setitem(ALLOWANCES, "click", Allowance(2, 0.0))
    rate_limit = RateLimit(watch)
    assert [rate_limit.allows(user) for user in (1, 2, 1, 3, 1)] == [True, True, True, True, False]


def test_somebody_who_presses_by_hand_is_never_too_fast(watch: Seconds):
    """Three clicks a second for an hour, with ten at once now and then."""
    rate_limit = RateLimit(watch)
    for second in range(3600):
        for _ in range(3):
            watch.now += 1 / ALLOWANCES["click"].rate
            assert rate_limit.allows(1)
        if second % 30 == 0:
            watch.now += 5
            assert all(rate_limit.allows(1) for _ in range(10))
            watch.now += 5


async def test_a_click_too_many_is_refused_in_private_and_changes_nothing(room: Room, watch: Seconds, monkeypatch):
    message = await room.open(seats=1)
    monkeypatch.setitem(ALLOWANCES, "click", Allowance(2, 1.0))
    room.house.bot.allows = RateLimit(watch).allows
    bob, dee = room.people[1], room.people[3]
    for _ in range(2):
        await room.press(bob, message, "more")
    before = await room.table()
    result = await room.press(bob, message, "join")
    assert result.response.ephemeral
    assert FAST in texts(result.response.components)
    assert await room.table() == before
    assert room.house.bot.answers.too_fast == 1
    await room.press(dee, message, "join")
    watch.now += 1
    await room.press(bob, room.public(), "join")
    assert [player.name for player in (await room.table()).players] == ["Ann", "Dee", "Bob"]


async def test_after_a_few_refusals_fast_clicks_are_ignored(room: Room, watch: Seconds, monkeypatch):
    message = await room.open(seats=1)
    monkeypatch.setitem(ALLOWANCES, "click", Allowance(1, 0.0))
    rate_limit = RateLimit(watch)
    room.house.bot.allows = rate_limit.allows
    bob, more = room.people[1], next(each for each in ids_on(message) if matches(each, "more"))
    worked = []
    real = room.tables.people.preferences
    monkeypatch.setattr(room.tables.people, "preferences", lambda *who: worked.append(who) or real(*who))
    await bob.click(message, custom_id=more)
    for _ in range(ALLOWANCES["refusal"].burst):  # each refusal is deleted with the next click
        assert FAST in texts((await bob.click(message, custom_id=more)).response.components)
    worked.clear()
    ignored = [await bob.click(message, custom_id=more) for _ in range(50)]
    assert not any(each.acknowledged for each in ignored)
    assert not worked
    assert room.house.bot.answers.too_fast == ALLOWANCES["refusal"].burst + 50
    assert len(rate_limit._buckets) == 2
    watch.now += 1 / ALLOWANCES["refusal"].rate
    assert (await bob.click(message, custom_id=more)).acknowledged


async def test_typing_too_fast_gets_no_suggestions(room: Room, watch: Seconds):
    room.house.bot.allows = RateLimit(watch).allows
    typed = [room.people[0].autocomplete(room.channel, "shithead start", "variant", "") for _ in range(31)]
    assert [bool(await each) for each in typed] == [True] * 30 + [False]


async def test_commands_have_their_own_limit_beyond_which_no_table_is_opened(room: Room, watch: Seconds, monkeypatch):
    monkeypatch.setitem(ALLOWANCES, "command", Allowance(1, 0.5))
    room.house.bot.allows = RateLimit(watch).allows
    ann = room.people[0]
    await ann.slash(room.channel, "shithead help")
    result = await ann.slash(room.channel, "shithead start")
    assert FAST in texts(result.response.components)
    assert not room.opened
    watch.now += 2
    await ann.slash(room.channel, "shithead start")
    assert len(room.opened) == 1


async def opened_and_closed(room: Room, times):
    for _ in range(times):
        await room.open(seats=1)
        await room.tables.play.stop(request_at(await room.table(), room.people[0].id, id=room.env.backend.snowflake()))
        await room.idle()


def posted(room: Room):
    """The public messages of the channel."""
    return [each for each in room.env.backend.messages[room.channel.id].values() if each.visible_to(None)]


async def test_tables_that_are_opened_and_closed_leave_one_message(room: Room):
    await opened_and_closed(room, 3)
    assert len(posted(room)) == 1
    assert "Closed" in texts(room.public().components)
    await room.open(seats=1)
    assert len(posted(room)) == 1
    assert "Closed" not in texts(room.public().components)


async def test_a_table_that_was_closed_before_it_was_shown_is_not_shown(room: Room):
    await room.rest()
    await room.people[0].slash(room.channel, "shithead start")
    await room.tables.play.stop(request_at(await room.table(), room.people[0].id, id=1))
    await room.restart()
    assert not posted(room)
    assert await room.tables.timekeeping.undrawn_tables() == ()


async def test_a_game_that_was_stopped_before_it_was_shown_is_shown(room: Room):
    await room.rest()
    ann, bob = room.people[:2]
    await ann.slash(room.channel, "shithead start")
    await room.tables.lobby.join(request_at(await room.table(), bob.id, id=1))
    await room.tables.play.start(request_at(await room.table(), ann.id, id=2))
    await room.tables.play.stop(request_at(await room.table(), ann.id, id=3))
    assert not posted(room)
    await room.restart()
    (shown,) = posted(room)
    assert "stopped the game" in texts(shown.components)


async def test_somebody_who_keeps_opening_and_closing_tables_has_to_wait(room: Room):
    await opened_and_closed(room, MOST_UNFINISHED)
    opened = len(room.opened)
    result = await room.people[0].slash(room.channel, "shithead start")
    assert "You have just opened several tables and ended them early." in texts(result.response.components)
    assert len(room.opened) == opened
    await room.env.advance_time(UNFINISHED_WITHIN.total_seconds())
    await room.open(seats=1)
    assert len(room.opened) == opened + 1


async def test_somebody_who_keeps_dealing_and_stopping_games_has_to_wait(room: Room):
    ann, bob = room.people[:2]
    for _ in range(MOST_UNFINISHED):
        await ann.slash(room.channel, "shithead practice")
        await room.confirm(ann, "stop")
        await room.env.advance_time(4)
    for options in ({}, {"where": "thread"}):
        result = await ann.slash(room.channel, "shithead start", **options)
        assert "You have just opened several tables and ended them early." in texts(result.response.components)
    assert len(posted(room)) == MOST_UNFINISHED
    result = await bob.slash(room.channel, "shithead start")
    assert "Your table is open." in texts(result.response.components)


async def test_a_board_soon_after_another_in_the_channel_is_private(room: Room, watch: Seconds):
    room.house.bot.allows = RateLimit(watch).allows
    boards = []
    for person in room.people[:3]:
        boards.append((await person.slash(room.channel, "tea owed")).response)
        watch.now += 15
    assert [board.ephemeral for board in boards] == [False, True, False]
    assert texts(boards[1].components) == texts(boards[0].components)
    other = room.guild.create_text_channel("other")
    assert not (await room.people[3].slash(other, "tea owed")).response.ephemeral
