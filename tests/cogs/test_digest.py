"""The daily digest of slow games: one direct message a day in place of reminders."""

import asyncio
import json
import re
from datetime import datetime, timedelta
from functools import partial

import pytest
from simcord import MemberActor
from structlog.testing import capture_logs

from bot.digests import send_due_digests
from bot.port import Port
from cogs.screens.formatter import formatter
from cogs.screens.table_screens import digest_screen
from data.guild_models import GuildSettings
from tables.services import Decline, Declined
from testkit.channel import Room
from testkit.faults import fail, pass_by, requests
from testkit.made import Game, texts

SEND = ("POST", "/channels/*/messages")


@pytest.fixture
def digests(room: Room):
    return partial(send_due_digests, room.tables, Port(room.house.bot), sleep=lambda _seconds: asyncio.sleep(0))


async def want(room: Room, person: MemberActor, *, on=True):
    page = (await person.slash(room.channel, "shithead me")).response
    return (await room.press(person, page, "mine", f"digest={'on' if on else 'off'}")).response


async def slow_game(room: Room):
    """Start a slow game of two, in which Bob is on turn, in a channel of its own; return the channel."""
    room.channel = room.guild.create_text_channel("another")
    await room.start(seats=2, pace="slow", variant="classic")
    hand = await room.hand(room.people[0])
    await room.press(room.people[0], hand, "ready")
    return room.channel


def direct(room: Room):
    """The direct messages that were sent, as they are now."""
    private = [each.id for each in room.env.backend.channels.values() if each.guild_id is None]
    return [message for each in private for message in room.env.backend.messages[each].values()]


def pings(room: Room):
    """The people mentioned by messages in the server's channels."""
    sent = [each.json for each in requests(room, "POST", "/messages")]
    return [person for each in sent for person in each["allowed_mentions"].get("users", [])]


async def tomorrow(room: Room, digests, **more):
    await pass_by(room, **({"hours": 24, "seconds": 1} | more))
    await digests()
    await room.idle()


async def test_two_people_for_whom_one_table_waits_get_a_message_each(room: Room, digests):
    """Discord sends a nonce only once; SimCord would send it twice."""
    for person in room.people[:2]:
        await want(room, person)
    room.channel = room.guild.create_text_channel("another")
    await room.start(seats=2, pace="slow", variant="classic")
    await tomorrow(room, digests)
    nonces = [str(each.json.get("nonce")) for each in requests(room, "POST", "/messages")]
    assert len({nonce for nonce in nonces if nonce.startswith("d")}) == len(direct(room)) == 2


async def test_one_message_lists_all_slow_tables_that_wait_for_somebody_with_links_and_due_times(room: Room, digests):
    bob = room.people[1]
    await want(room, bob)
    await pass_by(room, hours=5)
    channels = [await slow_game(room) for _ in range(2)]
    await tomorrow(room, digests, hours=19)
    (message,) = direct(room)
    said = texts(message.components)
    assert said.startswith("### It is your turn at 2 tables")
    assert all(f"https://discord.com/channels/{room.guild.id}/{each.id}/" in said for each in channels)
    assert said.count("Ann’s table · due <t:") == 2


async def test_it_is_sent_once_a_day_even_across_restarts_and_from_two_processes(room: Room, digests):
    bob = room.people[1]
    await want(room, bob)
    await pass_by(room, hours=5)
    await slow_game(room)
    await tomorrow(room, digests, hours=19)
    await digests()
    await send_due_digests(room.tables, Port(room.house.bot))
    await room.restart()
    await send_due_digests(room.tables, Port(room.house.bot))
    assert len(direct(room)) == 1
    due = (await room.house.store.people.digests_due(room.now() + timedelta(days=1)))[bob.id]
    claims = [room.house.store.people.claim_digest(bob.id, due, due + timedelta(days=1)) for _ in range(3)]
    assert sorted(map(len, await asyncio.gather(*claims))) == [0, 0, 1]


async def test_a_process_that_does_not_hold_its_lease_leaves_the_digests_to_another(room: Room, digests):
    await want(room, room.people[1])
    await slow_game(room)
    port, tries = Port(room.house.bot), list[float]()
    port.is_serving = lambda: False

    async def tried(seconds):
        tries.append(seconds)

    await tomorrow(room, partial(send_due_digests, room.tables, port, sleep=tried))
    assert not tries
    await digests()
    assert len(direct(room)) == 1


@pytest.fixture
async def sending(room: Room):
    """The task that sends a digest, to which Discord gives no answer."""
    await want(room, room.people[1])
    await slow_game(room)
    await pass_by(room, hours=24, seconds=1)
    port, asked = Port(room.house.bot), asyncio.Event()

    async def silent(*_args, **_options):
        asked.set()
        await asyncio.Event().wait()

    port.send_directly = silent
    task = asyncio.create_task(send_due_digests(room.tables, port))
    await asked.wait()
    return task


