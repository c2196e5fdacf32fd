"""A cancelled request: not made at all if storing has not begun, completed otherwise."""

import asyncio
import gc
import sqlite3
import threading

import pytest

from data.errors import UnavailableError
from tables.doorway import uncancellable
from testkit.offline import GUILD, Offline, People, prefer
from testkit.waiting import HANG


@pytest.fixture
def slow(house: Offline):
    """A gate that holds up all storing until it is set, and an event that tells that storing has begun."""
    rows, gate, begun = house.store.tables, asyncio.Event(), asyncio.Event()

    def slowed(real):
        async def slowly(*given, **named):
            begun.set()
            await gate.wait()
            await real(*given, **named)

        return slowly

    rows.save, rows.open = slowed(rows.save), slowed(rows.open)
    return gate, begun


async def test_f01_f32_a_cancelled_change_is_completed_if_storing_has_begun(house: Offline, people: People, slow):
    gate, begun = slow
    gate.set()
    table = await house.lobby(people[0])
    gate.clear()
    begun.clear()
    told = len(house.heard)
    first, second = (asyncio.create_task(house.tables.lobby.join(house.by(person, table))) for person in people[1:3])
    await begun.wait()
    for _ in range(3):
        first.cancel()
        second.cancel()
        await asyncio.sleep(0)
    gate.set()
    done = await asyncio.gather(first, second, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in done)
    snapshot = await house.tables.snapshot(table)
    assert [player.name for player in snapshot.table.players] == ["Ann", "Bob"]
    assert snapshot == await house.another().snapshot(table)
    assert [each.table for each in house.heard[told:]] == [snapshot.table]


async def test_f32_a_cancelled_opening_is_completed_and_published(house: Offline, people: People, slow):
    gate, begun = slow
    opening = asyncio.create_task(house.lobby(people[0]))
    await begun.wait()
    opening.cancel()
    gate.set()
    assert isinstance((await asyncio.gather(opening, return_exceptions=True))[0], asyncio.CancelledError)
    (changed,) = house.heard
    assert changed.check_at is not None
    assert (await house.tables.snapshot(changed.table.id)).table.status == "lobby"


async def cancelled_once_stored(rows, name, doing):
    """Cancel a request at the moment when it is stored and nothing else has been done yet."""
    real, stored, gate = getattr(rows, name), asyncio.Event(), asyncio.Event()

    async def slowly(*given, **options):
        found = await real(*given, **options)
        stored.set()
        await gate.wait()
        return found

    setattr(rows, name, slowly)
    asking = asyncio.create_task(doing)
    await stored.wait()
    asking.cancel()
    await asyncio.sleep(0)
    gate.set()
    assert isinstance((await asyncio.gather(asking, return_exceptions=True))[0], asyncio.CancelledError)
    setattr(rows, name, real)


async def test_f32_a_person_forgotten_in_the_store_is_forgotten_in_memory(house: Offline, people: People):
    ann, bob = people[:2]
    table = await house.game(ann, bob)
    await house.finish(table)
    await prefer(house.tables, GUILD, ann.id, quiet=True)
    await house.tables.people.preferences(GUILD, ann.id)
    await cancelled_once_stored(house.store.people, "forget", house.tables.people.forget(ann.id))
    assert not (await house.tables.people.preferences(GUILD, ann.id)).quiet
    assert ann.id not in [player.user_id for player in (await house.tables.snapshot(table)).table.players]


async def test_f32_settings_that_are_stored_are_also_published(house: Offline, people: People):
    table, tables = await house.lobby(people[0]), house.tables
    plain, told = await tables.servers.settings(GUILD), len(house.heard)
    choosing = tables.servers.choose(plain, plain.but(polite=True))
    await cancelled_once_stored(house.store.guilds, "put", choosing)
    assert (await tables.snapshot(table)).settings.polite
    assert len(house.heard) == told + 1


async def test_f32_the_place_of_a_message_is_the_same_in_memory_and_store(house: Offline, people: People):
    table = await house.lobby(people[0])
    await cancelled_once_stored(house.store.tables, "place", house.tables.timekeeping.place(table, message_id=77))
    for tables in (house.tables, house.another()):
        assert (await tables.snapshot(table)).table.message_id == 77


async def test_an_upkeep_cancelled_while_it_connects_leaves_no_connection_open(house: Offline, monkeypatch):
    await house.tables.servers.upkeep()  # the store's own connections are made
    real, connecting, go_on, threads, closed = sqlite3.connect, asyncio.Event(), threading.Event(), [], []
    loop = asyncio.get_running_loop()

    class Followed(sqlite3.Connection):
        def close(self):
            super().close()
            closed.append(self)

    def slowly(*given, **options):
        threads.append(threading.current_thread())
        loop.call_soon_threadsafe(connecting.set)
        assert go_on.wait(HANG)
        return real(*given, **options, factory=Followed)

    monkeypatch.setattr(sqlite3, "connect", slowly)
    keeping = asyncio.create_task(house.tables.servers.upkeep())
    await connecting.wait()
    keeping.cancel()
    await asyncio.sleep(0)
    go_on.set()
    assert isinstance((await asyncio.gather(keeping, return_exceptions=True))[0], asyncio.CancelledError)
    await asyncio.to_thread(threads[0].join)
    assert len(closed) == 1


def test_a_failure_after_cancellation_is_not_reported_by_asyncio():
    async def cancelled_while_it_fails():
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context["message"]))
        failing, begun = asyncio.Event(), asyncio.Event()

        @uncancellable
        async def fail():
            begun.set()
            await failing.wait()
            raise UnavailableError

        asking = asyncio.create_task(fail())
        await begun.wait()
        asking.cancel()
        failing.set()
        await asyncio.wait({asking})
        assert asking.cancelled()

    reported = []
    asyncio.run(cancelled_while_it_fails())
    gc.collect()
    assert not reported
