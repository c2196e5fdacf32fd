"""Discord does not take an answer, takes it twice, or asks twice: F1, F2, F3, F6, F7, F8, F10, F11, F55."""

import asyncio
import io
import logging
import sqlite3

import pytest
import structlog
from prometheus_client import CollectorRegistry, Counter

from bot.health import Errors
from bot.logs import set_up_logs
from cogs import replies
from cogs.topics import handlers
from testkit.channel import Room, together
from testkit.faults import (
    CALLBACK,
    fail,
    file_of,
    impatient,
    in_play,
    on_turn,
    requests,
    revisions,
    snapshot,
    the_id,
)
from testkit.made import texts
from testkit.waiting import ANSWER, NEVER

SLOW = 600
"""Seconds of the make-believe clock: more than a test waits for, less than a token lives."""
AT_ONCE = 0.03
ORIGINAL = ("PATCH", "/webhooks/*/*/messages/@original")


@pytest.fixture
def patience(monkeypatch):
    """Sets after how many seconds Discord is told to wait; that it is one is tested on a wire (test_f13_wire.py)."""

    def wait(seconds):
        monkeypatch.setattr(replies, "DEFER_AFTER", seconds)

    return wait


@pytest.fixture
def slow_verb(room: Room, patience, monkeypatch):
    """What a verb does takes ten minutes before it comes to the doorway."""

    def delay(verb):
        verbs = handlers()
        real = verbs[verb]

        async def slowly(desk, press):
            patience(NEVER)  # for the clicks after this one
            await asyncio.sleep(SLOW)
            return await real(desk, press)

        patience(AT_ONCE)
        monkeypatch.setitem(verbs, verb, slowly)

    return delay


@pytest.fixture
def slow_disk(room: Room, patience):
    """Told so, the disk takes ten minutes to store the next change."""
    rows = room.house.store.tables
    real = rows.save

    async def slowly(change):
        rows.save = real
        patience(NEVER)  # for the clicks after this one
        await asyncio.sleep(SLOW)
        await real(change)

    def slow(seconds=AT_ONCE):
        patience(seconds)
        rows.save = slowly

    return slow


