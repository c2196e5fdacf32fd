"""*Game started*: only people who want it are mentioned when cards are dealt, and only once."""

from simcord import MemberActor, ResponseMessage

from testkit.channel import Room, ids_on, matches
from testkit.faults import fail, pass_by, requests, view_of
from testkit.made import texts

SAID = "your game has begun."
SEND = ("POST", "/channels/*/messages")


async def want(room: Room, *people):
    for person in people:
        page = (await person.slash(room.channel, "shithead me")).response
        await room.press(person, page, "mine", "called=on")


def calls(room: Room):
    """The messages about a deal, as they were sent."""
    sent = requests(room, "POST", f"/channels/{room.channel.id}/messages")
    return [each.json for each in sent if SAID in texts(each.json["components"])]


def standing(room: Room):
    """The messages about a deal that still exist."""
    there = room.env.backend.messages[room.channel.id].values()
    return [each for each in there if each.visible_to(None) and SAID in texts(each.components)]


async def test_by_default_nobody_is_mentioned(room: Room):
    await room.start(seats=3)
    assert not calls(room)


async def test_only_those_who_want_it_are_mentioned_and_only_once(room: Room):
    ann, bob, cy = room.people[:3]
    await want(room, ann, bob)
    await room.open(seats=3)
    await room.press(ann, room.public(), "start")
    (call,) = calls(room)
    assert texts(call["components"]).startswith(f"<@{bob.id}>, {SAID}")
    assert call["allowed_mentions"] == {"parse": [], "users": [str(bob.id)]}
    assert str(cy.id) not in texts(call["components"])
    assert len(standing(room)) == 1


async def test_the_message_opens_the_hand_and_goes_when_its_reader_is_ready(room: Room):
    bob = room.people[1]
    await want(room, bob)
    await room.start(seats=2)
    hand = (await room.press(bob, room.public(), "hand")).response
    assert standing(room)
    ready = next(each for each in ids_on(hand) if matches(each, "ready"))
    await bob.click(hand, custom_id=ready)
    await room.idle()
    assert not standing(room)
    assert len(calls(room)) == 1


async def test_a_message_to_several_goes_and_says_that_it_goes_when_all_of_them_are_ready(room: Room):
    _, bob, cy = room.people[:3]
    await want(room, bob, cy)
    await room.start(seats=3)
    for person in (bob, cy):
        (there,) = standing(room)
        assert texts(there.components).endswith("-# Disappears when all are ready")
        hand = (await room.press(person, room.public(), "hand")).response
        await person.click(hand, custom_id=next(each for each in ids_on(hand) if matches(each, "ready")))
        await room.idle()
    assert not standing(room)


async def test_the_host_is_mentioned_if_the_last_player_to_join_starts_the_deal(room: Room):
    ann, bob = room.people[:2]
    await want(room, ann, bob)
    await ann.slash(room.channel, "shithead start", seats=2)
    await room.idle()
    await room.press(bob, room.public(), "join")
    (call,) = calls(room)
    assert call["allowed_mentions"]["users"] == [str(ann.id)]


async def test_nobody_is_mentioned_for_a_game_against_computers_only(room: Room):
    await want(room, room.people[0])
    await room.people[0].slash(room.channel, "shithead practice")
    await room.idle()
    assert not calls(room)


async def test_each_game_of_a_series_mentions_once_even_across_a_restart(room: Room):
    ann, bob = room.people[:2]
    await want(room, bob)
    await room.start(seats=2)
    await room.restart()
    assert len(calls(room)) == 1
    await room.confirm(ann, "stop")
    assert not standing(room)
    await room.env.advance_time(30)  # or it would be JUST_POSTED
    asked = await room.press(ann, room.public(), "rematch")
    assert asked.acknowledged
    await pass_by(room, seconds=61)
    await room.press(bob, room.public(), "join")
    await room.press(ann, room.public(), "start")
    assert [each["nonce"][-2:] for each in calls(room)] == ["c1", "c2"]


async def test_if_discord_refuses_the_message_the_game_goes_on(room: Room):
    await want(room, room.people[1])
    await room.open(seats=2)
    fail(room, SEND, 400, 200000)
    await room.press(room.people[0], room.public(), "start")
    assert (await room.table()).status == "playing"
    assert (await room.table()).call_id is None
    assert not room.house.painter.behind, "the table itself is up to date"
    assert not room.house.painter.blocked
    room.house.painter.retry()
    await room.idle()
    assert not standing(room)


async def dealt_unseen(room: Room):
    """Deal without any message being drawn."""
    await want(room, *room.people[:2])
    await room.open(seats=2)
    await room.rest()
    await clicked(room.people[0], room.public(), "start")


async def clicked(person: MemberActor, message: ResponseMessage, verb):
    await person.click(message, custom_id=next(each for each in ids_on(message) if matches(each, verb)))


async def test_a_deal_that_was_not_told_before_a_restart_is_told_after_it(room: Room):
    await dealt_unseen(room)
    assert not calls(room)
    await room.restart()
    assert len(calls(room)) == len(standing(room)) == 1


async def test_nobody_is_told_of_a_deal_after_all_were_ready(room: Room):
    await dealt_unseen(room)
    for person in room.people[:2]:
        await clicked(person, (await person.slash(room.channel, "shithead hand")).response, "ready")
    await room.restart()
    assert (await view_of(room)).phase == "play"
    assert not calls(room)
