"""Every click is answered in time, whatever goes wrong."""

import asyncio
import logging
import re
from dataclasses import replace
from types import SimpleNamespace

import aiohttp
import discord
import pytest
from simcord import ResponseMessage

from cogs import replies
from cogs.clicks import Click
from cogs.responder import Responder
from cogs.screens.components import walk
from cogs.screens.ids import parse_id
from cogs.screens.lesson_screens import LAST_PAGE
from cogs.topics import handlers
from data.models import Person
from tables.snapshots import Decline, Declined
from testkit.channel import DRAWN, Room, ids_on, matches
from testkit.faults import CALLBACK, fail, in_play, on_turn, snapshot
from testkit.made import labels, texts
from testkit.shortcuts import finished, sentence
from tests.cogs.test_review import MISTAKES, replay, taught
from tests.cogs.test_tutorial import begun

LONG = 600


@pytest.fixture
def slow(room: Room, monkeypatch):
    """Make the doorway take ten minutes of the fake clock."""

    def make(name):
        service = room.tables.lobby if name == "join" else room.tables.play
        real = getattr(service, name)

        async def slowly(*args, **options):
            await asyncio.sleep(LONG)
            return await real(*args, **options)

        monkeypatch.setattr(replies, "DEFER_AFTER", 0.02)
        monkeypatch.setattr(service, name, slowly)

    return make


def kinds(room: Room):
    """The types of the first answers: 4 message, 5 message later, 6 update later, 7 update."""
    return [each.json["type"] for each in room.env.http_requests if each.path.endswith("/callback")]


async def test_a_slow_hand_comes_after_discord_was_asked_to_wait(room: Room, slow):
    await room.start(seats=2)
    slow("hand")
    hand = await room.press(room.people[1], room.public(), "hand")
    assert kinds(room)[-1] == 5
    await room.env.advance_time(LONG)
    snapshot = room.env.backend.messages[room.channel.id]
    mine = [m for m in snapshot.values() if not m.visible_to(None) and m.visible_to(room.people[1].id)]
    assert "Swap before play" in texts(mine[-1].components)
    assert hand.acknowledged


async def test_a_slow_click_in_a_hand_edits_the_same_hand(room: Room, slow):
    await room.start(seats=2)
    hand = await room.hand(room.people[1])
    slow("act")
    await room.press(room.people[1], hand, "ready")
    assert kinds(room)[-1] == 6
    await room.env.advance_time(LONG)
    assert "Waiting for Ann" in texts(hand.components)


async def test_a_hand_that_comes_late_below_a_private_page_is_kept_up_to_date(followed: Room, monkeypatch):
    room, ann = followed, followed.people[0]
    page = await begun(room)
    for step in range(2, LAST_PAGE + 1):
        await ann.click(page, custom_id=f"sh:lesson:0:{step}")
    real = room.tables.play.start

    async def slowly(*args):
        await asyncio.sleep(LONG)
        return await real(*args)

    monkeypatch.setattr(replies, "DEFER_AFTER", 0.02)
    monkeypatch.setattr(room.tables.play, "start", slowly)
    await room.press(ann, page, "practise")
    await room.env.advance_time(LONG)
    await room.idle()
    assert "Swap before play" in texts(room.notes(ann)[-1].components)
    assert room.house.hands.follows(room.table_id, ann.id)
    await room.press(ann, room.public(), "hand")
    await room.idle()
    assert len([each for each in room.notes(ann) if "Swap before play" in texts(each.components)]) == 1
    assert "Play against the computer" in labels(page.components), "the clicked page stays"


async def test_a_slow_join_is_answered_after_discord_was_asked_to_wait(room: Room, slow):
    await room.open(seats=1)
    slow("join")
    await room.press(room.people[1], room.public(), "join")
    assert kinds(room)[-1] == 5
    await room.env.advance_time(LONG)
    await room.idle()
    assert len((await room.table()).players) == 2
    assert "**Bob**" in texts(room.public().components)


async def test_a_slow_command_that_is_refused_leaves_nothing_after_the_next_command(room: Room, slow):
    await room.start(seats=2)
    cy = room.people[2]
    slow("hand")
    await cy.slash(room.channel, "shithead hand")
    assert kinds(room)[-1] == 5
    await room.env.advance_time(LONG)
    (refused,) = room.notes(cy)
    assert "You do not sit at this table." in texts(refused.components)
    helped = (await cy.slash(room.channel, "shithead help")).response
    assert [each.id for each in room.notes(cy)] == [helped.id]


