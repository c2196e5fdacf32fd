"""Replays, the verified shuffle and the transcript, by clicks and commands."""

import asyncio
import re
import sys
import unicodedata

import pytest

from cogs.screens.components import ACTION_ROW, SELECT, walk
from cogs.screens.formatter import formatter
from cogs.screens.replay_screens import Spot, parse_spot, replay_screen
from cogs.screens.wording import seal_words
from testkit.channel import ROOT, Room, ids_on
from testkit.faults import pass_by
from testkit.made import labels, texts
from testkit.offline import ANN, BOB, CY, Offline, prefer
from testkit.shortcuts import end, finished, sent_file, sentence, stopped
from testkit.stored import execute
from testkit.waiting import run_to_end

HEX = re.compile(r"[0-9a-f]{64}")


async def test_the_command_replays_a_game_that_was_played_to_its_end_before_one_that_was_stopped(room: Room):
    ended = await finished(room)
    await stopped(room)
    assert f"Move 0 of {ended.moves}" in sentence(await room.people[5].slash(room.channel, "shithead replay"))


async def test_two_games_that_were_stopped_within_a_minute_have_names_of_their_own_in_the_list(room: Room):
    # Of choices with the same name, Discord’s client takes the first, whichever is chosen (discord-api-docs #8565).
    await stopped(room)
    await pass_by(room, seconds=31)  # or the table may not be posted again yet
    await room.again(room.people[0])
    more = (await room.press(room.people[0], room.public(), "more")).response
    await room.press(room.people[0], more, "stopping")
    await room.press(room.people[0], more, "stop")
    choices = await room.people[0].autocomplete(room.channel, "shithead replay", "game", "")
    assert [each["value"] for each in choices] == [f"{room.table_id}.2", f"{room.table_id}.1"]
    assert choices[0]["name"] != choices[1]["name"]


async def test_the_replay_button_steps_from_the_deal_to_the_end(room: Room):
    snapshot = await finished(room)
    replay = await room.press(room.people[1], room.public(), "replay")
    assert f"Move 0 of {snapshot.moves}, seen by **Bob**" in sentence(replay)
    page = replay.response
    await room.choose(room.people[1], page, "moment", str(snapshot.moves))
    assert "is the shithead" in texts(page.components)
    await room.press(room.people[1], page, "step", f"1.1.{snapshot.moves - 1}")
    assert f"Move {snapshot.moves - 1} of {snapshot.moves}" in texts(page.components)
    await room.choose(room.people[1], page, "moment", "0")
    await room.press(room.people[1], page, "step", "1.1.1")
    assert "Move 1 of" in texts(page.components)


async def test_a_replay_that_is_begun_on_ones_hand_is_a_message_of_its_own_and_the_hand_stays(followed: Room):
    await end(followed)
    ann = followed.people[0]
    (hand,) = followed.notes(ann)
    shown = texts(hand.components)
    page = (await followed.press(ann, hand, "replay")).response
    assert "Move 0 of" in texts(page.components)
    assert (hand.id != page.id, texts(hand.components)) == (True, shown)


async def test_a_replay_can_be_watched_from_every_seat(room: Room):
    await finished(room, seats=3)
    page = (await room.press(room.people[0], room.public(), "replay")).response
    seen = [texts(page.components)]
    for seat in (1, 2):
        await room.choose(room.people[0], page, "eyes", str(seat))
        seen.append(texts(page.components))
    assert [name in text for name, text in zip(("Ann", "Bob", "Cy"), seen, strict=True)] == [True] * 3
    hands = {re.search(r"Hand: (.*)", text)[1] for text in seen}
    assert len(hands) == 3


async def test_people_in_the_channel_who_did_not_play_can_watch_too(room: Room):
    await finished(room)
    assert "seen by **Ann**" in sentence(await room.press(room.people[5], room.public(), "replay"))


async def test_the_last_game_of_the_channel_is_replayed_and_verified_without_naming_it(room: Room):
    await finished(room)
    assert "Move 0 of" in sentence(await room.people[0].slash(room.channel, "shithead replay"))
    assert "Move 0 of" in sentence(await room.people[0].slash(room.channel, "palace replay"))
    assert "The shuffle is verified ✓" in sentence(await room.people[0].slash(room.channel, "shithead verify"))


