"""A match by clicks: chosen in the lobby, game after game in one message, its end, another match."""

import re

from cogs.picture_messages import MATCH_PICTURE, PICTURE, RUNNING_PICTURE
from cogs.screens.components import walk
from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from game.variants import variants
from tables.match import is_match_over
from testkit.channel import Room, hand_of, ids_on, matches, together
from testkit.found import not_none
from testkit.made import described, labels, texts
from testkit.offline import request_at
from testkit.shortcuts import play_on


async def in_lobby(room: Room, wanted, *, seats=3, **options):
    """Open a lobby and let its host choose a match; return the host's page."""
    await room.open(seats=seats, **options)
    more = (await room.press(room.people[0], room.public(), "more")).response
    await room.choose(room.people[0], more, "match", wanted)
    return more


async def deal(room: Room):
    hand = await room.press(room.people[0], room.public(), "start")
    room.hands = hand_of(room.people[0], hand)


async def test_the_host_chooses_a_match_and_everybody_sees_it(room: Room):
    more = await in_lobby(room, "games-3-order")
    assert "-# A match of 3 games · points by finishing order" in texts(room.public().components)
    assert "-# A match of 3 games · points by finishing order" in texts(more.components)
    await room.choose(room.people[0], more, "match", "first-to-3-losses")
    assert "-# A match to 3 losses · the fewest losses win" in texts(room.public().components)
    await room.choose(room.people[0], more, "match", "first-to-10-order")
    assert "-# A match to 10 points · points by finishing order" in texts(room.public().components)
    await room.choose(room.people[0], more, "match", "single")
    assert "match" not in texts(room.public().components)


async def test_only_the_host_may_choose(room: Room):
    await room.open(seats=2)
    more = (await room.press(room.people[0], room.public(), "more")).response
    page = (await room.press(room.people[1], room.public(), "more")).response
    assert not any(matches(id_, "match") for id_ in ids_on(page))
    assert any(matches(id_, "match") for id_ in ids_on(more))


async def test_a_match_of_three_games_is_one_message_and_survives_a_restart(room: Room):
    await in_lobby(room, "games-3-order")
    await deal(room)
    message = room.public().id
    for game in (1, 2, 3):
        assert f"-# Game {game} of 3" in texts(room.public().components)
        if game == 2:
            await play_on(room, lambda snapshot: snapshot.moves == 10)
            await room.restart()
        await play_on(room)
        end, table = room.public(), await room.table()
        assert end.id == message
        if game == 3:
            break
        assert f"-# After game {game} of 3: **" in texts(end.components)
        assert labels(end.components)[:2] == ["Next game", "Replay"]
        assert room.attached() == [PICTURE]
        if game == 2:
            await room.restart()
        dealer = table.players[not_none((await room.tables.snapshot(room.table_id)).view.shithead)].user_id
        presser = room.people[game]
        room.hands = hand_of(presser, await room.press(presser, room.public(), "rematch"))
        table = await room.table()
        assert table.players[not_none(table.dealer)].user_id == dealer
    assert is_match_over(table)
    said = texts(end.components)
    assert " is the grand shithead" in said.splitlines()[0]
    assert "Grand winner: **" in said.splitlines()[1]
    assert sum("finished" in line for line in said.splitlines()) == 3
    assert "**Last game:** " in said
    assert "Owes " in said
    assert labels(end.components) == ["Rematch", "Replay", "Highlights", "Mark served"]
    assert room.attached() == [MATCH_PICTURE]
    assert said.splitlines()[0].removeprefix("# ") in described(end.components)
    for person in room.people[:3]:
        own = texts(hand_screen(formatter(), await room.tables.play.hand(request_at(table, person.id, id=person.id))))
        assert re.search(r"(is|You are) the grand shithead\*\*", own), "a private hand says how the match ended, too"
        assert re.search(r"\nGrand winner: (\*\*|you)", own)


async def test_the_end_of_a_match_deals_the_first_game_of_another(room: Room):
    await in_lobby(room, "games-3-losses", seats=2)
    await deal(room)
    for _ in range(3):
        await play_on(room)
        await room.again(room.people[0])
    said = texts(room.public().components)
    assert "-# Game 1 of 3" in said
    assert room.attached() == [RUNNING_PICTURE]
    assert (await room.table()).game == 4


async def test_of_two_who_press_next_game_at_once_both_see_their_hand_and_one_game_is_dealt(room: Room):
    await in_lobby(room, "games-3-order", seats=2)
    await deal(room)
    await play_on(room)
    end = room.public()
    id_ = next(each for each in ids_on(end) if matches(each, "rematch"))
    presses = [person.click(end, custom_id=id_) for person in room.people[:2]]
    answers = await together(room.env, *presses)
    await room.idle()
    table = await room.table()
    assert (table.game, table.status) == (2, "playing")
    for answer in answers:
        assert answer.response.ephemeral
        assert "### Hand" in texts(answer.response.components)