async def test_a_slow_click_in_a_hand_that_is_refused_never_costs_the_hand(room: Room, slow, monkeypatch):
    await room.start(seats=2)
    bob = room.people[1]
    hand = await room.hand(bob)
    before = texts(hand.components)

    async def refuse(*_, **__):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables.play, "act", refuse)
    slow("act")
    await room.press(bob, hand, "ready")
    assert kinds(room)[-1] == 6
    await room.env.advance_time(LONG)
    kept, refused = room.notes(bob)
    assert kept.id == hand.id
    assert "Saving failed, nothing changed." in texts(refused.components)
    await bob.slash(room.channel, "shithead help")
    shown = {each.id: texts(each.components) for each in room.notes(bob)}
    assert shown[hand.id] == before


async def test_of_too_many_refusals_the_oldest_stay(room: Room, monkeypatch):
    monkeypatch.setattr("cogs.replies.MOST_REFUSED", 1)
    await room.open(seats=2)
    cy, dee = room.people[2:4]
    refused = {who: (await who.slash(room.channel, "shithead leave")).response for who in (cy, dee)}
    for who in (cy, dee):
        await who.slash(room.channel, "shithead help")
    assert [refused[who].id in [each.id for each in room.notes(who)] for who in (cy, dee)] == [True, False]


async def test_a_refusal_outlives_the_end_of_an_older_slow_click(room: Room, slow):
    await room.start(seats=2)
    cy = room.people[2]
    slow("hand")
    await cy.slash(room.channel, "shithead hand")
    refused = (await cy.slash(room.channel, "shithead leave")).response
    assert "You do not sit at this table." in texts(refused.components)
    await room.env.advance_time(LONG)
    assert refused.id in [each.id for each in room.notes(cy)]


async def test_after_discord_was_asked_to_wait_only_the_end_of_slow_work_is_told(room: Room, monkeypatch):
    await finished(room)
    taught(room, MISTAKES)
    bob, real = room.people[1], handlers()["review"]
    page = await replay(room, bob)

    async def slowly(*given):
        await asyncio.sleep(LONG)
        return await real(*given)

    monkeypatch.setattr(replies, "DEFER_AFTER", 0.02)
    monkeypatch.setitem(handlers(), "review", slowly)
    result = await room.press(bob, page, "review")
    assert kinds(room)[-1] == 6
    await room.env.advance_time(LONG)
    await room.idle()
    (told,) = result.followups
    assert "Your costliest moves" in texts(told.components)
    assert not [each for each in room.env.http_requests if "looking through your game" in str(each.json)]


async def test_an_answer_that_discord_no_longer_takes_loses_no_move(room: Room):
    await room.start(seats=2)
    hand = await room.hand(room.people[1])
    room.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062, message="Unknown interaction")
    ready = next(id_ for id_ in ids_on(hand) if matches(id_, "ready"))
    await room.people[1].click(hand, custom_id=ready)
    await room.idle()
    assert (await room.tables.snapshot(room.table_id)).view.seats[1].ready
    assert "1 of 2 ready" in texts(room.public().components)
    assert not room.env.errors


BREAKS = (aiohttp.ServerDisconnectedError(), ConnectionResetError("on purpose"), TimeoutError())


def break_response(monkeypatch, error, *, arrives=False):
    """Break the connection at the next first answer; it may have arrived."""
    real = Responder.respond

    async def breaks(*given):
        monkeypatch.setattr(Responder, "respond", real)
        if arrives:
            await real(*given)
            given[0].is_answered = False  # the bot does not know it
        raise error

    monkeypatch.setattr(Responder, "respond", breaks)


@pytest.mark.parametrize("error", BREAKS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("patience", [1.0, 0.0])
async def test_an_answer_lost_in_a_broken_connection_loses_no_move(room: Room, caplog, monkeypatch, error, patience):
    await room.start(seats=2)
    hand = await room.hand(room.people[1])
    break_response(monkeypatch, error)
    monkeypatch.setattr(replies, "DEFER_AFTER", patience)
    ready = next(id_ for id_ in ids_on(hand) if matches(id_, "ready"))
    await room.people[1].click(hand, custom_id=ready)
    await room.idle()
    assert "1 of 2 ready" in texts(room.public().components)
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]
    (told,) = [each.getMessage() for each in caplog.records if "did not arrive" in each.getMessage()]
    assert told.startswith("an answer did not arrive: verb=ready")