async def test_without_a_choice_people_see_the_last_game_that_they_played_themselves(room: Room):
    three = await finished(room, 3)
    two = await finished(room, 2)
    cy, stranger = room.people[2], room.people[5]
    assert f"Move 0 of {three.moves}, seen by **Cy**" in sentence(await cy.slash(room.channel, "shithead replay"))
    for anybody in (room.people[0], stranger):
        said = sentence(await anybody.slash(room.channel, "shithead replay"))
        assert f"Move 0 of {two.moves}, seen by **Ann**" in said


@pytest.mark.parametrize(("command", "shown"), [("replay", "Move 0 of"), ("verify", "The shuffle is verified ✓")])
async def test_a_game_is_chosen_from_the_list_that_opens_while_typing(room: Room, command, shown):
    await finished(room)
    choices = await room.people[0].autocomplete(room.channel, f"shithead {command}", "game", "classic")
    assert len(choices) == 1
    assert "2 players" in choices[0]["name"]
    result = await room.people[0].slash(room.channel, f"shithead {command}", game=choices[0]["value"])
    assert shown in sentence(result)
    assert await room.people[0].autocomplete(room.channel, "shithead replay", "game", "zebra") == []
    elsewhere = room.guild.create_text_channel("elsewhere")
    assert len(await room.people[0].autocomplete(elsewhere, "shithead replay", "game", "")) == 1
    assert await room.people[5].autocomplete(elsewhere, "shithead replay", "game", "") == []


@pytest.mark.parametrize("command", ["replay", "verify"])
async def test_an_unknown_game_gets_a_polite_answer(room: Room, command):
    await finished(room)
    for game in ("elephant", "1.1", "-3.9", "9" * 19 + ".1", "9" * 5000, "1.", ".", "1.99999999999", "٣.١", "1.²"):
        result = await room.people[0].slash(room.channel, f"shithead {command}", game=game)
        assert "no such game here" in sentence(result), game


@pytest.mark.parametrize("command", ["replay", "verify"])
async def test_a_running_game_is_neither_replayed_nor_verified(room: Room, command):
    await room.start(seats=2)
    result = await room.people[0].slash(room.channel, f"shithead {command}")
    assert "No game has ended in this channel yet" in sentence(result)
    result = await room.people[0].slash(room.channel, f"shithead {command}", game=f"{room.table_id}.1")
    assert "no such game here" in sentence(result)


async def test_a_stranger_in_another_channel_sees_nothing_of_the_game(room: Room):
    await finished(room)
    elsewhere = room.guild.create_text_channel("elsewhere")
    result = await room.people[5].slash(elsewhere, "shithead replay", game=f"{room.table_id}.1")
    assert "no such game here" in sentence(result)


@pytest.mark.parametrize("command", ["replay", "verify"])
async def test_without_a_choice_only_a_game_of_this_channel_is_shown(room: Room, command):
    await finished(room)
    elsewhere, ann = room.guild.create_text_channel("elsewhere"), room.people[0]
    assert "No game has ended in this channel yet" in sentence(await ann.slash(elsewhere, f"shithead {command}"))
    assert "No game has ended" not in sentence(await ann.slash(room.channel, f"shithead {command}"))


async def test_the_transcript_of_a_finished_and_of_a_stopped_game_verifies_without_the_bot(room: Room, tmp_path):
    for make in (finished, stopped):
        await make(room)
        page = (await room.press(room.people[0], room.public(), "replay")).response
        verified = (await room.press(room.people[0], page, "verify")).response
        result = await room.press(room.people[0], verified, "transcript")
        assert sent_file(result).filename == f"shithead-{room.table_id}-1.txt"
        file = tmp_path / "game.txt"
        file.write_bytes(await sent_file(result).read())
        command = [sys.executable, str(ROOT / "docs" / "verify_shuffle.py"), str(file)]
        done = await asyncio.to_thread(run_to_end, *command)
        assert (done.returncode, done.stdout) == (0, "verified\n")


async def test_a_game_of_which_the_record_was_damaged_has_no_transcript_any_more(room: Room):
    await stopped(room)
    page = (await room.press(room.people[0], room.public(), "replay")).response
    verified = (await room.press(room.people[0], page, "verify")).response
    await execute(room.house.store.database, "UPDATE games SET joiners = '5'")
    assert "no such game here" in sentence(await room.press(room.people[0], verified, "transcript"))


