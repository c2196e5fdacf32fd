"""Settings of people and of servers, by commands and clicks."""

import re
from dataclasses import replace

import discord
import pytest
from simcord import MemberActor, ResponseMessage

from cogs.screens.components import ACTION_ROW, SELECT, Style, walk
from cogs.screens.ids import format_id
from cogs.settings_topic import with_choice
from data.guild_models import GuildSettings, Preferences
from testkit.channel import DRAWN, Room, ids_on
from testkit.faults import in_play, pass_by, requests
from testkit.found import not_none
from testkit.made import labels, texts
from testkit.shortcuts import manager, sentence, settled


async def chosen(room: Room, person: MemberActor):
    return await room.tables.people.preferences(room.guild.id, person.id)


async def test_a_switch_of_an_earlier_version_saves_nothing_and_says_so(room: Room):
    ann = room.people[0]
    page = (await ann.slash(room.channel, "shithead me")).response
    switches = [
        each for each in walk(room.env.backend.messages[room.channel.id][page.id].components) if "label" in each
    ]
    for switch, argument in zip(switches, ("colour_blind=on", "quiet"), strict=False):
        switch["custom_id"] = format_id("mine", argument=argument)
        told = await ann.click(page, custom_id=switch["custom_id"])
        assert sentence(told).startswith("**That setting no longer exists.**")
    assert "Saved" not in texts(page.components)


async def test_the_settings_name_suits_in_words_because_text_mode_is_switched_on_there(room: Room):
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    assert not set("♣♦♥♠") & set(texts(page.components) + "".join(labels(page.components)))


async def test_a_setting_of_a_server_that_only_an_earlier_version_had_saves_nothing_and_says_so(room: Room):
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    stored = room.env.backend.messages[room.channel.id][page.id].components
    switch = next(each for each in walk(stored) if "label" in each)
    switch["custom_id"] = format_id("guild", argument="colour_blind=on")
    told = await boss.click(page, custom_id=switch["custom_id"])
    assert sentence(told).startswith("**That setting no longer exists.**")
    assert "Saved" not in texts(page.components)


async def test_a_switch_pressed_twice_stays_on(room: Room):
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    switch = next(each for each in ids_on(page) if each.endswith("text_mode=on"))
    twin = (await room.people[0].slash(room.channel, "shithead me")).response
    await room.people[0].click(page, custom_id=switch)
    await room.people[0].click(twin, custom_id=switch)
    assert await chosen(room, room.people[0]) == Preferences(
        guild_id=room.guild.id, user_id=room.people[0].id, text_mode=True
    )


async def test_text_mode_and_four_colours_change_only_ones_own_hand(room: Room):
    room.house.bot.faces = DRAWN
    await room.start(seats=2)
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    ann, bob = room.people[:2]
    await room.press(ann, page, "mine", "four_colours=on")
    hers = blue_or_green((await room.press(ann, room.public(), "hand")).response)
    his = blue_or_green((await room.press(bob, room.public(), "hand")).response)
    assert len(hers) > 1
    assert len(his) > 1
    assert all(name.endswith("_4c") for name in hers)
    assert not any(name.endswith("_4c") for name in his)
    await room.press(ann, page, "mine", "text_mode=on")
    assert not faces_on((await room.press(ann, room.public(), "hand")).response)
    assert faces_on((await room.press(bob, room.public(), "hand")).response)


def faces_on(message: ResponseMessage):
    """The names of all card emojis in the texts and on the buttons of a message."""
    icons = {each["emoji"]["name"] for each in walk(message.components) if "emoji" in each}
    return icons | set(re.findall(r"<:(\w+):", texts(message.components)))


@pytest.mark.parametrize("switch", ["text_mode", "four_colours"])
async def test_an_open_hand_is_drawn_at_once_as_its_owner_now_wants_it_and_nobody_elses(followed: Room, switch):
    followed.house.bot.faces = DRAWN
    await in_play(followed)
    ann, bob = followed.people[:2]
    before = {person: dumped(await followed.hand(person)) for person in (ann, bob)}
    page = (await ann.slash(followed.channel, "shithead me")).response
    await settled(followed)
    edits = len(requests(followed, "PATCH", ""))
    for wanted in ("on", "off"):
        await followed.press(ann, page, "mine", f"{switch}={wanted}")
        await settled(followed)
        assert (dumped(followed.hands[ann]) == before[ann]) == (wanted == "off")
        assert dumped(followed.hands[bob]) == before[bob]
    assert len(requests(followed, "PATCH", "")) == edits + 2, "of her hand"


async def test_open_hands_are_drawn_at_once_with_the_name_of_the_game_that_a_server_now_wants(followed: Room):
    await in_play(followed)
    await followed.hand(followed.people[0])
    drawn, boss = [], await manager(followed)
    page = (await boss.slash(followed.channel, "shithead settings")).response
    for wanted in ("polite=on", "four_colours=on"):
        await settled(followed)
        edits = len(requests(followed, "PATCH", "/webhooks/"))
        await followed.press(boss, page, "guild", wanted)
        await settled(followed)
        drawn.append(len(requests(followed, "PATCH", "/webhooks/")) - edits)
    assert drawn == [2, 0], "the hands of two players"


