"""Statistics, privacy and settings, by commands and clicks."""

import asyncio
import json
import re
import threading
import tracemalloc
from dataclasses import replace
from datetime import datetime
from io import BytesIO
from zipfile import ZipFile

import discord
import pytest

from cogs import privacy_topic, replies
from cogs.screens import components
from cogs.screens.components import ACTION_ROW, SELECT, Style, walk
from cogs.screens.formatter import formatter
from cogs.screens.ids import format_id
from cogs.screens.rules_screens import suggested
from cogs.screens.settings_screens import ranks_screen, score_screen, stored_file
from cogs.settings_topic import with_choice
from data.game_models import Finish, Losses, Played
from data.guild_models import GuildSettings, Preferences
from tables.people_service import score_of
from tables.snapshots import Decline, Declined, Score
from testkit.channel import BEFORE, DRAWN, ids_on, together
from testkit.faults import in_play, pass_by
from testkit.made import labels, texts
from testkit.shortcuts import finished, manager, sent_file, sentence


async def chosen(room, person):
    return await room.tables.people.preferences(room.guild.id, person.id)


async def test_statistics_of_a_person_and_of_the_server(room):
    snapshot = await finished(room)
    loser = room.people[snapshot.view.shithead]
    said = sentence(await room.people[5].slash(room.channel, "shithead stats", player=loser))
    assert f"<@{loser.id}> · 1 game" in said
    assert "**Shithead once (100%)**" in said
    assert "Likely" not in said, "one game tells nothing"
    assert "Longest losing streak: 1 game" in said
    board = await room.people[5].slash(room.channel, "shithead stats")
    lines = [line for line in sentence(board).splitlines() if "<@" in line]
    assert str(loser.id) in lines[1]
    assert "lost 1 of 1 game (100%)" in lines[1]
    assert "-# Games against computers count, too" in sentence(board).splitlines()
    own = await room.press(room.people[5], board.response, "mystats")
    assert "has not finished a game here yet" in sentence(own)


def test_from_five_games_on_statistics_say_how_sure_they_are():
    for games, told in ((4, False), (5, True)):
        own = texts(score_screen(formatter(), 1, Score(games, 2, 0.21, 0.9, 2, 1)))
        board = texts(ranks_screen(formatter(), [Losses(1, games, 1), Losses(2, 1, 0)]))
        assert ("Likely between 21% and 90%" in own) == told
        assert ("Sorted cautiously, so one lucky game does not put you on top · Games against" in board) == told


async def test_strength_is_a_page_of_the_statistics(room):
    snapshot = await finished(room)
    asker, loser = room.people[5], room.people[snapshot.view.shithead]
    board = (await asker.slash(room.channel, "shithead stats")).response
    assert "No game without hints has been finished here yet" in sentence(await room.press(asker, board, "strength"))
    table = await room.table()
    made = [(table.players[seat].user_id, None) for seat in snapshot.view.out] + [(loser.id, None), (None, "master")]
    finishes = [Finish(table.id, 1, len(made), None, *each) for each in made]

    async def told(*_):
        return finishes

    room.house.store.scores.finishes = told
    room.tables.people._strengths.drop(room.guild.id)
    lines = [line for line in sentence(await room.press(asker, board, "strength")).splitlines() if "±" in line]
    assert [str(loser.id) in line for line in lines] == [False, True, False]
    assert re.fullmatch(r"3\\. computer, master 🤖 · \*\*\d+\*\* ± \d+ · 1 game", lines[2])
    await room.tables.people.choose(Preferences(guild_id=room.guild.id, user_id=asker.id, text_mode=True))
    assert "3\\. computer, master · **" in sentence(await room.press(asker, board, "strength"))


async def test_nobody_has_statistics_before_the_first_game(room):
    assert "No game has been finished here yet" in sentence(await room.people[0].slash(room.channel, "palace stats"))


async def test_people_who_want_no_statistics_are_on_no_board(room):
    await finished(room)
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    await room.press(room.people[0], page, "mine", "uncounted=on")
    assert "Count my games · off" in labels(page.components)
    assert "Saved ✓" in texts(page.components)
    asked = await room.people[1].slash(room.channel, "shithead stats", player=room.people[0])
    assert "has turned statistics off here" in sentence(asked)
    board = sentence(await room.people[1].slash(room.channel, "shithead stats"))
    assert f"<@{room.people[0].id}>" not in board
    assert f"<@{room.people[1].id}>" in board