async def test_a_digest_that_is_being_sent_when_the_bot_is_stopped_is_sent_after_the_start(room: Room, sending):
    sending.cancel()
    await asyncio.wait({sending})
    assert sending.cancelled()
    await room.restart()
    await send_due_digests(room.tables, Port(room.house.bot))
    assert len(direct(room)) == 1


async def test_the_end_of_the_bot_is_not_held_up_by_a_digest_that_cannot_be_made_due_again(
    room: Room, sending, monkeypatch
):
    async def unavailable(_digest):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables.people, "digest_failed", unavailable)
    sending.cancel()
    await asyncio.wait({sending})
    assert sending.cancelled()


async def test_there_is_none_on_a_day_without_a_turn(room: Room, digests):
    await want(room, room.people[1])
    await tomorrow(room, digests)
    assert not direct(room)


async def test_without_a_digest_people_are_reminded_as_usual(room: Room, digests):
    await slow_game(room)
    await pass_by(room, seconds=100)
    assert str(room.people[1].id) in pings(room)
    await tomorrow(room, digests, hours=1)
    assert not direct(room)


async def test_with_a_digest_a_slow_game_reminds_only_shortly_before_the_time_is_up(room: Room):
    bob = room.people[1]
    await want(room, bob)
    await slow_game(room)
    await pass_by(room, hours=19)
    assert str(bob.id) not in pings(room)
    await pass_by(room, hours=1, seconds=1)
    assert pings(room) == [str(bob.id)]
    await pass_by(room, hours=5)
    assert pings(room) == [str(bob.id)]


async def test_with_a_digest_other_games_remind_as_usual(room: Room):
    bob = room.people[1]
    await want(room, bob)
    await room.start(seats=2)
    hand = await room.hand(room.people[0])
    await room.press(room.people[0], hand, "ready")
    await pass_by(room, seconds=250)
    assert pings(room) == [str(bob.id)]


async def test_the_settings_say_which_reminders_remain_with_a_digest(room: Room):
    kept = "wait for you · in slow games only shortly before your time is up\n"
    on = await want(room, room.people[1])
    assert kept in texts(on.components)
    assert texts(on.components).count("in slow games only") == 1
    assert "Slow games, with 24 hours a turn or more" in texts(on.components)
    off = await want(room, room.people[1], on=False)
    assert kept not in texts(off.components)
    assert "A mention when others wait for you\n" in texts(off.components)


@pytest.mark.parametrize("error", [(403, 50007), (404, 10013), (400, 50033)], ids=["accepts none", "gone", "refused"])
async def test_somebody_who_accepts_no_direct_messages_is_reminded_in_the_channel_and_told_why(
    room: Room, digests, error
):
    bob = room.people[1]
    await want(room, bob)
    await pass_by(room, hours=20)
    await slow_game(room)
    await pass_by(room, hours=4)
    fail(room, SEND, *error)
    with capture_logs() as said:
        await digests()
    assert [each["event"] for each in said] == ["a digest was refused"]
    await room.idle()
    assert not direct(room)
    assert pings(room) == [str(bob.id)]
    page = (await bob.slash(room.channel, "shithead me")).response
    assert "**The digest did not arrive:** do you accept direct messages from me?" in texts(page.components)
    assert "A mention when others wait for you\n" in texts(page.components), "reminders come as usual"
    await want(room, bob, on=False)
    page = await want(room, bob)
    assert "did not arrive" not in texts(page.components)


async def test_once_a_digest_arrives_again_it_takes_the_place_of_reminders_again(room: Room, digests):
    bob = room.people[1]
    await want(room, bob)
    await pass_by(room, hours=20)
    await slow_game(room)
    await pass_by(room, hours=4)
    fail(room, SEND, 403, 50007)
    await digests()
    assert not await room.tables.people.gets_digest_instead(room.guild.id, bob.id)
    await tomorrow(room, digests)
    assert len(direct(room)) == 1
    assert await room.tables.people.gets_digest_instead(room.guild.id, bob.id)
    page = (await bob.slash(room.channel, "shithead me")).response
    assert "did not arrive" not in texts(page.components)


async def test_it_is_written_in_the_language_of_its_reader(room: Room, digests):
    bob = room.people[1]
    speak = {bob.id: "de"}

    def on(event, payload):
        if event == "INTERACTION_CREATE":
            payload["locale"] = speak.get(int((payload.get("member") or payload)["user"]["id"]), "en-US")

    room.env.backend.subscribers.insert(0, on)
    page = (await bob.slash(room.channel, "shithead me")).response
    await room.press(bob, page, "mine", "digest=on")
    await pass_by(room, hours=5)
    await slow_game(room)
    await tomorrow(room, digests, hours=19)
    (message,) = direct(room)
    assert texts(message.components).startswith("### Du bist an 1 Tisch am Zug")


