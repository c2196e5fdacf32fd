"""Leases of shards: one process for each shard, by the database's own clock."""

import asyncio

import pytest
import sqlalchemy as sa
from sqlalchemy import event

from data.errors import UnavailableError
from data.guild_models import GuildSettings
from data.lease_rows import ALL, FARTHEST, LeaseLostError, LeaseTakenError
from data.schema import versions
from data.store import BUSY_SECONDS, Store

LONG = FARTHEST - 60
"""Seconds of a lease that does not end during a test, however slow the machine is."""


async def test_f52_one_process_has_a_shard_and_epochs_grow(store: Store):
    first = await store.leases.take("a", 4, (0, 1), LONG)
    assert await store.leases.take("b", 4, (2, 3), LONG) > first
    with pytest.raises(LeaseTakenError) as taken:
        await store.leases.take("c", 4, (1, 2), LONG)
    assert taken.value.holder in {"a", "b"}
    assert 0 < taken.value.seconds <= LONG


@pytest.mark.parametrize(("count", "ids"), [(8, (7,)), (ALL, ()), (4, (3,))])
async def test_f4_leases_with_different_shard_counts_exclude_each_other(store: Store, count, ids):
    await store.leases.take("a", 4, (3,), LONG)
    with pytest.raises(LeaseTakenError):
        await store.leases.take("b", count, ids, LONG)


async def test_a_lease_for_all_shards_excludes_every_other(store: Store):
    await store.leases.take("a", ALL, (), LONG)
    for count, ids in ((ALL, ()), (4, (0,))):
        with pytest.raises(LeaseTakenError):
            await store.leases.take("b", count, ids, LONG)


async def test_an_expired_lease_can_be_taken_and_its_holder_learns_of_it(store: Store):
    epoch = await store.leases.take("a", 1, (0,), -0.01)  # ended a moment ago
    other = await store.leases.take("b", 1, (0,), LONG)
    assert other > epoch
    with pytest.raises(LeaseLostError):
        await store.leases.renew("a", epoch, LONG)
    await store.leases.give_back("a", epoch)
    await store.leases.renew("b", other, LONG)


async def test_a_renewed_lease_lasts_and_an_old_epoch_does_not_count(store: Store):
    epoch = await store.leases.take("a", 1, (0,), 0.2)
    await store.leases.renew("a", epoch, LONG)
    with pytest.raises(LeaseLostError):
        await store.leases.renew("a", epoch - 1, LONG)
    with pytest.raises(LeaseTakenError):
        await store.leases.take("b", 1, (0,), LONG)


async def test_f57_a_process_whose_database_a_newer_version_has_migrated_ends(database_url, store: Store):
    newer = await Store.open(database_url)
    epoch = await store.leases.take("a", 1, (0,), LONG)
    await store.leases.renew("a", epoch, LONG)
    await newer.database.write(lambda connection: connection.execute(sa.update(versions).values(version_num="9999")))
    with pytest.raises(LeaseLostError, match="a newer version has migrated the database"):
        await store.leases.renew("a", epoch, LONG)
    await newer.close()


async def test_a_process_that_counts_the_shards_otherwise_is_told_so(store: Store):
    await store.leases.take("a", 2, (1,), LONG)
    with pytest.raises(LeaseTakenError, match=r"\(a\) runs with another SHARD_COUNT: stop all processes first"):
        await store.leases.take("b", 3, (2,), LONG)
    with pytest.raises(LeaseTakenError, match=r"\(a\) runs these shards: stop it"):
        await store.leases.take("b", 2, (1,), LONG)
    with pytest.raises(LeaseTakenError, match=r"\(a\) runs these shards: stop it"):
        await store.leases.take("b", ALL, (), LONG)


async def test_an_expired_lease_can_be_renewed_until_somebody_takes_it(store: Store):
    epoch = await store.leases.take("a", 2, (0,), -60)
    await store.leases.take("b", 2, (1,), LONG)
    await store.leases.renew("a", epoch, LONG)
    with pytest.raises(LeaseTakenError):
        await store.leases.take("c", 2, (0,), LONG)


