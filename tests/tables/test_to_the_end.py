"""A change that somebody stops asking for: not made before it is being stored, wholly made after."""

import asyncio

import pytest


@pytest.fixture
def slow(house):
    """The disk stores nothing from now on, until it is told to."""
    rows, gate, begun = house.store.tables, asyncio.Event(), asyncio.Event()

    def slowed(real):
        async def slowly(*given):
            begun.set()
            await gate.wait()
            await real(*given)

        return slowly

    rows.save, rows.open = slowed(rows.save), slowed(rows.open)
    return gate, begun


async def test_f01_f32_what_is_being_stored_is_stored_and_told_and_what_waits_is_not(house, people, slow):
    gate, begun = slow
    gate.set()
    table = await house.lobby(people[0])
    gate.clear()
    begun.clear()
    told = len(house.heard)
    first, second = (asyncio.create_task(house.tables.lobby.join(house.by(person, table))) for person in people[1:3])
    await begun.wait()
    first.cancel()
    second.cancel()
    gate.set()
    done = await asyncio.gather(first, second, return_exceptions=True)
    assert all(isinstance(each, asyncio.CancelledError) for each in done)
    snapshot = await house.tables.snapshot(table)
    assert [player.name for player in snapshot.table.players] == ["Ann", "Bob"]
    assert snapshot == await house.another().snapshot(table)
    assert [each.table for each in house.heard[told:]] == [snapshot.table]


async def test_f32_a_table_that_is_being_opened_is_opened_and_told(house, people, slow):
    gate, begun = slow
    opening = asyncio.create_task(house.lobby(people[0]))
    await begun.wait()
    opening.cancel()
    gate.set()
    assert isinstance((await asyncio.gather(opening, return_exceptions=True))[0], asyncio.CancelledError)
    (changed,) = house.heard
    assert changed.look_at is not None
    assert (await house.tables.snapshot(changed.table.id)).table.status == "lobby"
