"""Saved house rules: unique names, a limit, the default of a server, and the person who saved them."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from data.database import Database
from data.errors import FullError, NameTakenError, UnavailableError
from data.guild_models import MOST_HOUSE_RULES, GuildSettings, HouseRule
from data.schema import house_rules
from data.store import Store
from game.rules import Rules
from game.variants import variants
from testkit.stored import execute

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GUILD, ANN = 1 << 60, 31234567890123456
TWO_PACKS = Rules().changed_with({"deal": {"packs": 2}, "powers": {"7": {"asks": "at-most"}}})


def draft(name, rules: Rules = TWO_PACKS, guild=GUILD):
    return HouseRule(guild_id=guild, name=name, variant="classic", rules=rules, saved_by=ANN, saved_at=NOW)


async def test_saved_rules_are_found_with_all_their_options(store: Store):
    saved = await store.house_rules.save(draft("Friday rules"))
    assert await store.house_rules.all(GUILD) == [saved]
    assert saved.rules == TWO_PACKS
    assert saved.key == f"house:{saved.id}"
    assert await store.house_rules.all(GUILD + 1) == []


async def test_what_is_stored_does_not_depend_on_the_variant(store: Store, database: Database):
    castle = variants()["castle"].rules
    await store.house_rules.save(draft("Friday rules", castle).model_copy(update={"variant": "castle"}))
    ((stored,),) = await execute(database, sa.select(house_rules.c.rules))
    assert Rules.model_validate(stored) == castle


async def test_an_option_that_is_not_used_is_not_stored_so_that_a_version_before_it_reads_the_rules(
    store: Store, database: Database
):
    await store.house_rules.save(draft("Friday rules", TWO_PACKS))
    ((stored,),) = await execute(database, sa.select(house_rules.c.rules))
    assert stored.keys() == {"deal", "powers"}
    assert stored["deal"] == {"packs": 2}
    assert stored["powers"]["7"] == {"asks": "at-most"}


async def test_a_name_is_unique_ignoring_case(store: Store):
    first = await store.house_rules.save(draft("Friday rules"))
    with pytest.raises(NameTakenError):
        await store.house_rules.save(draft("FRIDAY rules", Rules()))
    assert await store.house_rules.all(GUILD) == [first]
    again = await store.house_rules.save(draft("FRIDAY rules", Rules()), replace=True)
    assert (again.id, again.rules) == (first.id, Rules())
    assert await store.house_rules.all(GUILD) == [again]


async def test_an_eleventh_is_refused_and_a_full_server_may_replace(store: Store):
    for number in range(MOST_HOUSE_RULES):
        await store.house_rules.save(draft(f"No. {number}"))
    with pytest.raises(FullError):
        await store.house_rules.save(draft("One too many"), replace=True)
    await store.house_rules.save(draft("No. 3", Rules()), replace=True)
    await store.house_rules.save(draft("No. 3", guild=GUILD + 1))
    assert [each.name for each in await store.house_rules.all(GUILD)] == [
        f"No. {number}" for number in range(MOST_HOUSE_RULES)
    ]


async def test_of_many_saved_at_once_no_more_than_ten_are_stored(store: Store):
    tries = [store.house_rules.save(draft(f"No. {number}")) for number in range(MOST_HOUSE_RULES + 4)]
    found = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(each, FullError) for each in found) == 4
    assert len(await store.house_rules.all(GUILD)) == MOST_HOUSE_RULES


async def test_deleted_rules_are_no_longer_a_servers_default(store: Store):
    one, two = await store.house_rules.save(draft("One")), await store.house_rules.save(draft("Two"))
    await store.guilds.put(
        GuildSettings(guild_id=GUILD), GuildSettings(guild_id=GUILD, variant=two.key, nudge_seconds=5)
    )
    assert await store.house_rules.delete(GUILD, one.id)
    assert (await store.guilds.get(GUILD)).variant == two.key
    assert await store.house_rules.delete(GUILD, two.id)
    assert (await store.guilds.get(GUILD)) == GuildSettings(guild_id=GUILD, nudge_seconds=5)
    assert await store.house_rules.all(GUILD) == []


async def test_missing_rules_and_those_of_another_server_are_not_deleted(store: Store):
    saved = await store.house_rules.save(draft("One"))
    usual = GuildSettings(guild_id=GUILD)
    await store.guilds.put(usual, usual.but(variant=saved.key))
    assert not await store.house_rules.delete(GUILD + 1, saved.id)
    assert not await store.house_rules.delete(GUILD, saved.id + 1)
    assert (await store.guilds.get(GUILD)).variant == saved.key
    assert await store.house_rules.all(GUILD) == [saved]


async def test_ids_are_never_reused(store: Store):
    first = await store.house_rules.save(draft("One"))
    await store.house_rules.delete(GUILD, first.id)
    assert (await store.house_rules.save(draft("One"))).id > first.id


async def test_rules_that_cannot_be_read_are_left_out(store: Store, database: Database):
    await store.house_rules.save(draft("One"))
    await store.house_rules.save(draft("Two"))
    one = sa.update(house_rules).where(house_rules.c.name == "One")
    await execute(database, one.values(rules={"unheard": "of"}))
    assert [each.name for each in await store.house_rules.all(GUILD)] == ["Two"]


async def test_rules_that_cannot_be_read_are_not_said_to_be_deleted_if_the_database_did_not_delete_them(
    store: Store, database: Database, monkeypatch
):
    saved = await store.house_rules.save(draft("One"))
    await execute(database, sa.update(house_rules).values(rules={"unheard": "of"}))

    async def unavailable(*_, **__):
        raise UnavailableError

    with monkeypatch.context() as broken:
        broken.setattr(store.database, "write", unavailable)
        with pytest.raises(UnavailableError):
            await store.house_rules.delete(GUILD, saved.id)
    assert await store.house_rules.delete(GUILD, saved.id)


async def test_the_person_who_saved_rules_can_export_that_and_be_forgotten(store: Store):
    await store.house_rules.save(draft("Friday rules"))
    (told,) = (await store.people.stored(ANN))[GUILD]["house_rules"]
    assert (told["name"], f"{told['saved_at']:%Y-%m-%d}") == ("Friday rules", "2026-03-01")
    assert str(ANN) not in str(told)
    assert await store.people.forget(ANN) == []
    assert await store.people.stored(ANN) == {}
    assert [each.saved_by for each in await store.house_rules.all(GUILD)] == [-1]


async def test_rules_are_deleted_with_their_server(store: Store):
    await store.house_rules.save(draft("Friday rules"))
    await store.guilds.set_left(GUILD, NOW)
    assert await store.guilds.forget(GUILD, NOW + timedelta(1))
    assert await store.house_rules.all(GUILD) == []
