"""The caches keep only the most recently used values, and nothing stale."""

import asyncio
from functools import partial

import pytest

from data.errors import UnavailableError
from data.guild_models import GuildSettings, Preferences
from tables.cache import LRUCache
from tables.services import Tables
from tables.snapshots import Declined
from testkit.offline import GUILD, Offline, People, prefer


def test_the_least_recently_used_value_is_dropped():
    held = LRUCache(2)
    for key in "abc":
        held.put(key, key.upper())
    assert (list(held), len(held)) == (["b", "c"], 2)
    assert held.get("b") == "B"
    held.put("d", "D")
    assert list(held) == ["b", "d"]
    held.put("b", "again")
    held.put("e", "E")
    assert [(key, held.get(key)) for key in held] == [("b", "again"), ("e", "E")]


def test_a_dropped_or_unknown_key_has_no_value():
    held = LRUCache(2)
    held.put("a", 1)
    for _ in range(2):
        held.drop("a")
    assert (held.get("a"), held.get("b"), list(held)) == (None, None, [])


def test_keys_may_be_dropped_during_iteration():
    held = LRUCache(3)
    for key in "abc":
        held.put(key, key)
    for key in held:
        held.drop(key)
    assert len(held) == 0


async def test_values_are_read_once_while_they_stay_cached():
    asked, held = [], LRUCache(2)

    async def read(key):
        asked.append(key)
        return f"value {key}"

    for key in (1, 1, 2, 1, 3, 1, 2):
        assert await held.fetch(key, partial(read, key)) == f"value {key}"
    assert asked == [1, 2, 3, 2]


async def test_the_settings_of_a_server_are_read_once(house: Offline):
    asked, real = [], house.store.guilds.get

    async def get(guild_id):
        asked.append(guild_id)
        return await real(guild_id)

    house.store.guilds.get = get
    for guild in (1, 1, 2, 1):
        assert (await house.tables.servers.settings(guild)).guild_id == guild
    assert asked == [1, 2]


async def test_new_settings_are_seen_at_once_and_read_again_after_a_drop(house: Offline):
    servers = house.tables.servers
    plain = GuildSettings(guild_id=5)
    assert not (await servers.settings(5)).polite
    await servers.choose(plain, plain.but(polite=True))
    assert (await servers.settings(5)).polite
    await house.store.guilds.put(plain.but(polite=True), plain)
    assert (await servers.settings(5)).polite
    await servers.joined(5)
    assert not (await servers.settings(5)).polite


async def test_a_value_read_before_a_change_is_read_again_after_it():
    stored, slowly = {"a": 1}, asyncio.Event()

    async def read():
        found = stored["a"]
        await slowly.wait()
        return found

    held = LRUCache(9)
    for change, forgotten in ((2, lambda: held.drop("a")), (3, held.clear)):
        slowly.clear()
        reading = asyncio.create_task(held.fetch("a", read))
        await asyncio.sleep(0)
        stored["a"] = change
        forgotten()
        slowly.set()
        assert await reading == change
        assert await held.fetch("a", read) == change
        held.drop("a")


async def choices(tables: Tables):
    return await tables.servers.settings(GUILD), await tables.people.preferences(GUILD, 1)


@pytest.mark.parametrize("fails", [UnavailableError, asyncio.CancelledError])
async def test_after_a_change_with_an_unknown_outcome_the_store_is_read(house: Offline, fails):
    async def committed_and_then_gone(real, *given, **options):
        await real(*given, **options)
        raise fails

    plain, person = GuildSettings(guild_id=GUILD), Preferences(guild_id=GUILD, user_id=1)
    await choices(house.tables)
    for rows in (house.store.guilds, house.store.people):
        rows.put = partial(committed_and_then_gone, rows.put)
    for change in (
        house.tables.servers.choose(plain, plain.but(polite=True)),
        house.tables.people.choose(person, person.but(quiet=True)),
    ):
        with pytest.raises((Declined, asyncio.CancelledError)):
            await change
    settings, preferences = await choices(house.tables)
    assert (settings.polite, preferences.quiet) == (True, True)


async def test_preferences_being_read_while_a_person_is_forgotten_are_not_cached(house: Offline):
    await prefer(house.tables, GUILD, 1, quiet=True)
    house.tables.people._preferences.drop((GUILD, 1))
    real, was_read, slowly = house.store.people.get, asyncio.Event(), asyncio.Event()

    async def read(guild_id, user_id):
        found = await real(guild_id, user_id)
        was_read.set()
        await slowly.wait()
        return found

    house.store.people.get = read
    reading = asyncio.create_task(house.tables.people.preferences(GUILD, 1))
    await was_read.wait()
    assert await house.tables.people.forget(1) is None
    slowly.set()
    await reading
    assert not (await house.tables.people.preferences(GUILD, 1)).quiet


async def test_new_preferences_are_seen_at_once_and_only_in_that_server(house: Offline):
    await prefer(house.tables, GUILD, 1, quiet=True)
    assert (await house.tables.people.preferences(GUILD, 1)).quiet
    for guild, user in ((GUILD, 2), (GUILD + 1, 1)):
        assert not (await house.tables.people.preferences(guild, user)).quiet
    settings, preferences = await choices(house.tables)
    assert (settings.guild_id, preferences.quiet) == (GUILD, True)


async def test_tables_whose_opening_fails_are_forgotten_at_last(house: Offline, people: People):
    async def unavailable(*_, **__):
        raise UnavailableError

    tables = Tables(house.store, randomness=house.chance, now=house.time, cached=2)
    house.store.tables.open = unavailable
    for number in range(50):
        with pytest.raises(Declined):
            await tables.lobby.open(house.by(people[0], id=number + 1, channel=1000 + number))
    assert len(tables._doorway.doubtful) <= 8


async def test_settings_preferences_and_strengths_of_many_are_not_all_kept(house: Offline, monkeypatch):
    for name, most in (
        ("doorway.MOST_SETTINGS", 2),
        ("doorway.MOST_PREFERENCES", 3),
        ("people_service._MOST_STRENGTHS", 1),
    ):
        monkeypatch.setattr(f"tables.{name}", most)
    tables = Tables(house.store, now=house.time)
    for number in range(1, 6):
        assert (await tables.servers.settings(number)).guild_id == number
        assert (await tables.people.preferences(GUILD, number)).user_id == number
        assert await tables.people.strengths(number) == []
    doorway, people = tables._doorway, tables.people
    assert [list(doorway.settings), [user for _, user in doorway.preferences]] == [[4, 5], [3, 4, 5]]
    assert list(people._strengths) == [5]
