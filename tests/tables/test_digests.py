"""The daily digest of a person, also if it is sent by a process that does not serve all of their servers."""

import pytest
import sqlalchemy as sa

from data.errors import UnavailableError
from data.schema import tables
from game.moves import Ready
from tables.services import Declined, Tables
from testkit.offline import ANN, BOB, GUILD, Offline, prefer
from testkit.stored import execute


@pytest.fixture
async def waiting(house: Offline):
    """Two slow games in two servers that wait for Ann, who wants a digest."""
    found = []
    for guild in (GUILD, GUILD + 1):
        await prefer(house.tables, guild, ANN.id, digest=True)
        request = house.by(ANN, guild=guild)
        table = (await house.tables.lobby.open(request, pace="slow")).table.id
        await house.tables.lobby.join(house.by(BOB, table))
        await house.tables.play.start(house.by(ANN, table))
        found.append(table)
    house.time.pass_by(days=1)
    return found


async def digest_of(tables: Tables, user):
    ((_, due),) = (await tables.people.digests_due()).items()
    return await tables.people.digest(user, due)


async def test_after_a_refused_digest_a_process_publishes_only_its_own_tables(house: Offline, waiting):
    process = Tables(house.store, randomness=house.chance, now=house.time, serves=lambda guild_id: guild_id == GUILD)
    told = []
    process.listeners.append(lambda changed: told.append(changed.table.id))
    digest = await digest_of(process, ANN.id)
    assert {each.table.id for each in digest.tables} == set(waiting)
    await process.people.digest_sent(digest, arrived=False)
    assert told == waiting[:1]
    assert process.cached == 1
    assert not await house.tables.people.gets_digest_instead(GUILD + 1, ANN.id)


async def test_of_two_processes_that_find_a_digest_due_one_sends_it(house: Offline, waiting):
    ((_, due),) = (await house.tables.people.digests_due()).items()
    assert await house.another().people.digest(ANN.id, due)
    assert await house.tables.people.digest(ANN.id, due) is None


async def test_a_digest_goes_by_what_managers_set_in_another_process_until_the_last_upkeep(house: Offline, waiting):
    process = Tables(house.store, now=house.time, serves=lambda guild_id: guild_id != GUILD)
    digest = await digest_of(process, ANN.id)
    assert not any(each.settings.polite for each in digest.tables)
    shown = await house.tables.servers.settings(GUILD)
    await house.tables.servers.choose(shown, shown.but(polite=True))
    await process.servers.upkeep()
    house.time.pass_by(days=1)
    digest = await digest_of(process, ANN.id)
    assert {each.table.guild_id: each.settings.polite for each in digest.tables} == {GUILD: True, GUILD + 1: False}


async def test_after_a_refused_digest_a_person_is_unreachable_in_each_of_their_servers(house: Offline, waiting):
    people, servers = house.tables.people, (GUILD, GUILD + 1)
    assert [(await people.preferences(each, ANN.id)).refused_at for each in servers] == [None, None]
    await people.digest_sent(await digest_of(house.tables, ANN.id), arrived=False)
    assert [(await people.preferences(each, ANN.id)).refused_at for each in servers] == [house.time(), house.time()]


async def test_an_unreadable_table_keeps_no_other_from_the_digest(house: Offline, waiting):
    await execute(house.store.database, sa.update(tables).where(tables.c.id == waiting[0]).values(stretch=3))
    process = house.another()
    digest = await digest_of(process, ANN.id)
    assert [each.table.id for each in digest.tables] == waiting[1:]


async def test_a_digest_lists_only_tables_of_servers_in_which_it_is_wanted(house: Offline, waiting):
    wants = await house.tables.people.preferences(GUILD, ANN.id)
    await house.tables.people.choose(wants, wants.but(digest=False))
    digest = await digest_of(house.tables, ANN.id)
    assert [each.table.id for each in digest.tables] == waiting[1:]


async def test_a_digest_lists_no_table_that_waits_only_for_others(house: Offline, waiting):
    await house.act(waiting[0], ANN, Ready())
    digest = await digest_of(house.tables, ANN.id)
    assert [each.table.id for each in digest.tables] == waiting[1:]


async def test_a_digest_that_cannot_be_read_stays_due(house: Offline, waiting, monkeypatch):
    async def gone(_):
        raise UnavailableError

    with monkeypatch.context() as during:
        during.setattr(house.store.people, "slow_tables", gone)
        with pytest.raises(Declined):
            await digest_of(house.tables, ANN.id)
    assert {each.table.id for each in (await digest_of(house.tables, ANN.id)).tables} == set(waiting)
