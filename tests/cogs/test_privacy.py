"""What is stored about people is shown, downloaded and deleted on demand, and no longer named afterwards."""

import asyncio
import json
import re
import threading
import tracemalloc
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from cogs import privacy_topic, replies
from cogs.screens import components
from cogs.screens.settings_screens import stored_file
from testkit.channel import BEFORE, Room, together
from testkit.found import not_none
from testkit.made import labels, texts
from testkit.offline import prefer
from testkit.shortcuts import finished, manager, sent_file, sentence
from testkit.stored import execute


async def test_what_is_stored_is_counted_and_downloaded(room: Room):
    await finished(room)
    result = await room.people[0].slash(room.channel, "shithead privacy show")
    assert "1 table\n" in sentence(result)
    assert "1 finished game" in sentence(result)
    assert "your settings" not in sentence(result)
    export = await room.press(room.people[0], result.response, "export")
    content = (await sent_file(export).read()).decode()
    assert not re.search(r'(?<!["\d])\d{17}', content), "many parsers would round it"
    assert content.endswith("}\n"), "a terminal that shows it writes its prompt below"
    stored = json.loads(content)
    assert stored["person"] == str(room.people[0].id)
    here = stored["servers"][str(room.guild.id)]
    assert here["results"][0]["game"] == 1
    assert len(here["moves"]) > 5
    assert datetime.fromisoformat(here["moves"][0]["made_at"]).tzinfo is not None
    assert str(room.people[1].id) not in json.dumps(stored)
    same = await room.people[0].slash(room.channel, "shithead privacy export")
    assert sent_file(same).filename == "my-data.json"


@pytest.mark.parametrize("time", ["digest_at", "refused_at"])
async def test_what_is_stored_is_downloaded_though_a_time_beside_the_persons_choices_cannot_be_read(room: Room, time):
    ann = room.people[0]
    await prefer(room.tables, room.guild.id, ann.id, quiet=True)
    await execute(room.house.store.database, f"UPDATE preferences SET {time} = 'noon'")
    await room.restart()
    stored = json.loads(await sent_file(await ann.slash(room.channel, "shithead privacy export")).read())
    (chosen,) = stored["servers"][str(room.guild.id)]["chosen"]
    assert (chosen[time], chosen["quiet"]) == ("noon", 1)
    assert (await room.tables.people.preferences(room.guild.id, ann.id)).quiet


async def test_what_is_in_the_file_is_told_where_people_read_what_is_stored(room: Room):
    await finished(room)
    stored = json.loads(await sent_file(await room.people[0].slash(room.channel, "shithead privacy export")).read())
    page = (Path(__file__).parents[2] / "PRIVACY.md").read_text(encoding="utf-8")
    told = page.partition("### What is in the export")[2].partition("\n#")[0]
    lists = [
        name
        for line in told.splitlines()
        if line.startswith("- ")
        for name in re.findall(r"`(\w+)`", line.partition(":")[0])
    ]
    assert sorted(lists) == sorted(stored["servers"][str(room.guild.id)])
    assert all(f"`{name}`" in told for name in stored)


async def test_the_file_of_what_is_stored_is_written_beside_the_clicks(room: Room, monkeypatch):
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


async def test_a_file_that_discord_would_refuse_is_zipped(room: Room, monkeypatch):
    await finished(room)
    plain = await sent_file(await room.people[0].slash(room.channel, "shithead privacy export")).read()
    monkeypatch.setattr(components, "MOST_BYTES", len(plain) - 1)
    export = await room.people[0].slash(room.channel, "shithead privacy export")
    assert sent_file(export).filename == "my-data.json.zip"
    archive = ZipFile(BytesIO(await sent_file(export).read()))
    (inside,) = archive.infolist()
    unpacked = json.loads(archive.read(inside))
    assert inside.filename == "my-data.json"
    assert inside.compress_size < inside.file_size / 2
    assert unpacked["servers"] == json.loads(plain)["servers"]
    made_at = datetime.fromisoformat(unpacked["made_at"])
    assert (
        timedelta() <= made_at - datetime(*inside.date_time, tzinfo=UTC) < timedelta(seconds=2)
    )  # a zip file keeps even seconds only


async def test_what_is_stored_is_read_for_a_person_once_at_a_time(room: Room):
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


async def test_nothing_is_stored_about_a_stranger(room: Room):
    await finished(room)
    assert "Nothing at all." in sentence(await room.people[5].slash(room.channel, "palace privacy show"))


async def test_what_is_stored_says_how_many_debts_are_still_open(room: Room):
    snapshot = await finished(room)
    loser, winner = room.people[not_none(snapshot.view.shithead)], room.people[1 - not_none(snapshot.view.shithead)]
    said = sentence(await loser.slash(room.channel, "shithead privacy show"))
    assert "1 debt of yours · 1 open" in said
    assert "moves stored as yours" in said
    await room.press(winner, room.public(), "served")
    said = sentence(await loser.slash(room.channel, "shithead privacy show"))
    assert "1 debt of yours · 0 open" in said


