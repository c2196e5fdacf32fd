"""Whether a request to stop ends the game at once, which a screen needs to know first, or is counted as a vote."""

from random import Random

import pytest

from data.guild_models import GuildSettings
from tables.loaded import LoadedTable
from tables.play_service import decide_stop, would_stop
from tables.snapshots import Declined
from testkit.made import START, made_table
from testkit.offline import Offline, People, request_at

HOST, PLAYER, ANOTHER, STRANGER = 100, 101, 102, 999


@pytest.mark.parametrize("status", ["lobby", "playing", "over"])
@pytest.mark.parametrize(
    ("who", "moderator", "voted", "in_lobby", "in_game"),
    [
        (HOST, False, (), True, True),
        (HOST, False, (HOST,), True, True),
        (PLAYER, False, (), False, False),
        (PLAYER, False, (ANOTHER,), False, True),
        (PLAYER, False, (PLAYER,), False, False),
        (PLAYER, False, (PLAYER, ANOTHER), False, False),
        (PLAYER, True, (), True, True),
        (PLAYER, True, (PLAYER,), True, True),
        (STRANGER, False, (), False, False),
        (STRANGER, False, (PLAYER,), False, False),
        (STRANGER, True, (), True, True),
    ],
)
def test_a_table_stops_at_once_for_host_and_moderators_and_with_enough_votes(
    status, who, moderator, voted, in_lobby, in_game
):
    table = made_table(seats=3, status=status, host_id=HOST)
    for user in voted:
        table = table.with_player(user - HOST, wants_stop=True)
    request = request_at(table, who, id=1, moderator=moderator)
    stops = {"lobby": in_lobby, "playing": in_game, "over": False}[status]
    assert would_stop(table, request) is stops
    try:
        loaded = LoadedTable(table, GuildSettings(guild_id=1), "00")
        after = decide_stop(loaded, request, START, Random(1)).after.table
    except Declined:
        assert not stops
    else:
        assert (after.status == "stopped") is stops
        assert who == STRANGER or after.players[who - HOST].wants_stop


def test_a_host_who_is_not_seated_cannot_stop_alone():
    table = made_table(seats=3, status="playing", host_id=STRANGER)
    assert not would_stop(table, request_at(table, STRANGER, id=1))


async def test_when_somebody_leaves_the_votes_of_the_others_may_be_enough(house: Offline, people: People):
    table = await house.game(*people[:4])
    *_, voted = [await house.tables.play.stop(house.by(voter, table)) for voter in people[1:3]]
    assert voted.table.status == "playing"
    left = await house.tables.lobby.leave(house.by(people[3], table))
    assert left.table.status == "stopped"
    assert left.debt is None