@pytest.mark.parametrize("switch", ["text_mode", "four_colours", "called", "uncounted"])
async def test_an_old_message_of_a_table_is_not_posted_anew_for_what_only_one_player_sees(room: Room, switch):
    await in_play(room, pace="slow")
    await pass_by(room, minutes=70)  # the reminder of the turn is posted
    await pass_by(room, minutes=60)
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    requests_before = len(room.env.http_requests)
    await room.press(room.people[0], page, "mine", f"{switch}=on")
    await room.idle()
    assert [each.path for each in room.env.http_requests[requests_before + 1 :]] == [], "beside the answer"


async def test_a_page_in_the_lobby_stays_though_its_reader_changes_to_text_mode(followed: Room):
    await followed.open(seats=2)
    bob = followed.people[1]
    more = (await followed.press(bob, followed.public(), "more")).response
    before, page = dumped(more), (await bob.slash(followed.channel, "shithead me")).response
    await followed.press(bob, page, "mine", "text_mode=on")
    await settled(followed)
    assert dumped(more) == before


def dumped(message: ResponseMessage):
    """Everything on a message except the revision in its buttons."""
    return [(each.get("content"), each.get("label"), each.get("emoji")) for each in walk(message.components)]


def blue_or_green(message: ResponseMessage):
    """The card emojis of the two suits that four colours change."""
    return {name for name in faces_on(message) if "clubs" in name or "diamonds" in name}


async def test_people_who_want_no_reminder_get_none(room: Room):
    await in_play(room)
    for person in room.people[:2]:
        page = (await person.slash(room.channel, "shithead me")).response
        await room.press(person, page, "mine", "quiet=on")
    await pass_by(room, seconds=61)
    table = await room.table()
    assert (table.nudged, table.nudge_id) == (True, None)


async def test_where_the_server_wants_no_reminders_there_is_none_when_time_is_up_either(room: Room):
    before = await room.tables.servers.settings(room.guild.id)
    await room.tables.servers.choose(before, before.but(nudge_seconds=0))
    await in_play(room)
    await pass_by(room, minutes=3)
    table = await room.table()
    assert (table.overdue, table.nudge_id) == (True, None)
    assert labels(room.public().components) == ["My hand", "Rules", "More"]


async def test_a_reminder_has_a_button_that_switches_reminders_off(room: Room):
    await in_play(room)
    await pass_by(room, seconds=61)
    reminder = room.public()
    assert labels(reminder.components) == ["My hand", "Don’t ping me"]
    late = room.people[not_none((await room.tables.snapshot(room.table_id)).view.turn)]
    told = await room.press(late, reminder, "noping")
    assert told.response.ephemeral
    assert sentence(told) == "You won’t be reminded here any more. `/shithead me` turns reminders back on."
    assert (await chosen(room, late)).quiet
    assert reminder.id not in [message.id for message in room.channel.history()]
    other = next(person for person in room.people[:2] if person is not late)
    assert not (await chosen(room, other)).quiet


async def test_a_reminder_goes_or_comes_with_the_wish_for_reminders(room: Room):
    await in_play(room)
    await pass_by(room, seconds=61)
    reminder = room.public()
    late = room.people[not_none((await room.tables.snapshot(room.table_id)).view.turn)]
    page = (await late.slash(room.channel, "shithead me")).response
    await room.press(late, page, "mine", "called=on")
    assert room.public().id == reminder.id
    await room.press(late, page, "mine", "quiet=on")
    assert labels(room.public().components) == ["My hand", "Rules", "More"]
    await room.press(late, page, "mine", "quiet=off")
    assert labels(room.public().components) == ["My hand", "Don’t ping me"]


async def test_ones_settings_say_how_to_get_longer_turns(room: Room):
    said = texts((await room.people[0].slash(room.channel, "shithead me")).response.components)
    assert "-# Want longer turns? The host can double or quadruple the time under **More** in the lobby." in said


async def test_ones_settings_say_where_they_hold_and_where_their_language_comes_from(room: Room):
    said = texts((await room.people[0].slash(room.channel, "shithead me")).response.components)
    assert "For this server; you alone see this · in the language of your Discord" in said


@pytest.mark.parametrize("command", ["shithead settings", "palace settings"])
async def test_settings_are_only_for_people_who_manage_the_server(room: Room, command):
    assert "Only people who can manage this server" in sentence(await room.people[0].slash(room.channel, command))
    result = await (await manager(room)).slash(room.channel, command)
    assert "Settings of this server" in sentence(result)


async def test_people_who_no_longer_manage_the_server_cannot_change_its_settings(room: Room):
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    for role in room.env.backend.get_guild(room.guild.id).roles.values():
        role.permissions = discord.Permissions(view_channel=True, send_messages=True).value
    result = await room.press(boss, page, "guild", "polite=on")
    assert "Only people who can manage this server" in sentence(result)
    assert not (await room.tables.servers.settings(room.guild.id)).polite