async def test_a_switch_of_an_earlier_version_saves_nothing_and_says_so(room):
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


async def test_a_switch_pressed_twice_stays_on(room):
    page = (await room.people[0].slash(room.channel, "shithead me")).response
    switch = next(each for each in ids_on(page) if each.endswith("text_mode=on"))
    twin = (await room.people[0].slash(room.channel, "shithead me")).response
    await room.people[0].click(page, custom_id=switch)
    await room.people[0].click(twin, custom_id=switch)
    assert await chosen(room, room.people[0]) == Preferences(
        guild_id=room.guild.id, user_id=room.people[0].id, text_mode=True
    )


async def test_text_mode_and_four_colours_change_only_ones_own_hand(room):
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


def faces_on(message):
    """The names of all card emojis in the texts and on the buttons of a message."""
    icons = {each["emoji"]["name"] for each in walk(message.components) if "emoji" in each}
    return icons | set(re.findall(r"<:(\w+):", texts(message.components)))


def blue_or_green(message):
    """The card emojis of the two suits that four colours change."""
    return {name for name in faces_on(message) if "clubs" in name or "diamonds" in name}


async def test_people_who_want_no_reminder_get_none(room):
    await in_play(room)
    for person in room.people[:2]:
        page = (await person.slash(room.channel, "shithead me")).response
        await room.press(person, page, "mine", "quiet=on")
    await pass_by(room, seconds=61)
    table = await room.table()
    assert (table.nudged, table.nudge_id) == (True, None)


async def test_a_reminder_has_a_button_that_switches_reminders_off(room):
    await in_play(room)
    await pass_by(room, seconds=61)
    reminder = room.public()
    assert labels(reminder.components) == ["My hand", "Don’t ping me"]
    late = room.people[(await room.tables.snapshot(room.table_id)).view.turn]
    told = await room.press(late, reminder, "noping")
    assert told.response.ephemeral
    assert sentence(told) == "You won’t be reminded here any more. `/shithead me` turns reminders back on."
    assert (await chosen(room, late)).quiet
    other = next(person for person in room.people[:2] if person is not late)
    assert not (await chosen(room, other)).quiet


async def test_a_suggestion_that_is_too_long_ends_with_a_sentence_or_a_whole_word(room):
    found = await room.people[0].autocomplete(room.channel, "shithead start", "variant", "")
    whole = {key: words for words, key in suggested(formatter(), [])}
    for each in found:
        if each["name"] != whole[each["value"]]:
            assert whole[each["value"]].startswith(each["name"].removesuffix("…"))
            assert re.match(r"\W", whole[each["value"]].removeprefix(each["name"].removesuffix("…")))
    assert any(each["name"].endswith("…") for each in found)


@pytest.mark.parametrize(("polite", "title"), [(False, "Shit Boot"), (True, "Boot")])
async def test_the_list_of_variants_is_as_polite_as_the_server(room, polite, title):
    settings = await room.tables.servers.settings(room.guild.id)
    await room.tables.servers.choose(settings, settings.but(polite=polite))
    game = "palace" if polite else "shithead"
    (found,) = await room.people[0].autocomplete(room.channel, f"{game} start", "variant", "shit-boot")
    assert found["name"].startswith(f"{title} · ")
    said = sentence(await room.people[0].slash(room.channel, f"{game} rules", variant="shit-boot"))
    assert said.startswith(f"## {'Palace' if polite else 'Shithead'} · {title}\n")


async def test_while_the_database_does_not_answer_nothing_is_suggested(room, monkeypatch):
    async def away(_guild_id):
        raise Declined(Decline.SAVING_FAILED)

    monkeypatch.setattr(room.tables.servers, "house_rules", away)
    assert await room.people[0].autocomplete(room.channel, "shithead start", "variant", "") == []


async def test_variants_that_begin_with_what_was_typed_come_first(room):
    found = await room.people[0].autocomplete(room.channel, "shithead start", "variant", "PA")
    begins = [each["name"].startswith("Pa") for each in found]
    assert True in begins
    assert False in begins  # such as those whose sentence says "pass"
    assert begins == sorted(begins, reverse=True)


