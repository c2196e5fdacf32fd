"""Picking up the pile together with a face-up card."""

from testkit.channel import ids_on, matches
from testkit.made import texts


async def test_somebodys_vote_to_stop_does_not_make_the_choice_of_a_face_up_card_out_of_date(room):
    await room.start(seats=3)
    for person in room.people[:3]:
        await room.press(person, await room.hand(person), "ready")
    for _ in range(200):
        table = await room.tables.snapshot(room.table_id)
        person = next(each for each in room.people if each.id == table.table.players[table.view.turn].user_id)
        hand = await room.hand(person)
        adding = [id_ for id_ in ids_on(hand) if matches(id_, "adding")]
        if adding:
            break
        move = next(id_ for id_ in ids_on(hand) if any(matches(id_, verb) for verb in ("play", "flip", "pickup")))
        await person.click(hand, custom_id=move)
        await room.idle()
    other = next(each for each in room.people[1:3] if each.id != person.id)
    await other.slash(room.channel, "shithead stop")
    await room.idle()
    told = await person.click(hand, custom_id=adding[0])
    assert "out of date" not in texts(hand.components) + str(told)
    assert [id_ for id_ in ids_on(hand) if matches(id_, "pickup")]
