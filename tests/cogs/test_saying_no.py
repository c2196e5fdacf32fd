"""A rematch can be declined with one press, in the lobby or in the hand of the last game."""

import pytest
from simcord import ResponseMessage

from cogs.screens.components import Accent, walk
from cogs.screens.formatter import formatter
from cogs.screens.joining_screens import not_in_screen
from data.models import Player
from testkit.channel import Room, ids_on, matches, together
from testkit.faults import pass_by, the_id
from testkit.made import labels, made_table, texts
from testkit.offline import BOB
from testkit.shortcuts import called, can, end, play_on, press, settled
from tests.cogs.test_first_minute import NO_ID

NOT_IN = "**You are not in.** You can still press **Join** until the cards are dealt."


async def asking(room: Room, seats):
    """Play a game to its end; then Ann asks for a rematch."""
    await end(room, seats=seats)
    await press(room, room.people[0], "rematch", room.public())
    return room.people[:seats]


async def test_a_no_in_the_hand_of_the_last_game_spares_the_others_the_wait(followed: Room):
    room = followed
    ann, bob, cy = await asking(room, 3)
    await press(room, bob, "join", room.public())
    assert labels(room.notes(cy)[-1].components) == ["Join", "Not this time"]
    assert labels(room.public().components)[:3] == ["Join", "Not this time", "Start"]
    await press(room, cy, "sayno")
    assert [player.user_id for player in (await room.table()).players] == [ann.id, bob.id]
    assert all(can(room.notes(each)[-1], "ready") for each in (ann, bob))
    (note,) = room.notes(cy)
    assert "it goes on without you." in texts(note.components)
    assert not ids_on(note)


async def test_only_a_lobby_that_asks_nobody_is_said_to_close_after_some_minutes_without_a_change(room: Room):
    host, closes = room.people[0], "closes after 15 minutes without a change"
    more = (await room.press(host, await room.open(), "more")).response
    assert closes in texts(more.components)
    await room.press(room.people[1], room.public(), "join")
    await room.press(host, room.public(), "start")
    await play_on(room)
    await room.press(host, room.public(), "rematch")
    assert (await room.table()).is_rematch_pending
    more = (await room.press(host, room.public(), "more")).response
    assert closes not in texts(more.components)


async def test_the_last_no_below_the_public_message_says_that_the_game_goes_on_without_its_sayer(followed: Room):
    room = followed
    _, bob, cy = await asking(room, 3)
    await press(room, bob, "join", room.public())
    said = await room.press(cy, room.public(), "sayno")
    assert texts(said.response.components) == "**You are not in this game:** it goes on without you."


@pytest.mark.parametrize("in_hand", [True, False])
async def test_whoever_says_no_reads_in_one_message_that_they_can_still_join(followed: Room, in_hand):
    room = followed
    _, bob, cy = await asking(room, 3)
    await press(room, bob, "sayno", room.notes(bob)[-1] if in_hand else room.public())
    (note,) = room.notes(bob)
    assert texts(note.components) == NOT_IN
    assert labels(note.components) == ["Join"]
    assert f"**{called(room, bob)}** · not this time" in texts(room.public().components)
    assert f"**{called(room, cy)}** · no answer yet" in texts(room.public().components)
    await press(room, bob, "join")
    await press(room, cy, "join", room.public())
    assert (await room.table()).seat_of(bob.id) == 1
    assert can(room.notes(bob)[-1], "ready")


def test_whoever_said_no_is_not_told_to_press_join_where_every_seat_is_taken():
    players = [Player(user_id=user_id, name="", joined_by=user_id, left=user_id == BOB.id) for user_id in range(1, 8)]
    screen = not_in_screen(formatter(), made_table(players=tuple(players), seats=6, game=2), BOB.id)
    assert texts(screen) == "**Every seat is taken.** Wait for the next game, or open a table in another channel."


async def test_whoever_said_no_reads_when_the_last_seat_is_taken_and_when_one_is_free_again(followed: Room):
    room = followed
    kept = "**The other seats are kept for those who have yet to answer.** If somebody says no, one is free."
    ann, bob, _ = await asking(room, 3)
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "seats", "3")
    await press(room, bob, "sayno", room.public())
    for free in (True, False, True):
        (note,) = room.notes(bob)
        assert (texts(note.components), labels(note.components)) == (NOT_IN if free else kept, ["Join"])
        assert next(each for each in walk(note.components) if each.get("label")).get("disabled", False) != free
        if free:
            await press(room, room.people[3], "join", room.public())
        else:
            await room.people[3].slash(room.channel, "shithead leave")
            await settled(room)