async def test_a_stopped_game_says_that_the_match_goes_on(room: Room):
    await in_lobby(room, "first-to-10-order", seats=2)
    await deal(room)
    await play_on(room)
    await room.press(room.people[0], room.public(), "rematch")
    assert "-# Game 2, first to 10 points" in texts(room.public().components)
    await room.confirm(room.people[0], "stop")
    said = texts(room.public().components)
    assert "-# This game does not count, the match goes on\n-# After game 1, first to 10 points: **" in said
    assert labels(room.public().components) == ["Next game", "Replay"]
    await room.env.advance_time(30)  # or it would be JUST_POSTED
    await room.press(room.people[1], room.public(), "rematch")
    assert "-# Game 2, first to 10 points" in texts(room.public().components)


async def test_who_stopped_a_game_of_a_match_stays_readable_above_the_next_one(room: Room):
    await in_lobby(room, "games-3-order", seats=2)
    await deal(room)
    await room.env.advance_time(30)  # or it would be JUST_POSTED
    await room.confirm(room.people[0], "stop")
    stopped = room.public()
    await room.press(room.people[0], stopped, "rematch")
    assert "# Ann stopped the game" in texts(stopped.components)
    assert room.public().id > stopped.id
    assert "-# Game 1 of 3" in texts(room.public().components)
    late = await room.press(room.people[1], stopped, "rematch")
    assert "### Hand" in texts(late.response.components), "the old button leads to the new game"


async def test_a_player_who_leaves_between_games_is_told_and_dealt_no_more_cards(room: Room):
    await in_lobby(room, "games-3-order")
    await deal(room)
    await play_on(room)
    asked = (await room.people[0].slash(room.channel, "shithead leave")).response
    await room.press(room.people[0], asked, "leave")
    assert "You left the match" in texts(asked.components)
    assert "**Ann** " in texts(room.public().components)
    assert " (left)" in texts(room.public().components)
    refused = await room.press(room.people[0], room.public(), "rematch")
    said = "You lost the last game. You left the match. The next game is dealt without you."
    assert texts(refused.response.components) == said
    assert labels(refused.response.components) == ["Take my seat back"]
    await room.press(room.people[1], room.public(), "rematch")
    assert len((await room.table()).players) == 2
    await room.confirm(room.people[1], "leave")
    await play_on(room)
    said = texts(room.public().components)
    assert "**Ann**, left · " in said
    assert said.startswith("# ")


async def test_the_end_of_a_game_names_who_deals_next_even_if_the_loser_leaves_the_match(room: Room):
    await in_lobby(room, "games-3-order")
    await deal(room)
    await play_on(room)
    loser = (await room.tables.snapshot(room.table_id)).view.shithead
    left, *staying = (room.people[(loser + step) % 3] for step in range(3))
    assert f"{left.name.title()} deals next" in texts(room.public().components)
    asked = (await left.slash(room.channel, "shithead leave")).response
    await room.press(left, asked, "leave")
    assert f"{staying[0].name.title()} deals next" in texts(room.public().components)
    await room.press(staying[1], room.public(), "rematch")
    table = await room.table()
    assert table.players[not_none(table.dealer)].user_id == staying[0].id


async def test_a_match_that_cannot_be_counted_is_not_offered(room: Room):
    await room.open(seats=2, variant="first-out")
    more = (await room.press(room.people[0], room.public(), "more")).response
    select = next(each for each in walk(more.components) if matches(each.get("custom_id", "sh:x:0:0"), "match"))
    assert [option["value"] for option in select["options"] if option["value"].endswith("losses")] == []


async def test_the_reverse_game_is_shown_as_a_match_of_two_games(room: Room):
    await room.open(seats=2, variant="reverse-second")
    said = texts(room.public().components)
    assert "-# A match of 2 games · points by finishing order" in said
    assert "-# Played in turn: Reverse, first game · Reverse, second game" in said


async def alone(room: Room):
    """Open a lobby that plays the second of the two reverse games alone; its builder of house rules."""
    more = await in_lobby(room, "single", variant="reverse-second")
    await room.press(room.people[0], more, "house")
    return more


async def plays_the_second_game_alone(room: Room):
    table = await room.table()
    return (table.variant, table.rules, table.match) == ("reverse-second", variants()["reverse-second"].rules, None)


async def test_house_rules_of_the_second_reverse_game_are_reset_to_it_and_not_to_a_match_of_both(room: Room):
    page = await alone(room)
    await room.press(room.people[0], page, "chip", "7=on")
    assert "Reset all rules to Reverse, second game" in labels(page.components)
    await room.press(room.people[0], page, "unhouse")
    assert await plays_the_second_game_alone(room)


async def test_the_rules_of_the_second_reverse_game_as_a_text_are_those_of_the_game_they_were_copied_from(room: Room):
    page = await alone(room)
    form = await room.press(room.people[0], page, "housetext")
    (field,) = [each for each in walk([form.modal]) if each.get("custom_id") == "rules"]
    assert field["value"] == "reverse-second"
    await room.people[0].submit_modal(form, {"rules": field["value"]})
    assert await plays_the_second_game_alone(room)
