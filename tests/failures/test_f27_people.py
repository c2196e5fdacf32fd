"""People go away, change, or leave: F27, F28, F29, F45, F46, F54."""

import pytest
from discord import Permissions
from simcord import MemberActor
from simcord.backend.models import Overwrite

from testkit.channel import Room
from testkit.faults import in_play, on_turn, pass_by, snapshot
from testkit.found import not_none
from testkit.made import described, texts
from testkit.stored import open_debts

TURN, GRACE = 3, 1


@pytest.mark.parametrize("row", ["f27", "f28"])
async def test_f27_f28_whoever_can_no_longer_click_is_played_by_the_clock(room: Room, row):
    await in_play(room, seats=3)
    person, _, _ = await on_turn(room)
    before = await snapshot(room)
    if row == "f27":
        room.env.backend.remove_member(room.guild.id, person.id)
        await room.env.settle()
    else:
        unseen = Overwrite(target_id=person.id, type=1, allow=0, deny=Permissions(view_channel=True).value)
        room.env.backend.set_overwrite(room.channel.id, unseen)
    await pass_by(room, minutes=TURN)
    assert (await snapshot(room)).table.overdue
    await pass_by(room, minutes=GRACE)
    after = await snapshot(room)
    assert after.moves > before.moves
    assert after.table.players[not_none(before.view.turn)].away
    assert after.table.status == "playing"


async def test_f29_a_name_is_that_of_the_seat_and_afterwards_a_number(room: Room):
    await in_play(room)
    room.env.backend.users[room.people[1].id].global_name = "Robert"
    await room.restart()
    assert "; Bob, " in described(room.public().components)
    await room.confirm(room.people[0], "stop")
    await room.restart()
    room.house.painter.want(room.table_id)
    await room.idle()
    assert "Bob" not in texts(room.public().components)
    assert [player.name for player in (await room.table()).players] == ["", ""]


async def leave(room: Room, person: MemberActor):
    page = (await room.press(person, room.public(), "more")).response
    if (await room.table()).status == "playing":
        await room.press(person, page, "leaving")
    return await room.press(person, page, "leave")


@pytest.mark.parametrize("dealt", [False, True])
async def test_f45_f54_the_host_role_passes_on_when_the_host_leaves(room: Room, dealt):
    await (in_play(room, seats=3) if dealt else room.open(seats=3))
    await leave(room, room.people[0])
    table = await room.table()
    assert table.host_id == room.people[1].id
    assert len(table.players) == (3 if dealt else 2)
    result = await room.confirm(room.people[1], "stop")
    assert result.acknowledged
    assert (await room.table()).status == "stopped"


async def test_f46_a_game_that_everybody_has_left_is_aborted_without_tea(room: Room):
    await in_play(room)
    for person in room.people[:2]:
        await leave(room, person)
    assert (await room.table()).status == "aborted"
    assert await open_debts(room.house.store, room.guild.id) == []


async def test_f46_a_game_at_which_nobody_clicks_ends_after_a_while_without_a_result(room: Room):
    await in_play(room)
    for _ in range(60):
        await pass_by(room, minutes=1)
    assert (await room.table()).status == "aborted"
    assert (await snapshot(room)).debt is None


async def test_somebody_without_the_right_to_manage_stops_nothing_alone(room: Room):
    role = room.guild.create_role("reader", permissions=Permissions(view_channel=True))
    reader = room.guild.add_member(room.env.create_user("reader"), roles=[role])
    await in_play(room)
    result = await reader.slash(room.channel, "shithead stop")
    assert "do not sit" in texts(result.response.components)
    assert (await room.table()).status == "playing"
