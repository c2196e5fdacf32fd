"""A table in a thread of its own: `/shithead start where:thread`."""

import asyncio
import re

import discord
import pytest

from bot.port import OverloadedError, Port
from cogs import replies
from data.guild_models import GuildSettings
from tables.snapshots import Decline, Declined
from tables.timekeeping import Timekeeping
from testkit.channel import Room, ids_on, matches, together
from testkit.faults import CALLBACK, fail, in_play, lose_answer, pass_by, pause, quickly, stored
from testkit.found import not_none
from testkit.made import texts
from testkit.shortcuts import play_on

SLOW = 600
"""Seconds of the make-believe clock: more than Discord waits for an answer."""
POST, OPEN = ("POST", "/channels/*/messages"), ("POST", "/channels/*/messages/*/threads")


def remember_as_discord_does(monkeypatch):
    """Return the earlier message for a repeated nonce, and the earlier thread of a message, which SimCord does not."""
    send, open_thread, known = Port.send, Port.open_thread, {}

    async def remembered(self, channel_id, drawn, *, nonce="", **options):
        if nonce not in known:
            known[nonce] = await send(self, channel_id, drawn, nonce=nonce, **options)
        return known[nonce]

    async def opened(self, channel_id, message_id, *name, **options):
        if message_id not in known:
            known[message_id] = await open_thread(self, channel_id, message_id, *name, **options)
        return known[message_id]

    monkeypatch.setattr(Port, "send", remembered)
    monkeypatch.setattr(Port, "open_thread", opened)


def dies_at(monkeypatch, owner: Port | Timekeeping, step, *, is_done):
    """Let the process die at this step, before or after it was done."""
    real = getattr(owner, step)

    async def died(*args, **options):
        if is_done:
            await real(*args, **options)
        raise OverloadedError("killed")

    monkeypatch.setattr(owner, step, died)


async def start(room: Room, person=0, **options):
    """Give the command and wait until everything is drawn; return the answer."""
    result = await room.people[person].slash(room.channel, "shithead start", where="thread", **options)
    await room.idle()
    return result.response


def enter(room: Room):
    """Make the newest thread of the room's channel the room's channel; return the old one."""
    parent = room.channel
    room.channel = max(parent.threads, key=lambda each: each.id)
    return parent


def public_in(room: Room, channel_id):
    """The public messages of a channel."""
    return [each for each in room.env.backend.messages[channel_id].values() if each.visible_to(None) and not each.type]


def nothing_is_left(room: Room):
    return not (room.channel.threads or public_in(room, room.channel.id) or stored(room, "SELECT id FROM tables"))


async def test_the_table_is_in_a_thread_of_its_own_and_its_host_is_told_where(room: Room):
    told = await start(room)
    (thread,) = room.channel.threads
    assert told.ephemeral
    assert texts(told.components).startswith(f"Your table is open in <#{thread.id}>.")
    assert thread.name == "Shithead: Ann’s table"
    (doorpost,) = public_in(room, room.channel.id)
    assert doorpost.id == thread.id
    assert texts(doorpost.components) == "**Ann** has opened a table in this thread."
    enter(room)
    assert any(matches(each, "join") for each in ids_on(room.public()))


async def test_the_answer_in_the_channel_becomes_the_hand_and_can_be_played_from(followed: Room):
    room = followed
    await start(room, seats=2)
    parent = enter(room)
    await room.press(room.people[1], room.public(), "join")
    await room.house.hands.idle()
    (hand,) = room.notes(room.people[0], parent.id)
    assert "Swap before play" in texts(hand.components)
    ready = next(each for each in ids_on(hand) if matches(each, "ready"))
    await room.people[0].click(hand, custom_id=ready)
    assert "### Waiting for Bob" in texts(hand.components)


async def test_the_channel_stays_free_for_another_table_and_commands_find_the_right_one(room: Room):
    await start(room)
    first = room.table_id
    await room.people[1].slash(room.channel, "shithead start")
    await room.idle()
    assert room.table_id != first
    assert (await room.table()).channel_id == room.channel.id
    enter(room)
    left = await room.people[0].slash(room.channel, "shithead leave")
    assert texts(left.response.components) == "You left the table."
    again = await room.people[0].slash(room.channel, "shithead start")
    assert "Your table is open." in texts(again.response.components)


async def test_two_people_open_threads_in_one_channel_at_the_same_time(room: Room):
    people = room.people[:2]
    await together(room.env, *(each.slash(room.channel, "shithead start", where="thread") for each in people))
    await room.idle()
    assert {each.name for each in room.channel.threads} == {"Shithead: Ann’s table", "Shithead: Bob’s table"}
    assert len(stored(room, "SELECT id FROM tables WHERE channel_id > 0")) == 2