@pytest.mark.parametrize("error", BREAKS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", ["public", "hand"])
async def test_nobody_is_left_waiting_if_discord_was_asked_to_wait_and_its_consent_was_lost(
    room: Room, slow, monkeypatch, error, at
):
    await room.start(seats=2)
    bob = room.people[1]
    message = room.public() if at == "public" else await room.hand(bob)
    break_response(monkeypatch, error, arrives=True)
    slow("hand" if at == "public" else "act")
    result = await room.press(bob, message, "hand" if at == "public" else "ready")
    await room.env.advance_time(LONG)
    assert kinds(room)[-1] == (5 if at == "public" else 6)
    assert ("Swap before play" if at == "public" else "Waiting for Ann") in texts(result.response.components)
    assert room.house.bot.answers.undelivered == 0


@pytest.mark.parametrize("at", ["public", "hand"])
async def test_whoever_waits_is_told_that_an_answer_cannot_be_shown_though_the_consent_to_wait_was_lost(
    room: Room, slow, monkeypatch, at
):
    await room.start(seats=2)
    bob = room.people[1]
    message = room.public() if at == "public" else await room.hand(bob)
    break_response(monkeypatch, aiohttp.ServerDisconnectedError(), arrives=True)
    slow("hand" if at == "public" else "act")
    fail(room, ("PATCH", "/webhooks/*/*/messages/@original"), 400, 50006)
    before = texts(message.components)
    result = await room.press(bob, message, "hand" if at == "public" else "ready")
    await room.env.advance_time(LONG)
    assert "My answer cannot be shown" in texts(room.notes(bob)[-1].components)
    assert at == "public" or texts(result.response.components) == before, "the hand stays"
    assert room.house.bot.answers.undelivered == 1


@pytest.mark.parametrize("error", BREAKS, ids=lambda error: type(error).__name__)
async def test_an_answer_counts_as_lost_if_discord_was_not_even_asked_to_wait(room: Room, slow, monkeypatch, error):
    await room.start(seats=2)
    hand = await room.hand(room.people[1])
    break_response(monkeypatch, error)
    slow("act")
    result = await room.press(room.people[1], hand, "ready")
    await room.env.advance_time(LONG)
    assert not result.acknowledged
    assert room.house.bot.answers.undelivered == 1


async def test_failing_to_delete_an_older_hand_is_not_logged_as_an_error(room: Room, caplog, monkeypatch):
    await room.start(seats=2)
    tried = []

    async def breaks(responder):
        tried.append(responder)
        raise ConnectionResetError("on purpose")

    await room.press(room.people[1], room.public(), "hand")
    monkeypatch.setattr(Responder, "delete", breaks)
    second = await room.press(room.people[1], room.public(), "hand")
    assert "Swap before play" in texts(second.response.components)
    assert len(tried) == 1
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]


async def test_a_failure_to_explain_why_something_is_declined_gets_a_polite_answer(room: Room, caplog, monkeypatch):
    async def broken(*_):
        raise KeyError("on purpose")

    monkeypatch.setattr("cogs.interactions.explain_decline", broken)
    result = await room.people[0].slash(room.channel, "shithead hand")  # there is no table
    assert "went wrong" in texts(result.response.components)
    assert "a click failed" in caplog.text
    caplog.clear()


async def test_an_exception_gets_a_polite_answer_and_is_logged_without_cards(room: Room, caplog, monkeypatch):
    await room.start(seats=2)

    async def broken(*_):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(room.tables.play, "hand", broken)
    result = await room.people[0].click(
        room.public(), custom_id=next(id_ for id_ in ids_on(room.public()) if matches(id_, "hand"))
    )
    assert "Something went wrong, sorry." in texts(result.response.components)
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert "verb=hand" in record.getMessage()
    caplog.clear()


async def test_an_unavailable_database_changes_nothing_and_says_so(room: Room, monkeypatch):
    await room.start(seats=2)
    hand = await room.hand(room.people[1])

    async def refuse(*_, **__):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables.play, "act", refuse)
    result = await room.press(room.people[1], hand, "ready")
    assert "Saving failed, nothing changed." in texts(result.response.components)


async def test_no_answer_mentions_anybody(room: Room):
    await room.start(seats=2)
    await room.press(room.people[1], room.public(), "hand")
    callbacks = [each.json for each in room.env.http_requests if each.path.endswith("/callback")]
    answers = [each["data"] for each in callbacks if each["type"] in {4, 7}]
    assert len(answers) >= 4
    assert all(each["allowed_mentions"] == {"parse": []} for each in answers)


async def test_ids_in_a_public_message_never_hold_cards(room: Room):
    await room.start(seats=2, variant="reverse-first")
    ids = ids_on(room.public())
    assert len(ids) >= 3
    assert {parse_id(id_).argument for id_ in ids} == {""}


def emojis(message: ResponseMessage):
    return [
        each["emoji"]
        for part in walk(message.components)
        for each in (part, *part.get("options", ()))
        if each.get("emoji")
    ]


def warned(caplog):
    return [each.getMessage() for each in caplog.records if each.name.startswith("cogs")]


async def test_an_answer_that_discord_refuses_as_invalid_is_sent_again_without_emojis(room: Room, caplog):
    room.house.bot.faces = DRAWN
    await in_play(room)
    person, hand, _ = await on_turn(room)
    assert emojis(hand)
    fail(room, CALLBACK, 400, 50035)
    again = (await room.press(person, room.public(), "hand")).response
    assert (ids_on(again), labels(again.components)) == (ids_on(hand), labels(hand.components))
    assert not emojis(again)
    assert warned(caplog) == ["an answer was accepted only without emojis: verb=hand"]


