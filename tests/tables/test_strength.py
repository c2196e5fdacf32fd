"""Strengths are computed from the finishing orders of games without hints."""

from collections.abc import Sequence

import pytest

from data.game_models import Finish
from tables.people_service import strengths_of
from tables.snapshots import Strength
from testkit.found import not_none
from testkit.offline import ANN, BOB, CY, DEE, GUILD, Offline, prefer


def games(*orders, shithead=9, winner=None):
    """Games with these finishing orders; a number is a person, a word a level."""
    return [
        Finish(7, nth, shithead, winner, *((who, None) if isinstance(who, int) else (None, who)))
        for nth, order in enumerate(orders, 1)
        for who in order
    ]


def names(strengths: Sequence[Strength]):
    return [each.level or each.user_id for each in strengths]


def test_players_who_win_more_are_stronger_and_more_games_lessen_the_doubt():
    few, many = (strengths_of(games(*[(1, 2)] * count)) for count in (1, 12))
    assert names(few) == names(many) == [1, 2]
    assert many[0].points > few[0].points > 1000 > few[1].points
    assert many[0].doubt < few[0].doubt == pytest.approx(632, abs=1)
    assert [each.games for each in many] == [12, 12]


def test_beating_a_strong_player_gains_more_than_beating_a_weak_one():
    known = strengths_of(games(*[("master", "easy")] * 20, (1, "master"), (2, "easy")))
    points = {name: each.points for name, each in zip(names(known), known, strict=True)}
    assert points["master"] > points["easy"]
    assert points[1] > points[2] > 1000


def test_one_lucky_game_is_not_enough_to_lead():
    found = strengths_of(games(*[(1, 3)] * 30, (2, 3)))
    assert names(found)[0] == 1
    equals = strengths_of(games(*[(1, 3), (3, 1)] * 8, (2, 1)))
    assert max(equals, key=lambda each: each.points).user_id == 2
    assert names(equals) == [3, 1, 2]


def test_two_computers_of_a_level_are_rated_as_one_player():
    found = dict(_by_name(games(("fair", 1, "fair"))))
    assert found["fair"].games == 1
    assert found["fair"].points == pytest.approx(found[1].points, abs=60)


def _by_name(finishes: Sequence[Finish]):
    found = strengths_of(finishes)
    return zip(names(found), found, strict=True)


def test_places_that_a_game_does_not_tell_apart_are_equal():
    drawn, won = (strengths_of(games((1, 2, 3), shithead=None, winner=first)) for first in (None, 1))
    assert len({each.points for each in drawn}) == 1
    assert [each.points > 1000 for each in won] == [True, False, False]
    assert won[1].points == pytest.approx(won[2].points)
    drawn_with_computer = strengths_of(games((1, 2, "easy"), shithead=None))
    assert len({each.points for each in drawn_with_computer}) == 1
    of_computers = strengths_of(games(("master", "fair", "strong", "easy"), shithead=None))
    assert names(of_computers) == ["easy", "fair", "master", "strong"]  # the same in every process
    won_by_computer = dict(_by_name(games(("easy", 1, None), shithead=None, winner=1)))
    assert won_by_computer["easy"].points > 1000 > won_by_computer[1].points


def test_former_players_and_computers_of_unknown_level_are_not_listed():
    nobody = [Finish(7, 1, None, None, who, None) for who in (-3, 2, 3, None)]
    assert names(strengths_of(nobody)) == [2, 3]
    assert strengths_of([]) == []


async def rated_game(house: Offline, *people, hints=False):
    """A game that was played to its end by people and a strong computer, with or without hints."""
    table = await house.lobby(*people)
    await house.tables.lobby.add_computer(house.by(people[0], table), "strong")
    await house.tables.lobby.change(house.by(people[0], table), hints=hints)
    await house.tables.play.start(house.by(people[0], table))
    await house.finish(table)
    return table


async def test_only_games_without_hints_count(house: Offline):
    await rated_game(house, ANN, hints=True)
    assert await house.tables.people.strengths(GUILD) == []


async def test_a_game_that_a_computer_lost_is_stored_as_lost(house: Offline):
    lost_by = set()
    for _ in range(6):
        table = await rated_game(house, ANN)
        ended = await house.tables.snapshot(table)
        lost_by.add(ended.table.players[not_none(ended.view.shithead)].level)
    lines = await house.store.scores.finishes(GUILD, 99)
    assert lost_by == {None, "strong"}
    assert {each.shithead for each in lines} == {2}


@pytest.mark.parametrize("hints", [True, False])
async def test_changing_hints_later_does_not_change_whether_a_game_is_rated(house: Offline, hints):
    table = await rated_game(house, ANN, BOB, hints=hints)
    people = house.tables.people
    counted = await people.strengths(GUILD)
    assert bool(counted) is not hints
    await house.tables.play.rematch(house.by(ANN, table))
    await house.tables.lobby.change(house.by(ANN, table), hints=not hints)
    assert (await house.store.scores.rated(GUILD))[0] == len(counted[:1])
    await house.tables.lobby.join(house.by(BOB, table))
    await house.finish(table)
    assert {each.games for each in await people.strengths(GUILD)} == {1}


async def test_people_and_levels_are_listed_together_and_a_new_game_counts_at_once(house: Offline):
    table = await rated_game(house, ANN, BOB)
    people = house.tables.people
    found = await people.strengths(GUILD)
    assert sorted(map(str, names(found))) == sorted([str(ANN.id), str(BOB.id), "strong"])
    assert {each.games for each in found} == {1}
    assert await people.strengths(GUILD + 1) == []
    await house.tables.play.rematch(house.by(ANN, table))
    await house.tables.lobby.join(house.by(BOB, table))
    await house.finish(table)
    assert {each.games for each in await people.strengths(GUILD)} == {2}


async def test_only_the_newest_games_are_rated(house: Offline, monkeypatch):
    await rated_game(house, ANN)
    house.time.pass_by(seconds=1)
    await rated_game(house, BOB)
    monkeypatch.setattr("tables.people_service.MOST_RATED", 1)
    found = await house.tables.people.strengths(GUILD)
    assert {each.games for each in found} == {1}
    assert ANN.id not in names(found)
    assert BOB.id in names(found)


async def test_people_who_opted_out_or_are_forgotten_are_not_listed(house: Offline):
    await rated_game(house, ANN, BOB)
    people = house.tables.people
    await prefer(house.tables, GUILD, ANN.id, uncounted=True)
    assert ANN.id not in names(await people.strengths(GUILD))
    await prefer(house.tables, GUILD, ANN.id, uncounted=False)
    assert ANN.id in names(await people.strengths(GUILD))
    assert await people.forget(BOB.id) is None
    assert BOB.id not in names(await people.strengths(GUILD))


async def test_a_server_that_was_forgotten_is_rated_by_its_new_games_alone(house: Offline):
    await rated_game(house, ANN, BOB)
    assert len(await house.tables.people.strengths(GUILD)) == 3
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=31)
    await house.tables.servers.upkeep()
    await house.tables.servers.joined(GUILD)
    await rated_game(house, CY, DEE)
    assert {each.user_id for each in await house.tables.people.strengths(GUILD)} == {CY.id, DEE.id, None}