@pytest.mark.parametrize("at_once", [True, False])
async def test_f11_a_command_that_is_delivered_twice_opens_one_table_in_one_thread(room: Room, monkeypatch, at_once):
    remember_as_discord_does(monkeypatch)
    parsers, heard = room.house.bot._connection.parsers, []
    deliver = parsers["INTERACTION_CREATE"]

    def delivered(data):
        heard.append(data)
        for _ in range(1 + at_once):
            deliver(dict(data))

    monkeypatch.setitem(parsers, "INTERACTION_CREATE", delivered)
    await start(room)
    deliver(*heard)
    await room.env.settle()
    await room.house.bot.pending.done()
    await room.idle()
    enter(room)
    (shown,) = public_in(room, room.channel.id)
    assert shown.id == (await room.table()).message_id


@pytest.mark.parametrize(
    ("permission", "named"),
    [
        ("create_public_threads", "Create Public Threads"),
        ("send_messages_in_threads", "Send Messages in Threads"),
        ("send_messages", "Send Messages"),
        ("read_message_history", "Read Message History"),
    ],
)
async def test_a_missing_permission_is_named_and_nothing_is_left_over(room: Room, permission, named):
    room.forbid(**{permission: True})
    told = await start(room)
    assert told.ephemeral
    assert texts(told.components) == f"**I cannot open a thread here.** In this channel I need: **{named}**."
    assert nothing_is_left(room)


async def test_a_table_in_the_channel_needs_none_of_these_permissions(room: Room):
    room.forbid(create_public_threads=True, send_messages_in_threads=True, read_message_history=True)
    await room.open(seats=2)
    assert "2 of 6 seats\n" in texts(room.public().components)


def enter_private_thread(room: Room, *, archived=False, moderates=False):
    """Let everybody click in a thread that Discord calls private, which SimCord has not; return its id.

    The bot sees only those that it is in, unless it `moderates`.
    """
    room.forbid(manage_threads=not moderates)
    thread = room.env.backend.create_thread(room.channel.id, "ours", room.people[0].id)
    (room.channel,) = [each for each in room.channel.threads if each.id == thread.id]

    def hide(event, said):
        if event == "INTERACTION_CREATE":
            said["channel"] |= {"type": 12, "thread_metadata": {"archived": archived}}

    room.env.backend.subscribers.insert(0, hide)
    room.house.bot.get_guild(room.guild.id).get_thread(thread.id)._type = discord.ChannelType.private_thread
    return thread.id


@pytest.mark.parametrize("go_in", [enter, enter_private_thread])
async def test_no_thread_can_be_opened_within_a_thread(room: Room, go_in):
    await start(room)
    go_in(room)
    told = await start(room, person=1)
    assert texts(told.components).startswith("**You are in a thread already.**")
    assert told.ephemeral
    assert len(stored(room, "SELECT id FROM tables")) == 1


def forget(room: Room, thread):
    """Let the bot not know a thread, as after a restart if it is not in it."""
    room.house.bot.get_guild(room.guild.id)._threads.pop(thread)


async def test_where_the_server_is_unavailable_nobody_can_say_whether_the_bot_is_in_a_private_thread(room: Room):
    forget(room, enter_private_thread(room))
    room.house.bot.get_guild(room.guild.id).unavailable = True
    said = texts((await room.people[0].slash(room.channel, "shithead start")).response.components)
    assert "I am not in this private thread" not in said


@pytest.mark.parametrize(("archived", "is_known"), [(False, False), (True, False), (False, True)])
async def test_in_a_private_thread_that_the_bot_is_not_in_people_are_told_to_mention_it(room: Room, archived, is_known):
    thread = enter_private_thread(room, archived=archived)
    if not is_known:
        forget(room, thread)
    said = texts((await room.people[0].slash(room.channel, "shithead start")).response.components)
    is_outside = not (archived or is_known)
    assert (said == "**I am not in this private thread.** Mention me here, and try again.") == is_outside


@pytest.mark.parametrize("archived", [False, True])
async def test_whoever_clicks_at_a_paused_table_in_a_private_thread_without_the_bot_is_told_to_mention_it(
    room: Room, archived
):
    thread = enter_private_thread(room, archived=archived)
    ann = room.people[0]
    hand = (await ann.slash(room.channel, "shithead practice")).response
    await room.idle()
    forget(room, thread)
    fail(room, ("PATCH", "/channels/*/messages/*"), 403, 50001, times=9)
    await room.press(ann, hand, "ready")
    await room.idle()
    assert (await room.table()).paused
    await room.press(ann, room.public(), "hand")
    assert texts(room.notes(ann)[-1].components) == (
        "**I am not in this private thread.** Mention me here, and try again."
    )