async def test_where_the_game_has_its_polite_name_the_digest_has_it_too(room: Room, digests):
    bob = room.people[1]
    await want(room, bob)
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(polite=True))
    await pass_by(room, hours=5)
    await slow_game(room)
    await tomorrow(room, digests, hours=19)
    (message,) = direct(room)
    said = texts(message.components)
    assert "Palace · Classic" in said
    assert "/palace me" in said
    assert "shithead" not in said.lower()


async def test_a_table_that_was_opened_politely_makes_the_digest_polite(room: Room, digests):
    await want(room, room.people[1])
    await pass_by(room, hours=5)
    await slow_game(room)
    loaded = room.tables._doorway.peek(room.table_id)
    room.tables._doorway.adopt(loaded.but(table=loaded.table.model_copy(update={"polite": True})))
    await tomorrow(room, digests, hours=19)
    (message,) = direct(room)
    assert "/palace me" in texts(message.components)
    assert "shithead" not in texts(message.components).lower()


async def test_deleting_ones_data_ends_the_digest_and_until_then_the_export_has_it(room: Room):
    bob = room.people[1]
    await want(room, bob)
    (stored,) = (await room.tables.people.stored(bob.id)).values()
    assert stored["chosen"][0]["digest"] is True
    assert json.dumps(stored["chosen"], default=datetime.isoformat)
    assert await room.tables.people.forget(bob.id) is None
    await pass_by(room, hours=25)
    assert await room.tables.people.digests_due() == {}


async def test_while_discord_fails_it_is_tried_a_few_times(room: Room, digests):
    await want(room, room.people[1])
    await pass_by(room, hours=5)
    await slow_game(room)
    fail(room, ("POST", "/users/@me/channels"), 503, times=2)
    await tomorrow(room, digests, hours=19)
    assert len(direct(room)) == 1


async def test_after_an_outage_of_discord_it_is_sent_in_a_later_round_and_then_at_its_usual_time(room: Room, digests):
    bob = room.people[1]
    await want(room, bob)
    (due,) = (await room.house.store.people.digests_due(room.now() + timedelta(days=1))).values()
    await pass_by(room, hours=5)
    await slow_game(room)
    fail(room, ("POST", "/users/@me/channels"), 503, times=3)
    await tomorrow(room, digests, hours=19)
    assert not direct(room)
    await tomorrow(room, digests, hours=0, seconds=300)
    await digests()
    assert len(direct(room)) == 1
    later = await room.house.store.people.digests_due(room.now() + timedelta(days=1))
    assert later == {bob.id: due + timedelta(days=1)}
    page = (await bob.slash(room.channel, "shithead me")).response
    assert "did not arrive" not in texts(page.components)


async def test_an_error_that_stays_with_one_person_keeps_nobody_elses_digest_back(room: Room, digests, monkeypatch):
    async def broken_for_one(user_id, due):
        if user_id == first:
            raise KeyError
        return await digest(user_id, due)

    for person in room.people[:2]:
        await want(room, person)
    room.channel = room.guild.create_text_channel("another")
    await room.start(seats=2, pace="slow", variant="classic")
    await pass_by(room, hours=24, seconds=1)
    first, digest = next(iter(await room.tables.people.digests_due())), room.tables.people.digest
    monkeypatch.setattr(room.tables.people, "digest", broken_for_one)
    with capture_logs() as said:
        await digests()
    assert len(direct(room)) == 1
    assert [each["event"] for each in said if each["log_level"] == "error"] == ["a digest was not sent"]


async def test_while_the_store_is_away_only_one_digest_is_asked_for(room: Room, digests, monkeypatch):
    async def away(user_id, _due):
        asked.append(user_id)
        raise Declined(Decline.SAVING_FAILED)

    asked = []
    for person in room.people[:2]:
        await want(room, person)
    await pass_by(room, hours=24, seconds=1)
    monkeypatch.setattr(room.tables.people, "digest", away)
    with pytest.raises(Declined):
        await digests()
    assert len(asked) == 1


@pytest.mark.parametrize(("waiting", "more"), [(1, ""), (15, ""), (16, "and 1 more"), (30, "and 15 more")])
def test_a_digest_lists_fifteen_tables_and_says_how_many_more_there_are(waiting, more):
    said = texts(digest_screen(formatter(), [Game().snapshot()] * waiting))
    assert said.count("’s table") == min(waiting, 15)
    assert re.findall(r"and -?\d+ more", said.lower()) == ([more] if more else [])
    assert f"your turn at {waiting} table" in said