async def test_whoever_cannot_be_shown_an_answer_is_told_that_a_move_counts(room: Room, caplog):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    fail(room, CALLBACK, 400, 50035)
    result = await person.click(hand, custom_id=play)
    assert (await snapshot(room)).moves == before.moves + 1
    assert result.response.ephemeral
    assert "If you made a move, it counts." in texts(result.response.components)
    (line,) = warned(caplog)
    assert line.startswith("an answer did not arrive")


async def test_an_answer_that_is_refused_for_more_than_its_emojis_is_replaced_by_an_apology(room: Room, caplog):
    room.house.bot.faces = DRAWN
    await in_play(room)
    person, _, _ = await on_turn(room)
    fail(room, CALLBACK, 400, 50035, times=2)
    hand = (await room.press(person, room.public(), "hand")).response
    assert "My answer cannot be shown" in texts(hand.components)
    assert len(warned(caplog)) == 1


@pytest.mark.parametrize(("status", "code"), [(400, 50035), (400, 50006), (403, 50013), (413, 0)])
async def test_whoever_was_asked_to_wait_for_an_answer_that_cannot_be_shown_is_told_so(room: Room, slow, status, code):
    await room.start(seats=2)
    slow("hand")
    fail(room, ("PATCH", "/webhooks/*/*/messages/@original"), status, code)
    hand = await room.press(room.people[1], room.public(), "hand")
    await room.env.advance_time(LONG)
    assert "My answer cannot be shown" in texts(hand.response.components)


async def test_an_answer_that_may_have_arrived_gets_no_apology(room: Room, slow, monkeypatch):
    async def fails(responder, drawn):
        monkeypatch.setattr(Responder, "edit", real)
        await real(responder, drawn)
        raise discord.DiscordServerError(SimpleNamespace(status=504, reason=""), None)

    await room.start(seats=2)
    bob, real = room.people[1], Responder.edit
    slow("hand")
    monkeypatch.setattr(Responder, "edit", fails)
    await room.press(bob, room.public(), "hand")
    await room.env.advance_time(LONG)
    assert "Swap before play" in texts(room.notes(bob)[-1].components)


@pytest.mark.parametrize("command", ["tea export", "shithead privacy export"])
async def test_whoever_asks_for_a_file_that_discord_finds_too_large_is_told_that_it_cannot_be_shown(
    room: Room, command
):
    fail(room, CALLBACK, 413, 40005)
    assert "My answer cannot be shown" in sentence(await room.people[0].slash(room.channel, command))


async def test_at_debug_the_log_says_what_was_answered_where_and_how_fast_and_no_more(room: Room, caplog):
    caplog.set_level(logging.DEBUG, "cogs.interactions")
    await room.start()
    ann = room.people[0]
    hand = (await ann.slash(room.channel, "shithead hand")).response
    swap = next(each for each in ids_on(hand) if parse_id(each).argument)
    await ann.click(hand, custom_id=swap)
    told = [each.getMessage() for each in caplog.records if each.name == "cogs.interactions"]
    assert [re.sub(r"milliseconds=\d+$", "", each) for each in told] == [
        "answered: name=start table=0 ",
        f"answered: name=join table={room.table_id} ",
        f"answered: name=start table={room.table_id} ",
        "answered: name=hand table=0 ",
        f"answered: name={parse_id(swap).verb} table={room.table_id} ",
    ]


class Shown:
    """A refusal that somebody sees, until it is deleted."""

    def __init__(self, id_):
        self.id, self.is_shown = id_, True

    async def delete(self):
        self.is_shown = False


async def test_of_two_refusals_only_the_later_one_stays_in_whatever_order_they_are_sent():
    click = Click(0, Person(id=1, name="Ann"), 2, 3)
    for order in ((101, 100), (100, 101)):
        refusals, shown = replies.RefusedAnswers(), {id_: Shown(id_) for id_ in order}
        for id_ in order:
            await refusals.replace(replace(click, id=id_), shown[id_], 0)
        assert [id_ for id_ in order if shown[id_].is_shown] == [101]
        await refusals.replace(replace(click, id=200), None, 0)
        assert not shown[101].is_shown


@pytest.mark.parametrize(("age", "is_shown"), [(14 * 60 - 1, False), (14 * 60, True)])
async def test_a_refusal_is_deleted_by_the_next_click_while_discord_lets_it(age, is_shown):
    click = Click(1, Person(id=1, name="Ann"), 2, 3)
    refusals, refused = replies.RefusedAnswers(), Shown(click.id)
    await refusals.replace(click, refused, 0)
    await refusals.replace(replace(click, id=click.id + (int(age * 1000) << 22)), None, 0)
    assert refused.is_shown is is_shown
