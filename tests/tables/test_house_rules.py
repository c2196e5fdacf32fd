"""Saved house rules through the doorway: found by key or name, and kept by the tables that use them."""

import asyncio

import pytest

from data.guild_models import LONGEST_NAME, GuildSettings
from data.models import Person
from game.rules import Rules
from game.variants import variants
from tables.snapshots import Decline
from testkit.offline import Offline, People, Refused

GUILD = 900
TWO_PACKS = Rules().changed_with({"deal": {"packs": 2}})


async def saved(house: Offline, host: Person, name="Friday rules", channel=1):
    """House rules that a server saved from a table, which goes on."""
    table = await house.lobby(host, channel=channel)
    snapshot = await house.tables.lobby.change(house.by(host.id, table), rules=TWO_PACKS)
    return await house.tables.servers.save_house_rule(snapshot.table, name, host.id)


@pytest.mark.parametrize("called", ["house:1", "Friday rules", " FRIDAY RULES "])
async def test_a_table_is_opened_by_the_key_or_the_name_of_saved_rules(house: Offline, people: People, called):
    await saved(house, people[0])
    table = (await house.tables.snapshot(await house.lobby(people[1], variant=called))).table
    assert (table.title, table.variant, table.rules, table.seats) == ("Friday rules", "classic", TWO_PACKS, 6)


async def test_saved_rules_based_on_the_second_reverse_game_are_played_as_saved_and_not_after_the_first(
    house: Offline, people: People
):
    change, table = house.tables.lobby.change, await house.lobby(people[0], variant="reverse-second")
    alone = (await change(house.by(1, table), match="single")).table
    rules = alone.rules.changed_with({"play": {"must_play": not alone.rules.play.must_play}})
    changed = (await change(house.by(1, table), rules=rules)).table
    await house.tables.servers.save_house_rule(changed, "Turned", 1)
    opened = await house.lobby(people[1], variant="Turned", channel=2)
    chosen = (await change(house.by(1, table), variant="Turned")).table
    for each in ((await house.tables.snapshot(opened)).table, chosen):
        assert (each.title, each.rules, each.match) == ("Turned", rules, None)


async def test_a_variant_comes_before_saved_rules_of_its_name(house: Offline, people: People):
    await saved(house, people[0], "karma")
    table = (await house.tables.snapshot(await house.lobby(people[1], variant="karma"))).table
    assert (table.title, table.rules) == ("", variants()["karma"].rules)


async def test_no_rules_are_named_like_the_key_of_others(house: Offline, people: People, refused: type[Refused]):
    mine = await saved(house, people[0], "Mine")
    table = (await house.tables.snapshot(await house.lobby(people[1], channel=2))).table
    for name in (mine.key, "HOUSE:2", "house:"):
        with refused(Decline.BAD_NAME):
            await house.tables.servers.save_house_rule(table, name, 1)
    await house.tables.servers.save_house_rule(table, "house 1", 1)


async def test_stored_rules_that_are_named_like_the_key_of_others_do_not_take_their_place(
    house: Offline, people: People
):
    mine = await saved(house, people[0], "Mine")
    other = await saved(house, people[1], "Other", channel=2)
    await house.store.house_rules.save(mine.model_copy(update={"name": other.key}))
    assert (await house.tables.servers.house_rule(GUILD, other.key)).name == "Other"


async def test_of_two_changes_of_rules_at_once_both_are_made(house: Offline, people: People):
    table = await house.lobby(people[0])
    both = [(house.by(1, table), option) for option in ("must_play", "combo")]

    def with_option(option):
        return lambda rules: rules.changed_with({"play": {option: True}})

    await asyncio.gather(*(house.tables.lobby.edit_rules(one, with_option(option)) for one, option in both))
    rules = (await house.tables.snapshot(table)).table.rules.play
    assert (rules.must_play, rules.combo) == (True, True)


async def test_changed_rules_lose_the_name_and_other_changes_keep_it(house: Offline, people: People):
    one = await saved(house, people[0])
    table = await house.lobby(people[1], variant=one.key)
    user = people[1].id
    snapshot = await house.tables.lobby.change(house.by(user, table), pace="slow", seats=3)
    assert (snapshot.table.title, snapshot.table.seats) == ("Friday rules", 3)
    snapshot = await house.tables.lobby.change(house.by(user, table), rules=TWO_PACKS)
    assert snapshot.table.title == "Friday rules"
    snapshot = await house.tables.lobby.change(house.by(user, table), rules=Rules())
    assert snapshot.table.title == ""
    snapshot = await house.tables.lobby.change(house.by(user, table), variant=one.key)
    assert (snapshot.table.title, snapshot.table.rules) == ("Friday rules", TWO_PACKS)


async def test_a_table_keeps_rules_that_are_replaced_or_deleted_meanwhile(house: Offline, people: People):
    one = await saved(house, people[0])
    table = await house.lobby(people[1], people[2], variant=one.key)
    other = (await house.tables.snapshot(table)).table.but(rules=Rules())
    again = await house.tables.servers.save_house_rule(other, "friday rules", 1, replace=True)
    assert (again.id, again.rules) == (one.id, Rules())
    await house.tables.servers.delete_house_rule(GUILD, one.id)
    snapshot = (await house.tables.play.start(house.by(people[1].id, table))).snapshot
    assert (snapshot.table.title, snapshot.table.rules) == ("Friday rules", TWO_PACKS)


async def test_deleting_the_default_rules_takes_effect_at_once(house: Offline, people: People):
    one = await saved(house, people[0])
    await house.tables.servers.choose(GuildSettings(guild_id=GUILD), GuildSettings(guild_id=GUILD, variant=one.key))
    await house.tables.servers.delete_house_rule(GUILD, one.id)
    assert (await house.tables.servers.settings(GUILD)).variant == "classic"


async def test_rules_that_cannot_be_saved_or_found_are_declined(house: Offline, people: People, refused: type[Refused]):
    one = await saved(house, people[0])
    table = (await house.tables.snapshot(await house.lobby(people[1]))).table
    for name in ("", "x" * (LONGEST_NAME + 1)):
        with refused(Decline.BAD_NAME):
            await house.tables.servers.save_house_rule(table, name, 1)
    with refused(Decline.NAME_TAKEN):
        await house.tables.servers.save_house_rule(table, "friday RULES", 1)
    for number in range(9):
        await house.tables.servers.save_house_rule(table, f"No. {number}", 1)
    with refused(Decline.TOO_MANY_HOUSE_RULES):
        await house.tables.servers.save_house_rule(table, "One too many", 1)
    await house.tables.servers.delete_house_rule(GUILD, one.id)
    with refused(Decline.UNKNOWN_VARIANT):
        await house.tables.servers.delete_house_rule(GUILD, one.id)
    with refused(Decline.UNKNOWN_VARIANT):
        await house.lobby(people[2], channel=5, variant=one.key)
