"""Discord does not let the public message be drawn: F15 to F22, F24, F31, F43, F44."""

import asyncio
from datetime import timedelta

import discord
import pytest
from simcord.backend import serializers
from simcord.backend.models import Overwrite

from bot.faces import upload_faces
from bot.port import TRIES
from cogs.responder import SILENT
from cogs.screens.formatter import FaceEmojis, face_names
from testkit.channel import Room
from testkit.faults import (
    EDIT,
    POST,
    fail,
    in_play,
    on_turn,
    pass_by,
    pause,
    public_message,
    quickly,
    requests,
    revisions,
    snapshot,
)
from testkit.found import not_none
from testkit.made import texts
from testkit.offline import request_at
from testkit.shortcuts import finished, play_on, sentence

JOINED = "Cy"


async def join(room: Room, nth):
    """Somebody sits down; the message shows it as soon as Discord allows."""
    old = room.public()
    return await room.press(room.people[nth], old, "join")


async def test_f52_what_was_to_be_drawn_again_is_not_if_the_lease_was_lost_meanwhile(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    before, port = len(requests(room, "PATCH", "/channels/")), room.house.port

    async def stand_still(_):
        port.is_serving = lambda: False

    public_message(room)._sleep = stand_still
    fail(room, EDIT, 503)
    await person.click(hand, custom_id=play)
    await room.idle()
    assert len(requests(room, "PATCH", "/channels/")) == before + 1
    port.is_serving = lambda: True
    room.house.painter.retry()
    await room.idle()
    assert revisions(room.public()) == {(await room.table()).revision}


@pytest.mark.parametrize(
    ("row", "status", "code", "times"),
    [("f15", 500, 0, 1), ("f15", 502, 0, 2), ("f15", 504, 0, 2), ("f16", 503, 0, 2), ("f16", 503, 130000, 2)],
)
async def test_f15_f16_what_fails_for_a_moment_is_drawn_after_a_pause(room: Room, row, status, code, times):
    await room.open(seats=2)
    waits = quickly(room)
    fail(room, EDIT, status, code, times)
    assert (await join(room, 2)).acknowledged
    assert JOINED in texts(room.public().components)
    assert len(waits) == times
    assert waits == sorted(waits)
    assert all(wait >= 1 for wait in waits)


@pytest.mark.parametrize(("status", "times"), [(503, 3), (404, 1)])  # the latter of something else in its place
async def test_f16_what_fails_for_long_stays_marked_and_is_drawn_later(room: Room, status, times):
    await room.open(seats=2)
    waits = quickly(room)
    fail(room, EDIT, status, 0, times=times)
    await join(room, 2)
    assert JOINED not in texts(room.public().components)
    assert len(waits) == times - 1
    assert (await room.table()).status == "lobby"
    assert await room.tables.timekeeping.undrawn_tables() == (room.table_id,)
    room.house.painter.retry()
    await room.idle()
    assert JOINED in texts(room.public().components)
    assert await room.tables.timekeeping.undrawn_tables() == ()


@pytest.mark.parametrize("seconds", [61, 181], ids=["within-their-time", "when-it-is-up"])
async def test_f16_who_waits_is_notified_though_the_reminder_of_another_turn_could_not_be_removed(room: Room, seconds):
    await in_play(room)
    await pass_by(room, seconds=61)
    old, (person, hand, play) = room.public(), await on_turn(room)
    quickly(room)
    fail(room, EDIT, 503, times=TRIES)
    await person.click(hand, custom_id=play)
    await room.idle()
    assert room.public().id == old.id
    await pass_by(room, seconds=seconds)
    notified = requests(room, "POST", "/messages")[-1].json["allowed_mentions"].get("users")
    assert notified == [str((await on_turn(room))[0].id)] != [str(person.id)]
    assert old.id not in [message.id for message in room.channel.history()]


async def test_f17_a_connection_that_breaks_is_tried_again(room: Room, monkeypatch):
    await room.open(seats=2)
    waits, client = quickly(room), room.house.bot.http
    real, broken = client.request, [ConnectionResetError(104, "reset"), TimeoutError()]

    async def request(route, **options):
        if route.method == "PATCH" and broken:
            raise broken.pop()
        return await real(route, **options)

    monkeypatch.setattr(client, "request", request)
    await join(room, 2)
    assert JOINED in texts(room.public().components)
    assert len(waits) == 2


async def test_f18_fifty_moves_in_a_row_make_few_edits_and_no_move_waits(room: Room):
    await in_play(room)
    painter, gate = room.house.painter, asyncio.Event()

    async def closed(_seconds):
        await gate.wait()

    painter._sleep, painter._gap = closed, 1.0
    edits = len(requests(room, "PATCH", f"/channels/{room.channel.id}/messages"))
    before = await snapshot(room)
    for _ in range(50):
        now = await snapshot(room)
        if now.table.status != "playing":
            break
        request = request_at(
            now.table, now.table.players[not_none(now.view.turn)].user_id, id=room.env.backend.snowflake()
        )
        view = (await room.tables.play.hand(request)).view
        await room.tables.play.act(request, view.moves[0])
    after = await snapshot(room)
    assert after.moves > before.moves + 9
    gate.set()
    painter._gap = 0
    await room.idle()
    assert len(requests(room, "PATCH", f"/channels/{room.channel.id}/messages")) - edits <= 2
    assert revisions(room.public()) <= {after.table.revision}


@pytest.mark.parametrize(("status", "code"), [(429, 0), (403, 0), (403, 40333)])
async def test_f19_when_discord_refuses_everything_nothing_is_asked_for_a_minute(room: Room, status, code):
    await room.open(seats=2)
    painter, waits = room.house.painter, []

    async def sleep(seconds):
        waits.append(seconds)
        painter._broken_until = 0.0

    painter._sleep = sleep
    fail(room, EDIT, status, code)
    await join(room, 2)
    assert max(waits) > 59
    assert not (await room.table()).paused
    assert JOINED in texts(room.public().components)


async def change(room: Room):
    """Something that the public message must show."""
    host = room.people[0].id
    await room.tables.lobby.change(request_at(await room.table(), host, id=room.env.backend.snowflake()), seats=5)
    await room.idle()


async def test_f20_a_message_is_posted_anew_before_it_is_an_hour_old(room: Room):
    await room.open(seats=1)
    first = room.public().id
    for _ in range(5):
        await pass_by(room, minutes=12)
        await change(room)
    assert room.public().id != first
    assert first not in room.env.backend.messages[room.channel.id]
    opened, *moved = [each.json["flags"] & SILENT for each in requests(room, "POST", f"/{room.channel.id}/messages")]
    assert (opened, moved) == (0, [SILENT]), "that a table is moved is no news"


async def test_f20_where_discord_refuses_the_edit_for_age_it_is_posted_anew(room: Room):
    await room.open(seats=2)
    first = room.public().id
    fail(room, EDIT, 429, 30046)
    await join(room, 2)
    assert room.public().id != first
    assert JOINED in texts(room.public().components)


async def test_f20_a_table_that_is_posted_anew_for_age_brings_its_picture(room: Room):
    await in_play(room)
    first = room.public().id
    fail(room, EDIT, 429, 30046)
    room.house.painter.want(room.table_id)  # nothing in the picture has changed, so an edit would keep it
    await room.idle()
    assert room.public().id != first
    assert room.attached() == ["running.png"]


async def test_f20_a_table_is_posted_anew_for_age_though_its_picture_is_refused(room: Room):
    await in_play(room)
    first = room.public().id
    fail(room, EDIT, 400, 50035)
    fail(room, EDIT, 429, 30046)
    fail(room, POST, 400, 50035)
    person, hand, id_ = await on_turn(room)
    await person.click(hand, custom_id=id_)
    await room.idle()
    assert room.public().id != first
    assert room.attached() == []


async def test_f20_a_table_whose_message_was_published_is_posted_anew_where_edits_of_that_are_refused_for_long(
    room: Room, monkeypatch
):
    await in_play(room)
    published, client = room.public().id, room.house.bot.http
    real = client.request

    async def request(route, **options):
        if route.method == "PATCH" and route.url.endswith(f"/messages/{published}"):
            options["trace_request_ctx"].set()
            raise TimeoutError  # discord.py would wait for twenty minutes
        return await real(route, **options)

    monkeypatch.setattr(client, "request", request)
    waits = quickly(room)
    for _ in range(3):
        person, hand, play = await on_turn(room)
        await person.click(hand, custom_id=play)
        await room.idle()
        assert revisions(room.public()) == {(await room.table()).revision}
        assert room.attached() == ["running.png"]
    assert published not in room.env.backend.messages[room.channel.id]
    assert not waits


async def test_f20_where_even_a_new_message_is_refused_for_age_one_is_posted(room: Room):
    await room.open(seats=2)
    quickly(room)
    await pass_by(room, minutes=1)
    await room.restart()
    before = len(requests(room, "POST", f"/channels/{room.channel.id}/messages"))
    fail(room, EDIT, 429, 30046, times=20)
    await join(room, 2)
    assert len(requests(room, "POST", f"/channels/{room.channel.id}/messages")) == before + 1


async def delete(room: Room):
    room.env.backend.delete_message(room.channel.id, room.public().id)
    await room.env.settle()


async def deleted_thrice(room: Room):
    for paused in (False, False, True):
        await delete(room)
        await change(room)
        assert (await room.table()).paused is paused


async def test_f21_a_deleted_message_comes_again_but_not_for_ever(room: Room):
    await room.open(seats=2)
    await deleted_thrice(room)
    posted = len(requests(room, "POST", f"/channels/{room.channel.id}/messages"))
    room.house.painter.retry()
    await room.idle()
    assert len(requests(room, "POST", f"/channels/{room.channel.id}/messages")) == posted


async def test_f21_where_another_application_posted_the_message_a_new_one_takes_its_place(room: Room):
    """As after the host has replaced the application: Discord lets nobody edit the message of another one."""
    await in_play(room)
    old = room.public()
    fail(room, EDIT, 403, 50005)
    person, hand, play = await on_turn(room)
    result = await person.click(hand, custom_id=play)
    assert not result.followups
    await room.idle()
    assert room.public().id != old.id
    assert not (await room.table()).paused


async def test_f21_the_end_of_a_game_that_was_deleted_is_not_posted_again_because_its_debt_is_settled(room: Room):
    ended = await finished(room)
    await pass_by(room, hours=1)
    await delete(room)
    loser, winner = room.people[not_none(ended.view.shithead)], room.people[1 - not_none(ended.view.shithead)]
    posted = len(requests(room, "POST", f"/channels/{room.channel.id}/messages"))
    claims = (await winner.slash(room.channel, "tea served")).response
    await room.press(winner, claims, "serve")
    page = (await loser.slash(room.channel, "shithead privacy delete")).response
    await room.press(loser, page, "forget")
    assert "Done." in texts(page.components)
    assert len(requests(room, "POST", f"/channels/{room.channel.id}/messages")) == posted
    assert room.house.painter.behind == 0


async def test_f21_a_table_that_is_deleted_as_its_game_ends_is_posted_again(room: Room):
    await in_play(room)
    await delete(room)
    await play_on(room)
    assert "is the shithead" in texts(room.public().components)


async def test_f21_the_command_says_why_the_game_was_paused_and_goes_on(room: Room):
    await room.open(seats=2)
    await deleted_thrice(room)
    result = await room.people[1].slash(room.channel, "shithead table")
    assert result.response.ephemeral
    assert "**The table was paused:** its message was deleted" in texts(result.response.components)
    await room.idle()
    assert not (await room.table()).paused
    assert room.public()
    again = await room.people[1].slash(room.channel, "shithead table")
    assert "paused" not in texts(again.response.components)


async def test_f21_a_button_that_posts_the_table_again_says_so_and_nothing_else(room: Room):
    await in_play(room)
    more = (await room.press(room.people[0], room.public(), "more")).response
    for _ in range(3):
        await delete(room)
        room.house.painter.want(room.table_id)
        await room.idle()
    pressed = await room.press(room.people[0], more, "down")
    assert "It is being posted again, and the clock is running." in texts(more.components)
    assert not pressed.followups


async def test_f21_whoever_opens_a_table_where_one_is_paused_is_told_how_to_get_that_one_back(room: Room):
    await room.open(seats=2)
    await deleted_thrice(room)
    for nth, command in ((2, "start"), (1, "practice")):
        said = sentence(await room.people[nth].slash(room.channel, f"shithead {command}"))
        assert said.startswith("**This channel already has a table.** Play there, or open yours in a thread")
        assert said.endswith(
            " **The table was paused:** its message was deleted again and again. "
            "`/shithead table` posts it again, and the clock runs on."
        )


async def test_f21_whoever_clicks_next_is_told_why_the_game_was_paused(room: Room):
    await in_play(room)
    person, hand, play = await on_turn(room)
    for _ in range(3):
        await delete(room)
        room.house.painter.want(room.table_id)
        await room.idle()
    assert (await room.table()).paused
    result = await person.click(hand, custom_id=play)
    (note,) = result.followups
    assert note.ephemeral
    assert "was deleted again and again." in texts(note.components)
    assert "`/shithead table` posts it again, and the clock runs on." in texts(note.components)
    await room.idle()
    assert not (await room.table()).paused
    person, hand, play = await on_turn(room)
    assert not (await person.click(hand, custom_id=play)).followups


POSTED_AGAIN = "**The table was paused:** it could not be posted. It is being posted again, and the clock is running."


async def paused_by_a_refusal(room: Room):
    """Have a game paused whose move Discord forbade to draw; return the person who moved. It may be drawn again."""
    await in_play(room)
    return await pause(room)


async def test_f22_a_missing_permission_pauses_the_game_until_it_is_given_back(room: Room):
    await paused_by_a_refusal(room)
    asked = len(room.env.http_requests)
    room.house.painter.retry()
    await pass_by(room, hours=3)
    assert len(room.env.http_requests) == asked
    assert not any(player.away for player in (await room.table()).players)
    for _ in range(2):
        person, hand, play = await on_turn(room)
        assert (await person.click(hand, custom_id=play)).acknowledged
        await room.idle()
    assert not (await room.table()).paused
    assert revisions(room.public()) == {(await room.table()).revision}


async def test_f22_a_game_goes_on_once_the_permission_is_back_and_somebody_looks_who_is_not_on_turn(room: Room):
    person = await paused_by_a_refusal(room)
    await room.hand(person)  # whose turn is over
    await room.idle()
    assert not (await room.table()).paused
    assert revisions(room.public()) == {(await room.table()).revision}


async def test_f22_whoever_types_the_command_for_the_hand_is_told_of_the_pause_and_has_the_game_go_on(room: Room):
    person = await paused_by_a_refusal(room)
    room.forbid(send_messages=True)
    (told,) = (await person.slash(room.channel, "shithead hand")).followups
    assert "The table is paused" in texts(told.components)
    assert "**Send Messages**" in texts(told.components)
    room.forbid()
    (told,) = (await person.slash(room.channel, "shithead hand")).followups
    assert texts(told.components) == POSTED_AGAIN
    await room.idle()
    assert not (await room.table()).paused
    assert revisions(room.public()) == {(await room.table()).revision}


@pytest.mark.parametrize("again", [False, True])
async def test_f22_whoever_types_the_command_for_the_hand_in_a_paused_lobby_is_told_of_the_pause(room: Room, again):
    await (finished(room) if again else room.open(seats=2))
    ann = room.people[0]
    if again:
        await room.press(ann, room.public(), "rematch")
    fail(room, ("*", "/channels/*"), 403, 50013, times=9)
    await change(room)
    assert (await room.table()).paused
    room.env.backend.faults.clear()
    told = await ann.slash(room.channel, "shithead hand")
    assert [texts(each.components) for each in told.followups] == [POSTED_AGAIN]
    assert "### You are in" in texts(told.response.components)
    await room.idle()
    assert not (await room.table()).paused


async def test_f22_where_discord_forbids_to_draw_for_no_reason_that_is_known_whoever_clicks_is_told_of_the_pause(
    room: Room,
):
    person = await paused_by_a_refusal(room)
    fail(room, ("*", "/channels/*"), 403, 50013, times=9)
    for _ in range(2):
        (told,) = (await person.slash(room.channel, "shithead hand")).followups
        await room.idle()
        assert (texts(told.components), (await room.table()).paused) == (POSTED_AGAIN, True)


@pytest.mark.parametrize("lacking", [{}, {"send_messages": True}])
async def test_f22_whoever_stops_a_paused_game_is_not_told_that_it_goes_on_or_waits_for_a_permission(
    room: Room, lacking
):
    await paused_by_a_refusal(room)
    room.forbid(**lacking)
    stopped = await room.confirm(room.people[0], "stop")
    assert (stopped.followups, (await room.table()).status) == ([], "stopped")


async def test_f22_whoever_types_the_command_for_the_table_of_a_paused_game_is_told_that_it_is_paused(room: Room):
    person = await paused_by_a_refusal(room)
    room.forbid(send_messages=True)
    page = (await room.press(person, room.public(), "more")).response
    needs = "**The table is paused: I cannot show it.** In this channel I need: **Send Messages**."
    assert sentence(await person.slash(room.channel, "shithead table")) == needs
    pressed = await room.press(person, page, "down")
    assert (sentence(pressed), pressed.followups) == (needs, []), "it is said once"


async def test_f22_whoever_brings_a_paused_game_back_with_the_command_for_the_table_is_told_of_the_pause(room: Room):
    person = await paused_by_a_refusal(room)
    told = sentence(await person.slash(room.channel, "shithead table"))
    assert told == POSTED_AGAIN
    await room.idle()
    assert not (await room.table()).paused


async def test_f22_a_rematch_that_could_not_be_shown_is_refused_until_the_permission_is_back(room: Room):
    await finished(room)
    ann = room.people[0]
    room.forbid(send_messages=True)
    refused = await room.press(ann, room.public(), "rematch")
    assert "In this channel I need: **Send Messages**." in sentence(refused)
    assert (await room.table()).status == "over"
    room.forbid()
    await room.again(ann)
    assert "Swap before play" in texts(room.public().components)


async def test_f22_the_end_of_a_game_that_could_not_be_shown_is_at_the_next_click_in_the_channel(room: Room):
    await in_play(room)
    fail(room, EDIT, 403, 50013, times=9)
    await room.confirm(room.people[0], "stop")
    for _ in range(9):
        await room.idle()
        room.house.painter.retry()
    await room.idle()
    table, running = await room.table(), texts(room.public().components)
    assert (table.status, room.house.painter.behind) == ("stopped", 0)
    room.env.backend.faults.clear()
    stranger = room.people[5]
    room.forbid(send_messages=True)
    await stranger.slash(room.channel, "shithead help")
    await room.idle()
    assert texts(room.public().components) == running
    room.forbid()
    await stranger.slash(room.channel, "shithead help")
    await room.idle()
    assert "Ann stopped the game" in texts(room.public().components)
    asked = len(requests(room, "PATCH", "/channels/"))
    await stranger.slash(room.channel, "shithead help")
    await room.idle()
    assert len(requests(room, "PATCH", "/channels/")) == asked


def time_out(room: Room, **duration):
    """A moderator times the bot out. Discord tells it so whatever its intents are; SimCord does not."""
    backend, bot = room.env.backend, room.house.bot
    guild = backend.get_guild(room.guild.id)
    guild.members[bot.user.id].timed_out_until = (room.env.now() + timedelta(**duration)).isoformat()
    said = serializers.member_payload(backend, guild, guild.members[bot.user.id])
    bot._connection.parsers["GUILD_MEMBER_UPDATE"](said | {"guild_id": str(guild.id)})


async def test_f22_where_the_bot_is_timed_out_people_are_told_so_and_the_game_goes_on_afterwards(room: Room):
    await in_play(room)
    time_out(room, hours=1)
    person = await pause(room, ("*", "/channels/*"), 50001, times=99)
    (paused,) = (await person.slash(room.channel, "shithead hand")).followups
    elsewhere = room.guild.create_text_channel("elsewhere")
    said = [sentence(await person.slash(elsewhere, "shithead start", where=where)) for where in ("here", "thread")]
    needs = " In this channel I need: **a moderator to end my timeout**."
    assert [texts(paused.components), *said] == [
        f"**The table is paused: I cannot show it.**{needs}",
        f"**I cannot post a table here.**{needs}",
        f"**I cannot open a thread here.**{needs}",
    ]
    room.env.backend.faults.clear()
    await pass_by(room, hours=1, seconds=1)
    (told,) = (await person.slash(room.channel, "shithead hand")).followups
    assert texts(told.components) == POSTED_AGAIN
    await room.idle()
    assert not (await room.table()).paused
    assert revisions(room.public()) == {(await room.table()).revision}


async def test_f22_no_click_tries_to_post_a_table_that_never_was_though_discord_failed_before_it_forbade_it(room: Room):
    quickly(room)
    fail(room, POST, 503, times=TRIES)
    ann = room.people[0]
    await ann.slash(room.channel, "shithead start")
    await room.idle()
    fail(room, POST, 403, 50013, times=99)
    room.house.painter.retry()
    await room.idle()
    asked = len(requests(room, "POST", "/messages"))
    (told,) = (await ann.slash(room.channel, "shithead hand")).followups
    await room.idle()
    assert texts(told.components).endswith("`/shithead table` posts it again, and the clock runs on.")
    assert len(requests(room, "POST", "/messages")) == asked


async def test_f22_a_timeout_from_before_the_bot_became_an_administrator_keeps_no_table_away(room: Room):
    time_out(room, hours=1)
    everyone = room.env.backend.get_guild(room.guild.id).everyone_role
    everyone.permissions |= discord.Permissions.administrator.flag
    await room.open(seats=2)
    assert "2 of 6 seats\n" in texts(room.public().components)


@pytest.mark.parametrize("dealt", [False, True])
async def test_f22_a_paused_table_is_ended_after_a_week_so_that_its_people_can_be_forgotten(room: Room, dealt):
    await (in_play(room, seats=3) if dealt else room.open(seats=2))
    for request in (EDIT, POST):  # an old table is posted anew
        fail(room, request, 403, 50013, times=99)
    if dealt:
        person, hand, play = await on_turn(room)
        await person.click(hand, custom_id=play)
        await room.idle()
    else:
        await join(room, 2)
    assert (await room.table()).paused
    await pass_by(room, hours=6 * 24)
    await room.restart()
    assert (await room.table()).is_open
    ann = room.people[0]
    assert "You are still at a table" in sentence(await ann.slash(room.channel, "shithead privacy delete"))
    await pass_by(room, hours=25)
    table = await room.table()
    assert table.status == "aborted"
    page = (await ann.slash(room.channel, "shithead privacy delete")).response
    await room.press(ann, page, "forget")
    assert "Done." in texts(page.components)


@pytest.mark.parametrize(
    ("dealt", "said"),
    [
        (True, "Nobody played on, so the game has ended. Nobody owes anything for it."),
        (False, "Nobody played for a while."),
    ],
)
async def test_f22_a_table_that_is_ended_after_a_week_of_pause_says_that_nobody_played(room: Room, dealt, said):
    await (in_play(room) if dealt else room.open(seats=2))
    fail(room, EDIT, 403, 50013, times=1 + dealt)  # a table with a picture is also tried without it
    room.house.painter.want(room.table_id)
    await room.idle()
    assert (await room.table()).paused
    await pass_by(room, hours=8 * 24)
    shown = texts(room.public().components)
    assert said in shown
    assert "went wrong" not in shown


async def test_f22_whoever_clicks_at_a_table_that_cannot_be_shown_is_told_which_permission_is_missing(room: Room):
    await in_play(room)
    room.forbid(send_messages=True)
    fail(room, EDIT, 403, 50013, times=9)
    said = []
    for _ in range(2):
        person, hand, play = await on_turn(room)
        result = await person.click(hand, custom_id=play)
        await room.idle()
        said.append([texts(each.components) for each in result.followups])
    paused = "**The table is paused: I cannot show it.** In this channel I need: **Send Messages**."
    assert paused in said[1][0]
    assert (await room.table()).paused


@pytest.mark.parametrize("begin", [Room.open, in_play])
async def test_f22_a_table_is_not_moved_where_the_bot_may_not_post_and_goes_on_where_it_is(room: Room, begin):
    await begin(room, seats=2)
    await room.env.advance_time(45)
    room.forbid(send_messages=True)
    asked = len(requests(room, "POST", "/channels"))
    told = (await room.people[0].slash(room.channel, "shithead table")).response
    await room.idle()
    assert texts(told.components) == "**I cannot post a table here.** In this channel I need: **Send Messages**."
    assert len(requests(room, "POST", "/channels")) == asked
    assert not (await room.table()).paused


async def test_f22_a_reminder_that_may_not_be_posted_pauses_no_game_and_comes_once_it_may(room: Room):
    """A bot that may not send messages any more can still edit its table."""
    await in_play(room)
    room.forbid(send_messages=True)
    await pass_by(room, seconds=61)
    table = await room.table()
    assert (table.nudged, table.nudge_id, table.paused) == (True, None, False)
    assert revisions(room.public()) == {table.revision}
    room.forbid()
    await pass_by(room, minutes=2)  # the time is up, so the table is drawn again
    assert (await room.table()).nudge_id == room.public().id


async def test_f22_where_a_table_could_never_be_posted_nobody_is_told_that_it_was_deleted(room: Room):
    fail(room, ("POST", "/channels/*/messages"), 403, 50001, times=9)
    ann = room.people[0]
    hand = (await ann.slash(room.channel, "shithead practice")).response
    await room.idle()
    await room.press(ann, hand, "ready")
    await ann.slash(room.channel, "shithead table")
    said = [texts(each.components).partition("it could not be posted. ") for each in room.notes(ann)[-2:]]
    assert [(why, bool(how)) for why, how, _ in said] == [("**The table was paused:** ", True)] * 2
    assert said[0][2].endswith(" posts it again, and the clock runs on.")
    assert said[1][2] == "It is being posted again, and the clock is running."


async def test_f22_where_a_rematch_could_not_be_posted_nobody_is_told_that_its_message_was_deleted(room: Room):
    await finished(room)
    fail(room, ("POST", "/channels/*/messages"), 403, 50013)
    ann = room.people[0]
    await room.press(ann, room.public(), "rematch")
    assert (await room.table()).paused
    assert sentence(await ann.slash(room.channel, "shithead table")) == POSTED_AGAIN
    await room.idle()
    assert not (await room.table()).paused


async def test_the_host_is_told_once_that_automod_lets_the_table_not_through(room: Room):
    await room.open(seats=2)
    ann, bob, cy = room.people[:3]
    fail(room, EDIT, 400, 200000, times=4)
    told = []
    for person in (cy, bob, ann, ann):
        result = await room.press(person, room.public(), "join" if person is cy else "more")
        told.append(["AutoMod" in texts(each.components) and each.ephemeral for each in result.followups])
        room.house.painter.retry()
        await room.idle()
    assert told == [[], [], [True], []]
    assert not room.house.painter.blocked
    assert JOINED in texts(room.public().components)


async def test_only_the_host_of_the_table_that_automod_stops_is_told_of_it(room: Room):
    stopped = await room.open(seats=1)
    ann, bob, cy = room.people[:3]
    room.channel = room.guild.create_text_channel("elsewhere")
    await bob.slash(room.channel, "shithead start")
    await room.idle()
    fail(room, EDIT, 400, 200000, times=4)
    await room.press(cy, stopped, "join")
    assert (await room.press(bob, room.public(), "more")).followups == []
    (told,) = (await room.press(ann, stopped, "more")).followups
    assert "AutoMod" in texts(told.components)


async def open_in_thread(room: Room):
    """A lobby in a thread; the thread's path."""
    thread = room.env.backend.create_thread(room.channel.id, "cards", room.env.backend.bot_user.id)
    (room.channel,) = [each for each in room.channel.threads if each.id == thread.id]
    await room.open(seats=2)
    return f"/channels/{thread.id}"


def woken(room: Room, path):
    """What was asked of the thread itself."""
    return [each.json for each in requests(room, "PATCH", path) if each.path.endswith(path)]


async def test_f24_a_thread_that_sleeps_is_woken_and_drawn_in(room: Room):
    in_thread = await open_in_thread(room)
    fail(room, EDIT, 400, 50083)
    await join(room, 2)
    assert [each["archived"] for each in woken(room, in_thread)] == [False]
    assert JOINED in texts(room.public().components)
    assert not (await room.table()).paused


async def test_f24_a_thread_that_may_not_be_woken_pauses_the_game_until_it_can_be_drawn_in(room: Room):
    in_thread = await open_in_thread(room)
    fail(room, EDIT, 400, 50083)
    fail(room, ("PATCH", "/channels/*"), 403, 50001)
    await join(room, 2)
    assert len(woken(room, in_thread)) == 1
    assert (await room.table()).paused
    assert JOINED not in texts(room.public().components)
    await join(room, 3)
    assert not (await room.table()).paused
    assert JOINED in texts(room.public().components)


async def test_f24_a_thread_that_is_locked_pauses_the_game_and_the_next_click_is_told_why(room: Room):
    managing = discord.Permissions(manage_threads=True).value
    room.env.backend.set_overwrite(room.channel.id, Overwrite(target_id=room.guild.id, type=0, allow=0, deny=managing))
    in_thread = await open_in_thread(room)
    room.env.backend.edit_channel(room.channel.id, {}, thread_metadata={"locked": True})
    await room.env.settle()
    fail(room, EDIT, 403, 160005, times=9)
    await join(room, 2)
    assert (await room.table()).paused
    assert not woken(room, in_thread)
    asked = len(room.env.http_requests)
    room.house.painter.retry()
    await room.idle()
    assert len(room.env.http_requests) == asked
    result = await join(room, 3)
    assert "I need: **Manage Threads**." in texts(result.followups[0].components)


async def test_f31_what_was_committed_but_not_drawn_is_drawn_by_the_next_process(room: Room):
    await in_play(room)
    await room.rest()
    person = room.people[not_none((await snapshot(room)).view.turn)]
    view = (await room.tables.play.hand(request_at(await room.table(), person.id, id=0))).view
    now = (await room.table()).revision
    number = room.env.backend.snowflake()
    await room.tables.play.act(request_at(await room.table(), person.id, id=number, seen=now), view.moves[0])
    assert revisions(room.public()) == {now}
    await room.restart()
    assert revisions(room.public()) == {now + 1}


async def test_f30_a_restart_draws_nothing_that_is_up_to_date(room: Room):
    await in_play(room)
    edited = len(requests(room, "PATCH", f"/channels/{room.channel.id}/messages"))
    await room.restart()
    assert len(requests(room, "PATCH", f"/channels/{room.channel.id}/messages")) == edited
    assert "restarted" not in texts(room.public().components)


async def test_f30_whoever_has_not_opened_a_hand_since_the_restart_is_told_what_to_press(room: Room):
    await in_play(room)
    await pass_by(room, seconds=5)
    await room.restart()
    for hinted in (True, False):  # the second to play has opened no hand since, then the first has
        seat = (await snapshot(room)).view.turn
        while (await snapshot(room)).view.turn == seat:
            person, hand, move = await on_turn(room)
            await person.click(hand, custom_id=move)
            await room.idle()
        assert ("The bot was restarted: press **My hand**" in texts(room.public().components)) is hinted


@pytest.mark.parametrize(("restarted", "minutes", "is_told"), [(True, 13, True), (True, 15, False), (False, 15, False)])
async def test_f30_hands_that_are_too_old_anyway_are_not_blamed_on_a_restart(room: Room, restarted, minutes, is_told):
    await in_play(room, pace="slow")
    await pass_by(room, seconds=5)
    if restarted:
        await room.restart()
    await pass_by(room, minutes=minutes)
    seat = (await snapshot(room)).view.turn
    while (await snapshot(room)).view.turn == seat:
        person, hand, move = await on_turn(room)
        await person.click(hand, custom_id=move)
        await room.idle()
    assert ("The bot was restarted: press **My hand**" in texts(room.public().components)) is is_told


async def test_f43_faces_that_cannot_be_uploaded_are_text(room: Room):
    room.forbid(attach_files=True)

    class Nowhere:
        async def read_note(self, name):
            return ""

        async def write_note(self, name, text):
            return None

    fail(room, ("POST", "/applications/*/emojis"), 400, 50035, times=999)
    room.house.bot.faces = FaceEmojis(await upload_faces(room.house.bot, Nowhere(), face_names()))
    await in_play(room)
    assert not room.house.bot.faces.emojis
    assert any(suit in texts(room.public().components) for suit in "♣♦♥♠")


async def test_f44_a_drawing_that_fails_stops_neither_clicks_nor_other_tables(room: Room):
    await in_play(room)
    first, drawing = room.table_id, public_message(room)._drawing
    real = drawing.pictured

    async def broken(snapshot, shown):
        if snapshot.table.id == first:
            raise ValueError("cannot be drawn")
        return await real(snapshot, shown)

    drawing.pictured = broken
    person, hand, play = await on_turn(room)
    before = await snapshot(room)
    assert (await person.click(hand, custom_id=play)).acknowledged
    await room.idle()
    assert (await snapshot(room)).moves == before.moves + 1
    other = room.guild.create_text_channel("other")
    await room.people[3].slash(other, "shithead start")
    await room.idle()
    assert other.last_message is not None
    assert await room.tables.timekeeping.undrawn_tables() == (first,)