async def test_a_computer_that_was_removed_from_a_rematch_is_not_listed(followed: Room):
    room = followed
    ann, _, _ = await asking(room, 3)
    assert "Rematch · 1 of " in texts(room.public().components)
    page = (await room.press(ann, room.public(), "more")).response
    for level in ("easy", "fair"):
        await room.choose(ann, page, "computer", level)
    stays, goes = (player.name for player in (await room.table()).players if player.is_computer)
    await settled(room)
    for shown in (room.public(), page):
        assert stays in texts(shown.components)
        assert goes in texts(shown.components)
    await room.press(ann, page, "nocomputer")
    await settled(room)
    for shown in (room.public(), page):
        assert stays in texts(shown.components)
        assert goes not in texts(shown.components)


async def test_the_seats_of_those_who_have_yet_to_answer_are_kept_for_them(followed: Room):
    room = followed
    ann, bob, cy = await asking(room, 3)
    dee = room.people[3]
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "variant", "pub")
    assert seats_offered(page) == ["3 seats", "4 seats", "5 seats"]
    for _ in range(2):
        await room.choose(ann, page, "computer", "easy")
    assert "Rematch · 3 of 5 seats" in texts(room.public().components)
    assert not can(page, "computer"), "a computer may not take the seat of somebody who is asked"
    told = await room.press(dee, room.public(), "join")
    kept = "**The other seats are kept for those who have yet to answer.** If somebody says no, one is free."
    assert texts(told.response.components) == kept
    await press(room, bob, "sayno", room.public())
    await press(room, dee, "join", room.public())
    assert "Rematch · 4 of 5 seats" in texts(room.public().components)
    await press(room, cy, "join")
    assert all(can(room.notes(each)[-1], "ready") for each in (ann, cy, dee))


async def test_where_no_seat_is_free_nobody_is_told_to_press_join(room: Room):
    await room.open(seats=6)
    stranger = room.people[6]
    for free in (False, True):
        page = (await room.press(stranger, room.public(), "more")).response
        assert ("Press **Join**" in texts(page.components)) == free
        told = (await stranger.slash(room.channel, "shithead hand")).response
        assert ("Press **Join**" in texts(told.components)) == free
        assert ("Every seat is taken." in texts(told.components)) != free
        await room.people[5].slash(room.channel, "shithead leave")
        await room.idle()


def seats_offered(page: ResponseMessage):
    return [
        each["label"]
        for part in walk(page.components)
        if matches(part.get("custom_id", NO_ID), "seats")
        for each in part["options"]
    ]


async def test_somebody_who_is_asked_is_offered_their_seat_where_all_others_are_taken(followed: Room):
    room = followed
    ann, bob = await asking(room, 2)
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "seats", "2")
    assert "Play against the computer" not in labels(room.public().components), "the seat is kept for Bob"
    for person, offered in ((bob, ["Join"]), (room.people[2], [])):
        told = (await person.slash(room.channel, "shithead start")).response
        assert "This channel already has a table." in texts(told.components)
        assert labels(told.components) == offered


async def test_nobody_plays_against_the_computer_while_others_are_asked_for_a_rematch(followed: Room):
    room, offer = followed, "Play against the computer"
    _, bob, cy = await asking(room, 3)
    offered = [offer in labels(room.public().components)]
    for person in (bob, cy):
        await press(room, person, "sayno", room.public())
        offered.append(offer in labels(room.public().components))
    assert offered == [False, False, True]


async def test_somebody_who_is_in_and_says_no_leaves(followed: Room):
    room = followed
    _, bob, _ = await asking(room, 3)
    await press(room, bob, "join", room.public())
    await press(room, bob, "sayno", room.public())
    assert (await room.table()).seat_of(bob.id) is None
    assert [texts(note.components) for note in room.notes(bob)] == [NOT_IN]


async def test_leaving_the_lobby_of_a_rematch_leaves_a_way_back(followed: Room):
    room = followed
    _, bob, _ = await asking(room, 3)
    await press(room, bob, "join", room.public())
    await press(room, bob, "more", room.public())
    await press(room, bob, "leave")
    await room.env.advance_time(61)
    await settled(room)
    assert [texts(note.components) for note in room.notes(bob)] == [NOT_IN]