async def test_f01_a_move_whose_answer_came_too_late_is_made_once_and_shown(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    fail(room, CALLBACK, 404, 10062)
    result = await person.click(hand, custom_id=play)
    await room.idle()
    after = await snapshot(room)
    assert not result.acknowledged
    assert after.moves == before.moves + 1
    assert revisions(room.public()) == {after.table.revision}
    assert room.house.bot.answers.undelivered == 1
    assert not room.env.errors


async def test_f01_an_answer_that_takes_longer_than_discord_waits_leaves_the_move_made_and_shown(room: Room, slow_disk):
    message = await room.open(seats=1)
    slow_disk(NEVER)
    result = await room.people[1].click(message, custom_id=the_id(message, "join"))
    await room.env.advance_time(SLOW)
    await room.idle()
    assert not result.acknowledged
    assert "Bob" in texts(room.public().components)
    assert room.house.bot.answers.undelivered == 1
    assert not room.env.errors


@pytest.fixture
def log_and_errors():
    """What is logged, and a function that says how many errors are counted."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    counter, stream = Counter("errors", "", registry=CollectorRegistry()), io.StringIO()
    set_up_logs("INFO", "console", stream)
    root.addHandler(Errors(counter))
    yield stream, lambda: next(iter(counter.collect())).samples[0].value
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**before)


async def test_f01_a_suggestion_that_came_too_late_is_one_line_in_the_log_and_no_error(room: Room, log_and_errors):
    log, errors = log_and_errors
    fail(room, CALLBACK, 404, 10062)
    assert not await room.people[0].autocomplete(room.channel, "shithead start", "variant", "")
    (line,) = log.getvalue().splitlines()
    assert "a suggestion did not arrive: it came too late" in line
    assert "warning" in line
    assert errors() == 0
    assert await room.people[0].autocomplete(room.channel, "shithead start", "variant", "")


def test_f01_work_that_begins_as_late_as_it_may_is_deferred_a_second_before_discord_gives_up(real_budgets):
    assert real_budgets[ANSWER] + real_budgets["cogs.replies.ANSWERABLE"] <= 3 - 1


@pytest.mark.parametrize("code", [10062, 0])
async def test_f01_what_was_not_yet_being_stored_when_discord_took_no_answer_is_not_done(room: Room, slow_verb, code):
    message = await room.open(seats=1)
    slow_verb("join")
    fail(room, CALLBACK, 404 if code else 503, code)
    await room.people[1].click(message, custom_id=the_id(message, "join"))
    await room.env.advance_time(SLOW)
    await room.idle()
    # Where Discord was ill but may have got the answer, it goes on.
    assert len((await room.table()).players) == (1 if code else 2)
    assert room.house.bot.answers.undelivered == 1
    assert not room.env.errors


async def test_f01_what_was_being_stored_when_discord_took_no_answer_is_done_and_shown(room: Room, slow_disk):
    message = await room.open(seats=1)
    fail(room, CALLBACK, 404, 10062)
    slow_disk()
    await room.people[1].click(message, custom_id=the_id(message, "join"))
    await room.env.advance_time(SLOW)
    await room.idle()
    assert [player.name for player in (await room.table()).players] == ["Ann", "Bob"]
    assert "Bob" in texts(room.public().components)
    assert room.house.bot.answers.undelivered == 1


@pytest.mark.parametrize(("status", "code", "counted"), [(403, 0, 1), (503, 0, 1), (404, 0, 1), (404, 10015, 0)])
async def test_f01_an_answer_that_discord_does_not_take_counts_unless_its_message_is_gone(
    room: Room, status, code, counted
):
    message = await room.open(seats=1)
    fail(room, CALLBACK, status, code, times=9)
    await room.people[1].click(message, custom_id=the_id(message, "join"))
    await room.idle()
    assert room.house.bot.answers.undelivered == counted


@pytest.mark.parametrize(("status", "code"), [(401, 50027), (403, 0), (403, 40333), (404, 10015), (429, 0)])
async def test_f01_whoever_refuses_everything_is_sent_no_apology(room: Room, status, code):
    message = await room.open(seats=1)
    before = len(requests(room, "POST", "/callback"))
    fail(room, CALLBACK, status, code, times=9)
    await room.people[1].click(message, custom_id=the_id(message, "join"))
    await room.idle()
    assert len(requests(room, "POST", "/callback")) == before + 1


async def test_f02_while_the_disk_is_slow_discord_is_told_to_wait_and_the_move_is_made(room: Room, slow_disk):
    await in_play(room, pace="slow")
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    slow_disk()
    result = await person.click(hand, custom_id=play)
    assert requests(room, "POST", "/callback")[-1].json["type"] == 6
    assert (await snapshot(room)).moves == before.moves
    await room.env.advance_time(SLOW)
    await room.idle()
    assert result.acknowledged
    assert (await snapshot(room)).moves == before.moves + 1
    assert revisions(hand) == {before.table.revision + 1}
    assert room.house.bot.answers.deferred == 1


async def test_f02_a_table_that_takes_long_to_be_drawn_keeps_nobody_waiting(room: Room, monkeypatch):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before, drawn = await snapshot(room), asyncio.Event()
    painter = room.house.painter
    put = painter._put

    async def slowly(*args, **options):
        await drawn.wait()
        await put(*args, **options)

    monkeypatch.setattr(painter, "_put", slowly)
    assert (await person.click(hand, custom_id=play)).acknowledged
    assert revisions(hand) == {before.table.revision + 1}
    assert revisions(room.public()) == {before.table.revision}
    drawn.set()
    await room.idle()
    assert revisions(room.public()) == {before.table.revision + 1}


async def test_f02_a_form_that_came_too_late_to_be_opened_asks_to_press_again(room: Room, slow_verb):
    await room.open(seats=1)
    page = (await room.press(room.people[0], room.public(), "more")).response
    await room.press(room.people[0], page, "house")
    slow_verb("housetext")
    result = await room.people[0].click(page, custom_id=the_id(page, "housetext"))
    await room.env.advance_time(SLOW)
    assert "Press the button again." in texts(result.followups[-1].components)


def has_arrived(room: Room):
    """The first answer reaches Discord, but the bot does not learn it and sends it again: that is refused."""

    def mark(event, payload):
        if event == "INTERACTION_CREATE":
            room.env.backend.interactions[int(payload["id"])].defer_update()

    room.env.backend.subscribers.insert(0, mark)


async def test_f03_an_answer_that_arrived_although_it_seemed_lost_is_a_success(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    has_arrived(room)
    await person.click(hand, custom_id=play)
    await room.idle()
    after = await snapshot(room)
    assert after.moves == before.moves + 1
    assert revisions(hand) == {after.table.revision}


async def test_f03_an_answer_that_arrived_is_not_replaced_by_an_apology_if_its_repetition_is_refused(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = texts(hand.components)
    has_arrived(room)
    fail(room, ORIGINAL, 400, 50006)
    await person.click(hand, custom_id=play)
    await room.idle()
    assert len(requests(room, "PATCH", "/messages/@original")) == 1
    assert texts(hand.components) == before


async def test_f03_a_request_to_wait_that_arrived_although_it_seemed_lost_is_followed_by_the_answer(
    room: Room, slow_disk
):
    await in_play(room)
    person, hand, play = await on_turn(room)
    has_arrived(room)
    slow_disk()
    await person.click(hand, custom_id=play)
    await room.env.advance_time(SLOW)
    assert revisions(hand) == {(await snapshot(room)).table.revision}


@pytest.mark.parametrize(("row", "status", "code"), [("f06", 401, 50027), ("f07", 404, 10015)])
async def test_f06_f07_a_token_that_is_dead_is_not_tried_again_and_my_hand_helps(
    room: Room, slow_disk, row, status, code
):
    await in_play(room, pace="slow")
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    fail(room, ORIGINAL, status, code, times=9)
    slow_disk()
    await person.click(hand, custom_id=play)
    await room.env.advance_time(SLOW)
    await room.idle()
    assert len(requests(room, "PATCH", "/messages/@original")) == 1
    assert (await snapshot(room)).moves == before.moves + 1
    fresh = await room.press(person, room.public(), "hand")
    assert revisions(fresh.response) == {before.table.revision + 1}


async def test_f06_after_fifteen_minutes_an_old_private_hand_still_answers_clicks(room: Room):
    await in_play(room, pace="slow")
    person, hand, play = await on_turn(room)
    await room.env.advance_time(16 * 60)
    before = await snapshot(room)
    assert (await person.click(hand, custom_id=play)).acknowledged
    assert (await snapshot(room)).moves == before.moves + 1


async def test_f08_a_double_click_plays_once_and_both_are_answered(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    both = await together(room.env, person.click(hand, custom_id=play), person.click(hand, custom_id=play))
    assert all(each.acknowledged for each in both)
    assert (await snapshot(room)).moves == before.moves + 1
    assert "That hand was out of date" in texts(hand.components)


def close_hands(room: Room):
    """Keep no hand up to date any more."""
    for key in list(room.house.hands._open):
        room.house.hands._close(key)


async def test_f10_f55_an_older_hand_or_another_device_plays_nothing_and_is_drawn_anew_in_place(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    close_hands(room)  # the older hand is too old to be removed
    device = (await room.press(person, room.public(), "hand")).response
    close_hands(room)  # and so is the other one
    await person.click(hand, custom_id=play)
    before = await snapshot(room)
    result = await person.click(device, custom_id=the_id(device, "play", "pickup"))
    assert result.response.id == device.id
    assert "That hand was out of date. Here is the current one." in texts(device.components)
    assert revisions(device) == {before.table.revision}
    assert await snapshot(room) == before


async def test_f11_an_interaction_that_is_delivered_twice_is_applied_once(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    sent = []
    room.env.backend.subscribers.append(lambda event, payload: sent.append((event, payload)))
    await person.click(hand, custom_id=play)
    payload = next(payload for event, payload in sent if event == "INTERACTION_CREATE")
    room.env.backend.emit("INTERACTION_CREATE", payload)
    await room.env.settle()
    assert (await snapshot(room)).moves == before.moves + 1
    await room.restart()
    room.env.backend.emit("INTERACTION_CREATE", payload)
    await room.env.settle()
    assert (await snapshot(room)).moves == before.moves + 1


async def test_f02_a_disk_that_stays_busy_changes_nothing_and_says_so(room: Room):
    await in_play(room)
    await impatient(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    with sqlite3.connect(file_of(room), isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        result = await person.click(hand, custom_id=play)
        other.execute("ROLLBACK")
    other.close()
    assert "Saving failed, nothing changed." in texts(result.response.components)
    assert (await snapshot(room)).moves == before.moves