async def test_ones_settings_say_how_to_get_longer_turns(room):
    said = texts((await room.people[0].slash(room.channel, "shithead me")).response.components)
    assert "-# Want longer turns? The host can double or quadruple the time under **More** in the lobby." in said


async def test_what_is_stored_is_counted_and_downloaded(room):
    await finished(room)
    result = await room.people[0].slash(room.channel, "shithead privacy show")
    assert "1 table\n" in sentence(result)
    assert "1 finished game" in sentence(result)
    export = await room.press(room.people[0], result.response, "export")
    content = (await sent_file(export).read()).decode()
    assert not re.search(r'(?<!["\d])\d{17}', content), "many parsers would round it"
    stored = json.loads(content)
    assert stored["person"] == str(room.people[0].id)
    here = stored["servers"][str(room.guild.id)]
    assert here["results"][0]["game"] == 1
    assert len(here["moves"]) > 5
    assert datetime.fromisoformat(here["moves"][0]["made_at"]).tzinfo is not None
    assert str(room.people[1].id) not in json.dumps(stored)
    same = await room.people[0].slash(room.channel, "shithead privacy export")
    assert sent_file(same).filename == "my-data.json"


async def test_the_file_of_what_is_stored_is_written_beside_the_clicks(room, monkeypatch):
    await finished(room)
    written_in = []

    def noted(*of):
        written_in.append(threading.current_thread())
        return stored_file(*of)

    monkeypatch.setattr(privacy_topic, "stored_file", noted)
    await room.people[0].slash(room.channel, "shithead privacy export")
    assert written_in
    assert threading.main_thread() not in written_in


def test_the_file_of_what_is_stored_takes_little_more_memory_than_its_size():
    """Somebody who has played for years may have 300,000 moves; a text joined from parts of each took nine times it."""
    move = {"table_id": 1 << 60, "game": 1, "n": 1, "seat": 0, "move": "play 7c 7d", "made_at": BEFORE}
    tracemalloc.start()
    _, content = stored_file({1: {"moves": [move] * 20_000}}, 5, BEFORE)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5 * len(content)


async def test_a_file_that_discord_would_refuse_is_zipped(room, monkeypatch):
    await finished(room)
    plain = await sent_file(await room.people[0].slash(room.channel, "shithead privacy export")).read()
    monkeypatch.setattr(components, "MOST_BYTES", len(plain) - 1)
    export = await room.people[0].slash(room.channel, "shithead privacy export")
    assert sent_file(export).filename == "my-data.json.zip"
    archive = ZipFile(BytesIO(await sent_file(export).read()))
    assert archive.namelist() == ["my-data.json"]
    assert json.loads(archive.read("my-data.json"))["servers"] == json.loads(plain)["servers"]


async def test_what_is_stored_is_read_for_a_person_once_at_a_time(room):
    await finished(room)
    ann, bob = room.people[:2]
    page = (await ann.slash(room.channel, "shithead privacy show")).response
    theirs = (await bob.slash(room.channel, "shithead privacy show")).response
    pressed = [person.click(on, custom_id="sh:export:0:0") for person, on in ((ann, page), (ann, page), (bob, theirs))]
    first, second, other = await together(room.env, *pressed)
    assert "already being put together" in sentence(second)
    assert [sent_file(each).filename for each in (first, other)] == ["my-data.json"] * 2
    again = await ann.slash(room.channel, "shithead privacy export")
    assert sent_file(again).filename == "my-data.json"


async def test_nothing_is_stored_about_a_stranger(room):
    await finished(room)
    assert "Nothing at all." in sentence(await room.people[5].slash(room.channel, "palace privacy show"))


async def test_what_is_stored_says_how_many_debts_are_still_open(room):
    snapshot = await finished(room)
    loser, winner = room.people[snapshot.view.shithead], room.people[1 - snapshot.view.shithead]
    said = sentence(await loser.slash(room.channel, "shithead privacy show"))
    assert "1 debt of yours · 1 open" in said
    assert "moves stored as yours" in said
    await room.press(winner, room.public(), "served")
    said = sentence(await loser.slash(room.channel, "shithead privacy show"))
    assert "1 debt of yours · 0 open" in said


