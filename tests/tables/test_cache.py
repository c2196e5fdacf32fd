"""What is held in memory: so much and no more, and what was used last."""

from data.guild_models import GuildSettings, Preferences
from tables.cache import Recent, SettingsCache
from testkit.offline import GUILD


def test_what_was_not_used_for_longest_makes_room():
    held = Recent(2)
    for key in "abc":
        held.put(key, key.upper())
    assert (list(held), len(held)) == (["b", "c"], 2)
    assert held.get("b") == "B"
    held.put("d", "D")
    assert list(held) == ["b", "d"]
    held.put("b", "again")
    held.put("e", "E")
    assert [(key, held.get(key)) for key in held] == [("b", "again"), ("e", "E")]


def test_what_is_dropped_or_was_never_there_is_not_held():
    held = Recent(2)
    held.put("a", 1)
    for _ in range(2):
        held.drop("a")
    assert (held.get("a"), held.get("b"), list(held)) == (None, None, [])


def test_keys_may_be_dropped_while_they_are_walked():
    held = Recent(3)
    for key in "abc":
        held.put(key, key)
    for key in held:
        held.drop(key)
    assert len(held) == 0


async def test_a_server_is_asked_for_its_settings_once_while_it_is_among_the_last(house):
    asked, real = [], house.store.guilds.get

    async def get(guild_id):
        asked.append(guild_id)
        return await real(guild_id)

    house.store.guilds.get = get
    settings = SettingsCache(house.store.guilds, most=2)
    for guild in (1, 1, 2, 1, 3, 1, 2):
        assert (await settings.get(guild)).guild_id == guild
    assert asked == [1, 2, 3, 2]


async def test_what_a_server_chose_is_known_at_once_and_asked_again_when_it_is_dropped(house):
    settings = SettingsCache(house.store.guilds)
    plain = GuildSettings(guild_id=5)
    await settings.put(plain, plain.but(polite=True))
    assert (await settings.get(5)).polite
    await house.store.guilds.put(plain.but(polite=True), plain)
    assert (await settings.get(5)).polite
    settings.drop(5)
    assert not (await settings.get(5)).polite


async def test_what_a_person_chose_is_known_at_once_and_only_in_that_server(house):
    await house.tables.people.choose(Preferences(guild_id=GUILD, user_id=1, quiet=True))
    assert (await house.tables.people.preferences(GUILD, 1)).quiet
    for guild, user in ((GUILD, 2), (GUILD + 1, 1)):
        assert not (await house.tables.people.preferences(guild, user)).quiet
    settings, preferences = await house.tables.people.choices(GUILD, 1)
    assert (settings.guild_id, preferences.quiet) == (GUILD, True)