async def test_people_who_sat_down_anew_after_a_stopped_game_are_no_computers_in_its_replay(room: Room):
    ann = room.people[0]
    await prefer(room.tables, room.guild.id, ann.id, text_mode=True)
    await stopped(room)
    await room.env.advance_time(31)
    message = room.public()
    await room.again(ann)
    page = (await room.press(ann, message, "replay")).response
    said = texts(page.components)
    assert "seen by **player 1**" in said
    assert "**player 2** · hand 3, face-down 3\n" in said


async def test_the_seal_of_the_next_game_is_shown_before_it_is_dealt(room: Room):
    await finished(room)
    ann, end = room.people[0], room.public()
    before = sentence(await ann.slash(room.channel, "shithead verify"))
    (sealed,) = re.findall(r"\*\*Seal of the next game\*\* `([0-9a-f]{64})`", before)
    assert f"**Seal** `{sealed}`" not in before
    await room.press(ann, end, "rematch")
    assert (await room.table()).seal == sealed
    again = sentence(await ann.slash(room.channel, "shithead verify"))
    assert f"`{room.table_id}.1`" in again
    assert "Seal of the next game" not in again


async def test_the_file_of_a_game_that_was_opened_politely_has_the_polite_name(room: Room):
    ann, bob = room.people[:2]
    await ann.slash(room.channel, "palace start")
    await room.idle()
    await room.press(bob, room.public(), "join")
    await room.press(ann, room.public(), "start")
    asked = (await ann.slash(room.channel, "palace stop")).response
    await room.press(ann, asked, "stop")
    page = (await room.press(ann, room.public(), "replay")).response
    verified = (await room.press(ann, page, "verify")).response
    result = await room.press(ann, verified, "transcript")
    assert sent_file(result).filename == f"palace-{room.table_id}-1.txt"


async def test_verify_shows_the_whole_seal_the_secret_the_name_and_everybody_s_click(room: Room):
    snapshot = await finished(room)
    said = sentence(await room.people[0].slash(room.channel, "shithead verify"))
    assert HEX.findall(said) == [snapshot.table.seal, snapshot.table.secret, snapshot.table.next_seal]
    assert f"`{room.table_id}.1`" in said
    assert (
        "**Clicks** " + ", ".join(f"**{player.name}** `{player.joined_by}`" for player in snapshot.table.players)
        in said
    )
    assert "All 52 cards follow from the secret" in said


async def test_joining_says_where_the_cards_will_appear_and_does_not_show_the_seal(room: Room):
    await room.open(seats=1)
    result = await room.press(room.people[1], room.public(), "join")
    assert sentence(result) == "### You are in\nYour cards appear here when **Ann** starts."
    assert (await room.table()).seal not in sentence(result)


async def test_the_fair_shuffle_is_reached_from_the_lobby_and_in_a_game_by_more(room: Room):
    await room.open(seats=2)
    for _ in range(2):
        table = await room.table()
        if table.status == "lobby":
            more = (await room.press(room.people[1], room.public(), "fair")).response
        else:
            more = (await room.press(room.people[1], room.public(), "more")).response
            await room.press(room.people[1], more, "fair")
        assert "You need not do anything now." in texts(more.components)
        assert table.seal not in texts(more.components), "all digits are shown only on request"
        assert f"**Seal** {seal_words(table.seal)}\n" in texts(more.components)
        await room.press(room.people[1], more, "fair", "note")
        assert f"`{table.seal}`" in texts(more.components)
        assert f"`{table.players[1].joined_by}`" in texts(more.components)
        assert f"`{table.id}.1`" in texts(more.components)
        await room.press(room.people[1], more, "fair")
        if table.status == "lobby":
            assert not [each for each in walk(more.components) if ":more:" in each.get("custom_id", "")]
            await room.press(room.people[0], room.public(), "start")
        else:
            await room.press(room.people[1], more, "more")
            assert table.seal not in texts(more.components), "there is a way back"
    stranger = (await room.press(room.people[5], room.public(), "more")).response
    await room.press(room.people[5], stranger, "fair")
    await room.press(room.people[5], stranger, "fair", "note")
    assert "Your click" not in texts(stranger.components)


async def test_names_are_mentions_after_a_restart(room: Room):
    await finished(room)
    await room.restart()
    replay = await room.press(room.people[0], room.public(), "replay")
    assert f"seen by <@{room.people[0].id}>" in sentence(replay)
    selects = [each for each in walk(replay.response.components) if each["type"] == SELECT]
    options = next(each["options"] for each in selects if ":eyes:" in each["custom_id"])
    assert [each["label"] for each in options] == ["player 1 · you", "player 2"]


