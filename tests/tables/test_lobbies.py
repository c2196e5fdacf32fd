"""Lobbies: who may do what before the deal, and why others are declined."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from data.models import Match, Person
from game.rules import Rules
from game.variants import variants
from tables.lobby_changes import with_wishes
from tables.snapshots import Decline, Declined, TableSnapshot
from testkit.found import instance_of
from testkit.made import START, made_table
from testkit.offline import Offline, People, Refused, request_at

GUILD, CHANNEL = 900, 800


def names(snapshot: TableSnapshot):
    return [player.name for player in snapshot.table.players]


async def test_opening_seats_the_host_and_shows_a_seal(house: Offline, people: People):
    ann, *_ = people
    snapshot = await house.tables.lobby.open(house.by(ann, id=7, channel=CHANNEL), forfeit="a biscuit")
    table = snapshot.table
    assert (table.id, table.status, table.host_id, table.revision, table.forfeit) == (7, "lobby", 1, 0, "a biscuit")
    assert (names(snapshot), table.seats, table.variant) == (["Ann"], 6, "classic")
    assert len(table.seal) == 64
    assert table.secret == ""
    assert table.deadline - house.time() == timedelta(minutes=15)
    assert snapshot.view is None


@pytest.mark.parametrize("number", [0, -7])
async def test_a_table_is_not_opened_under_a_number_at_which_nobody_could_find_it_again(
    house: Offline, people: People, number
):
    with pytest.raises(ValueError, match="id"):
        await house.tables.lobby.open(house.by(people[0], id=number))
    assert await house.lobby(people[0])


@pytest.mark.parametrize("wish", [{"pace": "hasty"}, {"stretch": 3}, {"hints": "maybe"}])
async def test_a_setting_that_could_not_be_read_again_is_not_stored(house: Offline, people: People, wish):
    table = await house.lobby(*people[:2])
    with pytest.raises(ValueError, match=next(iter(wish))):
        await house.tables.lobby.change(house.by(1, table), **wish)
    assert (await house.another().snapshot(table)).table == (await house.tables.snapshot(table)).table
    assert (await house.tables.play.start(house.by(1, table))).view.hand


async def test_a_table_that_was_shown_before_its_thread_was_opened_is_shown_anew_in_it(house: Offline, people: People):
    table = (await house.tables.lobby.open(house.by(people[0], id=7, channel=CHANNEL), thread=True)).table
    await house.tables.timekeeping.place(table.id, message_id=55)
    moved = await house.tables.timekeeping.threaded(table.id, CHANNEL + 1)
    assert (moved.channel_id, moved.message_id) == (CHANNEL + 1, None)


async def test_a_table_in_a_thread_answers_there_and_in_the_channel_above_it_but_nowhere_else(
    house: Offline, people: People, refused: type[Refused]
):
    table = (await house.tables.lobby.open(house.by(people[0], id=7, channel=CHANNEL), thread=True)).table.id
    await house.tables.timekeeping.threaded(table, CHANNEL + 1)
    for elsewhere in ({"channel_id": CHANNEL + 2}, {"guild_id": GUILD + 1}):
        with refused(Decline.UNKNOWN_TABLE):
            await house.tables.lobby.join(replace(house.by(people[1], table, channel=CHANNEL), **elsewhere))
        with refused(Decline.UNKNOWN_TABLE):
            await house.tables.play.hand(replace(house.by(people[0], table, channel=CHANNEL), **elsewhere))
    for person, channel in ((people[1], CHANNEL), (people[2], CHANNEL + 1)):
        await house.tables.lobby.join(house.by(person, table, channel=channel))
    assert names(await house.tables.snapshot(table)) == ["Ann", "Bob", "Cy"]


async def test_opening_twice_by_one_interaction_opens_one_table(house: Offline, people: People):
    first = await house.tables.lobby.open(house.by(people[0], id=7, channel=CHANNEL))
    again = await house.tables.lobby.open(house.by(people[0], id=7, channel=CHANNEL))
    assert again == first


async def test_a_thread_that_is_recorded_again_keeps_the_message_of_its_table(house: Offline, people: People):
    """Of a command that is delivered twice, the slower one comes when the table is already shown in its thread."""
    table = (await house.tables.lobby.open(house.by(people[0], id=7, channel=CHANNEL), thread=True)).table
    await house.tables.timekeeping.threaded(table.id, CHANNEL + 1)
    await house.tables.timekeeping.place(table.id, message_id=55)
    again = await house.tables.timekeeping.threaded(table.id, CHANNEL + 1)
    assert (again.channel_id, again.message_id) == (CHANNEL + 1, 55)


async def test_f49_a_second_table_in_the_channel_is_declined_and_points_to_the_first(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(people[0])
    with refused(Decline.TABLE_IN_CHANNEL) as no:
        await house.tables.lobby.open(house.by(people[1], channel=CHANNEL))
    assert no.declined.table_id == table
    assert await house.tables.play.in_channel(GUILD, CHANNEL) == table


async def test_f49_a_host_has_three_tables_at_most(house: Offline, people: People, refused: type[Refused]):
    first, *_ = [await house.lobby(people[0], channel=channel) for channel in (1, 2, 3)]
    with refused(Decline.TOO_MANY_TABLES) as no:
        await house.lobby(people[0], channel=4)
    assert no.declined.table_id == first
    await house.lobby(people[1], channel=4)


async def test_f49_after_five_tables_that_were_closed_without_a_game_a_host_waits_ten_minutes(
    house: Offline, people: People, refused: type[Refused]
):
    begun = house.time.at
    for second in range(5):
        house.time.at = begun + timedelta(seconds=second)
        await house.tables.play.stop(house.by(people[0], await house.lobby(people[0])))
    house.time.at = begun + timedelta(minutes=10, seconds=-1)
    with refused(Decline.TOO_OFTEN):
        await house.lobby(people[0])
    await house.tables.play.stop(house.by(people[1], await house.lobby(people[1])))
    house.time.at = begun + timedelta(minutes=10)
    await house.lobby(people[0])


async def test_f49_tables_of_a_clock_that_was_fast_keep_no_host_from_opening_one(house: Offline, people: People):
    house.time.pass_by(days=2)
    for _ in range(5):
        await house.tables.play.stop(house.by(people[0], await house.lobby(people[0])))
    house.time.pass_by(days=-2)
    await house.lobby(people[0])


async def test_f49_a_table_with_a_finished_game_is_none_that_was_closed_without_one(house: Offline, people: People):
    for _ in range(6):
        table = await house.game(*people[:2])
        await house.finish(table)
        await house.tables.play.rematch(house.by(1, table))
        await house.tables.play.stop(house.by(1, table))
        house.time.pass_by(seconds=31)


async def test_f49_of_many_tables_that_a_host_opens_at_once_three_are_opened(house: Offline, people: People):
    opening = [house.tables.lobby.open(house.by(people[0], channel=channel)) for channel in range(1, 9)]
    done = await asyncio.gather(*opening, return_exceptions=True)
    assert [each.why for each in done if isinstance(each, Declined)] == [Decline.TOO_MANY_TABLES] * 5


async def test_f49_a_rematch_is_one_more_table(house: Offline, people: People, refused: type[Refused]):
    over = await house.game(*people[:2], channel=4)
    await house.tables.play.stop(house.by(people[0], over, channel=4))
    first, *_ = [await house.lobby(people[0], channel=channel) for channel in (1, 2, 3)]
    with refused(Decline.TOO_MANY_TABLES) as no:
        await house.tables.play.rematch(house.by(people[0], over, channel=4))
    assert no.declined.table_id == first
    assert (await house.tables.snapshot(over)).table.status == "stopped"
    await house.tables.play.rematch(house.by(people[1], over, channel=4))


async def test_f49_of_two_who_ask_for_a_rematch_at_once_the_second_needs_no_further_table(
    house: Offline, people: People
):
    ann, bob = people[:2]
    over = await house.game(ann, bob, channel=4)
    await house.tables.play.stop(house.by(ann, over))
    for channel in (1, 2, 3):
        await house.lobby(bob, channel=channel)
    house.time.pass_by(minutes=1)
    asking = [house.tables.play.rematch(house.by(person, over)) for person in (ann, bob)]
    asked, declined = await asyncio.gather(*asking, return_exceptions=True)
    assert instance_of(TableSnapshot, asked).table.is_rematch_pending
    assert instance_of(Declined, declined).why is Decline.NOT_OVER


async def test_f49_a_server_has_a_limit(house: Offline, refused: type[Refused]):
    for number in range(1, 26):
        await house.lobby(Person(id=number, name="x"), channel=number)
    with refused(Decline.SERVER_FULL) as no:
        await house.lobby(Person(id=99, name="x"), channel=99)
    assert no.declined.table_id
    await house.tables.lobby.open(house.by(Person(id=99, name="x"), channel=99, guild=GUILD + 1))


async def test_nobody_passes_for_another_player_by_taking_their_name(house: Offline):
    names = "Bartholomew", "bartholomew", "Ｂartholomew", "Bart"
    twins = [Person(id=number, name=name) for number, name in enumerate(names, 1)]
    table = await house.lobby(twins[0])
    for twin in twins[1:]:
        await house.tables.lobby.join(house.by(twin, table))
    await house.tables.lobby.leave(house.by(twins[1], table))
    again = await house.tables.lobby.join(house.by(twins[1], table))
    assert [each.name for each in again.table.players] == ["Bartholomew", "Ｂartholom 3", "Bart", "bartholom 2"]


async def test_a_person_with_the_name_of_a_computer_gets_a_number(house: Offline, people: People):
    table = await house.lobby(people[0])
    seated = await house.tables.lobby.add_computer(house.by(people[0], table))
    (computer,) = [each.name for each in seated.table.players if each.is_computer]
    joined = await house.tables.lobby.join(house.by(Person(id=77, name=computer), table))
    assert joined.table.players[-1].name == f"{computer} 2"


async def test_no_computer_takes_the_name_of_a_person_in_other_letters(house: Offline):
    table = await house.lobby(Person(id=1, name="ＣLARA"))
    seated = await house.tables.lobby.add_computer(house.by(1, table))
    assert [each.name for each in seated.table.players] == ["ＣLARA", "Otto"]


async def test_an_unknown_variant_is_declined(house: Offline, people: People, refused: type[Refused]):
    for name in ("nope", "", "../classic", "CLASSIC", "x" * 5000):
        with refused(Decline.UNKNOWN_VARIANT):
            await house.tables.lobby.open(house.by(people[0], channel=CHANNEL), variant=name)
    assert await house.tables.play.in_channel(GUILD, CHANNEL) is None


def test_a_table_of_a_variant_that_no_longer_exists_is_declined():
    table = made_table(match=Match(target=2, variants=("first-half", "second-half")))
    with pytest.raises(Declined) as declined:
        with_wishes(table, request_at(table, 100, id=1), {"match": "single"}, START)
    assert declined.value.why is Decline.UNKNOWN_VARIANT


async def test_seats_are_bounded_by_the_rules_and_the_pack(house: Offline, people: People, refused: type[Refused]):
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.lobby(people[0], seats=7)
    with refused(Decline.TOO_FEW_SEATS):
        await house.lobby(people[0], seats=1)
    for name, each in variants().items():
        snapshot = await house.tables.lobby.open(house.by(people[0], channel=CHANNEL), variant=name)
        assert each.rules.seats[0] <= snapshot.table.seats <= each.rules.seats[1]
        await house.tables.lobby.leave(house.by(1, snapshot.table.id))
        house.time.pass_by(minutes=10)  # or it would be TOO_OFTEN


async def test_no_table_opens_with_a_number_of_seats_for_which_the_pack_has_no_room_though_for_one_more(
    house: Offline, people: People, refused: type[Refused]
):
    roomy = Rules().changed_with({"deal": {"hand": 5, "pack_for_six": True}})  # 5 * 11 cards are more than one pack
    table = await house.lobby(people[0])
    edited = await house.tables.lobby.change(house.by(1, table), rules=roomy)
    await house.tables.servers.save_house_rule(edited.table, "Roomy", 1)
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.lobby(people[1], channel=5, variant="Roomy", seats=5)
    for channel, seats in enumerate((4, 6), 5):
        table = await house.lobby(people[1], channel=channel, variant="Roomy", seats=seats)
        assert (await house.tables.snapshot(table)).table.seat_limit == seats


async def test_whoever_wants_fewer_seats_than_the_pack_has_room_for_is_told_to_choose_more(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:4])
    rules = Rules().changed_with({"seats": [3, 4], "deal": {"by_seats": {3: 6}}})  # 3 * 18 cards are more than one pack
    edited = await house.tables.lobby.change(house.by(1, table), rules=rules)
    await house.tables.servers.save_house_rule(edited.table, "For four", 1)
    for seats in (2, 3):
        with refused(Decline.TOO_FEW_SEATS):
            await house.lobby(people[1], channel=5, variant="For four", seats=seats)
    assert await house.lobby(people[1], channel=5, variant="For four", seats=4)


async def test_a_host_who_opens_and_closes_tables_without_a_game_has_to_wait(
    house: Offline, people: People, refused: type[Refused]
):
    async def open_and_close():
        table = await house.lobby(people[0])
        await house.tables.lobby.leave(house.by(people[0], table))

    for _ in range(5):
        await open_and_close()
    house.time.pass_by(minutes=9, seconds=59)
    with refused(Decline.TOO_OFTEN):
        await house.lobby(people[0])
    await house.lobby(people[1], channel=5)
    house.time.pass_by(seconds=1)
    await open_and_close()


async def test_a_seventh_player_is_declined(house: Offline, refused: type[Refused]):
    people = [Person(id=number, name=str(number)) for number in range(1, 8)]
    table = await house.lobby(*people[:6])
    with refused(Decline.TABLE_FULL) as no:
        await house.tables.lobby.join(house.by(people[6], table))
    assert len(no.declined.snapshot.table.players) == 6
    with refused(Decline.TABLE_FULL):
        await house.tables.lobby.add_computer(house.by(1, table))


async def test_a_removed_person_may_sit_down_again_after_ten_minutes(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:2], people[3])
    for removed in (2, 4):
        await house.tables.lobby.remove_person(house.by(1, table), removed)
    house.time.pass_by(minutes=9, seconds=59)
    with refused(Decline.REMOVED):
        await house.tables.lobby.join(house.by(2, table))
    with refused(Decline.REMOVED):
        await house.lobby(people[1])
    await house.tables.lobby.join(house.by(people[2], table))
    house.time.pass_by(seconds=1)
    assert names(await house.tables.lobby.join(house.by(people[1], table))) == ["Ann", people[2].name, "Bob"]


async def test_from_another_channel_a_table_is_neither_seen_nor_changed(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:2])
    for ask in (house.tables.lobby.join, house.tables.lobby.leave):
        with refused(Decline.UNKNOWN_TABLE):
            await ask(house.by(people[1], table, channel=CHANNEL + 1))
    assert names(await house.tables.snapshot(table)) == ["Ann", "Bob"]
    await house.tables.timekeeping.pause(table, paused=True)
    assert house.tables.play.paused_table(house.by(people[1], table))
    assert house.tables.play.paused_table(house.by(people[1], table, channel=CHANNEL + 1)) is None


async def test_of_the_other_tables_at_which_somebody_sits_the_newest_is_found(house: Offline, people: People):
    first, second, third = [await house.lobby(people[0], channel=channel) for channel in (1, 2, 3)]
    assert await house.tables.play.elsewhere(house.by(people[0], first)) == third
    assert await house.tables.play.elsewhere(house.by(people[0], third)) == second


async def test_joining_twice_is_declined_and_seats_once(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(*people[:2])
    with refused(Decline.ALREADY_SEATED):
        await house.tables.lobby.join(house.by(people[1], table))
    assert names(await house.tables.snapshot(table)) == ["Ann", "Bob"]


async def test_f11_a_join_delivered_twice_answers_with_the_table(house: Offline, people: People):
    table = await house.lobby(people[0])
    first = await house.tables.lobby.join(house.by(people[1], table, id=77))
    again = await house.tables.lobby.join(house.by(people[1], table, id=77))
    assert first == again
    assert names(again) == ["Ann", "Bob"]


async def test_f9_people_who_join_at_once_are_all_seated(house: Offline, people: People):
    table = await house.lobby(people[0])
    await asyncio.gather(*(house.tables.lobby.join(house.by(each, table)) for each in people[1:]))
    assert sorted(names(await house.tables.snapshot(table))) == ["Ann", "Bob", "Cy", "Dee"]


async def test_only_the_host_starts_seats_computers_and_removes_people(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:2])
    for user in (2, 3):  # somebody at the table, and somebody who is not
        for attempt in (
            lambda user: house.tables.play.start(house.by(user, table)),
            lambda user: house.tables.lobby.add_computer(house.by(user, table)),
            lambda user: house.tables.lobby.remove_computer(house.by(user, table)),
            lambda user: house.tables.lobby.remove_person(house.by(user, table), 1),
            lambda user: house.tables.lobby.change(house.by(user, table), pace="slow"),
            lambda user: house.tables.play.stop(house.by(user, table)),
        ):
            with refused(Decline.NOT_HOST):
                await attempt(user)
    assert (await house.tables.snapshot(table)).table.revision == 1


async def test_starting_alone_is_declined_and_with_a_computer_is_not(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(people[0])
    with refused(Decline.TOO_FEW):
        await house.tables.play.start(house.by(1, table))
    await house.tables.lobby.add_computer(house.by(1, table))
    assert (await house.tables.play.start(house.by(1, table))).snapshot.table.status == "playing"


async def test_computers_have_names_of_their_own_and_leave_last_first(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(people[0], computers=3)
    snapshot = await house.tables.snapshot(table)
    assert names(snapshot) == ["Ann", "Clara", "Otto", "Ida"]
    assert all(len(name) <= 8 for name in names(snapshot))
    await house.tables.lobby.remove_computer(house.by(1, table))
    await house.tables.lobby.join(house.by(people[1], table))
    assert names(await house.tables.lobby.remove_computer(house.by(1, table))) == ["Ann", "Clara", "Bob"]
    await house.tables.lobby.remove_computer(house.by(1, table))
    with refused(Decline.NO_COMPUTER):
        await house.tables.lobby.remove_computer(house.by(1, table))


async def test_f45_f54_another_person_is_host_when_the_host_leaves_the_lobby(house: Offline, people: People):
    table = await house.lobby(*people[:3], computers=1)
    assert (await house.tables.lobby.leave(house.by(1, table))).table.host_id == 2
    assert (await house.tables.lobby.remove_person(house.by(2, table), 3)).table.host_id == 2


async def test_the_lobby_closes_when_the_last_person_leaves(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(people[0], computers=2)
    assert (await house.tables.lobby.leave(house.by(1, table))).table.status == "stopped"
    with refused(Decline.UNKNOWN_TABLE):
        await house.tables.lobby.join(house.by(people[1], table))
    await house.lobby(people[1])


async def test_only_seated_people_can_leave_or_be_removed(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(people[0])
    with refused(Decline.NOT_SEATED):
        await house.tables.lobby.leave(house.by(2, table))
    with refused(Decline.ALREADY_SO):
        await house.tables.lobby.remove_person(house.by(1, table), 2)


async def test_the_host_changes_what_is_played(house: Offline, people: People):
    table = await house.lobby(people[0])
    snapshot = await house.tables.lobby.change(house.by(1, table), variant="palace-bga", pace="slow", stretch=2)
    found = snapshot.table
    assert (found.variant, found.pace, found.stretch, found.seats) == ("palace-bga", "slow", 2, 4)
    assert found.rules == variants()["palace-bga"].rules
    snapshot = await house.tables.lobby.change(house.by(1, table), seats=3, hints=False)
    assert (snapshot.table.seats, snapshot.table.hints, snapshot.table.rules) == (3, False, found.rules)
    custom = Rules().changed_with({"play": {"must_play": True}})
    snapshot = await house.tables.lobby.change(house.by(1, table), rules=custom)
    assert (snapshot.table.rules, snapshot.table.seats, snapshot.table.variant) == (custom, 3, "palace-bga")
    snapshot = await house.tables.lobby.change(house.by(1, table), variant="paskahousu")
    assert snapshot.table.seats == 3, "the host’s number stays where the rules allow it"
    snapshot = await house.tables.lobby.change(house.by(1, table), seats=6)
    snapshot = await house.tables.lobby.change(house.by(1, table), variant="poytapaska", hints=True)
    assert (snapshot.table.seats, snapshot.table.hints) == (3, True), "all were free, so all of the new rules are"


async def test_a_limit_of_seats_comes_back_after_rules_that_allow_fewer(house: Offline, people: People):
    table = await house.lobby(people[0], seats=4)
    for variant, most in (("west-kent", 3), ("karma", 4), ("west-kent", 3), ("classic", 4)):
        changed = (await house.tables.lobby.change(house.by(1, table), variant=variant)).table
        assert changed.seat_limit == most, variant
    await house.tables.lobby.change(house.by(1, table), variant="west-kent")
    await house.tables.lobby.change(house.by(1, table), seats=3)
    assert (await house.tables.lobby.change(house.by(1, table), variant="classic")).table.seat_limit == 6
    await house.tables.lobby.change(house.by(1, table), seats=2)
    for_more = Rules().changed_with({"seats": [3, 5]})
    assert (await house.tables.lobby.change(house.by(1, table), rules=for_more)).table.seat_limit == 5


async def test_fewer_seats_than_people_are_declined(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(*people)
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.tables.lobby.change(house.by(1, table), seats=3)
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.tables.lobby.change(house.by(1, table), variant="west-kent")
    with refused(Decline.UNKNOWN_VARIANT):
        await house.tables.lobby.change(house.by(1, table), variant="nope")
    assert (await house.tables.lobby.change(house.by(1, table), seats=len(people))).table.seats == len(people)
    assert (await house.tables.snapshot(table)).table.variant == "classic"


@pytest.mark.parametrize("deal", [{"method": "choose"}, {"method": "choose", "face_up": 0}])
async def test_options_that_exclude_each_other_are_declined(
    house: Offline, people: People, refused: type[Refused], deal
):
    table = await house.lobby(*people)
    clashing = Rules().changed_with({"deal": deal, "start": {"by": "thrown"}})
    with refused(Decline.CLASHING_RULES):
        await house.tables.lobby.change(house.by(1, table), rules=clashing)
    assert (await house.tables.snapshot(table)).table.rules == Rules()


async def test_rules_that_no_pack_is_large_enough_for_are_declined(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:2])
    greedy = Rules().changed_with({"seats": [5, 6], "deal": {"hand": 6, "face_up": 6}})
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.tables.lobby.change(house.by(1, table), rules=greedy)
    assert (await house.tables.snapshot(table)).table.rules == Rules()


async def start_with_a_fourth(house: Offline, table):
    await house.tables.lobby.change(house.by(1, table), seats=4)
    await house.tables.lobby.join(house.by(4, table))
    assert (await house.tables.play.start(house.by(1, table))).snapshot.table.status == "playing"


async def test_three_who_would_get_too_many_cards_for_the_pack_wait_for_a_fourth(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:3])
    rules = Rules().changed_with({"seats": [2, 4], "deal": {"by_seats": {3: 6}}})
    await house.tables.lobby.change(house.by(1, table), rules=rules)
    with refused(Decline.TOO_FEW):
        await house.tables.play.start(house.by(1, table))
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.tables.lobby.change(house.by(1, table), seats=3)
    with refused(Decline.TOO_FEW):
        await house.tables.play.start(house.by(1, table))
    await start_with_a_fourth(house, table)


async def test_a_seat_for_which_later_rules_have_no_room_can_be_taken_and_one_more_offered(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(*people[:2])
    rules = Rules().changed_with({"seats": [2, 4], "deal": {"by_seats": {3: 6}}})
    await house.tables.lobby.change(house.by(1, table), seats=3)
    await house.tables.lobby.change(house.by(1, table), rules=rules)
    assert not (await house.tables.snapshot(table)).table.is_dealt_when_full
    await house.tables.lobby.join(house.by(3, table))
    with refused(Decline.NO_ROOM_IN_PACK):
        await house.tables.play.start(house.by(1, table))
    await start_with_a_fourth(house, table)


async def test_a_lobby_closes_after_fifteen_minutes_without_change(
    house: Offline, people: People, refused: type[Refused]
):
    table = await house.lobby(people[0])
    house.time.pass_by(minutes=14)
    await house.tables.lobby.join(house.by(people[1], table))
    house.time.pass_by(minutes=14)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).table.status == "lobby"
    house.time.pass_by(minutes=1)
    await house.tables.timekeeping.time_up(table)
    assert (await house.tables.snapshot(table)).table.status == "expired"
    with refused(Decline.UNKNOWN_TABLE):
        await house.tables.play.start(house.by(1, table))


async def test_lobby_actions_are_declined_in_a_game(house: Offline, people: People, refused: type[Refused]):
    table = await house.game(*people[:2])
    for attempt in (
        lambda: house.tables.lobby.join(house.by(people[2], table)),
        lambda: house.tables.play.start(house.by(1, table)),
        lambda: house.tables.lobby.remove_person(house.by(1, table), 2),
        lambda: house.tables.lobby.change(house.by(1, table), pace="slow"),
    ):
        with refused(Decline.NOT_A_LOBBY):
            await attempt()


@pytest.mark.parametrize("table", [0, -5, 12345, 10**25])
async def test_an_impossible_table_id_is_declined(house: Offline, people: People, refused: type[Refused], table):
    for attempt in (
        lambda: house.tables.lobby.join(house.by(people[0], table, id=1)),
        lambda: house.tables.snapshot(table),
        lambda: house.tables.play.hand(house.by(1, table)),
        lambda: house.tables.play.stop(house.by(1, table, id=1, moderator=True)),
    ):
        with refused(Decline.UNKNOWN_TABLE):
            await attempt()


async def test_all_requests_are_declined_while_closing(house: Offline, people: People, refused: type[Refused]):
    table = await house.lobby(people[0])
    house.tables.close()
    with refused(Decline.CLOSING):
        await house.tables.lobby.join(house.by(people[1], table))
    with refused(Decline.CLOSING):
        await house.lobby(people[1], channel=5)
    assert names(await house.tables.snapshot(table)) == ["Ann"]


@pytest.mark.parametrize("gone", ["removed-by-the-operator", "house:99"])
async def test_where_the_default_of_a_server_is_gone_the_classic_game_is_opened(
    house: Offline, people: People, refused: type[Refused], gone
):
    settings = await house.tables.servers.settings(GUILD)
    await house.tables.servers.choose(settings, settings.but(variant=gone))
    table = await house.lobby(people[0])
    assert (await house.tables.snapshot(table)).table.variant == "classic"
    with refused(Decline.UNKNOWN_VARIANT):
        await house.lobby(people[1], channel=2, variant=gone)