@pytest.mark.parametrize("command", ["hand", "table"])
async def test_f22_a_game_in_an_archived_private_thread_in_which_the_bot_is_goes_on_with_a_click(room: Room, command):
    thread = enter_private_thread(room, archived=True)
    await in_play(room)
    forget(room, thread)
    person = await pause(room)
    await person.slash(room.channel, f"shithead {command}")
    await room.idle()
    assert not (await room.table()).paused


async def test_f22_a_game_from_whose_thread_the_bot_is_taken_says_so_and_goes_on_once_the_bot_is_back(room: Room):
    backend, thread = room.env.backend, enter_private_thread(room)
    backend.add_thread_member(thread, backend.bot_user.id)
    await in_play(room)
    backend.remove_thread_member(thread, backend.bot_user.id)
    await room.env.settle()
    person = await pause(room, ("*", "/channels/*"), 50001, times=99)
    (told,) = (await person.slash(room.channel, "shithead hand")).followups
    answer = (await person.slash(room.channel, "shithead table")).response
    assert {texts(each.components) for each in (told, answer)} == {
        "**I am not in this private thread.** Mention me here, and try again."
    }
    backend.faults.clear()
    backend.add_thread_member(thread, backend.bot_user.id)
    backend.announce_thread_create(backend.get_channel(thread))
    await room.env.settle()
    (told,) = (await person.slash(room.channel, "shithead hand")).followups
    assert "It is being posted again, and the clock is running." in texts(told.components)
    await room.idle()
    assert not (await room.table()).paused


async def test_a_bot_that_moderates_threads_opens_tables_in_private_ones_that_it_was_not_told_of(room: Room):
    forget(room, enter_private_thread(room, moderates=True))
    await room.open(seats=2)
    assert "2 of 6 seats\n" in texts(room.public().components)


@pytest.mark.parametrize("moderates", [False, True])
async def test_a_private_thread_that_the_bot_is_taken_out_of_stays_known_if_the_bot_moderates_threads(
    room: Room, moderates
):
    backend, thread = room.env.backend, enter_private_thread(room, moderates=moderates)
    backend.add_thread_member(thread, backend.bot_user.id)
    backend.remove_thread_member(thread, backend.bot_user.id)
    await room.env.settle()
    assert (room.house.bot.get_guild(room.guild.id).get_thread(thread) is not None) == moderates


async def test_a_public_thread_that_the_bot_is_taken_out_of_stays_known(room: Room):
    room.forbid(manage_threads=True)
    backend = room.env.backend
    thread = backend.create_thread(room.channel.id, "ours", room.people[0].id).id
    backend.add_thread_member(thread, backend.bot_user.id)
    backend.remove_thread_member(thread, backend.bot_user.id)
    await room.env.settle()
    assert room.house.bot.get_guild(room.guild.id).get_thread(thread) is not None


async def test_a_bot_that_does_not_know_itself_in_a_server_forgets_a_private_thread_and_shows_pictures(room: Room):
    backend, thread, bot = room.env.backend, enter_private_thread(room), room.house.bot
    backend.add_thread_member(thread, backend.bot_user.id)
    guild = bot.get_guild(room.guild.id)
    guild._members.clear()
    assert bot.may_show_pictures(guild.id, thread)
    await bot.on_thread_remove(guild.get_thread(thread))
    assert guild.get_thread(thread) is None


async def test_in_a_channel_without_threads_the_refusal_says_so(room: Room):
    room.channel = room.guild.create_voice_channel("talk")
    told = await start(room)
    assert texts(told.components).startswith("**This channel cannot have threads.**")
    assert not stored(room, "SELECT id FROM tables")


@pytest.mark.parametrize(("request_", "code"), [(POST, 50013), (OPEN, 50013), (OPEN, 160006)])
async def test_if_discord_refuses_the_thread_nothing_is_left_over(room: Room, request_, code):
    fail(room, request_, 403, code)
    told = await start(room)
    assert texts(told.components).startswith("**Discord did not let me open a thread,**")
    assert nothing_is_left(room)
    again = await start(room)
    assert "Your table is open in" in texts(again.components)


