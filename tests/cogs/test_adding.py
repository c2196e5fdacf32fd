"""Picking up the pile together with a face-up card."""

from simcord import MemberActor, ResponseMessage

from testkit.channel import Room, ids_on, matches
from testkit.faults import fail, the_id
from testkit.found import not_none
from testkit.made import texts


async def on_turn(room: Room):
    """The person on turn and their hand."""
    table = await room.tables.snapshot(room.table_id)
    person = next(each for each in room.people if each.id == table.table.players[not_none(table.view.turn)].user_id)
    return person, await room.hand(person)


async def move(room: Room, person: MemberActor, hand: ResponseMessage):
    """Make a move that adds no card to the pile that is picked up."""
    await person.click(hand, custom_id=the_id(hand, "play", "flip", "pickup"))
    await room.idle()


async def may_add(room: Room):
    """Play until somebody may pick up a face-up card along with the pile; they, their hand, and the button's id."""
    await room.start(seats=3)
    for person in room.people[:3]:
        await room.press(person, await room.hand(person), "ready")
    for _ in range(200):
        person, hand = await on_turn(room)
        adding = [id_ for id_ in ids_on(hand) if matches(id_, "adding")]
        if adding:
            return person, hand, adding[0]
        await move(room, person, hand)
    raise AssertionError("nobody may add a card")


async def test_somebodys_vote_to_stop_does_not_make_the_choice_of_a_face_up_card_out_of_date(room: Room):
    person, hand, adding = await may_add(room)
    other = next(each for each in room.people[1:3] if each.id != person.id)
    await other.slash(room.channel, "shithead stop")
    await room.idle()
    told = await person.click(hand, custom_id=adding)
    assert "out of date" not in texts(hand.components) + str(told)
    assert [id_ for id_ in ids_on(hand) if matches(id_, "pickup")]


async def test_an_old_hand_offers_no_choice_of_a_face_up_card_where_none_may_be_added_any_more(room: Room):
    person, old, adding = await may_add(room)
    fail(room, ("DELETE", "/webhooks/*/*/messages/*"), 403)  # so that the old hand stays beside the new one
    room.hands[person] = (await person.slash(room.channel, "shithead hand")).response
    page = await room.press(person, room.hands[person], "adding")
    await room.press(person, page.response, "pickup")
    while (turn := await on_turn(room))[0] != person:
        await move(room, *turn)
    assert not any(matches(id_, "adding") for id_ in ids_on(turn[1]))
    await person.click(old, custom_id=adding)
    assert "That hand was out of date. Here is the current one." in texts(old.components)
    assert the_id(old, "play", "pickup")