async def test_deleting_asks_first_and_can_be_declined(room):
    await finished(room)
    page = (await room.people[0].slash(room.channel, "shithead privacy delete")).response
    assert "Forget you everywhere?" in texts(page.components)
    assert "\nWhat is owed only to you can then be settled only by a server manager.\n" in texts(page.components)
    await room.press(room.people[0], page, "stored")
    assert "What I store about you" in texts(page.components)
    assert await room.tables.people.stored(room.people[0].id)


def test_people_who_lost_as_often_in_as_many_games_have_the_same_rank():
    ranks = [Losses(1, 12, 3), Losses(2, 1, 0), Losses(3, 1, 0), Losses(4, 2, 1)]
    listed = re.findall(r"(\d)\\\. <@(\d)>", texts(ranks_screen(formatter(), ranks)))
    assert listed == [("1", "1"), ("2", "2"), ("2", "3"), ("4", "4")]


async def test_the_tea_board_is_public_and_its_button_shows_ones_own_claims(room):
    snapshot = await finished(room)
    loser, winner = room.people[snapshot.view.shithead], room.people[1 - snapshot.view.shithead]
    board = (await loser.slash(room.channel, "tea owed")).response
    assert not board.ephemeral
    assert f"<@{loser.id}>** owes the most and makes the next round" in texts(board.components)
    claims = await room.press(winner, board, "claims")
    assert claims.response.ephemeral
    await room.press(winner, claims.response, "serve")
    assert "Marked as served" in texts(claims.response.components)
    mine = await room.press(loser, board, "claims")
    assert "Nobody owes you anything" in texts(mine.response.components)


@pytest.mark.parametrize("forgotten", [0, 2])
async def test_the_voters_who_stopped_a_game_are_still_named_after_one_is_forgotten(room, forgotten):
    await room.start(seats=4)
    for person in room.people[1:4]:
        await room.press(person, (await room.press(person, room.public(), "more")).response, "stopping")
    await room.confirm(room.people[3], "stop")
    page = (await room.people[forgotten].slash(room.channel, "shithead privacy delete")).response
    await room.press(room.people[forgotten], page, "forget")
    bob, cy, dee = (f"<@{person.id}>" for person in room.people[1:4])
    cy = cy if forgotten == 0 else "Former player"
    assert f"{bob}, {cy} and {dee} voted for it. Nobody owes anything." in texts(room.public().components)


async def test_a_game_stopped_by_somebody_now_forgotten_names_nobody_else(room):
    await room.start()
    await room.confirm(room.people[0], "stop")
    assert "# Ann stopped the game\n" in texts(room.public().components)
    page = (await room.people[0].slash(room.channel, "shithead privacy delete")).response
    await room.press(room.people[0], page, "forget")
    assert "# Former player stopped the game\n" in texts(room.public().components)


async def test_a_forgotten_player_becomes_a_former_player_and_still_owes(room):
    snapshot = await finished(room)
    loser, winner = room.people[snapshot.view.shithead], room.people[1 - snapshot.view.shithead]
    assert loser.name.title() in texts(room.public().components)
    page = (await loser.slash(room.channel, "shithead privacy delete")).response
    await room.press(loser, page, "forget")
    assert "Done. Nothing stored here" in texts(page.components)
    assert await room.tables.people.stored(loser.id) == {}
    end = room.public()
    assert "Former player is the shithead" in texts(end.components)
    board = texts((await winner.slash(room.channel, "tea owed")).response.components)
    assert "**Former player** · owes 1" in board
    claims = (await winner.slash(room.channel, "tea served")).response
    await room.press(winner, claims, "serve")
    history = sentence(await winner.slash(room.channel, "tea history"))
    assert "marked a cup of tea 🍵 from Former player as served" in history
    pictured = await room.press(winner, end, "replay")
    assert str(loser.id) not in str(pictured.response.components)
    room.house.bot.pictures = False
    replay = await room.press(winner, end, "replay")
    assert "Former player" in sentence(replay)
    assert str(loser.id) not in sentence(replay)


async def test_nobody_is_forgotten_at_an_open_table(room):
    await room.start(seats=2)
    page = (await room.people[1].slash(room.channel, "shithead privacy delete")).response
    result = await room.press(room.people[1], page, "forget")
    assert "You are still at a table" in sentence(result)
    assert "may still name you" in texts(page.components)
    assert (await room.table()).players[1].user_id == room.people[1].id