async def test_deleting_asks_first_and_can_be_declined(room: Room):
    await finished(room)
    page = (await room.people[0].slash(room.channel, "shithead privacy delete")).response
    assert "Forget you everywhere?" in texts(page.components)
    assert "\nWhat is owed only to you can then be settled only by a server manager.\n" in texts(page.components)
    await room.press(room.people[0], page, "stored")
    assert "What I store about you" in texts(page.components)
    await room.press(room.people[0], page, "erase")
    assert "Forget you everywhere?" in texts(page.components)
    assert await room.tables.people.stored(room.people[0].id)


@pytest.mark.parametrize("forgotten", [0, 2])
async def test_the_voters_who_stopped_a_game_are_still_named_after_one_is_forgotten(room: Room, forgotten):
    await room.start(seats=4)
    for person in room.people[1:4]:
        await room.press(person, (await room.press(person, room.public(), "more")).response, "stopping")
    await room.confirm(room.people[3], "stop")
    page = (await room.people[forgotten].slash(room.channel, "shithead privacy delete")).response
    await room.press(room.people[forgotten], page, "forget")
    bob, cy, dee = (f"<@{person.id}>" for person in room.people[1:4])
    cy = cy if forgotten == 0 else "Former player"
    assert f"{bob}, {cy} and {dee} voted for it. Nobody owes anything for this game." in texts(room.public().components)


async def test_a_game_stopped_by_somebody_now_forgotten_names_nobody_else(room: Room):
    await room.start()
    await room.confirm(room.people[0], "stop")
    assert "# Ann stopped the game\n" in texts(room.public().components)
    page = (await room.people[0].slash(room.channel, "shithead privacy delete")).response
    await room.press(room.people[0], page, "forget")
    assert "# Former player stopped the game\n" in texts(room.public().components)


async def test_a_forgotten_player_becomes_a_former_player_and_still_owes(room: Room):
    snapshot = await finished(room)
    loser, winner = room.people[not_none(snapshot.view.shithead)], room.people[1 - not_none(snapshot.view.shithead)]
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


async def test_somebody_banned_from_a_server_is_forgotten_there_by_a_command_in_another(room: Room):
    await finished(room)
    ann = room.people[0]
    elsewhere = room.env.create_guild()
    channel = elsewhere.create_text_channel("elsewhere")
    as_member = elsewhere.add_member(ann)
    room.env.backend.remove_member(room.guild.id, ann.id)
    page = (await as_member.slash(channel, "shithead privacy delete")).response
    await room.press(as_member, page, "forget")
    assert "Done." in texts(page.components)
    assert await room.tables.people.stored(ann.id) == {}


async def test_somebody_at_a_table_in_another_server_is_told_where_it_is(room: Room):
    await room.open(seats=2)
    ann, table = room.people[0], room.public()
    elsewhere = room.env.create_guild()
    channel = elsewhere.create_text_channel("elsewhere")
    as_member = elsewhere.add_member(ann)
    await room.restart()
    result = await as_member.slash(channel, "shithead privacy delete")
    assert f"https://discord.com/channels/{room.guild.id}/{room.channel.id}/{table.id}" in sentence(result)


async def test_nobody_at_an_open_table_is_forgotten_or_asked_whether_they_want_to_be(room: Room):
    bob = room.people[1]
    page = (await bob.slash(room.channel, "shithead privacy delete")).response
    await room.start(seats=2)
    where = f"https://discord.com/channels/{room.guild.id}/{room.channel.id}/{room.public().id}"
    for asked in (bob.slash(room.channel, "shithead privacy delete"), room.press(bob, page, "forget")):
        refusal = await asked
        assert "You are still at a table" in sentence(refusal)
        assert sentence(refusal).endswith(f" [Go to the table]({where})")
        assert not labels(refusal.response.components)
    assert "may still name you" in texts(page.components)
    assert (await room.table()).players[1].user_id == bob.id


async def test_a_file_that_takes_long_still_arrives(room: Room, monkeypatch):
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


async def test_a_player_forgotten_before_a_rematch_is_not_dealt_to(room: Room):
    await finished(room, seats=3)
    await room.house.store.people.forget(room.people[0].id)
    await room.press(room.people[1], room.public(), "rematch")
    table = await room.table()
    assert [player.user_id for player in table.players] == [person.id for person in room.people[1:3]]
    assert await room.tables.people.stored(room.people[0].id) == {}


async def test_a_table_closed_by_a_moderator_does_not_name_its_host(room: Room):
    await room.open(seats=2)
    await room.confirm(await manager(room), "stop")
    said = texts(room.public().components)
    closed = "# Closed\n-# Shithead · Classic\nA moderator closed the table.\n"
    assert said == f"{closed}-# Open a new table with `/shithead start`"


async def test_the_players_of_a_game_can_be_forgotten_one_after_another(room: Room):
    await finished(room, seats=3)
    end = room.public()
    for person in room.people[:3]:
        page = (await person.slash(room.channel, "shithead privacy delete")).response
        await room.press(person, page, "forget")
        assert "Done. Nothing stored here" in texts(page.components)
        await room.idle()
        assert str(person.id) not in str(room.public().components)
        assert person.name.title() not in texts(end.components)
