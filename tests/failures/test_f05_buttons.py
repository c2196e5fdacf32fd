"""Buttons, selects and forms that are old, many or somebody else's: F5, F33, F42, F47, F48, F49, F53."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.screens.formatter import formatter
from cogs.screens.hand_screens import hand_screen
from cogs.screens.ids import ButtonId, format_id, parse_button, parse_id
from cogs.topics import handlers, topics
from game.cards import make_pack, rank_of
from game.moves import PickUp, Play
from game.rules import Rules
from testkit.channel import Room
from testkit.faults import snapshot, the_id
from testkit.made import pressed, texts, within_limits
from testkit.shortcuts import builder_of
from tests.cogs.test_limits import big_hand


def test_f05_every_id_is_done_by_exactly_one_function():
    assert len(handlers()) == sum(len(topic.handlers) for topic in topics().values()) > 50
    for verb in handlers():
        assert parse_id(format_id(verb, 2**63 - 1, 10**6, "7c7d")) == ButtonId(verb, 2**63 - 1, 10**6, "7c7d")
        for wrong in (f"x{format_id(verb, 1, 1)}", f"{format_id(verb, 1, 1)}\n", f"sh:{verb}:1", f"sh:{verb}:1:1:a:b"):
            assert parse_id(wrong) is None


async def test_f05_no_button_is_registered_with_the_library(room: Room):
    await room.start(seats=2)
    store = room.house.bot._connection._view_store
    assert not store._dynamic_items
    assert not any(store._views.values())
    assert not store._modals


async def test_f33_a_click_at_one_of_two_tables_is_for_that_table(room: Room):
    await room.open(seats=1)
    first, message = room.table_id, room.public()
    other = room.guild.create_text_channel("other")
    await room.people[1].slash(other, "shithead start")
    await room.idle()
    second = room.table_id
    await room.press(room.people[2], message, "join")
    assert len((await room.tables.snapshot(first)).table.players) == 2
    assert len((await room.tables.snapshot(second)).table.players) == 1


@settings(max_examples=60)
@given(st.sets(st.sampled_from(make_pack())), st.booleans())
def test_f42_f53_a_hand_of_any_size_is_taken_by_discord_and_every_rank_can_be_played(cards, must):
    hand = big_hand(cards, Rules().changed_with({"play": {"must_play": must}}))
    screen = hand_screen(formatter(), hand)
    within_limits(screen)
    moves = [parse_button(*each) for each in pressed(screen)]
    ranks = {rank_of(move.cards[0]) for move in moves if isinstance(move, Play)}
    assert ranks == {rank_of(card) for card in cards}
    assert any(isinstance(move, PickUp) for move in moves)


async def test_f47_a_form_that_is_sent_after_the_table_closed_is_answered_politely(room: Room):
    await room.open(seats=1)
    host = room.people[0]
    page = await builder_of(room, host)
    form = await room.press(host, page, "housetext")
    await room.confirm(host, "stop")
    before = await room.table()
    result = await host.submit_modal(form, {"rules": "classic"})
    assert result.acknowledged
    assert texts(result.response.components).startswith("**")
    assert await room.table() == before


async def test_f48_a_choice_made_in_a_list_that_was_open_for_too_long_changes_nothing(room: Room):
    await room.open(seats=2)
    host = room.people[0]
    page = (await room.press(host, room.public(), "more")).response
    await room.restart()  # now the bot does not know any more what is open, and leaves it as it is
    await room.press(host, room.public(), "start")
    before = await snapshot(room)
    result = await room.choose(host, page, "pace", "slow*2")
    assert "The cards are dealt: this is out of date." in texts(result.response.components)
    assert await snapshot(room) == before


@pytest.mark.parametrize("command", ["shithead start", "palace start", "shithead practice"])
async def test_f49_a_second_table_in_a_channel_is_refused_with_a_sentence(room: Room, command):
    await room.open(seats=1)
    before = room.table_id
    result = await room.people[1].slash(room.channel, command)
    assert "already has a table" in texts(result.response.components)
    address = f"https://discord.com/channels/{room.guild.id}/{room.channel.id}/{room.public().id}"
    assert texts(result.response.components).endswith(f" [Go to the table]({address})")
    assert room.table_id == before
    assert the_id(room.public(), "join")


async def test_f49_a_table_too_many_is_refused_with_a_sentence_and_a_link_to_another(room: Room):
    host, links = room.people[0], []
    for nth in range(3):
        channel = room.guild.create_text_channel(f"other{nth}")
        await host.slash(channel, "shithead start")
        await room.idle()
        links.append(f"/channels/{room.guild.id}/{channel.id}/{channel.last_message.id}")
    result = await host.slash(room.channel, "shithead start")
    said = texts(result.response.components)
    assert "Too many of your tables are open in this server." in said
    assert links[0] in said
    assert len(room.opened) == 3
