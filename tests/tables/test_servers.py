"""Servers come and go, and several people choose for one at once: what is kept, and what is deleted."""

from tables import Tables
from testkit.offline import GUILD


async def test_f26_a_server_that_invites_the_bot_again_while_no_process_runs_is_kept(house, people):
    table = await house.game(*people[:2])
    await house.finish(table)
    await house.tables.servers.removed(GUILD)
    house.time.pass_by(days=1)
    again = house.another()
    await again.servers.compare({GUILD})
    house.time.pass_by(days=31)
    await again.servers.upkeep()
    assert (await house.store.guilds.get(GUILD)).left_at is None
    assert await house.store.tables.get(table)


async def test_f26_being_back_is_noted_by_the_process_that_serves_the_server(house, people):
    await house.lobby(people[0])
    await house.tables.servers.removed(GUILD)
    other = Tables(house.store, now=house.time, serves=lambda guild_id: guild_id != GUILD)
    await other.servers.compare({GUILD})
    assert (await house.store.guilds.get(GUILD)).left_at == house.time()


async def test_a_server_that_was_left_counts_from_the_first_time_that_it_is_noticed(house, people):
    await house.lobby(people[0])
    left = house.time()
    for _ in range(2):
        await house.tables.servers.removed(GUILD)
        await house.tables.servers.compare(set())
        house.time.pass_by(days=1)
    assert (await house.tables.servers.settings(GUILD)).left_at == left