async def test_nobody_waits_for_a_lease_from_before_the_clock_was_set_back(store: Store):
    await store.leases.take("a", 1, (0,), 2 * FARTHEST)
    await store.leases.take("b", 1, (0,), LONG)


async def test_a_process_that_lost_its_lease_cannot_write(database_url, store: Store):
    store.leases.install_fence("a", await store.leases.take("a", 1, (0,), -1))
    await store.notes.put("mine", "still")
    other = await Store.open(database_url)
    other.leases.install_fence("b", await other.leases.take("b", 1, (0,), LONG))
    for write in (
        store.notes.put("mine", "no more"),
        store.guilds.put(GuildSettings(guild_id=1), GuildSettings(guild_id=1)),
        store.database.write(lambda connection: connection.exec_driver_sql("DELETE FROM notes").close()),
    ):
        with pytest.raises(UnavailableError, match="another process has taken"):
            await write
    assert await other.notes.get("mine") == "still"
    await other.notes.put("mine", "his")
    await other.close()


async def test_a_lease_given_back_is_free_at_once(store: Store):
    epoch = await store.leases.take("a", 1, (0,), LONG)
    await store.leases.give_back("a", epoch)
    await store.leases.take("b", 1, (0,), LONG)


async def test_a_process_that_ends_does_not_give_back_the_lease_of_one_that_has_its_name_now(store: Store):
    first, _ = await store.leases.take("a", 1, (0,), LONG), await store.leases.take("a", 1, (0,), LONG)
    await store.leases.give_back("a", first)
    with pytest.raises(LeaseTakenError):
        await store.leases.take("b", 1, (0,), LONG)


async def test_f52_of_many_processes_that_start_at_once_one_gets_the_lease(database_url, store: Store):
    others = [await Store.open(database_url) for _ in range(2)]

    async def take(number, one):
        try:
            return await one.leases.take(f"p{number}", 1, (0,), LONG)
        except LeaseTakenError:
            return None

    done = await asyncio.gather(*(take(n, one) for n, one in enumerate([store, *others] * 3)))
    assert sum(each is not None for each in done) == 1
    for one in others:
        await one.close()


async def test_slots_follow_one_another_across_processes(store: Store):
    waits = [await store.leases.take_slot("identify", apart) for apart in (400, 700, 500, 600)]
    assert waits[0] == 0
    for wait, most in zip(waits, (0, 400, 1100, 1600), strict=True):
        assert most - 200 < wait < most + 0.01, "on a busy machine time passes between them"
    assert await store.leases.take_slot("another kind", 5) == 0
    assert await store.leases.take_slot("identify", 5) == 0, "as after the clock was set back"
    await store.leases.take("a", 1, (0,), LONG)


@pytest.mark.parametrize(
    ("limit", "writing", "reading"),
    [("idle_in_transaction_session_timeout", "10s", "0"), ("lock_timeout", "3s", "3s")],
    ids=["for a process that is gone, but a backup may take its time", "for a lock that somebody else has"],
)
async def test_a_server_waits_for_less_time_than_a_lease_lasts(postgres_url, limit, writing, reading):
    store = await Store.open(postgres_url, busy_seconds=BUSY_SECONDS)
    asked = sa.text(f"SHOW {limit}")
    store.leases.install_fence("a", await store.leases.take("a", 1, (0,), LONG))
    for fenced in (True, False):
        assert await store.database.write(lambda it: it.execute(asked).scalar_one(), fenced=fenced) == writing
    assert await store.database.read(lambda it: it.execute(asked).scalar_one()) == reading
    await store.close()


async def test_numbers_are_drawn_with_what_older_databases_know(store: Store):
    """SQLite knows RETURNING only since 3.35, and RHEL 9 has 3.34."""
    said = list[str]()
    listen = (sa.Engine, "before_cursor_execute", lambda *about: said.append(about[2]))
    event.listen(*listen)
    try:
        epochs = [await store.leases.take(each, 2, (number,), LONG) for number, each in enumerate("ab")]
    finally:
        event.remove(*listen)
    assert epochs[0] < epochs[1]
    assert [each for each in said if each.startswith("INSERT")]
    assert not [each for each in said if "RETURNING" in each]