@pytest.mark.parametrize("step", ["place", "threaded"])
async def test_while_the_database_fails_it_is_tried_again_until_there_is_one_table(room: Room, monkeypatch, step):
    async def unavailable(*_, **_where):
        raise Declined(Decline.SAVING_FAILED)

    with monkeypatch.context() as store:
        store.setattr(room.tables.timekeeping, step, unavailable)
        told = await start(room)
    assert texts(told.components).startswith("**Discord is slow just now.**")
    remember_as_discord_does(monkeypatch)
    room.house.painter.retry()
    await room.idle()
    enter(room)
    assert any(matches(each, "join") for each in ids_on(room.public()))


async def test_too_many_tables_open_no_thread(room: Room):
    for _ in range(3):
        await start(room)
    assert len(room.channel.threads) == 3
    told = await start(room)
    assert "Too many of your tables" in texts(told.components)
    assert len(room.channel.threads) == 3


@pytest.mark.parametrize(
    ("request_", "error"),
    [(POST, (503, 0)), (OPEN, (503, 0)), (OPEN, (403, 40333))],
    ids=["post", "open", "refused all"],
)
async def test_while_discord_fails_it_is_tried_again_until_there_is_one_table(room: Room, request_, error):
    fail(room, request_, *error)
    told = await start(room)
    assert texts(told.components).startswith("**Discord is slow just now.**")
    room.house.painter.retry()
    await room.idle()
    (thread,) = room.channel.threads
    assert len(public_in(room, room.channel.id)) == 1
    enter(room)
    assert any(matches(each, "join") for each in ids_on(room.public()))
    assert (await room.table()).channel_id == thread.id


async def join_in_the_only_thread(room: Room):
    """Sit down at the table, which is shown once, in the one thread of the one message in the channel."""
    (doorpost,) = public_in(room, room.channel.id)
    assert {each.id for each in room.channel.threads} == {doorpost.id}
    enter(room)
    assert len(public_in(room, room.channel.id)) == 1
    await room.press(room.people[1], room.public(), "join")
    assert "2 of 6 seats\n" in texts(room.public().components)


@pytest.mark.parametrize(
    ("part", "step"),
    [("rows", "open"), ("port", "send"), ("port", "open_thread"), ("tables", "place"), ("rows", "place")],
)
@pytest.mark.parametrize("is_done", [False, True])
async def test_f56_if_discord_takes_no_answer_while_a_thread_is_opened_the_table_is_shown_there_all_the_same(
    room: Room, monkeypatch, part, step, is_done
):
    remember_as_discord_does(monkeypatch)
    monkeypatch.setattr(replies, "DEFER_AFTER", 0.03)
    owner = {"rows": room.house.store.tables, "port": room.house.port, "tables": room.tables.timekeeping}[part]
    real = getattr(owner, step)

    async def slowly(*args, **options):
        monkeypatch.setattr(owner, step, real)
        done = await real(*args, **options) if is_done else None
        await asyncio.sleep(SLOW)
        return done if is_done else await real(*args, **options)

    monkeypatch.setattr(owner, step, slowly)
    fail(room, CALLBACK, 404, 10062)
    command = await room.people[0].slash(room.channel, "shithead start", where="thread")
    await room.env.advance_time(SLOW)
    await room.idle()
    room.house.painter.retry()
    await room.idle()
    assert not command.acknowledged
    await join_in_the_only_thread(room)


@pytest.mark.parametrize(
    ("part", "step"), [("port", "send"), ("port", "open_thread"), ("tables", "place"), ("tables", "threaded")]
)
@pytest.mark.parametrize("is_done", [False, True])
async def test_f56_wherever_the_process_dies_the_next_one_ends_with_one_thread_and_one_table(
    room: Room, monkeypatch, part, step, is_done
):
    remember_as_discord_does(monkeypatch)
    dies_at(monkeypatch, room.house.port if part == "port" else room.tables.timekeeping, step, is_done=is_done)
    await room.rest()  # a process that died does nothing later
    told = await room.people[0].slash(room.channel, "shithead start", where="thread")
    assert texts(told.response.components).startswith("**Discord is slow just now.**")
    await room.restart()
    await join_in_the_only_thread(room)


async def test_f56_a_thread_in_which_its_table_could_not_be_posted_yet_shows_it_after_a_restart(
    room: Room, monkeypatch
):
    remember_as_discord_does(monkeypatch)
    send = Port.send

    async def fails_in_the_thread(port, channel_id, *drawn, **options):
        if channel_id != room.channel.id:
            raise OverloadedError("on purpose")
        return await send(port, channel_id, *drawn, **options)

    quickly(room)
    fail(room, OPEN, 503)
    with monkeypatch.context() as failing:
        failing.setattr(Port, "send", fails_in_the_thread)
        await start(room)
    await room.restart()
    enter(room)
    assert len(public_in(room, room.channel.id)) == 1