async def test_a_server_that_chose_a_language_can_have_discords_again(room: Room):
    await room.open(seats=2)
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(locale="de"))
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    select = next(each for each in walk(page.components) if each.get("placeholder") == "Language of the tables")
    await boss.select(page, [select["options"][0]["value"]], custom_id=select["custom_id"])
    assert (await room.tables.servers.settings(room.guild.id)).locale is None
    assert "## Shithead · Classic" in texts(room.public().components)


async def test_a_server_changes_name_language_variant_and_reminder(room: Room):
    await room.open(seats=2)
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, page, "guild", "polite=on")
    assert "Palace · Classic" in texts(room.public().components)
    await room.choose(boss, page, "guild", "de")
    assert (await room.tables.servers.settings(room.guild.id)).locale == "de"
    assert "Plätz" in texts(room.public().components)
    for argument, value in (("variant", "karma"), ("nudge", "0")):
        id_ = next(each for each in ids_on(page) if argument in each)
        await boss.select(page, [value], custom_id=id_)
    await room.press(boss, page, "guild", "four_colours=on")
    settings = await room.tables.servers.settings(room.guild.id)
    assert (settings.variant, settings.nudge_seconds, settings.four_colours) == ("karma", 0, True)
    assert "Saved ✓" in texts(page.components)


async def test_the_language_setting_says_that_private_messages_have_their_readers_language(room: Room):
    page = (await (await manager(room)).slash(room.channel, "shithead settings")).response
    parts = page.components[0]["components"]
    nth = next(
        at for at, part in enumerate(parts) if part["type"] == ACTION_ROW and part["components"][0]["type"] == SELECT
    )
    assert parts[nth]["components"][0]["placeholder"] == "Language of the tables"
    said = parts[nth - 1]["content"]
    assert said == "-# Public messages are in this language, private ones in their reader’s own"


async def test_the_settings_of_a_server_say_where_discord_has_those_of_its_channels(room: Room):
    page = (await (await manager(room)).slash(room.channel, "shithead settings")).response
    where = "Where and by whom the commands may be used is set in Discord: Server Settings, Integrations"
    assert f"-# {where}" in texts(page.components)


async def test_ones_settings_show_what_is_on_by_colour_and_in_words(room: Room):
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    switches = {each["label"]: each["style"] for each in walk(page.components) if " · o" in each.get("label", "")}
    assert [label for label, style in switches.items() if style == Style.GREEN] == [
        "Reminders · on",
        "Count my games · on",
    ]
    assert [label for label, style in switches.items() if style == Style.GREY] == [
        *("Text mode · off", "Four colours · off", "Game started · off", "Daily digest · off")
    ]
    parts = page.components[0]["components"]
    nth = next(at for at, each in enumerate(parts) if "Reminders · on" in labels([each]))
    assert parts[nth - 1]["content"] == "-# A mention when others wait for you"


async def test_four_colours_of_the_server_apply_to_the_public_table(room: Room):
    room.house.bot.faces = replace(DRAWN)
    room.forbid(attach_files=True)
    plain = GuildSettings(guild_id=room.guild.id)
    await room.tables.servers.choose(plain, plain.but(four_colours=True))
    await room.start(seats=4)
    assert "_clubs_4c:" in texts(room.public().components) or "_diamonds_4c:" in texts(room.public().components)


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("locale", "tlh"),
        ("variant", "elephant"),
        ("nudge", "-1"),
        ("nudge", ""),
        ("polite=maybe", ""),
        ("guild_id=on", ""),
        ("", ""),
    ],
)
def test_an_unknown_setting_changes_nothing(what, value):
    assert with_choice(GuildSettings(guild_id=1), what, value, ()) is None


async def test_the_pages_lead_to_one_another(room: Room):
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    selects = [each["placeholder"] for each in walk(page.components) if each["type"] == SELECT]
    assert (selects[0], selects[-1]) == ("Language of the tables", "Reminder when a turn waits")
    await room.press(boss, page, "me")
    assert labels(page.components)[0] == "Text mode · off"
    await room.press(boss, page, "stored")
    assert "Nothing at all." in texts(page.components)


async def test_a_table_that_is_opened_while_a_setting_is_being_stored_is_shown_with_it(room: Room, monkeypatch):
    guilds, shown = room.house.store.guilds, await room.tables.servers.settings(room.guild.id)
    put = guilds.put

    async def slow(*choices):
        await room.open()
        await put(*choices)

    monkeypatch.setattr(guilds, "put", slow)
    await room.tables.servers.choose(shown, shown.but(polite=True))
    await room.idle()
    assert "Palace" in texts(room.public().components)


async def test_a_table_that_is_stored_once_a_setting_has_been_chosen_meanwhile_is_shown_with_it(
    room: Room, monkeypatch
):
    rows, shown = room.house.store.tables, await room.tables.servers.settings(room.guild.id)
    store = rows.open

    async def late(*table):
        await room.tables.servers.choose(shown, shown.but(polite=True))
        await store(*table)

    monkeypatch.setattr(rows, "open", late)
    await room.open()
    await room.idle()
    assert "Palace" in texts(room.public().components)