async def test_asking_for_a_rematch_keeps_ones_name_in_the_replay_of_the_last_game(room: Room):
    await finished(room)
    ann = room.people[0]
    page = (await room.press(ann, room.public(), "replay")).response
    before = texts(page.components), labels(page.components)
    await room.press(ann, room.public(), "rematch")
    again = (await ann.slash(room.channel, "shithead replay")).response
    assert (texts(again.components), labels(again.components)) == before
    assert "seen by **Ann**" in before[0]


async def test_a_replay_cannot_go_beyond_its_first_and_last_move(room: Room):
    await finished(room)
    ann = room.people[0]
    page = (await room.press(ann, room.public(), "replay")).response

    def steps():
        return [id_.rpartition(":")[2].partition("~")[0] for id_ in ids_on(page) if id_.startswith("sh:step")]

    first_row = next(each for each in walk(page.components) if each["type"] == ACTION_ROW)
    assert labels([first_row]) == ["−10", "−1", "+1", "+10"]
    moves = (await room.tables.snapshot(room.table_id)).moves
    assert steps() == ["1.0.1", "1.0.10"]
    await room.choose(ann, page, "moment", str(moves))
    assert steps() == [f"1.0.{moves - 10}", f"1.0.{moves - 1}"]
    await room.choose(ann, page, "moment", "0")
    assert steps() == ["1.0.1", "1.0.10"]


@pytest.mark.parametrize(
    ("argument", "spot"),
    [
        ("", Spot(1)),
        ("2", Spot(2)),
        ("2.1.7", Spot(2, 1, 7)),
        ("2.x.7", Spot(2, 7)),
        ("9" * 30, Spot(1)),
        ("²", Spot(1)),
    ],
)
def test_any_argument_is_parsed_as_a_spot(argument, spot):
    assert parse_spot(argument) == spot


async def test_a_replay_shows_a_seat_its_own_chosen_cards_before_the_others_see_them(house: Offline):
    table = await house.game(ANN, BOB, variant="choose-three")
    await house.finish(table)
    for step in range(1, 4):
        for seat in (0, 1):
            seen = await house.tables.past.replay_step(house.by(ANN, table), 1, seat, step)
            if seen.hand.view.table.seats[seat].up is None and seen.hand.view.up:
                assert formatter().slots(seen.hand.view.up) in texts(replay_screen(formatter(), seen, ANN.id))
                return
    raise AssertionError("nobody has chosen in secret")


async def test_a_replay_in_words_marks_the_seat_that_is_to_play_and_none_before_and_after_the_game(house: Offline):
    table = await house.game(ANN, BOB)
    moves = (await house.finish(table)).moves
    for step in range(moves + 1):
        seen = await house.tables.past.replay_step(house.by(ANN, table), 1, 0, step)
        said = texts(replay_screen(formatter(), seen, ANN.id))
        to_play = re.findall(r"^### \*\*(\w+)\*\* (?:to play|starts a new pile)", said, re.MULTILINE)
        assert re.findall(r"^\*\*(\w+)\*\* · .* · to play$", said, re.MULTILINE) == to_play
        assert bool(to_play) == (seen.hand.view.table.phase == "play")


async def test_a_replay_in_text_mode_says_in_words_what_lies_face_up_and_how_far_its_buttons_go(house: Offline):
    table, t = await house.game(ANN, BOB, CY), formatter(text=True)
    moves = (await house.finish(table)).moves
    said = []
    for step in range(moves + 1):
        seen = await house.tables.past.replay_step(house.by(ANN, table), 1, 0, step)
        screen = replay_screen(t, seen, ANN.id)
        assert labels(screen)[:4] == ["−10 moves", "−1 move", "+1 move", "+10 moves"]
        said.append(texts(screen))
        up = [slot for slot in seen.hand.view.table.seats[1].up or () if slot]
        assert not up or f"**Bob** · hand {seen.hand.view.table.seats[1].hand}, " in said[-1]
        assert not up or f"\nFace-up: {t.slots(up)}\n" in said[-1]
    assert not {char for char in "".join(said) if unicodedata.category(char) in {"So", "Sm"}}
    assert "Play goes" not in "".join(said), "nothing turns the direction in this game"
    assert "away" not in said[1]