async def test_f56_whoever_is_refused_a_thread_is_told_so_even_if_a_retry_was_refused_meanwhile(
    room: Room, monkeypatch
):
    painter, real = room.house.painter, room.house.port.open_thread

    async def overtaken(*args, **options):
        monkeypatch.setattr(room.house.port, "open_thread", real)
        painter.retry()
        await painter.idle()
        return await real(*args, **options)

    monkeypatch.setattr(room.house.port, "open_thread", overtaken)
    fail(room, OPEN, 403, 50013, times=2)
    told = await start(room)
    assert texts(told.components).startswith("**Discord did not let me open a thread,**")
    assert nothing_is_left(room)


async def test_f56_a_table_whose_removal_the_database_did_not_confirm_does_not_come_back_without_it(
    room: Room, monkeypatch
):
    fail(room, POST, 403, 50013)
    lose_answer(room.house.store, monkeypatch, "remove", readable=False)
    await start(room)
    monkeypatch.undo()
    room.house.painter.retry()
    await room.idle()
    assert not stored(room, "SELECT id FROM tables")
    assert nothing_is_left(room)


async def test_an_existing_thread_of_the_message_is_used(room: Room):
    fail(room, OPEN, 400, 160004)
    await start(room)
    assert (await room.table()).channel_id == public_in(room, room.channel.id)[0].id


async def test_a_table_whose_time_is_up_before_its_thread_opens_leaves_nothing(room: Room):
    fail(room, OPEN, 503, times=99)
    await start(room)
    await pass_by(room, minutes=16)
    assert nothing_is_left(room)


@pytest.mark.parametrize(
    ("command", "said"), [("privacy delete", "You are still at a table"), ("hand", "There is no table in this channel")]
)
async def test_who_is_led_to_a_table_that_waits_for_its_thread_comes_to_its_message_in_the_channel(
    room: Room, command, said
):
    fail(room, OPEN, 503, times=99)
    ann = room.people[0]
    await ann.slash(room.channel, "shithead start", where="thread")
    (doorpost,) = public_in(room, room.channel.id)
    told = texts((await ann.slash(room.channel, f"shithead {command}")).response.components)
    assert said in told
    assert f"(https://discord.com/channels/{room.guild.id}/{room.channel.id}/{doorpost.id})" in told


async def test_the_threads_title_has_the_servers_language_and_name_for_the_game(room: Room):
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(locale="de", polite=True))
    await start(room)
    (thread,) = room.channel.threads
    assert re.match("Palace: .*Ann", not_none(thread.name))


async def test_a_slow_game_stays_in_sight_for_a_week_and_others_for_a_day(room: Room):
    await start(room)
    await start(room, pace="slow")
    quick, slow = (room.env.backend.channels[each.id].thread_metadata for each in room.channel.threads)
    assert (quick.auto_archive_duration, slow.auto_archive_duration) == (1440, 10080)


async def test_reminders_and_rematches_are_posted_in_the_thread(room: Room):
    await start(room, seats=2)
    parent = enter(room)
    await room.press(room.people[1], room.public(), "join")
    await pass_by(room, seconds=100)
    assert f"<@{room.people[1].id}>" in texts(room.public().components)
    assert len(public_in(room, parent.id)) == 1
    await room.confirm(room.people[0], "stop")
    await room.press(room.people[0], room.public(), "rematch")
    table = await room.table()
    assert (table.status, table.channel_id) == ("lobby", room.channel.id)


@pytest.mark.parametrize("gone", ["thread", "channel"])
async def test_f23_deleting_the_thread_or_its_channel_ends_the_game(room: Room, gone):
    await start(room, seats=2)
    parent = enter(room)
    await room.press(room.people[1], room.public(), "join")
    room.env.backend.delete_channel(room.channel.id if gone == "thread" else parent.id)
    await room.env.settle()
    assert (await room.table()).status == "aborted"


@pytest.mark.parametrize("over", [False, True])
async def test_a_thread_that_was_deleted_is_announced_no_more(room: Room, over):
    await start(room, seats=2)
    parent = enter(room)
    await room.press(room.people[1], room.public(), "join")
    if over:
        await play_on(room)
        await room.idle()
    assert len(public_in(room, parent.id)) == 1
    room.env.backend.delete_channel(room.channel.id)
    await room.env.settle()
    await room.idle()
    assert public_in(room, parent.id) == []
