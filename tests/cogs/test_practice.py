"""Playing against the computer: at once, at a level of one's choice."""

from collections import Counter
from dataclasses import replace

import pytest

from data.game_models import StoredGame
from testkit.channel import Room, ids_on, matches
from testkit.found import instance_of, not_none
from testkit.made import described, texts
from testkit.offline import request_at
from testkit.stored import execute


async def practise(room: Room, **options):
    """Start a practice game; return the private message."""
    shown = await room.people[0].slash(room.channel, "shithead practice", **options)
    await room.idle()
    return shown.response


async def test_practice_is_dealt_at_once_against_a_computer_of_the_chosen_level(room: Room):
    hand = await practise(room, level="master")
    table = await room.table()
    assert table.status == "playing"
    assert [player.level for player in table.players] == [None, "master"]
    assert any(matches(each, "ready") for each in ids_on(hand))
    assert "Clara, computer, master" in described(room.public().components)


async def test_practising_a_variant_for_three_adds_two_computers(room: Room):
    await practise(room, variant="paskahousu")
    assert [player.level for player in (await room.table()).players] == [None, "fair", "fair"]


@pytest.mark.parametrize("before", [False, True])
async def test_a_replay_of_practice_has_all_players_in_their_seats(room: Room, before):
    await practise(room, variant="paskahousu")
    table = await room.table()
    if before:  # an earlier version gave all of them the number of one click
        await execute(
            room.house.store.database,
            f"UPDATE players SET joined_by = {table.id}",
            f"UPDATE games SET joiners = '[{table.id}, {table.id}, {table.id}]'",
        )
    else:
        assert len({player.joined_by for player in table.players}) == 3
    asked = request_at(table, room.people[0].id, id=99)
    await room.tables.play.stop(asked)
    if before:
        await room.tables.play._doorway.drop(table.id)  # the table in memory still has other numbers
    watched = await room.tables.past.watched(replace(asked, id=98), 1)
    assert before or [player.name for player in watched.table.players] == ["Ann", "Clara", "Otto"]
    assert [player.user_id for player in watched.table.players] == [room.people[0].id, None, None]


async def test_practice_is_declined_where_there_is_a_table(room: Room):
    await room.open(seats=2)
    before = await room.table()
    shown = await practise(room)
    assert texts(shown.components).startswith("**This channel already has a table.**")
    assert room.opened == [before.id]
    assert await room.table() == before


@pytest.mark.parametrize("level", ["easy", "strong"])
async def test_the_computer_replies_to_a_move_by_itself(room: Room, level):
    hand = await practise(room, level=level)
    await room.press(room.people[0], hand, "ready")
    for _ in range(30):
        snapshot = await room.tables.snapshot(room.table_id)
        assert snapshot.view.turn != 1 or snapshot.table.status != "playing"
        shown = await room.hand(room.people[0])
        move = next((each for each in ids_on(shown) if matches(each, "play") or matches(each, "pickup")), None)
        if move is None:
            break
        await room.people[0].click(shown, custom_id=move)
        await room.idle()
    table = await room.table()
    assert table.players[1].level == level
    game = instance_of(StoredGame, not_none(await room.house.store.games.with_table(table.id, table.guild_id)).game)
    by_seat = Counter(made.seat for made in game.moves)
    assert min(by_seat[0], by_seat[1]) > 2


@pytest.mark.parametrize("friend", [False, True])
async def test_reminders_are_sent_only_if_another_person_may_be_waiting(room: Room, friend):
    if friend:
        await room.start(seats=2)
    else:
        await practise(room)
    await room.env.advance_time(70)
    await room.idle()
    assert (await room.table()).nudged
    assert ("look at your cards" in texts(room.public().components)) is friend