async def test_somebody_for_whom_no_seat_is_kept_is_not_told_to_press_join(followed: Room):
    room = followed
    ann, bob, cy = await asking(room, 3)
    page = (await room.press(ann, room.public(), "more")).response
    await room.choose(ann, page, "seats", "3")
    for command in ("hand", "leave"):
        told = (await room.people[3].slash(room.channel, f"shithead {command}")).response
        assert texts(told.components).startswith("**The other seats are kept for those who have yet to answer.**")
    told = (await bob.slash(room.channel, "shithead hand")).response
    assert texts(told.components) == "**You do not sit at this table.** Press **Join** to play."
    await press(room, cy, "sayno", room.public())
    told = (await room.people[3].slash(room.channel, "shithead hand")).response
    assert texts(told.components) == "**You do not sit at this table.** Press **Join** to play."


async def test_somebody_who_was_not_asked_is_invited(followed: Room):
    room = followed
    await asking(room, 2)
    before, stranger = await room.table(), room.people[4]
    said = await room.press(stranger, room.public(), "sayno")
    assert texts(said.response.components).startswith("**You do not sit at this table.** Press **Join** to play.")
    assert (await room.table()).players == before.players


async def test_whoever_was_asked_for_a_rematch_that_was_closed_reads_that_rematch_asks_again(followed: Room):
    room, again = followed, "**The game is over.** Press **Rematch** for another."
    await end(room, seats=3)
    (ann, bob, cy, stranger), result = room.people[:4], room.public()
    await press(room, ann, "rematch", result)
    await press(room, bob, "join", room.public())
    await room.confirm(ann, "stop")
    await settled(room)
    assert texts(room.notes(bob)[-1].components) == again
    for person in (ann, bob, cy):
        said = (await person.slash(room.channel, "shithead hand")).response
        assert texts(said.components) == again
        assert [each["accent_color"] for each in walk(said.components) if "accent_color" in each] == [Accent.GREY]
    gone = (await stranger.slash(room.channel, "shithead hand")).response
    assert texts(gone.components).startswith("**This table is gone.**")
    await pass_by(room, seconds=31)  # or the table may not be posted again yet
    await press(room, cy, "rematch", result)
    assert (await room.table()).status == "lobby"


async def test_saying_no_twice_gives_the_same_answer(followed: Room):
    room = followed
    _, bob, _ = await asking(room, 3)
    for _ in range(2):
        await press(room, bob, "sayno", room.public())
        assert [texts(note.components) for note in room.notes(bob)] == [NOT_IN]


async def at_once(room: Room, *presses):
    """People press buttons of the lobby before the bot sees the first; return the answers."""
    lobby = room.public()
    ids = {verb: next(each for each in ids_on(lobby) if matches(each, verb)) for _, verb in presses}
    results = await together(room.env, *(person.click(lobby, custom_id=ids[verb]) for person, verb in presses))
    await settled(room)
    assert all(result.acknowledged for result in results)
    return results


async def test_a_yes_and_a_no_at_once_deal_without_the_no(followed: Room):
    room = followed
    ann, bob, cy = await asking(room, 3)
    await at_once(room, (cy, "sayno"), (cy, "sayno"), (bob, "join"))
    assert len(room.notes(cy)) == 1
    table = await room.table()
    assert (table.status, [player.user_id for player in table.players]) == ("playing", [ann.id, bob.id])


async def test_a_no_that_comes_after_the_deal_leaves_the_player_in(followed: Room):
    room = followed
    _, bob, cy = await asking(room, 3)
    *_, late = await at_once(room, (bob, "join"), (cy, "join"), (cy, "sayno"))
    assert "The cards are dealt: this is out of date." in texts(late.response.components)
    assert (await room.table()).seat_of(cy.id) is not None


async def test_a_no_that_comes_after_the_deal_to_others_is_not_sent_to_a_hand(followed: Room):
    room = followed
    ann, bob, cy = await asking(room, 3)
    await press(room, bob, "join", room.public())
    lobby = room.public()
    clicks = [(ann, "start"), (cy, "sayno"), (room.people[3], "sayno")]
    _, *late = await together(room.env, *(each.click(lobby, custom_id=the_id(lobby, verb)) for each, verb in clicks))
    for told in late:
        said = "**You do not sit at this table.** A game is on; you can join before the next one."
        assert texts(told.response.components).startswith(said)


async def test_once_nobody_is_asked_any_more_there_is_nothing_to_decline(followed: Room):
    room = followed
    _, bob = await asking(room, 2)
    await press(room, bob, "sayno")
    assert "Not this time" not in labels(room.public().components)
    await room.env.advance_time(61)
    await settled(room)
    assert "too few joined in time" in texts(room.public().components)
    assert [texts(note.components) for note in room.notes(bob)] == [NOT_IN]