@pytest.mark.parametrize("command", ["shithead settings", "palace settings"])
async def test_settings_are_only_for_people_who_manage_the_server(room, command):
    assert "Only people who can manage this server" in sentence(await room.people[0].slash(room.channel, command))
    result = await (await manager(room)).slash(room.channel, command)
    assert "Settings of this server" in sentence(result)


async def test_people_who_no_longer_manage_the_server_cannot_change_its_settings(room):
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    for role in room.env.backend.get_guild(room.guild.id).roles.values():
        role.permissions = discord.Permissions(view_channel=True, send_messages=True).value
    result = await room.press(boss, page, "guild", "polite=on")
    assert "Only people who can manage this server" in sentence(result)
    assert not (await room.tables.servers.settings(room.guild.id)).polite


async def test_a_server_changes_name_language_variant_and_reminder(room):
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


async def test_the_language_setting_says_that_private_messages_have_their_readers_language(room):
    page = (await (await manager(room)).slash(room.channel, "shithead settings")).response
    parts = page.components[0]["components"]
    nth = next(
        at for at, part in enumerate(parts) if part["type"] == ACTION_ROW and part["components"][0]["type"] == SELECT
    )
    assert parts[nth]["components"][0]["placeholder"] == "Language of the tables"
    said = parts[nth - 1]["content"]
    assert said == "-# Public messages are in this language, private ones in their reader’s own"


async def test_ones_settings_show_what_is_on_by_colour_and_in_words(room):
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


async def test_four_colours_of_the_server_apply_to_the_public_table(room):
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
        ("left_at=on", ""),
        ("", ""),
    ],
)
def test_an_unknown_setting_changes_nothing(what, value):
    assert with_choice(GuildSettings(guild_id=1), what, value) is None


async def test_the_pages_lead_to_one_another(room):
    boss = await manager(room)
    page = (await boss.slash(room.channel, "shithead settings")).response
    await room.press(boss, page, "me")
    assert labels(page.components)[0] == "Text mode · off"
    await room.press(boss, page, "stored")
    assert "Nothing at all." in texts(page.components)


async def test_a_file_that_takes_long_still_arrives(room, monkeypatch):
    await finished(room)
    page = (await room.people[0].slash(room.channel, "shithead privacy show")).response
    real = room.tables.people.stored

    async def slowly(user_id):
        await asyncio.sleep(600)
        return await real(user_id)

    monkeypatch.setattr(replies, "DEFER_AFTER", 0.02)
    monkeypatch.setattr(room.tables.people, "stored", slowly)
    by_command = await room.people[0].slash(room.channel, "shithead privacy export")
    await room.env.advance_time(600)
    assert sent_file(by_command).filename == "my-data.json"
    by_click = await room.press(room.people[0], page, "export")
    await room.env.advance_time(600)
    assert [each.filename for follow in by_click.followups for each in follow.attachments] == ["my-data.json"]


async def test_a_player_forgotten_before_a_rematch_is_not_dealt_to(room):
    await finished(room, seats=3)
    await room.house.store.people.forget(room.people[0].id)
    await room.press(room.people[1], room.public(), "rematch")
    table = await room.table()
    assert [player.user_id for player in table.players] == [person.id for person in room.people[1:3]]
    assert await room.tables.people.stored(room.people[0].id) == {}


async def test_a_table_closed_by_a_moderator_does_not_name_its_host(room):
    await room.open(seats=2)
    await room.confirm(await manager(room), "stop")
    said = texts(room.public().components)
    assert said == "# Closed\n-# Shithead · Classic\n-# Open a new table with `/shithead start`"


async def test_the_players_of_a_game_can_be_forgotten_one_after_another(room):
    await finished(room, seats=3)
    end = room.public()
    for person in room.people[:3]:
        page = (await person.slash(room.channel, "shithead privacy delete")).response
        await room.press(person, page, "forget")
        assert "Done. Nothing stored here" in texts(page.components)
        await room.idle()
        assert str(person.id) not in str(room.public().components)
        assert person.name.title() not in texts(end.components)


def test_whoever_has_never_lost_is_not_told_one_loss_in_french():
    never = texts(score_screen(formatter("fr"), 7, score_of([Played(lost=False, most_held=5, turns=9)] * 3)))
    assert "Shithead 0 fois" in never
